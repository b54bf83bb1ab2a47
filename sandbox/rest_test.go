package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

type restReply struct {
	status int
	header http.Header
	body   string
}

func get(t testing.TB, s *sandbox.Running, path, token string, header http.Header) restReply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if token != "" {
		request.Header.Set("Authorization", "token "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return restReply{response.StatusCode, response.Header, string(body)}
}

func TestREST(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for name, test := range map[string]struct {
		path, token string
		status      int
		holds       string
	}{
		"repository":       {"/api/v3/repos/octo-org/hello", sandbox.ReadToken, 200, `"full_name":"octo-org/hello"`},
		"any letter case":  {"/repos/Octo-Org/HELLO", sandbox.ReadToken, 200, `"full_name":"octo-org/hello"`},
		"private, writer":  {"/repos/octo-org/private", sandbox.WriteToken, 200, `"visibility":"private"`},
		"private, reader":  {"/repos/octo-org/private", sandbox.ReadToken, 404, `"message":"Not Found"`},
		"private, triager": {"/repos/octo-org/private", sandbox.TriageToken, 404, `"message":"Not Found"`},
		"unknown path":     {"/api/v3/nothing/here", sandbox.AdminToken, 404, `"message":"Not Found"`},
		"rate limit":       {"/rate_limit", sandbox.ReadToken, 200, `"resources":{"core":{"limit":5000`},
		"meta":             {"/meta", sandbox.ReadToken, 200, `installed_version`},
		"no token":         {"/user", "", 401, `"message":"Requires authentication"`},
		"unknown token":    {"/user", "ghp_nobody", 401, `"message":"Bad credentials"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := get(t, s, test.path, test.token, nil)
			if got.status != test.status || !strings.Contains(got.body, test.holds) || !json.Valid([]byte(got.body)) {
				t.Errorf("status %d, body %s; want %d and %s", got.status, got.body, test.status, test.holds)
			}
			for _, name := range []string{"Date", "X-Github-Request-Id", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Oauth-Scopes"} {
				if got.header.Get(name) == "" {
					t.Errorf("no header %s", name)
				}
			}
		})
	}
}

func TestConditionalRequests(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	path := "/api/v3/repos/octo-org/hello"
	tag := get(t, s, path, sandbox.ReadToken, nil).header.Get("ETag")
	again := get(t, s, path, sandbox.ReadToken, http.Header{"If-None-Match": {`"other", ` + tag}})
	if tag == "" || again.status != http.StatusNotModified || again.body != "" {
		t.Errorf("ETag %q, then status %d with %q", tag, again.status, again.body)
	}
	if other := get(t, s, path, sandbox.AdminToken, http.Header{"If-None-Match": {tag}}); other.status != http.StatusOK {
		t.Errorf("another token's permissions gave status %d for the reader's ETag", other.status)
	}
}

func TestGoGitHubClient(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c, err := github.NewClient(nil).WithAuthToken(sandbox.TriageToken).WithEnterpriseURLs(s.URL, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	repository, _, err := c.Repositories.Get(t.Context(), "octo-org", "hello")
	if err != nil || !repository.GetPermissions()["triage"] || repository.GetPermissions()["push"] {
		t.Errorf("permissions %v, error %v", repository.GetPermissions(), err)
	}
	limits, _, err := c.RateLimit.Get(t.Context())
	if err != nil || limits.GraphQL.Limit != 5000 || limits.Core.Remaining != 4999 {
		t.Errorf("limits %v, error %v", limits, err)
	}
}
