// Package transport is the one way to GitHub: an http.RoundTripper that both
// clients, GraphQL and REST, are built on.
//
// It promises that
//   - the token goes to the configured GitHub and nowhere else, and is never
//     part of an error or a log line;
//   - a read is repeated a little when GitHub or the network stumbles, a write
//     never; a write that may have happened is OUTCOME_UNKNOWN;
//   - whatever is not an answer to the question comes back as a fault.Error:
//     bad token, missing permission, single sign-on, rate limit, time-out,
//     broken or endless bodies. A response that does come back is complete,
//     in memory, and has a status that only the caller can judge
//     (2xx, 301, 304, 400, 404, 405, 406, 409, 410, 422);
//   - it waits for nothing but the pause between two tries of a read; a rate
//     limit is reported, never slept through;
//   - a cancelled context aborts the request and stays context.Canceled, but
//     for a write that was sent: what became of it is OUTCOME_UNKNOWN.
//
// What a request is called, and whether it reads or writes, is said by
// WithRead and WithWrite, what it is made for by WithCall; what came back
// beside the body is told by Capture.
package transport

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Options says how New builds the chain. Every zero value is a useful default
// except Endpoints, which ResolveEndpoints makes.
type Options struct {
	// Base sends the requests; nil means a pool of its own.
	Base http.RoundTripper
	// Endpoints are the only origins that ever get the token.
	Endpoints Endpoints
	// Token is asked once per request; nil or an empty token means that there
	// is none, and every request to GitHub fails with AUTH_REQUIRED.
	Token func(context.Context) (string, error)
	// UserAgent defaults to "github-workflow-mcp".
	UserAgent string
	// Logger gets one debug line per exchange; nil means no log.
	Logger *slog.Logger

	// RequestTimeout bounds one try, body included; 0 means 20 s.
	RequestTimeout time.Duration
	// Retries is how often a read is repeated at most; 0 means 2, negative
	// means never.
	Retries int
	// RetryInterval is the mean pause before the first repetition, later
	// ones are longer; 0 means 250 ms.
	RetryInterval time.Duration
	// RetryBudget is the time after which no further try begins; 0 means 25 s.
	RetryBudget time.Duration

	// CacheBytes bounds the bodies kept for conditional REST reads; 0 means
	// 4 MiB, negative means no cache.
	CacheBytes int
	// MaxBody bounds a response body in bytes; 0 means 32 MiB.
	MaxBody int64

	// Observe is told about every exchange, on the goroutine that made it;
	// it must be safe for concurrent use.
	Observe func(Exchange)
	// Now is the clock for rate limits and durations; nil means time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.UserAgent = cmp.Or(o.UserAgent, "github-workflow-mcp")
	o.RequestTimeout = cmp.Or(o.RequestTimeout, 20*time.Second)
	o.Retries = max(0, cmp.Or(o.Retries, 2))
	o.RetryInterval = cmp.Or(o.RetryInterval, 250*time.Millisecond)
	o.RetryBudget = cmp.Or(o.RetryBudget, 25*time.Second)
	o.CacheBytes = max(0, cmp.Or(o.CacheBytes, 4<<20))
	o.MaxBody = cmp.Or(o.MaxBody, 32<<20)
	if o.Base == nil {
		o.Base = NewPool()
	}
	if o.Token == nil {
		o.Token = func(context.Context) (string, error) { return "", nil }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = LogCalls(o.Logger)
	if o.Observe == nil {
		o.Observe = func(Exchange) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// NewPool is the standard transport with connections of its own. It keeps as
// many of them as GitHub takes requests at once.
func NewPool() http.RoundTripper {
	pool := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		pool = standard.Clone()
	}
	pool.MaxIdleConnsPerHost = 100
	return pool
}

// New builds the chain: check and sign, answer from the cache, repeat reads,
// exchange and classify.
func New(o Options) http.RoundTripper {
	o = o.withDefaults()
	return &chain{Options: o, cache: newCache(o.CacheBytes)}
}

// chain is the RoundTripper. A request passes prepare, cached, retried and
// attempt in that order.
type chain struct {
	Options
	cache *cache
}

// RoundTrip implements http.RoundTripper. Unlike a plain transport it returns
// an error for a response that is a failure whoever asked.
func (t *chain) RoundTrip(req *http.Request) (*http.Response, error) {
	c, err := t.prepare(req)
	if err == nil {
		var a *answer
		if a, err = t.cached(c); err == nil {
			return a.response(req), nil
		}
	}
	metaOf(req.Context()).fail(err)
	return nil, err
}

// call is one request on its way down the chain.
type call struct {
	mark   mark
	target target
	req    *http.Request // headers complete, body taken out
	body   []byte
	token  string
}

// context is the caller's.
func (c *call) context() context.Context { return c.req.Context() }

// target is what a request is addressed to.
type target int

const (
	foreign target = iota // an origin that redirects lead to
	rest
	graphQL
)

// prepare reads the request's body, decides what the request is and signs it.
func (t *chain) prepare(req *http.Request) (*call, error) {
	body, err := readRequest(req)
	if err != nil {
		return nil, err
	}
	c := &call{mark: markOf(req), target: t.Endpoints.target(req.URL), req: req.Clone(req.Context()), body: body}
	c.req.Header.Set("User-Agent", t.UserAgent)
	c.req.Header.Del("Authorization") // only sign decides who gets one
	if c.target == foreign {
		return c, t.leaveGitHub(c)
	}
	t.setHeaders(c)
	return c, t.sign(c)
}

func readRequest(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fault.New(fault.Internal, "the request to GitHub could not be built").WithCause(err)
	}
	return body, nil
}

// leaveGitHub decides whether a request may go to an origin that is not
// configured: only a read may, and only encrypted or on this machine.
func (t *chain) leaveGitHub(c *call) error {
	switch {
	case c.mark.write || !c.safeMethod():
		return fault.New(fault.UpstreamError, "a write was about to be sent to %s, which is not the configured GitHub", c.req.URL.Host).
			WithFix("Check the API URL of the configuration.")
	case c.req.URL.Scheme != "https" && !IsLoopback(c.req.URL.Hostname()):
		return fault.New(fault.UpstreamError, "GitHub redirected to %s, which is not encrypted", c.req.URL.Host)
	}
	return nil
}

func (t *chain) setHeaders(c *call) {
	h := c.req.Header
	CallOf(c.context()).Trace.set(h)
	h.Set("X-Github-Next-Global-Id", "1")
	if c.target == graphQL {
		h.Set("GraphQL-Features", "sub_issues,issue_types")
		setDefault(h, "Accept", "application/json")
		return
	}
	setDefault(h, "Accept", "application/vnd.github+json")
	setDefault(h, "X-GitHub-Api-Version", "2022-11-28")
}

func setDefault(h http.Header, name, value string) {
	if h.Get(name) == "" {
		h.Set(name, value)
	}
}

// sign adds the token, or says how to get one.
func (t *chain) sign(c *call) error {
	token, err := t.Token(c.context())
	if ctxErr := c.context().Err(); err != nil && errors.Is(ctxErr, context.Canceled) {
		return ctxErr
	}
	token = strings.TrimSpace(token)
	if err != nil || token == "" {
		return fault.New(fault.AuthRequired, "this call needs GitHub, and no GitHub token is configured").
			WithFix("Set GITHUB_TOKEN (or log in with `gh auth login`), or start the server with --sandbox to work on the embedded GitHub.").
			WithCause(err)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.New(fault.AuthFailed, "the configured GitHub token holds blanks or characters that no token has").
			WithFix("Set GITHUB_TOKEN to the token alone.")
	}
	c.token = token
	(&oauth2.Token{AccessToken: token}).SetAuthHeader(c.req)
	return nil
}

// safeMethod reports whether the HTTP method itself promises to change nothing.
func (c *call) safeMethod() bool {
	return c.req.Method == http.MethodGet || c.req.Method == http.MethodHead || c.req.Method == ""
}
