package issue_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// list lists, projects and fits as the server does.
func (d *desk) list(req issue.ListRequest, max int) *issue.ListResult {
	d.t.Helper()
	result, err := d.List(context.Background(), req)
	if err != nil {
		d.t.Fatalf("List(%s): %v", show(req), err)
	}
	got := fit(d.t, result, max)
	if got.Count != len(got.Issues) || got.Truncated != (got.EndCursor != nil) || got.Truncated != (got.Next != nil) {
		d.t.Errorf("List(%s): head %+v of %d rows", show(req), got.Head, len(got.Issues))
	}
	return got
}

// listAll follows next to the end.
func (d *desk) listAll(req issue.ListRequest, max int) (pages []*issue.ListResult) {
	d.t.Helper()
	for {
		got := d.list(req, max)
		pages = append(pages, got)
		if !got.Truncated {
			return pages
		}
		if len(pages) > 500 {
			d.t.Fatalf("List(%s) does not end", show(req))
		}
		req = issue.ListRequest{}
		if err := json.Unmarshal([]byte(show(got.Next)), &req); err != nil {
			d.t.Fatal(err)
		}
	}
}

func numbers(pages ...*issue.ListResult) []int {
	all := []int{}
	for _, page := range pages {
		for _, row := range page.Issues {
			if row.BodyOffset == 0 {
				all = append(all, row.Number)
			}
		}
	}
	return all
}

// fitting are the numbers of the sample's issues that fit, newest first by at.
func fitting(all []*fixtures.Issue, at func(*fixtures.Issue) time.Time, fits func(*fixtures.Issue) bool) []int {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b *fixtures.Issue) int {
		if order := at(b).Compare(at(a)); order != 0 {
			return order
		}
		return int(b.ID - a.ID)
	})
	found := []int{}
	for _, one := range sorted {
		if one.Pull == nil && fits(one) {
			found = append(found, one.Number)
		}
	}
	return found
}

func updated(i *fixtures.Issue) time.Time { return i.Latest() }
func created(i *fixtures.Issue) time.Time { return i.Created }
func isOpen(i *fixtures.Issue) bool       { return i.Closed.IsZero() }

func has(values []string, wanted ...string) bool {
	return !slices.ContainsFunc(wanted, func(want string) bool {
		return !slices.ContainsFunc(values, func(value string) bool { return strings.EqualFold(value, want) })
	})
}

// TestListsHoldWhatFits, no more, no less, in order: every filter on its own
// and together, on one page and on many, each row once, never a pull request.
func TestListsHoldWhatFits(t *testing.T) {
	d, all := open(t), sample(t).Issues
	since := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	type fit = func(*fixtures.Issue) bool
	any := func(*fixtures.Issue) bool { return true }
	for name, test := range map[string]struct {
		req  issue.ListRequest
		at   func(*fixtures.Issue) time.Time
		fits fit
	}{
		"by default, the open ones":    {issue.ListRequest{}, updated, isOpen},
		"all":                          {issue.ListRequest{State: "all"}, updated, any},
		"closed":                       {issue.ListRequest{State: "closed"}, updated, func(i *fixtures.Issue) bool { return !isOpen(i) }},
		"by creation, oldest first":    {issue.ListRequest{State: "all", Sort: "created", Direction: "asc"}, created, any},
		"a label":                      {issue.ListRequest{State: "all", Labels: []string{"BUG"}}, updated, func(i *fixtures.Issue) bool { return has(i.Labels, "bug") }},
		"all of two labels":            {issue.ListRequest{State: "all", Labels: []string{"bug", "area: reader"}}, updated, func(i *fixtures.Issue) bool { return has(i.Labels, "bug", "area: reader") }},
		"labels that never meet":       {issue.ListRequest{State: "all", Labels: []string{"security", "documentation"}}, updated, func(i *fixtures.Issue) bool { return has(i.Labels, "security", "documentation") }},
		"an assignee":                  {issue.ListRequest{State: "all", Assignee: "@Octo-Write"}, updated, func(i *fixtures.Issue) bool { return has(i.Assignees, "octo-write") }},
		"nobody":                       {issue.ListRequest{Assignee: "none"}, updated, func(i *fixtures.Issue) bool { return isOpen(i) && len(i.Assignees) == 0 }},
		"an author":                    {issue.ListRequest{State: "all", Author: "jonas-lind"}, updated, func(i *fixtures.Issue) bool { return i.Author == "jonas-lind" }},
		"a milestone by title":         {issue.ListRequest{State: "all", Milestone: `0.9 "PREVIEW"`}, updated, func(i *fixtures.Issue) bool { return i.Milestone == 3 }},
		"a milestone by number":        {issue.ListRequest{State: "all", Milestone: "2"}, updated, func(i *fixtures.Issue) bool { return i.Milestone == 2 }},
		"no milestone":                 {issue.ListRequest{State: "all", Milestone: "none"}, updated, func(i *fixtures.Issue) bool { return i.Milestone == 0 }},
		"since a day":                  {issue.ListRequest{State: "all", Since: "2026-03-01"}, updated, func(i *fixtures.Issue) bool { return !i.Latest().Before(since) }},
		"label, author and assignment": {issue.ListRequest{Labels: []string{"bug"}, Author: "ada-mensah", Assignee: "octo-write", Milestone: "1.0"}, updated, func(i *fixtures.Issue) bool { return i.Number == 101 }},
	} {
		want := fitting(all, test.at, test.fits)
		if test.req.Direction == "asc" {
			slices.Reverse(want)
		}
		for limit, max := range map[int]int{100: budget, 7: budget, 30: 3000} {
			test.req.Limit = limit
			pages := d.listAll(test.req, max)
			if diff := cmp.Diff(want, numbers(pages...)); diff != "" {
				t.Errorf("%s, limit %d, budget %d (-want +got):\n%s", name, limit, max, diff)
			}
			for _, page := range pages {
				if page.Count > limit || page.TotalCount != nil && *page.TotalCount != len(want) {
					t.Errorf("%s, limit %d: head %+v of %d in all", name, limit, page.Head, len(want))
				}
			}
		}
	}
}

func TestListsByComments(t *testing.T) {
	d := open(t)
	for direction, sign := range map[string]int{"desc": -1, "asc": 1} {
		counts := []int{}
		for _, row := range d.listAll(issue.ListRequest{State: "all", Sort: "comments", Direction: direction, Limit: 100}, budget)[0].Issues {
			counts = append(counts, row.CommentsCount)
		}
		if !slices.IsSortedFunc(counts, func(a, b int) int { return sign * (a - b) }) || slices.Max(counts) != 320 {
			t.Errorf("%s: %v", direction, counts)
		}
	}
}

// TestUnsetFiltersAreNotSent: to GitHub, null is a filter.
func TestUnsetFiltersAreNotSent(t *testing.T) {
	d := open(t)
	for name, test := range map[string]struct {
		req     issue.ListRequest
		names   []string // of the variables, beside those of every list
		filters string
	}{
		"nothing":       {issue.ListRequest{State: "all"}, nil, "null"},
		"the state":     {issue.ListRequest{}, []string{"states"}, "null"},
		"no assignee":   {issue.ListRequest{Assignee: "none"}, []string{"filterBy", "states"}, `{"assignee":null}`},
		"an assignee":   {issue.ListRequest{Assignee: "octo-read", State: "all"}, []string{"filterBy"}, `{"assignee":"octo-read"}`},
		"me":            {issue.ListRequest{Assignee: "@me", State: "all"}, []string{"filterBy"}, `{"assignee":"octo-admin"}`},
		"my own":        {issue.ListRequest{Author: "@me", State: "all"}, []string{"filterBy"}, `{"createdBy":"octo-admin"}`},
		"no milestone":  {issue.ListRequest{Milestone: "none", State: "all"}, []string{"filterBy"}, `{"milestoneNumber":null}`},
		"a milestone":   {issue.ListRequest{Milestone: "1.1", State: "all"}, []string{"filterBy"}, `{"milestoneNumber":"2"}`},
		"labels, since": {issue.ListRequest{Labels: []string{"bug"}, Since: "2026-01-02", State: "all"}, []string{"filterBy"}, `{"labels":["bug"],"since":"2026-01-02T00:00:00Z"}`},
	} {
		d.list(test.req, budget)
		requests := d.github.Requests()
		sent := requests[len(requests)-1]
		var variables map[string]json.RawMessage
		if err := json.Unmarshal(sent.Variables, &variables); err != nil {
			t.Fatal(err)
		}
		names := append([]string{"first", "full", "name", "order", "owner"}, test.names...)
		slices.Sort(names)
		if diff := cmp.Diff(names, slices.Sorted(maps.Keys(variables))); diff != "" {
			t.Errorf("%s: variables (-want +sent):\n%s", name, diff)
		}
		for _, argument := range []string{"filterBy:", "states:", "after:"} {
			if strings.Contains(sent.Query, argument) != slices.Contains(test.names, strings.TrimSuffix(argument, ":")) {
				t.Errorf("%s: the query is %s", name, sent.Query)
			}
		}
		if got := string(variables["filterBy"]); test.filters != "null" && got != test.filters {
			t.Errorf("%s: filterBy is %s, want %s", name, got, test.filters)
		}
	}
}

// TestMyIssues: @me is the owner of the token.
func TestMyIssues(t *testing.T) {
	github := sandbox.StartTest(t, sandbox.Options{})
	want := fitting(sample(t).Issues, updated, func(i *fixtures.Issue) bool { return has(i.Assignees, "octo-write") })
	got := numbers(openAs(t, github, sandbox.WriteToken).listAll(issue.ListRequest{State: "all", Assignee: "@me"}, budget)...)
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAListOfLongIssuesIsShort: thirty issues of 20 KB each take less than
// 12 KB, with everything that is needed to choose one.
func TestAListOfLongIssuesIsShort(t *testing.T) {
	d := openOn(t, made(30, func(i *fixtures.Issue) { i.Body = strings.Repeat("long text ", 2000) }))
	var got *issue.ListResult
	d.cost("the list", 1, 0, func() { got = d.list(issue.ListRequest{}, 12<<10) })
	if len(got.Issues) != 30 || got.Truncated || got.Issues[29].Title != "Issue 30" || got.Issues[0].Body != nil {
		t.Errorf("%d rows, truncated %v", len(got.Issues), got.Truncated)
	}
	requests := d.github.Requests()
	if bytes := requests[len(requests)-1].ResponseBytes; bytes > 30<<10 {
		t.Errorf("%d bytes came from GitHub for rows without bodies", bytes)
	}
}

// TestRareRowsAreFound wherever they are: GitHub filters, not the page.
func TestRareRowsAreFound(t *testing.T) {
	d := openOn(t, made(200, func(i *fixtures.Issue) {
		if i.Number == 120 || i.Number == 150 || i.Number == 190 {
			i.Assignees = []string{"octo-triage"}
		}
		i.Labels = []string{"bug"}
		if i.Number%90 == 0 {
			i.Labels = []string{"documentation", "bug"}
		}
	}))
	for name, test := range map[string]struct {
		req      issue.ListRequest
		want     []int
		requests int
	}{
		"an assignee":       {issue.ListRequest{Assignee: "octo-triage"}, []int{120, 150, 190}, 1},
		"all of two labels": {issue.ListRequest{Labels: []string{"bug", "documentation"}}, []int{90, 180}, 2},
		"until the limit":   {issue.ListRequest{Labels: []string{"bug", "documentation"}, Limit: 1}, []int{90}, 1},
	} {
		d.cost(name, test.requests, 0, func() {
			got := d.list(test.req, budget)
			if diff := cmp.Diff(test.want, numbers(got)); diff != "" || got.Truncated != (test.req.Limit == 1) {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// TestEveryRowComesOnce on three pages of 45, and the same page twice for the
// same cursor.
func TestEveryRowComesOnce(t *testing.T) {
	d := openOn(t, made(45, func(*fixtures.Issue) {}))
	pages := d.listAll(issue.ListRequest{Limit: 20}, budget)
	if rows := numbers(pages...); len(pages) != 3 || len(rows) != 45 || len(slices.Compact(slices.Sorted(slices.Values(rows)))) != 45 {
		t.Errorf("%d pages with %v", len(pages), rows)
	}
	again := d.list(issue.ListRequest{Limit: 20, Cursor: *pages[0].EndCursor}, budget)
	if diff := cmp.Diff(numbers(pages[1]), numbers(again)); diff != "" {
		t.Errorf("the same cursor gives another page (-first +second):\n%s", diff)
	}
}

// TestLookingForAllLabelsEnds after a thousand rows, and goes on from there.
func TestLookingForAllLabelsEnds(t *testing.T) {
	d := openOn(t, made(1050, func(i *fixtures.Issue) {
		i.Labels = []string{"bug"}
		if i.Number == 1040 {
			i.Labels = []string{"bug", "design"}
		}
	}))
	pages := d.listAll(issue.ListRequest{Labels: []string{"bug", "design"}}, budget)
	if diff := cmp.Diff([]int{1040}, numbers(pages...)); diff != "" || len(pages) != 2 || len(pages[0].Warnings) != 1 {
		t.Errorf("%s (-want +got):\n%s", show(pages), diff)
	}
}

// TestProjections: a title row is four members, a summary row has no body, and
// a full one has all of it, in slices where it is over the budget alone.
func TestProjections(t *testing.T) {
	d, all := open(t), sample(t).Issues
	for _, projection := range []string{"title", "summary", "full"} {
		bodies := map[int]string{}
		pages := d.listAll(issue.ListRequest{State: "all", Projection: projection, Limit: 20}, 16<<10)
		for _, page := range pages {
			for _, row := range page.Issues {
				if (row.Summary == nil) != (projection == "title") || (row.Body != nil) != (projection == "full") {
					t.Errorf("%s: row %s", projection, show(row))
				}
				if row.Body != nil {
					bodies[row.Number] += *row.Body
				}
			}
		}
		for _, one := range all {
			if projection == "full" && one.Pull == nil && bodies[one.Number] != one.Body {
				t.Errorf("the body of #%d has %d bytes, want %d", one.Number, len(bodies[one.Number]), len(one.Body))
			}
		}
		if want := len(fitting(all, updated, func(*fixtures.Issue) bool { return true })); len(numbers(pages...)) != want {
			t.Errorf("%s: %d rows of %d", projection, len(numbers(pages...)), want)
		}
	}
}

// TestDeletedAccountsAreGhosts, as author and as assignee.
func TestDeletedAccountsAreGhosts(t *testing.T) {
	d := openOn(t, made(1, func(i *fixtures.Issue) { i.Author, i.Assignees = "", []string{""} }))
	row := d.list(issue.ListRequest{}, budget).Issues[0]
	if row.Author.Login != "ghost" || row.AuthorTrust != "unknown" || !slices.Contains([]string{"[]", `["ghost"]`}, show(row.Assignees)) {
		t.Errorf("row %s", show(row))
	}
}

func TestWhatDoesNotExistIsWarnedOf(t *testing.T) {
	d := open(t)
	for name, test := range map[string]struct {
		req      issue.ListRequest
		requests int
		words    []string
	}{
		"a label":     {issue.ListRequest{Labels: []string{"secruity"}}, 2, []string{"secruity", `"security"`}},
		"a milestone": {issue.ListRequest{Milestone: "2.0"}, 1, []string{"2.0", "1.0, 1.1"}},
	} {
		d.cost(name, test.requests, 0, func() {
			got := d.list(test.req, budget)
			for _, word := range test.words {
				if got.Count != 0 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], word) {
					t.Errorf("%s: %s lacks %q", name, show(got), word)
				}
			}
		})
	}
}

func TestListsAreRefused(t *testing.T) {
	d := open(t)
	first := d.list(issue.ListRequest{Limit: 3}, budget)
	for name, test := range map[string]struct {
		req  issue.ListRequest
		code fault.Code
		word string
	}{
		"no time":                   {issue.ListRequest{Since: "yesterday"}, fault.InvalidArguments, "since"},
		"a cursor of other filters": {issue.ListRequest{State: "all", Cursor: *first.EndCursor}, fault.InvalidArguments, "cursor"},
		"a cursor of another order": {issue.ListRequest{Direction: "asc", Cursor: *first.EndCursor}, fault.InvalidArguments, "cursor"},
		"an altered cursor":         {issue.ListRequest{Cursor: (*first.EndCursor)[:len(*first.EndCursor)-2] + "xx"}, fault.InvalidArguments, "cursor"},
		"a repository that is not":  {issue.ListRequest{Repo: ptr("octo-org/none")}, fault.NotFoundOrNoAccess, "octo-org/none"},
		"a malformed repository":    {issue.ListRequest{Repo: ptr("a/b/c")}, fault.RepositoryTargetInvalid, "a/b/c"},
		"a milestone of one":        {issue.ListRequest{Repo: ptr("octo-org/none"), Milestone: "1"}, fault.NotFoundOrNoAccess, "octo-org/none"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.List(context.Background(), test.req)
			d.expectRefusal(err, 0, test.code, test.word)
		})
	}
}

// TestSizesOfLists keeps the sizes that the documents tell.
func TestSizesOfLists(t *testing.T) {
	d := open(t)
	for projection, most := range map[string]int{"title": 6 << 10, "summary": 14 << 10} {
		result, err := d.List(context.Background(), issue.ListRequest{Projection: projection})
		if err != nil {
			t.Fatal(err)
		}
		data, err := page.Encode(result)
		if err != nil || len(data) > most {
			t.Errorf("%s: %d bytes, %v", projection, len(data), err)
		}
		t.Logf("30 rows, %s: %d bytes", projection, len(data))
	}
}
