package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// quotedRunes is how much of a wrong value a message repeats.
const quotedRunes = 80

// exampleCall is the first example of the contract, or one made up of the
// required arguments.
func (t *Tool) exampleCall() string {
	arguments := &Object{}
	d := t.Details()
	if len(d.Examples) > 0 {
		arguments = d.Examples[0].Arguments
	} else {
		for _, property := range d.arguments.properties {
			if property.required {
				arguments.Set(property.name, property.sample())
			}
		}
	}
	call, _ := arguments.MarshalJSON()
	return t.Name + " " + string(call)
}

// sample is a value that could stand in an example.
func (f *field) sample() any {
	switch {
	case len(f.enum) > 0:
		return f.enum[0]
	case f.kind == "integer" || f.kind == "number":
		return json.Number("1")
	case f.kind == "boolean":
		return true
	case f.kind == "array":
		return []any{f.items.sample()}
	case f.kind == "object":
		return &Object{}
	default:
		return "…"
	}
}

func (f *field) unknown(at string, names []string) error {
	const shown = 5
	quoted := make([]string, 0, shown)
	for _, name := range names[:min(shown, len(names))] {
		quoted = append(quoted, quote(name))
	}
	known := make([]string, len(f.properties))
	for i, property := range f.properties {
		known[i] = property.name
	}
	problem := fault.New(fault.InvalidArguments, "unknown argument %s%s", strings.Join(quoted, ", "), inside(at)).
		With("argument", join(at, cut(names[0]))).With("known", known)
	if spelling := Nearest(names[0], slices.Sorted(maps.Keys(f.spellings))); spelling != "" {
		nearest := f.spellings[spelling].name
		problem.Message += fmt.Sprintf("; did you mean %q?", nearest)
		return problem.With("nearest", nearest).WithFix("Send %q instead of %s, or leave it out.", nearest, quoted[0])
	}
	if len(known) == 0 {
		return problem.WithFix("Send no arguments.")
	}
	return problem.WithFix("Leave it out. Known: %s.", strings.Join(known, ", "))
}

func (f *field) tooLong(at string, length int64) error {
	problem := invalid(at, "%s has %d characters, of at most %d", at, length, *f.longest).With("limit", *f.longest)
	if f.tooLarge {
		problem.Code = fault.TooLarge
	}
	return problem.WithFix("Shorten it.")
}

func (f *field) mismatch(at string, value any) error {
	if at == "" {
		at = "arguments"
	}
	return invalid(at, "%s has to be %s, not %s", at, f.takes(), describe(value))
}

func invalid(at, format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidArguments, format, args...).With("argument", at)
}

// takes says what a field accepts, for messages.
func (f *field) takes() string {
	switch f.kind {
	case "integer":
		return "a whole number" + f.bounds()
	case "number":
		return "a number" + f.bounds()
	case "boolean":
		return "true or false"
	case "array":
		return `a list, such as ["a"]`
	case "object":
		return "an object"
	default:
		return "a text"
	}
}

func (f *field) bounds() string {
	var bounds []string
	if low := f.lowest(); low != nil {
		bounds = append(bounds, "at least "+strconv.FormatFloat(*low, 'f', -1, 64))
	}
	if f.maximum != nil {
		bounds = append(bounds, "at most "+strconv.FormatFloat(*f.maximum, 'f', -1, 64))
	}
	if len(bounds) == 0 {
		return ""
	}
	return " of " + strings.Join(bounds, " and ")
}

// describe shows a wrong value without repeating all of it.
func describe(value any) string {
	if text, ok := literal(value); ok {
		return cut(text)
	}
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []any, []string:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "something that is not JSON"
	}
}

func quote(text string) string { return strconv.Quote(cut(text)) }

func cut(text string) string {
	count := 0
	for i := range text {
		if count == quotedRunes {
			return text[:i] + "…"
		}
		count++
	}
	return text
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func inside(at string) string {
	if at == "" {
		return ""
	}
	return " in " + at
}
