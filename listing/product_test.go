package listing_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
)

// product is the contract that this repository is about.
func product(t *testing.T) *contract.Contract { return load(t, "../openapi.yaml") }

func TestProductFitsItsBudgets(t *testing.T) {
	tools := listing.Stamp(listing.Tools(product(t), listing.Options{}), "healthcheck", 120)
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0
	for _, tool := range tools {
		n, err := codec.Count(tool.Name + "\n" + tool.Description + "\n" + string(tool.InputSchema))
		if err != nil {
			t.Fatal(err)
		}
		tokens += n
		t.Logf("%4d tokens, %5d bytes %s", n, len(line(t, tool)), tool.Name)
	}
	list := line(t, map[string]any{"tools": tools})
	t.Logf("%d tools: %d tokens, %d bytes", len(tools), tokens, len(list))
	if tokens > 5000 {
		t.Errorf("the list takes %d tokens, of at most 5,000", tokens)
	}
	if len(list) > 64<<10 {
		t.Errorf("the list takes %d bytes, of at most %d", len(list), 64<<10)
	}
}

func line(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestProductDescriptions(t *testing.T) {
	for _, tool := range listing.Stamp(listing.Tools(product(t), listing.Options{}), "healthcheck", 120) {
		if n := utf8.RuneCountInString(tool.Description); n == 0 || n > 120 {
			t.Errorf("%s: the description has %d runes", tool.Name, n)
		}
		if strings.HasSuffix(tool.Description, "...") || strings.HasSuffix(tool.Description, "…") {
			t.Errorf("%s: %q was cut", tool.Name, tool.Description)
		}
	}
	for _, tool := range product(t).Tools() {
		if tool.Details().Summary == "" {
			t.Errorf("%s: nobody wrote an x-tool-summary", tool.Name)
		}
	}
}

// What clients and model APIs are known to choke on, looked for in the very
// JSON that goes out, in the compact and in the full list.
func TestProductSchemasAreAcceptedEverywhere(t *testing.T) {
	for _, full := range []bool{false, true} {
		for _, tool := range listing.Tools(product(t), listing.Options{Full: full}) {
			if len(tool.Name) > 40 || strings.Trim(tool.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				t.Errorf("%s: the name is too long, or has letters that some clients refuse", tool.Name)
			}
			if tool.Annotations.ReadOnlyHint && tool.Annotations.DestructiveHint {
				t.Errorf("%s: reads and destroys", tool.Name)
			}
			for _, problem := range slices.Concat(inputProblems("input", tool.InputSchema), outputProblems("output", tool.OutputSchema)) {
				t.Errorf("%s: %s", tool.Name, problem)
			}
		}
	}
}

func TestSchemaProblemsAreSeen(t *testing.T) {
	bad := []string{
		`{"type":"object"}`, `{"type":["object"],"properties":{}}`, `{"type":"object","properties":{},"required":["a"]}`, `{"type":"object","properties":{},"required":null}`,
		`{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}`,
		`{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":{"$ref":"#/x"}}}`, `{"type":"object","properties":{},"anyOf":[]}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"const":1}}}}`, `{"type":"object","properties":{"a":{}}}`,
	}
	for _, schema := range bad {
		if inputProblems("input", json.RawMessage(schema)) == nil {
			t.Errorf("nothing is wrong with the input schema %s?", schema)
		}
	}
	for _, schema := range []string{`{"type":["object","null"]}`, `{"$ref":"#/$defs/A"}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":["array","null"]}]}}}`} {
		if outputProblems("output", json.RawMessage(schema)) == nil {
			t.Errorf("nothing is wrong with the output schema %s?", schema)
		}
	}
}

// inputProblems is written against the JSON, and shares nothing with the code
// that made it.
func inputProblems(where string, raw json.RawMessage) []string {
	var root any
	if err := json.Unmarshal(raw, &root); err != nil {
		return []string{where + ": " + err.Error()}
	}
	if node, _ := root.(map[string]any); node["type"] != "object" || node["properties"] == nil || node["additionalProperties"] != false {
		return []string{where + ": the root is no closed object with properties"}
	}
	return inputNode(where, root)
}

func inputNode(where string, schema any) []string {
	node, ok := schema.(map[string]any)
	if !ok {
		return []string{where + ": a schema that is no object"}
	}
	var problems []string
	allowed := []string{"type", "description", "enum", "items", "properties", "required", "minimum", "maximum", "minLength", "maxLength",
		"pattern", "default", "additionalProperties"}
	for _, keyword := range slices.Sorted(maps.Keys(node)) {
		if !slices.Contains(allowed, keyword) {
			problems = append(problems, where+": "+keyword)
		}
	}
	kind, _ := node["type"].(string)
	if kind == "" || (kind == "array") != (node["items"] != nil) {
		problems = append(problems, where+": no single type, or an array without items")
	}
	properties, _ := node["properties"].(map[string]any)
	required, hasRequired := node["required"]
	names, isList := required.([]any)
	if hasRequired && !isList {
		problems = append(problems, where+": required is no list")
	}
	for _, name := range names {
		if name, _ := name.(string); properties[name] == nil {
			problems = append(problems, where+": required, but not there: "+name)
		}
	}
	for name, property := range properties {
		problems = append(problems, inputNode(where+"."+name, property)...)
	}
	if items, ok := node["items"]; ok {
		problems = append(problems, inputNode(where+"[]", items)...)
	}
	return problems
}

func outputProblems(where string, raw json.RawMessage) []string {
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil || root["type"] != "object" {
		return []string{where + ": the root is not type object"}
	}
	return arrayProblems(where, root)
}

// arrayProblems looks at everything that could be a schema, data included:
// a result's schema has no data with a member "type": "array".
func arrayProblems(where string, value any) []string {
	var problems []string
	switch v := value.(type) {
	case map[string]any:
		kinds, _ := v["type"].([]any)
		if (v["type"] == "array" || slices.Contains(kinds, any("array"))) && v["items"] == nil {
			problems = append(problems, where+": an array without items")
		}
		for name, inner := range v {
			problems = append(problems, arrayProblems(where+"."+name, inner)...)
		}
	case []any:
		for i, inner := range v {
			problems = append(problems, arrayProblems(fmt.Sprintf("%s[%d]", where, i), inner)...)
		}
	}
	return problems
}
