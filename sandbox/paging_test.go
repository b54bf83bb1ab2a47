package sandbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

type commentPage struct {
	TotalCount int
	PageInfo   struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *githubv4.String
	}
	Edges []struct {
		Cursor githubv4.String
		Node   struct{ ID, CreatedAt string }
	}
}

// walk pages through a thread; page 1 is the oldest, or the newest backwards.
func walk(t *testing.T, c *githubv4.Client, number, size int, backwards bool) (ids []string) {
	t.Helper()
	variables := map[string]any{
		"number": githubv4.Int(number), "first": (*githubv4.Int)(nil), "last": (*githubv4.Int)(nil),
		"after": (*githubv4.String)(nil), "before": (*githubv4.String)(nil),
	}
	variables[map[bool]string{false: "first", true: "last"}[backwards]] = githubv4.NewInt(githubv4.Int(size))
	for {
		var q struct {
			Repository struct {
				Discussion struct {
					Comments commentPage `graphql:"comments(first: $first, last: $last, after: $after, before: $before)"`
				} `graphql:"discussion(number: $number)"`
			} `graphql:"repository(owner: \"octo-org\", name: \"hello\")"`
		}
		if err := c.Query(t.Context(), &q, variables); err != nil {
			t.Fatal(err)
		}
		page := q.Repository.Discussion.Comments
		var part []string
		for _, edge := range page.Edges {
			part = append(part, edge.Node.CreatedAt+" "+edge.Node.ID)
		}
		if backwards {
			ids = append(part, ids...)
			variables["before"] = page.PageInfo.StartCursor
			if !page.PageInfo.HasPreviousPage {
				return ids
			}
			continue
		}
		ids = append(ids, part...)
		variables["after"] = page.PageInfo.EndCursor
		if !page.PageInfo.HasNextPage {
			return ids
		}
	}
}

func TestBothWaysThroughAThreadGiveTheSame(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := client(s, sandbox.ReadToken)
	for _, thread := range []struct{ number, count, size int }{
		{1, 0, 10}, {2, 3, 1}, {3, 12, 5}, {4, 250, 100}, {5, 5000, 100}, {13, 5, 2}, {25, 130, 100},
	} {
		t.Run(fmt.Sprintf("%d comments", thread.count), func(t *testing.T) {
			forwards := walk(t, c, thread.number, thread.size, false)
			backwards := walk(t, c, thread.number, thread.size, true)
			if len(forwards) != thread.count {
				t.Errorf("forwards: %d comments, want %d", len(forwards), thread.count)
			}
			if diff := cmp.Diff(forwards, backwards); diff != "" {
				t.Errorf("backwards differs:\n%s", diff)
			}
			unique := slices.Compact(slices.Sorted(slices.Values(forwards)))
			if len(unique) != thread.count || !sortedByTime(forwards) {
				t.Errorf("%d unique of %d, by time: %t", len(unique), thread.count, sortedByTime(forwards))
			}
		})
	}
}

func sortedByTime(ids []string) bool {
	return slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(a[:20], b[:20]) })
}

func TestACursorSurvivesDeletion(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	page := must(t, s, sandbox.AdminToken, `{ `+home+` { discussion(number: 25) { comments(first: 2) { nodes { id } pageInfo { endCursor } } } } }`)
	cursor, gone := page.text("repository", "discussion", "comments", "pageInfo", "endCursor"), page.text("repository", "discussion", "comments", "nodes", 1, "id")
	next := `query($after: String) { ` + home + ` { discussion(number: 25) { comments(first: 1, after: $after) { nodes { id } } } } }`
	before := must(t, s, sandbox.AdminToken, next, "after", cursor).raw
	must(t, s, sandbox.AdminToken, `mutation($id: ID!) { deleteDiscussionComment(input: {id: $id}) { comment { deletedAt } } }`, "id", gone)
	if after := must(t, s, sandbox.AdminToken, next, "after", cursor).raw; after != before {
		t.Errorf("after the deletion the cursor leads to %s, before it to %s", after, before)
	}
}

func TestPageRules(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for name, test := range map[string]struct{ args, kind, message string }{
		"no size":    {"", "MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate the `comments` connection."},
		"too large":  {"(first: 101)", "EXCESSIVE_PAGINATION", "Requesting 101 records on the `comments` connection exceeds the `first` limit of 100 records."},
		"both":       {"(first: 1, last: 1)", "INVALID_PAGINATION_BOUNDARIES", "Passing both `first` and `last` to paginate the `comments` connection is not supported."},
		"negative":   {"(last: -1)", "INVALID_PAGINATION_BOUNDARIES", "`last` on the `comments` connection cannot be less than zero."},
		"bad cursor": {`(first: 1, after: "nonsense")`, "INVALID_CURSOR_ARGUMENTS", "`nonsense` does not appear to be a valid cursor."},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 3) { comments`+test.args+` { nodes { id } } } } }`)
			if got.kind() != test.kind || got.Errors[0].Message != test.message {
				t.Fatalf("got %s", got.raw)
			}
			if diff := cmp.Diff([]any{"repository", "discussion", "comments"}, got.Errors[0].Path); diff != "" {
				t.Errorf("path:\n%s", diff)
			}
		})
	}
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 5) { comments { totalCount } } } }`)
	if count := got.at("repository", "discussion", "comments", "totalCount"); count != 5000.0 {
		t.Errorf("a bare totalCount is %v, want 5000 without a page size", count)
	}
}

func TestNodeLimit(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	nested := `query($n: Int!) { ` + home + ` { discussions(first: $n) { nodes { comments(first: 100) { nodes { replies(first: 100) { nodes { id } } } } } } } }`
	got := ask(t, s, sandbox.ReadToken, nested, "n", 60)
	want := "By the time this query traverses to the replies connection, it is requesting up to 606,060 possible nodes which exceeds the maximum limit of 500,000."
	if got.kind() != "MAX_NODE_LIMIT_EXCEEDED" || got.Errors[0].Message != want || got.Data != nil {
		t.Errorf("got %s", got.raw)
	}
	if got := ask(t, s, sandbox.ReadToken, nested, "n", 2); len(got.Errors) > 0 {
		t.Errorf("a query within the limit answered %.300s", got.raw)
	}
}

func TestConnectionsOfTheRepository(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `query($order: DiscussionOrder, $states: [DiscussionState!]) { `+home+` {
		discussionCategories(first: 100) { totalCount nodes { slug isAnswerable } }
		labels(first: 2, orderBy: {field: NAME, direction: ASC}) { totalCount nodes { name } }
		closed: discussions(first: 10, states: [CLOSED]) { nodes { closed stateReason } }
		unanswered: discussions(first: 100, answered: false) { nodes { isAnswered category { isAnswerable } } }
		discussions(first: 2, orderBy: $order, states: $states) { totalCount nodes { number } }
		oldest: discussions(last: 1, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { number } }
	} }`, "order", nil, "states", nil)
	r := func(path ...any) any { return got.at(append([]any{"repository"}, path...)...) }
	if r("discussionCategories", "totalCount") != 25.0 {
		t.Errorf("%v categories, want GitHub's 25", r("discussionCategories", "totalCount"))
	}
	if r("labels", "nodes", 0, "name") != "agent-ready" {
		t.Errorf("first label by name is %v", r("labels", "nodes", 0, "name"))
	}
	for i := 0; r("closed", "nodes", i) != nil; i++ {
		if r("closed", "nodes", i, "closed") != true {
			t.Errorf("states: [CLOSED] gave an open one: %v", r("closed", "nodes", i))
		}
	}
	for i := 0; r("unanswered", "nodes", i) != nil; i++ {
		if r("unanswered", "nodes", i, "isAnswered") != false {
			t.Errorf("answered: false gave %v", r("unanswered", "nodes", i))
		}
	}
	if r("oldest", "nodes", 0, "number") != 12.0 || r("discussions", "totalCount") != 45.0 {
		t.Errorf("oldest %v, total %v", r("oldest", "nodes", 0), r("discussions", "totalCount"))
	}
}
