package discussion

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// nodeID is the node id of a comment in any spelling; "" when the spelling
// itself shows that the comment is not in this discussion. Where GitHub's ids
// cannot be built from numbers, the number is looked for in the discussion.
func (s *source) nodeID(ctx context.Context, id ref.Comment) (string, error) {
	if id.Type != "" && id.Type != ref.DiscussionComment || id.Thread != nil && !s.isThread(*id.Thread) {
		return "", nil
	}
	nodeID, err := s.service.opts.Resolver.NodeID(ctx, s.repo, ref.DiscussionComment, id)
	if err != nil || nodeID != "" {
		return nodeID, err
	}
	return s.scanFor(ctx, id.DatabaseID)
}

// isThread reports whether a URL's thread is this discussion. The URL of an
// organization's discussion does not name the repository.
func (s *source) isThread(thread ref.Thread) bool {
	if thread.Kind != ref.Discussion || thread.Number != s.number {
		return false
	}
	if thread.Repo.Name == "" {
		thread.Repo.Name = s.repo.Name
	}
	return thread.Repo.Equal(s.repo)
}

// scanFor looks a comment's number up in the discussion; "" when it is not
// there.
func (s *source) scanFor(ctx context.Context, number int64) (_ string, err error) {
	defer fault.Wrap(&err, "looking for comment %d", number)
	pages := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[wireNumbered], error) {
		return s.numberedPage(ctx, after)
	})
	for comment, err := range pages {
		if err != nil {
			return "", err
		}
		if id := comment.find(number); id != "" {
			return id, nil
		}
	}
	return "", nil
}

// wireNumbered is a comment with the numbers of itself and its replies.
type wireNumbered struct {
	ID         string
	DatabaseID int64 `graphql:"databaseId"`
	Replies    struct {
		Nodes []struct {
			ID         string
			DatabaseID int64 `graphql:"databaseId"`
		}
	} `graphql:"replies(last: 100)"`
}

func (w wireNumbered) find(number int64) string {
	if ref.NumberOf(w.DatabaseID, w.ID) == number {
		return w.ID
	}
	for _, reply := range w.Replies.Nodes {
		if ref.NumberOf(reply.DatabaseID, reply.ID) == number {
			return reply.ID
		}
	}
	return ""
}

func (s *source) numberedPage(ctx context.Context, after *githubv4.String) (graphql.Page[wireNumbered], error) {
	var query struct {
		wireRepository[struct {
			wireHead
			Comments struct {
				PageInfo wirePageInfo
				Nodes    []wireNumbered
			} `graphql:"comments(first: $first, after: $after)"`
		}]
	}
	return shrinking(ctx, maxPage, func(n int) (graphql.Page[wireNumbered], error) {
		notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionNumbers", &query, s.variables(map[string]any{
			"first": githubv4.Int(n), "after": after,
		}))
		if err != nil {
			return graphql.Page[wireNumbered]{}, err
		}
		discussion, err := accept(s, notes, query.wireRepository)
		if err != nil {
			return graphql.Page[wireNumbered]{}, err
		}
		info := discussion.Comments.PageInfo
		return graphql.Page[wireNumbered]{
			Nodes: discussion.Comments.Nodes, Cursor: githubv4.String(info.EndCursor), More: info.HasNextPage,
		}, nil
	})
}

// is reports whether what came back is the comment that was asked for, and in
// this discussion.
func (w wireOne) is(asked ref.Comment, discussionID string) bool {
	return w.ID != "" && w.Discussion.ID == discussionID && isNumber(asked, ref.NumberOf(w.DatabaseID, w.ID))
}

func (w wireAnchor) is(asked ref.Comment, discussionID string) bool {
	return w.ID != "" && w.Discussion.ID == discussionID && isNumber(asked, ref.NumberOf(w.DatabaseID, w.ID))
}

// isNumber holds a number that was asked for against the one that came back.
// A node id speaks for itself.
func isNumber(asked ref.Comment, got int64) bool {
	return asked.NodeID != "" || asked.DatabaseID == got
}
