// Package listing says how tools are listed: one short line and the bare shape
// of the schemas, while all prose waits in the handbook.
//
// It promises that shortening changes words only: the names and the set of
// accepted values are those of the contract, and a contract that has not asked
// for a compact listing is listed untouched, byte for byte. Everything here is
// a pure function of the contract, so the list is the same in every process.
package listing

import (
	"cmp"
	"encoding/json"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

// Tool is one entry of tools/list.
type Tool struct {
	Name         string               `json:"name"`
	Title        string               `json:"title"`
	Description  string               `json:"description"`
	InputSchema  json.RawMessage      `json:"inputSchema"`
	OutputSchema json.RawMessage      `json:"outputSchema"`
	Annotations  contract.Annotations `json:"annotations"`
}

// Options change how a contract is listed. The zero value lists it as it asks.
type Options struct {
	Full bool // list everything, whatever the contract asks for
}

// Tools is the listing of all tools, sorted by name.
func Tools(c *contract.Contract, opts Options) []Tool {
	policy := c.Listing()
	tools := []Tool{}
	for _, tool := range c.Tools() {
		listed := full(tool)
		if policy.Enabled && !opts.Full {
			listed = compact(tool, policy.DescriptionLimit)
		}
		tools = append(tools, listed)
	}
	return tools
}

func full(tool *contract.Tool) Tool {
	details := tool.Details()
	return Tool{
		Name:         tool.Name,
		Title:        tool.Title,
		Description:  cmp.Or(details.Description, tool.Title),
		InputSchema:  details.InputSchema,
		OutputSchema: details.OutputSchema,
		Annotations:  tool.Annotations,
	}
}

func compact(tool *contract.Tool, limit int) Tool {
	listed := full(tool)
	listed.Description = description(tool, limit)
	listed.InputSchema = shape(tool.Details().Input)
	listed.OutputSchema = shape(tool.Details().Output)
	return listed
}
