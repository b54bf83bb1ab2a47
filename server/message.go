package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

const (
	methodCallTool  = string(mcp.MethodToolsCall)
	methodListen    = string(mcp.MethodSubscriptionsListen)
	methodStart     = string(mcp.MethodInitialize)
	methodCancelled = string(mcp.MethodNotificationCancelled)
)

// message is one JSON-RPC message with its parts left as they came: ids and
// arguments keep every digit.
type message struct {
	Version json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	method string
}

// parse reads one line. The error says what to answer, under the message's
// own id where it has a usable one.
func parse(line []byte) (message, *mcp.JSONRPCErrorDetails) {
	var m message
	var broken *json.SyntaxError
	if err := json.Unmarshal(line, &m); errors.As(err, &broken) {
		return message{}, rpcError(mcp.PARSE_ERROR, "the message is not one complete JSON value")
	} else if err != nil {
		return message{}, rpcError(mcp.INVALID_REQUEST, "a message is one JSON object; batches are not part of MCP")
	}
	if m.ID != nil && !isID(m.ID) {
		m.ID = nil
		return m, rpcError(mcp.INVALID_REQUEST, "id has to be a string or a number")
	}
	if string(m.Version) != `"2.0"` {
		return m, rpcError(mcp.INVALID_REQUEST, `jsonrpc has to be "2.0"`)
	}
	if m.isResponse() {
		return m, nil
	}
	if json.Unmarshal(m.Method, &m.method) != nil || m.method == "" {
		return m, rpcError(mcp.INVALID_REQUEST, "method has to be a string")
	}
	return m, nil
}

func rpcError(code int, text string) *mcp.JSONRPCErrorDetails {
	return &mcp.JSONRPCErrorDetails{Code: code, Message: text}
}

func isID(raw json.RawMessage) bool {
	return raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// isResponse reports an answer to a request of ours.
func (m message) isResponse() bool {
	return m.Method == nil && (m.Result != nil || m.Error != nil)
}

func (m message) isNotification() bool { return m.ID == nil }

// key names an id so that equal ids have equal keys however they are escaped.
func key(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return "text " + text
	}
	return "number " + string(id)
}

// raw is the message as one JSON value, with other parameters.
func (m message) raw(params json.RawMessage) json.RawMessage {
	out, err := json.Marshal(struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{m.Version, m.ID, m.method, params})
	if err != nil {
		return nil // cannot be: every part was parsed as JSON
	}
	return out
}

// takeArguments splits a tools/call into the tool's name, the arguments and
// the parameters without them. The MCP library decodes numbers to float64,
// which bends long integers and fails the whole message on 1e400, so it is not
// shown the arguments at all. Of anything but a well-formed call the
// parameters stay as they are; those are the library's to refuse.
func (m message) takeArguments() (tool string, arguments, rest json.RawMessage, isCall bool) {
	var params map[string]json.RawMessage
	if m.method != methodCallTool || json.Unmarshal(m.Params, &params) != nil || params == nil ||
		params["name"] == nil || json.Unmarshal(params["name"], &tool) != nil {
		return "", nil, m.Params, false
	}
	arguments = params["arguments"]
	delete(params, "arguments")
	rest, err := json.Marshal(params)
	if err != nil {
		return "", nil, m.Params, false // cannot be: every part was parsed as JSON
	}
	return tool, arguments, rest, true
}

// passage is a message on its way through the MCP library, with what the
// library is not to decide.
type passage struct {
	server  *Server
	tool    string
	isCall  bool
	uri     string // of the resource to read; "" for anything else
	failure *failure
}

// pass prepares a message for the library: what to show it, and under which
// context.
func (s *Server) pass(ctx context.Context, m message) (context.Context, json.RawMessage, passage) {
	tool, arguments, params, isCall := m.takeArguments()
	if isCall {
		ctx = withArguments(ctx, arguments)
	}
	ctx, failure := withFailure(withProgressToken(ctx, params))
	return ctx, m.raw(params), passage{s, tool, isCall, m.resource(), failure}
}

// isCancelled reports whether the client has cancelled the message's request.
func (p passage) isCancelled() bool { return p.failure != nil && p.failure.cancelled.Load() }

// mend is the error to answer where the library has answered with said: a
// handler's own, one that knows the tools there are, or one that names the
// resource that is not there.
func (p passage) mend(said *mcp.JSONRPCErrorDetails) *mcp.JSONRPCErrorDetails {
	switch {
	case p.failure.details != nil:
		return p.failure.details
	case p.isCall && said.Code == mcp.INVALID_PARAMS && !p.server.enabled[p.tool]:
		return &mcp.JSONRPCErrorDetails{Code: said.Code, Message: p.server.unknownTool(p.tool).Error(), Data: said.Data}
	case p.uri != "" && said.Data == nil && (said.Code == mcp.RESOURCE_NOT_FOUND || said.Code == mcp.INVALID_PARAMS):
		return &mcp.JSONRPCErrorDetails{Code: said.Code, Message: said.Message, Data: map[string]string{"uri": p.uri}}
	}
	return said
}

// resource is the URI of a resources/read; "" for anything else.
func (m message) resource() string {
	var params struct {
		URI string `json:"uri"`
	}
	if m.method != string(mcp.MethodResourcesRead) || json.Unmarshal(m.Params, &params) != nil {
		return ""
	}
	return params.URI
}

// decodeArguments makes a map of a call's arguments; absent and null are {}.
func decodeArguments(raw json.RawMessage) (map[string]any, error) {
	args := map[string]any{}
	if len(raw) == 0 {
		return args, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&args); err != nil {
		return nil, fault.New(fault.InvalidArguments, "arguments has to be a JSON object, not %s", kindOf(raw)).
			WithFix(`Send the arguments as an object, such as {"limit": 5}; {} when there are none.`).WithCause(err)
	}
	return args, nil
}

func kindOf(raw json.RawMessage) string {
	switch text := strings.TrimSpace(string(raw)); {
	case strings.HasPrefix(text, `"`):
		return "a string"
	case strings.HasPrefix(text, "["):
		return "an array"
	case text == "true", text == "false":
		return "a boolean"
	default:
		return "a number"
	}
}
