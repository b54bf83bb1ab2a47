package server

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

type argumentsKey struct{}

// withArguments carries a call's arguments past the MCP library.
func withArguments(ctx context.Context, raw json.RawMessage) context.Context {
	return context.WithValue(ctx, argumentsKey{}, raw)
}

// argumentsOf is what withArguments carried, or what the library kept.
func argumentsOf(ctx context.Context, request mcp.CallToolRequest) json.RawMessage {
	if raw, ok := ctx.Value(argumentsKey{}).(json.RawMessage); ok {
		return raw
	}
	return request.Params.RawArguments
}

// callTool is the handler of every tool on the MCP side. A call that wants to
// be confirmed is taken to the person first, where the client can do that.
func (s *Server) callTool(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	tool, err := s.find(request.Params.Name)
	if err != nil {
		return nil, err
	}
	args, err := decodeArguments(argumentsOf(ctx, request))
	if err != nil {
		return wire(resultOf(nil, err)), nil
	}
	ctx, done := s.accompany(ctx, request.Params.Meta)
	defer done()
	body, err := s.run(ctx, tool, args)
	if q, ok := questionOf(tool.Name, args, err); ok {
		return s.confirmed(ctx, request, q)
	}
	return wire(resultOf(body, err)), nil
}

// wire is the result as MCP has it: a success both structured and as text, a
// failure as text alone, so that no client holds it against the output schema.
func wire(r Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{
		Content: []mcp.Content{mcp.NewTextContent(string(r.JSON))},
		IsError: r.Failed,
	}
	if !r.Failed {
		out.RawStructuredContent = r.JSON
	}
	return out
}
