package listing

import (
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

const definitions = "#/$defs/"

// smallDefinition is the size up to which a definition is no longer than the
// reference to it.
const smallDefinition = 48 // bytes

// inlined is a schema in which a definition that is used once, or is no longer
// than a reference, stands where it is used. Values mean what they meant.
func inlined(schema *contract.Object) *contract.Object {
	defs, _ := schema.Get("$defs").(*contract.Object)
	if defs == nil {
		return schema
	}
	dissolved := dissolvable(schema, defs)
	expanded := contract.Rewrite(schema, func(node *contract.Object) *contract.Object {
		for dissolved[refName(node)] {
			definition, _ := defs.Get(refName(node)).(*contract.Object) // only objects dissolve
			node = overlay(definition, node)
		}
		return node
	})
	kept, _ := expanded.Get("$defs").(*contract.Object)
	kept = kept.Without(func(name string) bool { return dissolved[name] })
	if kept.Len() == 0 {
		return expanded.Without(func(keyword string) bool { return keyword == "$defs" })
	}
	expanded.Set("$defs", kept)
	return expanded
}

// dissolvable chooses the definitions that go. One that reaches itself has to
// stay, as has one whose inside is referred to.
func dissolvable(schema, defs *contract.Object) map[string]bool {
	uses, deep := map[string]int{}, map[string]bool{}
	count := func(node *contract.Object) {
		if name := refName(node); name != "" {
			uses[name]++
		} else if ref, _ := node.Get("$ref").(string); ref != "" {
			name, _, _ := strings.Cut(strings.TrimPrefix(ref, definitions), "/")
			deep[name] = true
		}
	}
	visit(schema, count)
	chosen := map[string]bool{}
	for name, def := range defs.All() {
		def, ok := def.(*contract.Object)
		if !ok || deep[name] {
			continue
		}
		raw, _ := def.MarshalJSON()
		chosen[name] = uses[name] == 1 && !reaches(defs, def, name, map[string]bool{}) ||
			len(raw) <= smallDefinition && !def.Has("$ref")
	}
	return chosen
}

// reaches reports whether a schema refers to name, directly or through others.
func reaches(defs, from *contract.Object, name string, seen map[string]bool) bool {
	found := false
	visit(from, func(node *contract.Object) {
		next := refName(node)
		if next == "" || seen[next] || found {
			return
		}
		seen[next] = true
		target, _ := defs.Get(next).(*contract.Object)
		found = next == name || reaches(defs, target, name, seen)
	})
	return found
}

// visit shows every schema in a schema to see.
func visit(schema *contract.Object, see func(*contract.Object)) {
	contract.Rewrite(schema, func(node *contract.Object) *contract.Object {
		see(node)
		return node
	})
}

// refName is the definition that a node refers to as a whole, else "".
func refName(node *contract.Object) string {
	ref, _ := node.Get("$ref").(string)
	name, ok := strings.CutPrefix(ref, definitions)
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	return name
}

// overlay is a definition with the members that stand beside the reference.
func overlay(def, node *contract.Object) *contract.Object {
	merged := def.Without(func(string) bool { return false })
	for keyword, value := range node.All() {
		if keyword != "$ref" {
			merged.Set(keyword, value)
		}
	}
	return merged
}
