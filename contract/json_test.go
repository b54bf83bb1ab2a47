package contract_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

func TestParseObjectKeepsTheOrder(t *testing.T) {
	const text = `{"b":1,"a":{"z":[],"y":[1.50,-2e3,{}]},"s":"a\"b\\c\né\u001f<&>","t":true,"f":false,"n":null}`
	spaced := "\n " + strings.NewReplacer(",", " ,\t", ":", " : ").Replace(text) + "\r\n"
	for _, input := range []string{text, spaced} {
		parsed, err := contract.ParseObject([]byte(input))
		if err != nil {
			t.Fatal(err)
		}
		got, err := parsed.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", input, diff)
		}
	}
	for _, bad := range []string{``, `[]`, `1`, `"a"`, `{`, `{"a":1}}`, `{"a":1,}`, `{} {}`} {
		if parsed, err := contract.ParseObject([]byte(bad)); err == nil {
			t.Errorf("%s is parsed to %v", bad, parsed)
		}
	}
}

func TestSetKeepsThePlace(t *testing.T) {
	object, err := contract.ParseObject([]byte(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	object.Set("a", "x")
	object.Set("c", true)
	if got, err := object.MarshalJSON(); err != nil || string(got) != `{"a":"x","b":2,"c":true}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// FuzzParseObject: an object is read, and written, as encoding/json has it.
func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,{"b":null}],"c":"\u00e9\\"}`, `{"a":1,"a":2}`, ` { "x" : [ true , -0.5e-7 ] } `, `{"\ud800":"\""}`, `[]`, `{"a":1e999}`, "{\"\xff\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		isObject := json.Valid(text) && bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{"))
		parsed, err := contract.ParseObject(text)
		if isObject != (err == nil) {
			t.Fatalf("%q: got %v, %v; is it an object? %t", text, parsed, err, isObject)
		}
		if err != nil {
			return
		}
		written, err := parsed.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(written) {
			t.Errorf("%q is written as %q, which is no UTF-8", text, written)
		}
		if diff := cmp.Diff(decode(t, string(text)), decode(t, string(written))); diff != "" {
			t.Errorf("%q (-encoding/json +contract):\n%s", text, diff)
		}
	})
}
