package contract_test

import (
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

func TestNearest(t *testing.T) {
	for name, test := range map[string]struct {
		value string
		known []string
		want  string
	}{
		"letter case and lines":                   {"issueNumber", []string{"number", "issue_number"}, "issue_number"},
		"two of five letters":                     {"axxde", []string{"abcde"}, "abcde"},
		"three of five letters":                   {"axxxe", []string{"abcde"}, ""},
		"neighbours swapped count once":           {"abdce", []string{"abxxe", "abcde"}, "abcde"},
		"neighbours swapped, of three":            {"acb", []string{"abc"}, "abc"},
		"the nearer of two":                       {"labelss", []string{"label", "labels", "lapels"}, "labels"},
		"the first of two as near":                {"titke", []string{"title", "titde"}, "title"},
		"a word inside":                           {"number", []string{"discussion_number"}, "discussion_number"},
		"a word around":                           {"the_discussion_number", []string{"number"}, "number"},
		"three letters inside":                    {"sha", []string{"expected_head_sha"}, "expected_head_sha"},
		"two letters inside are none":             {"ad", []string{"expected_head_sha"}, ""},
		"a misspelling stands before any inside":  {"numbre", []string{"a_numbre_of_things_to_do", "number"}, "number"},
		"even where the inside is less to change": {"abcdefghijklm", []string{"abcdefg", "abcdefghijXYmnopqr"}, "abcdefghijXYmnopqr"},
		"nothing":               {"", []string{"a"}, ""},
		"nothing but lines":     {"_-", []string{"a"}, ""},
		"a novel":               {strings.Repeat("a", 65), []string{strings.Repeat("a", 66)}, ""},
		"what is known none of": {"a", nil, ""},
	} {
		if got := contract.Nearest(test.value, test.known); got != test.want {
			t.Errorf("%s: nearest to %q is %q, want %q", name, test.value, got, test.want)
		}
	}
}
