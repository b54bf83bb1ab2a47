package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
)

// Selection says which of the contract's tools a server offers. The zero
// value offers all of them.
//
// Toolsets and Tools add up; with neither, everything is on. ExcludeTools is
// taken away last. The handbook and the health check stay on unless they are
// excluded by name, because the compact list leans on the one and every
// repair on the other.
type Selection struct {
	ReadOnly     bool
	Toolsets     []string
	Tools        []string
	ExcludeTools []string
}

const (
	handbookTool = "get_mcp_tool_handbook"
	healthCheck  = "healthcheck"
)

func alwaysOn() []string { return []string{handbookTool, healthCheck} }

// enabled is the set of tools that may be called: read-only leaves the write
// tools in, so that a call to one can be answered with the reason.
func (s Selection) enabled(c *contract.Contract) (map[string]bool, error) {
	if err := s.check(c); err != nil {
		return nil, err
	}
	return s.chosen(c), nil
}

// chosen are the tools that the selection offers, by names that exist.
func (s Selection) chosen(c *contract.Contract) map[string]bool {
	all := len(s.Toolsets)+len(s.Tools) == 0
	on := map[string]bool{}
	for _, t := range c.Tools() {
		chosen := all || slices.Contains(s.Toolsets, t.Toolset) || slices.Contains(s.Tools, t.Name) ||
			slices.Contains(alwaysOn(), t.Name)
		if chosen && !slices.Contains(s.ExcludeTools, t.Name) {
			on[t.Name] = true
		}
	}
	return on
}

// listedNames are the names of the tools to be listed, of those that are on.
func listedNames(c *contract.Contract, on map[string]bool, readOnly bool) []string {
	var names []string
	for _, t := range c.Tools() {
		if on[t.Name] && (!readOnly || t.Annotations.ReadOnlyHint) {
			names = append(names, t.Name)
		}
	}
	return names
}

// listTools is the tools/list of the named tools. The health check of a
// contract that asked for our listing carries the surface digest.
func listTools(c *contract.Contract, names []string, full bool) []listing.Tool {
	tools := slices.DeleteFunc(listing.Tools(c, listing.Options{Full: full}), func(t listing.Tool) bool {
		return !slices.Contains(names, t.Name)
	})
	policy := c.Listing()
	switch {
	case !policy.Enabled:
		return tools
	case full:
		return listing.Stamp(tools, healthCheck, 0)
	}
	return listing.Stamp(tools, healthCheck, policy.DescriptionLimit)
}

// check refuses a name that the contract does not have.
func (s Selection) check(c *contract.Contract) error {
	sets := c.Toolsets()
	for _, name := range s.Toolsets {
		if !slices.Contains(sets, name) {
			return fmt.Errorf("unknown toolset %q%s (there are %s)", name, didYouMean(contract.Nearest(name, sets)), strings.Join(sets, ", "))
		}
	}
	for _, name := range slices.Concat(s.Tools, s.ExcludeTools) {
		if _, ok := c.Tool(name); !ok {
			return fmt.Errorf("unknown tool %q%s", name, didYouMean(c.NearestTool(name)))
		}
	}
	return nil
}

// ToolsetsOn are the names of the toolsets that are on as a whole.
func (s Selection) ToolsetsOn(c *contract.Contract) []string {
	if len(s.Toolsets)+len(s.Tools) == 0 {
		return c.Toolsets()
	}
	return slices.Sorted(slices.Values(s.Toolsets))
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %q?", name)
}
