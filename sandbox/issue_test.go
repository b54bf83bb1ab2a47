package sandbox_test

import (
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// threadID is the node id of an issue or pull request of octo-org/hello.
func threadID(t testing.TB, s *sandbox.Running, number int) string {
	t.Helper()
	return must(t, s, sandbox.AdminToken, `query($n: Int!) { `+home+` { issueOrPullRequest(number: $n) { ... on Node { id } } } }`, "n", number).text("repository", "issueOrPullRequest", "id")
}

func TestRelationsOfAnIssue(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ `+home+` {
		epic: issue(number: 104) { subIssues(first: 10) { nodes { number parent { number } } } subIssuesSummary { total completed percentCompleted } issueType { name } milestone { title } }
		blocked: issue(number: 107) { blockedBy(first: 10) { nodes { number } } blocking(first: 10) { nodes { number } } issueDependenciesSummary { blockedBy totalBlockedBy blocking } }
		duplicate: issue(number: 114) { stateReason named: stateReason(enableDuplicate: true) duplicateOf { number } }
		reopened: issue(number: 115) { state stateReason }
		gone: issue(number: 111) { author { login } assignees(first: 3) { nodes { login } } comments(first: 3) { nodes { author { login } editor { login } lastEditedAt } } } } }`)
	for path, check := range map[string]struct {
		at   []any
		want any
	}{
		"sub-issues":            {[]any{"epic", "subIssues", "nodes", 2, "parent", "number"}, 104.0},
		"completed":             {[]any{"epic", "subIssuesSummary", "completed"}, 2.0},
		"percent":               {[]any{"epic", "subIssuesSummary", "percentCompleted"}, 66.0},
		"type":                  {[]any{"epic", "issueType", "name"}, "Feature"},
		"last blocker first":    {[]any{"blocked", "blockedBy", "nodes", 0, "number"}, 108.0},
		"blocking":              {[]any{"blocked", "blocking", "nodes", 0, "number"}, 109.0},
		"open blockers":         {[]any{"blocked", "issueDependenciesSummary", "blockedBy"}, 1.0},
		"all blockers":          {[]any{"blocked", "issueDependenciesSummary", "totalBlockedBy"}, 3.0},
		"duplicate, not asked":  {[]any{"duplicate", "stateReason"}, "NOT_PLANNED"},
		"duplicate, asked":      {[]any{"duplicate", "named"}, "DUPLICATE"},
		"duplicate of":          {[]any{"duplicate", "duplicateOf", "number"}, 101.0},
		"reopened":              {[]any{"reopened", "stateReason"}, "REOPENED"},
		"open again":            {[]any{"reopened", "state"}, "OPEN"},
		"author gone":           {[]any{"gone", "author"}, nil},
		"assignee gone":         {[]any{"gone", "assignees", "nodes", 0}, nil},
		"comment's author gone": {[]any{"gone", "comments", "nodes", 0, "author"}, nil},
		"editor gone":           {[]any{"gone", "comments", "nodes", 1, "editor"}, nil},
	} {
		if value := got.at(append([]any{"repository"}, check.at...)...); value != check.want {
			t.Errorf("%s is %v, want %v", path, value, check.want)
		}
	}
}

func TestNumbersAboveThirtyOneBits(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { issue(number: 103) { comments(first: 1) { nodes { id databaseId fullDatabaseId url } } } } }`)
	c, ok := got.at("repository", "issue", "comments", "nodes", 0).(map[string]any)
	if !ok || c["databaseId"] != nil || c["fullDatabaseId"] != "5400000001" || c["url"] != "https://github.com/octo-org/hello/issues/103#issuecomment-5400000001" {
		t.Errorf("comment %v", c)
	}
	if back := must(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { ... on IssueComment { fullDatabaseId } } }`, "id", c["id"]); back.text("node", "fullDatabaseId") != "5400000001" {
		t.Errorf("its id finds %s", back.raw)
	}
}

func TestAPullRequestIsNoIssueAndTheOtherWayRound(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for query, kind := range map[string]string{
		`issue(number: 201) { id }`: "NOT_FOUND", `pullRequest(number: 101) { id }`: "NOT_FOUND",
		`issueOrPullRequest(number: 999) { __typename }`: "NOT_FOUND", `issueOrPullRequest(number: 201) { __typename }`: "",
	} {
		if got := ask(t, s, sandbox.ReadToken, `{ `+home+` { `+query+` } }`); got.kind() != kind {
			t.Errorf("%s answered %s", query, got.raw)
		}
	}
}
