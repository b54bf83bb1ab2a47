package sandbox

import (
	"context"

	graphql "github.com/graph-gophers/graphql-go"
)

// connection is a page of N in the shape GitHub gives every list.
type connection[N any] struct {
	items []N
	keys  []string // the items' cursors
	window
}

// edge is one item with its cursor.
type edge[N any] struct {
	Cursor string
	Node   N
}

// pageInfo is GitHub's type of that name.
type pageInfo struct {
	EndCursor, StartCursor       *string
	HasNextPage, HasPreviousPage bool
}

func (c *connection[N]) Nodes() *[]N { return &c.items }

func (c *connection[N]) Edges() *[]*edge[N] {
	edges := make([]*edge[N], len(c.items))
	for i, item := range c.items {
		edges[i] = &edge[N]{Cursor: c.keys[i], Node: item}
	}
	return &edges
}

func (c *connection[N]) PageInfo() *pageInfo {
	info := &pageInfo{HasPreviousPage: c.from > 0, HasNextPage: c.to < c.total}
	if len(c.keys) > 0 {
		info.StartCursor, info.EndCursor = &c.keys[0], &c.keys[len(c.keys)-1]
	}
	return info
}

func (c *connection[N]) TotalCount() int32 { return int32(c.total) }

// ordering says how the things of a connection are sorted.
type ordering[T any] struct {
	key  func(T) sortKey
	desc bool
}

func (o ordering[T]) compare(a, b sortKey) int {
	if o.desc {
		return b.compare(a)
	}
	return a.compare(b)
}

// paginate cuts a page out of sorted things and makes resolvers of it.
func paginate[T, N any](ctx context.Context, name string, args pageArgs, sorted []T, order ordering[T], resolve func(T) N) (*connection[N], error) {
	if err := args.check(name, selectsItems(ctx)); err != nil {
		return nil, err
	}
	page, err := args.window(len(sorted), func(i int, key sortKey) int { return order.compare(order.key(sorted[i]), key) })
	if err != nil {
		return nil, err
	}
	c := &connection[N]{window: page}
	for _, thing := range sorted[page.from:page.to] {
		c.items = append(c.items, resolve(thing))
		c.keys = append(c.keys, order.key(thing).cursor())
	}
	return c, nil
}

// selectsItems reports whether the field being resolved asks for more of a
// connection than its counts.
func selectsItems(ctx context.Context) bool {
	for _, name := range []string{"nodes", "edges", "pageInfo"} {
		if graphql.HasSelectedField(ctx, name) {
			return true
		}
	}
	return false
}
