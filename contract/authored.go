package contract

import (
	"slices"
	"strings"
)

// Authored are the places in a result that hold a person's text (x-authored),
// as paths such as comments.nodes[].body, sorted. A definition that contains
// itself is entered twice on each way: a reply's body is listed under the
// replies of a comment, and not under replies of replies without end.
func (t *Tool) Authored() []string {
	var paths []string
	t.authored(t.Details().Output, "", nil, func(path string) { paths = append(paths, path) })
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (t *Tool) authored(node *Object, path string, open []string, found func(path string)) {
	if node.Get("x-authored") == true {
		found(strings.TrimPrefix(path, "."))
	}
	if ref := node.text("$ref"); ref != "" {
		target, _ := lookup(t.Details().Output, ref).(*Object)
		if target != nil && count(open, ref) < 2 {
			t.authored(target, path, append(slices.Clone(open), ref), found)
		}
	}
	for keyword, value := range node.All() {
		if keyword == "$defs" {
			continue
		}
		for step, inner := range innerValues(keyword, value) {
			if inner, ok := inner.(*Object); ok {
				t.authored(inner, path+pathStep(keyword, step), open, found)
			}
		}
	}
}

// pathStep is what a position in a schema adds to the path in the value.
func pathStep(keyword, step string) string {
	switch keyword {
	case "properties":
		return "." + strings.TrimPrefix(step, "properties.")
	case "items", "prefixItems":
		return "[]"
	case "additionalProperties", "patternProperties":
		return ".*"
	default:
		return ""
	}
}

func count(list []string, value string) int {
	n := 0
	for _, other := range list {
		if other == value {
			n++
		}
	}
	return n
}
