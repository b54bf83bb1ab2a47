package peers_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func connectGoSDK(t *testing.T, to endpoint, version string, answers []string) *link {
	t.Helper()
	command := exec.Command(program, to.arguments...)
	command.Env = append(os.Environ(), to.environment...)
	var way gosdk.Transport = &gosdk.CommandTransport{Command: command}
	if to.url != "" {
		way = &gosdk.StreamableClientTransport{Endpoint: to.url}
	}
	asked := &person{answers: answers}
	c := gosdk.NewClient(&gosdk.Implementation{Name: "peers", Version: "1"}, &gosdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, request *gosdk.ElicitRequest) (*gosdk.ElicitResult, error) {
			action, content := asked.answer(request.Params.Message)
			return &gosdk.ElicitResult{Action: action, Content: content}, nil
		},
	})
	session, err := c.Connect(context.WithoutCancel(t.Context()), way, &gosdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, session.Close()) })
	return doing(session.InitializeResult().ProtocolVersion, asked, goSDKActions(session))
}

func goSDKActions(session *gosdk.ClientSession) map[string]func(context.Context, action) (outcome, error) {
	text := func(content gosdk.Content) string { return content.(*gosdk.TextContent).Text }
	return map[string]func(context.Context, action) (outcome, error){
		"tools": func(ctx context.Context, _ action) (outcome, error) {
			var names []string
			for tool, err := range session.Tools(ctx, nil) {
				if err != nil {
					return outcome{}, err
				}
				names = append(names, tool.Name)
			}
			return outcome{Text: strings.Join(names, "\n")}, nil
		},
		"call": func(ctx context.Context, a action) (outcome, error) {
			result, err := session.CallTool(ctx, &gosdk.CallToolParams{Name: a.Name, Arguments: a.Arguments})
			if err != nil {
				return outcome{}, err
			}
			return outcome{Text: text(result.Content[0]), Failed: result.IsError}, nil
		},
		"prompt": func(ctx context.Context, a action) (outcome, error) {
			result, err := session.GetPrompt(ctx, &gosdk.GetPromptParams{Name: a.Name, Arguments: a.texts()})
			if err != nil {
				return outcome{}, err
			}
			return outcome{Text: text(result.Messages[0].Content)}, nil
		},
		"resource": func(ctx context.Context, a action) (outcome, error) {
			result, err := session.ReadResource(ctx, &gosdk.ReadResourceParams{URI: a.Name})
			if err != nil {
				return outcome{}, err
			}
			return outcome{Text: result.Contents[0].Text}, nil
		},
	}
}
