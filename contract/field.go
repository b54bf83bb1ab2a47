package contract

import (
	"encoding/json"
	"regexp"
	"slices"
)

// field is an input schema made ready for checking values against it.
type field struct {
	name     string
	kind     string
	required bool
	fallback any // the default, as canonical value; nil when there is none

	minimum, maximum  *float64
	shortest, longest *int64 // runes
	pattern           *regexp.Regexp
	enum              []string
	enumAliases       map[string]string // former value → value
	tooLarge          bool              // over the longest is TOO_LARGE
	takesNumber       bool              // a string that also takes a JSON number
	commaList         bool              // an array that also takes "a,b"
	items             *field
	properties        []*field          // in the order of the file
	spellings         map[string]*field // properties by name and by alias
}

// field compiles a schema that checkInput had nothing against.
func (r *reader) field(where, name string, schema *Object) *field {
	f := &field{
		name: name, kind: schema.text("type"),
		minimum: r.bound(where, schema, "minimum"), maximum: r.bound(where, schema, "maximum"),
		shortest: r.length(where, schema, "minLength"), longest: r.length(where, schema, "maxLength"),
		pattern: r.pattern(where, schema), enum: texts(schema.list("enum")),
		enumAliases: map[string]string{},
		tooLarge:    schema.Get("x-too-large") == true,
		takesNumber: schema.Get("x-comment-id") == true || schema.Get("x-number-text") == true,
		commaList:   schema.Get("x-comma-list") == true,
	}
	for old, value := range schema.object("x-enum-aliases").All() {
		value, _ := value.(string)
		if !slices.Contains(f.enum, value) || slices.Contains(f.enum, old) {
			r.problem(where, "x-enum-aliases: %q has to stand for a value of the enum and not be one", old)
		}
		f.enumAliases[old] = value
	}
	if items := schema.object("items"); items != nil {
		f.items = r.field(where+"[]", name, items)
	}
	if f.kind == "object" {
		r.fields(where, f, schema)
	}
	if schema.Has("default") {
		r.fallback(where, f, schema)
	}
	return f
}

func (r *reader) fields(where string, f *field, schema *Object) {
	f.spellings = map[string]*field{}
	for name, value := range schema.object("properties").All() {
		property, ok := value.(*Object)
		if !ok {
			r.problem(where, "property %s has no schema", name)
			continue
		}
		child := r.field(where+" "+name, name, property)
		child.required = slices.Contains(schema.list("required"), any(name))
		f.properties = append(f.properties, child)
		for _, spelling := range append([]string{name}, texts(property.list("x-aliases"))...) {
			f.spellings[spelling] = child
		}
	}
}

func (r *reader) fallback(where string, f *field, schema *Object) {
	value, err := f.check(where, plain(schema.Get("default")))
	if err != nil {
		r.problem(where, "the default does not pass: %v", err)
	}
	f.fallback = value
}

func (r *reader) bound(where string, schema *Object, keyword string) *float64 {
	value := schema.Get(keyword)
	if value == nil {
		return nil
	}
	number, isNumber := value.(json.Number)
	bound, err := number.Float64()
	if !isNumber || err != nil {
		r.problem(where, "%s has to be a number", keyword)
	}
	return &bound
}

func (r *reader) length(where string, schema *Object, keyword string) *int64 {
	value := schema.Get(keyword)
	if value == nil {
		return nil
	}
	length, ok := wholeNumber(value)
	if !ok || length < 0 {
		r.problem(where, "%s has to be a whole number", keyword)
	}
	return &length
}

func (r *reader) pattern(where string, schema *Object) *regexp.Regexp {
	if !schema.Has("pattern") {
		return nil
	}
	pattern, err := regexp.Compile(schema.text("pattern"))
	if err != nil {
		r.problem(where, "pattern: %v", err)
	}
	return pattern
}
