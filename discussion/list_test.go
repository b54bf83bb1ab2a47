package discussion_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// list lists, projects and fits as the server does.
func (h *house) list(req discussion.ListRequest, max int) *discussion.ListResult {
	h.t.Helper()
	result, err := h.List(context.Background(), req)
	if err != nil {
		h.t.Fatalf("List(%s): %v", show(req), err)
	}
	projection := trust.Policy{}.Project(result)
	data, err := page.Fit(result, max, func(cut any) { projection.Summarize(cut.(trust.Carrier)) })
	if err != nil {
		h.t.Fatalf("List(%s): %v", show(req), err)
	}
	if len(data) > max {
		h.t.Errorf("List(%s): %d bytes, over the budget of %d", show(req), len(data), max)
	}
	var got discussion.ListResult
	if err := json.Unmarshal(data, &got); err != nil {
		h.t.Fatal(err)
	}
	if got.Count != len(got.Discussions) || got.Truncated != (got.EndCursor != nil) || got.Truncated != (got.Next != nil) {
		h.t.Errorf("List(%s): head %+v of %d rows", show(req), got.Head, len(got.Discussions))
	}
	return &got
}

// listAll follows next to the end.
func (h *house) listAll(req discussion.ListRequest, max int) (pages []*discussion.ListResult) {
	h.t.Helper()
	for {
		got := h.list(req, max)
		pages = append(pages, got)
		if !got.Truncated {
			return pages
		}
		if len(pages) > 500 {
			h.t.Fatalf("List(%s) does not end", show(req))
		}
		data, err := json.Marshal(got.Next)
		if err != nil {
			h.t.Fatal(err)
		}
		req = discussion.ListRequest{}
		if err := json.Unmarshal(data, &req); err != nil {
			h.t.Fatal(err)
		}
	}
}

func numbers(pages []*discussion.ListResult) []int {
	all := []int{}
	for _, page := range pages {
		for _, row := range page.Discussions {
			if row.BodyOffset == 0 {
				all = append(all, row.Number)
			}
		}
	}
	return all
}

// board is the truth about the sample repository's discussions, from its text.
func board(t *testing.T) []*fixtures.Discussion {
	t.Helper()
	repository, err := fixtures.Load()
	if err != nil {
		t.Fatal(err)
	}
	return repository.Discussions
}

// truth are the numbers of those that fit, newest first by at.
func fitting(all []*fixtures.Discussion, at func(*fixtures.Discussion) time.Time, fits func(*fixtures.Discussion) bool) []int {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b *fixtures.Discussion) int {
		if order := at(b).Compare(at(a)); order != 0 {
			return order
		}
		return int(b.ID - a.ID)
	})
	found := []int{}
	for _, one := range sorted {
		if fits(one) {
			found = append(found, one.Number)
		}
	}
	return found
}

func updated(d *fixtures.Discussion) time.Time { return d.Latest() }
func created(d *fixtures.Discussion) time.Time { return d.Created }
func isOpen(d *fixtures.Discussion) bool       { return d.Closed.IsZero() }
func answerable(d *fixtures.Discussion) bool   { return d.Category == "q-a" || d.Category == "support" }

func hasLabels(d *fixtures.Discussion, names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(d.Labels, func(has string) bool { return strings.EqualFold(has, name) }) {
			return false
		}
	}
	return true
}

// TestListsHoldWhatFits, no more, no less, in order: every filter on its own
// and together, on one page and on many, each row once.
func TestListsHoldWhatFits(t *testing.T) {
	h, all := open(t), board(t)
	since := time.Date(2026, 5, 10, 9, 0, 0, 0, time.UTC)
	type fit = func(*fixtures.Discussion) bool
	both := func(fits ...fit) fit {
		return func(d *fixtures.Discussion) bool {
			return !slices.ContainsFunc(fits, func(f fit) bool { return !f(d) })
		}
	}
	from := func(d *fixtures.Discussion) bool { return !d.Latest().Before(since) }
	for name, test := range map[string]struct {
		req  discussion.ListRequest
		at   func(*fixtures.Discussion) time.Time
		fits fit
	}{
		"by default, the open ones":       {discussion.ListRequest{}, updated, isOpen},
		"all":                             {discussion.ListRequest{State: "all"}, updated, both()},
		"closed":                          {discussion.ListRequest{State: "closed"}, updated, func(d *fixtures.Discussion) bool { return !isOpen(d) }},
		"by creation":                     {discussion.ListRequest{State: "all", OrderBy: "created"}, created, both()},
		"oldest first":                    {discussion.ListRequest{State: "all", OrderBy: "created", Direction: "asc"}, created, both()},
		"updated longest ago first":       {discussion.ListRequest{Direction: "asc"}, updated, isOpen},
		"a category by name":              {discussion.ListRequest{State: "all", Category: "Show and tell"}, updated, func(d *fixtures.Discussion) bool { return d.Category == "show-and-tell" }},
		"a category by slug":              {discussion.ListRequest{State: "all", Category: "Q-A"}, updated, func(d *fixtures.Discussion) bool { return d.Category == "q-a" }},
		"an empty category":               {discussion.ListRequest{State: "all", Category: "jobs"}, updated, func(*fixtures.Discussion) bool { return false }},
		"answered":                        {discussion.ListRequest{State: "all", Answered: ptr(true)}, updated, func(d *fixtures.Discussion) bool { return d.Answer != nil }},
		"unanswered":                      {discussion.ListRequest{State: "all", Answered: ptr(false)}, updated, both(answerable, func(d *fixtures.Discussion) bool { return d.Answer == nil })},
		"unanswered with a label":         {discussion.ListRequest{State: "all", Answered: ptr(false), Labels: []string{"question"}}, updated, both(answerable, func(d *fixtures.Discussion) bool { return d.Answer == nil && hasLabels(d, "question") })},
		"a label":                         {discussion.ListRequest{State: "all", Labels: []string{"Design"}}, updated, func(d *fixtures.Discussion) bool { return hasLabels(d, "design") }},
		"all of two labels":               {discussion.ListRequest{State: "all", Labels: []string{"design", "area: reader"}}, updated, func(d *fixtures.Discussion) bool { return hasLabels(d, "design", "area: reader") }},
		"labels that never meet":          {discussion.ListRequest{State: "all", Labels: []string{"security", "duplicate"}}, updated, func(*fixtures.Discussion) bool { return false }},
		"an author":                       {discussion.ListRequest{State: "all", Author: "Atlas-Agent"}, updated, func(d *fixtures.Discussion) bool { return d.Author == "atlas-agent" }},
		"since, the newest first":         {discussion.ListRequest{State: "all", Since: "2026-05-10T09:00:00Z"}, updated, from},
		"since, the newest last":          {discussion.ListRequest{State: "all", Since: "2026-05-10T09:00:00Z", Direction: "asc"}, updated, from},
		"since, by creation":              {discussion.ListRequest{State: "all", Since: "2026-05-10T11:00:00+02:00", OrderBy: "created"}, created, from},
		"since a day":                     {discussion.ListRequest{Since: "2026-05-10"}, updated, both(isOpen, func(d *fixtures.Discussion) bool { return !d.Latest().Before(since.Truncate(24 * time.Hour)) })},
		"category, label and time":        {discussion.ListRequest{Category: "benchmarks", Labels: []string{"performance"}, Since: "2026-05-10"}, updated, both(isOpen, from, func(d *fixtures.Discussion) bool { return d.Category == "benchmarks" && hasLabels(d, "performance") })},
		"answered questions of an author": {discussion.ListRequest{State: "all", Category: "q-a", Answered: ptr(true), Author: "mei-tanaka"}, updated, func(d *fixtures.Discussion) bool { return d.Answer != nil && d.Author == "mei-tanaka" }},
	} {
		want := fitting(all, test.at, test.fits)
		if test.req.Direction == "asc" {
			slices.Reverse(want)
		}
		for limit, max := range map[int]int{100: budget, 7: budget, 30: 3000} {
			test.req.Limit = limit
			pages := h.listAll(test.req, max)
			if diff := cmp.Diff(want, numbers(pages)); diff != "" {
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

// TestMyDiscussions: @me is the owner of the token.
func TestMyDiscussions(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	for token, login := range map[string]string{sandbox.ReadToken: "octo-read", sandbox.WriteToken: "octo-write"} {
		want := fitting(board(t), updated, func(d *fixtures.Discussion) bool { return d.Author == login })
		got := numbers(openAs(t, running, token).listAll(discussion.ListRequest{State: "all", Author: "@me"}, budget))
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
			t.Errorf("%s (-want +got):\n%s", login, diff)
		}
	}
}

// TestProjections: a title row is four members, a summary row has no body, and
// a full one has all of it, in slices where it is over the budget alone.
func TestProjections(t *testing.T) {
	h, all := open(t), board(t)
	for _, projection := range []string{"title", "summary", "full"} {
		pages := h.listAll(discussion.ListRequest{State: "all", Projection: projection, Limit: 100}, 4096)
		bodies := map[int]string{}
		for _, page := range pages {
			if !page.ContentTrust.Projected {
				t.Errorf("%s: no contentTrust", projection)
			}
			for _, row := range page.Discussions {
				if (row.Summary == nil) != (projection == "title") || (row.Body != nil) != (projection == "full") {
					t.Errorf("%s: row %s", projection, show(row))
				}
				if row.Body != nil {
					bodies[row.Number] += *row.Body
				}
			}
		}
		if got := len(numbers(pages)); got != len(all) {
			t.Errorf("%s: %d rows of %d", projection, got, len(all))
		}
		for _, one := range all {
			if projection == "full" && bodies[one.Number] != one.Body {
				t.Errorf("the body of #%d has %d bytes, want %d", one.Number, len(bodies[one.Number]), len(one.Body))
			}
		}
	}
}

// TestSummaryRows hold what GitHub has.
func TestSummaryRows(t *testing.T) {
	h := open(t)
	for _, row := range h.listAll(discussion.ListRequest{State: "all", Limit: 100}, 1<<20)[0].Discussions {
		read := h.read(discussion.ConversationRequest{DiscussionNumber: row.Number, LastN: ptr(1)})
		want := discussion.Row{
			Number: read.Number, Title: read.Title, URL: read.URL, State: read.State,
			Summary: &discussion.Summary{
				Category: read.Category.Name, IsAnswered: read.IsAnswered, Labels: read.Labels, CommentsCount: *read.TotalCount,
				Author: read.Author, AuthorTrust: read.AuthorTrust, CreatedAt: read.CreatedAt, UpdatedAt: read.UpdatedAt, ID: read.ID,
			},
		}
		if show(row) != show(want) {
			t.Errorf("row  %s\nread %s", show(row), show(want))
		}
	}
}

func TestListsAreRefused(t *testing.T) {
	h := open(t)
	first := h.list(discussion.ListRequest{Limit: 3}, budget)
	for name, test := range map[string]struct {
		req  discussion.ListRequest
		code fault.Code
		word string
	}{
		"an unknown category":          {discussion.ListRequest{Category: "nowhere"}, fault.InvalidCategory, "ZZ Archive"},
		"no time":                      {discussion.ListRequest{Since: "yesterday"}, fault.InvalidArguments, "since"},
		"a cursor of other filters":    {discussion.ListRequest{State: "all", Cursor: *first.EndCursor}, fault.InvalidArguments, "cursor"},
		"a cursor of another order":    {discussion.ListRequest{Direction: "asc", Cursor: *first.EndCursor}, fault.InvalidArguments, "cursor"},
		"a cursor of another place":    {discussion.ListRequest{Repo: ptr("private"), Cursor: *first.EndCursor}, fault.InvalidArguments, "cursor"},
		"an altered cursor":            {discussion.ListRequest{Cursor: (*first.EndCursor)[:len(*first.EndCursor)-2] + "xx"}, fault.InvalidArguments, "cursor"},
		"a repository that is not":     {discussion.ListRequest{Repo: ptr("octo-org/none")}, fault.NotFoundOrNoAccess, "octo-org/none"},
		"one that is not, with search": {discussion.ListRequest{Repo: ptr("octo-org/none"), Author: "octo-read"}, fault.NotFoundOrNoAccess, "octo-org/none"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.List(context.Background(), test.req)
			h.expectRefusal(err, 0, test.code, test.word)
		})
	}
}
