package contract

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// place says what a keyword of JSON Schema holds.
type place int

const (
	data place = iota
	oneSchema
	schemaList
	schemaMap
)

// placeOf finds the positions at which a schema keeps further schemas. What
// stands under default, enum, const and examples is data, however much it
// looks like a schema.
func placeOf(keyword string) place {
	switch keyword {
	case "items", "additionalProperties", "not", "if", "then", "else", "contains",
		"propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return oneSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return schemaList
	case "properties", "patternProperties", "$defs", "dependentSchemas":
		return schemaMap
	default:
		return data
	}
}

// Rewrite copies a schema, passing every schema in it through edit: first the
// root, then the schemas inside what edit made of it. edit must not change
// the node it is given; it returns another one.
func Rewrite(schema *Object, edit func(node *Object) *Object) *Object {
	return mapInner(edit(schema), func(inner *Object) *Object { return Rewrite(inner, edit) })
}

// mapInner copies one node with each schema directly inside it replaced.
func mapInner(node *Object, replace func(*Object) *Object) *Object {
	copied := &Object{members: make([]member, 0, node.Len())}
	for keyword, value := range node.All() {
		copied.members = append(copied.members, member{keyword, mapKeyword(keyword, value, replace)})
	}
	return copied
}

func mapKeyword(keyword string, value any, replace func(*Object) *Object) any {
	switch placeOf(keyword) {
	case oneSchema:
		return mapValue(value, replace)
	case schemaList:
		list, _ := value.([]any)
		mapped := make([]any, len(list))
		for i := range list {
			mapped[i] = mapValue(list[i], replace)
		}
		return mapped
	case schemaMap:
		named, _ := value.(*Object)
		mapped := &Object{members: make([]member, 0, named.Len())}
		for name, inner := range named.All() {
			mapped.members = append(mapped.members, member{name, mapValue(inner, replace)})
		}
		return mapped
	default:
		return value
	}
}

// mapValue leaves what is no object alone: true and false are schemas too.
func mapValue(value any, replace func(*Object) *Object) any {
	if inner, ok := value.(*Object); ok {
		return replace(inner)
	}
	return value
}

// listed is a schema as MCP lists it: without our marks. A hint stands in for
// a description that nobody wrote.
func listed(schema *Object) *Object {
	return Rewrite(schema, func(node *Object) *Object {
		bare := node.Without(isMark)
		if hint := node.text("x-hint"); hint != "" && !bare.Has("description") {
			bare.Set("description", hint)
		}
		return bare
	})
}

func isMark(keyword string) bool { return strings.HasPrefix(keyword, "x-") }

const componentSchemas = "#/components/schemas/"

// inline is a schema with every reference replaced by what it points to, as
// inputs need it. Members beside a $ref win over those of its target.
func (r *reader) inline(where string, schema *Object, open []string) *Object {
	ref, isRef := schema.Get("$ref").(string)
	if !isRef {
		return mapInner(schema, func(inner *Object) *Object { return r.inline(where, inner, open) })
	}
	if slices.Contains(open, ref) {
		r.problem(where, "the input contains itself through %s", ref)
		return &Object{}
	}
	target := r.follow(where, schema)
	return r.inline(where, target, append(slices.Clone(open), ref))
}

// follow is the target of a node's $ref, overlaid with the members beside it;
// a node without $ref is its own target.
func (r *reader) follow(where string, node *Object) *Object {
	ref, isRef := node.Get("$ref").(string)
	if !isRef {
		return node
	}
	target, ok := lookup(r.document, ref).(*Object)
	if !ok {
		r.problem(where, "%s points to nothing in this file", ref)
		return &Object{}
	}
	merged := target.Without(func(string) bool { return false })
	for name, value := range node.All() {
		if name != "$ref" {
			merged.Set(name, value)
		}
	}
	return merged
}

// followAll follows until there is no $ref any more, in at most 16 steps.
func (r *reader) followAll(where string, node *Object) *Object {
	for range 16 {
		if !node.Has("$ref") {
			return node
		}
		node = r.follow(where, node)
	}
	r.problem(where, "its references go round in a circle")
	return &Object{}
}

// lookup finds what a reference within the document points to, else nil.
func lookup(document *Object, ref string) any {
	path, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil
	}
	var at any = document
	for step := range strings.SplitSeq(path, "/") {
		object, _ := at.(*Object)
		at = object.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return at
}

// withDefs is a schema whose references point to its own $defs, which hold
// the components it needs, in the order they are met. A root that is only a
// reference is replaced by its target: MCP wants type: object at the root.
func (r *reader) withDefs(where string, schema *Object) *Object {
	var names []string
	local := func(node *Object) *Object {
		ref, isRef := node.Get("$ref").(string)
		if !isRef {
			return node
		}
		rest, ok := strings.CutPrefix(ref, componentSchemas)
		if !ok {
			r.problem(where, "%s does not point into %s", ref, componentSchemas)
			return node
		}
		if name, _, _ := strings.Cut(rest, "/"); !slices.Contains(names, name) {
			names = append(names, name)
		}
		moved := node.Without(func(string) bool { return false })
		moved.Set("$ref", "#/$defs/"+rest)
		return moved
	}
	root := Rewrite(r.followAll(where, schema), local)
	defs := &Object{}
	for i := 0; i < len(names); i++ { // names grows while components are copied
		target, ok := lookup(r.document, componentSchemas+names[i]).(*Object)
		if !ok {
			r.problem(where, "%s%s points to nothing in this file", componentSchemas, names[i])
			continue
		}
		defs.Set(names[i], Rewrite(target, local))
	}
	if defs.Len() > 0 {
		root.Set("$defs", defs)
	}
	return root
}

// inner yields each schema directly inside node with the step that leads to
// it, such as "properties.body" or "anyOf[1]".
func inner(node *Object) iter.Seq2[string, *Object] {
	return func(yield func(string, *Object) bool) {
		for keyword, value := range node.All() {
			for step, value := range innerValues(keyword, value) {
				if schema, ok := value.(*Object); ok && !yield(step, schema) {
					return
				}
			}
		}
	}
}

func innerValues(keyword string, value any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		switch placeOf(keyword) {
		case oneSchema:
			yield(keyword, value)
		case schemaList:
			list, _ := value.([]any)
			for i := range list {
				if !yield(fmt.Sprintf("%s[%d]", keyword, i), list[i]) {
					return
				}
			}
		case schemaMap:
			named, _ := value.(*Object)
			for name, value := range named.All() {
				if !yield(keyword+"."+name, value) {
					return
				}
			}
		}
	}
}
