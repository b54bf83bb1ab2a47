package issue_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// labels are those that GitHub has on a discussion now.
func (d *desk) labels(number int) []string {
	d.t.Helper()
	var query struct {
		Repository struct {
			Discussion struct {
				Labels struct{ Nodes []struct{ Name string } } `graphql:"labels(first: 100)"`
			} `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: \"octo-org\", name: \"hello\")"`
	}
	if _, err := d.client.Query(context.Background(), "Labels", &query, map[string]any{"number": githubv4.Int(number)}); err != nil {
		d.t.Fatal(err)
	}
	names := []string{}
	for _, label := range query.Repository.Discussion.Labels.Nodes {
		names = append(names, label.Name)
	}
	return names
}

// TestLabelsAreChanged step by step on one discussion; what is so already is
// not written.
func TestLabelsAreChanged(t *testing.T) {
	d := openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.TriageToken)
	const number = 3 // design, area: reader, agent-ready
	for _, step := range []struct {
		action string
		labels []string
		want   []string
		writes int
	}{
		{"add", []string{"BUG", "bug", "Design"}, []string{"agent-ready", "area: reader", "bug", "design"}, 1},
		{"add", []string{"bug"}, []string{"agent-ready", "area: reader", "bug", "design"}, 0},
		{"remove", []string{"Area: Reader", "wontfix", "no such label"}, []string{"agent-ready", "bug", "design"}, 1},
		{"remove", []string{"wontfix"}, []string{"agent-ready", "bug", "design"}, 0},
		{"set", []string{"HÉLLO wörld", "Bug"}, []string{"bug", "héllo wörld"}, 2},
		{"set", []string{"bug", "héllo wörld", "BUG"}, []string{"bug", "héllo wörld"}, 0},
		{"set", []string{"bug"}, []string{"bug"}, 1},
		{"set", []string{"bug", "security"}, []string{"bug", "security"}, 1},
		{"set", []string{}, []string{}, 1},
		{"set", []string{}, []string{}, 0},
		{"remove", []string{"bug"}, []string{}, 0},
	} {
		before := d.writes()
		got, err := d.ManageLabels(context.Background(), issue.LabelsRequest{DiscussionNumber: number, Action: step.action, Labels: step.labels})
		if err != nil {
			t.Fatalf("%s %q: %v", step.action, step.labels, err)
		}
		if diff := cmp.Diff(d.labels(number), got.Labels); diff != "" {
			t.Errorf("%s %q (-GitHub +answer):\n%s", step.action, step.labels, diff)
		}
		slices.Sort(got.Labels)
		if diff := cmp.Diff(step.want, got.Labels); diff != "" || got.Number != number || got.Warnings != nil {
			t.Errorf("%s %q: %+v (-want +got):\n%s", step.action, step.labels, got, diff)
		}
		if n := d.writes() - before; n != step.writes || strings.Contains(got.Message, "Nothing to do") != (step.writes == 0) {
			t.Errorf("%s %q: %d writes, want %d; %q", step.action, step.labels, n, step.writes, got.Message)
		}
	}
}

func TestLabelsAreRefusedWithTheWayOut(t *testing.T) {
	github := sandbox.StartTest(t, sandbox.Options{})
	d := openAs(t, github, sandbox.TriageToken)
	before := d.labels(3)
	on := func(action string, labels ...string) issue.LabelsRequest {
		return issue.LabelsRequest{DiscussionNumber: 3, Action: action, Labels: labels}
	}
	with := func(change func(*issue.LabelsRequest)) issue.LabelsRequest {
		req := on("add", "bug")
		change(&req)
		return req
	}
	none, broken := "octo-org/none", "a b"
	for name, test := range map[string]struct {
		req   issue.LabelsRequest
		code  fault.Code
		words []string
	}{
		"an unknown label":          {on("add", "bug", "secruity"), fault.InvalidLabel, []string{"secruity", `Did you mean \"security\"`, "list_labels", `"available":["bug"`}},
		"an unknown label in a set": {on("set", "nothing like it at all"), fault.InvalidLabel, []string{"list_labels shows all 15"}},
		"adding nothing":            {on("add"), fault.InvalidArguments, []string{"labels", "set with []"}},
		"removing nothing":          {on("remove"), fault.InvalidArguments, []string{"labels", "set with []"}},
		"no number":                 {with(func(r *issue.LabelsRequest) { r.DiscussionNumber = 0 }), fault.MissingArguments, []string{"issue_number", "discussion_number"}},
		"two numbers":               {with(func(r *issue.LabelsRequest) { r.IssueNumber = 3 }), fault.AmbiguousArguments, []string{"issue_number", "discussion_number"}},
		"an unknown discussion":     {with(func(r *issue.LabelsRequest) { r.DiscussionNumber = 4711 }), fault.NotFound, []string{"4711"}},
		"an unknown repository":     {with(func(r *issue.LabelsRequest) { r.Repo = &none }), fault.NotFoundOrNoAccess, []string{none}},
		"a malformed repository":    {with(func(r *issue.LabelsRequest) { r.Repo = &broken }), fault.RepositoryTargetInvalid, []string{broken}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.ManageLabels(context.Background(), test.req)
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Code != test.code {
				t.Fatalf("error is %v, want %s", err, test.code)
			}
			said, _ := json.Marshal(refusal.Public())
			for _, word := range test.words {
				if !strings.Contains(string(said), word) {
					t.Errorf("the refusal lacks %q: %s", word, said)
				}
			}
		})
	}
	if _, err := openAs(t, github, sandbox.ReadToken).ManageLabels(context.Background(), on("add", "bug")); !fault.Is(err, fault.Forbidden) ||
		!strings.Contains(fault.From(err).Message, "triage permission") {
		t.Errorf("by a reader: %v", err)
	}
	if diff := cmp.Diff(before, d.labels(3)); diff != "" {
		t.Errorf("refused changes were made (-before +after):\n%s", diff)
	}
}
