package server_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// The names, and what is behind each of them, are the suites'.

// A picture of one pixel and a sound without samples.
const (
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	silence  = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
)

const ofTheSuites = "Is what the conformance suites look for"

const noArguments = `{"type":"object","properties":{}}`

// suiteTool is a tool of the suites.
type suiteTool struct {
	name   string
	schema string // of its input; noArguments when empty
	call   func(context.Context, suiteCall) (*mcp.CallToolResult, error)
}

// suiteCall is a call of one, with what a call can make use of.
type suiteCall struct {
	request   mcp.CallToolRequest
	arguments map[string]any
	protocol  *mcpserver.MCPServer
	can       mcp.ClientCapabilities
}

func suiteTools() []mcpserver.ServerTool {
	var tools []mcpserver.ServerTool
	for _, list := range [][]suiteTool{contentTools(), talkingTools(), askingTools(), repeatedTools()} {
		for _, t := range list {
			tools = append(tools, mcpserver.ServerTool{
				Tool:    mcp.NewToolWithRawSchema(t.name, ofTheSuites, json.RawMessage(orElse(t.schema, noArguments))),
				Handler: t.handle,
			})
		}
	}
	return tools
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func (t suiteTool) handle(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	arguments, err := server.Arguments(ctx, request)
	if err != nil {
		return nil, err
	}
	call := suiteCall{request: request, arguments: arguments, protocol: mcpserver.ServerFromContext(ctx)}
	if info := mcpserver.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil {
		call.can = *info.ClientCapabilities
	}
	return t.call(ctx, call)
}

// says is a tool that always gives the same.
func says(content ...mcp.Content) func(context.Context, suiteCall) (*mcp.CallToolResult, error) {
	return func(context.Context, suiteCall) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func saying(format string, args ...any) *mcp.CallToolResult {
	return mcp.NewToolResultText(fmt.Sprintf(format, args...))
}

// contentTools give each kind of content, and have each kind of schema.
func contentTools() []suiteTool {
	text := mcp.NewTextContent("Multiple content types test:")
	picture := mcp.NewImageContent(onePixel, "image/png")
	return []suiteTool{
		{name: "test_simple_text", call: says(mcp.NewTextContent("This is a simple text response for testing."))},
		{name: "test_image_content", call: says(picture)},
		{name: "test_audio_content", call: says(mcp.NewAudioContent(silence, "audio/wav"))},
		{name: "test_embedded_resource", call: says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))},
		{name: "test_multiple_content_types", call: says(text, picture,
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))},
		{name: "test_error_handling", call: func(context.Context, suiteCall) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		}},
		{name: "json_schema_2020_12_tool", schema: wholeSchema, call: says(text)},
	}
}

const wholeSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]}, "else": {"required": ["email"]},
	"additionalProperties": false
}`

func embedded(uri, kind, text string) mcp.EmbeddedResource {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: kind, Text: text})
}

// talkingTools say something while they run.
func talkingTools() []suiteTool {
	logs := func(ctx context.Context, c suiteCall) (*mcp.CallToolResult, error) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := c.protocol.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "suite", line)); err != nil {
				return nil, err
			}
			aWhile(ctx)
		}
		return saying("logged"), nil
	}
	progresses := func(ctx context.Context, c suiteCall) (*mcp.CallToolResult, error) {
		if c.request.Params.Meta == nil || c.request.Params.Meta.ProgressToken == nil {
			return saying("nobody wants to know"), nil
		}
		for _, done := range []int{0, 50, 100} {
			if err := c.protocol.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": c.request.Params.Meta.ProgressToken, "progress": done, "total": 100,
			}); err != nil {
				return nil, err
			}
			aWhile(ctx)
		}
		return saying("progressed"), nil
	}
	return []suiteTool{
		{name: "test_tool_with_logging", call: logs}, {name: "test_logging_tool", call: logs},
		{name: "test_tool_with_progress", call: progresses},
		{name: "test_trigger_tool_change", call: announces(mcp.MethodNotificationToolsListChanged)},
		{name: "test_trigger_prompt_change", call: announces(mcp.MethodNotificationPromptsListChanged)},
	}
}

// announces tells everybody of a change.
func announces(change string) func(context.Context, suiteCall) (*mcp.CallToolResult, error) {
	return func(_ context.Context, c suiteCall) (*mcp.CallToolResult, error) {
		c.protocol.SendNotificationToAllClients(change, nil)
		return saying("announced"), nil
	}
}

// aWhile is the pause that the suites want after each notification. The MCP
// library loses one that it is just about to send when the result is there.
func aWhile(ctx context.Context) {
	select {
	case <-time.After(100 * time.Millisecond):
	case <-ctx.Done():
	}
}

// askingTools ask the client while they run, as clients with a session can be.
func askingTools() []suiteTool {
	sample := func(ctx context.Context, c suiteCall) (*mcp.CallToolResult, error) {
		result, err := c.protocol.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: sampling(fmt.Sprint(c.arguments["prompt"]), 100)}) //nolint:staticcheck // deprecated, and judged by the suites all the same
		if err != nil {
			return nil, err
		}
		return saying("LLM response: %s", mcp.GetTextFromContent(result.Content)), nil
	}
	elicit := func(properties string) func(context.Context, suiteCall) (*mcp.CallToolResult, error) {
		return func(ctx context.Context, c suiteCall) (*mcp.CallToolResult, error) {
			result, err := c.protocol.RequestElicitation(ctx, mcp.ElicitationRequest{Params: form(fmt.Sprint(c.arguments["message"]), properties)})
			if err != nil {
				return nil, err
			}
			return saying("User response: action=%s, content=%v", result.Action, result.Content), nil
		}
	}
	return []suiteTool{
		{name: "test_sampling", schema: `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, call: sample},
		{
			name: "test_elicitation", schema: `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
			call: elicit(`"username": {"type": "string"}, "email": {"type": "string"}`),
		},
		{name: "test_elicitation_sep1034_defaults", call: elicit(`
			"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
			"score": {"type": "number", "default": 95.5}, "verified": {"type": "boolean", "default": true},
			"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}`)},
		{name: "test_elicitation_sep1330_enums", call: elicit(`
			"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]},
			"legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
			"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
			"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]}}`)},
	}
}

func form(message, properties string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(`{"type": "object", "properties": {` + properties + `}}`)}
}

func sampling(prompt string, maxTokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}}, MaxTokens: maxTokens,
	}
}

// repeatedTools put their questions as a result, and are called again with the
// answers, as it is from 2026-07-28 on.
func repeatedTools() []suiteTool {
	name := form("What is your name?", `"name": {"type": "string"}`)
	onlyElicits := asksFor("", func(b *mcpserver.InputRequestBuilder) { b.Elicit("user_name", name) }, "user_name")
	return []suiteTool{
		{name: "test_input_required_result_elicitation", call: onlyElicits},
		{name: "test_streaming_elicitation", call: onlyElicits},
		{name: "test_input_required_result_sampling", call: asksFor("", func(b *mcpserver.InputRequestBuilder) {
			b.Sample("capital_question", sampling("What is the capital of France?", 100))
		}, "capital_question")},
		{name: "test_input_required_result_list_roots", call: asksFor("", func(b *mcpserver.InputRequestBuilder) { b.Roots("client_roots") }, "client_roots")},
		{name: "test_input_required_result_request_state", call: asksFor("first", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("confirm", form("Please confirm", `"ok": {"type": "boolean"}`))
		}, "confirm")},
		{name: "test_input_required_result_tampered_state", call: asksFor("first", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("confirm", form("Please confirm", `"ok": {"type": "boolean"}`))
		}, "confirm")},
		{name: "test_input_required_result_multiple_inputs", call: asksFor("all", func(b *mcpserver.InputRequestBuilder) {
			b.Elicit("user_name", name).Sample("greeting", sampling("Generate a greeting", 50)).Roots("client_roots")
		}, "user_name", "greeting", "client_roots")},
		{name: "test_input_required_result_multi_round", call: twoRounds},
		{name: "test_input_required_result_capabilities", call: asksWhatIsPossible},
		{name: "test_missing_capability", call: needsSampling},
	}
}

// asksFor asks until every answer is there, with a state unless that is "".
func asksFor(state string, ask func(*mcpserver.InputRequestBuilder), answers ...string) func(context.Context, suiteCall) (*mcp.CallToolResult, error) {
	return func(_ context.Context, c suiteCall) (*mcp.CallToolResult, error) {
		given := c.request.Params
		if state != "" && given.RequestState != "" && given.RequestState != sealed(state) {
			return nil, errors.New("the state has been tampered with")
		}
		for _, answer := range answers {
			if mcpserver.ElicitationResponse(given.InputResponses, answer) == nil { // nor any other object
				return required(state, ask), nil
			}
		}
		if state != "" && given.RequestState == "" {
			return required(state, ask), nil
		}
		return saying("Hello, state-ok: %v", given.InputResponses), nil
	}
}

func required(state string, ask func(*mcpserver.InputRequestBuilder)) *mcp.CallToolResult {
	if state != "" {
		state = sealed(state)
	}
	b := mcpserver.NewInputRequestBuilder(state)
	ask(b)
	return b.ToolResult()
}

func sealed(state string) string {
	mac := hmac.New(sha256.New, []byte("the fixture's key"))
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

// twoRounds asks a second question after the first.
func twoRounds(ctx context.Context, c suiteCall) (*mcp.CallToolResult, error) {
	if strings.HasPrefix(c.request.Params.RequestState, "second.") {
		return asksFor("second", func(*mcpserver.InputRequestBuilder) {}, "step2")(ctx, c)
	}
	first, err := asksFor("first", func(b *mcpserver.InputRequestBuilder) {
		b.Elicit("step1", form("Step 1: What is your name?", `"name": {"type": "string"}`))
	}, "step1")(ctx, c)
	if err != nil || first.ResultType == mcp.ResultTypeInputRequired {
		return first, err
	}
	return required("second", func(b *mcpserver.InputRequestBuilder) {
		b.Elicit("step2", form("Step 2: What is your favorite color?", `"color": {"type": "string"}`))
	}), nil
}

// asksWhatIsPossible asks only what the client says that it can answer.
func asksWhatIsPossible(_ context.Context, c suiteCall) (*mcp.CallToolResult, error) {
	if len(c.request.Params.InputResponses) > 0 {
		return saying("done"), nil
	}
	return required("", func(b *mcpserver.InputRequestBuilder) {
		if c.can.Sampling != nil {
			b.Sample("greeting", sampling("Generate a greeting", 50))
		}
		if c.can.Elicitation != nil {
			b.Elicit("user_name", form("What is your name?", `"name": {"type": "string"}`))
		}
	}), nil
}

func needsSampling(ctx context.Context, c suiteCall) (*mcp.CallToolResult, error) {
	if c.can.Sampling == nil {
		return nil, server.Refuse(ctx, mcp.JSONRPCErrorDetails{
			Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, Message: "the client cannot sample",
			Data: map[string]any{"requiredCapabilities": map[string]any{"sampling": map[string]any{}}},
		})
	}
	return saying("done"), nil
}

func suitePrompts() []mcpserver.ServerPrompt {
	prompt := func(name string, options []mcp.PromptOption, messages func(mcp.GetPromptParams) []mcp.Content) mcpserver.ServerPrompt {
		return mcpserver.ServerPrompt{
			Prompt: mcp.NewPrompt(name, append(options, mcp.WithPromptDescription(ofTheSuites))...),
			Handler: func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				var said []mcp.PromptMessage
				for _, content := range messages(request.Params) {
					said = append(said, mcp.NewPromptMessage(mcp.RoleUser, content))
				}
				return mcp.NewGetPromptResult("", said), nil
			},
		}
	}
	with := func(names ...string) (options []mcp.PromptOption) {
		for _, name := range names {
			options = append(options, mcp.WithArgument(name, mcp.RequiredArgument()))
		}
		return options
	}
	return []mcpserver.ServerPrompt{
		prompt("test_simple_prompt", nil, func(mcp.GetPromptParams) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
		}),
		prompt("test_prompt_with_arguments", with("arg1", "arg2"), func(p mcp.GetPromptParams) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", p.Arguments["arg1"], p.Arguments["arg2"]))}
		}),
		prompt("test_prompt_with_embedded_resource", with("resourceUri"), func(p mcp.GetPromptParams) []mcp.Content {
			return []mcp.Content{
				embedded(p.Arguments["resourceUri"], "text/plain", "Embedded resource content for testing."),
				mcp.NewTextContent("Please process the embedded resource above."),
			}
		}),
		prompt("test_prompt_with_image", nil, func(mcp.GetPromptParams) []mcp.Content {
			return []mcp.Content{mcp.NewImageContent(onePixel, "image/png"), mcp.NewTextContent("Please analyze the image above.")}
		}),
		{Prompt: mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription(ofTheSuites)), Handler: promptThatAsks},
	}
}

func promptThatAsks(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if answer := mcpserver.ElicitationResponse(request.Params.InputResponses, "user_context"); answer != nil {
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(fmt.Sprintf("Use %v.", answer.Content))),
		}), nil
	}
	return mcpserver.NewInputRequestBuilder("").
		Elicit("user_context", form("What context should the prompt use?", `"context": {"type": "string"}`)).PromptResult(), nil
}

func suiteResources() []mcpserver.ServerResource {
	resource := func(contents mcp.ResourceContents, uri, kind string) mcpserver.ServerResource {
		return mcpserver.ServerResource{
			Resource: mcp.NewResource(uri, uri, mcp.WithMIMEType(kind)),
			Handler: func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{contents}, nil
			},
		}
	}
	text := func(uri, text string) mcpserver.ServerResource {
		return resource(mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: text}, uri, "text/plain")
	}
	return []mcpserver.ServerResource{
		text("test://static-text", "This is the content of the static text resource."),
		text("test://watched-resource", "Nothing changes here."),
		resource(mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: onePixel}, "test://static-binary", "image/png"),
	}
}

func suiteTemplates() []mcpserver.ServerResourceTemplate {
	return []mcpserver.ServerResourceTemplate{{
		Template: mcp.NewResourceTemplate("test://template/{id}/data", "template"),
		Handler: func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{
				URI: request.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id": %q}`, request.Params.Arguments["id"]),
			}}, nil
		},
	}}
}
