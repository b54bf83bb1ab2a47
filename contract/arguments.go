package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// CheckArguments is the one place where a call's arguments are judged. It
// returns them in canonical form: aliases by their name, numbers as numbers,
// defaults filled in, null and absent alike left out, "" and [] kept. What it
// returns passes unchanged when checked again. Numbers are best decoded as
// json.Number, so that none loses digits.
//
// The error is a *fault.Error of INVALID_ARGUMENTS, MISSING_ARGUMENTS,
// AMBIGUOUS_ARGUMENTS or TOO_LARGE, with the details argument, nearest and
// known where they apply. An integer without a minimum has to be at least 1:
// nearly all of them count something. A text in a list is never blank: it would
// name nothing, and what then was meant is a guess.
func (t *Tool) CheckArguments(args map[string]any) (json.RawMessage, error) {
	checked, err := t.Details().arguments.check("", args)
	if err != nil {
		problem := fault.From(err)
		if problem.Code == fault.MissingArguments {
			problem.Fix = "Call it like this: " + cmp.Or(t.completed(args), t.exampleCall())
		}
		if problem.Fix == "" {
			problem.Fix = "Correct it and call again, as in: " + t.exampleCall()
		}
		return nil, problem
	}
	canonical, err := appendJSON(nil, checked)
	if err != nil {
		return nil, fault.From(err)
	}
	return canonical, nil
}

// check judges one value; at is where it stands in the call.
func (f *field) check(at string, value any) (any, error) {
	switch f.kind {
	case "object":
		return f.checkObject(at, value)
	case "array":
		return f.checkArray(at, value)
	case "boolean":
		return f.checkBoolean(at, value)
	case "integer":
		return f.checkInteger(at, value)
	case "number":
		return f.checkNumber(at, value)
	default:
		return f.checkString(at, value)
	}
}

// given is an argument under the spelling that the caller used.
type given struct {
	spelling string
	value    any
}

func (f *field) checkObject(at string, value any) (any, error) {
	members, ok := value.(map[string]any)
	if !ok {
		return nil, f.mismatch(at, value)
	}
	arguments, err := f.sortOut(at, members)
	if err != nil {
		return nil, err
	}
	if err := f.checkMissing(at, arguments); err != nil {
		return nil, err
	}
	checked := &Object{}
	for _, property := range f.properties {
		argument, isGiven := arguments[property]
		if !isGiven {
			if property.fallback != nil {
				checked.Set(property.name, property.fallback)
			}
			continue
		}
		value, err := property.check(join(at, argument.spelling), argument.value)
		if err != nil {
			return nil, err
		}
		checked.Set(property.name, value)
	}
	return checked, nil
}

// sortOut finds the property that each argument means, without those that are
// null. It refuses what is unknown and what is given under two spellings.
func (f *field) sortOut(at string, members map[string]any) (map[*field]given, error) {
	arguments := map[*field]given{}
	var unknown []string
	for _, spelling := range slices.Sorted(maps.Keys(members)) {
		property, known := f.spellings[spelling]
		if !known {
			unknown = append(unknown, spelling)
			continue
		}
		if members[spelling] == nil {
			continue
		}
		if other, twice := arguments[property]; twice {
			return nil, fault.New(fault.AmbiguousArguments, "%s and %s mean the same argument", join(at, other.spelling), join(at, spelling)).
				WithFix("Send only %s.", property.name).
				With("argument", join(at, property.name))
		}
		arguments[property] = given{spelling, members[spelling]}
	}
	if len(unknown) > 0 {
		return nil, f.unknown(at, unknown)
	}
	return arguments, nil
}

func (f *field) checkMissing(at string, arguments map[*field]given) error {
	var missing []string
	for _, property := range f.properties {
		if _, isGiven := arguments[property]; property.required && !isGiven {
			missing = append(missing, join(at, property.name))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.MissingArguments, "missing: %s", strings.Join(missing, ", ")).
		With("argument", missing[0]).With("missing", missing)
}

func (f *field) checkArray(at string, value any) (any, error) {
	list, ok := f.asList(value)
	if !ok {
		return nil, f.mismatch(at, value)
	}
	checked := make([]any, len(list))
	for i, item := range list {
		at := at + "[" + strconv.Itoa(i) + "]"
		if text, isText := item.(string); isText && strings.TrimSpace(text) == "" {
			return nil, invalid(at, "%s is blank", at).WithFix("Leave it out of the list.")
		}
		value, err := f.items.check(at, item)
		if err != nil {
			return nil, err
		}
		checked[i] = value
	}
	return checked, nil
}

// asList also takes "a,b" where the contract says so. A text that names
// nothing is no list: whoever wants to clear something has to say [].
func (f *field) asList(value any) ([]any, bool) {
	switch v := value.(type) {
	case []any:
		return v, true
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return list, true
	case string:
		var list []any
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list, f.commaList && len(list) > 0
	default:
		return nil, false
	}
}

func (f *field) checkBoolean(at string, value any) (any, error) {
	switch value {
	case true, "true":
		return true, nil
	case false, "false":
		return false, nil
	}
	return nil, f.mismatch(at, value)
}

func (f *field) checkInteger(at string, value any) (any, error) {
	number, ok := wholeNumber(value)
	if !ok || !f.within(float64(number)) {
		return nil, f.mismatch(at, value)
	}
	return json.Number(strconv.FormatInt(number, 10)), nil
}

func (f *field) checkNumber(at string, value any) (any, error) {
	number, ok := finiteNumber(value)
	if !ok || !f.within(number) {
		return nil, f.mismatch(at, value)
	}
	return number, nil
}

func (f *field) within(number float64) bool {
	lowest := f.lowest()
	return (lowest == nil || number >= *lowest) && (f.maximum == nil || number <= *f.maximum)
}

// lowest is the minimum; whole numbers without one start at 1.
func (f *field) lowest() *float64 {
	if f.minimum == nil && f.kind == "integer" {
		one := 1.0
		return &one
	}
	return f.minimum
}

func (f *field) checkString(at string, value any) (any, error) {
	text, ok := value.(string)
	if !ok && f.takesNumber {
		text, ok = numberText(value)
	}
	if !ok {
		return nil, f.mismatch(at, value)
	}
	if len(f.enum) > 0 {
		return f.checkEnum(at, text)
	}
	length := int64(utf8.RuneCountInString(text))
	if f.longest != nil && length > *f.longest {
		return nil, f.tooLong(at, length)
	}
	if f.shortest != nil && length < *f.shortest {
		return nil, invalid(at, "%s has to have at least %d characters, not %d", at, *f.shortest, length)
	}
	if f.pattern != nil && !f.pattern.MatchString(text) {
		return nil, invalid(at, "%s has to match %s; %s does not", at, f.pattern, quote(text))
	}
	return text, nil
}

// numberText is an id that came as a number: its plain digits, or the literal
// as it stands when it is no whole number, for the parser of ids to refuse.
func numberText(value any) (string, bool) {
	text, ok := literal(value)
	if number, whole := wholeNumber(value); ok && whole {
		return strconv.FormatInt(number, 10), true
	}
	return text, ok
}

func (f *field) checkEnum(at, text string) (any, error) {
	if slices.Contains(f.enum, text) {
		return text, nil
	}
	if value, ok := f.enumAliases[text]; ok {
		return value, nil
	}
	problem := invalid(at, "%s has to be one of %s, not %s", at, strings.Join(f.enum, ", "), quote(text)).
		With("known", f.enum)
	if nearest := Nearest(text, f.enum); nearest != "" {
		problem.Message += fmt.Sprintf("; did you mean %q?", nearest)
		return nil, problem.With("nearest", nearest).WithFix("Send %q.", nearest)
	}
	return nil, problem
}
