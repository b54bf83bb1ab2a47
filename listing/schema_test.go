package listing_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// accepts asks a validator that is not ours whether a value fits a schema.
func accepts(t *testing.T, schema json.RawMessage, value string) bool {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:///s.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("mem:///s.json")
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(instance) == nil
}
