package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

const (
	home   = `repository(owner: "octo-org", name: "hello")`
	secret = `repository(owner: "octo-org", name: "private")`
)

// tokenTransport is what a client puts in front of its requests.
type tokenTransport struct {
	token   string
	nextIDs bool
}

func (t tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "bearer "+t.token)
	if t.nextIDs {
		r.Header.Set("X-Github-Next-Global-ID", "1")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// client is a githubv4 client as the product has one.
func client(s *sandbox.Running, token string) *githubv4.Client {
	return githubv4.NewEnterpriseClient(s.GraphQLURL(), &http.Client{Transport: tokenTransport{token: token, nextIDs: true}})
}

// reply is a decoded GraphQL answer.
type reply struct {
	Data   map[string]any
	Errors []struct {
		Type, Message string
		Path          []any
		Extensions    map[string]any
	}
	raw string
}

// at walks Data: names are members, numbers elements.
func (r reply) at(path ...any) any {
	var value any = r.Data
	for _, step := range path {
		switch step := step.(type) {
		case string:
			members, _ := value.(map[string]any)
			value = members[step]
		case int:
			elements, _ := value.([]any)
			if step >= len(elements) {
				return nil
			}
			value = elements[step]
		}
	}
	return value
}

func (r reply) text(path ...any) string {
	text, _ := r.at(path...).(string)
	return text
}

// kind is the type of the first error, or "".
func (r reply) kind() string {
	if len(r.Errors) == 0 {
		return ""
	}
	return r.Errors[0].Type
}

// ask posts a query with variables, given as name, value, ….
func ask(t testing.TB, s *sandbox.Running, token, query string, variables ...any) reply {
	t.Helper()
	given := map[string]any{}
	for i := 0; i+1 < len(variables); i += 2 {
		given[variables[i].(string)] = variables[i+1]
	}
	body, err := json.Marshal(map[string]any{"query": query, "variables": given})
	if err != nil {
		t.Fatal(err)
	}
	status, raw := post(t, s, tokenTransport{token: token, nextIDs: true}, body)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, raw)
	}
	out := reply{raw: raw}
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return out
}

// must is ask for a query that has to succeed.
func must(t testing.TB, s *sandbox.Running, token, query string, variables ...any) reply {
	t.Helper()
	out := ask(t, s, token, query, variables...)
	if len(out.Errors) > 0 {
		t.Fatalf("%s\nanswered %s", query, out.raw)
	}
	return out
}

func post(t testing.TB, s *sandbox.Running, via http.RoundTripper, body []byte) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.GraphQLURL(), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := via.RoundTrip(request)
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

// discussionID is the node id of a discussion of octo-org/hello.
func discussionID(t testing.TB, s *sandbox.Running, number int) string {
	t.Helper()
	return must(t, s, sandbox.AdminToken, `query($n: Int!) { `+home+` { discussion(number: $n) { id } } }`, "n", number).text("repository", "discussion", "id")
}

func TestBothURLLayouts(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for _, path := range []string{"/graphql", "/api/graphql"} {
		c := githubv4.NewEnterpriseClient(s.URL+path, &http.Client{Transport: tokenTransport{token: sandbox.ReadToken}})
		var q struct{ Viewer struct{ Login string } }
		if err := c.Query(t.Context(), &q, nil); err != nil || q.Viewer.Login != "octo-read" {
			t.Errorf("%s: viewer %q, error %v", path, q.Viewer.Login, err)
		}
	}
	for _, path := range []string{"/user", "/api/v3/user"} {
		if body := get(t, s, path, sandbox.WriteToken, nil).body; !strings.Contains(body, `"login":"octo-write"`) {
			t.Errorf("%s answered %s", path, body)
		}
	}
}

func TestTwoSandboxesAnswerWithTheSameBytes(t *testing.T) {
	script := func() string {
		s := sandbox.StartTest(t, sandbox.Options{})
		id := discussionID(t, s, 4)
		var all strings.Builder
		for range 2 {
			all.WriteString(must(t, s, sandbox.WriteToken, `mutation($id: ID!) { addDiscussionComment(input: {discussionId: $id, body: "same"}) { comment { id createdAt url } } }`, "id", id).raw)
		}
		all.WriteString(must(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 4) { updatedAt comments(last: 100) { nodes { id createdAt body author { login } replies(first: 10) { nodes { id body } } } } } } }`).raw)
		return all.String()
	}
	if first, second := script(), script(); first != second {
		t.Errorf("two sandboxes differ:\n%.300s\n%.300s", first, second)
	}
}

func TestCloseTwiceAndWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := sandbox.Start(ctx, sandbox.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := http.Get(s.URL); err == nil {
		t.Error("the sandbox still answers after its context ended")
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sandbox.New(sandbox.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHundredCommentsTenReplies(b *testing.B) {
	s := sandbox.StartTest(b, sandbox.Options{})
	query := `{ ` + home + ` { discussion(number: 5) { comments(last: 100) { nodes { id databaseId body createdAt author { login } replies(first: 10) { nodes { id body author { login } } } } } } } }`
	for b.Loop() {
		must(b, s, sandbox.ReadToken, query)
	}
}
