package sandbox_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func TestQueriesAreRefusedInGitHubsWords(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for name, test := range map[string]struct {
		query, message, code string
		path                 []any
	}{
		"unknown field":    {`{ viewer { logn } }`, "Field 'logn' doesn't exist on type 'User'", "undefinedField", []any{"query", "viewer", "logn"}},
		"in a fragment":    {`query Q { node(id: "x") { ... on Discussion { nope } } }`, "Field 'nope' doesn't exist on type 'Discussion'", "undefinedField", []any{"query Q", "node", "... on Discussion", "nope"}},
		"spread":           {`{ viewer { ...f } } fragment f on User { nope }`, "Field 'nope' doesn't exist on type 'User'", "undefinedField", []any{"fragment f", "nope"}},
		"unknown argument": {`{ viewer(x: 1) { login } }`, "Field 'viewer' doesn't accept argument 'x'", "argumentNotAccepted", []any{"query", "viewer", "x"}},
		"missing argument": {`{ repository(owner: "octo-org") { name } }`, "Field 'repository' is missing required arguments: name", "missingRequiredArguments", []any{"query", "repository"}},
		"no selection":     {`{ viewer }`, "Field must have selections (field 'viewer' returns User but has no selections. Did you mean 'viewer { ... }'?)", "selectionMismatch", []any{"query", "viewer"}},
		"unknown type":     {`{ node(id: "x") { ... on Pigeon { id } } }`, "No such type Pigeon, so it can't be a fragment condition", "undefinedType", []any{"query", "node", "... on Pigeon"}},
		"wrong variable":   {`query($o: Int!) { repository(owner: $o, name: "hello") { name } }`, "Type mismatch on variable $o (Int! / String!)", "variableMismatch", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, s, sandbox.ReadToken, test.query, "o", 1)
			if got.Data != nil || len(got.Errors) == 0 {
				t.Fatalf("answered %s", got.raw)
			}
			if first := got.Errors[0]; first.Message != test.message || first.Extensions["code"] != test.code {
				t.Errorf("got %s", got.raw)
			}
			if diff := cmp.Diff(test.path, got.Errors[0].Path); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
		})
	}
	missing := ask(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { id } }`)
	if len(missing.Errors) == 0 || missing.Errors[0].Message != "Variable $id of type ID! was provided invalid value" {
		t.Errorf("a missing variable: %s", missing.raw)
	}
}

func TestBrokenRequests(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for name, test := range map[string]struct {
		body   string
		status int
		answer string
	}{
		"no JSON":      {`{"query`, 400, `{"documentation_url":"https://docs.github.com/rest","message":"Problems parsing JSON","status":"400"}`},
		"no query":     {`{}`, 200, `{"errors":[{"message":"A query attribute must be specified and must be a string."}]}`},
		"syntax error": {`{"query":"{ viewer { login "}`, 200, `{"errors":[{"extensions":{"code":"parseError"},"locations":[{"line":1,"column":18}],"message":"Parse error: unexpected \"\", expecting Ident"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			status, raw := post(t, s, tokenTransport{token: sandbox.ReadToken}, []byte(test.body))
			if status != test.status || raw != test.answer {
				t.Errorf("status %d, %s", status, raw)
			}
		})
	}
	if status, raw := post(t, s, tokenTransport{token: "ghp_unknown"}, []byte(`{"query":"{ viewer { login } }"}`)); status != 401 || raw != `{"documentation_url":"https://docs.github.com/rest","message":"Bad credentials","status":"401"}` {
		t.Errorf("unknown token: %d %s", status, raw)
	}
}

func TestPartialData(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := ask(t, s, sandbox.ReadToken, `{ viewer { login }
  `+secret+` { name }
  open: `+home+` { name there: discussion(number: 3) { number } absent: discussion(number: 99) { number } } }`)
	want := map[string]any{
		"viewer": map[string]any{"login": "octo-read"}, "repository": nil,
		"open": map[string]any{"name": "hello", "there": map[string]any{"number": 3.0}, "absent": nil},
	}
	if diff := cmp.Diff(want, got.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	const errors = `"errors":[` +
		`{"type":"NOT_FOUND","path":["repository"],"locations":[{"line":2,"column":3}],"message":"Could not resolve to a Repository with the name 'octo-org/private'."},` +
		`{"type":"NOT_FOUND","path":["open","absent"],"locations":[{"line":3,"column":101}],"message":"Could not resolve to a Discussion with the number of 99."}]}`
	if !strings.HasSuffix(got.raw, errors) {
		t.Errorf("got  %s\nwant …%s", got.raw, errors)
	}
}

func TestSearch(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for query, want := range map[string][]any{
		`repo:octo-org/hello is:closed sort:created-asc`:                               {15.0, 16.0, 17.0},
		`repo:octo-org/hello label:security`:                                           {9.0},
		`repo:octo-org/hello label:"area: reader" category:Ideas`:                      {3.0},
		`"reading only what is new" repo:octo-org/hello`:                               {3.0},
		`repo:octo-org/hello author:mei-tanaka is:answered created:<2026-03-01`:        {6.0},
		`repo:octo-org/hello is:locked`:                                                {14.0},
		`repo:octo-org/hello created:2026-03-05..2026-03-07`:                           {14.0, 13.0},
		`repo:octo-org/hello comments:>1000`:                                           {5.0},
		`repo:octo-org/hello -category:general author:atlas-agent updated:<2026-04-01`: {4.0},
		`repo:octo-org/nowhere`:                                                        nil,
		`repo:octo-org/hello is:closed created:>=2026-04-01 sort:updated-asc`:          {32.0, 39.0},
		`nonsense:qualifier`:                                                           nil,
	} {
		t.Run(query, func(t *testing.T) {
			got := must(t, s, sandbox.ReadToken, `query($q: String!) { search(query: $q, type: DISCUSSION, first: 3) { discussionCount nodes { ... on Discussion { number } } pageInfo { hasNextPage endCursor } } }`, "q", query)
			var numbers []any
			for i := 0; got.at("search", "nodes", i) != nil; i++ {
				numbers = append(numbers, got.at("search", "nodes", i, "number"))
			}
			if diff := cmp.Diff(want, numbers); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSearchPages(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	seen, cursor := map[any]bool{}, any(nil)
	for range 3 {
		got := must(t, s, sandbox.ReadToken, `query($after: String) { search(query: "repo:octo-org/hello", type: DISCUSSION, first: 20, after: $after) { discussionCount nodes { ... on Discussion { number } } pageInfo { hasNextPage endCursor } } }`, "after", cursor)
		for i := 0; got.at("search", "nodes", i) != nil; i++ {
			seen[got.at("search", "nodes", i, "number")] = true
		}
		cursor = got.at("search", "pageInfo", "endCursor")
		if got.at("search", "discussionCount") != 45.0 {
			t.Errorf("count %v", got.at("search", "discussionCount"))
		}
	}
	if len(seen) != 45 {
		t.Errorf("three pages of 20 gave %d of 45", len(seen))
	}
}

func TestSearchFindsRepositoriesAndUsers(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{
		repositories: search(query: "octo-org", type: REPOSITORY, first: 5) { repositoryCount nodes { ... on Repository { nameWithOwner } } }
		users: search(query: "octo-", type: USER, first: 2) { userCount nodes { ... on User { login } } pageInfo { hasNextPage } }
	}`)
	if got.at("repositories", "repositoryCount") != 1.0 || got.text("repositories", "nodes", 0, "nameWithOwner") != "octo-org/hello" {
		t.Errorf("a reader's repositories: %s", got.raw)
	}
	if got.at("users", "userCount") != 4.0 || got.text("users", "nodes", 0, "login") != "octo-admin" || got.at("users", "pageInfo", "hasNextPage") != true {
		t.Errorf("users: %s", got.raw)
	}
}
