package awareness

import (
	"encoding/json"
	"slices"
	"strings"
)

const maxKinds = 3 // kinds that the schema sentence names

// SchemaSentence says what a tool takes, read from the names and types of its
// input schema's properties: "Takes a file path, a URL or a search query." It
// names at most three kinds, those of required properties first, and is "" when
// nothing is recognised. The order of the schema's keys does not matter.
func SchemaSentence(schema json.RawMessage) string {
	return takes(schemaPhrases(schema))
}

func takes(phrases []string) string {
	if len(phrases) == 0 {
		return ""
	}
	return "Takes " + listed(phrases, "or") + "."
}

// property is the part of a JSON Schema node that awareness looks at.
type property struct {
	Type   typeNames         `json:"type"`
	Format string            `json:"format"`
	Items  json.RawMessage   `json:"items"`
	Enum   []json.RawMessage `json:"enum"`
	Const  json.RawMessage   `json:"const"`
	AnyOf  []json.RawMessage `json:"anyOf"`
	OneOf  []json.RawMessage `json:"oneOf"`
}

// typeNames is a schema's "type": one name, or several of which null is none.
type typeNames []string

func (t *typeNames) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeNames{one}
		return nil
	}
	var several []string
	if err := json.Unmarshal(data, &several); err != nil {
		return err
	}
	*t = slices.DeleteFunc(several, func(name string) bool { return name == "null" })
	return nil
}

// shape is what a property can hold.
type shape struct {
	holds  accepts // 0 when nothing here can tell the model anything
	list   bool
	format string
}

// shapeOf reads a property's schema. Booleans, enumerations and constants hold
// nothing a phrase could name: their values are already in the schema. A schema
// without a type can hold anything.
func shapeOf(raw json.RawMessage) shape {
	return shapeWithin(raw, 4)
}

func shapeWithin(raw json.RawMessage, depth int) shape {
	var p property
	if depth == 0 || json.Unmarshal(raw, &p) != nil || len(p.Enum) > 0 || len(p.Const) > 0 {
		return shape{}
	}
	if len(p.Type) > 0 {
		return typedShape(p, depth)
	}
	for _, choice := range append(p.AnyOf, p.OneOf...) {
		if s := shapeWithin(choice, depth-1); s.holds != 0 {
			return s
		}
	}
	if len(p.AnyOf)+len(p.OneOf) > 0 {
		return shape{}
	}
	return shape{holds: texts | numbers | objects, format: p.Format}
}

func typedShape(p property, depth int) shape {
	s := shape{format: p.Format}
	for _, name := range p.Type {
		switch name {
		case "string":
			s.holds |= texts
		case "integer", "number":
			s.holds |= numbers
		case "array":
			return listShape(p.Items, depth)
		}
	}
	return s
}

func listShape(items json.RawMessage, depth int) shape {
	if len(items) == 0 {
		return shape{holds: texts | numbers | objects, list: true}
	}
	var item property
	if json.Unmarshal(items, &item) == nil && slices.Contains(item.Type, "object") {
		return shape{holds: objects, list: true}
	}
	s := shapeWithin(items, depth-1)
	s.list = true
	return s
}

// match is one recognised property.
type match struct {
	rule     int // its place in schemaRules
	many     bool
	required bool
}

// schemaPhrases are the noun phrases for a schema, at most maxKinds.
func schemaPhrases(schema json.RawMessage) []string {
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   json.RawMessage            `json:"required"`
	}
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	var required []string
	_ = json.Unmarshal(root.Required, &required) // draft 3 has a boolean here: then none is known to be required

	byKind := map[string]match{}
	for name, raw := range root.Properties {
		found, ok := recognise(splitWords(name), shapeOf(raw))
		if !ok {
			continue
		}
		found.required = slices.Contains(required, name)
		kind := schemaRules[found.rule].kind
		if known, seen := byKind[kind]; seen {
			found.required = found.required || known.required
			found.many = found.many && known.many
		}
		byKind[kind] = found
	}
	return phrases(byKind)
}

func phrases(byKind map[string]match) []string {
	var out []string
	for _, wantRequired := range []bool{true, false} {
		for _, r := range schemaRules {
			found, ok := byKind[r.kind]
			if !ok || found.required != wantRequired || len(out) == maxKinds {
				continue
			}
			if found.many {
				out = append(out, r.many)
			} else {
				out = append(out, r.one)
			}
		}
	}
	return out
}

// recognise finds the rule for a property: by its format, which says more than
// a name except where it is a date, else by its name.
func recognise(words []string, s shape) (match, bool) {
	if s.holds == 0 || len(words) == 0 {
		return match{}, false
	}
	last := len(words) - 1
	head, plural := singular(words[last])
	name := strings.Join(append(slices.Clone(words[:last]), head), " ")
	byName, byFormat := ruleNamed(name, s.holds), ruleFormatted(s)
	found := match{rule: byFormat, many: s.list || plural && s.holds&texts != 0}
	if byFormat < 0 || byName >= 0 && schemaRules[byFormat].kind == "date" {
		found.rule = byName
	}
	return found, found.rule >= 0
}

// ruleFormatted is the place of the rule for a format, or -1.
func ruleFormatted(s shape) int {
	kind := formatKinds[s.format]
	if s.holds&texts == 0 {
		return -1
	}
	return slices.IndexFunc(schemaRules, func(r rule) bool { return r.kind == kind })
}

// ruleNamed is the place of the rule with the longest pattern for a name in the
// singular, or -1.
func ruleNamed(name string, holds accepts) int {
	found, best := -1, 0
	if nameNoise[name] {
		return found
	}
	for i, r := range schemaRules {
		if r.accepts&holds == 0 {
			continue
		}
		if n := longestPattern(r.patterns, name); n > best {
			found, best = i, n
		}
	}
	return found
}

// longestPattern is the length of the longest pattern that fits name, or 0.
func longestPattern(patterns []string, name string) int {
	best := 0
	for _, pattern := range patterns {
		whole, isWhole := strings.CutPrefix(pattern, "=")
		fits := name == whole || !isWhole && strings.HasSuffix(name, " "+whole)
		if fits && len(whole) > best {
			best = len(whole)
		}
	}
	return best
}
