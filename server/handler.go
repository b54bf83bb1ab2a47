package server

import (
	"context"
	"encoding/json"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Handler runs one tool. Its arguments have been checked against the
// contract and carry its defaults. What it returns is encoded as the result;
// an error that is no fault.Error is answered as INTERNAL.
type Handler func(ctx context.Context, args json.RawMessage) (any, error)

// Typed makes a Handler of a function on plain structs.
func Typed[In, Out any](f func(context.Context, In) (Out, error)) Handler {
	return func(ctx context.Context, args json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			// The contract let through what the struct cannot hold.
			return nil, fault.New(fault.Internal, "the checked arguments do not fit this tool's request").WithCause(err)
		}
		out, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
}
