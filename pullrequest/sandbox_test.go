package pullrequest_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// open opens a Service on a sandbox of its own.
func open(t *testing.T) *house {
	t.Helper()
	return openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.WriteToken)
}

func openAs(t *testing.T, running *sandbox.Running, token string) *house {
	t.Helper()
	return openAt(t, running.RESTURL(), running.GraphQLURL(), token)
}

// listAll follows next to the end.
func listAll(t *testing.T, h *house, req pullrequest.ListRequest, max int) []pullrequest.Row {
	t.Helper()
	var rows []pullrequest.Row
	for pages := 1; ; pages++ {
		result, err := h.List(context.Background(), req)
		if err != nil {
			t.Fatalf("page %d of %+v: %v", pages, req, err)
		}
		got := delivered(t, "list_pull_requests", result, max)
		if got.Count != len(got.PullRequests) {
			t.Fatalf("count %d of %d rows", got.Count, len(got.PullRequests))
		}
		for _, row := range got.PullRequests {
			if row.BodyOffset > 0 {
				*rows[len(rows)-1].Body += *row.Body
				continue
			}
			rows = append(rows, row)
		}
		if !got.Truncated {
			return rows
		}
		if pages > 500 {
			t.Fatal("the list does not end")
		}
		req = following[pullrequest.ListRequest](t, got.Next)
	}
}

func numbers(rows []pullrequest.Row) []int {
	all := []int{}
	for _, row := range rows {
		all = append(all, row.Number)
	}
	slices.Sort(all)
	return all
}

// TestFiltersAgree lists everything once and holds each filter against what
// the rows say of themselves.
func TestFiltersAgree(t *testing.T) {
	h := open(t)
	all := listAll(t, h, pullrequest.ListRequest{State: "all", Limit: 100}, budget)
	if len(all) < 10 {
		t.Fatalf("the sandbox has %d pull requests", len(all))
	}
	where := func(keep func(pullrequest.Row) bool) []int {
		return numbers(slices.DeleteFunc(slices.Clone(all), func(row pullrequest.Row) bool { return !keep(row) }))
	}
	decision := func(row pullrequest.Row, want string) bool {
		return row.ReviewDecision != nil && *row.ReviewDecision == want
	}
	yes, first := true, all[0]
	for name, test := range map[string]struct {
		req  pullrequest.ListRequest
		keep func(pullrequest.Row) bool
	}{
		"open":      {pullrequest.ListRequest{}, func(row pullrequest.Row) bool { return row.State == "OPEN" }},
		"closed":    {pullrequest.ListRequest{State: "closed"}, func(row pullrequest.Row) bool { return row.State == "CLOSED" }},
		"merged":    {pullrequest.ListRequest{State: "merged"}, func(row pullrequest.Row) bool { return row.State == "MERGED" && row.MergedAt != nil }},
		"base":      {pullrequest.ListRequest{State: "all", Base: "main"}, func(row pullrequest.Row) bool { return row.BaseRefName == "main" }},
		"head":      {pullrequest.ListRequest{State: "all", Head: first.HeadRefName}, func(row pullrequest.Row) bool { return row.HeadRefName == first.HeadRefName }},
		"one label": {pullrequest.ListRequest{State: "all", Labels: []string{"bug"}}, func(row pullrequest.Row) bool { return slices.Contains(row.Labels, "bug") }},
		"all of two labels": {pullrequest.ListRequest{State: "all", Labels: []string{"bug", "area: reader"}}, func(row pullrequest.Row) bool {
			return slices.Contains(row.Labels, "bug") && slices.Contains(row.Labels, "area: reader")
		}},
		"author":            {pullrequest.ListRequest{State: "all", Author: first.Author.Login}, func(row pullrequest.Row) bool { return row.Author == first.Author }},
		"me":                {pullrequest.ListRequest{State: "all", Author: "@me"}, func(row pullrequest.Row) bool { return row.Author.Login == "octo-write" }},
		"drafts":            {pullrequest.ListRequest{State: "all", Draft: &yes}, func(row pullrequest.Row) bool { return row.IsDraft }},
		"approved":          {pullrequest.ListRequest{State: "all", Review: "approved"}, func(row pullrequest.Row) bool { return decision(row, "APPROVED") }},
		"changes requested": {pullrequest.ListRequest{State: "all", Review: "changes_requested"}, func(row pullrequest.Row) bool { return decision(row, "CHANGES_REQUESTED") }},
		"since": {pullrequest.ListRequest{State: "all", Since: first.UpdatedAt.Format("2006-01-02")}, func(row pullrequest.Row) bool {
			return row.UpdatedAt.Format("2006-01-02") >= first.UpdatedAt.Format("2006-01-02")
		}},
		"since by creation": {pullrequest.ListRequest{State: "all", Since: all[len(all)/2].UpdatedAt.Format("2006-01-02"), Sort: "created"}, func(row pullrequest.Row) bool {
			return row.UpdatedAt.Format("2006-01-02") >= all[len(all)/2].UpdatedAt.Format("2006-01-02")
		}},
	} {
		for _, limit := range []int{2, 100} {
			test.req.Limit = limit
			if diff := cmp.Diff(where(test.keep), numbers(listAll(t, h, test.req, budget))); diff != "" {
				t.Errorf("%s, limit %d (-want +got):\n%s", name, limit, diff)
			}
		}
	}
}

func TestHeadOfAFork(t *testing.T) {
	h := open(t)
	for _, row := range listAll(t, h, pullrequest.ListRequest{State: "all", Limit: 100}, budget) {
		facts := get(t, h, row.Number)
		if facts.HeadRepository == nil || *facts.HeadRepository == "octo-org/hello" {
			continue
		}
		owner, _, _ := cutSlash(*facts.HeadRepository)
		got := numbers(listAll(t, h, pullrequest.ListRequest{State: "all", Head: owner + ":" + row.HeadRefName}, budget))
		if !slices.Contains(got, row.Number) {
			t.Errorf("head %s:%s gives %v, want %d among them", owner, row.HeadRefName, got, row.Number)
		}
		if got := listAll(t, h, pullrequest.ListRequest{State: "all", Head: "octo-org:" + row.HeadRefName}, budget); slices.Contains(numbers(got), row.Number) {
			t.Errorf("head octo-org:%s gives the fork's #%d", row.HeadRefName, row.Number)
		}
		return
	}
	t.Error("the sandbox has no fork")
}

func cutSlash(name string) (owner, repo string, ok bool) {
	for i := range name {
		if name[i] == '/' {
			return name[:i], name[i+1:], true
		}
	}
	return name, "", false
}

func TestListProjectionsAndBudget(t *testing.T) {
	h := open(t)
	for _, row := range listAll(t, h, pullrequest.ListRequest{State: "all", Projection: "title"}, budget) {
		if row.Summary != nil || row.Body != nil || row.Title == "" || row.URL == "" {
			t.Errorf("title row %+v", row)
		}
	}
	whole := listAll(t, h, pullrequest.ListRequest{State: "all", Projection: "full"}, budget)
	for _, max := range []int{2500, 5000} {
		pieces := listAll(t, h, pullrequest.ListRequest{State: "all", Projection: "full"}, max)
		if diff := cmp.Diff(bodies(whole), bodies(pieces)); diff != "" {
			t.Errorf("budget %d (-whole +pieces):\n%s", max, diff)
		}
	}
}

func bodies(rows []pullrequest.Row) map[int]string {
	all := map[int]string{}
	for _, row := range rows {
		all[row.Number] = *row.Body
	}
	return all
}

func TestUnknownLabelIsExplained(t *testing.T) {
	h := open(t)
	result, err := h.List(context.Background(), pullrequest.ListRequest{Labels: []string{"bgu"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`octo-org/hello has no label "bgu"; did you mean "bug"?`}, result.Warnings); diff != "" || len(result.PullRequests) != 0 {
		t.Errorf("%d rows, warnings (-want +got):\n%s", len(result.PullRequests), diff)
	}
}

func get(t *testing.T, h *house, number int) *pullrequest.Facts {
	t.Helper()
	result, err := h.Get(context.Background(), pullrequest.GetRequest{PRNumber: number})
	if err != nil {
		t.Fatalf("get #%d: %v", number, err)
	}
	return delivered(t, "get_pull_request", result, budget)
}

func TestFactsOfEveryPullRequest(t *testing.T) {
	h := open(t)
	for _, row := range listAll(t, h, pullrequest.ListRequest{State: "all", Limit: 100}, budget) {
		var facts *pullrequest.Facts
		n := h.requests(func() { facts = get(t, h, row.Number) })
		if n != 1 && facts.ReviewThreads.Total <= 100 && facts.Checks.Total <= 100 {
			t.Errorf("#%d took %d requests", row.Number, n)
		}
		if facts.Title != row.Title || facts.HeadRefOid != row.HeadRefOid || facts.State != row.State || facts.CommitsCount == 0 {
			t.Errorf("#%d: facts and row differ: %+v", row.Number, facts)
		}
		data, _ := json.Marshal(facts)
		t.Logf("#%d %.400s", row.Number, data)
	}
	_, err := h.Get(context.Background(), pullrequest.GetRequest{PRNumber: 999999})
	_ = refused(t, err, fault.NotFound)
	_, err = h.Get(context.Background(), pullrequest.GetRequest{PRNumber: 1})
	_ = refused(t, err, fault.NotFound)
}
