// Package contract turns openapi.yaml into tools: their names, texts and
// schemas, and the one place where a call's arguments are checked.
//
// It promises that a Contract which loads is fit to be served: every schema is
// self-contained and inside what every client accepts, every example passes
// the checker, and every problem of the file is reported at once, with the
// operation it belongs to. It reads bytes and knows neither files nor MCP.
package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Contract is a loaded openapi.yaml. It does not change.
type Contract struct {
	title   string
	version string
	listing ListingPolicy
	tools   []*Tool // sorted by name

	toolsets  []string
	prompts   []*Prompt
	resources []*Resource
}

// Toolsets are the names of all toolsets, sorted; one may have no tool yet.
func (c *Contract) Toolsets() []string { return slices.Clone(c.toolsets) }

// ListingPolicy says how the tools want to be listed.
type ListingPolicy struct {
	Enabled          bool // whether the contract asks for a compact listing at all
	DescriptionLimit int  // most runes of a listed description
}

// Tool is one operation of the contract: what has to be known to offer it.
type Tool struct {
	Name        string // the operationId
	Title       string // the operation's summary, else the name
	Toolset     string
	Annotations Annotations

	details func() *Details
	output  func() (*jsonschema.Schema, error) // compiled once, when first asked for
}

// Details is what listing a tool, explaining or calling it needs. A compiled
// contract makes them when they are first asked for: a start needs none.
type Details struct {
	Description string   // the full text
	Summary     string   // x-tool-summary, the short text written for the list; "" when there is none
	Handbook    string   // x-tool-handbook; "" when there is none
	Scenario    string   // x-tool-scenario, "use when …"; "" when there is none
	Scopes      []string // token scopes, never nil
	Examples    []Example
	Errors      []string // codes the tool answers with, never nil

	// InputSchema and OutputSchema are self-contained JSON Schemas with their
	// prose and without any x- mark, as MCP lists them.
	InputSchema, OutputSchema json.RawMessage

	// Input and Output are the same schemas with the x- marks in place.
	// They are shared: whoever changes one works on a copy (see Rewrite).
	Input, Output *Object

	arguments *field
}

// Details are the tool's texts and schemas. They are shared and do not change.
func (t *Tool) Details() *Details { return t.details() }

// Annotations are the four hints of MCP, each written out in the contract.
type Annotations struct {
	ReadOnlyHint    bool `json:"readOnlyHint"`
	DestructiveHint bool `json:"destructiveHint"`
	IdempotentHint  bool `json:"idempotentHint"`
	OpenWorldHint   bool `json:"openWorldHint"`
}

// Example is a call that shows how a tool is used; it passes CheckArguments.
type Example struct {
	Description string  `json:"description"`
	Arguments   *Object `json:"arguments"`
}

// Load reads a contract from the text of its openapi.yaml. The error names
// every problem found, one a line.
func Load(yaml []byte) (*Contract, error) {
	document, err := parseYAML(yaml)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	contract, err := (&reader{document: document}).build()
	if err := errors.Join(validate(yaml), err); err != nil {
		return nil, fmt.Errorf("contract:\n%w", err)
	}
	return contract, nil
}

// validate asks whether the file is OpenAPI at all; references to other files
// are not followed.
func validate(yaml []byte) error {
	document, err := openapi3.NewLoader().LoadFromData(yaml)
	if err != nil {
		return err
	}
	return document.Validate(context.Background())
}

// Title is the contract's title.
func (c *Contract) Title() string { return c.title }

// Version is the contract's version.
func (c *Contract) Version() string { return c.version }

// Listing says how the tools want to be listed.
func (c *Contract) Listing() ListingPolicy { return c.listing }

// Tools are all tools, sorted by name.
func (c *Contract) Tools() []*Tool { return slices.Clone(c.tools) }

// Tool finds a tool by its exact name.
func (c *Contract) Tool(name string) (*Tool, bool) {
	i, found := slices.BinarySearchFunc(c.tools, name, func(t *Tool, name string) int {
		return strings.Compare(t.Name, name)
	})
	if !found {
		return nil, false
	}
	return c.tools[i], true
}

// NearestTool is the tool that name was most likely meant to be, "" when none
// comes close.
func (c *Contract) NearestTool(name string) string {
	names := make([]string, len(c.tools))
	for i, tool := range c.tools {
		names[i] = tool.Name
	}
	return Nearest(name, names)
}
