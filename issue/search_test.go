package issue_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
)

// searchAll follows next to the end.
func (d *desk) searchAll(req issue.SearchRequest, max int) (pages []*issue.SearchResult) {
	d.t.Helper()
	for {
		result, err := d.Search(context.Background(), req)
		if err != nil {
			d.t.Fatalf("Search(%s): %v", show(req), err)
		}
		got := fit(d.t, result, max)
		pages = append(pages, got)
		if got.Count != len(got.Results) || got.Truncated != (got.EndCursor != nil) || got.Truncated != (got.Next != nil) {
			d.t.Errorf("Search(%s): head %+v", show(req), got.Head)
		}
		if !got.Truncated {
			return pages
		}
		if len(pages) > 500 {
			d.t.Fatalf("Search(%s) does not end", show(req))
		}
		req = issue.SearchRequest{}
		if err := json.Unmarshal([]byte(show(got.Next)), &req); err != nil {
			d.t.Fatal(err)
		}
	}
}

func found(pages []*issue.SearchResult) []string {
	all := []string{}
	for _, page := range pages {
		for _, hit := range page.Results {
			all = append(all, string(hit.Kind)+" "+hit.URL)
		}
	}
	return all
}

// TestKindsAreSearched alone and together: all is every issue and pull
// request, then every discussion, each once, on one page and on many.
func TestKindsAreSearched(t *testing.T) {
	d := open(t)
	one := map[string][]string{}
	for _, kind := range []string{"issue", "pr", "discussion"} {
		one[kind] = found(d.searchAll(issue.SearchRequest{Query: "reader", Type: kind, Limit: 100}, budget))
		want := map[string]string{"issue": "issue ", "pr": "pull_request ", "discussion": "discussion "}[kind]
		if len(one[kind]) == 0 || slices.ContainsFunc(one[kind], func(hit string) bool { return !strings.HasPrefix(hit, want) }) {
			t.Errorf("%s: %q", kind, one[kind])
		}
	}
	want := slices.Sorted(slices.Values(slices.Concat(one["issue"], one["pr"], one["discussion"])))
	for limit, max := range map[int]int{100: budget, 7: budget, 30: 3000, len(one["issue"]) + len(one["pr"]): budget} {
		pages := d.searchAll(issue.SearchRequest{Query: "reader", Type: "all", Limit: limit}, max)
		got := found(pages)
		if !slices.IsSortedFunc(got, func(a, b string) int { return isDiscussion(a) - isDiscussion(b) }) {
			t.Errorf("limit %d: discussions are not last: %q", limit, got)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %d hits, want %d: %q", limit, len(got), len(want), got)
		}
	}
}

func isDiscussion(hit string) int {
	if strings.HasPrefix(hit, "discussion ") {
		return 1
	}
	return 0
}

// TestSearchesStayInTheRepository unless the query says otherwise.
func TestSearchesStayInTheRepository(t *testing.T) {
	d := open(t)
	for name, test := range map[string]struct {
		req  issue.SearchRequest
		sent string
	}{
		"home":           {issue.SearchRequest{Query: "x"}, `"x repo:octo-org/hello is:issue"`},
		"another":        {issue.SearchRequest{Query: "x", Repo: ptr("private"), Type: "pr"}, `"x repo:octo-org/private is:pr"`},
		"an owner":       {issue.SearchRequest{Query: "x org:octo-org", Type: "discussion"}, `"x org:octo-org"`},
		"a user":         {issue.SearchRequest{Query: "user:ada-mensah x"}, `"user:ada-mensah x is:issue"`},
		"no qualifier":   {issue.SearchRequest{Query: "myrepo:x"}, `"myrepo:x repo:octo-org/hello is:issue"`},
		"sorted":         {issue.SearchRequest{Query: "x", Sort: "comments"}, `"x repo:octo-org/hello sort:comments-desc is:issue"`},
		"sorted upwards": {issue.SearchRequest{Query: "x", Sort: "created", Direction: "asc"}, `"x repo:octo-org/hello sort:created-asc is:issue"`},
	} {
		if _, err := d.Search(context.Background(), test.req); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		requests := d.github.Requests()
		if sent := string(requests[len(requests)-1].Variables); !strings.Contains(sent, `"query":`+test.sent) {
			t.Errorf("%s: sent %s, want %s", name, sent, test.sent)
		}
	}
	for name, test := range map[string]struct {
		req  issue.SearchRequest
		code fault.Code
		word string
	}{
		"two scopes":     {issue.SearchRequest{Query: "x repo:a/b", Repo: ptr("hello")}, fault.AmbiguousArguments, "repo"},
		"nothing":        {issue.SearchRequest{Query: " "}, fault.InvalidArguments, "query"},
		"another cursor": {issue.SearchRequest{Query: "x", Cursor: "AAAA"}, fault.InvalidArguments, "cursor"},
	} {
		_, err := d.Search(context.Background(), test.req)
		t.Run(name, func(*testing.T) { d.expectRefusal(err, 0, test.code, test.word) })
	}
}

// TestSearchEndsAtAThousand, and says so; deleted accounts are ghosts.
func TestSearchEndsAtAThousand(t *testing.T) {
	d := openOn(t, made(1010, func(i *fixtures.Issue) { i.Author = "" }))
	pages := d.searchAll(issue.SearchRequest{Query: "Issue", Limit: 100}, budget)
	first := pages[0]
	if !first.Incomplete || len(first.Warnings) != 1 || *first.TotalCount != 1010 || len(found(pages)) != 1000 {
		t.Errorf("%d pages, %d hits, incomplete %v, warnings %q", len(pages), len(found(pages)), first.Incomplete, first.Warnings)
	}
	if hit := first.Results[0]; hit.Author.Login != "ghost" || hit.Repository != "octo-org/hello" {
		t.Errorf("hit %s", show(hit))
	}
}
