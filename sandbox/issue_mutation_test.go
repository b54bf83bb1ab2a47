package sandbox_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// idOf is the node id that a query of octo-org/hello finds at a path.
func idOf(t testing.TB, s *sandbox.Running, query string, path ...any) string {
	t.Helper()
	return must(t, s, sandbox.WriteToken, `{ `+home+` { `+query+` } }`).text(append([]any{"repository"}, path...)...)
}

// refused wants a mutation to fail as UNPROCESSABLE with a message, changing
// nothing else.
func refused(t testing.TB, got reply, message string) {
	t.Helper()
	if got.kind() != "UNPROCESSABLE" || got.Errors[0].Message != message {
		t.Errorf("got %.500s\nwant %q", got.raw, message)
	}
}

func TestCommentOfAnIssueComesBackAsWritten(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `mutation($id: ID!) { addComment(input: {subjectId: $id, body: "a<b\r\n & c"}) { commentEdge { cursor node { id body fullDatabaseId createdAt url issue { number updatedAt } } } subject { id } } }`, "id", threadID(t, s, 102))
	node := got.at("addComment", "commentEdge", "node").(map[string]any)
	if node["body"] != "a<b\r\n & c" || got.at("addComment", "commentEdge", "node", "issue", "updatedAt") != node["createdAt"] || got.text("addComment", "subject", "id") != threadID(t, s, 102) {
		t.Errorf("comment %s", got.raw)
	}
	after := must(t, s, sandbox.ReadToken, `query($after: String) { `+home+` { issue(number: 102) { all: comments { totalCount } later: comments(first: 5, after: $after) { nodes { id } } last: comments(last: 1) { nodes { id } } edited: comments(first: 1, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { id } } } } }`, "after", got.at("addComment", "commentEdge", "cursor"))
	if after.at("repository", "issue", "all", "totalCount") != 321.0 || after.at("repository", "issue", "later", "nodes", 0) != nil ||
		after.at("repository", "issue", "last", "nodes", 0, "id") != node["id"] || after.at("repository", "issue", "edited", "nodes", 0, "id") != node["id"] {
		t.Errorf("thread %s", after.raw)
	}
	edited := must(t, s, sandbox.ReadToken, `mutation($id: ID!) { updateIssueComment(input: {id: $id, body: "better"}) { issueComment { body lastEditedAt editor { login } } } }`, "id", node["id"])
	if edited.text("updateIssueComment", "issueComment", "editor", "login") != "octo-read" {
		t.Errorf("edit %s", edited.raw)
	}
	must(t, s, sandbox.ReadToken, `mutation($id: ID!) { deleteIssueComment(input: {id: $id}) { clientMutationId } }`, "id", node["id"])
	if gone := ask(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { id } }`, "id", node["id"]); gone.kind() != "NOT_FOUND" {
		t.Errorf("still there: %s", gone.raw)
	}
}

func TestIssueLife(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	r, bug := idOf(t, s, `id`, "id"), idOf(t, s, `label(name: "bug") { id }`, "label", "id")
	kind, milestone := idOf(t, s, `issueType(name: "Bug") { id }`, "issueType", "id"), idOf(t, s, `milestone(number: 1) { id }`, "milestone", "id")
	got := must(t, s, sandbox.TriageToken, `mutation($r: ID!, $l: ID!, $t: ID!, $m: ID!, $p: ID!) { createIssue(input: {repositoryId: $r, title: "new", labelIds: [$l], issueTypeId: $t, milestoneId: $m, parentIssueId: $p}) { issue {
		id number databaseId body author { login } labels(first: 5) { nodes { name } } issueType { name } milestone { title } parent { number } lastEditedAt } } }`, "r", r, "l", bug, "t", kind, "m", milestone, "p", threadID(t, s, 104))
	want := map[string]any{
		"number": 1001.0, "body": "", "author": map[string]any{"login": "octo-triage"}, "issueType": map[string]any{"name": "Bug"}, "milestone": map[string]any{"title": "1.0"},
		"parent": map[string]any{"number": 104.0}, "labels": map[string]any{"nodes": []any{map[string]any{"name": "bug"}}}, "lastEditedAt": nil,
	}
	made := got.at("createIssue", "issue").(map[string]any)
	id := made["id"]
	delete(made, "id")
	delete(made, "databaseId")
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	updated := must(t, s, sandbox.TriageToken, `mutation($id: ID!) { updateIssue(input: {id: $id, title: "newer", milestoneId: null, labelIds: []}) { issue { title milestone { title } labels(first: 1) { totalCount } issueType { name } updatedAt } } }`, "id", id)
	if updated.at("updateIssue", "issue", "milestone") != nil || updated.at("updateIssue", "issue", "labels", "totalCount") != 0.0 || updated.text("updateIssue", "issue", "issueType", "name") != "Bug" {
		t.Errorf("updated %s", updated.raw)
	}
	closed := must(t, s, sandbox.TriageToken, `mutation($id: ID!, $d: ID!) { closeIssue(input: {issueId: $id, stateReason: DUPLICATE, duplicateIssueId: $d}) { issue { state stateReason(enableDuplicate: true) duplicateOf { number } closedAt } } }`, "id", id, "d", threadID(t, s, 101))
	if closed.text("closeIssue", "issue", "stateReason") != "DUPLICATE" || closed.at("closeIssue", "issue", "duplicateOf", "number") != 101.0 {
		t.Errorf("closed %s", closed.raw)
	}
	reopened := must(t, s, sandbox.TriageToken, `mutation($id: ID!) { reopenIssue(input: {issueId: $id}) { issue { state stateReason duplicateOf { number } } } }`, "id", id)
	if reopened.text("reopenIssue", "issue", "stateReason") != "REOPENED" || reopened.at("reopenIssue", "issue", "duplicateOf") != nil {
		t.Errorf("reopened %s", reopened.raw)
	}
	off := idOf(t, s, `issueType(name: "Incident") { id }`, "issueType", "id")
	refused(t, ask(t, s, sandbox.TriageToken, `mutation($id: ID!, $t: ID!) { updateIssueIssueType(input: {issueId: $id, issueTypeId: $t}) { clientMutationId } }`, "id", id, "t", off), "Issue type Incident is not enabled")
	refused(t, ask(t, s, sandbox.TriageToken, `mutation($id: ID!) { closeIssue(input: {issueId: $id, duplicateIssueId: $id}) { clientMutationId } }`, "id", id), "Only an issue that is closed as a duplicate can be one of another issue")
	refused(t, ask(t, s, sandbox.TriageToken, `mutation($id: ID!, $b: String!) { updateIssue(input: {id: $id, body: $b}) { clientMutationId } }`, "id", id, "b", strings.Repeat("x", 65537)), "Body is too long (maximum is 65536 characters)")
}

func TestAssigneesWithoutAccessAreLeftOut(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := threadID(t, s, 125)
	var people []any
	for _, login := range []string{"octo-read", "stranger-x", "octo-read", "ada-mensah"} {
		people = append(people, must(t, s, sandbox.ReadToken, `query($l: String!) { user(login: $l) { id } }`, "l", login).at("user", "id"))
	}
	got := must(t, s, sandbox.TriageToken, `mutation($id: ID!, $p: [ID!]!) { addAssigneesToAssignable(input: {assignableId: $id, assigneeIds: $p}) { assignable { assignees(first: 9) { nodes { login } } ... on Issue { number } } } }`, "id", id, "p", people)
	want := []any{map[string]any{"login": "octo-read"}, map[string]any{"login": "ada-mensah"}}
	if diff := cmp.Diff(any(want), got.at("addAssigneesToAssignable", "assignable", "assignees", "nodes")); diff != "" {
		t.Errorf("assignees (-want +got):\n%s", diff)
	}
	got = must(t, s, sandbox.TriageToken, `mutation($id: ID!, $p: [ID!]!) { removeAssigneesFromAssignable(input: {assignableId: $id, assigneeIds: $p}) { assignable { assignees(first: 9) { totalCount } } } }`, "id", id, "p", people[:1])
	if got.at("removeAssigneesFromAssignable", "assignable", "assignees", "totalCount") != 1.0 {
		t.Errorf("after removing one: %s", got.raw)
	}
}

func TestRelationsKeepTheirRules(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	relate := func(mutation string, a, b int, more string) reply {
		second := map[bool]string{true: "subIssueId", false: "blockingIssueId"}[strings.HasSuffix(mutation, "SubIssue")]
		return ask(t, s, sandbox.TriageToken, `mutation($a: ID!, $b: ID!) { `+mutation+`(input: {issueId: $a, `+second+`: $b`+more+`}) { issue { number updatedAt } } }`, "a", threadID(t, s, a), "b", threadID(t, s, b))
	}
	before := idOf(t, s, `issue(number: 160) { updatedAt }`, "issue", "updatedAt")
	refused(t, relate("addSubIssue", 160, 105, ""), "Sub issue may only have one parent")
	refused(t, relate("addSubIssue", 104, 105, ""), "Issue may not contain duplicate sub-issues")
	refused(t, relate("addSubIssue", 162, 160, ""), "An issue cannot be a sub-issue of itself or of one of its own sub-issues")
	refused(t, relate("removeSubIssue", 160, 105, ""), "Issue is not a sub-issue of the parent issue")
	refused(t, relate("addBlockedBy", 109, 107, ""), "Target issue has already been taken")
	refused(t, relate("addBlockedBy", 109, 109, ""), "An issue cannot be blocked by itself")
	refused(t, relate("removeBlockedBy", 109, 101, ""), "The issue is not blocked by that issue")
	if got := relate("addSubIssue", 160, 105, ", replaceParent: true"); len(got.Errors) > 0 || got.text("addSubIssue", "issue", "updatedAt") != before {
		t.Errorf("a moved sub-issue, whose parent was updated at %s: %s", before, got.raw)
	}
	if got := must(t, s, sandbox.ReadToken, `{ `+home+` { issue(number: 105) { parent { number } } old: issue(number: 104) { subIssues(first: 5) { totalCount } } } }`); got.at("repository", "issue", "parent", "number") != 160.0 || got.at("repository", "old", "subIssues", "totalCount") != 2.0 {
		t.Errorf("after the move: %s", got.raw)
	}
}

func TestLabelsAreRenamedAndTakenOffEverything(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	r, bug := idOf(t, s, `id`, "id"), idOf(t, s, `label(name: "bug") { id }`, "label", "id")
	create := func(name, color string) reply {
		return ask(t, s, sandbox.WriteToken, `mutation($r: ID!, $n: String!, $c: String!) { createLabel(input: {repositoryId: $r, name: $n, color: $c}) { label { name color } } }`, "r", r, "n", name, "c", color)
	}
	refused(t, create("BUG", "ffffff"), "Name has already been taken")
	refused(t, create(" ", "ffffff"), "Name can't be blank")
	refused(t, create("new", "#fffff"), "Color is invalid: only six hexadecimal digits, without a leading #, are")
	if got := create("new", "ABCDEF"); got.text("createLabel", "label", "color") != "abcdef" {
		t.Errorf("created %s", got.raw)
	}
	must(t, s, sandbox.WriteToken, `mutation($id: ID!) { updateLabel(input: {id: $id, name: "defect"}) { label { name } } }`, "id", bug)
	if got := must(t, s, sandbox.ReadToken, `{ `+home+` { issues(first: 1, labels: ["defect"]) { totalCount } } }`); got.at("repository", "issues", "totalCount") == 0.0 {
		t.Errorf("the new name finds %s", got.raw)
	}
	must(t, s, sandbox.WriteToken, `mutation($id: ID!) { deleteLabel(input: {id: $id}) { clientMutationId } }`, "id", bug)
	if got := must(t, s, sandbox.ReadToken, `{ `+home+` { issue(number: 101) { labels(first: 5) { nodes { name } } } } }`); strings.Contains(got.raw, "defect") {
		t.Errorf("still on 101: %s", got.raw)
	}
}

func TestFieldsOfAProject(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	p := idOf(t, s, `projectV2(number: 1) { id }`, "projectV2", "id")
	added := must(t, s, sandbox.WriteToken, `mutation($p: ID!, $c: ID!) { a: addProjectV2ItemById(input: {projectId: $p, contentId: $c}) { item { id } } b: addProjectV2ItemById(input: {projectId: $p, contentId: $c}) { item { id } } }`, "p", p, "c", threadID(t, s, 125))
	item := added.text("a", "item", "id")
	if item == "" || item != added.text("b", "item", "id") {
		t.Errorf("adding twice: %s", added.raw)
	}
	field := func(name string) string {
		return must(t, s, sandbox.ReadToken, `query($n: String!) { `+home+` { projectV2(number: 1) { field(name: $n) { ... on ProjectV2FieldCommon { id } } } } }`, "n", name).text("repository", "projectV2", "field", "id")
	}
	set := func(name, value string) reply {
		return ask(t, s, sandbox.WriteToken, `mutation($p: ID!, $i: ID!, $f: ID!) { updateProjectV2ItemFieldValue(input: {projectId: $p, itemId: $i, fieldId: $f, value: {`+value+`}}) { projectV2Item { id } } }`, "p", p, "i", item, "f", field(name))
	}
	for name, value := range map[string]string{"Notes": `text: "n"`, "Estimate": `number: 0.5`, "Ship by": `date: "2026-12-24"`, "Status": `singleSelectOptionId: "98236657"`, "Sprint": `iterationId: "2e1f2a3b"`} {
		if got := set(name, value); len(got.Errors) > 0 {
			t.Errorf("%s: %s", name, got.raw)
		}
	}
	refused(t, set("Estimate", `text: "x"`), "Did not receive a number value to update a field of type number")
	refused(t, set("Status", `singleSelectOptionId: "Done"`), "The single select option Id does not belong to the field")
	refused(t, set("Title", `text: "x"`), "The field of type title is currently not supported")
	refused(t, set("Notes", ``), "Exactly one value is needed to update a field")
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { issue(number: 125) { projectItems(first: 5) { nodes { project { number title } fieldValues(first: 20) { nodes {
		... on ProjectV2ItemFieldTextValue { text field { ... on ProjectV2FieldCommon { name } } } ... on ProjectV2ItemFieldNumberValue { number } ... on ProjectV2ItemFieldDateValue { date }
		... on ProjectV2ItemFieldSingleSelectValue { name optionId } ... on ProjectV2ItemFieldIterationValue { title startDate duration } } } } } } } }`)
	want := []any{
		map[string]any{"text": "Nobody has looked at this", "field": map[string]any{"name": "Title"}}, map[string]any{"name": "Done", "optionId": "98236657"},
		map[string]any{"number": 0.5}, map[string]any{"date": "2026-12-24"}, map[string]any{"text": "n", "field": map[string]any{"name": "Notes"}},
		map[string]any{"title": "Sprint 3", "startDate": "2026-03-02", "duration": 14.0},
	}
	if diff := cmp.Diff(any(want), got.at("repository", "issue", "projectItems", "nodes", 0, "fieldValues", "nodes")); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	must(t, s, sandbox.WriteToken, `mutation($p: ID!, $i: ID!, $f: ID!) { clearProjectV2ItemFieldValue(input: {projectId: $p, itemId: $i, fieldId: $f}) { projectV2Item { id } } }`, "p", p, "i", item, "f", field("Notes"))
	gone := must(t, s, sandbox.WriteToken, `mutation($p: ID!, $i: ID!) { deleteProjectV2Item(input: {projectId: $p, itemId: $i}) { deletedItemId } }`, "p", p, "i", item)
	if gone.text("deleteProjectV2Item", "deletedItemId") != item {
		t.Errorf("deleted %s", gone.raw)
	}
}
