package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadArguments(t *testing.T) {
	type arguments = map[string]any
	for name, test := range map[string]struct {
		words []string
		stdin string
		want  arguments
	}{
		"none":                     {nil, "", arguments{}},
		"text stays text":          {[]string{"title=5", "id=0012", "empty=", "body=a=b", "q=\"x\""}, "", arguments{"title": "5", "id": "0012", "empty": "", "body": "a=b", "q": `"x"`}},
		"words of JSON":            {[]string{"a=true", "b=false", "c=null", "d=True"}, "", arguments{"a": true, "b": false, "c": nil, "d": "True"}},
		"arrays and objects":       {[]string{`labels=["a","b"]`, `at={"line":3}`}, "", arguments{"labels": []any{"a", "b"}, "at": arguments{"line": json.Number("3")}}},
		"what only looks like one": {[]string{"body=[draft] text", "note={x", "two=[1] [2]"}, "", arguments{"body": "[draft] text", "note": "{x", "two": "[1] [2]"}},
		"an object":                {[]string{` {"comment_id": 5301580683123456789}`}, "", arguments{"comment_id": json.Number("5301580683123456789")}},
		"stdin":                    {[]string{"-"}, "{\"limit\": 3}\n", arguments{"limit": json.Number("3")}},
		"the later wins":           {[]string{"-", `{"limit": 4, "query": "x"}`, "limit=5"}, `{"limit": 3, "cursor": "c"}`, arguments{"limit": "5", "query": "x", "cursor": "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readArguments(test.words, strings.NewReader(test.stdin))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadArgumentsRefuses(t *testing.T) {
	for _, word := range []string{"limit", "=5", "{", `{"a": 1} {"b": 2}`, "[]", "-", "--", ""} {
		if got, err := readArguments([]string{word}, strings.NewReader("[1]")); err == nil {
			t.Errorf("%q is taken as %v", word, got)
		}
	}
}
