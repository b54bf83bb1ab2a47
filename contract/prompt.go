package contract

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Prompt is a job that a person starts by name: steps for a model, over some
// of the tools. It stands in x-mcp-prompts.
type Prompt struct {
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument // in the order of the file

	needs []string // one of these tools has to be listed; none: it is always offered
	steps []step
	input *field
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	Name        string
	Description string
	Required    bool
}

// step is a paragraph of a prompt. In its text {tools} stands for those of its
// tools that are listed, {name} for an argument.
type step struct {
	text   string
	tools  []string // the step is left out when none of these is listed; none: it stays
	unless string   // the step is left out when this argument is given
}

// mostPromptRunes bounds what a text argument puts into a prompt.
const mostPromptRunes = 2_000

var (
	placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)
	toolWord    = regexp.MustCompile(`[a-z0-9_]+`)
)

// Prompts are the prompts, in the order of the file.
func (c *Contract) Prompts() []*Prompt { return slices.Clone(c.prompts) }

// Prompt finds a prompt by its exact name.
func (c *Contract) Prompt(name string) (*Prompt, bool) {
	i := slices.IndexFunc(c.prompts, func(p *Prompt) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	return c.prompts[i], true
}

// Offered reports whether the prompt makes sense with the tools that are
// listed.
func (p *Prompt) Offered(listed func(tool string) bool) bool {
	return len(p.needs) == 0 || slices.ContainsFunc(p.needs, listed)
}

// Text is the prompt for the given arguments; roster is put where the prompt
// wants the list of tools. It names listed tools only, and leaves out what is
// about tools that are not, or about arguments that are not given. The error
// is what CheckArguments has for a tool.
func (p *Prompt) Text(arguments map[string]string, listed func(tool string) bool, roster string) (string, error) {
	values, err := p.check(arguments)
	if err != nil {
		return "", err
	}
	values["roster"] = roster
	var texts []string
	for _, s := range p.steps {
		if text, ok := s.fill(values, listed); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// check judges the arguments as those of a tool and returns them as text, on
// one line each. A blank argument counts as absent: hosts send their empty
// input fields.
func (p *Prompt) check(arguments map[string]string) (map[string]string, error) {
	given := map[string]any{}
	for name, text := range arguments {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			given[name] = text
		}
	}
	checked, err := p.input.check("", given)
	if err != nil {
		problem := fault.From(err)
		if problem.Fix == "" {
			problem.Fix = fmt.Sprintf("Start the prompt %s again with it.", p.Name)
		}
		return nil, problem
	}
	values := map[string]string{}
	object, _ := checked.(*Object) // the input is an object
	for name, value := range object.All() {
		switch v := value.(type) {
		case string:
			values[name] = v
		case json.Number:
			values[name] = v.String()
		}
	}
	return values, nil
}

// fill is the step's text, and whether the step is said at all.
func (s step) fill(values map[string]string, listed func(tool string) bool) (string, bool) {
	if s.unless != "" && values[s.unless] != "" {
		return "", false
	}
	tools := slices.DeleteFunc(slices.Clone(s.tools), func(tool string) bool { return !listed(tool) })
	if len(s.tools) > 0 && len(tools) == 0 {
		return "", false
	}
	said := true
	text := placeholder.ReplaceAllStringFunc(s.text, func(found string) string {
		name := found[1 : len(found)-1]
		if name == "tools" {
			return strings.Join(tools, ", ")
		}
		said = said && values[name] != ""
		return values[name]
	})
	return text, said
}

// prompts reads x-mcp-prompts.
func (r *reader) prompts(tools []*Tool) []*Prompt {
	var prompts []*Prompt
	for i, item := range r.document.list("x-mcp-prompts") {
		node, _ := item.(*Object)
		where := fmt.Sprintf("x-mcp-prompts[%d] %s", i, node.text("name"))
		p := r.prompt(where, node, tools)
		if slices.ContainsFunc(prompts, func(other *Prompt) bool { return other.Name == p.Name }) {
			r.problem(where, "two prompts have this name")
		}
		prompts = append(prompts, p)
	}
	return prompts
}

func (r *reader) prompt(where string, node *Object, tools []*Tool) *Prompt {
	before := len(r.problems)
	p := &Prompt{
		Name: r.text(where, node, "name"), Title: r.text(where, node, "title"),
		Description: r.text(where, node, "description"), needs: r.texts(where, node, "needs"),
	}
	if !toolName.MatchString(p.Name) || p.Title == "" || p.Description == "" {
		r.problem(where, "name, in small letters, title and description are needed")
	}
	r.knownTools(where, p.needs, tools)
	input := r.input(where, nil, node)
	r.checkInput(where, input)
	for name, schema := range input.object("properties").All() {
		schema, _ := schema.(*Object)
		p.Arguments = append(p.Arguments, PromptArgument{
			Name: name, Description: schema.text("description"),
			Required: slices.Contains(input.list("required"), any(name)),
		})
		if !slices.Contains([]string{"string", "integer"}, schema.text("type")) {
			r.problem(where, "argument %s: MCP gives texts; a string or an integer is needed", name)
		}
	}
	for i, item := range node.list("steps") {
		p.steps = append(p.steps, r.step(fmt.Sprintf("%s steps[%d]", where, i), item, p, tools))
	}
	if len(p.steps) == 0 {
		r.problem(where, "no steps")
	}
	if len(r.problems) == before {
		p.input = r.field(where, "", input)
		p.input.boundTexts()
	}
	return p
}

// boundTexts gives every text without a bound one.
func (f *field) boundTexts() {
	for _, property := range f.properties {
		if property.kind == "string" && property.longest == nil {
			most := int64(mostPromptRunes)
			property.longest = &most
		}
	}
}

// step reads a step: a text, or an object of text, tools and unless. A tool is
// named through {tools} only, so that none is named that is not listed.
func (r *reader) step(where string, item any, p *Prompt, tools []*Tool) step {
	node, isObject := item.(*Object)
	if !isObject {
		node = &Object{}
		node.Set("text", item)
	}
	s := step{text: r.text(where, node, "text"), tools: r.texts(where, node, "tools"), unless: r.text(where, node, "unless")}
	r.knownTools(where, s.tools, tools)
	known := []string{"roster"}
	for _, argument := range p.Arguments {
		known = append(known, argument.Name)
	}
	for _, found := range placeholder.FindAllStringSubmatch(s.text, -1) {
		if name := found[1]; name == "tools" && len(s.tools) == 0 || name != "tools" && !slices.Contains(known, name) {
			r.problem(where, "nothing stands for {%s}", name)
		}
	}
	if s.unless != "" && !slices.Contains(known, s.unless) {
		r.problem(where, "unless: there is no argument %s", s.unless)
	}
	for _, word := range toolWord.FindAllString(s.text, -1) {
		if isTool(word, tools) {
			r.problem(where, "%s is named in the text; name it in tools and write {tools}", word)
		}
	}
	if s.text == "" {
		r.problem(where, "no text")
	}
	return s
}

func (r *reader) knownTools(where string, names []string, tools []*Tool) {
	for _, name := range names {
		if !isTool(name, tools) {
			r.problem(where, "there is no tool %s", name)
		}
	}
}

func isTool(name string, tools []*Tool) bool {
	return slices.ContainsFunc(tools, func(t *Tool) bool { return t.Name == name })
}
