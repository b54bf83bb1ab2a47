package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// Result is what a call answers.
type Result struct {
	// JSON is the tool's result or, when Failed, the public face of a fault;
	// compact, with <, > and & as they are.
	JSON   json.RawMessage
	Failed bool
}

// ErrUnknownTool is in the chain of the error for a tool that does not exist
// or is switched off.
var ErrUnknownTool = errors.New("unknown tool")

// Call runs one tool as a client's call would. The error is non-nil only for
// a tool that does not exist or is switched off; every other failure is a
// Result. Numbers in args may be json.Number, which keeps all digits.
func (s *Server) Call(ctx context.Context, name string, args map[string]any) (Result, error) {
	tool, err := s.find(name)
	if err != nil {
		return Result{}, err
	}
	ctx, done := s.accompany(ctx, nil)
	defer done()
	return resultOf(s.run(ctx, tool, args)), nil
}

// resultOf is what run gave, as a result.
func resultOf(body []byte, err error) Result {
	if err != nil {
		return Result{JSON: encodeFault(fault.From(err)), Failed: true}
	}
	return Result{JSON: body}
}

// find is the tool of that name; the error is ErrUnknownTool when there is
// none, or none that is on.
func (s *Server) find(name string) (*contract.Tool, error) {
	if !s.enabled[name] {
		return nil, s.unknownTool(name)
	}
	tool, _ := s.contract.Tool(name)
	return tool, nil
}

// run is one call from its arguments to its result or fault, and its line in
// the log. Its context comes from accompany.
func (s *Server) run(ctx context.Context, tool *contract.Tool, args map[string]any) ([]byte, error) {
	start := time.Now()
	body, err := s.answer(ctx, tool, args)
	took := time.Since(start)
	s.logCall(ctx, tool.Name, took, len(body), err)
	if s.observe != nil {
		s.observe(ctx, tool.Name, took, err)
	}
	return body, findable(ctx, err)
}

func (s *Server) unknownTool(name string) error {
	if why := s.off[name]; why != "" {
		return fmt.Errorf("%w %q: %s", ErrUnknownTool, name, why)
	}
	if tool, ok := s.contract.Tool(name); ok {
		return fmt.Errorf("%w %q: it is switched off here (toolset %q)", ErrUnknownTool, name, tool.Toolset)
	}
	name = cut(name, 80)
	return fmt.Errorf("%w %q%s", ErrUnknownTool, name, didYouMean(s.contract.NearestTool(name)))
}

type refusalKey struct{}

// withRefusal has a call answered with a fault in place of being run.
func withRefusal(ctx context.Context, f *fault.Error) context.Context {
	return context.WithValue(ctx, refusalKey{}, f)
}

// answer is the one path of a call.
func (s *Server) answer(ctx context.Context, tool *contract.Tool, args map[string]any) (_ []byte, err error) {
	defer s.recoverPanic(ctx, tool.Name, &err)
	if refused, ok := ctx.Value(refusalKey{}).(*fault.Error); ok {
		return nil, refused
	}
	if s.readOnly && !tool.Annotations.ReadOnlyHint {
		return nil, fault.New(fault.ReadOnly, "%s writes, and this server runs read-only", tool.Name).
			WithFix("Use a tool that only reads, or ask the person who runs the server to start it without --read-only.")
	}
	checked, err := tool.CheckArguments(args)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, s.givenUp(ctx, tool).RetryAfter(0).WithFix("Nothing was done: try again in a moment.")
	}
	settled(ctx)
	limited, cancel := context.WithTimeout(context.WithValue(ctx, answeringKey{}, s), s.callTimeout)
	defer cancel()
	result, err := s.handle(limited, tool, checked)
	if err != nil {
		return nil, s.ended(limited, tool, err)
	}
	if !tool.Annotations.ReadOnlyHint {
		limited = context.WithoutCancel(limited) // what was done is told, however late
	}
	body, err := s.finish(limited, tool, result)
	if err != nil {
		return nil, s.ended(limited, tool, err)
	}
	return body, nil
}

type answeringKey struct{}

// Answering is the Server that runs the call of ctx, which may be a narrowed
// one; nil outside of a call.
func Answering(ctx context.Context) *Server {
	s, _ := ctx.Value(answeringKey{}).(*Server)
	return s
}

// handle runs the tool's handler; for a tool that writes, once BeforeWrite has
// no objection.
func (s *Server) handle(ctx context.Context, tool *contract.Tool, args json.RawMessage) (any, error) {
	if !tool.Annotations.ReadOnlyHint && s.beforeWrite != nil {
		if err := s.beforeWrite(ctx); err != nil {
			return nil, err
		}
	}
	return s.handlers[tool.Name](ctx, args)
}

// finish brings a handler's result into the form that goes out: trust is
// projected on all of it, then it is cut to the budget, and the summary of
// trust is over exactly what stays. The end of ctx ends it.
func (s *Server) finish(ctx context.Context, tool *contract.Tool, result any) ([]byte, error) {
	summarize := s.project(ctx, result)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	body, err := page.Fit(result, s.maxResult, summarize)
	if err != nil {
		return nil, err
	}
	if s.checkResults {
		if err := tool.CheckResult(body); err != nil {
			return nil, fault.New(fault.Internal, "the result of %s breaks its own contract", tool.Name).WithCause(err)
		}
	}
	return body, nil
}

// project projects trust on a result that carries authored texts and returns
// what sums it up in a cut copy. At the end of ctx it stops halfway.
func (s *Server) project(ctx context.Context, result any) (summarize func(candidate any)) {
	carrier, ok := result.(trust.Carrier)
	if !ok {
		return func(any) {}
	}
	projection := s.trust.Project(stoppable{carrier, ctx.Err})
	return func(candidate any) {
		if kept, ok := candidate.(trust.Carrier); ok {
			projection.Summarize(kept)
		}
	}
}

// stoppable is a carrier that shows no more texts once ended says so: looking
// through a hundred long ones takes a while.
type stoppable struct {
	trust.Carrier
	ended func() error
}

// VisitTexts shows the carrier's texts until the end.
func (s stoppable) VisitTexts(visit func(trust.Text)) {
	s.Carrier.VisitTexts(func(text trust.Text) {
		if s.ended() == nil {
			visit(text)
		}
	})
}

// ended turns the end of the call's context into a fault. What the handler
// itself has to say about it, such as OUTCOME_UNKNOWN, stands.
func (s *Server) ended(ctx context.Context, tool *contract.Tool, err error) error {
	var said *fault.Error
	if ctx.Err() == nil || errors.As(err, &said) && said.Code != fault.Internal {
		return err
	}
	late := s.givenUp(ctx, tool).WithCause(err)
	if tool.Annotations.ReadOnlyHint {
		return late.RetryAfter(0).WithFix("Try again, or ask for less at once.")
	}
	return late.WithFix("Look whether the change was made before you send it again.")
}

// givenUp says why the call of ctx ended before its tool did.
func (s *Server) givenUp(ctx context.Context, tool *contract.Tool) *fault.Error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.New(fault.UpstreamTimeout, "%s took longer than %s and was given up", tool.Name, s.callTimeout)
	case errors.Is(context.Cause(ctx), errStopped):
		return fault.New(fault.UpstreamTimeout, "%s was given up, because this server is stopping", tool.Name)
	}
	return fault.New(fault.UpstreamTimeout, "%s was cancelled", tool.Name)
}

// recoverPanic is deferred around a call: a panic is this call's fault and
// nobody else's.
func (s *Server) recoverPanic(ctx context.Context, tool string, err *error) {
	if p := recover(); p != nil {
		s.log.ErrorContext(ctx, "panic in a tool", "tool", tool, "panic", p, "stack", string(debug.Stack()))
		*err = fault.New(fault.Internal, "%s failed in a way it should not", tool).
			WithFix("Try once more; if it stays, report it with the server's log.").
			WithCause(fmt.Errorf("panic: %v", p))
	}
}

func (s *Server) logCall(ctx context.Context, name string, took time.Duration, size int, err error) {
	if err == nil {
		s.log.DebugContext(ctx, "call", "tool", name, "took", took, "bytes", size)
		return
	}
	if isCancelled(ctx) { // and ends with any error
		s.log.InfoContext(ctx, "call cancelled", "tool", name, "took", took, "err", err)
		return
	}
	f := fault.From(err)
	line := []any{"tool", name, "took", took, "code", f.Code, "err", err}
	if id := f.Details["requestId"]; id != nil {
		line = append(line, "request_id", id)
	}
	s.log.Log(ctx, levelOf(f.Code), "call failed", line...)
}

// levelOf is how loud a failure is: ours, GitHub's, or the call's own.
func levelOf(code fault.Code) slog.Level {
	switch {
	case !causeInLog(code):
		return slog.LevelInfo
	case code == fault.Internal:
		return slog.LevelError
	}
	return slog.LevelWarn
}

// encodeFault writes error, code, message and fix first, then the details by
// name, so that a reader who stops early has read what matters.
func encodeFault(f *fault.Error) json.RawMessage {
	public := f.Public()
	out := []byte{'{'}
	for _, name := range memberOrder(public) {
		value, err := page.Encode(public[name])
		if err != nil {
			continue // a detail that is no JSON is not worth losing the fault
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		key, _ := page.Encode(name) // a string always encodes
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}')
}

// memberOrder is the order of a fault's members on the wire.
func memberOrder(public map[string]any) []string {
	var order []string
	first := []string{"error", "code", "message", "fix"}
	for _, name := range first {
		if _, ok := public[name]; ok {
			order = append(order, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(public)) {
		if !slices.Contains(first, name) {
			order = append(order, name)
		}
	}
	return order
}

// cut shortens text to n runes.
func cut(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n]) + "…"
}
