package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Exchange is one request that went out and what came of it.
type Exchange struct {
	Name          string // of WithRead or WithWrite
	Write         bool
	Method, Path  string
	Try           int // 1 for the first
	RequestBytes  int
	ResponseBytes int // of the body, uncompressed
	Status        int // 0 when no answer came
	RequestID     string
	Duration      time.Duration
	Err           error // why the exchange failed; nil when a response came back
}

// answer is a response whose body has been read.
type answer struct {
	*http.Response
	body []byte
}

// response is the answer as a response to req.
func (a *answer) response(req *http.Request) *http.Response {
	resp := *a.Response
	resp.Request = req
	resp.Body = io.NopCloser(bytes.NewReader(a.body))
	if req.Method != http.MethodHead {
		resp.ContentLength = int64(len(a.body))
	}
	return &resp
}

var errBodyTooLarge = errors.New("response body over the bound")

// attempt makes one exchange: it sends, reads the whole body, classifies, and
// tells log, observer and Meta.
func (t *chain) attempt(c *call, try int) (*answer, error) {
	started := t.Now()
	ctx, cancel := context.WithTimeout(c.context(), t.RequestTimeout)
	defer cancel()
	meta := metaOf(c.context())
	meta.sent()
	CallOf(c.context()).announce(c.mark.name)
	way := progress{late: c.context().Err() != nil}
	a, err := t.exchange(httptrace.WithClientTrace(ctx, way.trace()), c)
	if err != nil {
		err = c.broken(err, ctx.Err(), way.surelyNotSent())
	} else {
		meta.received(a.StatusCode, a.Header, c.token)
		err = t.classify(c, a)
		if known := (*fault.Error)(nil); errors.As(err, &known) {
			_ = WithRequestID(known, a.Header) // known is part of err
		}
	}
	t.tell(c, a, Exchange{
		Name: c.mark.name, Write: c.mark.write, Method: c.req.Method, Path: c.req.URL.Path,
		Try: try, RequestBytes: len(c.body), Duration: t.Now().Sub(started), Err: err,
	})
	return a, err
}

// exchange sends the call once and reads the body to its end.
func (t *chain) exchange(ctx context.Context, c *call) (*answer, error) {
	req := c.req.Clone(ctx)
	if c.body != nil {
		req.Body = io.NopCloser(bytes.NewReader(c.body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil }
		req.ContentLength = int64(len(c.body))
	}
	resp, err := t.Base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, t.MaxBody+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > t.MaxBody:
		return nil, errBodyTooLarge
	}
	redactHeader(resp.Header, c.token)
	if resp.StatusCode >= 400 {
		body = []byte(redact(string(body), c.token)) // error texts are quoted further up
	}
	return &answer{resp, body}, nil
}

// broken is the fault for an exchange that ended without a whole response.
// timeout is the error of the try's own context.
func (c *call) broken(err, timeout error, surelyNotSent bool) error {
	cause := redactError(err, c.token)
	var network net.Error
	timedOut := timeout != nil || errors.As(err, &network) && network.Timeout()
	switch {
	case c.mark.write && !surelyNotSent: // also when the caller gave up: GitHub has it
		return OutcomeUnknown("the connection to GitHub ended before it answered").WithCause(cause)
	case errors.Is(c.context().Err(), context.Canceled):
		return c.context().Err()
	case errors.Is(err, errBodyTooLarge):
		return fault.New(fault.TooLarge, "GitHub's answer is too large to take").
			WithFix("Ask for less at a time.").WithCause(cause)
	case timedOut:
		return fault.New(fault.UpstreamTimeout, "GitHub did not answer in time").
			WithFix("Try again; ask for less at a time if it stays.").RetryAfter(0).WithCause(cause)
	case surelyNotSent:
		return unreachable(c.req.URL.Host, err, cause)
	}
	return transient{fault.New(fault.UpstreamError, "the connection to GitHub broke").
		WithFix("Try again.").RetryAfter(0).WithCause(cause)}
}

// unreachable is the fault for a connection that did not come about, with the
// reason where it is one that a person can mend. err is looked at, cause is for
// the log.
func unreachable(host string, err, cause error) error {
	var (
		untrusted *tls.CertificateVerificationError
		noTLS     tls.RecordHeaderError
		noName    *net.DNSError
	)
	why, fix := "", "Check the network and the configured API URL, then try again."
	switch {
	case errors.As(err, &untrusted):
		return fault.New(fault.UpstreamError, "%s could not be reached: its certificate is not trusted on this machine", host).
			WithFix("Correct the API URL, or make the authority behind the certificate known here (SSL_CERT_FILE).").WithCause(cause)
	case errors.As(err, &noTLS):
		return fault.New(fault.UpstreamError, "%s could not be reached: it does not speak TLS", host).
			WithFix("Correct the API URL, also its port, and look at the proxy (HTTPS_PROXY) if there is one.").WithCause(cause)
	case errors.As(err, &noName):
		why, fix = ": its name could not be looked up", "Check the host's spelling, the network and the proxy (HTTPS_PROXY), then try again."
	case errors.Is(err, syscall.ECONNREFUSED):
		why = ": nothing listens there"
	}
	return transient{fault.New(fault.UpstreamError, "%s could not be reached%s", host, why).WithFix("%s", fix).RetryAfter(0).WithCause(cause)}
}

// OutcomeUnknown is for a write that was sent and may have been done.
func OutcomeUnknown(what string) *fault.Error {
	return fault.New(fault.OutcomeUnknown, "%s, so it is not known whether the write was done", what).
		WithFix("Do not repeat the call blindly: read what it would have changed (for a comment: the newest ones, with last_n) and repeat it only if the change is not there.")
}

// progress follows how far a request got, to tell a write that cannot have
// reached GitHub from one that may have.
type progress struct {
	late       bool // the caller had given up before it began
	asked, got atomic.Bool
}

// trace hooks into the standard transport. That repeats a write by itself only
// when nothing was written, and then asks for a connection again.
func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { p.asked.Store(true); p.got.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { p.got.Store(true) },
	}
}

// surelyNotSent is false for a transport that does not report its progress,
// unless there was no time to begin with.
func (p *progress) surelyNotSent() bool { return p.late || p.asked.Load() && !p.got.Load() }

// tell completes the exchange from the answer, if there is one, and reports it.
func (t *chain) tell(c *call, a *answer, e Exchange) {
	if a != nil {
		e.Status, e.ResponseBytes, e.RequestID = a.StatusCode, len(a.body), a.Header.Get("X-Github-Request-Id")
	}
	t.Observe(e)
	attrs := []slog.Attr{
		slog.String("name", e.Name), slog.String("method", e.Method), slog.String("host", c.req.URL.Host),
		slog.String("path", redact(e.Path, c.token)), slog.Int("status", e.Status), slog.Int64("ms", e.Duration.Milliseconds()),
		slog.Int("bytes", e.ResponseBytes), slog.String("request_id", e.RequestID), slog.Int("try", e.Try),
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", redact(e.Err.Error(), c.token)))
	}
	if reason := context.Cause(c.context()); reason != nil {
		attrs = append(attrs, slog.String("reason", redact(reason.Error(), c.token)))
	}
	t.Logger.LogAttrs(c.context(), slog.LevelDebug, "github request", attrs...)
}
