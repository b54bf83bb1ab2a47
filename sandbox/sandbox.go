// Package sandbox is an embedded GitHub: a server on loopback that speaks
// GitHub's GraphQL and REST, so that nothing in front of it can tell it from
// the real one.
//
// It promises GitHub's shapes (errors with type and path, connections, node
// ids of both generations, cursors, headers), GitHub's rules (permissions,
// page bounds, node limit, tombstones) and a state that requests change. It is
// safe for concurrent use, and two sandboxes that get the same requests answer
// with the same bodies. What the product has to survive can be played on
// request: see [Failure].
//
// GraphQL is served at /api/graphql and /graphql, REST below /api/v3 and at
// the root. Below /_sandbox are the sandbox's own controls:
//
//	GET    /_sandbox/requests   the ledger, oldest first
//	DELETE /_sandbox/requests   forgets it
//	GET    /_sandbox/failures   the rules in force, with how often each matched
//	POST   /_sandbox/failures   adds a list of rules
//	DELETE /_sandbox/failures   removes them all
//
// The tokens are the constants below. The sample repositories are described in
// package fixtures.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

// The tokens, each of a user of its own with that permission in
// octo-org/hello: octo-admin, octo-write, octo-triage and octo-read. Any other
// token is refused. octo-org/private is visible to the first two only.
const (
	AdminToken  = "sandbox-admin"
	WriteToken  = "sandbox-write"
	TriageToken = "sandbox-triage"
	ReadToken   = "sandbox-read"
)

var logins = map[string]string{
	AdminToken: "octo-admin", WriteToken: "octo-write", TriageToken: "octo-triage", ReadToken: "octo-read",
}

const tokenScopes = "project, read:org, repo"

// Options set a sandbox up. The zero value is the sample repositories with a
// clock of their own.
type Options struct {
	// Repositories replace the sample ones; they are not changed.
	Repositories []*fixtures.Repository

	// Clock is the sandbox's time: of its Date headers, its rate limits, and
	// of writes, which still get rising times at least a second apart. When
	// nil, Date and limits follow the system's clock, and the first write is a
	// second later than the newest fixture, the next a second later, and so
	// on: two runs give the same times.
	Clock func() time.Time

	Logger *slog.Logger // nil: no log
}

// Sandbox is an embedded GitHub. It is safe for concurrent use.
type Sandbox struct {
	store    *store
	clock    func() time.Time
	log      *slog.Logger
	ledger   ledger
	limits   limits
	failures failures
}

// New makes a sandbox; it fails only on repositories that contradict
// themselves.
func New(options Options) (*Sandbox, error) {
	if options.Repositories == nil {
		samples, err := fixtures.LoadAll()
		if err != nil {
			return nil, fmt.Errorf("fixtures: %w", err)
		}
		options.Repositories = samples
	}
	state, err := newStore(options.Repositories, options.Clock)
	if err != nil {
		return nil, err
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Sandbox{
		store: state, clock: options.Clock, log: options.Logger,
		limits: limits{clock: options.Clock, used: map[string]*limit{}},
	}, nil
}

// Handler serves the sandbox.
func (s *Sandbox) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", s.serve)
	mux.HandleFunc("GET /_sandbox/requests", func(w http.ResponseWriter, _ *http.Request) { control(w, s.Requests()) })
	mux.HandleFunc("DELETE /_sandbox/requests", func(http.ResponseWriter, *http.Request) { s.ResetRequests() })
	mux.HandleFunc("GET /_sandbox/failures", func(w http.ResponseWriter, _ *http.Request) { control(w, s.failures.list()) })
	mux.HandleFunc("POST /_sandbox/failures", s.postFailures)
	mux.HandleFunc("DELETE /_sandbox/failures", func(http.ResponseWriter, *http.Request) { s.ClearFailures() })
	return mux
}

func control(w http.ResponseWriter, value any) {
	out := object200(value)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body)
}

func (s *Sandbox) postFailures(w http.ResponseWriter, r *http.Request) {
	var rules []Failure
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&rules)
	if err == nil {
		err = s.Fail(rules...)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	control(w, s.failures.list())
}

// Requests is the ledger: the newest 10,000 requests, oldest first.
func (s *Sandbox) Requests() []Request { return s.ledger.all() }

// ResetRequests forgets the ledger; numbers start at 1 again.
func (s *Sandbox) ResetRequests() { s.ledger.reset() }

// Fail adds rules for the requests to come; it adds none when one is wrong.
func (s *Sandbox) Fail(rules ...Failure) error { return s.failures.add(rules) }

// ClearFailures removes every rule.
func (s *Sandbox) ClearFailures() { s.failures.clear() }

// viewer is the account of the request's token; nil when there is none.
func (s *Sandbox) viewer(r *http.Request) *account {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token") {
		return nil
	}
	login := logins[strings.TrimSpace(token)]
	if login == "" {
		return nil
	}
	return s.store.account(login)
}

// Running is a sandbox that listens.
type Running struct {
	*Sandbox
	URL    string // http://127.0.0.1:PORT
	server *http.Server
	done   chan error
	stop   func() bool // no longer waits for the context
}

// Start serves a new sandbox on addr ("127.0.0.1:0" picks a port; "" is that)
// until ctx ends or Close is called.
func Start(ctx context.Context, options Options, addr string) (*Running, error) {
	s, err := New(options)
	if err != nil {
		return nil, err
	}
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	running := &Running{
		Sandbox: s, URL: "http://" + listener.Addr().String(), done: make(chan error, 1),
		server: &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second},
	}
	go func() { running.done <- running.server.Serve(listener) }()
	running.stop = context.AfterFunc(ctx, func() { _ = running.server.Close() })
	return running, nil
}

// Close stops the server and its connections; a second call does nothing.
func (r *Running) Close() error {
	r.stop()
	err := r.server.Close()
	if served, open := <-r.done; open {
		close(r.done)
		if !errors.Is(served, http.ErrServerClosed) {
			return served
		}
	}
	return err
}

// GraphQLURL is the GraphQL endpoint, as GITHUB_GRAPHQL_URL names it.
func (r *Running) GraphQLURL() string { return r.URL + "/api/graphql" }

// RESTURL is the REST endpoint, as GITHUB_API_URL names it.
func (r *Running) RESTURL() string { return r.URL + "/api/v3" }

// TB is the part of testing.TB that StartTest needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
	Context() context.Context
}

// StartTest starts a sandbox that lives as long as the test.
func StartTest(t TB, options Options) *Running {
	t.Helper()
	running, err := Start(context.WithoutCancel(t.Context()), options, "")
	if err != nil {
		t.Fatalf("sandbox: %v", err)
	}
	t.Cleanup(func() { _ = running.Close() })
	return running
}
