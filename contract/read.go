package contract

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

const (
	defaultDescriptionLimit = 120
	hintLimit               = 60 // runes of an x-hint
)

var (
	toolName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)
	methods  = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

	// bodyKeywords is what the input schema takes over from a body's root.
	bodyKeywords = []string{"type", "properties", "required", "additionalProperties", "description"}
)

// reader builds a Contract from its document and collects what is wrong.
type reader struct {
	document *Object
	compiled func() *Object // when document is an outline: the checked document that it was made from
	limit    int            // most runes of a written summary; 0 when there is no limit
	problems []error
}

func (r *reader) problem(where, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
}

// build reads the tools; the error joins every problem.
func (r *reader) build() (*Contract, error) {
	info := r.document.object("info")
	contract := &Contract{title: info.text("title"), version: info.text("version"), listing: r.policy(info)}
	if contract.listing.Enabled {
		r.limit = contract.listing.DescriptionLimit
	}
	contract.tools = r.tools()
	contract.toolsets = r.toolsets(info, contract.tools)
	contract.prompts = r.prompts(contract.tools)
	contract.resources = r.resources(contract)
	if len(r.problems) > 0 {
		return nil, errors.Join(r.problems...)
	}
	return contract, nil
}

func (r *reader) policy(info *Object) ListingPolicy {
	if !info.Has("x-compact-listing") {
		return ListingPolicy{}
	}
	policy := ListingPolicy{Enabled: true, DescriptionLimit: defaultDescriptionLimit}
	value := info.object("x-compact-listing").Get("descriptionLimit")
	if value == nil {
		return policy
	}
	limit, ok := wholeNumber(value)
	if !ok || limit < 20 {
		r.problem("info", "x-compact-listing.descriptionLimit has to be a whole number of at least 20")
		return policy
	}
	policy.DescriptionLimit = int(limit)
	return policy
}

// toolsets are those that info names, which may have no tool yet, else those of
// the tools.
func (r *reader) toolsets(info *Object, tools []*Tool) []string {
	var names []string
	for _, name := range info.list("x-toolsets") {
		if name, ok := name.(string); ok {
			names = append(names, name)
		}
	}
	named := len(names) > 0
	for _, tool := range tools {
		if slices.Contains(names, tool.Toolset) {
			continue
		}
		if named {
			r.problem(tool.Name, "info.x-toolsets lacks its toolset %q", tool.Toolset)
		}
		names = append(names, tool.Toolset)
	}
	slices.Sort(names)
	return names
}

func (r *reader) tools() []*Tool {
	var tools []*Tool
	for path, item := range r.document.object("paths").All() {
		item, _ := item.(*Object)
		for method, operation := range item.All() {
			if operation, ok := operation.(*Object); ok && slices.Contains(methods, method) {
				where := cmp.Or(operation.text("operationId"), strings.ToUpper(method)+" "+path)
				tools = append(tools, r.tool(where, location{path, method}, operation))
			}
		}
	}
	slices.SortStableFunc(tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(tools); i++ {
		if tools[i].Name == tools[i-1].Name {
			r.problem(tools[i].Name, "two operations have this name")
		}
	}
	return tools
}

// location is where an operation stands in its document.
type location struct{ path, method string }

func (l location) in(document *Object) (item, operation *Object) {
	item = document.object("paths").object(l.path)
	return item, item.object(l.method)
}

func (r *reader) tool(where string, at location, operation *Object) *Tool {
	tool := &Tool{
		Name:        r.text(where, operation, "operationId"),
		Title:       r.text(where, operation, "summary"),
		Toolset:     r.text(where, operation, "x-toolset"),
		Annotations: r.annotations(where, operation),
	}
	tool.output = sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(tool.Details().OutputSchema) })
	if r.compiled == nil {
		details := r.details(where, at)
		tool.details = func() *Details { return details }
		r.checkTool(where, at, tool)
	} else {
		tool.details = sync.OnceValue(func() *Details { return (&reader{document: r.compiled()}).details(where, at) })
	}
	tool.Title = cmp.Or(tool.Title, tool.Name)
	return tool
}

func (r *reader) details(where string, at location) *Details {
	item, operation := at.in(r.document)
	before := len(r.problems)
	d := &Details{
		Description: strings.TrimSpace(r.text(where, operation, "description")),
		Summary:     r.text(where, operation, "x-tool-summary"),
		Handbook:    strings.TrimSpace(r.text(where, operation, "x-tool-handbook")),
		Scenario:    r.text(where, operation, "x-tool-scenario"),
		Scopes:      r.texts(where, operation, "x-github-scopes"),
		Errors:      r.texts(where, operation, "x-errors"),
		Examples:    r.examples(where, operation),
		Input:       r.input(where, item, operation),
		Output:      r.output(where, operation),
	}
	d.InputSchema, _ = listed(d.Input).MarshalJSON()
	d.OutputSchema, _ = listed(d.Output).MarshalJSON()
	if r.checkInput(where, d.Input); len(r.problems) == before { // the checker is made for schemas inside the rules
		d.arguments = r.field(where, "", d.Input)
	}
	return d
}

// checkTool is what is asked of a tool beside being readable.
func (r *reader) checkTool(where string, at location, tool *Tool) {
	_, operation := at.in(r.document)
	r.checkTexts(where, tool)
	r.checkMarks(where, operation)
	r.checkOutput(where, tool.Details().Output)
	if tool.Details().arguments != nil {
		r.checkExamples(where, tool)
	}
}

func (r *reader) checkTexts(where string, tool *Tool) {
	if !toolName.MatchString(tool.Name) {
		r.problem(where, "operationId %q does not match %s", tool.Name, toolName)
	}
	d := tool.Details()
	if tool.Title == "" && d.Description == "" {
		r.problem(where, "neither summary nor description says what it does")
	}
	if tool.Toolset == "" {
		r.problem(where, "x-toolset is missing")
	}
	if n := utf8.RuneCountInString(d.Summary); r.limit > 0 && n > r.limit {
		r.problem(where, "x-tool-summary has %d runes, of at most %d", n, r.limit)
	}
	for _, code := range d.Errors {
		if !fault.Code(code).Known() {
			r.problem(where, "x-errors: %q is no known error code", code)
		}
	}
}

var hints = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

// annotations wants every hint written out: what MCP assumes for a missing
// one makes hosts ask before harmless calls.
func (r *reader) annotations(where string, operation *Object) Annotations {
	written := operation.object("x-annotations")
	value := map[string]bool{}
	for _, hint := range hints {
		set, ok := written.Get(hint).(bool)
		if !ok {
			r.problem(where, "x-annotations: %s has to be true or false", hint)
		}
		value[hint] = set
	}
	for name := range written.All() {
		if !slices.Contains(hints, name) {
			r.problem(where, "x-annotations: %q is no hint", name)
		}
	}
	if value["readOnlyHint"] && value["destructiveHint"] {
		r.problem(where, "x-annotations: what only reads cannot be destructive")
	}
	if value["readOnlyHint"] && !value["idempotentHint"] {
		r.problem(where, "x-annotations: what only reads is idempotent")
	}
	return Annotations{value["readOnlyHint"], value["destructiveHint"], value["idempotentHint"], value["openWorldHint"]}
}

// input is one object of the parameters and the body's properties.
func (r *reader) input(where string, item, operation *Object) *Object {
	properties, required := &Object{}, []any{}
	add := func(name string, schema *Object, isRequired bool) {
		if properties.Has(name) {
			r.problem(where, "the argument %q is there twice", name)
		}
		properties.Set(name, r.inline(where, schema, nil))
		if isRequired {
			required = append(required, name)
		}
	}
	for _, parameter := range slices.Concat(item.list("parameters"), operation.list("parameters")) {
		parameter, _ := parameter.(*Object)
		parameter = r.followAll(where, parameter)
		if parameter.text("in") != "query" {
			r.problem(where, "parameter %q has to be in: query", parameter.text("name"))
		}
		isRequired, _ := parameter.Get("required").(bool)
		add(parameter.text("name"), parameterSchema(parameter), isRequired)
	}
	body := r.body(where, operation.object("requestBody"))
	for name, schema := range body.object("properties").All() {
		schema, ok := schema.(*Object)
		if !ok {
			r.problem(where, "the schema of %q is no object", name)
		}
		add(name, schema, slices.Contains(body.list("required"), any(name)))
	}
	input := &Object{}
	input.Set("type", "object")
	input.Set("properties", properties)
	if len(required) > 0 {
		input.Set("required", required)
	}
	input.Set("additionalProperties", false)
	return input
}

// parameterSchema is a parameter's schema with the description and the marks
// that stand beside it.
func parameterSchema(parameter *Object) *Object {
	schema := parameter.object("schema").Without(func(string) bool { return false })
	for name, value := range parameter.All() {
		if (name == "description" || isMark(name)) && !schema.Has(name) {
			schema.Set(name, value)
		}
	}
	return schema
}

func (r *reader) body(where string, request *Object) *Object {
	if request == nil {
		return nil
	}
	media := r.followAll(where, request).object("content").object("application/json")
	if media == nil {
		r.problem(where, "the request body is not application/json")
		return nil
	}
	body := r.followAll(where, media.object("schema"))
	for keyword := range body.All() {
		if !isMark(keyword) && !slices.Contains(bodyKeywords, keyword) {
			r.problem(where, "the request body's root has %q, which gets lost in the input schema", keyword)
		}
	}
	if open := body.Get("additionalProperties"); open != nil && open != false {
		r.problem(where, "the request body's root takes further properties; no tool does")
	}
	for _, name := range texts(body.list("required")) {
		if !body.object("properties").Has(name) {
			r.problem(where, "the request body requires %q, which is no property", name)
		}
	}
	return body
}

func (r *reader) output(where string, operation *Object) *Object {
	for status, response := range operation.object("responses").All() {
		response, ok := response.(*Object)
		if !ok || !strings.HasPrefix(status, "2") {
			continue
		}
		media := r.followAll(where, response).object("content").object("application/json")
		if schema := media.object("schema"); schema != nil {
			return r.withDefs(where, schema)
		}
	}
	r.problem(where, "no 2xx response with application/json")
	return &Object{}
}

func (r *reader) examples(where string, operation *Object) []Example {
	examples := []Example{}
	for i, item := range operation.list("x-tool-examples") {
		item, _ := item.(*Object)
		arguments, ok := item.Get("arguments").(*Object)
		if !ok {
			r.problem(where, "example %d has no arguments", i+1)
			continue
		}
		examples = append(examples, Example{item.text("description"), arguments})
	}
	return examples
}

func (r *reader) checkExamples(where string, tool *Tool) {
	for i, example := range tool.Details().Examples {
		given, _ := plain(example.Arguments).(map[string]any) // an object, as plain leaves it
		if _, err := tool.CheckArguments(given); err != nil {
			r.problem(where, "example %d does not pass: %v", i+1, err)
		}
	}
}

// text is an optional text with its white space folded only at the ends.
func (r *reader) text(where string, o *Object, name string) string {
	value := o.Get(name)
	text, ok := value.(string)
	if value != nil && !ok {
		r.problem(where, "%s has to be a text", name)
	}
	return strings.TrimSpace(text)
}

func (r *reader) texts(where string, o *Object, name string) []string {
	texts := []string{}
	for _, value := range o.list(name) {
		text, ok := value.(string)
		if !ok {
			r.problem(where, "%s has to be a list of texts", name)
			continue
		}
		texts = append(texts, text)
	}
	if o.Get(name) != nil && o.list(name) == nil {
		r.problem(where, "%s has to be a list", name)
	}
	return texts
}
