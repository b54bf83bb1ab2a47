package peers_test

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// home is the sample repository that the sandbox serves.
const home = "octo-org/hello"

// session is one MCP client with a server process of its own.
type session struct {
	t      *testing.T
	client *client.Client
	server *mcp.InitializeResult
}

// start runs the program as an MCP server over stdio, and connects to it.
func start(t *testing.T, environment []string, arguments ...string) *session {
	t.Helper()
	c, err := client.NewStdioMCPClient(program, environment, append([]string{"stdio"}, arguments...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("the server did not end well: %v", err)
		}
	})
	request := mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_LEGACY_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "peers", Version: "1"},
	}}
	server, err := c.Initialize(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return &session{t, c, server}
}

// tools are the names of the listed tools.
func (s *session) tools() []string {
	s.t.Helper()
	list, err := s.client.ListTools(s.t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool that has to succeed, and decodes its result into result.
func (s *session) call(result any, tool string, arguments map[string]any) {
	s.t.Helper()
	text, failed := s.raw(tool, arguments)
	if failed {
		s.t.Fatalf("%s(%v) failed: %s", tool, arguments, text)
	}
	if err := json.Unmarshal([]byte(text), result); err != nil {
		s.t.Fatalf("%s(%v) = %s: %v", tool, arguments, text, err)
	}
}

// raw calls a tool, and gives its text and whether that is an error's.
func (s *session) raw(tool string, arguments map[string]any) (text string, failed bool) {
	s.t.Helper()
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: arguments}}
	result, err := s.client.CallTool(s.t.Context(), request)
	if err != nil {
		s.t.Fatalf("%s(%v): %v", tool, arguments, err)
	}
	if len(result.Content) != 1 {
		s.t.Fatalf("%s(%v) has %d parts, want 1", tool, arguments, len(result.Content))
	}
	content, ok := result.Content[0].(mcp.TextContent)
	if !ok {
		s.t.Fatalf("%s(%v) is %T, want text", tool, arguments, result.Content[0])
	}
	return content.Text, result.IsError
}
