package graphql

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ResponseError is one element of a response's errors[].
type ResponseError struct {
	Type       string         `json:"type"` // "NOT_FOUND", …; "" when GitHub gave none
	Message    string         `json:"message"`
	Path       []any          `json:"path"` // field names and list indexes from the root
	Extensions map[string]any `json:"extensions"`

	mapped *fault.Error // judged with the headers of the response it came in
}

// Fault is the error as the house speaks of it.
func (e ResponseError) Fault() *fault.Error {
	if e.mapped == nil {
		return judge(e, nil, time.Now(), false)
	}
	own := *e.mapped
	return &own
}

// where is the path with dots between its steps: "repository.issue.comments.nodes.3".
func (e ResponseError) where() string {
	steps := make([]string, len(e.Path))
	for i, step := range e.Path {
		steps[i] = fmt.Sprint(step)
	}
	return strings.Join(steps, ".")
}

// field is where, with * for every place in a list: "repository.issue.comments.nodes.*".
func (e ResponseError) field() string {
	steps := make([]string, len(e.Path))
	for i, step := range e.Path {
		if steps[i] = "*"; !isIndex(step) {
			steps[i] = fmt.Sprint(step)
		}
	}
	return strings.Join(steps, ".")
}

func isIndex(step any) bool {
	switch step.(type) {
	case float64, json.Number, int:
		return true
	}
	return false
}

// kind is the error's type, wherever the engine at the other end puts it.
func (e ResponseError) kind() string {
	if e.Type != "" {
		return e.Type
	}
	kind, _ := e.Extensions["type"].(string)
	return kind
}

// invalid reports whether the document was refused before anything was done.
func (e ResponseError) invalid() bool {
	code, _ := e.Extensions["code"].(string)
	return e.kind() == "" && code != ""
}

func (e ResponseError) rateLimited() bool {
	message := strings.ToLower(e.Message)
	return e.kind() == "RATE_LIMITED" || e.kind() == "RATE_LIMIT" ||
		strings.Contains(message, "api rate limit") || strings.Contains(message, "secondary rate limit")
}

// incomplete reports whether data beside the error has holes that only asking
// again, later or for less, can fill.
func (e ResponseError) incomplete() bool { return e.rateLimited() || e.tooBig() }

// errTooBig is in the chain of faults that a smaller page may avoid.
var errTooBig = errors.New("the query is too big for GitHub")

var tooBigText = regexp.MustCompile(`(?i)something went wrong while executing your query|exceeds? max complexity|resource limits? .*exceeded|timeout on validation`)

func (e ResponseError) tooBig() bool {
	switch e.kind() {
	case "RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED":
		return true
	}
	return tooBigText.MatchString(e.Message)
}

// TooBig reports whether err is GitHub's refusal to answer so much at once:
// the same question may succeed with a smaller page.
func TooBig(err error) bool {
	return errors.Is(err, errTooBig) || errors.Is(err, transport.ErrQueryTimeout)
}

// fault judges a note with what the operation knows.
func (op *operation) fault(note ResponseError) *fault.Error {
	return transport.WithRequestID(judge(note, op.meta.Header(), op.now, op.mutation), op.meta.Header())
}

// judge maps an error of GitHub's to one of the house.
func judge(e ResponseError, h http.Header, now time.Time, mutation bool) *fault.Error {
	switch {
	case e.rateLimited():
		return transport.RateLimited(h, now)
	case e.tooBig():
		return judgeTooBig(e, mutation)
	case e.Extensions["saml_failure"] == true, strings.Contains(e.Message, "SAML"):
		return transport.SSORequired(h, e.Message)
	case e.invalid():
		return fault.New(fault.UpstreamError, "GitHub here does not accept the query; GitHub says: %q", e.Message).
			WithFix("This GitHub may be of an older version than the server needs.")
	}
	switch e.kind() {
	case UnknownField:
		return fault.New(fault.UpstreamError, "%s", e.Message).
			WithFix("This needs a newer version of GitHub Enterprise Server.")
	case "NOT_FOUND":
		return judgeNotFound(e)
	case "FORBIDDEN":
		return transport.Forbidden(h, e.Message)
	case "INSUFFICIENT_SCOPES":
		return judgeScopes(e)
	case "UNPROCESSABLE", "VALIDATION", "VALIDATION_FAILED", "UNPROCESSABLE_ENTITY":
		return judgeUnprocessable(e, h)
	case "STALE_DATA":
		return fault.New(fault.Conflict, "it was changed meanwhile; GitHub says: %q", e.Message).
			WithFix("Read it again, then decide again.")
	case "INTERNAL", "INTERNAL_SERVER_ERROR":
		if mutation {
			return transport.OutcomeUnknown("GitHub failed while it worked on the request")
		}
	}
	return judgeUnknown(e, h)
}

func judgeTooBig(e ResponseError, mutation bool) *fault.Error {
	gaveUp := strings.Contains(strings.ToLower(e.Message), "something went wrong")
	switch {
	case gaveUp && mutation:
		return transport.OutcomeUnknown("GitHub failed while it worked on the request")
	case gaveUp:
		return fault.New(fault.UpstreamTimeout, "GitHub gave up on the query, probably because it took too long").
			WithFix("Ask for less at a time.").RetryAfter(0).WithCause(errTooBig)
	}
	return fault.New(fault.UpstreamError, "GitHub refuses to answer so much at once; GitHub says: %q", e.Message).
		WithFix("Ask for less at a time.").WithCause(errTooBig)
}

var ofRepository = regexp.MustCompile(`(?i)could not resolve to an? (repository|organization|user) `)

// judgeNotFound tells a repository, which may be there and invisible, from a
// thing inside of one that this token can see.
func judgeNotFound(e ResponseError) *fault.Error {
	if e.where() != "repository" && !ofRepository.MatchString(e.Message) {
		return fault.New(fault.NotFound, "it does not exist; GitHub says: %q", e.Message).
			WithFix("Check the number or id, and the repository.")
	}
	return fault.New(fault.NotFoundOrNoAccess, "the repository or its owner is missing or not visible to this token; GitHub says: %q", e.Message).
		WithFix("Check the spelling of owner/name, that the token's user may see the repository, that a fine-grained token lists it, and that single sign-on is authorized.")
}

var scopeList = regexp.MustCompile(`\[([^\]]*)\]`)

// judgeScopes names the scopes: GitHub lists first those that would do, then
// those that the token has.
func judgeScopes(e ResponseError) *fault.Error {
	err := fault.New(fault.Forbidden, "the token lacks a scope; GitHub says: %q", e.Message)
	found := scopeList.FindStringSubmatch(e.Message)
	if found == nil {
		return err.WithFix("Give the token the scopes that GitHub names.")
	}
	var scopes []string
	for scope := range strings.SplitSeq(found[1], ",") {
		scopes = append(scopes, strings.Trim(scope, ` '"`))
	}
	return err.With("requiredScopes", scopes).
		WithFix("Give the token one of these scopes: %s.", strings.Join(scopes, ", "))
}

var locked = regexp.MustCompile(`(?i)\blocked\b`)

func judgeUnprocessable(e ResponseError, h http.Header) *fault.Error {
	if locked.MatchString(e.Message) {
		return transport.Forbidden(h, e.Message)
	}
	return fault.New(fault.ValidationFailed, "GitHub does not accept the content; GitHub says: %q", e.Message).
		WithFix("Change what GitHub names, then try again.")
}

// judgeUnknown is for types that this package does not know; some messages
// tell more than the type.
func judgeUnknown(e ResponseError, h http.Header) *fault.Error {
	text := strings.ToLower(e.Message)
	if strings.Contains(text, "not accessible by") || strings.Contains(text, "ip allow list") {
		return transport.Forbidden(h, e.Message)
	}
	return fault.New(fault.UpstreamError, "GitHub failed; GitHub says: %q", e.Message).With("type", e.kind())
}

// Notes are the errors that came beside data.
type Notes []ResponseError

// ofGitHub are the notes that GitHub made, without those about fields left out.
func (n Notes) ofGitHub() Notes {
	return slices.DeleteFunc(slices.Clone(n), func(e ResponseError) bool { return e.Type == UnknownField })
}

// worst is the first note that says something a caller can act on, else the
// first. Notes must not be empty.
func (n Notes) worst() ResponseError {
	i := slices.IndexFunc(n, func(e ResponseError) bool { return e.Fault().Code != fault.UpstreamError })
	return n[max(0, i)]
}

// Under are the notes about the node at path, such as "repository.discussion",
// or about anything below it.
func (n Notes) Under(path string) Notes {
	var under Notes
	for _, note := range n {
		if within(note.where(), path) {
			under = append(under, note)
		}
	}
	return under
}

// Outside are the notes that are not Under path.
func (n Notes) Outside(path string) Notes {
	var outside Notes
	for _, note := range n {
		if !within(note.where(), path) {
			outside = append(outside, note)
		}
	}
	return outside
}

// within reports whether path is outer or below it.
func within(path, outer string) bool {
	return path == outer || outer == "" || strings.HasPrefix(path, outer+".")
}

// Fault explains why the node at path is null: by the note about that node,
// else about a node above it, else about one below it, else by absent. It is
// for a node that was needed and found missing; a nil absent with no such note
// is no error.
func (n Notes) Fault(path string, absent *fault.Error) error {
	rules := []func(where string) bool{
		func(where string) bool { return where == path },
		func(where string) bool { return where != "" && within(path, where) },
		func(where string) bool { return within(where, path) },
	}
	for _, fits := range rules {
		for _, note := range n {
			if !fits(note.where()) {
				continue
			}
			if err := note.Fault(); absent == nil || err.Code != absent.Code {
				return err
			}
			return absent // says the same in better words
		}
	}
	if absent == nil {
		return nil
	}
	return absent
}

// PartialResults is the Type of the note that something was left out for want
// of single sign-on.
const PartialResults = "PARTIAL_RESULTS"

func partialForSSO(organizations string) ResponseError {
	text := "what belongs to organizations that require single sign-on was left out; authorize the token for them to see it"
	if organizations != "" {
		text += " (organizations " + transport.Excerpt(organizations) + ")"
	}
	return ResponseError{Type: PartialResults, Message: text}
}

// Warnings are the notes as sentences, at most ten. Notes that differ only in
// their place in a list are one sentence that counts them.
func (n Notes) Warnings() []string {
	const most = 10
	var kinds []string
	places := map[string][]string{} // of each kind, the paths
	for _, note := range n {
		kind := note.Message + "\x00" + note.field()
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if where := note.where(); !slices.Contains(places[kind], where) {
			places[kind] = append(places[kind], where)
		}
	}
	var warnings []string
	for _, kind := range kinds[:min(len(kinds), most)] {
		message, field, _ := strings.Cut(kind, "\x00")
		warnings = append(warnings, message+placed(field, places[kind]))
	}
	if more := len(kinds) - most; more > 0 {
		warnings = append(warnings, fmt.Sprintf("and %d more", more))
	}
	return warnings
}

// placed says where something went wrong, for the end of a sentence.
func placed(field string, places []string) string {
	switch {
	case len(places) > 1:
		return fmt.Sprintf(" (%d times at %s)", len(places), field)
	case places[0] != "":
		return " (at " + places[0] + ")"
	}
	return ""
}
