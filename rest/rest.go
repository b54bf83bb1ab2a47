// Package rest builds the client for GitHub's REST API and gives its errors a
// code.
//
// It promises that a call made through Read or Write is marked for package
// transport, is never held back on this machine because of an earlier rate
// limit, and fails with a fault.Error or with the context's cancellation.
package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// Options says how New builds a client.
type Options struct {
	// URL is the exact root of the REST API, such as
	// https://ghe.example.test/api/v3/; a missing slash at its end is added.
	URL *url.URL
	// HTTP sends the requests; nil means http.DefaultClient. Its transport is
	// expected to come from package transport.
	HTTP *http.Client
}

// New makes a client. Calls belong inside Read or Write.
func New(o Options) *github.Client {
	var own http.Client
	if o.HTTP != nil {
		own = *o.HTTP
	}
	if own.Transport == nil {
		own.Transport = http.DefaultTransport
	}
	own.Transport = unblocked{own.Transport}
	client := github.NewClient(&own)
	root := *o.URL
	root.Path = strings.TrimRight(root.Path, "/") + "/"
	client.BaseURL = &root
	return client
}

// unblocked keeps go-github from refusing calls by itself after an answer that
// used up a rate limit: it does not learn limits from answers of a cache. What
// GitHub says now is the truth, and it costs one request to hear it.
type unblocked struct{ next http.RoundTripper }

func (t unblocked) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		resp.Header = resp.Header.Clone() // it may belong to the chain's cache
		resp.Header.Set("X-From-Cache", "1")
	}
	return resp, err
}

// Read makes the calls of call as reads called name: they may be repeated.
func Read(ctx context.Context, name string, call func(context.Context) error) error {
	return run(transport.WithRead(ctx, name), name, call)
}

// Write makes the calls of call as writes called name: each is sent at most
// once.
//
// A write that GitHub answered with something that cannot be read may have
// been done: it is OUTCOME_UNKNOWN.
func Write(ctx context.Context, name string, call func(context.Context) error) error {
	err := run(transport.WithWrite(ctx, name), name, call)
	if errors.Is(err, errUnreadable) {
		return transport.OutcomeUnknown(unreadable).WithCause(err)
	}
	return err
}

func run(ctx context.Context, name string, call func(context.Context) error) error {
	ctx, meta := transport.Capture(ctx)
	err := call(ctx)
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) && meta.Err() != nil {
		err = meta.Err() // go-github puts the context's error in the place of ours
	}
	return fmt.Errorf("%s: %w", name, Fault(err))
}

// Fault maps an error of go-github to one of the house; nil, faults and
// context.Canceled stay as they are.
func Fault(err error) error {
	var (
		known    *fault.Error
		response *github.ErrorResponse
		limited  *github.RateLimitError
		abuse    *github.AbuseRateLimitError
		accepted *github.AcceptedError
	)
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &response):
		return ofResponse(response)
	case errors.As(err, &limited):
		return transport.RateLimited(headerOf(limited.Response), time.Now()).WithCause(err)
	case errors.As(err, &abuse):
		return transport.RateLimited(headerOf(abuse.Response), time.Now()).WithCause(err)
	case errors.As(err, &accepted):
		return fault.New(fault.UpstreamError, "GitHub is still preparing the answer").
			WithFix("Try again in a few seconds.").RetryAfter(3).WithCause(err)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.UpstreamTimeout, "GitHub did not answer in time").WithFix("Try again.").RetryAfter(0).WithCause(err)
	}
	return fault.New(fault.UpstreamError, unreadable).WithFix("Try again.").WithCause(fmt.Errorf("%w: %w", errUnreadable, err))
}

const unreadable = "GitHub's answer could not be read"

// errUnreadable is in the chain of the fault for an answer that came and makes
// no sense.
var errUnreadable = errors.New("unreadable")
