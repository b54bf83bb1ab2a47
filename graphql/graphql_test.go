package graphql_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

const token = "ghp_THISISTHETOKEN00"

// github is a server that answers with a handler and keeps what it was sent.
type github struct {
	client *graphql.Client
	bodies []string
}

// serve starts a server and a client that goes through the real chain. The
// handler is called for one request after the other.
func serve(t *testing.T, answer http.HandlerFunc) *github {
	t.Helper()
	g := &github{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		g.bodies = append(g.bodies, string(body))
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL + "/graphql")
	if err != nil {
		t.Fatal(err)
	}
	chain := transport.New(transport.Options{
		Endpoints:     transport.Endpoints{GraphQL: address},
		Token:         func(context.Context) (string, error) { return token, nil },
		RetryInterval: time.Microsecond,
	})
	g.client = graphql.New(graphql.Options{URL: address.String(), HTTP: &http.Client{Transport: chain}})
	return g
}

// text answers every request with the same body.
func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) }
}

type titleQuery struct {
	Repository *struct {
		Discussion *struct{ Title string } `graphql:"discussion(number: $n)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

func titleVars() map[string]any {
	return map[string]any{"owner": githubv4.String("octo-org"), "name": githubv4.String("private"), "n": githubv4.Int(7)}
}

type commentMutation struct {
	AddDiscussionComment *struct {
		Comment struct{ ID string }
	} `graphql:"addDiscussionComment(input: $input)"`
}

func commentInput() githubv4.AddDiscussionCommentInput {
	return githubv4.AddDiscussionCommentInput{DiscussionID: githubv4.ID("D_1"), Body: "hi"}
}

func TestQueryFillsTheStruct(t *testing.T) {
	g := serve(t, text(`{"data":{"repository":{"discussion":{"title":"Cursors"}}}}`))
	var q titleQuery
	notes, err := g.client.Query(t.Context(), "title", &q, titleVars())
	if err != nil || len(notes) != 0 {
		t.Fatalf("Query = %v, %v", notes, err)
	}
	if q.Repository.Discussion.Title != "Cursors" {
		t.Errorf("title = %q", q.Repository.Discussion.Title)
	}
	want := `{"query":"query($n:Int!$name:String!$owner:String!){repository(owner: $owner, name: $name){discussion(number: $n){title}}}","variables":{"n":7,"name":"private","owner":"octo-org"}}`
	if diff := cmp.Diff([]string{want}, trimmed(g.bodies)); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

func trimmed(bodies []string) []string {
	for i := range bodies {
		bodies[i] = strings.TrimSpace(bodies[i])
	}
	return bodies
}

func TestErrorsAreMapped(t *testing.T) {
	gqlErr := func(fields string) string {
		return `{"data":{"repository":null},"errors":[{"path":["repository"],` + fields + `}]}`
	}
	tests := []struct {
		name, body string
		header     map[string]string
		code       fault.Code
		says       string // in message or fix
		retryAfter int
		tooBig     bool
	}{
		{name: "repository not found (A53)",
			body: gqlErr(`"type":"NOT_FOUND","message":"Could not resolve to a Repository with the name 'octo-org/private'."`),
			code: fault.NotFoundOrNoAccess, says: "missing or not visible to this token"},
		{name: "discussion not found",
			body: `{"data":null,"errors":[{"type":"NOT_FOUND","path":["repository","discussion"],"message":"Could not resolve to a Discussion with the number of 7."}]}`,
			code: fault.NotFound, says: "number of 7"},
		{name: "node not found",
			body: `{"data":{"node":null},"errors":[{"type":"NOT_FOUND","path":["node"],"message":"Could not resolve to a node with the global id of 'DC_x'"}]}`,
			code: fault.NotFound, says: "DC_x"},
		{name: "rate limited, 200 (A51)",
			body: `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}`,
			code: fault.RateLimited, retryAfter: 60, says: "Wait 60 seconds"},
		{name: "rate limited, 200 with header", header: map[string]string{"Retry-After": "47"},
			body: `{"errors":[{"type":"RATE_LIMITED","message":"slow down"}]}`,
			code: fault.RateLimited, retryAfter: 47},
		{name: "rate limited beside data", header: map[string]string{"Retry-After": "5"},
			body: `{"data":{"repository":{"discussion":null}},"errors":[{"type":"RATE_LIMITED","message":"slow down"}]}`,
			code: fault.RateLimited, retryAfter: 5},
		{name: "forbidden", header: map[string]string{"X-Accepted-Github-Permissions": "discussions=write"},
			body: gqlErr(`"type":"FORBIDDEN","message":"Resource not accessible by personal access token"`),
			code: fault.Forbidden, says: "discussions=write"},
		{name: "locked", body: gqlErr(`"type":"UNPROCESSABLE","message":"Unable to create comment because issue is locked."`),
			code: fault.Forbidden, says: "locked"},
		{name: "blocked is not locked", body: gqlErr(`"type":"FORBIDDEN","message":"You have been blocked"`),
			code: fault.Forbidden, says: "refuses this to the token"},
		{name: "IP allow list", body: gqlErr(`"type":"FORBIDDEN","message":"Although you appear to have the correct authorization credentials, the octo-org organization has an IP allow list enabled"`),
			code: fault.Forbidden, says: "address"},
		{name: "scopes", body: gqlErr(`"type":"INSUFFICIENT_SCOPES","message":"Your token has not been granted the required scopes to execute this query. The 'x' field requires one of the following scopes: ['read:discussion', 'write:discussion'], but your token has only been granted the: ['gist'] scopes."`),
			code: fault.Forbidden, says: "read:discussion, write:discussion"},
		{name: "SAML", header: map[string]string{"X-Github-Sso": "required; url=https://github.com/orgs/octo-org/sso?authorization_request=A1"},
			body: gqlErr(`"type":"FORBIDDEN","extensions":{"saml_failure":true},"message":"Resource protected by organization SAML enforcement."`),
			code: fault.SSORequired, says: "https://github.com/orgs/octo-org/sso?authorization_request=A1"},
		{name: "unprocessable", body: gqlErr(`"type":"UNPROCESSABLE","message":"Body is too long"`),
			code: fault.ValidationFailed, says: "Body is too long"},
		{name: "stale", body: gqlErr(`"type":"STALE_DATA","message":"expected 1"`), code: fault.Conflict},
		{name: "resource limits", body: gqlErr(`"type":"RESOURCE_LIMITS_EXCEEDED","message":"Resource limits for this query exceeded."`),
			code: fault.UpstreamError, tooBig: true},
		{name: "resource limits beside data", body: `{"data":{"repository":{"discussion":null}},"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED","message":"Resource limits for this query exceeded."}]}`,
			code: fault.UpstreamError, tooBig: true},
		{name: "node limit", body: gqlErr(`"type":"MAX_NODE_LIMIT_EXCEEDED","message":"requests up to 1,000,000 possible nodes"`),
			code: fault.UpstreamError, tooBig: true},
		{name: "gave up", body: gqlErr(`"message":"Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."`),
			code: fault.UpstreamTimeout, tooBig: true},
		{name: "unknown argument", body: `{"errors":[{"message":"Field 'discussion' doesn't accept argument 'x'","extensions":{"code":"argumentNotAccepted"}}]}`,
			code: fault.UpstreamError, says: "doesn't accept argument"},
		{name: "unknown type", body: gqlErr(`"type":"NEW_KIND","message":"hm"`), code: fault.UpstreamError, says: "hm"},
		{name: "nothing at all", body: `{}`, code: fault.UpstreamError, says: "could not be read"},
		{name: "data of another shape", body: `{"data":{"repository":[1]}}`, code: fault.UpstreamError, says: "could not be read"},
		{name: "not an object", body: `[]`, code: fault.UpstreamError, says: "did not answer as a GraphQL API"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := serve(t, func(w http.ResponseWriter, r *http.Request) {
				for name, value := range tt.header {
					w.Header().Set(name, value)
				}
				io.WriteString(w, tt.body)
			})
			var q titleQuery
			_, err := g.client.Query(t.Context(), "title", &q, titleVars())
			var got *fault.Error
			if !errors.As(err, &got) || got.Code != tt.code {
				t.Fatalf("err = %v, want %s", err, tt.code)
			}
			if !strings.Contains(got.Message+got.Fix, tt.says) {
				t.Errorf("message %q, fix %q: want %q in it", got.Message, got.Fix, tt.says)
			}
			if got.RetryAfterSeconds != tt.retryAfter {
				t.Errorf("retryAfterSeconds = %d, want %d", got.RetryAfterSeconds, tt.retryAfter)
			}
			if graphql.TooBig(err) != tt.tooBig {
				t.Errorf("TooBig = %v, want %v", !tt.tooBig, tt.tooBig)
			}
			if len(g.bodies) != 1 {
				t.Errorf("%d requests, want 1", len(g.bodies))
			}
		})
	}
}

func TestPartialAnswerKeepsBoth(t *testing.T) { // A52
	g := serve(t, text(`{"data":{"repository":{"discussion":{"title":"Cursors"}}},
		"errors":[{"message":"deprecated field","path":["repository","discussion","x",3]},{"message":"deprecated field","path":["repository","discussion","x",3]}]}`))
	var q titleQuery
	notes, err := g.client.Query(t.Context(), "title", &q, titleVars())
	if err != nil || q.Repository.Discussion.Title != "Cursors" {
		t.Fatalf("err = %v, q = %+v; want the data", err, q)
	}
	if diff := cmp.Diff([]string{"deprecated field (at repository.discussion.x.3)"}, notes.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestWhatSingleSignOnLeavesOutIsSaid(t *testing.T) {
	for header, want := range map[string]string{
		"": "",
		"required; url=https://github.com/orgs/o/sso": "", // is an error, and comes with a 403
		"partial-results": "was left out",
		"partial-results; organizations=21955855,20582480": "(organizations 21955855,20582480)",
	} {
		g := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-GitHub-SSO", header)
			text(`{"data":{"repository":{"discussion":{"title":"Cursors"}}}}`)(w, r)
		})
		var q titleQuery
		notes, err := g.client.Query(t.Context(), "title", &q, titleVars())
		said := strings.Join(notes.Warnings(), "\n")
		if err != nil || (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%q: warnings %q, err = %v; want %q", header, said, err, want)
		}
	}
}

func TestNotesExplainAMissingNode(t *testing.T) {
	absent := fault.New(fault.NotFound, "no discussion #7 in octo-org/private")
	tests := []struct {
		name, errors string
		code         fault.Code
		says         string
	}{
		{"by the node's own note", `{"type":"FORBIDDEN","path":["repository","discussion"],"message":"Resource not accessible by integration"}`, fault.Forbidden, "not accessible"},
		{"by a note above", `{"type":"FORBIDDEN","path":["repository"],"message":"up"}`, fault.Forbidden, "up"},
		{"by a note below", `{"type":"FORBIDDEN","path":["repository","discussion","author"],"message":"down"}`, fault.Forbidden, "down"},
		{"the caller's words for the same", `{"type":"NOT_FOUND","path":["repository","discussion"],"message":"Could not resolve to a Discussion"}`, fault.NotFound, "no discussion #7"},
		{"a neighbour's note does not count", `{"type":"FORBIDDEN","path":["repository","discussions"],"message":"elsewhere"}`, fault.NotFound, "no discussion #7"},
		{"a note without a path does not count", `{"type":"FORBIDDEN","message":"elsewhere"}`, fault.NotFound, "no discussion #7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := serve(t, text(`{"data":{"repository":{"discussion":null}},"errors":[`+tt.errors+`]}`))
			var q titleQuery
			notes, err := g.client.Query(t.Context(), "title", &q, titleVars())
			if err != nil {
				t.Fatal(err)
			}
			got := fault.From(notes.Fault("repository.discussion", absent))
			if got == nil || got.Code != tt.code || !strings.Contains(got.Message, tt.says) {
				t.Errorf("fault = %v, want %s with %q", got, tt.code, tt.says)
			}
		})
	}
	if err := graphql.Notes(nil).Fault("repository", nil); err != nil {
		t.Errorf("no note and nothing absent: %v, want nil", err)
	}
}

func TestNullWithoutAnErrorIsAnAnswer(t *testing.T) {
	g := serve(t, text(`{"data":{"repository":null}}`))
	var q titleQuery
	if _, err := g.client.Query(t.Context(), "title", &q, titleVars()); err != nil || q.Repository != nil {
		t.Errorf("err = %v, repository = %v; want nil, nil", err, q.Repository)
	}
}

func TestMutate(t *testing.T) {
	tests := []struct {
		name, body string
		code       fault.Code // "" for success
		warnings   int
	}{
		{"done", `{"data":{"addDiscussionComment":{"comment":{"id":"DC_1"}}}}`, "", 0},
		{"done with a note", `{"data":{"addDiscussionComment":{"comment":{"id":"DC_1"}}},"errors":[{"message":"old"}]}`, "", 1},
		{"done, then limited", `{"data":{"addDiscussionComment":{"comment":{"id":"DC_1"}}},"errors":[{"type":"RATE_LIMITED","message":"slow"}]}`, "", 1},
		{"refused", `{"data":{"addDiscussionComment":null},"errors":[{"type":"UNPROCESSABLE","path":["addDiscussionComment"],"message":"Body can't be blank"}]}`, fault.ValidationFailed, 0},
		{"gave up", `{"data":null,"errors":[{"message":"Something went wrong while executing your query on 2026-01-01."}]}`, fault.OutcomeUnknown, 0},
		{"failed inside", `{"data":null,"errors":[{"type":"INTERNAL","message":"boom"}]}`, fault.OutcomeUnknown, 0},
		{"no envelope", `{}`, fault.OutcomeUnknown, 0},
		{"no object", `[]`, fault.OutcomeUnknown, 0},
		{"no word of it", `{"data":{"addDiscussionComment":null}}`, fault.OutcomeUnknown, 0},
		{"data of another shape", `{"data":{"addDiscussionComment":{"other":1}}}`, fault.OutcomeUnknown, 0},
		{"cut off", `{"data":{"addDiscussionComm`, fault.OutcomeUnknown, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := serve(t, text(tt.body))
			var m commentMutation
			vars := map[string]any{}
			notes, err := g.client.Mutate(t.Context(), "comment", &m, commentInput(), vars)
			if tt.code != "" && !fault.Is(err, tt.code) || tt.code == "" && err != nil {
				t.Fatalf("err = %v, want %q", err, tt.code)
			}
			if err == nil && m.AddDiscussionComment.Comment.ID != "DC_1" {
				t.Errorf("m = %+v", m)
			}
			if len(notes.Warnings()) != tt.warnings {
				t.Errorf("warnings = %q, want %d", notes.Warnings(), tt.warnings)
			}
			if len(g.bodies) != 1 || len(vars) != 0 {
				t.Errorf("%d requests, caller's variables %v; want 1 and untouched", len(g.bodies), vars)
			}
		})
	}
}

func TestPlainVariablesAreRefused(t *testing.T) {
	type OwnInput struct{ X *string }
	good := map[string]any{
		"string": githubv4.String("x"), "nullable": (*githubv4.String)(nil), "id": graphql.ID("x"), "ids": []graphql.ID{"x"},
		"idList": []githubv4.ID{"x"}, "time": githubv4.DateTime{}, "enum": githubv4.IssueStateOpen, "nested": []*githubv4.Int{nil}, "own": OwnInput{},
	}
	bad := map[string]any{
		"string": "x", "pointer": new("x"), "int": 7, "bool": true, "strings": []string{"x"}, "nil": nil,
		"map": map[string]any{}, "anonymous": struct{}{}, "github id": githubv4.ID("x"), "any list": []any{"x"},
	}
	g := serve(t, text(`{"data":{"viewer":{"login":"octo-a"}}}`))
	var q struct{ Viewer struct{ Login string } }
	for name, value := range good {
		if _, err := g.client.Query(t.Context(), "viewer", &q, map[string]any{"v": value}); err != nil {
			t.Errorf("%s: %T refused: %v", name, value, err)
		}
	}
	sent := len(g.bodies)
	for name, value := range bad {
		if _, err := g.client.Query(t.Context(), "viewer", &q, map[string]any{"v": value}); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %T: err = %v, want INTERNAL", name, value, err)
		}
		if _, err := g.client.Mutate(t.Context(), "viewer", &q, value, nil); !fault.Is(err, fault.Internal) {
			t.Errorf("input %s: %T: err = %v, want INTERNAL", name, value, err)
		}
	}
	if len(g.bodies) != sent {
		t.Errorf("%d requests with refused variables, want 0", len(g.bodies)-sent)
	}
}

func TestTheTokenIsNeverQuoted(t *testing.T) {
	g := serve(t, text(`{"data":{"repository":{"discussion":null}},"errors":[{"type":"FORBIDDEN","path":["repository","discussion"],"message":"bad `+token+`"}]}`))
	var q titleQuery
	notes, err := g.client.Query(t.Context(), "title", &q, titleVars())
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprint(notes.Warnings(), notes.Fault("repository.discussion", nil))
	if strings.Contains(shown, token) || !strings.Contains(shown, "bad [token]") {
		t.Errorf("shown: %s", shown)
	}
}

// TestCancel: a query that nobody waits for is just over, a mutation may have
// been done.
func TestCancel(t *testing.T) {
	arrived := make(chan struct{})
	g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	givenUp := func(call func(context.Context) error) error {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-arrived; cancel() }()
		return call(ctx)
	}
	err := givenUp(func(ctx context.Context) error {
		var m commentMutation
		_, err := g.client.Mutate(ctx, "comment", &m, commentInput(), nil)
		return err
	})
	if !fault.Is(err, fault.OutcomeUnknown) {
		t.Errorf("a mutation: %v, want OUTCOME_UNKNOWN", err)
	}
	err = givenUp(func(ctx context.Context) error {
		var q titleQuery
		_, err := g.client.Query(ctx, "title", &q, nil)
		return err
	})
	var known *fault.Error
	if !errors.Is(err, context.Canceled) || errors.As(err, &known) {
		t.Errorf("a query: %v, want context.Canceled and no fault", err)
	}
}

func TestWrongAddress(t *testing.T) {
	g := serve(t, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	var q titleQuery
	_, err := g.client.Query(t.Context(), "title", &q, titleVars())
	if !fault.Is(err, fault.UpstreamError) || !strings.Contains(err.Error(), "HTTP 404") {
		t.Errorf("err = %v", err)
	}
}
