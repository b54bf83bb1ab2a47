package contract

import (
	"regexp"
	"slices"
	"unicode/utf8"
)

// inputKeywords is what every client and every model API accepts in the
// schema of an argument. One keyword outside of it, and some hosts drop the
// tool, or the whole list, without a word.
var inputKeywords = []string{"type", "description", "enum", "items", "properties", "required", "minimum", "maximum",
	"minLength", "maxLength", "pattern", "default", "additionalProperties"}

var (
	inputTypes = []string{"string", "integer", "number", "boolean", "array", "object"}

	operationMarks = []string{"x-annotations", "x-tool-summary", "x-tool-handbook", "x-tool-scenario", "x-tool-examples",
		"x-toolset", "x-github-scopes", "x-errors"}
	schemaMarks = []string{"x-hint", "x-aliases", "x-authored", "x-comment-id", "x-number-text", "x-comma-list",
		"x-enum-aliases", "x-too-large"}

	argumentName = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)
)

// checkMarks refuses a misspelt mark of ours. Others' marks may stand there.
func (r *reader) checkMarks(where string, operation *Object) {
	r.checkSpelling(where, operation, operationMarks)
}

func (r *reader) checkSpelling(where string, node *Object, known []string) {
	for name := range node.All() {
		if !isMark(name) || slices.Contains(known, name) {
			continue
		}
		if nearest := Nearest(name, known); nearest != "" {
			r.problem(where, "%q is unknown; %q was meant?", name, nearest)
		}
	}
}

// checkInput holds an input schema to the rules, from its root down.
func (r *reader) checkInput(where string, schema *Object) {
	r.checkSpelling(where, schema, schemaMarks)
	r.checkHint(where, schema)
	for keyword := range schema.All() {
		if !isMark(keyword) && !slices.Contains(inputKeywords, keyword) {
			r.problem(where, "%q is not accepted by every client in an input schema", keyword)
		}
	}
	kind := schema.text("type")
	if !slices.Contains(inputTypes, kind) {
		r.problem(where, "type has to be one of %q", inputTypes)
	}
	if enum := schema.Get("enum"); enum != nil && (kind != "string" || !allStrings(enum)) {
		r.problem(where, "enum has to be a list of texts, on a string")
	}
	if schema.Get("default") == nil && schema.Has("default") {
		r.problem(where, "a default of null says nothing")
	}
	r.checkPlaces(where, kind, schema)
	for step, inner := range inner(schema) {
		r.checkInput(where+" "+step, inner)
	}
}

func (r *reader) checkPlaces(where, kind string, schema *Object) {
	isArray, isObject := kind == "array", kind == "object"
	if items := schema.object("items"); isArray != (items != nil) {
		r.problem(where, "items belongs to an array, as a schema, and to nothing else")
	}
	if !isObject && (schema.Has("properties") || schema.Has("required") || schema.Has("additionalProperties")) {
		r.problem(where, "properties, required and additionalProperties belong to an object")
	}
	if isObject {
		r.checkObject(where, schema)
	}
	if items := schema.object("items"); items.text("type") == "string" && !items.Has("enum") && !items.Has("minLength") {
		r.problem(where, "a text in a list is never blank: its schema has to say so, with minLength: 1")
	}
	if schema.Get("x-comma-list") == true && schema.object("items").text("type") != "string" {
		r.problem(where, "x-comma-list belongs to an array of strings")
	}
	if (schema.Get("x-comment-id") == true || schema.Get("x-number-text") == true) && kind != "string" {
		r.problem(where, "x-comment-id and x-number-text belong to a string")
	}
}

func (r *reader) checkObject(where string, schema *Object) {
	properties := schema.object("properties")
	if properties == nil {
		r.problem(where, "an object without properties")
	}
	if closed, ok := schema.Get("additionalProperties").(bool); !ok || closed {
		r.problem(where, "an object without additionalProperties: false")
	}
	taken := map[string]bool{}
	for name, value := range properties.All() {
		property, isSchema := value.(*Object)
		if !isSchema {
			r.problem(where, "the schema of %q is no object", name)
		}
		for _, spelling := range append([]string{name}, texts(property.list("x-aliases"))...) {
			if taken[spelling] {
				r.problem(where, "%q names two properties", spelling)
			}
			if !argumentName.MatchString(spelling) {
				r.problem(where, "%q is no name for a property (%s)", spelling, argumentName)
			}
			taken[spelling] = true
		}
	}
	for _, name := range schema.list("required") {
		if name, _ := name.(string); !properties.Has(name) {
			r.problem(where, "%q is required, but no property", name)
		}
	}
}

// checkOutput holds an output schema to the rules that hosts enforce.
func (r *reader) checkOutput(where string, schema *Object) {
	if kind, _ := schema.Get("type").(string); kind != "object" {
		r.problem(where, "the output's root has to be type: object")
	}
	r.checkArrays(where+" output", schema)
}

func (r *reader) checkArrays(where string, schema *Object) {
	r.checkSpelling(where, schema, schemaMarks)
	r.checkHint(where, schema)
	isArray := schema.text("type") == "array" || slices.Contains(schema.list("type"), any("array"))
	if isArray && schema.object("items") == nil {
		r.problem(where, "an array without items")
	}
	for step, inner := range inner(schema) {
		r.checkArrays(where+" "+step, inner)
	}
}

func (r *reader) checkHint(where string, schema *Object) {
	if n := utf8.RuneCountInString(schema.text("x-hint")); n > hintLimit {
		r.problem(where, "x-hint has %d runes, of at most %d", n, hintLimit)
	}
}

func allStrings(value any) bool {
	list, ok := value.([]any)
	return ok && len(list) > 0 && len(texts(list)) == len(list)
}

// texts are the strings of a list.
func texts(list []any) []string {
	var found []string
	for _, value := range list {
		if text, ok := value.(string); ok {
			found = append(found, text)
		}
	}
	return found
}
