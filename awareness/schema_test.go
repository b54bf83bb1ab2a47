package awareness

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// properties makes a schema of properties that hold a string, or the JSON after
// a colon: "path", "files:{…}".
func properties(specs ...string) json.RawMessage {
	var members []string
	for _, spec := range specs {
		name, schema, found := strings.Cut(spec, ":")
		if !found {
			schema = `{"type":"string"}`
		}
		members = append(members, fmt.Sprintf("%q:%s", name, schema))
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(members, ",") + `}}`)
}

const (
	integer = `:{"type":"integer"}`
	boolean = `:{"type":"boolean"}`
	list    = `:{"type":"array","items":{"type":"string"}}`
)

func TestSchemaSentence(t *testing.T) {
	tests := []struct {
		name   string
		schema json.RawMessage
		want   string
	}{
		{"three kinds in good English", properties("filePath", "url", "query"), "Takes a search query, a URL or a file path."},
		{"two kinds", properties("url", "path"), "Takes a URL or a path."},
		{"one kind once", properties("filepath", "filename", "file"), "Takes a file path."},
		{"at most three kinds", properties("comment_id", "path", "url", "query", "owner"), "Takes a comment id, a search query or a URL."},
		{"required kinds first", json.RawMessage(`{"properties":{"query":{"type":"string"},"owner":{"type":"string"}},"required":["owner"]}`),
			"Takes an owner or a search query."},
		{"a list is plural", properties("paths" + list), "Takes paths."},
		{"a list of one name is plural too", properties("path" + list), "Takes paths."},
		{"a file list", properties("files" + list), "Takes a list of files."},
		{"a file list of objects", properties(`files:{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}}}}`), "Takes a list of files."},
		{"one singular makes it singular", properties("path", "paths"+list), "Takes a path."},
		{"format uri", properties(`target:{"type":"string","format":"uri"}`), "Takes a URL."},
		{"a list of URIs", properties(`targets:{"type":"array","items":{"type":"string","format":"uri"}}`), "Takes URLs."},
		{"format over name", properties(`file:{"type":"string","format":"uri"}`), "Takes a URL."},
		{"since with a date format", properties(`since:{"type":"string","format":"date-time"}`), "Takes a date range."},
		{"a date by format alone", properties(`born:{"type":"string","format":"date"}`), "Takes a date."},
		{"nullable", properties(`path:{"type":["string","null"]}`), "Takes a path."},
		{"nullable by anyOf", properties(`path:{"anyOf":[{"type":"null"},{"type":"string"}]}`), "Takes a path."},
		{"no type is any type", properties("path:{}"), "Takes a path."},
		{"capitals", properties("REPO_NAME"), "Takes a repository."},
		{"kebab case", properties("base-branch"), "Takes a git branch."},

		{"a boolean is never a path", properties("path"+boolean, "query"+boolean, "url"+boolean), ""},
		{"a closed choice says itself", properties(`path:{"type":"string","enum":["a","b"]}`, `url:{"const":"x"}`), ""},
		{"a number is no path", properties("path" + integer), ""},
		{"a text is no limit", properties("limit"), ""},
		{"nothing matches", properties("foo", "bar"), ""},
		{"no properties", json.RawMessage(`{"type":"object"}`), ""},
		{"no schema", nil, ""},
		{"broken schema", json.RawMessage(`{"properties":`), ""},
		{"a schema that is no object", json.RawMessage(`true`), ""},
		{"properties that are no schemas", properties("path:true", "url:7", "query:[]"), ""},
		{"a boolean required, as in draft 3", json.RawMessage(`{"properties":{"path":{"type":"string"}},"required":true}`), "Takes a path."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := SchemaSentence(test.schema); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// Names that matching by substring would take for something else.
func TestWholeWordsOnly(t *testing.T) {
	for _, name := range []string{
		"direction", "requireUnassigned", "request_reviewer_count", "sequence", "context", "account", "country", "prefix",
		"preferred", "report", "shared", "path_prefix", "content_type", "url_encoded", "border", "organize", "limited",
		"unlimited", "sqlite", "tablet", "commitment", "background", "referrer", "linked", "profile", "hydrated",
	} {
		if got := SchemaSentence(properties(name)); got != "" {
			t.Errorf("%s: %q, want nothing", name, got)
		}
	}
}

func TestNoiseNamesSayNothing(t *testing.T) {
	for name := range nameNoise {
		for _, spelled := range []string{name, name + "s", strings.ToUpper(name)} {
			if got := SchemaSentence(properties(spelled)); got != "" {
				t.Errorf("%s: %q, want nothing", spelled, got)
			}
		}
	}
}

// What tools for GitHub need, some of it easily missed.
func TestGitHubNames(t *testing.T) {
	for spec, want := range map[string]string{
		"since_comment_id":            "Takes a comment id.",
		"comment_id" + integer:        "Takes a comment id.",
		"reply_to_id":                 "Takes a comment id.",
		"comment_ids" + list:          "Takes comment ids.",
		"issue_number" + integer:      "Takes an issue number.",
		"issueNumber":                 "Takes an issue number.",
		"pr_number" + integer:         "Takes a pull request number.",
		"pull_number" + integer:       "Takes a pull request number.",
		"discussion_number" + integer: "Takes a discussion number.",
		"labels" + list:               "Takes labels.",
		"label":                       "Takes a label.",
		"file":                        "Takes a file path.",
		"per_page" + integer:          "Takes a result limit.",
		"page_size" + integer:         "Takes a result limit.",
		"maxResults" + integer:        "Takes a result limit.",
		"first" + integer:             "Takes a result limit.",
		"page" + integer:              "Takes a page position.",
		"cursor":                      "Takes a page position.",
		"repo":                        "Takes a repository.",
		"owner":                       "Takes an owner.",
		"expected_head_sha":           "Takes a commit.",
		"ref":                         "Takes a git ref.",
		"assignees" + list:            "Takes user names.",
	} {
		if got := SchemaSentence(properties(spec)); got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

// Every rule can be reached by each of its patterns: none is shadowed.
func TestRules(t *testing.T) {
	kinds := map[string]bool{}
	longest := 0
	for i, r := range schemaRules {
		if kinds[r.kind] {
			t.Errorf("kind %q twice", r.kind)
		}
		kinds[r.kind] = true
		longest = max(longest, utf8.RuneCountInString(r.one), utf8.RuneCountInString(r.many))
		for _, pattern := range r.patterns {
			name := strings.TrimPrefix(pattern, "=")
			if got := ruleNamed(name, r.accepts); got != i {
				t.Errorf("pattern %q of %q leads to rule %d", pattern, r.kind, got)
			}
		}
	}
	for format, kind := range formatKinds {
		if !kinds[kind] {
			t.Errorf("format %s has unknown kind %q", format, kind)
		}
	}
	if len(kinds) < 14 || longest > 24 {
		t.Errorf("%d kinds, longest phrase %d runes; want at least 14 and at most 24", len(kinds), longest)
	}
}
