package contract_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// FuzzCheckArguments: whatever comes in, nothing panics; a refusal has a code
// and says what to do; what is accepted conforms to the listed schema and
// stays as it is when checked again.
func FuzzCheckArguments(f *testing.F) {
	seeds := []string{
		`null`, `{}`, `[]`, `{"limit":12.0}`, `{"limit":"#12"}`, `{"limit":1e400}`, `{"limit":1e-400}`, `{"limit":99999999999999999999}`,
		`{"limit":-0}`, `{"labels":"a,b,"}`, `{"label":["a"],"labels":[]}`, `{"state":"active"}`, `{"repo":"\u0000\ud800"}`, `{"lables":null}`,
		`{"card_number":1,"body":"b","comment_id":5301580683}`, `{"card_number":1,"body":"b","comment_id":1e999999999}`,
		`{"card_number":"1","body":"b","weight":1e-7,"draft":"true","color":"00ff00"}`,
		`{"card_number":1,"body":"b","comments":[{"path":"p","line":"1","side":null},{"path":"p","line":2,"side":"LEFT"}]}`,
		`{"card_number":1,"body":"b","comments":[[[{}]]]}`,
	}
	for _, seed := range seeds {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	tools := board(f).Tools()
	schemas := make([]*jsonschema.Schema, len(tools))
	for i, tool := range tools {
		schemas[i] = compile(f, tool.Details().InputSchema)
	}
	f.Fuzz(func(t *testing.T, text []byte, digits bool) {
		var args map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		if digits {
			decoder.UseNumber()
		}
		if decoder.Decode(&args) != nil {
			return
		}
		for i, tool := range tools {
			checkProperties(t, tool, schemas[i], args)
		}
	})
}

func checkProperties(t *testing.T, tool *contract.Tool, schema *jsonschema.Schema, args map[string]any) {
	canonical, err := tool.CheckArguments(args)
	if err != nil {
		problem := fault.From(err)
		if problem.Code == fault.Internal || problem.Message == "" || problem.Details["argument"] == nil {
			t.Errorf("%s refuses %v with %+v", tool.Name, args, problem)
		}
		return
	}
	again, err := tool.CheckArguments(decode(t, string(canonical)))
	if err != nil || !bytes.Equal(again, canonical) {
		t.Errorf("%s: %s becomes %s, %v when checked again", tool.Name, canonical, again, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		t.Fatalf("%s: %s: %v", tool.Name, canonical, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s accepts %s against its schema: %v", tool.Name, canonical, err)
	}
}

func compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
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
	return compiled
}
