package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// outcome is what a client sees of one request.
type outcome struct {
	status int
	header http.Header
	body   string
	err    error
}

func send(t *testing.T, s *sandbox.Running, query string) outcome {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.GraphQLURL(), strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := tokenTransport{token: sandbox.WriteToken, nextIDs: true}.RoundTrip(request)
	if err != nil {
		return outcome{err: err}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return outcome{response.StatusCode, response.Header, string(raw), err}
}

func fail(t *testing.T, s *sandbox.Running, rules ...sandbox.Failure) {
	t.Helper()
	if err := s.Fail(rules...); err != nil {
		t.Fatal(err)
	}
}

const ping = `{ viewer { login } ` + home + ` { name } }`

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		rule   sandbox.Failure
		status int
		holds  string // in the body
		header string // name: value
	}{
		"graphql limit":     {sandbox.Failure{Kind: "RATE_LIMITED"}, 200, `"type":"RATE_LIMITED"`, "X-Ratelimit-Remaining: 0"},
		"primary limit":     {sandbox.Failure{Kind: "PRIMARY_LIMIT"}, 403, `API rate limit exceeded`, "X-Ratelimit-Remaining: 0"},
		"secondary limit":   {sandbox.Failure{Kind: "SECONDARY_LIMIT"}, 403, `secondary rate limit`, "Retry-After: 47"},
		"secondary, bare":   {sandbox.Failure{Kind: "SECONDARY_LIMIT", Headers: map[string]string{"Retry-After": ""}}, 403, `secondary rate limit`, "Retry-After: "},
		"resource limits":   {sandbox.Failure{Kind: "RESOURCE_LIMITS_EXCEEDED"}, 200, `"data":null,"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED"`, ""},
		"forbidden":         {sandbox.Failure{Kind: "FORBIDDEN"}, 200, `Resource not accessible by personal access token`, ""},
		"scopes":            {sandbox.Failure{Kind: "INSUFFICIENT_SCOPES"}, 200, `"type":"INSUFFICIENT_SCOPES"`, ""},
		"saml":              {sandbox.Failure{Kind: "SAML"}, 200, `"saml_failure":true`, "X-Github-Sso: required; url=https://github.com/orgs/octo-org/sso?authorization_request=SANDBOX"},
		"gateway page":      {sandbox.Failure{Kind: "HTML"}, 502, `<!DOCTYPE html>`, "Content-Type: text/html; charset=utf-8"},
		"malformed":         {sandbox.Failure{Kind: "MALFORMED_JSON"}, 200, `"cut he`, ""},
		"own answer":        {sandbox.Failure{Status: 418, Body: "short and stout"}, 418, "short and stout", ""},
		"errors alone":      {sandbox.Failure{Errors: []sandbox.GraphQLError{{Message: "no"}}}, 200, `{"errors":[{"message":"no"}]}`, ""},
		"no data":           {sandbox.Failure{Data: "null"}, 200, `{"data":null}`, ""},
		"a hole":            {sandbox.Failure{Data: "keep", Null: []string{"repository"}}, 200, `{"data":{"repository":null,"viewer":{"login":"octo-write"}}}`, ""},
		"partial data":      {sandbox.Failure{Data: "keep", Null: []string{"repository"}, Errors: []sandbox.GraphQLError{{Type: "FORBIDDEN", Message: "half"}}}, 200, `{"data":{"repository":null,"viewer":{"login":"octo-write"}},"errors":[{"type":"FORBIDDEN","message":"half"}]}`, ""},
		"only a header":     {sandbox.Failure{Headers: map[string]string{"X-Odd": "1"}}, 200, `"login":"octo-write"`, "X-Odd: 1"},
		"slow body":         {sandbox.Failure{BodyDelayMillis: 1}, 200, `"login":"octo-write"`, ""},
		"slow start":        {sandbox.Failure{DelayMillis: 1}, 200, `"login":"octo-write"`, ""},
		"other query":       {sandbox.Failure{Kind: "HTML", Query: "addDiscussionComment"}, 200, `"login":"octo-write"`, ""},
		"by query":          {sandbox.Failure{Kind: "HTML", Query: `owner: "octo-org"`}, 502, `Unicorn`, ""},
		"by method, path":   {sandbox.Failure{Kind: "UNAVAILABLE", Method: "post", Path: "/graphql"}, 503, `Service unavailable`, ""},
		"not by other path": {sandbox.Failure{Kind: "UNAVAILABLE", Path: "/repos"}, 200, `"login":"octo-write"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandbox.StartTest(t, sandbox.Options{})
			fail(t, s, test.rule)
			got := send(t, s, ping)
			if got.err != nil || got.status != test.status || !strings.Contains(got.body, test.holds) {
				t.Errorf("status %d, error %v, body %s", got.status, got.err, got.body)
			}
			if header, value, _ := strings.Cut(test.header, ": "); got.header.Get(header) != value {
				t.Errorf("%s is %q, want %q", header, got.header.Get(header), value)
			}
			if again := send(t, s, ping); again.status != 200 || !strings.Contains(again.body, "octo-write") {
				t.Errorf("the rule strikes twice: %+v", again)
			}
		})
	}
}

func TestADroppedWrite(t *testing.T) {
	for drop, written := range map[string]float64{"before": 0, "after": 1} {
		t.Run(drop, func(t *testing.T) {
			s := sandbox.StartTest(t, sandbox.Options{})
			id := discussionID(t, s, 1)
			fail(t, s, sandbox.Failure{Drop: drop, Query: "addDiscussionComment"})
			got := send(t, s, `mutation { addDiscussionComment(input: {discussionId: "`+id+`", body: "once"}) { comment { id } } }`)
			if got.err == nil {
				t.Errorf("the client got an answer: %+v", got)
			}
			count := must(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 1) { comments { totalCount } } } }`).at("repository", "discussion", "comments", "totalCount")
			if count != written {
				t.Errorf("%v comments, want %v", count, written)
			}
			writes := 0
			for _, request := range s.Requests() {
				if request.Mutation {
					writes++
				}
			}
			if writes != 1 {
				t.Errorf("the ledger has %d mutations, want 1", writes)
			}
		})
	}
}

func TestATruncatedBody(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	fail(t, s, sandbox.Failure{TruncateAt: 20})
	got := send(t, s, ping)
	if !errors.Is(got.err, io.ErrUnexpectedEOF) || len(got.body) != 20 {
		t.Errorf("error %v, body %q", got.err, got.body)
	}
}

func TestTheNthRequest(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	fail(t, s, sandbox.Failure{Kind: "HTML", Nth: 2, Times: 2})
	var statuses []int
	for range 5 {
		statuses = append(statuses, send(t, s, ping).status)
	}
	if diff := cmp.Diff([]int{200, 502, 502, 200, 200}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	s.ClearFailures()
	fail(t, s, sandbox.Failure{Kind: "HTML", Times: -1})
	for range 3 {
		if got := send(t, s, ping); got.status != 502 {
			t.Errorf("a rule for all requests let one through: %+v", got)
		}
	}
}

func TestACancelledRequestIsSeen(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	fail(t, s, sandbox.Failure{DelayMillis: 60_000})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		var q struct{ Viewer struct{ Login string } }
		done <- client(s, sandbox.ReadToken).Query(ctx, &q, nil)
	}()
	for len(s.Requests()) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("the client's error is %v", err)
	}
	for !s.Requests()[0].Aborted { // the sandbox notices a little after the client
		time.Sleep(time.Millisecond)
	}
	if request := s.Requests()[0]; request.Status != 0 {
		t.Errorf("ledger %+v", request)
	}
}

func TestWrongRulesAreRefusedWhole(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for _, wrong := range []sandbox.Failure{{Kind: "NO_SUCH"}, {Drop: "sometimes"}, {Data: "most"}} {
		if err := s.Fail(sandbox.Failure{Kind: "HTML"}, wrong); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
	if got := send(t, s, ping); got.status != 200 {
		t.Errorf("a refused list is in force: %+v", got)
	}
}

func TestControlsOverHTTP(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	control := func(method, path, body string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(raw)
	}
	if status, body := control("POST", "/_sandbox/failures", `[{"kind":"HTML","query":"viewer"}]`); status != 200 || !strings.Contains(body, `"matched":0`) {
		t.Errorf("adding a rule: %d %s", status, body)
	}
	if got := send(t, s, ping); got.status != 502 {
		t.Errorf("the rule does not strike: %+v", got)
	}
	for name, body := range map[string]string{"unknown member": `[{"knd":"HTML"}]`, "unknown kind": `[{"kind":"X"}]`, "no list": `{}`} {
		if status, answer := control("POST", "/_sandbox/failures", body); status != 400 || answer == "" {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	if _, body := control("GET", "/_sandbox/failures", ""); !strings.Contains(body, `"matched":1`) {
		t.Errorf("rules: %s", body)
	}
	_, body := control("GET", "/_sandbox/requests", "")
	var ledger []sandbox.Request
	if err := json.Unmarshal([]byte(body), &ledger); err != nil || len(ledger) != 1 || ledger[0].Status != 502 || ledger[0].Login != "octo-write" {
		t.Errorf("ledger %s, error %v", body, err)
	}
	control("DELETE", "/_sandbox/requests", "")
	control("DELETE", "/_sandbox/failures", "")
	if len(s.Requests()) != 0 {
		t.Errorf("ledger after DELETE: %v", s.Requests())
	}
}

func TestTheLedgerCountsBytes(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	query := []byte(`{"query":"query Who($n: Int!) { viewer { login } repository(owner: \"octo-org\", name: \"hello\") { discussion(number: $n) { title } } }","variables":{"n":3}}`)
	_, raw := post(t, s, tokenTransport{token: sandbox.ReadToken}, query)
	got := s.Requests()[0]
	got.Took, got.Query = 0, ""
	want := sandbox.Request{
		Number: 1, Method: "POST", Path: "/api/graphql", Login: "octo-read", Operation: "Who", Fields: []string{"viewer", "repository"},
		Variables: json.RawMessage(`{"n":3}`), Status: 200, RequestBytes: len(query), ResponseBytes: len(raw),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}

func TestEveryKindAnswersInPlaceOfGitHub(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for _, kind := range sandbox.Kinds() {
		fail(t, s, sandbox.Failure{Kind: kind})
		if got := send(t, s, ping); got.err != nil || strings.Contains(got.body, "octo-write") {
			t.Errorf("%s: status %d, error %v, body %s", kind, got.status, got.err, got.body)
		}
	}
}
