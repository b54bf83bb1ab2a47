package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v62/github"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// serve starts a server with its REST API at /api/v3 and a client that goes
// through the real chain. The path of every request is appended to seen.
func serve(t *testing.T, timeout time.Duration, handler http.HandlerFunc) (client *github.Client, seen *[]string) {
	t.Helper()
	seen = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		*seen = append(*seen, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: server.URL + "/api/v3"})
	if err != nil {
		t.Fatal(err)
	}
	chain := transport.New(transport.Options{
		Endpoints: endpoints, RequestTimeout: timeout, RetryInterval: time.Microsecond,
		Token: func(context.Context) (string, error) { return "ghp_x00000000000", nil },
	})
	return rest.New(rest.Options{URL: endpoints.REST, HTTP: &http.Client{Transport: chain}}), seen
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

func getRepo(client *github.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, _, err := client.Repositories.Get(ctx, "octo-org", "private")
		return err
	}
}

func TestBaseURLIsExact(t *testing.T) {
	client, seen := serve(t, 0, status(200, `{"name":"private"}`))
	if err := rest.Read(t.Context(), "repo", getRepo(client)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GET /api/v3/repos/octo-org/private"}, *seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	bare := rest.New(rest.Options{URL: &url.URL{Scheme: "https", Host: "ghe.example.test", Path: "/api/v3"}})
	if got := bare.BaseURL.String(); got != "https://ghe.example.test/api/v3/" {
		t.Errorf("BaseURL = %s", got)
	}
}

func TestStatusesAreMapped(t *testing.T) {
	tests := []struct {
		name         string
		status       int
		method, path string
		body         string
		code         fault.Code
		says         string
	}{
		{"repository", 404, "GET", "repos/o/r", `{"message":"Not Found"}`, fault.NotFoundOrNoAccess, "not visible to this token"},
		{"collection of a repository", 404, "GET", "repos/o/r/labels?page=2", `{}`, fault.NotFoundOrNoAccess, ""},
		{"thing in a repository", 404, "GET", "repos/o/r/pulls/7", `{"message":"Not Found"}`, fault.NotFound, "Not Found"},
		{"write to a thing", 404, "PATCH", "repos/o/r/issues/7", `{"message":"Not Found"}`, fault.NotFoundOrNoAccess, ""},
		{"page of a proxy", 404, "GET", "user", `<html>`, fault.NotFound, ""},
		{"gone", 410, "GET", "repos/o/r/issues/7", `{"message":"Issues are disabled for this repo"}`, fault.NotFound, "disabled"},
		{"conflict", 409, "PUT", "repos/o/r/pulls/7/merge", `{"message":"Head branch was modified."}`, fault.Conflict, "modified"},
		{"not mergeable", 405, "PUT", "repos/o/r/pulls/7/merge", `{"message":"Pull Request is not mergeable"}`, fault.Conflict, "not mergeable"},
		{"diff too large", 406, "GET", "repos/o/r/pulls/7", `{"message":"the diff exceeded the maximum number of lines"}`, fault.TooLarge, "maximum"},
		{"invalid fields", 422, "POST", "repos/o/r/labels", `{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"},{"field":"color","code":"custom","message":"is not a color"}]}`,
			fault.ValidationFailed, "Validation Failed; name already exists; color is not a color"},
		{"errors as texts", 422, "POST", "repos/o/r/pulls", `{"message":"Validation Failed","errors":["No commits between main and main"]}`, fault.ValidationFailed, "No commits"},
		{"bad request", 400, "POST", "repos/o/r/labels", `{"message":"Problems parsing JSON"}`, fault.ValidationFailed, "parsing"},
		{"bad token", 401, "GET", "user", `{"message":"Bad credentials"}`, fault.AuthFailed, "Bad credentials"},
		{"forbidden", 403, "GET", "user", `{"message":"Resource not accessible by integration"}`, fault.Forbidden, "not accessible"},
		{"teapot", 418, "GET", "user", ``, fault.UpstreamError, "418"},
		{"still preparing", 202, "GET", "repos/o/r/stats/contributors", `{}`, fault.UpstreamError, "still preparing"},
		{"another shape", 200, "GET", "user", `[1]`, fault.UpstreamError, "could not be read"},
		{"another shape after a write", 200, "PATCH", "user", `[1]`, fault.OutcomeUnknown, "could not be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, seen := serve(t, 0, status(tt.status, tt.body))
			call := rest.Read
			if tt.method != "GET" {
				call = rest.Write
			}
			err := call(t.Context(), "call", func(ctx context.Context) error {
				req, err := client.NewRequest(tt.method, tt.path, nil)
				if err != nil {
					return err
				}
				_, err = client.Do(ctx, req, &github.User{})
				return err
			})
			var got *fault.Error
			if !errors.As(err, &got) || got.Code != tt.code || !strings.Contains(got.Message, tt.says) {
				t.Errorf("err = %v, want %s with %q", err, tt.code, tt.says)
			}
			if len(*seen) != 1 {
				t.Errorf("requests: %q, want 1", *seen)
			}
		})
	}
}

func TestAUsedUpLimitDoesNotBlockHere(t *testing.T) {
	client, seen := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Ratelimit-Limit", "5000")
		w.Header().Set("X-Ratelimit-Remaining", "0")
		w.Header().Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
		io.WriteString(w, `{"name":"private"}`)
	})
	for range 2 {
		if err := rest.Read(t.Context(), "repo", getRepo(client)); err != nil {
			t.Fatal(err)
		}
	}
	if len(*seen) != 2 {
		t.Errorf("%d requests reached GitHub, want 2", len(*seen))
	}
}

func TestLimitErrorsOfGoGithubAreMapped(t *testing.T) {
	resp := &http.Response{Header: http.Header{"Retry-After": {"9"}}, Request: httptest.NewRequest("GET", "/user", nil)}
	for _, err := range []error{&github.RateLimitError{Response: resp}, &github.AbuseRateLimitError{Response: resp}} {
		var got *fault.Error
		if !errors.As(rest.Fault(err), &got) || got.Code != fault.RateLimited || got.RetryAfterSeconds != 9 {
			t.Errorf("Fault(%T) = %v, want RATE_LIMITED, 9 s", err, got)
		}
	}
}

func TestFaultKeepsWhatItKnows(t *testing.T) {
	locked := fault.New(fault.Forbidden, "locked")
	for _, err := range []error{nil, locked, context.Canceled} {
		if got := rest.Fault(err); got != err {
			t.Errorf("Fault(%v) = %v", err, got)
		}
	}
	if got := rest.Fault(context.DeadlineExceeded); !fault.Is(got, fault.UpstreamTimeout) {
		t.Errorf("Fault(deadline) = %v", got)
	}
}

// expiring is a context whose deadline passes when the test says so.
type expiring struct {
	context.Context
	done chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.done }

func (e expiring) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestACallCutOffByTheCallersDeadline(t *testing.T) {
	tests := []struct {
		name string
		run  func(context.Context, string, func(context.Context) error) error
		want fault.Code
	}{
		{"read", rest.Read, fault.UpstreamTimeout},
		{"write", rest.Write, fault.OutcomeUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := expiring{t.Context(), make(chan struct{})}
			client, seen := serve(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
				close(ctx.done)
				<-r.Context().Done()
			})
			err := tt.run(ctx, "label", func(ctx context.Context) error {
				_, _, err := client.Issues.CreateLabel(ctx, "o", "r", &github.Label{})
				return err
			})
			if !fault.Is(err, tt.want) || len(*seen) != 1 {
				t.Errorf("err = %v after %d requests, want %s after 1", err, len(*seen), tt.want)
			}
		})
	}
}
