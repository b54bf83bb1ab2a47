package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// accompany gives a call what goes with it to the end: an id for the log, the
// caller's trace and, where the caller asked for it, news of the progress.
// What comes after done is not news any more. The server's end, when it comes
// to that, is the call's.
func (s *Server) accompany(ctx context.Context, meta *mcp.Meta) (_ context.Context, done func()) {
	ctx, leave := heedStop(ctx)
	news := s.newProgress(ctx, meta)
	called := transport.WithCall(ctx, transport.Call{ID: newCallID(), Trace: traceOf(meta), OnRequest: news.request})
	return called, func() {
		news.end()
		noteCancelled(ctx)
		leave()
	}
}

// newCallID is 16 hex digits that no other call has.
func newCallID() string {
	var id [8]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// traceOf is the trace context in a request's _meta.
func traceOf(meta *mcp.Meta) transport.Trace {
	if meta == nil {
		return transport.Trace{}
	}
	parent, _ := meta.AdditionalFields["traceparent"].(string)
	state, _ := meta.AdditionalFields["tracestate"].(string)
	return transport.ParseTrace(parent, state)
}

// findable is a fault with the id by which the log tells more of it, for those
// whose cause only the log tells.
func findable(ctx context.Context, err error) error {
	f := fault.From(err)
	if f == nil || !causeInLog(f.Code) {
		return err
	}
	own := *f
	own.Details = maps.Clone(f.Details)
	return own.With("callId", transport.CallOf(ctx).ID)
}

// causeInLog: the server or GitHub failed, and not the call.
func causeInLog(code fault.Code) bool {
	switch code {
	case fault.Internal, fault.UpstreamError, fault.UpstreamTimeout, fault.OutcomeUnknown:
		return true
	}
	return false
}
