package transport

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
)

// Call is what the requests under a context are made for: one call of a
// client's, however many requests it takes.
type Call struct {
	// ID names the call in every line of the log that LogCalls writes.
	ID string
	// Trace is the caller's; it is passed on to GitHub and into the log.
	Trace Trace
	// OnRequest is told the name of every request before it goes out, repeated
	// ones included, on the goroutine that makes it; it must be safe for
	// concurrent use. Nil is told nothing.
	OnRequest func(name string)
}

type callKey struct{}

// WithCall says that the requests made under ctx belong to the call.
func WithCall(ctx context.Context, c Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf is the call that ctx belongs to; zero when nobody said.
func CallOf(ctx context.Context) Call {
	c, _ := ctx.Value(callKey{}).(Call)
	return c
}

// announce tells the call that a request is about to go out.
func (c Call) announce(name string) {
	if c.OnRequest != nil {
		c.OnRequest(name)
	}
}

// Trace is a W3C trace context: the place in a trace that spans programs, as
// the headers traceparent and tracestate write it. The zero value is none.
type Trace struct {
	parent, state string
}

var (
	// traceparent is version, trace, parent and flags; a version after 00 may
	// append more.
	traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[!-~]*)?$`)
	// tracestate is a list of key=value in visible characters.
	tracestate = regexp.MustCompile(`^[a-z0-9][!-<>-~]*=[ -~]+$`)
)

const (
	maxTraceparent = 256 // bytes; of version 00 it has 55
	maxTracestate  = 512 // bytes; the least that everybody has to pass on
)

// ParseTrace reads a trace context. One that breaks the W3C form is none, as
// that form asks; of a good one, a state that breaks it is left out.
func ParseTrace(parent, state string) Trace {
	parts := traceparent.FindStringSubmatch(parent)
	switch {
	case parts == nil, len(parent) > maxTraceparent, parts[1] == "ff", parts[1] == "00" && parts[4] != "",
		strings.Trim(parts[2], "0") == "", strings.Trim(parts[3], "0") == "":
		return Trace{}
	case len(state) > maxTracestate || !tracestate.MatchString(state):
		return Trace{parent: parent}
	}
	return Trace{parent: parent, state: state}
}

// ID is the id of the whole trace, 32 hex digits; "" when there is none.
func (t Trace) ID() string {
	if t.parent == "" {
		return ""
	}
	return strings.Split(t.parent, "-")[1]
}

// set writes the headers, if there is a trace.
func (t Trace) set(h http.Header) {
	for name, value := range map[string]string{"Traceparent": t.parent, "Tracestate": t.state} {
		if value != "" {
			h.Set(name, value)
		}
	}
}

// LogCalls is log with the call's id, and its trace if it has one, in every
// line that is written under the context of a Call.
func LogCalls(log *slog.Logger) *slog.Logger {
	return slog.New(callHandler{log.Handler()})
}

type callHandler struct{ slog.Handler }

func (h callHandler) Handle(ctx context.Context, line slog.Record) error {
	c := CallOf(ctx)
	if c.ID != "" {
		line.AddAttrs(slog.String("call", c.ID))
	}
	if id := c.Trace.ID(); id != "" {
		line.AddAttrs(slog.String("trace_id", id))
	}
	return h.Handler.Handle(ctx, line)
}

func (h callHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return callHandler{h.Handler.WithAttrs(attrs)}
}

func (h callHandler) WithGroup(name string) slog.Handler {
	return callHandler{h.Handler.WithGroup(name)}
}
