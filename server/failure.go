package server

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Prompts and resources have no results for failures: a fault of theirs is a
// JSON-RPC error, with the fault's message, and its public face as data. The
// MCP library makes every such error an internal one without data; what it
// should have been travels past it in a failure.

type failureKey struct{}

type failure struct {
	details   *mcp.JSONRPCErrorDetails
	cancelled atomic.Bool // by the client, which is not answered
}

// withFailure makes room for a handler's failure.
func withFailure(ctx context.Context) (context.Context, *failure) {
	room := &failure{}
	return context.WithValue(ctx, failureKey{}, room), room
}

// failed notes a fault as the answer to the request of ctx. Its error is for
// the library, and says no more than the fault's public face.
func failed(ctx context.Context, err error) error {
	f := fault.From(err)
	if room, ok := ctx.Value(failureKey{}).(*failure); ok {
		room.details = &mcp.JSONRPCErrorDetails{Code: rpcCode(ctx, f.Code), Message: f.Message, Data: encodeFault(f)}
	}
	public := *f
	public.Cause = nil
	return &public
}

// noteCancelled notes that the client has cancelled the request of ctx, if it
// has.
func noteCancelled(ctx context.Context) {
	if room, ok := ctx.Value(failureKey{}).(*failure); ok && isCancelled(ctx) {
		room.cancelled.Store(true)
	}
}

// isCancelled reports whether nobody waits for the call of ctx any more. That
// the server stops is another thing: then somebody does.
func isCancelled(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.Canceled) && !errors.Is(context.Cause(ctx), errStopped)
}

// rpcCode is the JSON-RPC code of a fault: whether the caller asked for
// something that is not there, asked wrongly, or met a failure.
func rpcCode(ctx context.Context, code fault.Code) int {
	switch code {
	case fault.NotFound, fault.NotFoundOrNoAccess:
		if mcpserver.IsModernRequest(ctx) {
			return mcp.INVALID_PARAMS
		}
		return mcp.RESOURCE_NOT_FOUND
	case fault.InvalidArguments, fault.MissingArguments, fault.AmbiguousArguments, fault.MalformedCommentID,
		fault.RepositoryTargetInvalid, fault.TooLarge:
		return mcp.INVALID_PARAMS
	default:
		return mcp.INTERNAL_ERROR
	}
}
