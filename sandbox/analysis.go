package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	gophers "github.com/graph-gophers/graphql-go/ast"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// maxNodeCount is GitHub's bound for the nodes one query may ask for.
const maxNodeCount = 500_000

// analysis is what is known of a query before it runs.
type analysis struct {
	operation string // the chosen operation's name; "" when anonymous
	mutation  bool
	roots     []rootField
	nodes     int // an upper bound, by the page sizes
	requests  int // connections that have to be walked
	errors    []responseError
	defaults  map[string]any      // for variables without a value, where an argument has a default
	positions map[string]location // of fields, by their place in the answer
}

type rootField struct{ alias, name string }

func (a *analysis) cost() int { return max(1, a.requests/100) }

// rootName is the response name of a root field.
func (a *analysis) rootName(field string) string {
	for _, root := range a.roots {
		if root.name == field {
			return root.alias
		}
	}
	return field
}

// place is where the walk is: the path as GitHub's validation writes it, the
// path in the answer, and how often that can come.
type place struct {
	path   []any
	answer string
	times  int
}

func (p place) step(path any, answer string) place {
	return place{path: slices.Concat(p.path, []any{path}), answer: p.answer + answer, times: p.times}
}

// answerPath is a path of an error as place.answer writes it; list positions
// are left out.
func answerPath(path []any) string {
	var out strings.Builder
	for _, step := range path {
		if name, ok := step.(string); ok {
			out.WriteString("/" + name)
		}
	}
	return out.String()
}

// analyst walks a query beside the schema. It finds what GitHub words in its
// own way and adds up page sizes; everything else is left to the engine.
type analyst struct {
	*analysis
	types     map[string]gophers.NamedType
	fragments ast.FragmentDefinitionList
	variables map[string]any
	spreading []string // fragments on the way down, against cycles
	budget    int      // fields left to look at, against fragment bombs
}

func analyse(schema *gophers.Schema, query, operation string, variables map[string]any) *analysis {
	a := &analysis{defaults: map[string]any{}, positions: map[string]location{}}
	document, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil || document == nil {
		return a // the engine says what is wrong with it
	}
	chosen := document.Operations.ForName(operation)
	if chosen == nil {
		return a
	}
	a.operation, a.mutation = chosen.Name, chosen.Operation == ast.Mutation
	walk := &analyst{analysis: a, types: schema.Types, fragments: document.Fragments, variables: withDefaults(chosen, variables), budget: 50_000}
	walk.requireVariables(chosen, variables)
	root, path := "Query", "query"
	if a.mutation {
		root, path = "Mutation", "mutation"
	}
	for _, field := range walk.fields(chosen.SelectionSet) {
		a.roots = append(a.roots, rootField{alias: field.Alias, name: field.Name})
	}
	if chosen.Name != "" {
		path += " " + chosen.Name
	}
	walk.selections(chosen.SelectionSet, root, place{path: []any{path}, times: 1})
	return a
}

func withDefaults(operation *ast.OperationDefinition, given map[string]any) map[string]any {
	all := map[string]any{}
	for _, definition := range operation.VariableDefinitions {
		if definition.DefaultValue != nil {
			if value, err := definition.DefaultValue.Value(nil); err == nil {
				all[definition.Variable] = value
			}
		}
	}
	for name, value := range given {
		all[name] = value
	}
	return all
}

func (w *analyst) requireVariables(operation *ast.OperationDefinition, given map[string]any) {
	for _, definition := range operation.VariableDefinitions {
		if definition.Type.NonNull && definition.DefaultValue == nil && given[definition.Variable] == nil {
			w.errors = append(w.errors, responseError{
				Message:   fmt.Sprintf("Variable $%s of type %s was provided invalid value", definition.Variable, definition.Type),
				Locations: locations(definition.Position),
				Extensions: map[string]any{"value": nil, "problems": []any{
					map[string]any{"path": []any{}, "explanation": "Expected value to not be null"},
				}},
			})
		}
	}
}

// fields are the fields of a selection set at its own level.
func (w *analyst) fields(set ast.SelectionSet) (fields []*ast.Field) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			fields = append(fields, selection)
		case *ast.InlineFragment:
			fields = append(fields, w.fields(selection.SelectionSet)...)
		}
	}
	return fields
}

func (w *analyst) selections(set ast.SelectionSet, typeName string, at place) {
	for _, selection := range set {
		if w.budget--; w.budget < 0 {
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			w.field(selection, typeName, at.step(selection.Alias, "/"+selection.Alias))
		case *ast.InlineFragment:
			condition := selection.TypeCondition
			if condition == "" {
				condition = typeName
			}
			w.fragment(condition, selection.SelectionSet, selection.Position, at.step("... on "+condition, ""))
		case *ast.FragmentSpread:
			w.spread(selection, at)
		}
	}
}

func (w *analyst) spread(selection *ast.FragmentSpread, at place) {
	definition := w.fragments.ForName(selection.Name)
	if definition == nil || slices.Contains(w.spreading, selection.Name) {
		return
	}
	w.spreading = append(w.spreading, selection.Name)
	at.path = []any{"fragment " + selection.Name}
	w.fragment(definition.TypeCondition, definition.SelectionSet, definition.Position, at)
	w.spreading = w.spreading[:len(w.spreading)-1]
}

func (w *analyst) fragment(condition string, set ast.SelectionSet, position *ast.Position, at place) {
	if w.types[condition] == nil {
		w.fail(position, at.path, fmt.Sprintf("No such type %s, so it can't be a fragment condition", condition), map[string]any{
			"code": "undefinedType", "typeName": condition,
		})
		return
	}
	w.selections(set, condition, at)
}

func (w *analyst) field(field *ast.Field, typeName string, at place) {
	if strings.HasPrefix(field.Name, "__") {
		return
	}
	w.positions[at.answer] = location{Line: field.Position.Line, Column: field.Position.Column}
	definition := fieldsOf(w.types[typeName]).Get(field.Name)
	if definition == nil {
		w.fail(field.Position, at.path, fmt.Sprintf("Field '%s' doesn't exist on type '%s'", field.Name, typeName), map[string]any{
			"code": "undefinedField", "typeName": typeName, "fieldName": field.Name,
		})
		return
	}
	w.arguments(field, definition, at.path)
	result := namedType(definition.Type)
	if len(field.SelectionSet) == 0 && composite(w.types[result]) {
		w.fail(field.Position, at.path, fmt.Sprintf("Field must have selections (field '%s' returns %s but has no selections. Did you mean '%s { ... }'?)", field.Name, result, field.Name), map[string]any{
			"code": "selectionMismatch", "nodeName": "field '" + field.Name + "'", "typeName": result,
		})
	}
	if strings.HasSuffix(result, "Connection") {
		at.times = w.page(field, at)
	}
	w.selections(field.SelectionSet, result, at)
}

func (w *analyst) arguments(field *ast.Field, definition *gophers.FieldDefinition, path []any) {
	for _, argument := range field.Arguments {
		known := definition.Arguments.Get(argument.Name)
		if known != nil && known.Default != nil && argument.Value.Kind == ast.Variable {
			w.useDefault(argument.Value.Raw, known.Default)
		}
		if known == nil {
			w.fail(argument.Position, slices.Concat(path, []any{argument.Name}), fmt.Sprintf("Field '%s' doesn't accept argument '%s'", field.Name, argument.Name), map[string]any{
				"code": "argumentNotAccepted", "name": field.Name, "typeName": "Field", "argumentName": argument.Name,
			})
		}
	}
	var missing []string
	for _, wanted := range definition.Arguments {
		if _, required := wanted.Type.(*gophers.NonNull); required && wanted.Default == nil && field.Arguments.ForName(wanted.Name.Name) == nil {
			missing = append(missing, wanted.Name.Name)
		}
	}
	if len(missing) > 0 {
		names := strings.Join(missing, ", ")
		w.fail(field.Position, path, fmt.Sprintf("Field '%s' is missing required arguments: %s", field.Name, names), map[string]any{
			"code": "missingRequiredArguments", "className": "Field", "name": field.Name, "arguments": names,
		})
	}
}

// useDefault notes that a variable without a value stands for an argument's
// default; GitHub takes it so, the engine takes it as null.
func (w *analyst) useDefault(variable string, value gophers.Value) {
	if w.variables[variable] == nil {
		w.defaults[variable] = value.Deserialize(nil)
	}
}

// page counts the nodes of a connection and says how often what is below it
// can come.
func (w *analyst) page(field *ast.Field, at place) int {
	size := 0
	for _, name := range []string{"first", "last"} {
		if argument := field.Arguments.ForName(name); argument != nil {
			size = max(size, min(w.number(argument.Value), maxPage))
		}
	}
	w.requests += at.times
	before := w.nodes
	w.nodes += at.times * size
	if before <= maxNodeCount && w.nodes > maxNodeCount {
		w.errors = append(w.errors, responseError{
			Type: "MAX_NODE_LIMIT_EXCEEDED",
			Message: fmt.Sprintf("By the time this query traverses to the %s connection, it is requesting up to %s possible nodes which exceeds the maximum limit of %s.",
				field.Name, thousands(w.nodes), thousands(maxNodeCount)),
			Path: at.path[1:], Locations: locations(field.Position),
		})
	}
	return at.times * max(1, size)
}

func (w *analyst) number(value *ast.Value) int {
	given := any(value.Raw)
	if value.Kind == ast.Variable {
		given = w.variables[value.Raw]
	}
	number, err := strconv.ParseFloat(fmt.Sprint(given), 64)
	if err != nil || number < 0 {
		return 0
	}
	return int(min(number, 1e6))
}

func (w *analyst) fail(at *ast.Position, path []any, message string, extensions map[string]any) {
	w.errors = append(w.errors, responseError{Message: message, Path: path, Locations: locations(at), Extensions: extensions})
}

func locations(at *ast.Position) []location {
	if at == nil {
		return nil
	}
	return []location{{Line: at.Line, Column: at.Column}}
}

func fieldsOf(named gophers.NamedType) gophers.FieldsDefinition {
	switch named := named.(type) {
	case *gophers.ObjectTypeDefinition:
		return named.Fields
	case *gophers.InterfaceTypeDefinition:
		return named.Fields
	}
	return nil
}

func composite(named gophers.NamedType) bool {
	_, union := named.(*gophers.Union)
	return union || fieldsOf(named) != nil
}

func namedType(t gophers.Type) string {
	switch t := t.(type) {
	case *gophers.NonNull:
		return namedType(t.OfType)
	case *gophers.List:
		return namedType(t.OfType)
	case gophers.NamedType:
		return t.TypeName()
	}
	return ""
}

// thousands writes 500000 as 500,000.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
