package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

const token = "ghp_THISISTHETOKEN00"

// github is a server with a client that reaches it through the chain.
type github struct {
	client *http.Client
	url    string
	log    *lockedBuffer

	mu        sync.Mutex
	requests  []*http.Request
	exchanges []transport.Exchange
}

// lockedBuffer is a log that goroutines of a server and a client may share.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// serve starts the server; REST is its root, GraphQL is /graphql.
func serve(t *testing.T, handler http.HandlerFunc, change ...func(*transport.Options)) *github {
	t.Helper()
	g := &github{log: &lockedBuffer{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.requests = append(g.requests, r)
		g.mu.Unlock()
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	g.dial(t, server.URL, change...)
	return g
}

// dial makes the client for a server at address.
func (g *github) dial(t *testing.T, address string, change ...func(*transport.Options)) {
	t.Helper()
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: address})
	if err != nil {
		t.Fatal(err)
	}
	options := transport.Options{
		Endpoints: endpoints, RetryInterval: time.Microsecond, CacheBytes: -1,
		Token:  func(context.Context) (string, error) { return token, nil },
		Logger: slog.New(slog.NewTextHandler(g.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observe: func(e transport.Exchange) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.exchanges = append(g.exchanges, e)
		},
	}
	for _, f := range change {
		f(&options)
	}
	g.url = address
	g.client = &http.Client{Transport: transport.New(options)}
}

// do makes one request and reads the answer.
func (g *github) do(ctx context.Context, method, path, body string) (status int, text string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, g.url+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(all), err
}

func (g *github) read(t *testing.T) error {
	t.Helper()
	_, _, err := g.do(transport.WithRead(t.Context(), "read"), "POST", "/graphql", `{"query":"{a}"}`)
	return err
}

func (g *github) write(t *testing.T) error {
	t.Helper()
	_, _, err := g.do(transport.WithWrite(t.Context(), "write"), "POST", "/graphql", `{"query":"mutation{a}"}`)
	return err
}

func (g *github) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.requests)
}

func (g *github) want(t *testing.T, requests int) {
	t.Helper()
	if got := g.count(); got != requests {
		t.Errorf("%d requests reached GitHub, want %d", got, requests)
	}
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if code == "" && err != nil || code != "" && !fault.Is(err, code) {
		t.Errorf("err = %v, want %q", err, code)
	}
}

// inTurn answers the first request by the first handler and so on; the last
// one answers all that follow.
func inTurn(handlers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := handlers[0]
		if len(handlers) > 1 {
			handlers = handlers[1:]
		}
		mu.Unlock()
		now(w, r)
	}
}

func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

var fine = answer(200, `{"data":{}}`)

// drop ends the connection without an answer.
func drop(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }

// cutOff ends the connection in the middle of the body.
func cutOff(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, `{"data":{}}`)
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func TestHeaders(t *testing.T) {
	g := serve(t, fine, func(o *transport.Options) { o.UserAgent = "test/1" })
	if _, _, err := g.do(t.Context(), "GET", "/repos/o/r", ""); err != nil {
		t.Fatal(err)
	}
	if err := g.read(t); err != nil {
		t.Fatal(err)
	}
	names := []string{"Authorization", "User-Agent", "X-Github-Next-Global-Id", "X-Github-Api-Version", "Accept", "Graphql-Features"}
	want := [][]string{
		{"Bearer " + token, "test/1", "1", "2022-11-28", "application/vnd.github+json", ""},
		{"Bearer " + token, "test/1", "1", "", "application/json", "sub_issues,issue_types"},
	}
	for i, r := range g.requests {
		var got []string
		for _, name := range names {
			got = append(got, r.Header.Get(name))
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("request %d: %v (-want +got):\n%s", i, names, diff)
		}
	}
}

func TestWithoutATokenNothingIsSent(t *testing.T) {
	tests := []struct {
		name  string
		token func(context.Context) (string, error)
		code  fault.Code
	}{
		{"none", nil, fault.AuthRequired},
		{"blank", func(context.Context) (string, error) { return " \n", nil }, fault.AuthRequired},
		{"failing source", func(context.Context) (string, error) { return "", errors.New("keyring locked") }, fault.AuthRequired},
		{"with a line break inside", func(context.Context) (string, error) { return token + "\n" + token, nil }, fault.AuthFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := serve(t, fine, func(o *transport.Options) { o.Token = tt.token })
			err := g.read(t)
			wantCode(t, err, tt.code)
			fix := fault.From(err).Fix
			if !strings.Contains(fix, "GITHUB_TOKEN") || tt.code == fault.AuthRequired && !strings.Contains(fix, "--sandbox") {
				t.Errorf("fix = %q, want the ways out", fix)
			}
			if strings.Contains(err.Error(), token) {
				t.Errorf("%v holds the token", err)
			}
			g.want(t, 0)
		})
	}
}

func TestATokenWithBlanksAroundIsTrimmed(t *testing.T) {
	g := serve(t, fine, func(o *transport.Options) {
		o.Token = func(context.Context) (string, error) { return token + "\n", nil }
	})
	wantCode(t, g.read(t), "")
	if got := g.requests[0].Header.Get("Authorization"); got != "Bearer "+token {
		t.Errorf("Authorization = %q", got)
	}
}

func TestRedirects(t *testing.T) {
	elsewhere := &github{}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.requests = append(elsewhere.requests, r)
		io.WriteString(w, "an archive")
	}))
	t.Cleanup(other.Close)
	redirect := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/repositories/1", http.StatusMovedPermanently)
		case "/repositories/1":
			io.WriteString(w, `{"id":1}`)
		case "/plain":
			http.Redirect(w, r, "http://example.test/", http.StatusFound)
		default:
			http.Redirect(w, r, other.URL+"/archive", http.StatusTemporaryRedirect)
		}
	}

	t.Run("a read is followed on the same origin with the token", func(t *testing.T) {
		g := serve(t, redirect)
		if _, body, err := g.do(t.Context(), "GET", "/same", ""); err != nil || body != `{"id":1}` {
			t.Fatalf("%q, %v", body, err)
		}
		if got := g.requests[1].Header.Get("Authorization"); got != "Bearer "+token {
			t.Errorf("Authorization = %q", got)
		}
	})
	t.Run("a read is followed elsewhere without the token", func(t *testing.T) {
		g := serve(t, redirect)
		req, err := http.NewRequestWithContext(t.Context(), "GET", g.url+"/archive", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token) // http.Client keeps it for the same host name
		resp, err := g.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if n := len(elsewhere.requests); n != 1 {
			t.Fatalf("%d requests elsewhere, want 1", n)
		}
		if got := elsewhere.requests[0].Header; strings.Contains(fmt.Sprint(got), token) {
			t.Errorf("the token went elsewhere: %v", got)
		}
	})
	t.Run("a read is not followed to plain http", func(t *testing.T) {
		g := serve(t, redirect)
		_, _, err := g.do(t.Context(), "GET", "/plain", "")
		wantCode(t, err, fault.UpstreamError)
		g.want(t, 1)
	})
	t.Run("a write is not followed", func(t *testing.T) {
		g := serve(t, redirect)
		for _, method := range []string{"POST", "PATCH", "DELETE"} {
			_, _, err := g.do(t.Context(), method, "/same", "{}")
			wantCode(t, err, fault.UpstreamError)
		}
		wantCode(t, g.read(t), fault.UpstreamError) // a query would become a GET without a body
		g.want(t, 4)
		if n := len(elsewhere.requests); n != 1 {
			t.Errorf("%d requests elsewhere, want none more", n-1)
		}
	})
	t.Run("a write elsewhere is not sent", func(t *testing.T) {
		g := serve(t, fine)
		g.url = other.URL
		_, _, err := g.do(t.Context(), "POST", "/", "{}")
		wantCode(t, err, fault.UpstreamError)
		if n := len(elsewhere.requests); n != 1 {
			t.Errorf("%d requests elsewhere, want none more", n-1)
		}
	})
}

func TestOnlyReadsAreRepeated(t *testing.T) { // A58
	tests := []struct {
		name     string
		trouble  http.HandlerFunc
		attempts int // of a read, when trouble is followed by a good answer
		read     fault.Code
		write    fault.Code
	}{
		{"502", answer(502, "<html>"), 2, "", fault.OutcomeUnknown},
		{"503", answer(503, "{}"), 2, "", fault.OutcomeUnknown},
		{"503 nobody served it", answer(503, "<p>No server is currently available to service your request."), 2, "", fault.UpstreamError},
		{"504", answer(504, ""), 2, "", fault.OutcomeUnknown},
		{"500", answer(500, `{"message":"boom"}`), 2, "", fault.OutcomeUnknown},
		{"query took too long", answer(502, `{"data":null,"errors":[{"message":"Something went wrong while executing your query."}]}`), 1, fault.UpstreamTimeout, fault.OutcomeUnknown},
		{"dropped", drop, 2, "", fault.OutcomeUnknown},
		{"cut off", cutOff, 2, "", fault.OutcomeUnknown},
		{"broken JSON", answer(200, `{"data":`), 2, "", fault.OutcomeUnknown},
		{"empty", answer(200, ``), 2, "", fault.OutcomeUnknown},
		{"web page", answer(200, "<html>log in", "Content-Type", "text/html"), 2, "", fault.OutcomeUnknown},
		{"rate limit", answer(429, `{}`), 1, fault.RateLimited, fault.RateLimited},
		{"bad token", answer(401, `{}`), 1, fault.AuthFailed, fault.AuthFailed},
		{"not found", answer(404, `{}`), 1, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := serve(t, inTurn(tt.trouble, fine))
			wantCode(t, g.read(t), tt.read)
			g.want(t, tt.attempts)

			g = serve(t, inTurn(tt.trouble, fine))
			wantCode(t, g.write(t), tt.write)
			g.want(t, 1)
		})
	}
}

func TestUnmarkedRequests(t *testing.T) {
	for method, attempts := range map[string]int{"GET": 2, "HEAD": 2, "POST": 1, "PUT": 1, "PATCH": 1, "DELETE": 1} {
		g := serve(t, inTurn(answer(502, ""), answer(200, "")))
		_, _, err := g.do(t.Context(), method, "/repos/o/r", "")
		wantCode(t, err, map[int]fault.Code{1: fault.OutcomeUnknown}[attempts])
		if got := g.count(); got != attempts {
			t.Errorf("%s: %d requests, want %d", method, got, attempts)
		}
	}
}

func TestPatienceEnds(t *testing.T) {
	t.Run("after two repetitions", func(t *testing.T) {
		g := serve(t, answer(502, "<html>"))
		err := g.read(t)
		wantCode(t, err, fault.UpstreamError)
		if !fault.From(err).Retryable {
			t.Error("not retryable")
		}
		g.want(t, 3)
	})
	t.Run("when switched off", func(t *testing.T) {
		g := serve(t, drop, func(o *transport.Options) { o.Retries = -1 })
		wantCode(t, g.read(t), fault.UpstreamError)
		g.want(t, 1)
	})
	t.Run("before a pause that is too long", func(t *testing.T) {
		g := serve(t, answer(502, ""), func(o *transport.Options) { o.RetryInterval = time.Hour })
		wantCode(t, g.read(t), fault.UpstreamError)
		g.want(t, 1)
	})
	t.Run("with the caller", func(t *testing.T) {
		ctx, cancel := context.WithCancel(transport.WithRead(t.Context(), "read"))
		g := serve(t, answer(502, ""), func(o *transport.Options) {
			o.RetryInterval, o.RetryBudget = time.Hour, 100*time.Hour
			o.Observe = func(transport.Exchange) { cancel() }
		})
		_, _, err := g.do(ctx, "GET", "/x", "")
		wantCanceled(t, err)
		g.want(t, 1)
	})
}

func wantCanceled(t *testing.T, err error) {
	t.Helper()
	var known *fault.Error
	if !errors.Is(err, context.Canceled) || errors.As(err, &known) {
		t.Errorf("err = %v, want context.Canceled and no fault", err)
	}
}

// TestUnreachable: a connection that does not come about is said with what a
// person can mend, and tried again only where that may help. Nothing was sent,
// so that a write's outcome is known.
func TestUnreachable(t *testing.T) {
	closed, plain := httptest.NewServer(nil), httptest.NewServer(fine)
	closed.Close()
	t.Cleanup(plain.Close)
	untrusted := httptest.NewUnstartedServer(fine)
	untrusted.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	nameless := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	}}
	for name, test := range map[string]struct {
		address  string
		base     http.RoundTripper
		message  string
		requests int
	}{
		"nobody listens":        {closed.URL, nil, "nothing listens there", 3},
		"no such name":          {"https://github.invalid", nameless, "its name could not be looked up", 3},
		"untrusted certificate": {untrusted.URL, nil, "its certificate is not trusted", 1},
		"no TLS":                {strings.Replace(plain.URL, "http:", "https:", 1), nil, "does not speak TLS", 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := &github{log: &lockedBuffer{}}
			g.dial(t, test.address, func(o *transport.Options) { o.Base = test.base })
			wantCode(t, g.write(t), fault.UpstreamError)
			if n := len(g.exchanges); n != 1 {
				t.Errorf("the write was tried %d times, want 1", n)
			}
			err := g.read(t)
			wantCode(t, err, fault.UpstreamError)
			if n := len(g.exchanges) - 1; n != test.requests {
				t.Errorf("the read was tried %d times, want %d", n, test.requests)
			}
			if f := fault.From(err); !strings.Contains(f.Message, test.message) || f.Fix == "" || f.Retryable != (test.requests > 1) {
				t.Errorf("%q with fix %q, retryable %t; want %q", f.Message, f.Fix, f.Retryable, test.message)
			}
		})
	}
}

// roundTripper is a base that reports no progress, as recorded traffic is.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestABaseWithoutProgressIsNotTrustedToHaveSentNothing(t *testing.T) {
	g := serve(t, fine, func(o *transport.Options) {
		o.Base = roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.EOF })
	})
	wantCode(t, g.write(t), fault.OutcomeUnknown)
}

func TestTimeouts(t *testing.T) {
	hang := func(o *transport.Options) {
		o.RequestTimeout = time.Millisecond
		o.Base = roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
	}
	g := serve(t, fine, hang)
	wantCode(t, g.read(t), fault.UpstreamTimeout)
	wantCode(t, g.write(t), fault.OutcomeUnknown)
	if n := len(g.exchanges); n != 2 {
		t.Errorf("%d exchanges, want 2: a time-out is not repeated", n)
	}

	g = serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		func(o *transport.Options) { o.RequestTimeout = 20 * time.Millisecond })
	wantCode(t, g.read(t), fault.UpstreamTimeout)
}

// TestCancelReachesGitHub: what becomes of a write that was on its way is not
// known, however it came that nobody waits for it.
func TestCancelReachesGitHub(t *testing.T) { // A61
	for name, test := range map[string]struct {
		mark func(context.Context, string) context.Context
		want func(*testing.T, error)
	}{
		"read":  {transport.WithRead, wantCanceled},
		"write": {transport.WithWrite, func(t *testing.T, err error) { wantCode(t, err, fault.OutcomeUnknown) }},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			aborted := make(chan struct{})
			g := serve(t, func(w http.ResponseWriter, r *http.Request) {
				cancel(errors.New("the client lost interest"))
				<-r.Context().Done()
				close(aborted)
			})
			_, _, err := g.do(test.mark(ctx, "x"), "POST", "/graphql", "{}")
			test.want(t, err)
			select {
			case <-aborted:
			case <-time.After(time.Minute):
				t.Fatal("GitHub never saw the request end")
			}
			g.want(t, 1)
			if !strings.Contains(g.log.String(), "the client lost interest") {
				t.Errorf("the log does not say why:\n%s", g.log)
			}
		})
	}
}

// TestCancelledBeforeItBegan: nothing is sent, and so nothing is unknown.
func TestCancelledBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := serve(t, fine)
	for _, mark := range []func(context.Context, string) context.Context{transport.WithRead, transport.WithWrite} {
		_, _, err := g.do(mark(ctx, "x"), "POST", "/graphql", "{}")
		wantCanceled(t, err)
	}
	g.want(t, 0)
}

func TestRefusals(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	const reset = "1800000090"
	tests := []struct {
		name       string
		status     int
		body       string
		headers    []string
		code       fault.Code
		says       string
		retryAfter int
	}{
		{"bad token (A53)", 401, `{"message":"Bad credentials"}`, nil, fault.AuthFailed, "Bad credentials", 0},
		{"secondary by header (A51)", 403, `{}`, []string{"Retry-After", "47", "X-Ratelimit-Remaining", "4290"}, fault.RateLimited, "secondary", 47},
		{"secondary by text (A51)", 403, `{"message":"You have exceeded a secondary rate limit."}`, nil, fault.RateLimited, "", 60},
		{"secondary by text with a reset far away", 403, `{"message":"You have exceeded a secondary rate limit."}`, []string{"X-Ratelimit-Remaining", "4290", "X-Ratelimit-Reset", "1800003000"}, fault.RateLimited, "", 60},
		{"abuse detection", 403, `{"message":"You have triggered an abuse detection mechanism."}`, nil, fault.RateLimited, "", 60},
		{"primary", 403, `{"message":"API rate limit exceeded"}`, []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", reset}, fault.RateLimited, "used up", 90},
		{"primary as 429", 429, `{}`, []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", reset}, fault.RateLimited, "used up", 90},
		{"primary, reset has passed", 403, `{}`, []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", "1700000000"}, fault.RateLimited, "", 1},
		{"primary, no reset", 403, `{}`, []string{"X-Ratelimit-Remaining", "0"}, fault.RateLimited, "", 60},
		{"429 without anything", 429, ``, nil, fault.RateLimited, "", 60},
		{"Retry-After as a date", 429, ``, []string{"Retry-After", now.Add(30 * time.Second).UTC().Format(http.TimeFormat)}, fault.RateLimited, "", 30},
		{"Retry-After as nonsense", 429, ``, []string{"Retry-After", "soon"}, fault.RateLimited, "", 60},
		{"single sign-on", 403, `{"message":"Resource protected by organization SAML enforcement."}`,
			[]string{"X-Github-Sso", "required; url=https://github.com/orgs/o/sso?authorization_request=A1"}, fault.SSORequired, "https://github.com/orgs/o/sso?authorization_request=A1", 0},
		{"single sign-on, no address", 403, `{}`, []string{"X-Github-Sso", "required"}, fault.SSORequired, "Configure SSO", 0},
		{"IP allow list", 403, `{"message":"the o organization has an IP allow list enabled, and your IP address is not permitted"}`, nil, fault.Forbidden, "allowed address", 0},
		{"fine-grained token", 403, `{"message":"Resource not accessible by personal access token"}`, []string{"X-Accepted-Github-Permissions", "issues=write; pull_requests=write"}, fault.Forbidden, "issues=write", 0},
		{"fine-grained token on its last request", 403, `{"message":"Resource not accessible by personal access token"}`, []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", reset}, fault.Forbidden, "not accessible", 0},
		{"classic token", 403, `{"message":"Must have admin rights to Repository."}`, []string{"X-Accepted-Oauth-Scopes", "repo"}, fault.Forbidden, "scopes: repo", 0},
		{"locked", 403, `{"message":"Unable to create comment because issue is locked."}`, nil, fault.Forbidden, "is locked", 0},
		{"plain 403", 403, `<html>`, nil, fault.Forbidden, "get_viewer_permission", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := serve(t, answer(tt.status, tt.body, tt.headers...), func(o *transport.Options) { o.Now = func() time.Time { return now } })
			_, _, err := g.do(t.Context(), "GET", "/repos/o/r", "")
			wantCode(t, err, tt.code)
			got := fault.From(err)
			if !strings.Contains(got.Message+got.Fix, tt.says) || got.Fix == "" {
				t.Errorf("message %q, fix %q: want %q in it, and a fix", got.Message, got.Fix, tt.says)
			}
			if got.RetryAfterSeconds != tt.retryAfter || got.Retryable != (tt.retryAfter > 0) {
				t.Errorf("retryable %v after %d s, want %d", got.Retryable, got.RetryAfterSeconds, tt.retryAfter)
			}
			g.want(t, 1)
		})
	}
}

// TestMayNot: a room's own words replace GitHub's only where a permission is
// what is missing, and keep what GitHub says of it.
func TestMayNot(t *testing.T) {
	for name, tt := range map[string]struct {
		body    string
		headers []string
		says    string
		fix     string
	}{
		"a permission":       {`{"message":"Must have admin rights"}`, nil, "this token may not merge #7", "get_viewer_permission"},
		"one that is named":  {`{"message":"Resource not accessible"}`, []string{"X-Accepted-Github-Permissions", "contents=write"}, "this token may not merge #7", "contents=write"},
		"the wrong address":  {`{"message":"has an IP allow list enabled"}`, nil, "IP allow list does not contain", "address"},
		"single sign-on":     {`{}`, []string{"X-Github-Sso", "required"}, "single sign-on", "Configure SSO"},
		"a limit, not a ban": {`{}`, []string{"Retry-After", "5"}, "rate limit", "Wait 5 seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := serve(t, answer(403, tt.body, tt.headers...)).do(t.Context(), "GET", "/repos/o/r", "")
			got := fault.From(transport.MayNot(err, "merge #%d", 7))
			if !strings.Contains(got.Message, tt.says) || !strings.Contains(got.Fix, tt.fix) {
				t.Errorf("message %q, fix %q; want %q and %q", got.Message, got.Fix, tt.says, tt.fix)
			}
			own := strings.HasPrefix(got.Message, "this token")
			if quoted := got.Details["githubSays"] != nil; quoted != own || transport.LacksPermission(err) != own {
				t.Errorf("githubSays %v, LacksPermission %v; want both %v", quoted, transport.LacksPermission(err), own)
			}
		})
	}
}

func TestWhatTheCallerJudgesPassesThrough(t *testing.T) {
	for _, status := range []int{200, 201, 202, 204, 304, 400, 404, 405, 406, 409, 410, 422, 451} {
		body := `{"message":"hm"}`
		if status == 204 || status == 304 {
			body = ""
		}
		g := serve(t, answer(status, body))
		gotStatus, got, err := g.do(t.Context(), "GET", "/repos/o/r", "")
		if err != nil || gotStatus != status || got != body {
			t.Errorf("%d: got %d %q, %v", status, gotStatus, got, err)
		}
	}
}

func TestOtherMediaTypesAreNotCheckedAsJSON(t *testing.T) {
	for mediaType, code := range map[string]fault.Code{"text/plain": "", "text/html; charset=utf-8": fault.UpstreamError} {
		g := serve(t, answer(200, "diff --git", "Content-Type", mediaType))
		req, err := http.NewRequestWithContext(t.Context(), "GET", g.url+"/repos/o/r/pulls/1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/vnd.github.diff")
		resp, err := g.client.Do(req)
		wantCode(t, err, code)
		if err == nil {
			resp.Body.Close()
		}
	}
}

func TestEndlessBodies(t *testing.T) {
	g := serve(t, answer(200, `"`+strings.Repeat("x", 100)+`"`), func(o *transport.Options) { o.MaxBody = 100 })
	wantCode(t, g.read(t), fault.TooLarge)
	wantCode(t, g.write(t), fault.OutcomeUnknown)
	g.want(t, 2)
	g = serve(t, answer(200, `"`+strings.Repeat("x", 98)+`"`), func(o *transport.Options) { o.MaxBody = 100 })
	wantCode(t, g.read(t), "")
}

func TestTheTokenIsNowhere(t *testing.T) {
	echo := func(status int, location bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			secret := r.Header.Get("Authorization")
			w.Header().Set("X-Github-Request-Id", secret)
			if location {
				w.Header().Set("Location", "/"+token)
			}
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"message":%q}`, secret)
		}
	}
	for _, status := range []int{301, 400, 401, 403, 404, 422, 429, 500, 502, 503} {
		g := serve(t, echo(status, status == 301))
		for _, method := range []string{"GET", "POST"} {
			ctx, meta := transport.Capture(t.Context())
			_, body, err := g.do(ctx, method, "/"+token+"?access_token="+token, "{}")
			shown := body
			var known *fault.Error
			if errors.As(err, &known) {
				shown += known.Error() + fmt.Sprint(known.Public())
			}
			if strings.Contains(shown, token) {
				t.Errorf("%s %d shows the token: %s", method, status, shown)
			}
			if text := meta.Redact("x" + token); text != "x[token]" {
				t.Errorf("Redact = %q", text)
			}
		}
		if log := g.log.String(); strings.Contains(log, token) || !strings.Contains(log, "github request") {
			t.Errorf("%d: the log shows the token or nothing:\n%s", status, log)
		}
	}
}

func TestNetworkErrorsDoNotShowTheToken(t *testing.T) {
	g := serve(t, fine, func(o *transport.Options) {
		o.Base = roundTripper(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("cannot send %v", r.Header)
		})
	})
	for _, err := range []error{g.read(t), g.write(t)} {
		if err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "[token]") {
			t.Errorf("err = %v", err)
		}
	}
}

func TestExchangesAndLog(t *testing.T) {
	g := serve(t, inTurn(answer(502, "no", "X-Github-Request-Id", "A:1"), answer(200, `{"data":{}}`, "X-Github-Request-Id", "A:2")))
	if err := g.read(t); err != nil {
		t.Fatal(err)
	}
	first := transport.Exchange{Name: "read", Method: "POST", Path: "/graphql", Try: 1, RequestBytes: 15, ResponseBytes: 2, Status: 502, RequestID: "A:1"}
	second := first
	second.Try, second.ResponseBytes, second.Status, second.RequestID = 2, 11, 200, "A:2"
	if diff := cmp.Diff([]transport.Exchange{first, second}, g.exchanges, cmpopts.IgnoreFields(transport.Exchange{}, "Duration", "Err")); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
	if g.exchanges[0].Err == nil || g.exchanges[1].Err != nil {
		t.Errorf("errors: %v, %v", g.exchanges[0].Err, g.exchanges[1].Err)
	}
	for _, want := range []string{"name=read", "method=POST", "path=/graphql", "status=200", "bytes=11", "request_id=A:2", "try=2"} {
		if !strings.Contains(g.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, g.log)
		}
	}
}

func TestCapture(t *testing.T) {
	g := serve(t, answer(200, `{}`, "X-Oauth-Scopes", "repo, read:org", "Date", "Mon, 30 Nov 2026 21:00:00 GMT",
		"X-Ratelimit-Limit", "5000", "X-Ratelimit-Remaining", "4999", "X-Ratelimit-Resource", "core", "X-Ratelimit-Reset", "1800000000"))
	ctx, outer := transport.Capture(t.Context())
	if _, known := outer.Scopes(); known || outer.Status() != 0 || outer.Header() == nil {
		t.Error("a Meta knows something before the first request")
	}
	for range 2 {
		inner, meta := transport.Capture(ctx)
		if _, _, err := g.do(inner, "GET", "/user", ""); err != nil || meta.Requests() != 1 {
			t.Fatalf("%v, %d requests", err, meta.Requests())
		}
	}
	scopes, known := outer.Scopes()
	limit, ok := outer.RateLimit()
	got := []any{outer.Status(), outer.Requests(), scopes, known, outer.Date().UTC().Hour(), limit, ok, outer.Err()}
	want := []any{200, 2, []string{"repo", "read:org"}, true, 21,
		transport.RateLimit{Resource: "core", Limit: 5000, Remaining: 4999, ResetAt: time.Unix(1_800_000_000, 0).UTC()}, true, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("meta (-want +got):\n%s", diff)
	}
}

func TestConditionalReads(t *testing.T) {
	current := "one"
	g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		etag := `"` + current + `"`
		w.Header().Set("Etag", etag)
		w.Header().Set("X-Ratelimit-Remaining", "7")
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, `"`+current+`"`)
	}, func(o *transport.Options) { o.CacheBytes = 3 << 10 })
	get := func(path, want string, status int) {
		t.Helper()
		ctx, meta := transport.Capture(t.Context())
		got, body, err := g.do(ctx, "GET", path, "")
		if err != nil || got != 200 || body != want || meta.Status() != status {
			t.Errorf("GET %s = %d %s, %v with %d from GitHub; want %s with %d", path, got, body, err, meta.Status(), want, status)
		}
	}
	get("/a", `"one"`, 200)
	get("/a", `"one"`, 304)
	current = "two"
	get("/a", `"two"`, 200)
	get("/a", `"two"`, 304)
	get("/b", `"two"`, 200) // pushes /a out of a cache that has room for one
	get("/b", `"two"`, 304)
	get("/a", `"two"`, 200)
}

func TestTheCacheSeparatesTokensAndForms(t *testing.T) {
	who := "first"
	g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"x"`)
		fmt.Fprintf(w, "%q", r.Header.Get("If-None-Match"))
	}, func(o *transport.Options) {
		o.CacheBytes = 0
		o.Token = func(context.Context) (string, error) { return who, nil }
	})
	get := func(accept, want string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "GET", g.url+"/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
		resp, err := g.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != want {
			t.Errorf("If-None-Match was %s, want %s (%v)", body, want, err)
		}
	}
	get("application/json", `""`)
	get("application/json", `"\"x\""`)
	get("application/vnd.github.raw+json", `""`)
	who = "second"
	get("application/json", `""`)
}

func TestConcurrentUse(t *testing.T) {
	g := serve(t, answer(200, `{}`, "Etag", `"x"`), func(o *transport.Options) { o.CacheBytes = 5 << 10 })
	ctx, meta := transport.Capture(t.Context())
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			if _, _, err := g.do(ctx, "GET", fmt.Sprint("/", i%4), ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if meta.Requests() != 40 || g.count() != 40 {
		t.Errorf("%d counted, %d arrived, want 40", meta.Requests(), g.count())
	}
}

func TestAReusedConnectionThatDiedDoesNotRepeatAWrite(t *testing.T) {
	g := serve(t, inTurn(fine, drop, fine))
	wantCode(t, g.read(t), "")
	wantCode(t, g.write(t), fault.OutcomeUnknown)
	g.want(t, 2)
}

func TestBrokenRequestBody(t *testing.T) {
	g := serve(t, fine)
	req := &http.Request{Method: "POST", URL: &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}, Body: io.NopCloser(brokenReader{})}
	_, err := g.client.Transport.RoundTrip(req)
	wantCode(t, err, fault.Internal)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestExcerpt(t *testing.T) {
	tests := map[string]string{
		"":                               "",
		"one\r\n two\x1b[31m\u0085three": "one two [31m three",
		strings.Repeat("é", 301):         strings.Repeat("é", 299) + "…",
		"bad\xff":                        "bad\uFFFD",
	}
	for message, want := range tests {
		if got := transport.Excerpt(message); got != want {
			t.Errorf("Excerpt(%q) = %q, want %q", message, got, want)
		}
	}
}
