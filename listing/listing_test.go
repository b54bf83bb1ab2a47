package listing_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func load(t testing.TB, name string) *contract.Contract {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := contract.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func marshal(t testing.TB, value any) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestCompactListing(t *testing.T) {
	golden(t, "testdata/compact.golden.json", marshal(t, listing.Tools(load(t, "testdata/compact.yaml"), listing.Options{})))
}

// A contract that has not opted in is what it is without this package.
func TestWithoutOptInNothingChanges(t *testing.T) {
	loaded := load(t, "testdata/plain.yaml")
	var untouched []listing.Tool
	for _, tool := range loaded.Tools() {
		details := tool.Details()
		description := details.Description
		if description == "" {
			description = tool.Title
		}
		untouched = append(untouched, listing.Tool{Name: tool.Name, Title: tool.Title, Description: description,
			InputSchema: details.InputSchema, OutputSchema: details.OutputSchema, Annotations: tool.Annotations})
	}
	for _, full := range []bool{false, true} {
		got := listing.Tools(loaded, listing.Options{Full: full})
		if diff := cmp.Diff(string(marshal(t, untouched)), string(marshal(t, got))); diff != "" {
			t.Errorf("full %t (-without +with):\n%s", full, diff)
		}
	}
}

func TestFullListingIsThatOfAPlainContract(t *testing.T) {
	got := listing.Tools(load(t, "testdata/compact.yaml"), listing.Options{Full: true})
	want := listing.Tools(load(t, "testdata/plain.yaml"), listing.Options{})
	if diff := cmp.Diff(string(marshal(t, want)), string(marshal(t, got))); diff != "" {
		t.Errorf("full listing (-want +got):\n%s", diff)
	}
}

// What the compact schemas accept is what the full ones accept: both checkers
// are asked about values on either side of every rule.
func TestCompactSchemasAcceptTheSame(t *testing.T) {
	loaded := load(t, "testdata/compact.yaml")
	compact := byName(listing.Tools(loaded, listing.Options{}))
	full := byName(listing.Tools(loaded, listing.Options{Full: true}))
	inputs := []string{
		`{}`, `{"description":"d","title":"t"}`, `{"description":"","title":"t"}`, `{"description":"d"}`, `{"description":"d","title":"t","other":1}`,
		`{"description":"d","title":"t","enum":"x-hint"}`, `{"description":"d","title":"t","enum":"hint"}`, `{"description":"d","title":"t","examples":[1]}`,
		`{"description":"d","title":"t","properties":{"description":"x"}}`, `{"description":"d","title":"t","properties":{"title":"x"}}`,
	}
	outputs := []string{
		`{}`, `{"description":"d"}`, `{"description":"d","const":{"title":"data","description":"data"}}`, `{"description":"d","const":{}}`,
		`{"description":"d","any":null}`, `{"description":"d","any":1}`, `{"description":"d","small":1,"smaller":"1"}`, `{"description":"d","small":1,"smaller":2}`,
		`{"description":"d","once":{"small":"x"}}`, `{"description":"d","tree":{"branches":[{"branches":[]}]}}`, `{"description":"d","tree":{"branches":[{"branches":1}]}}`,
		`{"description":"d","owner":{}}`, `{"description":"d","owner":{"login":"a"},"writer":{"login":1}}`,
	}
	accepted := 0
	compare := func(kind string, short, long json.RawMessage, values []string) {
		for _, value := range values {
			got, want := accepts(t, short, value), accepts(t, long, value)
			if got != want {
				t.Errorf("%s %s: compact accepts %t, full %t", kind, value, got, want)
			}
			if want {
				accepted++
			}
		}
	}
	compare("input", compact["describe"].InputSchema, full["describe"].InputSchema, inputs)
	compare("output", compact["describe"].OutputSchema, full["describe"].OutputSchema, outputs)
	if accepted != 8 {
		t.Errorf("%d values were accepted; the test wants some of both kinds, 8", accepted)
	}
}

func byName(tools []listing.Tool) map[string]listing.Tool {
	named := map[string]listing.Tool{}
	for _, tool := range tools {
		named[tool.Name] = tool
	}
	return named
}

func TestListingIsTheSameEachTime(t *testing.T) {
	first := marshal(t, listing.Tools(load(t, "testdata/compact.yaml"), listing.Options{}))
	for range 20 {
		if again := marshal(t, listing.Tools(load(t, "testdata/compact.yaml"), listing.Options{})); !bytes.Equal(first, again) {
			t.Fatal("two listings differ")
		}
	}
}

func TestStamp(t *testing.T) {
	tools := listing.Tools(load(t, "testdata/compact.yaml"), listing.Options{})
	digest := listing.Digest(tools)
	for _, limit := range []int{0, 80, 40} {
		stamped := byName(listing.Stamp(tools, "long_winded", limit))
		got := stamped["long_winded"].Description
		if !strings.HasSuffix(got, " Surface "+digest+".") {
			t.Errorf("limit %d: %q does not end in the digest %s", limit, got, digest)
		}
		if n := utf8.RuneCountInString(got); limit > 0 && n > limit {
			t.Errorf("limit %d: %q has %d runes", limit, got, n)
		}
		if stamped["plain"].Description != byName(tools)["plain"].Description {
			t.Error("another tool changed")
		}
	}
	if listing.Digest(listing.Stamp(tools, "plain", 80)) != digest {
		t.Error("the stamp changes the digest")
	}
	if diff := cmp.Diff(marshal(t, tools), marshal(t, listing.Stamp(tools, "nobody", 80))); diff != "" {
		t.Error("a stamp without a carrier changes the listing")
	}
}

func TestDigest(t *testing.T) {
	text, err := os.ReadFile("testdata/compact.yaml")
	if err != nil {
		t.Fatal(err)
	}
	digest := func(old, new string) string {
		changed := strings.Replace(string(text), old, new, 1)
		if changed == string(text) && old != new {
			t.Fatalf("the contract has no %q", old)
		}
		loaded, err := contract.Load([]byte(changed))
		if err != nil {
			t.Fatal(err)
		}
		compact := listing.Digest(listing.Tools(loaded, listing.Options{}))
		if full := listing.Digest(listing.Tools(loaded, listing.Options{Full: true})); full != compact {
			t.Errorf("%q: compact %s, full %s", new, compact, full)
		}
		return compact
	}
	original := digest("", "")
	if len(original) != 12 || strings.Trim(original, "0123456789abcdef") != "" {
		t.Errorf("digest %q is not 12 hex digits", original)
	}
	same := map[string][2]string{
		"other words in a schema":  {"description: The new title", "description: The title from now on"},
		"another hint":             {"shown in lists", "shown everywhere"},
		"another summary":          {"Describes a thing.", "Says what a thing is."},
		"another title":            {"summary: Describe a thing", "summary: Tell"},
		"another order of members": {"{type: string, description: The new description, minLength: 1}", "{minLength: 1, description: x, type: string}"},
		"another order of names":   {"required: [description, title]", "required: [title, description]"},
		"another order of values":  {"enum: [description, title, x-hint]", "enum: [x-hint, title, description]"},
		"another output":           {"title: A thing\n                required: [description]", "title: A thing"},
	}
	for name, change := range same {
		if got := digest(change[0], change[1]); got != original {
			t.Errorf("%s: digest %s, want %s as before", name, got, original)
		}
	}
	other := map[string][2]string{
		"another name":       {"operationId: plain", "operationId: simple"},
		"another value":      {"enum: [description, title, x-hint]", "enum: [description, title, x-hint, x-wish]"},
		"no longer required": {"required: [description, title]", "required: [description]"},
		"another default":    {"default: description}", "default: title}"},
		"another type":       {"title: {type: string, description: The new title", "title: {type: integer, description: The new title"},
		"another bound":      {"minLength: 1}", "minLength: 2}"},
		"another property":   {"An inner description}", "An inner description}\n                    more: {type: string}"},
		"renamed property":   {"                title: {type: string, description: The new title, x-hint: shown in lists}\n", "                name: {type: string}\n                title: {type: string}\n"},
	}
	seen := map[string]string{original: "the original"}
	for name, change := range other {
		got := digest(change[0], change[1])
		if before, taken := seen[got]; taken {
			t.Errorf("%s has the digest of %s", name, before)
		}
		seen[got] = name
	}
}
