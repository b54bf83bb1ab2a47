package repository_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

var hello = ref.Repo{Owner: "octo-org", Name: "hello"}

// upstream is a GitHub that says what one test needs; the zero value is well
// and belongs to octo-admin.
type upstream struct {
	header            http.Header
	graphqlStatus     int
	graphqlBody       string
	limitsStatus      int
	limitsBody        string
	requests, queries int
}

const (
	wellAnswer = `{"data":{"viewer":{"login":"octo-admin"},"repository":{"nameWithOwner":"octo-org/hello",` +
		`"visibility":"PUBLIC","viewerPermission":"ADMIN","hasDiscussionsEnabled":true,"isArchived":false}}}`
	wellLimits = `{"resources":{"core":{"limit":5000,"remaining":4999,"reset":1700000000},` +
		`"graphql":{"limit":5000,"remaining":4321,"reset":1700000060}}}`
)

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.requests++
	w.Header().Set("Content-Type", "application/json")
	for name, values := range u.header {
		w.Header()[name] = values
	}
	if r.URL.Path == "/api/graphql" {
		u.queries++
		reply(w, u.graphqlStatus, u.graphqlBody, wellAnswer)
		return
	}
	reply(w, u.limitsStatus, u.limitsBody, wellLimits)
}

func reply(w http.ResponseWriter, status int, body, well string) {
	if status == 0 {
		status = http.StatusOK
	}
	if body == "" {
		body = well
	}
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// settings of a test's Service; adjust may change the Options.
type settings struct {
	token  string
	adjust func(*repository.Options)
}

// connect builds a Service on the GitHub at url through the real clients.
func connect(t *testing.T, url string, set settings) *repository.Service {
	t.Helper()
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: url + "/api/v3"})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: transport.New(transport.Options{
		Endpoints: endpoints, RetryInterval: time.Microsecond,
		Token: func(context.Context) (string, error) { return set.token, nil },
	})}
	opts := repository.Options{
		GraphQL: graphql.New(graphql.Options{URL: endpoints.GraphQL.String(), HTTP: client}),
		REST:    rest.New(rest.Options{URL: endpoints.REST, HTTP: client}),
		Home:    hello,
		Server: func(context.Context) repository.Server {
			return repository.Server{
				Version: "1.2.3", Host: "github.com",
				Surface: repository.Surface{Digest: "0123456789ab", ToolCount: 8},
				Mode:    repository.Mode{Toolsets: []string{}},
			}
		},
	}
	if set.adjust != nil {
		set.adjust(&opts)
	}
	return repository.New(opts)
}

func serve(t *testing.T, u *upstream) string {
	t.Helper()
	server := httptest.NewServer(u)
	t.Cleanup(server.Close)
	return server.URL
}

func health(t *testing.T, service *repository.Service, repo *string) *repository.HealthResult {
	t.Helper()
	result, err := service.Health(t.Context(), repository.HealthRequest{Repo: repo})
	if err != nil {
		t.Fatalf("Health failed: %v", err)
	}
	keepsContract(t, "healthcheck", result)
	var names []string
	for _, check := range result.Checks {
		names = append(names, check.Name)
		if check.Detail == "" {
			t.Errorf("check %s says nothing", check.Name)
		}
		if (check.OK || strings.HasPrefix(check.Detail, "not checked: ")) != (check.Fix == "") {
			t.Errorf("check %+v: exactly a problem has a mend", check)
		}
	}
	want := []string{"token", "scopes", "reachability", "clock", "repository", "discussions_enabled", "permission", "rate_limit"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	return result
}

// check is the named check.
func check(t *testing.T, result *repository.HealthResult, name string) repository.Check {
	t.Helper()
	for _, check := range result.Checks {
		if check.Name == name {
			return check
		}
	}
	t.Fatalf("there is no check %s", name)
	return repository.Check{}
}

func TestHealthyTakesTwoRequests(t *testing.T) {
	u := &upstream{header: http.Header{"X-Oauth-Scopes": {"repo, read:org"}}}
	result := health(t, connect(t, serve(t, u), settings{token: "sandbox-admin"}), nil)
	if result.Status != repository.Healthy {
		t.Errorf("status is %s, want healthy: %+v", result.Status, result.Checks)
	}
	if u.requests != 2 || u.queries != 1 {
		t.Errorf("%d requests, %d of them GraphQL, want 2 and 1", u.requests, u.queries)
	}
	if result.Login == nil || *result.Login != "octo-admin" || result.Repository == nil || *result.Repository != "octo-org/hello" {
		t.Errorf("login %v and repository %v, want octo-admin and octo-org/hello", result.Login, result.Repository)
	}
	want := &repository.RateLimits{
		GraphQL: repository.RateLimit{Limit: 5000, Remaining: 4321, ResetAt: time.Unix(1700000060, 0).UTC()},
		Core:    repository.RateLimit{Limit: 5000, Remaining: 4999, ResetAt: time.Unix(1700000000, 0).UTC()},
	}
	if diff := cmp.Diff(want, result.RateLimit); diff != "" {
		t.Errorf("rate limits (-want +got):\n%s", diff)
	}
	if result.Version != "1.2.3" || result.Host != "github.com" || result.Surface.Digest != "0123456789ab" || result.Mode.Toolsets == nil {
		t.Errorf("the server's own facts are missing: %+v", result)
	}
}

func TestHealthWithoutTokenAsksNothing(t *testing.T) {
	u := &upstream{}
	result := health(t, connect(t, serve(t, u), settings{}), nil)
	token := check(t, result, "token")
	if result.Status != repository.Unhealthy || token.OK || !strings.Contains(token.Fix, "GITHUB_TOKEN") || !strings.Contains(token.Fix, "--sandbox") {
		t.Errorf("status %s with token %+v, want unhealthy and both ways out", result.Status, token)
	}
	if u.requests != 0 || result.Login != nil || result.RateLimit != nil {
		t.Errorf("%d requests, login %v, limits %v; want none", u.requests, result.Login, result.RateLimit)
	}
}

func TestHealthFindings(t *testing.T) {
	answer := func(old, new string) string { return strings.Replace(wellAnswer, old, new, 1) }
	refused := `{"message":"Bad credentials"}`
	for _, test := range []struct {
		name     string
		upstream upstream
		set      settings
		status   repository.Status
		check    string
		ok       bool
		detail   string
		fix      string
	}{
		{name: "a token that GitHub does not take", upstream: upstream{graphqlStatus: 401, graphqlBody: refused},
			status: repository.Unhealthy, check: "token", detail: "does not accept the token", fix: "expired"},
		{name: "another login than expected", set: settings{adjust: func(o *repository.Options) { o.ExpectedLogin = "someone" }},
			status: repository.Degraded, check: "token", detail: "expected is someone", fix: "GITHUB_EXPECTED_LOGIN"},
		{name: "the expected login in other letters", set: settings{adjust: func(o *repository.Options) { o.ExpectedLogin = "Octo-Admin" }},
			status: repository.Healthy, check: "token", ok: true, detail: "octo-admin"},
		{name: "a fine-grained token shows no scopes", status: repository.Healthy, check: "scopes", ok: true, detail: "fine-grained"},
		{name: "a classic token without scopes", upstream: upstream{header: http.Header{"X-Oauth-Scopes": {""}}},
			status: repository.Degraded, check: "scopes", detail: "no scopes", fix: "scope repo"},
		{name: "a classic token with other scopes", upstream: upstream{header: http.Header{"X-Oauth-Scopes": {"gist, read:org"}}},
			status: repository.Degraded, check: "scopes", detail: "gist, read:org", fix: "scope repo"},
		{name: "a classic token without projects", upstream: upstream{header: http.Header{"X-Oauth-Scopes": {"repo"}}},
			status: repository.Healthy, check: "scopes", ok: true, detail: "repo; without project"},
		{name: "a classic token for everything", upstream: upstream{header: http.Header{"X-Oauth-Scopes": {"project, repo"}}},
			status: repository.Healthy, check: "scopes", ok: true, detail: "project, repo"},
		{name: "what a fine-grained token needs", status: repository.Healthy, check: "scopes", ok: true, detail: "Discussions need read and write"},
		{name: "a token for public repositories", upstream: upstream{header: http.Header{"X-Oauth-Scopes": {"public_repo"}}},
			status: repository.Healthy, check: "scopes", ok: true, detail: "only public"},
		{name: "GraphQL is somewhere else", upstream: upstream{graphqlStatus: 404, graphqlBody: `{"message":"Not Found"}`},
			status: repository.Unhealthy, check: "reachability", detail: "did not answer as a GraphQL API", fix: "GITHUB_GRAPHQL_URL"},
		{name: "REST is broken", upstream: upstream{limitsStatus: 500, limitsBody: `{}`},
			status: repository.Degraded, check: "reachability", detail: "HTTP 500", fix: "Try again"},
		{name: "the repository is not visible", upstream: upstream{graphqlBody: `{"data":{"viewer":{"login":"a"},"repository":null},` +
			`"errors":[{"type":"NOT_FOUND","path":["repository"],"message":"Could not resolve to a Repository with the name 'octo-org/hello'."}]}`},
			status: repository.Unhealthy, check: "repository", detail: "octo-org/hello does not exist, or", fix: "spelling"},
		{name: "single sign-on", upstream: upstream{graphqlBody: `{"data":{"viewer":{"login":"a"},"repository":null},` +
			`"errors":[{"type":"FORBIDDEN","path":["repository"],"extensions":{"saml_failure":true},"message":"Resource protected by organization SAML enforcement."}]}`},
			status: repository.Unhealthy, check: "repository", detail: "single sign-on", fix: "Authorize"},
		{name: "single sign-on, with the address to authorize at", upstream: upstream{graphqlStatus: 403, graphqlBody: `{"message":"Resource protected by organization SAML enforcement."}`,
			header: http.Header{"X-Github-Sso": {"required; url=https://github.com/orgs/octo-org/sso?authorization_request=A1"}}},
			status: repository.Unhealthy, check: "repository", detail: "single sign-on", fix: "Open https://github.com/orgs/octo-org/sso?authorization_request=A1"},
		{name: "an address that is not allowed", upstream: upstream{graphqlStatus: 403, graphqlBody: `{"message":"Although you appear to have the correct authorization credentials, the ` + "`octo-org`" + ` organization has an IP allow list enabled, and your IP address is not permitted."}`},
			status: repository.Unhealthy, check: "repository", detail: "IP allow list", fix: "allowed address"},
		{name: "a web page in the place of GitHub", upstream: upstream{graphqlBody: `<html>`, header: http.Header{"Content-Type": {"text/html"}}},
			status: repository.Unhealthy, check: "reachability", detail: "a web page came", fix: "proxy"},
		{name: "the repository has moved", upstream: upstream{graphqlBody: answer("octo-org/hello", "octo-org/hi")},
			status: repository.Healthy, check: "repository", ok: true, detail: "octo-org/hello is now octo-org/hi"},
		{name: "no home repository", set: settings{adjust: func(o *repository.Options) { o.Home = ref.Repo{} }}, upstream: upstream{graphqlBody: `{"data":{"viewer":{"login":"a"}}}`},
			status: repository.Degraded, check: "repository", detail: "no home repository", fix: "GITHUB_REPOSITORY"},
		{name: "discussions are off", upstream: upstream{graphqlBody: answer(`"hasDiscussionsEnabled":true`, `"hasDiscussionsEnabled":false`)},
			status: repository.Degraded, check: "discussions_enabled", detail: "turned off", fix: "Settings"},
		{name: "no permission", upstream: upstream{graphqlBody: answer(`"ADMIN"`, `null`)},
			status: repository.Degraded, check: "permission", detail: "NONE", fix: "admin"},
		{name: "read permission is enough to talk", upstream: upstream{graphqlBody: answer(`"ADMIN"`, `"READ"`)},
			status: repository.Healthy, check: "permission", ok: true, detail: "READ"},
		{name: "an archived repository", upstream: upstream{graphqlBody: answer(`"isArchived":false`, `"isArchived":true`)},
			status: repository.Degraded, check: "permission", detail: "archived", fix: "unarchive"},
		{name: "GraphQL's limit is used up", upstream: upstream{graphqlBody: `{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`},
			status: repository.Unhealthy, check: "rate_limit", detail: "rate limit", fix: "Wait 60 seconds"},
		{name: "REST's limit is used up", upstream: upstream{limitsStatus: 403, limitsBody: `{"message":"API rate limit exceeded"}`,
			header: http.Header{"X-Ratelimit-Remaining": {"0"}, "Retry-After": {"7"}}},
			status: repository.Degraded, check: "rate_limit", detail: "used up", fix: "Wait 7 seconds"},
		{name: "a limit is nearly used up", upstream: upstream{limitsBody: strings.Replace(wellLimits, "4321", "249", 1)},
			status: repository.Degraded, check: "rate_limit", detail: "graphql 249 of 5000 left", fix: "2023-11-14T22:14:20Z"},
		{name: "a GitHub without limits", upstream: upstream{limitsStatus: 404, limitsBody: `{"message":"Rate limiting is not enabled."}`},
			status: repository.Healthy, check: "rate_limit", ok: true, detail: "no limit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.set.token = "sandbox-admin"
			result := health(t, connect(t, serve(t, &test.upstream), test.set), nil)
			got := check(t, result, test.check)
			if result.Status != test.status || got.OK != test.ok {
				t.Errorf("status %s with %+v, want %s and ok=%v\nall: %+v", result.Status, got, test.status, test.ok, result.Checks)
			}
			if !strings.Contains(got.Detail, test.detail) || !strings.Contains(got.Fix, test.fix) {
				t.Errorf("detail %q and fix %q should say %q and %q", got.Detail, got.Fix, test.detail, test.fix)
			}
			if test.upstream.requests > 4 { // two, and a failing one is tried three times
				t.Errorf("%d requests, want at most 4", test.upstream.requests)
			}
		})
	}
}

func TestHealthClock(t *testing.T) {
	github := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for skew, detail := range map[time.Duration]string{
		0: "", 60 * time.Second: "", -60 * time.Second: "",
		125 * time.Second: "2m5s ahead of", -61 * time.Second: "1m1s behind",
	} {
		u := &upstream{header: http.Header{"Date": {github.Format(http.TimeFormat)}}}
		result := health(t, connect(t, serve(t, u), settings{token: "sandbox-admin", adjust: func(o *repository.Options) {
			o.Now = func() time.Time { return github.Add(skew) }
		}}), nil)
		got := check(t, result, "clock")
		if got.OK != (detail == "") || !strings.Contains(got.Detail, detail) || (detail == "") != (result.Status == repository.Healthy) {
			t.Errorf("skew %s: %+v with status %s", skew, got, result.Status)
		}
	}
}

func TestHealthOfAnUnreachableGitHub(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	result := health(t, connect(t, url, settings{token: "sandbox-admin"}), nil)
	got := check(t, result, "reachability")
	if result.Status != repository.Unhealthy || got.OK || !strings.Contains(got.Detail, "could not be reached") || got.Fix == "" {
		t.Errorf("status %s with %+v, want unhealthy and unreachable", result.Status, got)
	}
	if clock := check(t, result, "clock"); clock.OK || !strings.HasPrefix(clock.Detail, "not checked") {
		t.Errorf("clock is %+v, want not checked", clock)
	}
}

// TestHealthComparesTheToolList when the client says which one it has.
func TestHealthComparesTheToolList(t *testing.T) {
	for seen, want := range map[string]repository.Status{"0123456789AB": repository.Healthy, "ba9876543210": repository.Degraded} {
		result, err := connect(t, serve(t, &upstream{}), settings{token: "sandbox-admin"}).Health(t.Context(), repository.HealthRequest{Surface: seen})
		if err != nil {
			t.Fatal(err)
		}
		keepsContract(t, "healthcheck", result)
		got := check(t, result, "surface")
		if result.Status != want || got.OK != (want == repository.Healthy) {
			t.Errorf("%s: status %s with %+v, want %s", seen, result.Status, got, want)
		}
		if !got.OK && (!strings.Contains(got.Detail, seen) || !strings.Contains(got.Detail, "0123456789ab") || !strings.Contains(got.Fix, "again")) {
			t.Errorf("%+v should show both digests and the mend", got)
		}
	}
}

func TestHealthRefusesAMalformedRepoWithoutARequest(t *testing.T) {
	u := &upstream{}
	service := connect(t, serve(t, u), settings{token: "sandbox-admin"})
	for _, repo := range []string{"", " hello", "a/b/c", ".."} {
		if _, err := service.Health(t.Context(), repository.HealthRequest{Repo: &repo}); !fault.Is(err, fault.RepositoryTargetInvalid) {
			t.Errorf("repo %q: %v, want REPOSITORY_TARGET_INVALID", repo, err)
		}
	}
	if u.requests != 0 {
		t.Errorf("%d requests, want none", u.requests)
	}
}

func ExampleRateLimit() {
	fmt.Println(repository.RateLimit{Limit: 5000, Remaining: 42})
	// Output: 42 of 5000 left
}
