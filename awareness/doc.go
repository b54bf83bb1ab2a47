// Package awareness makes a model reach for the right MCP tool without giving
// up much of its context. It promises three layers of text, each within a bound
// that holds for every input:
//
//   - [Enrich] and [EnrichAll]: the server's own description, untouched, plus at
//     most [SuffixLimit] runes that say when to use the tool and what it takes.
//   - [SystemPrompt] (for a host) and [Instructions] (for a server): one paragraph
//     of at most [PromptLimit] bytes, in whole sentences, the most important first.
//   - [Roster]: a title and at most [RosterLines] lines, which a [Session] delivers
//     once, remembers across a restart, and completes after a reload.
//
// Everything is a pure function of server ids and tool lists: no network, no
// clock, no configuration, and nothing imported but the standard library. The
// same input gives the same bytes. Descriptions are strangers' text: they are
// bounded and kept in their line, but they remain data, never instructions.
package awareness

import "encoding/json"

// The bounds. They hold for every input, valid or not.
const (
	SuffixLimit   = 300 // runes that Enrich adds to a description, separator included
	GuidanceLimit = 300 // runes of Enriched.Guidance
	NameLimit     = 60  // bytes of a tool's name in a host
	PromptLimit   = 800 // bytes of a system prompt paragraph, so also runes and UTF-16 units
	NamedTools    = 5   // tools that a paragraph names
	RosterLines   = 8   // tools that a roster shows
	ShortLimit    = 120 // runes of a tool's text in a roster
)

// Tool is what awareness reads of a tool in an MCP tools/list answer. Every
// field but Name may be empty.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"` // anything unreadable counts as no schema
}

// Server is one MCP server under the id that the host's configuration gives it.
type Server struct {
	ID    string `json:"id"`
	Tools []Tool `json:"tools"`
}
