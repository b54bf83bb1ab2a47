package issue_test

import (
	"context"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
)

// TestFieldsOfEveryType are set by name, and cleared.
func TestFieldsOfEveryType(t *testing.T) {
	d := open(t)
	for _, step := range []struct{ field, value, want string }{
		{"status", "done", "Done"}, {"Estimate", "2.50", "2.5"}, {"estimate", "-3", "-3"}, {"Ship by", "2026-12-01", "2026-12-01"},
		{"Notes", "a <b> note", "a <b> note"}, {"Sprint", "sprint 3", "Sprint 3"}, {"Sprint", "Sprint 1", "Sprint 1"},
		{"Status", "", ""}, {"Estimate", "", ""}, {"Ship by", "", ""}, {"Notes", "", ""}, {"Sprint", "", ""},
	} {
		for _, number := range []int{101, 103, 202} { // on the board, not on it, a pull request
			got := must(d, d.ManageProjects, issue.ProjectsRequest{
				IssueNumber: number, ProjectNumber: 1, Action: "set_field", Field: step.field, Value: &step.value,
			})
			if len(got.Fields) != 1 || got.ItemID == nil || len(got.Warnings) > 0 {
				t.Errorf("#%d, %s to %q: %s", number, step.field, step.value, show(got))
			}
			for _, now := range got.Fields {
				if now != step.want {
					t.Errorf("#%d, %s is %q, want %q", number, step.field, now, step.want)
				}
			}
		}
	}
}

func TestBoards(t *testing.T) {
	d := open(t)
	act := func(action string) *issue.ProjectsResult {
		return must(d, d.ManageProjects, issue.ProjectsRequest{IssueNumber: 103, ProjectNumber: 2, Action: action})
	}
	added := act("add")
	again := act("add")
	if added.ItemID == nil || again.ItemID == nil || *added.ItemID != *again.ItemID {
		t.Errorf("added %s, again %s", show(added), show(again))
	}
	if removed := act("remove"); removed.ItemID != nil {
		t.Errorf("removed %s", show(removed))
	}
	before := d.writes()
	if act("remove"); d.writes() != before {
		t.Error("what is not on the board was removed again")
	}
}

func TestBoardsAreRefusedWithTheWayOut(t *testing.T) {
	d := open(t)
	set := func(field, value string) issue.ProjectsRequest {
		return issue.ProjectsRequest{IssueNumber: 103, ProjectNumber: 1, Action: "set_field", Field: field, Value: &value}
	}
	for name, test := range map[string]struct {
		req  issue.ProjectsRequest
		code fault.Code
		word string
	}{
		"an unknown field":     {set("Mood", "x"), fault.ValidationFailed, "Status, Priority, Estimate, Ship by, Notes, Sprint"},
		"an unknown option":    {set("Status", "Nearly"), fault.ValidationFailed, "Todo, In Progress, Done"},
		"an unknown iteration": {set("Sprint", "Sprint 9"), fault.ValidationFailed, "Sprint 2, Sprint 3, Sprint 1"},
		"no number":            {set("Estimate", "many"), fault.ValidationFailed, "number"},
		"an infinite number":   {set("Estimate", "inf"), fault.ValidationFailed, "number"},
		"no date":              {set("Ship by", "soon"), fault.ValidationFailed, "2026-12-01"},
		"the issue's title":    {set("Title", "x"), fault.ValidationFailed, "update_issue"},
		"no value":             {issue.ProjectsRequest{IssueNumber: 103, ProjectNumber: 1, Action: "set_field", Field: "Status"}, fault.MissingArguments, "value"},
		"a field to add":       {issue.ProjectsRequest{IssueNumber: 103, ProjectNumber: 1, Action: "add", Field: "Status"}, fault.InvalidArguments, "set_field"},
		"an unknown project":   {issue.ProjectsRequest{IssueNumber: 103, ProjectNumber: 99, Action: "add"}, fault.NotFound, "99"},
		"an unknown issue":     {issue.ProjectsRequest{IssueNumber: 4711, ProjectNumber: 1, Action: "add"}, fault.NotFound, "4711"},
	} {
		t.Run(name, func(t *testing.T) {
			before := d.writes()
			_, err := d.ManageProjects(context.Background(), test.req)
			d.expectRefusal(err, before, test.code, test.word)
		})
	}
}
