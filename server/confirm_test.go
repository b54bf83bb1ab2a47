package server_test

import (
	"context"
	"io"
	"strings"
	"testing"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// person answers questions with one action and remembers them.
type person struct {
	action  mcp.ElicitationResponseAction
	content any
	asked   []string
}

func (p *person) Elicit(_ context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.asked = append(p.asked, request.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: p.action, Content: p.content}}, nil
}

// TestConfirmationWithAClient: a client of the library asks its person once,
// in both protocols, and the call ends as the person said.
func TestConfirmationWithAClient(t *testing.T) {
	for era, how := range map[string][]mcpclient.ClientOption{
		mcp.LATEST_LEGACY_PROTOCOL_VERSION: {mcpclient.WithLegacyProtocolOnly()},
		mcp.LATEST_PROTOCOL_VERSION:        {mcpclient.WithProtocolVersion(mcp.LATEST_PROTOCOL_VERSION)},
	} {
		for name, test := range map[string]struct {
			person person
			want   string
			failed bool
		}{
			"a yes":                     {person{action: mcp.ElicitationResponseActionAccept, content: map[string]any{"confirm": true}}, "erased it", false},
			"sent with the box empty":   {person{action: mcp.ElicitationResponseActionAccept, content: map[string]any{"confirm": false}}, "declined", true},
			"yes in words is no yes":    {person{action: mcp.ElicitationResponseActionAccept, content: map[string]any{"confirm": "true"}}, "declined", true},
			"sent without anything":     {person{action: mcp.ElicitationResponseActionAccept}, "declined", true},
			"a no":                      {person{action: mcp.ElicitationResponseActionDecline}, "declined", true},
			"the dialog was put away":   {person{action: mcp.ElicitationResponseActionCancel}, "declined", true},
			"a no with the box checked": {person{action: mcp.ElicitationResponseActionDecline, content: map[string]any{"confirm": true}}, "declined", true},
		} {
			t.Run(era+"/"+name, func(t *testing.T) {
				c := connect(t, newServer(t, options(t)), append(how, mcpclient.WithElicitationHandler(&test.person))...)
				if c.ProtocolVersion() != era {
					t.Fatalf("the session is of %s", c.ProtocolVersion())
				}
				result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
					Name: "erase", Arguments: map[string]any{"what": "it"},
				}})
				if err != nil {
					t.Fatal(err)
				}
				text := mcp.GetTextFromContent(result.Content[0])
				if result.IsError != test.failed || !strings.Contains(text, test.want) {
					t.Errorf("the call answers %s (failed %v), want %q", text, result.IsError, test.want)
				}
				if len(test.person.asked) != 1 || test.person.asked[0] != "erasing it cannot be undone" {
					t.Errorf("the person was asked %q", test.person.asked)
				}
			})
		}
	}
}

// connect has a client of the MCP library talk to s over pipes.
func connect(t *testing.T, s *server.Server, options ...mcpclient.ClientOption) *mcpclient.Client {
	t.Helper()
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.ServeStdio(t.Context(), serverIn, serverOut)
		serverOut.Close()
	}()
	c := mcpclient.NewClient(transport.NewIO(out, in, io.NopCloser(strings.NewReader(""))), options...)
	t.Cleanup(func() {
		c.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	return c
}
