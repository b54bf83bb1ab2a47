package graphql

import (
	"context"
	"iter"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Page is one page of a connection, in the direction it is walked.
type Page[T any] struct {
	Nodes []T
	// Cursor continues after the page: endCursor walking forward, startCursor
	// walking backward.
	Cursor githubv4.String
	// More says that there is a further page.
	More bool
}

// maxPages bounds a walk: 100 nodes a page make 100,000 nodes.
const maxPages = 1000

// Nodes walks a connection to its end. fetch gets nil for the first page, then
// the cursor of the page before. The first error ends the walk; a connection
// that does not advance or has no end is an UPSTREAM_ERROR.
func Nodes[T any](ctx context.Context, fetch func(ctx context.Context, after *githubv4.String) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var after *githubv4.String
		for range maxPages {
			page, err := fetch(ctx, after)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, node := range page.Nodes {
				if !yield(node, nil) {
					return
				}
			}
			if !page.More {
				return
			}
			if page.Cursor == "" || after != nil && *after == page.Cursor {
				yield(*new(T), fault.New(fault.UpstreamError, "GitHub's pages do not advance"))
				return
			}
			after = &page.Cursor
		}
		yield(*new(T), fault.New(fault.UpstreamError, "GitHub's pages do not end: %d pages and more to come", maxPages))
	}
}

// Shrink calls f with size, and with half of it again and again as long as
// GitHub finds the answer TooBig, down to 1.
func Shrink(ctx context.Context, size int, f func(size int) error) error {
	for size = max(1, size); ; size /= 2 {
		err := f(size)
		if !TooBig(err) || size == 1 || ctx.Err() != nil {
			return err
		}
	}
}
