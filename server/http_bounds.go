package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// A decoded message takes a multiple of its length, up to fifty times where its
// values are small. So it has a bounded number of them, and the MCP library is
// shown short ones only. The arguments of a call may be long, which is to say
// hold long texts; they go around the library.
const (
	maxValues    = 10_000
	shortBytes   = 256 << 10 // of a message that calls no tool
	aroundBytes  = 64 << 10  // of a call's parameters without its arguments
	maxSelfRunes = 200       // of each text in which a client names itself
)

// tooLong says what of a message, which came as text, is too long; nil when
// nothing is.
func (m message) tooLong(text []byte) *mcp.JSONRPCErrorDetails {
	switch {
	case hasMoreValues(text, maxValues):
		return rpcError(mcp.INVALID_REQUEST, fmt.Sprintf("a message holds at most %d values", maxValues))
	case m.method != methodCallTool && len(text) > shortBytes:
		return rpcError(mcp.INVALID_REQUEST, fmt.Sprintf("a message that calls no tool is at most %d bytes", shortBytes))
	case m.method == methodCallTool && around(m.Params) > aroundBytes:
		return rpcError(mcp.INVALID_REQUEST, fmt.Sprintf("the parameters of a call are at most %d bytes without its arguments", aroundBytes))
	}
	return nil
}

// hasMoreValues counts what begins or divides objects and arrays, of which a
// JSON text has one for each of its values, or more.
func hasMoreValues(text []byte, most int) bool {
	quoted, escaped := false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == ',', c == '[', c == '{':
			most--
		}
	}
	return most < 0
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
		Capabilities: mcp.ClientCapabilities{ // those that are flags
			Elicitation: told.Capabilities.Elicitation, Sampling: told.Capabilities.Sampling, Roots: told.Capabilities.Roots,
		},
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
