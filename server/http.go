package server

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Defaults of HTTPOptions.
const (
	DefaultMaxConcurrent = 20
	DefaultMaxPerMinute  = 600
	DefaultSessionIdle   = 30 * time.Minute
	DefaultMaxSessions   = 10_000
	DefaultDrainTimeout  = 25 * time.Second
)

const (
	headerTimeout  = 10 * time.Second
	transferTime   = 30 * time.Second // for a body to come in, or one write to go out
	keepAlive      = 2 * time.Minute  // of a connection between two requests
	pingInterval   = 30 * time.Second // on a stream that has nothing to say
	maxHeaderBytes = 64 << 10

	// MaxBodyBytes bounds one message over HTTP. Only the arguments of a tool
	// may be that long; they are refused by the tool itself, with a better text.
	MaxBodyBytes = 8 << 20

	// heavyBytes is from where on a message counts as long: longer than any
	// that GitHub would take. Few of those are in memory at a time, and of few
	// others the beginning.
	heavyBytes      = 1 << 20
	maxHeavy        = 2
	maxHeavyWaiting = 16
)

// HTTPOptions configures an HTTP. The zero value of every field is its
// default; together they make an endpoint for a network, where each request
// has to bring the GitHub token of the user it acts for.
type HTTPOptions struct {
	// Loopback says that only this machine reaches the endpoint. Then a request
	// without a token acts as the process itself does, and the Host header has
	// to name this machine, which web pages elsewhere cannot make it do.
	Loopback bool
	// ServerToken, if there is one, has to come with every request; GitHub is
	// then called with the process's own identity.
	ServerToken string
	// AuthorizationServer is the address of the OAuth server that clients get a
	// GitHub token from. With it every request has to bring a token.
	AuthorizationServer string
	// PublicURL is where clients reach the endpoint when a proxy stands in
	// between, such as https://mcp.example.com/mcp. With it every request has
	// to bring a token.
	PublicURL string
	// AllowedOrigins are the web pages that may use the endpoint, each as
	// scheme://host or scheme://host:port. With Loopback, pages of this machine
	// may as well.
	AllowedOrigins []string
	// Off are the tools that make no sense over HTTP, and of each, why.
	Off map[string]string

	MaxConcurrent int // requests of one user at a time
	MaxPerMinute  int // requests of one user

	SessionIdle  time.Duration // after which a session without requests is freed
	MaxSessions  int           // beyond which the user with most loses the oldest
	DrainTimeout time.Duration // for running requests to finish when Serve ends
	TransferTime time.Duration // for a body to come in, or one write to go out; 0 is 30 s

	TLS *tls.Config // nil serves plain HTTP
	// Metrics is where the endpoint's measurements are added; nil is a registry
	// of its own. /metrics shows all of it.
	Metrics *prometheus.Registry
}

func (o HTTPOptions) withDefaults() (HTTPOptions, error) {
	o.MaxConcurrent = cmp.Or(o.MaxConcurrent, DefaultMaxConcurrent)
	o.MaxPerMinute = cmp.Or(o.MaxPerMinute, DefaultMaxPerMinute)
	o.SessionIdle = cmp.Or(o.SessionIdle, DefaultSessionIdle)
	o.MaxSessions = cmp.Or(o.MaxSessions, DefaultMaxSessions)
	o.DrainTimeout = cmp.Or(o.DrainTimeout, DefaultDrainTimeout)
	o.TransferTime = cmp.Or(o.TransferTime, transferTime)
	if min(o.MaxConcurrent, o.MaxPerMinute, o.MaxSessions) < 0 || min(o.SessionIdle, o.DrainTimeout, o.TransferTime) < 0 {
		return o, errors.New("a limit below 0 lets nothing pass")
	}
	return o, nil
}

// HTTP serves one Server to many clients over Streamable HTTP, of every
// version of the protocol. It promises that
//   - a request acts for nobody but the user whose token it brings: sessions
//     and running calls of one user do not exist for another;
//   - web pages that were not allowed, and hosts that are not meant, get
//     nothing;
//   - no client can make it hold more than a bound of memory, requests,
//     sessions or time;
//   - a token is never part of a log line or an answer.
//
// It is a http.Handler, but the time-outs of connections, the freeing of idle
// sessions and an end that loses no running call come with Serve.
type HTTP struct {
	options  HTTPOptions
	log      *slog.Logger
	door     *door
	faces    *faces
	guests   *guests
	sessions *sessions
	gate     *gate
	metrics  *metrics
	heavy    narrows // for long messages
	routes   *http.ServeMux
}

// NewHTTP makes an HTTP. It refuses options that contradict themselves.
func NewHTTP(s *Server, o HTTPOptions) (*HTTP, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	door, err := newDoor(o)
	if err != nil {
		return nil, err
	}
	h := &HTTP{
		options: o, log: s.log, door: door, guests: newGuests(o),
		sessions: newSessions(o.MaxSessions, o.SessionIdle), gate: newGate(),
		heavy: newNarrows(maxHeavy, maxHeavyWaiting), routes: http.NewServeMux(),
	}
	h.metrics = newMetrics(o.Metrics, h.gate.count, h.sessions.count)
	h.faces = newFaces(s.sibling(func(n *Server) {
		n.turnOff(o.Off)
		n.observe = h.called
	}))
	for _, path := range []string{"/mcp", "/mcp/readonly", "/mcp/x/{toolsets}", "/mcp/x/{toolsets}/readonly"} {
		h.routes.HandleFunc(path, h.endpoint)
	}
	h.routes.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	h.routes.HandleFunc("GET /readyz", h.ready)
	h.routes.HandleFunc("GET /metrics", h.showMetrics)
	if o.AuthorizationServer != "" {
		h.routes.HandleFunc(metadataPath, h.door.metadata)
		h.routes.HandleFunc(metadataPath+"/", h.door.metadata)
	}
	return h, nil
}

func (h *HTTP) ready(w http.ResponseWriter, _ *http.Request) {
	if h.gate.isShut() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// ServeHTTP implements http.Handler.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &patientWriter{ResponseWriter: w, control: http.NewResponseController(w), patience: h.options.TransferTime}
	defer func() { h.metrics.answered(out.status) }()
	defer h.recoverPanic(out, r)
	expectBody(out, h.options.TransferTime)
	if why := h.door.refuses(r); why != "" {
		http.Error(out, why, http.StatusForbidden)
		return
	}
	if h.door.preflight(out, r) {
		return
	}
	h.routes.ServeHTTP(out, r)
}

// recoverPanic is deferred around a request: a panic is this request's fault
// and nobody else's.
func (h *HTTP) recoverPanic(w *patientWriter, r *http.Request) {
	if p := recover(); p != nil {
		h.log.Error("panic in the endpoint", "method", r.Method, "path", cut(r.URL.Path, 100), "panic", p, "stack", string(debug.Stack()))
		if w.status != 0 {
			panic(http.ErrAbortHandler) // half an answer must not look like a whole one
		}
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}
