package discussion

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// nodeID is the node id of a comment in any spelling; "" when the spelling
// itself shows that the comment is not in this discussion.
//
// GitHub has no way to ask for a comment by its number. But its node ids carry
// the repository's number and the comment's, so the id is built, asked for,
// and what comes back is verified. Where GitHub's ids are not of that form,
// the number is looked for in the discussion.
func (s *source) nodeID(ctx context.Context, id ref.Comment) (string, error) {
	if id.Type != "" && id.Type != ref.DiscussionComment || id.Thread != nil && !s.isThread(*id.Thread) {
		return "", nil
	}
	if id.NodeID != "" {
		return id.NodeID, nil
	}
	repoID := s.service.repos.of(s.repo)
	if repoID == 0 {
		var err error
		if repoID, err = s.askRepositoryID(ctx); err != nil {
			return "", err
		}
	}
	if repoID == 0 && s.number != 0 {
		return s.scanFor(ctx, id.DatabaseID)
	}
	return ref.EncodeNodeID(ref.PrefixDiscussionComment, repoID, id.DatabaseID), nil
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

// askRepositoryID asks for the repository's number, once per repository. It is
// 0 where an id of the repository shows that ids are not built from numbers.
func (s *source) askRepositoryID(ctx context.Context) (int64, error) {
	var query struct {
		Repository *struct {
			DatabaseID int64                `graphql:"databaseId"`
			Discussion *struct{ ID string } `graphql:"discussion: discussion(number: $number) @include(if: $known)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	variables := s.variables(map[string]any{"known": githubv4.Boolean(s.number != 0)})
	delete(variables, "root")
	notes, err := s.service.opts.GraphQL.Query(ctx, "RepositoryNumber", &query, variables)
	switch {
	case err != nil:
		return 0, err
	case query.Repository == nil:
		return 0, notes.Fault("repository", invisible(s.repo))
	case s.number != 0 && query.Repository.Discussion == nil:
		return 0, notes.Fault("repository.discussion", missing(s.repo, s.number))
	}
	number := query.Repository.DatabaseID
	if query.Repository.Discussion != nil {
		if own, ok := ref.DecodeNodeID(query.Repository.Discussion.ID); !ok || !own.Legacy && own.RepoID != number {
			return 0, nil
		}
	}
	s.service.repos.learn(s.repo, number)
	return number, nil
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
	if w.DatabaseID == number {
		return w.ID
	}
	for _, reply := range w.Replies.Nodes {
		if reply.DatabaseID == number {
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
	return w.ID != "" && w.Discussion.ID == discussionID && isNumber(asked, w.DatabaseID)
}

func (w wireAnchor) is(asked ref.Comment, discussionID string) bool {
	return w.ID != "" && w.Discussion.ID == discussionID && isNumber(asked, w.DatabaseID)
}

// isNumber holds a number that was asked for against the one that came back.
// A node id speaks for itself.
func isNumber(asked ref.Comment, got int64) bool {
	return asked.NodeID != "" || asked.DatabaseID == got
}
