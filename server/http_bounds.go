package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// A decoded message takes a multiple of its length, up to fifty times. So the
// MCP library is shown short ones only. The arguments of a call may be long;
// they go around the library, and are decoded of few calls at a time.
const (
	shortBytes   = 256 << 10 // of a message that calls no tool
	aroundBytes  = 64 << 10  // of a call's parameters without its arguments
	maxSelfRunes = 200       // of each text in which a client names itself
)

// tooLong says what of a message of that many bytes is too long; nil when
// nothing is.
func (m message) tooLong(length int) *mcp.JSONRPCErrorDetails {
	switch {
	case m.method != methodCallTool && length > shortBytes:
		return rpcError(mcp.INVALID_REQUEST, fmt.Sprintf("a message that calls no tool is at most %d bytes", shortBytes))
	case m.method == methodCallTool && around(m.Params) > aroundBytes:
		return rpcError(mcp.INVALID_REQUEST, fmt.Sprintf("the parameters of a call are at most %d bytes without its arguments", aroundBytes))
	}
	return nil
}

// around is how many bytes of a call's parameters are not its arguments.
func around(params json.RawMessage) int {
	var sizes map[string]size
	if json.Unmarshal(params, &sizes) != nil {
		return len(params)
	}
	return len(params) - int(sizes["arguments"])
}

// size is the length of a JSON value that nobody needs to see.
type size int

// UnmarshalJSON implements json.Unmarshaler.
func (s *size) UnmarshalJSON(text []byte) error {
	*s = size(len(text))
	return nil
}

// introduction are the parameters of initialize, reduced to what is used of
// them, because the MCP library keeps them as long as the session. Those of
// other messages, and those that the library has to refuse, stay.
func (m message) introduction() json.RawMessage {
	var told mcp.InitializeParams
	if m.method != methodStart || json.Unmarshal(m.Params, &told) != nil {
		return m.Params
	}
	kept, err := json.Marshal(mcp.InitializeParams{
		ProtocolVersion: cut(told.ProtocolVersion, maxSelfRunes),
		ClientInfo: mcp.Implementation{
			Name:    cut(told.ClientInfo.Name, maxSelfRunes),
			Title:   cut(told.ClientInfo.Title, maxSelfRunes),
			Version: cut(told.ClientInfo.Version, maxSelfRunes),
		},
		Capabilities: mcp.ClientCapabilities{Elicitation: told.Capabilities.Elicitation},
	})
	if err != nil {
		return m.Params // cannot be: all of it was parsed as JSON
	}
	return kept
}

type settledKey struct{}

// withSettled has settled call f.
func withSettled(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, settledKey{}, f)
}

// settled says that the arguments of the call were looked at: what takes much
// memory has been refused, and what may take long begins.
func settled(ctx context.Context) {
	if f, ok := ctx.Value(settledKey{}).(func()); ok {
		f()
	}
}
