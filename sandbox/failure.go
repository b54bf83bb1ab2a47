package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Failure is a rule that makes requests go wrong. The first fields choose the
// requests, empty ones choosing any; the rest say what happens to them. A rule
// with no effect only counts.
type Failure struct {
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`  // a part of the URL's path
	Query  string `json:"query,omitempty"` // a part of the GraphQL query or of its variables
	Nth    int    `json:"nth,omitempty"`   // the first match that is struck, counting from 1; 0 is 1
	Times  int    `json:"times,omitempty"` // how many in a row are struck; 0 is 1, -1 is all

	// Kind is a failure known by name; the fields below refine it. See Kinds.
	Kind string `json:"kind,omitempty"`

	DelayMillis int    `json:"delayMillis,omitempty"` // before anything happens
	Drop        string `json:"drop,omitempty"`        // closes the connection "before" or "after" the request took effect

	// Status and Body answer in place of GitHub. With Execute the request
	// takes effect all the same.
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Execute bool              `json:"execute,omitempty"`

	BodyDelayMillis int `json:"bodyDelayMillis,omitempty"` // between the headers and the body
	TruncateAt      int `json:"truncateAt,omitempty"`      // the body ends after so many bytes, the connection with it

	// Errors and Data answer a GraphQL request. Data is "" for none, "null"
	// for null, "keep" for the real answer, in which the paths of Null
	// ("repository.discussion") are null.
	Errors []GraphQLError `json:"errors,omitempty"`
	Data   string         `json:"data,omitempty"`
	Null   []string       `json:"null,omitempty"`
}

// GraphQLError is one of the errors of a GraphQL answer.
type GraphQLError struct {
	Type       string         `json:"type,omitempty"`
	Message    string         `json:"message"`
	Path       []any          `json:"path,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

const unicorn = "<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body><h1>This page is taking too long to load.</h1></body></html>\n"

// kinds are the failures that have a name.
var kinds = map[string]Failure{
	"RATE_LIMITED": {
		Status: 200, Headers: map[string]string{"X-RateLimit-Remaining": "0"},
		Errors: []GraphQLError{{Type: "RATE_LIMITED", Message: "API rate limit exceeded for user ID 9919014."}},
	},
	"PRIMARY_LIMIT": {
		Status: 403, Headers: map[string]string{"X-RateLimit-Remaining": "0"},
		Body: `{"message":"API rate limit exceeded for user ID 9919014.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"}`,
	},
	"SECONDARY_LIMIT": {
		Status: 403, Headers: map[string]string{"Retry-After": "47"},
		Body: `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`,
	},
	"RESOURCE_LIMITS_EXCEEDED": {
		Status: 200, Data: "null",
		Errors: []GraphQLError{{Type: "RESOURCE_LIMITS_EXCEEDED", Message: "Resource limits for this query exceeded."}},
	},
	"NOT_FOUND": {
		Status: 200, Data: "null",
		Errors: []GraphQLError{{Type: "NOT_FOUND", Path: []any{"repository"}, Message: "Could not resolve to a Repository with the name 'octo-org/hello'."}},
	},
	"FORBIDDEN": {
		Status: 200, Data: "null",
		Errors: []GraphQLError{{Type: "FORBIDDEN", Path: []any{"repository"}, Message: "Resource not accessible by personal access token"}},
	},
	"INSUFFICIENT_SCOPES": {
		Status: 200,
		Errors: []GraphQLError{{Type: "INSUFFICIENT_SCOPES", Message: "Your token has not been granted the required scopes to execute this query. The 'discussions' field requires one of the following scopes: ['read:discussion'], but your token has only been granted the: ['gist'] scopes. Please modify your token's scopes at: https://github.com/settings/tokens."}},
	},
	"SAML": {
		Status: 200, Data: "null", Headers: map[string]string{"X-GitHub-SSO": "required; url=https://github.com/orgs/octo-org/sso?authorization_request=SANDBOX"},
		Errors: []GraphQLError{{Type: "FORBIDDEN", Path: []any{"repository"}, Extensions: map[string]any{"saml_failure": true}, Message: "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization."}},
	},
	"SSO": {
		Status: 403, Headers: map[string]string{"X-GitHub-SSO": "required; url=https://github.com/orgs/octo-org/sso?authorization_request=SANDBOX"},
		Body: `{"message":"Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.","documentation_url":"https://docs.github.com/articles/authenticating-to-a-github-organization-with-saml-single-sign-on/"}`,
	},
	"IP_ALLOW_LIST": {
		Status: 403,
		Body:   `{"message":"Although you appear to have the correct authorization credentials, the ` + "`octo-org`" + ` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.","documentation_url":"https://docs.github.com/articles/managing-allowed-ip-addresses-for-your-organization"}`,
	},
	"BAD_CREDENTIALS": {Status: 401, Body: `{"message":"Bad credentials","documentation_url":"https://docs.github.com/rest","status":"401"}`},
	"TIMEOUT":         {Status: 502, Body: `{"data":null,"errors":[{"message":"Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. Please include ` + "`SAND:B0X0:1`" + ` when reporting this issue."}]}`},
	"HTML":            {Status: 502, Headers: map[string]string{"Content-Type": "text/html; charset=utf-8"}, Body: unicorn},
	"HTML_OK":         {Status: 200, Headers: map[string]string{"Content-Type": "text/html; charset=utf-8"}, Body: unicorn},
	"MALFORMED_JSON":  {Status: 200, Body: `{"data":{"repository":{"discussion":{"title":"cut he`},
	"EMPTY":           {Status: 200, Body: " "},
	"UNAVAILABLE":     {Status: 503, Body: `{"message":"Service unavailable"}`},
}

// Kinds are the names that Failure.Kind knows, sorted.
func Kinds() []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// prepare checks a rule and merges its kind into it; what the rule says itself
// wins.
func (f Failure) prepare() (Failure, error) {
	if f.Drop != "" && f.Drop != "before" && f.Drop != "after" {
		return f, fmt.Errorf("drop is %q; it can be before or after", f.Drop)
	}
	if f.Data != "" && f.Data != "null" && f.Data != "keep" {
		return f, fmt.Errorf("data is %q; it can be null or keep", f.Data)
	}
	if f.Kind == "" {
		return f, nil
	}
	known, ok := kinds[f.Kind]
	if !ok {
		return f, fmt.Errorf("unknown kind %q; the kinds are %s", f.Kind, strings.Join(Kinds(), ", "))
	}
	return f.over(known), nil
}

func (f Failure) over(known Failure) Failure {
	if f.Status == 0 {
		f.Status = known.Status
	}
	if f.Body == "" {
		f.Body = known.Body
	}
	if f.Data == "" {
		f.Data = known.Data
	}
	if f.Errors == nil {
		f.Errors = known.Errors
	}
	headers := map[string]string{}
	for _, from := range []map[string]string{known.Headers, f.Headers} {
		for name, value := range from {
			headers[name] = value
		}
	}
	f.Headers = headers
	return f
}

func (f Failure) delay() time.Duration { return time.Duration(f.DelayMillis) * time.Millisecond }
func (f Failure) bodyDelay() time.Duration {
	return time.Duration(f.BodyDelayMillis) * time.Millisecond
}

// replaces reports whether the rule answers in place of GitHub.
func (f Failure) replaces() bool {
	return f.Body != "" || f.Errors != nil || f.Data != "" || f.Status != 0
}

// executes reports whether the request takes effect.
func (f Failure) executes() bool { return f.Execute || f.Data == "keep" || !f.replaces() }

// rewrite is the body that goes out in place of the real one, which is nil
// when the request was not executed.
func (f Failure) rewrite(actual []byte) ([]byte, error) {
	if f.Errors == nil && f.Data == "" {
		if f.Body == "" && !f.replaces() {
			return actual, nil
		}
		return []byte(f.Body), nil
	}
	answer := map[string]any{}
	if f.Errors != nil {
		answer["errors"] = f.Errors
	}
	switch f.Data {
	case "null":
		answer["data"] = nil
	case "keep":
		data, err := f.kept(actual)
		if err != nil {
			return nil, err
		}
		answer["data"] = data
	}
	return encode(answer)
}

func (f Failure) kept(actual []byte) (any, error) {
	var answer struct{ Data map[string]any }
	decoder := json.NewDecoder(bytes.NewReader(actual))
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		return nil, err
	}
	for _, path := range f.Null {
		erase(answer.Data, strings.Split(path, "."))
	}
	return answer.Data, nil
}

// erase sets what is at the path to null, in every element of lists on the way.
func erase(value any, path []string) {
	switch value := value.(type) {
	case map[string]any:
		if len(path) == 1 {
			value[path[0]] = nil
			return
		}
		erase(value[path[0]], path[1:])
	case []any:
		for _, element := range value {
			erase(element, path)
		}
	}
}

// failures are the rules in force, safe for concurrent use.
type failures struct {
	mu    sync.Mutex
	rules []*rule
}

type rule struct {
	Failure
	Matched int `json:"matched"` // requests that matched, struck or not
}

func (f *failures) add(added []Failure) error {
	var prepared []*rule
	var problems []error
	for i, failure := range added {
		ready, err := failure.prepare()
		if err != nil {
			problems = append(problems, fmt.Errorf("rule %d: %w", i, err))
		}
		prepared = append(prepared, &rule{Failure: ready})
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, prepared...)
	return nil
}

func (f *failures) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = nil
}

func (f *failures) list() []rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	rules := []rule{}
	for _, r := range f.rules {
		rules = append(rules, *r)
	}
	return rules
}

// strike counts the request with every rule it matches, and answers with the
// first one whose turn it is.
func (f *failures) strike(method, path, body string) (Failure, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var struck *rule
	for _, r := range f.rules {
		if !r.matches(method, path, body) {
			continue
		}
		r.Matched++
		if struck == nil && r.due() {
			struck = r
		}
	}
	if struck == nil {
		return Failure{}, false
	}
	return struck.Failure, true
}

func (r *rule) matches(method, path, body string) bool {
	return (r.Method == "" || strings.EqualFold(r.Method, method)) &&
		strings.Contains(path, r.Path) && strings.Contains(body, r.Query)
}

func (r *rule) due() bool {
	start := max(r.Nth, 1)
	return r.Matched >= start && (r.Times < 0 || r.Matched < start+max(r.Times, 1))
}
