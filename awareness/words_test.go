package awareness

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitWords(t *testing.T) {
	for name, want := range map[string][]string{
		"since_comment_id":  {"since", "comment", "id"},
		"per-page":          {"per", "page"},
		"requireUnassigned": {"require", "unassigned"},
		"HTTPServerURL":     {"http", "server", "url"},
		"REPO_NAME":         {"repo", "name"},
		"imageURLs":         {"image", "urls"},
		"issueIDs":          {"issue", "ids"},
		"IDsOfIssues":       {"ids", "of", "issues"},
		"sha256":            {"sha256"},
		"a.b/c d":           {"a", "b", "c", "d"},
		"größeÄndern":       {"größe", "ändern"},
		"__":                nil,
		"":                  nil,
	} {
		if diff := cmp.Diff(want, splitWords(name)); diff != "" {
			t.Errorf("splitWords(%q) (-want +got):\n%s", name, diff)
		}
	}
}

func TestSingular(t *testing.T) {
	for word, want := range map[string]string{
		"paths": "path", "queries": "query", "branches": "branch", "hashes": "hash", "ids": "id", "releases": "release",
		"status": "status", "address": "address", "this": "this", "path": "path", "as": "as",
	} {
		got, plural := singular(word)
		if got != want || plural != (word != want) {
			t.Errorf("singular(%q) = %q, %v; want %q", word, got, plural, want)
		}
	}
}
