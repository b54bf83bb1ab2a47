package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// metrics are what /metrics shows. No label has a value that a client could
// choose: tools are the contract's, codes and statuses are ours.
type metrics struct {
	calls    *prometheus.CounterVec   // by tool and code
	took     *prometheus.HistogramVec // by tool
	requests *prometheus.CounterVec   // by status
	show     http.Handler
}

const metricPrefix = "github_workflow_mcp_"

// The codes of a call that has a result, and of one that its client did not
// wait for.
const (
	succeeded = "OK"
	cancelled = "cancelled"
)

func newMetrics(registry *prometheus.Registry, inFlight, sessions func() int) *metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: metricPrefix + "calls_total", Help: "Tool calls by tool and by error code; OK is a result, cancelled is not answered.",
		}, []string{"tool", "code"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: metricPrefix + "call_duration_seconds", Help: "How long tool calls took, by tool.",
			Buckets: []float64{.001, .005, .02, .1, .25, .5, 1, 2.5, 5, 10, 25, 50},
		}, []string{"tool"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: metricPrefix + "http_requests_total", Help: "Requests that were answered, by HTTP status.",
		}, []string{"status"}),
		show: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}
	registry.MustRegister(
		m.calls, m.took, m.requests,
		gauge("requests_in_flight", "Requests that are being answered, open streams included.", inFlight),
		gauge("sessions", "Sessions of clients that begin with a handshake.", sessions),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

func gauge(name, help string, value func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: metricPrefix + name, Help: help}, func() float64 { return float64(value()) })
}

// called is told of every tool call, under its context.
func (m *metrics) called(ctx context.Context, tool string, took time.Duration, err error) {
	code := succeeded
	switch {
	case err == nil:
	case isCancelled(ctx):
		code = cancelled
	default:
		code = string(fault.From(err).Code)
	}
	m.calls.WithLabelValues(tool, code).Inc()
	m.took.WithLabelValues(tool).Observe(took.Seconds())
}

// answered is told of every request; status 0 is one that nobody was left to
// hear the answer of.
func (m *metrics) answered(status int) {
	m.requests.WithLabelValues(strconv.Itoa(status)).Inc()
}

// showMetrics is for whoever reaches a loopback address; elsewhere a server
// token, where there is one, guards it too.
func (h *HTTP) showMetrics(w http.ResponseWriter, r *http.Request) {
	if !h.door.mayMeasure(r) {
		h.door.challenge(w, r)
		return
	}
	h.metrics.show.ServeHTTP(w, r)
}

// called is told of every tool call, under its context.
func (h *HTTP) called(ctx context.Context, tool string, took time.Duration, err error) {
	h.metrics.called(ctx, tool, took, err)
	if t, ok := ctx.Value(ticketKey{}).(*ticket); ok && fault.Is(err, fault.AuthFailed) {
		t.visit.guest.reject()
	}
}
