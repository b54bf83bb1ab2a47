package issue_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// must is a call that has to succeed.
func must[Request, Result any](d *desk, method func(context.Context, Request) (*Result, error), req Request) *Result {
	d.t.Helper()
	got, err := method(context.Background(), req)
	if err != nil {
		d.t.Fatalf("%s: %v", show(req), err)
	}
	return got
}

// row is an issue as the list has it, with its body.
func (d *desk) row(number int) issue.Row {
	d.t.Helper()
	for _, page := range d.listAll(issue.ListRequest{State: "all", Projection: "full", Limit: 100}, 1<<22) {
		for _, row := range page.Issues {
			if row.Number == number {
				return row
			}
		}
	}
	d.t.Fatalf("there is no issue #%d", number)
	return issue.Row{}
}

// TestAnIssueIsOpenedAsAsked: the answer is what a read says.
func TestAnIssueIsOpenedAsAsked(t *testing.T) {
	d := open(t)
	body := "one\r\n<b>&\u200b\n\n"
	got := must(d, d.Create, issue.CreateRequest{
		Title: "T <&>", Body: &body, Labels: []string{"BUG", "design"}, Assignees: []string{"@me", "octo-write"},
		Milestone: "2", Type: "bug", ParentIssue: 160,
	})
	row := d.row(got.IssueNumber)
	if row.Title != "T <&>" || *row.Body != body || row.ID != got.ID || row.URL != got.URL || !row.CreatedAt.Equal(got.CreatedAt) ||
		!has(row.Labels, "bug", "design") || !has(row.Assignees, "octo-admin", "octo-write") || row.Milestone != "1.1" || row.Type != "Bug" {
		t.Errorf("GitHub has %s\nanswer %s", show(row), show(got))
	}
	if len(got.Warnings) != 0 || got.DatabaseID == nil || got.ParentIssue != 160 || !has(got.Labels, row.Labels...) || !has(got.Assignees, row.Assignees...) {
		t.Errorf("answer %s", show(got))
	}
	again := must(d, d.Relate, issue.RelationshipRequest{ChildIssue: got.IssueNumber, ParentIssue: 160})
	if again.Changed {
		t.Errorf("it was no sub-issue: %s", show(again))
	}
}

// TestAssigneesThatGitHubLeavesOutAreNamed, whoever else is among them.
func TestAssigneesThatGitHubLeavesOutAreNamed(t *testing.T) {
	d := open(t)
	for name, test := range map[string]struct{ wanted, want, warnings []string }{
		"beside others":     {[]string{"@me", "@Pavel-Novak", "octo-write"}, []string{"octo-admin", "octo-write"}, []string{"GitHub left out the assignees pavel-novak; they need access to the repository"}},
		"spelled otherwise": {[]string{"@Octo-Write", "Octo-Admin"}, []string{"octo-admin", "octo-write"}, []string{}},
	} {
		got := must(d, d.Create, issue.CreateRequest{Title: name, Assignees: test.wanted})
		if diff := cmp.Diff(test.warnings, got.Warnings); diff != "" || !has(got.Assignees, test.want...) || len(got.Assignees) != len(test.want) {
			t.Errorf("%s: assignees %q, want %q; warnings (-want +got):\n%s", name, got.Assignees, test.want, diff)
		}
	}
}

// TestNothingIsOpenedThatIsNotAsAsked: all that has to exist is looked up
// first.
func TestNothingIsOpenedThatIsNotAsAsked(t *testing.T) {
	d := open(t)
	for name, test := range map[string]struct {
		req   issue.CreateRequest
		code  fault.Code
		words []string
	}{
		"a title of two lines":   {issue.CreateRequest{Title: "a\nb"}, fault.InvalidArguments, []string{"title", "line"}},
		"a blank title":          {issue.CreateRequest{Title: " "}, fault.InvalidArguments, []string{"title"}},
		"too long a body":        {issue.CreateRequest{Title: "t", Body: ptr(strings.Repeat("é", 65537))}, fault.TooLarge, []string{"65536"}},
		"an unknown label":       {issue.CreateRequest{Title: "t", Labels: []string{"bug", "secruity"}}, fault.InvalidLabel, []string{"secruity", "security"}},
		"an unknown milestone":   {issue.CreateRequest{Title: "t", Milestone: "9"}, fault.ValidationFailed, []string{"1.0", "1.1"}},
		"an unknown type":        {issue.CreateRequest{Title: "t", Type: "Story"}, fault.ValidationFailed, []string{"Bug, Feature, Task"}},
		"a type out of use":      {issue.CreateRequest{Title: "t", Type: "Incident"}, fault.ValidationFailed, []string{"Incident"}},
		"an unknown parent":      {issue.CreateRequest{Title: "t", ParentIssue: 4711}, fault.NotFound, []string{"4711"}},
		"a pull request above":   {issue.CreateRequest{Title: "t", ParentIssue: 201}, fault.ValidationFailed, []string{"pull request"}},
		"an unknown assignee":    {issue.CreateRequest{Title: "t", Assignees: []string{"no-such-login"}}, fault.ValidationFailed, []string{"no-such-login"}},
		"an unknown repository":  {issue.CreateRequest{Title: "t", Repo: ptr("octo-org/none")}, fault.NotFoundOrNoAccess, []string{"octo-org/none"}},
		"a malformed repository": {issue.CreateRequest{Title: "t", Repo: ptr("a b")}, fault.RepositoryTargetInvalid, nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := d.writes()
			_, err := d.Create(context.Background(), test.req)
			d.expectRefusal(err, before, test.code, test.words...)
		})
	}
}

// TestTheNumberIsNeverLost when a step after the creation fails.
func TestTheNumberIsNeverLost(t *testing.T) {
	d := open(t)
	err := d.github.Fail(
		sandbox.Failure{Query: "updateIssueIssueType", Status: 200, Errors: []sandbox.GraphQLError{{Type: "UNPROCESSABLE", Message: "no types today"}}, Data: "null"},
		sandbox.Failure{Query: "addSubIssue", Drop: "before"},
	)
	if err != nil {
		t.Fatal(err)
	}
	got := must(d, d.Create, issue.CreateRequest{Title: "kept", Type: "Bug", ParentIssue: 160})
	if got.IssueNumber == 0 || got.Type != "" || got.ParentIssue != 0 || len(got.Warnings) != 2 || d.row(got.IssueNumber).Title != "kept" {
		t.Errorf("answer %s", show(got))
	}
}

// TestAnIssueChangesAsAsked step by step, each compared with a read.
func TestAnIssueChangesAsAsked(t *testing.T) {
	d := open(t)
	for _, step := range []struct {
		req    issue.UpdateRequest
		writes int
		is     func(issue.Row) bool
	}{
		{issue.UpdateRequest{Title: ptr("T")}, 1, func(r issue.Row) bool { return r.Title == "T" && r.Milestone == "1.0" }},
		{issue.UpdateRequest{Title: ptr("T")}, 0, func(r issue.Row) bool { return r.Title == "T" }},
		{issue.UpdateRequest{Body: ptr("B\r\n")}, 1, func(r issue.Row) bool { return *r.Body == "B\r\n" && r.Title == "T" }},
		{issue.UpdateRequest{Milestone: ptr("1.1"), Type: ptr("task")}, 2, func(r issue.Row) bool { return r.Milestone == "1.1" && r.Type == "Task" }},
		{issue.UpdateRequest{Milestone: ptr("2"), Type: ptr("Task")}, 0, func(r issue.Row) bool { return r.Milestone == "1.1" && r.Type == "Task" }},
		{issue.UpdateRequest{Milestone: ptr(""), Type: ptr("")}, 2, func(r issue.Row) bool { return r.Milestone == "" && r.Type == "" }},
		{issue.UpdateRequest{State: "closed", StateReason: "not_planned"}, 1, func(r issue.Row) bool { return r.State == "CLOSED" && r.StateReason == "NOT_PLANNED" }},
		{issue.UpdateRequest{State: "closed"}, 0, func(r issue.Row) bool { return r.StateReason == "NOT_PLANNED" }},
		{issue.UpdateRequest{State: "closed", StateReason: "duplicate", DuplicateOf: 103}, 1, func(r issue.Row) bool { return r.StateReason == "DUPLICATE" }},
		{issue.UpdateRequest{State: "open"}, 1, func(r issue.Row) bool { return r.State == "OPEN" && r.StateReason == "REOPENED" }},
		{issue.UpdateRequest{State: "closed"}, 1, func(r issue.Row) bool { return r.State == "CLOSED" && r.StateReason == "COMPLETED" }},
	} {
		step.req.IssueNumber = 101
		before := d.writes()
		got := must(d, d.Update, step.req)
		row := d.row(101)
		if !step.is(row) || row.State != got.State || row.StateReason != text(got.StateReason) || !row.UpdatedAt.Equal(got.UpdatedAt) {
			t.Errorf("%s: answer %s\nGitHub has %s", show(step.req), show(got), show(row))
		}
		if n := d.writes() - before; n != step.writes || strings.Contains(got.Message, "Nothing to do") != (n == 0) {
			t.Errorf("%s: %d writes, want %d; %q", show(step.req), n, step.writes, got.Message)
		}
	}
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// TestNobodyWritesOverAnother: if_updated_at is the state that was read.
func TestNobodyWritesOverAnother(t *testing.T) {
	d := open(t)
	read := d.row(103).UpdatedAt.Format("2006-01-02T15:04:05Z07:00")
	must(d, d.Update, issue.UpdateRequest{IssueNumber: 103, Body: ptr("mine"), IfUpdatedAt: read})
	before := d.writes()
	_, err := d.Update(context.Background(), issue.UpdateRequest{IssueNumber: 103, Body: ptr("theirs"), IfUpdatedAt: read})
	d.expectRefusal(err, before, fault.Conflict, "get_conversation", "updatedAt")
	if got := *d.row(103).Body; got != "mine" {
		t.Errorf("the body is %q", got)
	}
}

func TestChangesAreRefusedWithTheWayOut(t *testing.T) {
	d := open(t)
	for name, test := range map[string]struct {
		req   issue.UpdateRequest
		code  fault.Code
		words []string
	}{
		"nothing":                        {issue.UpdateRequest{}, fault.MissingArguments, []string{"title"}},
		"a blank title":                  {issue.UpdateRequest{Title: ptr("")}, fault.InvalidArguments, []string{"title"}},
		"a blank body":                   {issue.UpdateRequest{Body: ptr("")}, fault.InvalidArguments, []string{"body"}},
		"a reason alone":                 {issue.UpdateRequest{StateReason: "completed"}, fault.InvalidArguments, []string{"state_reason", `{"issue_number":101,"state":"closed","state_reason":"completed"}`}},
		"an original alone":              {issue.UpdateRequest{DuplicateOf: 103}, fault.InvalidArguments, []string{"duplicate_of", `{"issue_number":101,"state":"closed","state_reason":"duplicate","duplicate_of":103}`}},
		"an original and a reason":       {issue.UpdateRequest{StateReason: "duplicate", DuplicateOf: 103}, fault.InvalidArguments, []string{`{"issue_number":101,"state":"closed","state_reason":"duplicate","duplicate_of":103}`}},
		"a reason without the original":  {issue.UpdateRequest{StateReason: "duplicate"}, fault.MissingArguments, []string{"duplicate_of", "state: closed"}},
		"a title of two lines":           {issue.UpdateRequest{Title: ptr("a\r\nb")}, fault.InvalidArguments, []string{"title", "line"}},
		"a reason to reopen":             {issue.UpdateRequest{State: "open", StateReason: "completed"}, fault.InvalidArguments, []string{"state_reason"}},
		"a duplicate of nothing":         {issue.UpdateRequest{State: "closed", StateReason: "duplicate"}, fault.MissingArguments, []string{"duplicate_of"}},
		"a duplicate of itself":          {issue.UpdateRequest{State: "closed", StateReason: "duplicate", DuplicateOf: 101}, fault.InvalidArguments, []string{"itself"}},
		"a duplicate without the reason": {issue.UpdateRequest{State: "closed", DuplicateOf: 103}, fault.InvalidArguments, []string{"duplicate"}},
		"a duplicate of a pull request":  {issue.UpdateRequest{State: "closed", StateReason: "duplicate", DuplicateOf: 201}, fault.ValidationFailed, []string{"pull request"}},
		"an unknown milestone":           {issue.UpdateRequest{Milestone: ptr("9.9")}, fault.ValidationFailed, []string{"1.0"}},
		"an unknown type":                {issue.UpdateRequest{Type: ptr("Story")}, fault.ValidationFailed, []string{"Bug"}},
		"no time":                        {issue.UpdateRequest{Title: ptr("t"), IfUpdatedAt: "then"}, fault.InvalidArguments, []string{"if_updated_at"}},
		"a number that is none":          {issue.UpdateRequest{IssueNumber: 4711, Title: ptr("t")}, fault.NotFound, []string{"4711"}},
		"a type for a pull request":      {issue.UpdateRequest{IssueNumber: 201, Type: ptr("Bug")}, fault.ValidationFailed, []string{"pull request"}},
		"a reason for a pull request":    {issue.UpdateRequest{IssueNumber: 201, State: "closed", StateReason: "completed"}, fault.ValidationFailed, []string{"pull request"}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.req.IssueNumber == 0 {
				test.req.IssueNumber = 101
			}
			before := d.writes()
			_, err := d.Update(context.Background(), test.req)
			d.expectRefusal(err, before, test.code, test.words...)
		})
	}
}

// TestTheGateOfAssignees keeps two agents from taking the same issue.
func TestTheGateOfAssignees(t *testing.T) {
	d := openOn(t, made(1, func(i *fixtures.Issue) { i.Assignees = []string{"octo-write"} }))
	add := func(change func(*issue.AssigneesRequest), logins ...string) issue.AssigneesRequest {
		req := issue.AssigneesRequest{IssueNumber: 1, Action: "add", Assignees: logins}
		change(&req)
		return req
	}
	same := func(*issue.AssigneesRequest) {}
	_, err := d.ManageAssignees(context.Background(), add(same, "octo-triage"))
	d.expectRefusal(err, 0, fault.AssigneeConflict, `"currentAssignees":["octo-write"]`, `"attemptedAssignees":["octo-triage"]`)
	for _, step := range []struct {
		req     issue.AssigneesRequest
		want    []string
		writes  int
		audit   bool
		warning string
	}{
		{add(same, "Octo-Write"), []string{"octo-write"}, 0, false, ""},
		{add(func(r *issue.AssigneesRequest) { r.RequireUnassigned = ptr(false) }, "octo-triage"), []string{"octo-triage", "octo-write"}, 1, false, ""},
		{add(func(r *issue.AssigneesRequest) { r.AcknowledgedReassign = "they are away" }, "@me"), []string{"octo-admin"}, 3, true, ""},
		{add(func(r *issue.AssigneesRequest) { r.Action = "remove" }, "octo-write"), []string{"octo-admin"}, 0, false, ""},
		{add(same), []string{}, 1, false, ""},
		{add(same), []string{}, 0, false, ""},
		{add(same, "octo-read", "octo-admin"), []string{"octo-admin", "octo-read"}, 1, false, ""},
		{add(func(r *issue.AssigneesRequest) { r.Action = "remove" }, "@octo-read"), []string{"octo-admin"}, 1, false, ""},
	} {
		before := d.writes()
		got := must(d, d.ManageAssignees, step.req)
		slices.Sort(got.VerifiedAssignees)
		onGitHub := slices.Sorted(slices.Values(d.row(1).Assignees))
		if diff := cmp.Diff(step.want, got.VerifiedAssignees); diff != "" || !slices.Equal(onGitHub, step.want) || (got.AuditCommentID != "") != step.audit {
			t.Errorf("%s: %s, GitHub has %q (-want +got):\n%s", show(step.req), show(got), onGitHub, diff)
		}
		if n := d.writes() - before; n != step.writes {
			t.Errorf("%s: %d writes, want %d", show(step.req), n, step.writes)
		}
	}
	before := d.writes()
	_, err = d.ManageAssignees(context.Background(), add(func(r *issue.AssigneesRequest) { r.Action = "remove" }))
	d.expectRefusal(err, before, fault.InvalidArguments, "assignees", "add with []")
}

// TestATakeoverStands although its reason cannot be posted.
func TestATakeoverStands(t *testing.T) {
	d := openOn(t, made(1, func(i *fixtures.Issue) { i.Assignees = []string{"octo-write"} }))
	if err := d.github.Fail(sandbox.Failure{Query: "addComment", Kind: "SECONDARY_LIMIT"}); err != nil {
		t.Fatal(err)
	}
	got := must(d, d.ManageAssignees, issue.AssigneesRequest{IssueNumber: 1, Action: "add", Assignees: []string{"octo-triage"}, AcknowledgedReassign: "away"})
	if len(got.Warnings) != 1 || got.AuditCommentID != "" || !slices.Equal(got.VerifiedAssignees, []string{"octo-triage"}) {
		t.Errorf("answer %s", show(got))
	}
}

// TestLinks: each step on the links that the ones before left.
func TestLinks(t *testing.T) {
	d := openOn(t, made(5, func(*fixtures.Issue) {}))
	link := func(child, parent int) issue.RelationshipRequest {
		return issue.RelationshipRequest{ChildIssue: child, ParentIssue: parent}
	}
	blocked := func(child, parent int, action string) issue.RelationshipRequest {
		return issue.RelationshipRequest{ChildIssue: child, ParentIssue: parent, RelationshipType: "blocked_by", Action: action}
	}
	moved := link(2, 3)
	moved.ReplaceParent = true
	for _, step := range []struct {
		req     issue.RelationshipRequest
		changed bool
		old     int
		code    fault.Code
		word    string
	}{
		{req: link(2, 1), changed: true},
		{req: link(2, 1)},
		{req: link(2, 3), code: fault.ParentConflict, word: "replace_parent"},
		{req: moved, changed: true, old: 1},
		{req: link(3, 2), code: fault.ValidationFailed},
		{req: link(3, 3), code: fault.InvalidArguments, word: "itself"},
		{req: issue.RelationshipRequest{ChildIssue: 2, ParentIssue: 1, Action: "remove"}, code: fault.ParentConflict},
		{req: issue.RelationshipRequest{ChildIssue: 2}, changed: true, old: 3},
		{req: issue.RelationshipRequest{ChildIssue: 2}},
		{req: issue.RelationshipRequest{ChildIssue: 2, Action: "add"}, code: fault.MissingArguments, word: "parent_issue"},
		{req: blocked(4, 5, ""), changed: true},
		{req: blocked(4, 5, "add")},
		{req: blocked(4, 5, "remove"), changed: true},
		{req: blocked(4, 5, "remove")},
		{req: blocked(4, 0, "remove"), code: fault.MissingArguments, word: "parent_issue"},
		{req: link(4711, 1), code: fault.NotFound, word: "4711"},
	} {
		before := d.writes()
		got, err := d.Relate(context.Background(), step.req)
		if step.code != "" {
			if step.code == fault.ValidationFailed { // GitHub refuses, so it was asked
				before = d.writes()
			}
			d.expectRefusal(err, before, step.code, step.word)
			continue
		}
		if err != nil || got.Changed != step.changed || got.OldParent != step.old || (d.writes() != before) != step.changed {
			t.Errorf("%s: %s, %v", show(step.req), show(got), err)
		}
	}
}

// TestNumbersBecomeIDs: what goes out are the node ids of these numbers in
// this repository.
func TestNumbersBecomeIDs(t *testing.T) {
	d := open(t)
	child, parent := d.row(153).ID, d.row(152).ID
	must(d, d.Relate, issue.RelationshipRequest{ChildIssue: 153, ParentIssue: 152})
	requests := d.github.Requests()
	sent := string(requests[len(requests)-1].Variables)
	if !strings.Contains(sent, `"issueId":"`+parent+`"`) || !strings.Contains(sent, `"subIssueId":"`+child+`"`) {
		t.Errorf("the write was sent with %s", sent)
	}
}
