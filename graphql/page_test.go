package graphql_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
)

// pagesOf serves the numbers below total by pages of size, with the next
// number as cursor, and counts the pages.
func pagesOf(total, size int, fetched *int) func(context.Context, *githubv4.String) (graphql.Page[int], error) {
	return func(_ context.Context, after *githubv4.String) (graphql.Page[int], error) {
		*fetched++
		start := 0
		if after != nil {
			start, _ = strconv.Atoi(string(*after))
		}
		var page graphql.Page[int]
		for i := start; i < min(start+size, total); i++ {
			page.Nodes = append(page.Nodes, i)
		}
		page.Cursor, page.More = githubv4.String(strconv.Itoa(start+size)), start+size < total
		return page, nil
	}
}

func TestNodesWalksAllPages(t *testing.T) {
	tests := []struct{ total, size, pages int }{{0, 100, 1}, {1, 100, 1}, {100, 100, 1}, {101, 100, 2}, {250, 100, 3}}
	for _, tt := range tests {
		fetched, next := 0, 0
		for n, err := range graphql.Nodes(t.Context(), pagesOf(tt.total, tt.size, &fetched)) {
			if err != nil || n != next {
				t.Fatalf("%+v: got %d, %v; want %d", tt, n, err, next)
			}
			next++
		}
		if next != tt.total || fetched != tt.pages {
			t.Errorf("%+v: %d nodes in %d pages", tt, next, fetched)
		}
	}
}

func TestNodesStopsWithTheCaller(t *testing.T) {
	fetched := 0
	for n, err := range graphql.Nodes(t.Context(), pagesOf(1000, 10, &fetched)) {
		if err != nil {
			t.Fatal(err)
		}
		if n == 12 {
			break
		}
	}
	if fetched != 2 {
		t.Errorf("%d pages fetched, want 2", fetched)
	}
}

func TestNodesEndsOnTrouble(t *testing.T) {
	failed := fault.New(fault.Forbidden, "no")
	tests := []struct {
		name  string
		fetch func(n int) (graphql.Page[int], error)
		nodes int
		code  fault.Code
	}{
		{"an error on a later page", func(n int) (graphql.Page[int], error) {
			if n == 1 {
				return graphql.Page[int]{}, failed
			}
			return graphql.Page[int]{Nodes: []int{1}, Cursor: "c", More: true}, nil
		}, 1, fault.Forbidden},
		{"the same cursor again", func(int) (graphql.Page[int], error) {
			return graphql.Page[int]{Nodes: []int{1}, Cursor: "c", More: true}, nil
		}, 2, fault.UpstreamError},
		{"no cursor", func(int) (graphql.Page[int], error) {
			return graphql.Page[int]{Nodes: []int{1}, More: true}, nil
		}, 1, fault.UpstreamError},
		{"no end", func(n int) (graphql.Page[int], error) {
			return graphql.Page[int]{Nodes: []int{1}, Cursor: githubv4.String(strconv.Itoa(n)), More: true}, nil
		}, 1000, fault.UpstreamError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls, nodes := 0, 0
			var last error
			for _, err := range graphql.Nodes(t.Context(), func(context.Context, *githubv4.String) (graphql.Page[int], error) {
				calls++
				return tt.fetch(calls - 1)
			}) {
				if last = err; err == nil {
					nodes++
				}
			}
			if !fault.Is(last, tt.code) || nodes != tt.nodes {
				t.Errorf("%d nodes, then %v; want %d, then %s", nodes, last, tt.nodes, tt.code)
			}
		})
	}
}

func TestShrink(t *testing.T) {
	const tooBig = `{"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED","message":"Resource limits for this query exceeded."}]}`
	tests := []struct {
		name   string
		size   int
		answer func(n int) string
		sizes  []int
		err    bool
	}{
		{"fits at once", 100, func(int) string { return `{"data":{"x":1}}` }, []int{100}, false},
		{"fits at a quarter", 100, func(n int) string {
			if n < 3 {
				return tooBig
			}
			return `{"data":{"x":1}}`
		}, []int{100, 50, 25}, false},
		{"never fits", 5, func(int) string { return tooBig }, []int{5, 2, 1}, true},
		{"another error", 100, func(int) string { return `{"errors":[{"type":"FORBIDDEN","message":"no"}]}` }, []int{100}, true},
		{"no size", 0, func(int) string { return tooBig }, []int{1}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			g := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked++
				io.WriteString(w, tt.answer(asked))
			})
			var sizes []int
			err := graphql.Shrink(t.Context(), tt.size, func(size int) error {
				sizes = append(sizes, size)
				var q struct{ X int }
				_, err := g.client.Query(t.Context(), "x", &q, nil)
				return err
			})
			if diff := cmp.Diff(tt.sizes, sizes); diff != "" || (err != nil) != tt.err {
				t.Errorf("err = %v, sizes (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestShrinkEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := serve(t, text(`{"errors":[{"type":"MAX_NODE_LIMIT_EXCEEDED","message":"no"}]}`))
	calls := 0
	err := graphql.Shrink(ctx, 100, func(int) error {
		calls++
		var q struct{ X int }
		_, err := g.client.Query(ctx, "x", &q, nil)
		cancel()
		return err
	})
	if !graphql.TooBig(err) || calls != 1 {
		t.Errorf("%d calls, %v; want 1", calls, err)
	}
}

func TestAQueryThatTimesOutAtTheGatewayIsTooBig(t *testing.T) {
	g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, `{"data":null,"errors":[{"message":"Something went wrong while executing your query. This may be the result of a timeout."}]}`)
	})
	var q struct{ X int }
	_, err := g.client.Query(t.Context(), "x", &q, nil)
	if !graphql.TooBig(err) || !fault.Is(err, fault.UpstreamTimeout) || len(g.bodies) != 1 {
		t.Errorf("%v after %d requests", err, len(g.bodies))
	}
}

func TestUnder(t *testing.T) {
	note := func(path ...any) graphql.ResponseError { return graphql.ResponseError{Message: "m", Path: path} }
	notes := graphql.Notes{note("repository"), note("repository", "issue"), note("repository", "issue", "comments", 3.0, "author"), note("repository", "issues"), note()}
	for path, want := range map[string]int{"": 5, "repository": 4, "repository.issue": 2, "repository.issue.comments.3": 1, "viewer": 0} {
		if got := len(notes.Under(path)); got != want {
			t.Errorf("Under(%q): %d notes, want %d", path, got, want)
		}
		if got := len(notes.Outside(path)); got != len(notes)-want {
			t.Errorf("Outside(%q): %d notes, want the other %d", path, got, len(notes)-want)
		}
	}
}

func TestWarningsAreFew(t *testing.T) {
	var notes graphql.Notes
	for i := range 30 {
		notes = append(notes, graphql.ResponseError{Message: fmt.Sprint("note ", i)})
	}
	got := notes.Warnings()
	if len(got) != 11 || got[0] != "note 0" || got[10] != "and 20 more" {
		t.Errorf("warnings: %q", got)
	}
	if got := graphql.Notes(nil).Warnings(); len(got) != 0 {
		t.Errorf("warnings of nothing: %q", got)
	}
}

func TestWarningsThatDifferInTheirPlaceOnlyAreOne(t *testing.T) {
	hidden := func(message string, path ...any) graphql.ResponseError {
		return graphql.ResponseError{Message: message, Path: path}
	}
	notes := graphql.Notes{
		hidden("no", "repository", "issues", "nodes", 0.0, "author"), hidden("no", "repository", "issues", "nodes", 2.0, "author"),
		hidden("no", "repository", "issues", "nodes", 2.0, "author"), // the same once more
		hidden("no", "repository", "issues", "nodes", 2.0, "milestone"),
		hidden("never", "repository", "issues", "nodes", 0.0, "author"), hidden("never"), hidden("never"),
	}
	want := []string{
		"no (2 times at repository.issues.nodes.*.author)", "no (at repository.issues.nodes.2.milestone)",
		"never (at repository.issues.nodes.0.author)", "never",
	}
	if diff := cmp.Diff(want, notes.Warnings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A client without package transport below still tells writes from reads.
func TestWithoutTheChain(t *testing.T) {
	broken := roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF })
	client := graphql.New(graphql.Options{URL: "http://127.0.0.1:1/", HTTP: &http.Client{Transport: broken}})
	var q struct{ X int }
	if _, err := client.Query(t.Context(), "x", &q, nil); !fault.Is(err, fault.UpstreamError) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("query: %v", err)
	}
	if _, err := client.Mutate(t.Context(), "x", &q, commentInput(), nil); !fault.Is(err, fault.OutcomeUnknown) {
		t.Errorf("mutation: %v", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
