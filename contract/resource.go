package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Resource is something a client reads by its URI: the text of a prompt, or,
// when the URI has {variables}, what a tool answers. It stands in
// x-mcp-resources.
type Resource struct {
	URI         string // with {name} where a variable goes
	Name        string
	Title       string
	Description string

	Prompt string // the prompt whose text this is; "" for a tool's answer
	Tool   string // the tool that answers; "" for a prompt

	arguments map[string]string // of the tool; {name} stands for a variable
}

// Resources are the resources, in the order of the file.
func (c *Contract) Resources() []*Resource { return slices.Clone(c.resources) }

// Offered reports whether the resource can be read with the tools that are
// listed.
func (r *Resource) Offered(listed func(tool string) bool) bool {
	return r.Tool == "" || listed(r.Tool)
}

// Call is the tool's arguments for the given variables.
func (r *Resource) Call(variables map[string]string) map[string]any {
	call := map[string]any{}
	for name, text := range r.arguments {
		call[name] = placeholder.ReplaceAllStringFunc(text, func(found string) string {
			return variables[found[1:len(found)-1]]
		})
	}
	return call
}

// resources reads x-mcp-resources.
func (r *reader) resources(c *Contract) []*Resource {
	var resources []*Resource
	for i, item := range r.document.list("x-mcp-resources") {
		node, _ := item.(*Object)
		where := fmt.Sprintf("x-mcp-resources[%d] %s", i, node.text("uri"))
		resource := r.resource(where, node, c)
		if slices.ContainsFunc(resources, func(other *Resource) bool { return other.URI == resource.URI || other.Name == resource.Name }) {
			r.problem(where, "two resources have this uri or name")
		}
		resources = append(resources, resource)
	}
	return resources
}

func (r *reader) resource(where string, node *Object, c *Contract) *Resource {
	resource := &Resource{
		URI: r.text(where, node, "uri"), Name: r.text(where, node, "name"), Title: r.text(where, node, "title"),
		Description: r.text(where, node, "description"), Prompt: r.text(where, node, "prompt"), Tool: r.text(where, node, "tool"),
		arguments: map[string]string{},
	}
	if !strings.Contains(resource.URI, "://") || resource.Name == "" || resource.Title == "" || resource.Description == "" {
		r.problem(where, "uri, name, title and description are needed")
	}
	for name := range node.object("arguments").All() {
		resource.arguments[name] = r.text(where, node.object("arguments"), name)
	}
	switch {
	case r.compiled != nil: // checked when it was compiled
	case resource.Tool == "":
		r.checkPromptResource(where, resource, c)
	default:
		r.checkTemplate(where, resource, c)
	}
	return resource
}

func (r *reader) checkPromptResource(where string, resource *Resource, c *Contract) {
	p, ok := c.Prompt(resource.Prompt)
	if !ok {
		r.problem(where, "neither tool nor prompt says what is read")
		return
	}
	required := slices.ContainsFunc(p.Arguments, func(a PromptArgument) bool { return a.Required })
	if required || len(p.needs) > 0 || placeholder.MatchString(resource.URI) {
		r.problem(where, "the prompt of a resource takes no arguments, and is always offered")
	}
}

// checkTemplate wants each variable used, and arguments that the tool has.
func (r *reader) checkTemplate(where string, resource *Resource, c *Contract) {
	tool, ok := c.Tool(resource.Tool)
	if !ok || resource.Prompt != "" {
		r.problem(where, "the tool of a resource is one of the contract's, and there is no prompt beside it")
		return
	}
	if !tool.Annotations.ReadOnlyHint {
		r.problem(where, "%s writes; reading a resource changes nothing", tool.Name)
	}
	used := map[string]bool{}
	for name, text := range resource.arguments {
		if !tool.Details().Input.object("properties").Has(name) {
			r.problem(where, "%s takes no argument %s", tool.Name, name)
		}
		for _, found := range placeholder.FindAllStringSubmatch(text, -1) {
			used[found[1]] = true
		}
	}
	variables := map[string]bool{}
	for _, found := range placeholder.FindAllStringSubmatch(resource.URI, -1) {
		variables[found[1]] = true
	}
	if len(variables) == 0 || !maps.Equal(used, variables) {
		r.problem(where, "the variables of the uri and those of the arguments differ")
	}
}
