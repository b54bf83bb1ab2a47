package peers_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// newerFile extends the published schema by what GitHub serves and the npm
// package does not have yet. The description of each addition is the reason.
const newerFile = "newer.graphql"

// publishedSchema is GitHub's schema as the npm package has it, with what
// newerFile adds.
func publishedSchema(t *testing.T) *ast.Schema {
	t.Helper()
	published := readText(t, fromNPM(t, "@octokit/graphql-schema/schema.graphql"))
	schema, err := buildSchema(published, readText(t, newerFile))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// buildSchema parses and validates a schema. The published text declares two
// fields twice; the first declaration counts.
func buildSchema(texts ...string) (*ast.Schema, error) {
	sources := []*ast.Source{validator.Prelude}
	for number, text := range texts {
		sources = append(sources, &ast.Source{Name: fmt.Sprintf("source %d", number), Input: text})
	}
	document, err := parser.ParseSchemas(sources...)
	if err != nil {
		return nil, err
	}
	for _, definition := range document.Definitions {
		seen := map[string]bool{}
		definition.Fields = slices.DeleteFunc(definition.Fields, func(field *ast.FieldDefinition) bool {
			defer func() { seen[field.Name] = true }()
			return seen[field.Name]
		})
	}
	return validator.ValidateSchemaDocument(document)
}

// TestSandboxSchemaIsGitHubs compares the sandbox's schema with the published
// one: whatever the sandbox offers, GitHub offers under the same type.
func TestSandboxSchemaIsGitHubs(t *testing.T) {
	published := publishedSchema(t)
	sandbox, err := buildSchema(readText(t, "../sandbox/schema.graphql"))
	if err != nil {
		t.Fatal(err)
	}
	differences, compared := schemaDifferences(sandbox, published)
	for _, difference := range differences {
		t.Error(difference)
	}
	t.Logf("%d fields, arguments and values compared", compared)
}

// schemaDifferences lists what part has and whole has not, or has otherwise,
// and the required arguments that part would do without. It also counts what
// it compared.
func schemaDifferences(part, whole *ast.Schema) (differences []string, compared int) {
	compare := comparison{whole: whole}
	for name, definition := range part.Types {
		if !definition.BuiltIn {
			compare.definition(name, definition)
		}
	}
	slices.Sort(compare.differences)
	return compare.differences, compare.compared
}

// comparison collects what differs from the whole schema.
type comparison struct {
	whole       *ast.Schema
	differences []string
	compared    int
}

func (c *comparison) differ(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

func (c *comparison) definition(name string, part *ast.Definition) {
	whole := c.whole.Types[name]
	switch {
	case whole == nil:
		c.differ("%s: GitHub has no such type", name)
		return
	case part.Kind != whole.Kind:
		c.differ("%s is %s, GitHub's is %s", name, part.Kind, whole.Kind)
		return
	}
	c.members(name, "interface", part.Interfaces, whole.Interfaces)
	c.members(name, "member", part.Types, whole.Types)
	c.members(name, "value", valueNames(part), valueNames(whole))
	for _, field := range part.Fields {
		c.field(name, field, whole.Fields.ForName(field.Name))
	}
	if part.Kind != ast.InputObject {
		return
	}
	for _, field := range whole.Fields {
		if required(field.Type, field.DefaultValue) && part.Fields.ForName(field.Name) == nil {
			c.differ("%s.%s is required on GitHub and is missing", name, field.Name)
		}
	}
}

func (c *comparison) members(name, kind string, part, whole []string) {
	for _, member := range part {
		c.compared++
		if !slices.Contains(whole, member) {
			c.differ("%s: GitHub has no %s %s there", name, kind, member)
		}
	}
}

func (c *comparison) field(parent string, part, whole *ast.FieldDefinition) {
	c.compared++
	name := parent + "." + part.Name
	switch {
	case whole == nil:
		c.differ("%s: GitHub has no such field", name)
		return
	case part.Type.String() != whole.Type.String():
		c.differ("%s is %s, GitHub's is %s", name, part.Type, whole.Type)
	}
	for _, argument := range part.Arguments {
		c.compared++
		switch published := whole.Arguments.ForName(argument.Name); {
		case published == nil:
			c.differ("%s(%s): GitHub has no such argument", name, argument.Name)
		case argument.Type.String() != published.Type.String():
			c.differ("%s(%s) is %s, GitHub's is %s", name, argument.Name, argument.Type, published.Type)
		}
	}
	for _, argument := range whole.Arguments {
		if required(argument.Type, argument.DefaultValue) && part.Arguments.ForName(argument.Name) == nil {
			c.differ("%s(%s) is required on GitHub and is missing", name, argument.Name)
		}
	}
}

func required(typ *ast.Type, byDefault *ast.Value) bool { return typ.NonNull && byDefault == nil }

func valueNames(definition *ast.Definition) []string {
	var names []string
	for _, value := range definition.EnumValues {
		names = append(names, value.Name)
	}
	return names
}

// TestNewerFieldsAreExplained keeps newerFile honest: each addition says why
// it is there, and is not in the published schema.
func TestNewerFieldsAreExplained(t *testing.T) {
	published, err := buildSchema(readText(t, fromNPM(t, "@octokit/graphql-schema/schema.graphql")))
	if err != nil {
		t.Fatal(err)
	}
	newer, err := parser.ParseSchema(&ast.Source{Name: newerFile, Input: readText(t, newerFile)})
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range unexplained(newer, published) {
		t.Error(complaint)
	}
}

// unexplained lists the additions that give no reason, and those that the
// published schema has by now.
func unexplained(newer *ast.SchemaDocument, published *ast.Schema) []string {
	var complaints []string
	complain := func(name, reason string, there bool) {
		if reason == "" {
			complaints = append(complaints, name+" has no description that says why")
		}
		if there {
			complaints = append(complaints, name+" is published by now")
		}
	}
	for _, definition := range newer.Definitions {
		complain(definition.Name, definition.Description, published.Types[definition.Name] != nil)
	}
	for _, extension := range newer.Extensions {
		known := published.Types[extension.Name]
		if known == nil {
			continue // an extension of a newer type; its definition was looked at
		}
		for _, field := range extension.Fields {
			complain(extension.Name+"."+field.Name, field.Description, known.Fields.ForName(field.Name) != nil)
		}
		for _, value := range extension.EnumValues {
			complain(extension.Name+"."+value.Name, value.Description, known.EnumValues.ForName(value.Name) != nil)
		}
	}
	return complaints
}

func TestSchemaDifferencesAreFound(t *testing.T) {
	whole := mustBuild(t, `
		type Query { a(x: Int!, y: Int): Int, b: [String!]!, c: E, d: U }
		type Query2 { a: Int } type T implements I { a: Int } interface I { a: Int }
		enum E { ONE, TWO } union U = T
		input In { a: Int!, b: Int, c: Int! = 1 }`)
	part := mustBuild(t, `
		type Query { a(y: String, z: Int): Int, b: [String!], c: E, d: U, e: Int }
		input Query2 { a: Int } type T implements J { a: Int } interface J { a: Int }
		type T2 { a: Int }
		enum E { ONE, THREE } union U = T | T2
		input In { b: Int }`)
	want := []string{
		"E: GitHub has no value THREE there",
		"In.a is required on GitHub and is missing",
		"J: GitHub has no such type",
		"Query.a(x) is required on GitHub and is missing",
		"Query.a(y) is String, GitHub's is Int",
		"Query.a(z): GitHub has no such argument",
		"Query.b is [String!], GitHub's is [String!]!",
		"Query.e: GitHub has no such field",
		"Query2 is INPUT_OBJECT, GitHub's is OBJECT",
		"T2: GitHub has no such type",
		"T: GitHub has no interface J there",
		"U: GitHub has no member T2 there",
	}
	got, _ := schemaDifferences(part, whole)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	if same, compared := schemaDifferences(whole, whole); len(same) > 0 || compared < 10 {
		t.Errorf("a schema differs from itself: %q, after %d comparisons", same, compared)
	}
}

func TestUnexplainedAdditionsAreFound(t *testing.T) {
	published := mustBuild(t, "type Query { a: Int } type Old { a: Int } enum E { ONE }")
	newer, err := parser.ParseSchema(&ast.Source{Input: `
		"""because""" type Fresh { a: Int }
		type Old { a: Int }
		extend type Query { "because" b: Int, a: Int, c: Int }
		extend enum E { TWO }
		extend type Fresh { b: Int }`})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Old has no description that says why", "Old is published by now",
		"Query.a has no description that says why", "Query.a is published by now",
		"Query.c has no description that says why",
		"E.TWO has no description that says why",
	}
	if diff := cmp.Diff(want, unexplained(newer, published)); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}

func mustBuild(t *testing.T, text string) *ast.Schema {
	t.Helper()
	schema, err := buildSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
