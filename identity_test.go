package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// TestExpectedLogin holds one session against a GitHub: what goes out for
// reads, for writes of the expected login, and for those of another one.
func TestExpectedLogin(t *testing.T) {
	post := `{"name":"manage_discussion_comment","arguments":{"action":"create","discussion_number":12,"body":"one more"}}`
	for name, test := range map[string]struct {
		login, token string
		want         string
		mutations    int
		viewers      int
	}{
		"no login is expected":          {"", sandbox.AdminToken, "commentId", 3, 0},
		"the right one, in any letters": {"OCTO-Admin", sandbox.AdminToken, "commentId", 3, 1},
		"another one":                   {"somebody", sandbox.AdminToken, "IDENTITY_MISMATCH", 0, 1},
		"a token that nobody can use":   {"somebody", "gone", "AUTH_FAILED", 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			github := sandbox.StartTest(t, sandbox.Options{})
			env := map[string]string{
				"GITHUB_TOKEN": test.token, "GITHUB_REPOSITORY": "octo-org/hello",
				"GITHUB_API_URL": github.URL + "/api/v3", "GITHUB_EXPECTED_LOGIN": test.login,
			}
			for id, answer := range session(t, env, post, `{"name":"list_labels","arguments":{"limit":1}}`, post, post) {
				want := test.want
				if id == 1 && test.token != "gone" {
					want = `"labels":[`
				}
				if !strings.Contains(answer, want) {
					t.Errorf("call %d answers %s, want %s", id, answer, want)
				}
			}
			mutations, viewers := 0, 0
			for _, r := range github.Requests() {
				if r.Mutation {
					mutations++
				}
				if slices.Equal(r.Fields, []string{"viewer"}) {
					viewers++
				}
			}
			if mutations != test.mutations || viewers != test.viewers {
				t.Errorf("%d mutations and %d questions who the viewer is, want %d and %d", mutations, viewers, test.mutations, test.viewers)
			}
		})
	}
}

// session runs the program over stdio with the given calls and returns the
// answers in their order.
func session(t *testing.T, env map[string]string, calls ...string) []string {
	t.Helper()
	var lines strings.Builder
	for id, call := range calls {
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", id, call)
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"stdio"}, func(name string) string { return env[name] }, strings.NewReader(lines.String()), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr.String())
	}
	answers := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if len(answers) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(answers), len(calls))
	}
	slices.SortFunc(answers, strings.Compare) // they begin with the id
	return answers
}
