package discussion

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// wireAnchor is the comment after which to read.
type wireAnchor struct {
	wireStub
	DatabaseID int64     `graphql:"databaseId"`
	ReplyTo    *wireStub `graphql:"replyTo"`
	Discussion struct{ ID string }
}

func (w wireAnchor) anchor() *thread.Anchor {
	anchor := &thread.Anchor{Stub: w.stub()}
	if w.ReplyTo != nil {
		parent := w.ReplyTo.stub()
		anchor.Parent, anchor.Key = &parent, w.key(thread.KindReply)
	}
	anchor.Key.Number = ref.NumberOf(w.DatabaseID, w.ID)
	return anchor
}

// Since asks, in one request, for the anchor, the newest bodies and the newest
// hundred stubs.
func (s *source) Since(ctx context.Context, id ref.Comment) (_ thread.Since, err error) {
	defer fault.Wrap(&err, "since %s", id)
	nodeID, err := s.nodeID(ctx, id)
	if err != nil {
		return thread.Since{}, err
	}
	if nodeID == "" {
		page, err := s.overview(ctx, thread.PageWant{})
		return thread.Since{Total: page.Total, Tail: thread.StubPage{Stubs: page.Newest}}, err
	}
	var query struct {
		wireRepository[struct {
			wireHead
			Newest struct{ Nodes []wireTop } `graphql:"newest: comments(last: 5)"`
			Tail   wireStubs                 `graphql:"tail: comments(last: 100)"`
		}]
		Anchor *struct {
			Comment wireAnchor `graphql:"... on DiscussionComment"`
		} `graphql:"anchor: node(id: $id)"`
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionSince", &query, s.variables(map[string]any{
		"id": graphql.ID(nodeID), "replies": githubv4.Int(newestReplies),
	}))
	if err != nil {
		return thread.Since{}, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return thread.Since{}, err
	}
	since := thread.Since{Total: discussion.Tail.TotalCount, Newest: tops(discussion.Newest.Nodes, newestReplies), Tail: discussion.Tail.page()}
	if query.Anchor != nil && query.Anchor.Comment.is(id, discussion.ID) {
		since.Anchor = query.Anchor.Comment.anchor()
		return since, nil
	}
	other, ok, err := s.findElse(ctx, id, nodeID, since.Tail.Stubs)
	if err != nil || !ok {
		return since, err
	}
	return s.Since(ctx, other)
}

// wireSearched are comments by id, time and cursor.
type wireSearched struct {
	PageInfo wirePageInfo
	Edges    []struct {
		Cursor string   `graphql:"c: cursor"`
		Node   wireMark `graphql:"n: node"`
	} `graphql:"e: edges"`
}

func (w wireSearched) page() thread.StubPage {
	page := thread.StubPage{
		Start: w.PageInfo.StartCursor, End: w.PageInfo.EndCursor,
		HasBefore: w.PageInfo.HasPreviousPage, HasMore: w.PageInfo.HasNextPage,
	}
	for _, edge := range w.Edges {
		page.Stubs = append(page.Stubs, thread.Stub{
			ID: edge.Node.ID, Key: edge.Node.key(thread.KindComment), Cursor: edge.Cursor,
		})
	}
	return page
}

// Search reads stubs from both ends in one request.
func (s *source) Search(ctx context.Context, after, before string) (front, back thread.StubPage, err error) {
	defer fault.Wrap(&err, "search")
	var query struct {
		wireRepository[struct {
			wireHead
			Front wireSearched `graphql:"front: comments(first: 100, after: $after)"`
			Back  wireSearched `graphql:"back: comments(last: 100, before: $before)"`
		}]
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionSearch", &query, s.variables(map[string]any{
		"after": cursor(after), "before": cursor(before),
	}))
	if err != nil {
		return front, back, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return front, back, err
	}
	return discussion.Front.page(), discussion.Back.page(), nil
}

// Fetch asks for comments and replies by id, and for older stubs. One request
// does it, unless GitHub finds it too big.
func (s *source) Fetch(ctx context.Context, want thread.Want) (got thread.Got, err error) {
	defer fault.Wrap(&err, "fetch")
	size := max(len(want.Comments), len(want.RepliesOf), 1)
	for start := 0; ; {
		part := want
		n, err := shrinking(ctx, size, func(n int) (int, error) {
			part.Comments = window(want.Comments, start, n)
			part.RepliesOf = window(want.RepliesOf, start, n)
			answer, err := s.fetchOnce(ctx, part)
			if err == nil {
				got.Comments = append(got.Comments, answer.Comments...)
				got.Replies = append(got.Replies, answer.Replies...)
				if part.Older > 0 {
					got.Older = answer.Older
				}
			}
			return n, err
		})
		if err != nil {
			return thread.Got{}, err
		}
		size, start, want.Older = n, start+n, 0
		if start >= len(want.Comments) && start >= len(want.RepliesOf) {
			return got, nil
		}
	}
}

func window(values []string, start, n int) []string {
	start = min(start, len(values))
	return values[start:min(start+n, len(values))]
}

func (s *source) fetchOnce(ctx context.Context, want thread.Want) (thread.Got, error) {
	var query struct {
		Comments []struct {
			Comment wireTop `graphql:"... on DiscussionComment"`
		} `graphql:"comments: nodes(ids: $comments) @include(if: $wantComments)"`
		Parents []struct {
			Parent struct {
				ID      string
				Replies struct {
					TotalCount int
					Nodes      []wireComment
				} `graphql:"replies(last: $newReplies)"`
			} `graphql:"... on DiscussionComment"`
		} `graphql:"parents: nodes(ids: $repliesOf) @include(if: $wantReplies)"`
		Repository *struct {
			Discussion *wireOlder `graphql:"discussion(number: $number)"`
		} `graphql:"repository: repository(owner: $owner, name: $name) @include(if: $wantOlder)"`
	}
	variables := s.variables(map[string]any{
		"comments": ids(want.Comments), "wantComments": githubv4.Boolean(len(want.Comments) > 0),
		"replies":   githubv4.Int(maxPage),
		"repliesOf": ids(want.RepliesOf), "wantReplies": githubv4.Boolean(len(want.RepliesOf) > 0),
		"newReplies": githubv4.Int(max(1, want.Replies)),
		"older":      githubv4.Int(max(1, want.Older)), "olderBefore": cursor(want.OlderBefore),
		"wantOlder": githubv4.Boolean(want.Older > 0),
	})
	delete(variables, "root")
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionMissing", &query, variables)
	if err != nil {
		return thread.Got{}, err
	}
	if want.Older > 0 && (query.Repository == nil || query.Repository.Discussion == nil) {
		return thread.Got{}, notes.Fault("repository", missing(s.repo, s.number))
	}
	var got thread.Got
	for _, node := range query.Comments {
		got.Comments = append(got.Comments, tops([]wireTop{node.Comment}, maxPage)...)
	}
	for _, node := range query.Parents {
		if node.Parent.ID != "" {
			got.Replies = append(got.Replies, thread.NewestReplies{
				ParentID: node.Parent.ID, TotalCount: node.Parent.Replies.TotalCount, Nodes: comments(node.Parent.Replies.Nodes),
				AllHere: len(node.Parent.Replies.Nodes) < max(1, want.Replies),
			})
		}
	}
	if want.Older > 0 {
		got.Older = query.Repository.Discussion.older()
	}
	return got, nil
}

// MoreReplies reads the first n replies under a comment.
func (s *source) MoreReplies(ctx context.Context, commentID string, n int) (_ []thread.Comment, err error) {
	defer fault.Wrap(&err, "replies of %s", commentID)
	var all []thread.Comment
	replies := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[wireComment], error) {
		return shrinking(ctx, min(maxPage, max(1, n-len(all))), func(n int) (graphql.Page[wireComment], error) {
			return s.repliesPage(ctx, commentID, n, after)
		})
	})
	for reply, err := range replies {
		if err != nil {
			return nil, err
		}
		if all = append(all, reply.comment()); len(all) >= n {
			break
		}
	}
	return all, nil
}

func (s *source) repliesPage(ctx context.Context, commentID string, n int, after *githubv4.String) (graphql.Page[wireComment], error) {
	var query struct {
		Node *struct {
			Comment struct {
				Replies struct {
					PageInfo wirePageInfo
					Nodes    []wireComment
				} `graphql:"replies(first: $first, after: $after)"`
			} `graphql:"... on DiscussionComment"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionReplies", &query, map[string]any{
		"id": graphql.ID(commentID), "first": githubv4.Int(n), "after": after,
	})
	if err != nil {
		return graphql.Page[wireComment]{}, err
	}
	if query.Node == nil { // deleted meanwhile
		return graphql.Page[wireComment]{}, notes.Under("node").Fault("node", nil)
	}
	replies := query.Node.Comment.Replies
	return graphql.Page[wireComment]{
		Nodes: replies.Nodes, Cursor: githubv4.String(replies.PageInfo.EndCursor), More: replies.PageInfo.HasNextPage,
	}, nil
}
