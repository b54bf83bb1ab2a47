// Package handbook answers with everything the contract says about one tool:
// the text that the compact list leaves out, the described schemas, examples
// and error codes.
//
// It promises an answer for every tool of the contract, and says where the
// text comes from; a name it does not know is an answer too, never an error.
package handbook

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// maxSuggestions bounds what a wrong name is answered with.
const maxSuggestions = 3

// Book is the handbook of a contract.
type Book struct {
	contract *contract.Contract
}

// Request asks for one tool.
type Request struct {
	ToolID string `json:"toolId"` // its name, also with a prefix that a client put before it
}

// Entry is everything about one tool, or what to do about a name that is none.
type Entry struct {
	ToolID string `json:"toolId"`
	Found  bool   `json:"found"`

	// When there is no such tool.
	Code        fault.Code `json:"code,omitzero"`
	Message     string     `json:"message,omitzero"`
	Suggestions []string   `json:"suggestions,omitzero"`

	// When there is.
	Title        string                `json:"title,omitzero"`
	Description  string                `json:"description,omitzero"`
	Handbook     string                `json:"handbook,omitzero"`
	Source       string                `json:"source,omitzero"`  // the member of the contract that Handbook comes from
	Derived      *bool                 `json:"derived,omitzero"` // whether nobody wrote a text for the handbook
	InputSchema  json.RawMessage       `json:"inputSchema,omitzero"`
	OutputSchema json.RawMessage       `json:"outputSchema,omitzero"`
	Annotations  *contract.Annotations `json:"annotations,omitzero"`
	Scopes       []string              `json:"scopes,omitzero"`
	Examples     []contract.Example    `json:"examples,omitzero"`
	Errors       []string              `json:"errors,omitzero"`
}

// New makes the handbook of a contract.
func New(c *contract.Contract) *Book { return &Book{c} }

// Get is the entry of one tool. It never fails.
func (b *Book) Get(_ context.Context, request Request) (*Entry, error) {
	name := strings.TrimSpace(request.ToolID)
	tool, found := b.find(name)
	if !found {
		return b.missing(name), nil
	}
	details := tool.Details()
	text, source := guidance(tool)
	derived := source != "x-tool-handbook"
	return &Entry{
		ToolID: tool.Name, Found: true,
		Title:       tool.Title,
		Description: cmp.Or(details.Description, tool.Title),
		Handbook:    text, Source: source, Derived: &derived,
		InputSchema: details.InputSchema, OutputSchema: details.OutputSchema,
		Annotations: &tool.Annotations,
		Scopes:      details.Scopes, Examples: details.Examples, Errors: details.Errors,
	}, nil
}

// guidance is the best text there is, and the member it comes from.
func guidance(tool *contract.Tool) (text, source string) {
	details := tool.Details()
	switch {
	case details.Handbook != "":
		return details.Handbook, "x-tool-handbook"
	case details.Description != "":
		return details.Description, "description"
	default:
		return tool.Title, "summary"
	}
}

// find also knows a tool behind the prefix of a client, such as
// mcp__server__tool, server.tool or mcp_server_tool: the longest name that
// ends the given one after a separator.
func (b *Book) find(name string) (*contract.Tool, bool) {
	if tool, found := b.contract.Tool(name); found {
		return tool, true
	}
	var best *contract.Tool
	for _, tool := range b.contract.Tools() {
		prefix, isSuffix := strings.CutSuffix(name, tool.Name)
		if isSuffix && prefix != "" && strings.ContainsAny(prefix[len(prefix)-1:], "_.:/-") && (best == nil || len(tool.Name) > len(best.Name)) {
			best = tool
		}
	}
	return best, best != nil
}

func (b *Book) missing(name string) *Entry {
	suggestions := b.suggest(name)
	message := "No tool has this name."
	if len(suggestions) > 0 {
		message += " Did you mean " + strings.Join(suggestions, " or ") + "?"
	} else {
		message += " The names are those of the tool list."
	}
	return &Entry{ToolID: name, Code: fault.ToolNotFound, Message: message, Suggestions: suggestions}
}

// suggest is the nearest name, then names that share a word with the given
// one; never nil.
func (b *Book) suggest(name string) []string {
	_, local, prefixed := cutLast(name, "__")
	if !prefixed {
		local = name
	}
	suggestions := []string{}
	if nearest := b.contract.NearestTool(local); nearest != "" {
		suggestions = append(suggestions, nearest)
	}
	words := split(local)
	for _, tool := range b.contract.Tools() {
		shared := slices.ContainsFunc(split(tool.Name), func(word string) bool { return slices.Contains(words, word) })
		if shared && len(suggestions) < maxSuggestions && !slices.Contains(suggestions, tool.Name) {
			suggestions = append(suggestions, tool.Name)
		}
	}
	return suggestions
}

// split is the words of a name that say something on their own.
func split(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_.:/- ", r) })
	return slices.DeleteFunc(words, func(word string) bool {
		return len(word) < 3 || slices.Contains([]string{"get", "list", "manage", "create", "update", "mcp", "tool"}, word)
	})
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return "", "", false
}
