package peers_test

import (
	"context"
	"strings"
	"testing"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Elicit makes a person one of mcp-go's.
func (p *person) Elicit(_ context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	action, content := p.answer(request.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseAction(action), Content: content,
	}}, nil
}

func connectMCPGo(t *testing.T, to endpoint, version string, answers []string) *link {
	t.Helper()
	var way transport.Interface = transport.NewStdio(program, to.environment, to.arguments...)
	if to.url != "" {
		streamable, err := transport.NewStreamableHTTP(to.url)
		if err != nil {
			t.Fatal(err)
		}
		way = streamable
	}
	asked := &person{answers: answers}
	c := mcpclient.NewClient(way, mcpclient.WithProtocolVersion(version), mcpclient.WithElicitationHandler(asked))
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, c.Close()) })
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: version, ClientInfo: mcp.Implementation{Name: "peers", Version: "1"},
	}}); err != nil {
		t.Fatal(err)
	}
	return doing(c.ProtocolVersion(), asked, mcpGoActions(c))
}

func mcpGoActions(c *mcpclient.Client) map[string]func(context.Context, action) (outcome, error) {
	return map[string]func(context.Context, action) (outcome, error){
		"tools": func(ctx context.Context, _ action) (outcome, error) {
			list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
			if err != nil {
				return outcome{}, err
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			return outcome{Text: strings.Join(names, "\n")}, nil
		},
		"call": func(ctx context.Context, a action) (outcome, error) {
			result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: a.Name, Arguments: a.Arguments}})
			if err != nil {
				return outcome{}, err
			}
			return outcome{Text: mcp.GetTextFromContent(result.Content[0]), Failed: result.IsError}, nil
		},
		"prompt": func(ctx context.Context, a action) (outcome, error) {
			result, err := c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: a.Name, Arguments: a.texts()}})
			if err != nil {
				return outcome{}, err
			}
			return outcome{Text: mcp.GetTextFromContent(result.Messages[0].Content)}, nil
		},
		"resource": func(ctx context.Context, a action) (outcome, error) {
			result, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: a.Name}})
			if err != nil {
				return outcome{}, err
			}
			contents, _ := mcp.AsTextResourceContents(result.Contents[0])
			return outcome{Text: contents.Text}, nil
		},
	}
}
