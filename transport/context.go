package transport

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mark is what a context says about the requests made under it.
type mark struct {
	name  string
	write bool
}

type markKey struct{}

// WithRead marks the requests made under ctx as reads called name: they may be
// repeated.
func WithRead(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, markKey{}, mark{name: name})
}

// WithWrite marks the requests made under ctx as writes called name: each is
// sent at most once.
func WithWrite(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, markKey{}, mark{name: name, write: true})
}

// markOf is the request's mark. Unmarked, GET and HEAD are reads and all else
// is a write.
func markOf(req *http.Request) mark {
	if m, ok := req.Context().Value(markKey{}).(mark); ok {
		return m
	}
	safe := req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == ""
	return mark{name: "unmarked", write: !safe}
}

type metaKey struct{}

// Meta is what the exchanges under a context told beside their bodies. It is
// safe for concurrent use; with several requests the last answer is kept.
type Meta struct {
	outer *Meta // of an enclosing Capture, told everything as well

	mu       sync.Mutex
	status   int
	header   http.Header
	requests int
	err      error
	token    string
}

// Capture returns a context whose requests are recorded in the Meta. Captures
// nest: an outer one sees what an inner one sees.
func Capture(ctx context.Context) (context.Context, *Meta) {
	m := &Meta{outer: metaOf(ctx)}
	return context.WithValue(ctx, metaKey{}, m), m
}

// metaOf is the context's Meta; nil, on which all methods work, when there is
// none.
func metaOf(ctx context.Context) *Meta {
	m, _ := ctx.Value(metaKey{}).(*Meta)
	return m
}

// received records one answer. The token is kept to be able to redact it.
func (m *Meta) received(status int, header http.Header, token string) {
	for ; m != nil; m = m.outer {
		m.mu.Lock()
		m.status, m.header, m.token, m.err = status, header, token, nil
		m.mu.Unlock()
	}
}

// sent counts one request that went out.
func (m *Meta) sent() {
	for ; m != nil; m = m.outer {
		m.mu.Lock()
		m.requests++
		m.mu.Unlock()
	}
}

// fail records the error that RoundTrip returns.
func (m *Meta) fail(err error) {
	for ; m != nil; m = m.outer {
		m.mu.Lock()
		m.err = err
		m.mu.Unlock()
	}
}

// Status is the HTTP status of the last answer; 0 when there was none.
func (m *Meta) Status() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status
}

// Header is the header of the last answer; never nil, not to be changed.
func (m *Meta) Header() http.Header {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.header == nil {
		return http.Header{}
	}
	return m.header
}

// Requests is how many requests went out, repeated ones included.
func (m *Meta) Requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

// Err is the error of the last request as this package returned it, before any
// client replaced it by another; nil when the last request was answered.
func (m *Meta) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Redact removes the token that the last request was signed with from text
// that GitHub sent and that is about to be shown.
func (m *Meta) Redact(text string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return redact(text, m.token)
}

// Date is the time at GitHub when it answered; zero when unknown.
func (m *Meta) Date() time.Time {
	date, err := http.ParseTime(m.Header().Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return date
}

// Scopes are the OAuth scopes of the token; known is false for tokens that
// have none to tell, such as fine-grained ones.
func (m *Meta) Scopes() (scopes []string, known bool) {
	values, known := m.Header()["X-Oauth-Scopes"]
	for scope := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			scopes = append(scopes, scope)
		}
	}
	return scopes, known
}

// RateLimit is the state of one of GitHub's budgets.
type RateLimit struct {
	Resource         string // "graphql", "core", …
	Limit, Remaining int
	ResetAt          time.Time
}

// RateLimit is what the last answer said about its budget; ok is false when it
// said nothing.
func (m *Meta) RateLimit() (limit RateLimit, ok bool) {
	return rateLimitOf(m.Header())
}

func rateLimitOf(h http.Header) (limit RateLimit, ok bool) {
	remaining, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining"))
	if err != nil {
		return RateLimit{}, false
	}
	limit = RateLimit{Resource: h.Get("X-Ratelimit-Resource"), Remaining: remaining}
	limit.Limit, _ = strconv.Atoi(h.Get("X-Ratelimit-Limit"))
	if reset, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err == nil && reset > 0 {
		limit.ResetAt = time.Unix(reset, 0).UTC()
	}
	return limit, true
}
