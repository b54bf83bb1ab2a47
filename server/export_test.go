package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// Extend adds tools to those that h serves at /mcp, and sets further options
// of the protocol. The tools bypass the contract; everything else on the way
// to them is what it is for ours.
func (h *HTTP) Extend(tools []mcpserver.ServerTool, options ...mcpserver.ServerOption) (*mcpserver.MCPServer, error) {
	at, err := h.faces.of(httptest.NewRequest(http.MethodPost, endpointPath, http.NoBody))
	if err != nil {
		return nil, err
	}
	listed := at.server.protocolTools()
	for _, tool := range tools {
		at.server.enabled[tool.Tool.Name] = true
		listed = append(listed, tool.Tool)
	}
	hooks := &mcpserver.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		result.Tools = listed
	})
	for _, set := range append(slices.Clone(options), mcpserver.WithHooks(hooks)) {
		set(at.server.protocol)
	}
	at.server.protocol.AddTools(tools...)
	return at.server.protocol, nil
}

// Arguments are those of a call to an added tool; the library is not shown
// them.
func Arguments(ctx context.Context, request mcp.CallToolRequest) (map[string]any, error) {
	return decodeArguments(argumentsOf(ctx, request))
}

// Refuse is the error of an added tool that answers with a JSON-RPC error of
// its own.
func Refuse(ctx context.Context, details mcp.JSONRPCErrorDetails) error {
	if room, ok := ctx.Value(failureKey{}).(*failure); ok {
		room.details = &details
	}
	return errors.New(details.Message)
}
