package resolve

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

const maxPage = 100 // the most GitHub gives at once

// Find is the node id of a comment in any spelling, like NodeID; where this
// GitHub's ids are not built from numbers, a comment's number is looked for in
// the thread. It is "" when it is not there.
func (r *Resolver) Find(ctx context.Context, in ref.Thread, kind ref.CommentType, id ref.Comment) (_ string, err error) {
	defer fault.Wrap(&err, "finding comment %s", id)
	nodeID, err := r.NodeID(ctx, in.Repo, kind, id)
	if err != nil || nodeID != "" || in.Number == 0 {
		return nodeID, err
	}
	return r.scan(ctx, in, kind, id.DatabaseID)
}

// FindElse is for a comment whose built id was not there: sample, the id of any
// comment of the thread, may show that ids are not built from numbers. Then the
// number is looked for, and the comment is named by the id that it has; ok is
// false when there is nothing else to ask for.
func (r *Resolver) FindElse(ctx context.Context, in ref.Thread, kind ref.CommentType, id ref.Comment, built, sample string) (_ ref.Comment, ok bool, err error) {
	if id.NodeID != "" || sample == "" {
		return id, false, nil
	}
	r.LearnFrom(in.Repo, sample)
	nodeID, err := r.Find(ctx, in, kind, id)
	if err != nil || nodeID == "" || nodeID == built {
		return id, false, err
	}
	id.NodeID = nodeID
	return id, true, nil
}

// scan looks for a comment's number in its thread. It stops at the first
// comment whose id shows that ids are built from numbers here: then the one
// that was built is the only one there can be.
func (r *Resolver) scan(ctx context.Context, in ref.Thread, kind ref.CommentType, number int64) (string, error) {
	page := r.numberedPage
	switch {
	case kind == ref.DiscussionComment && in.Kind == ref.Discussion:
	case kind == ref.IssueComment && in.Kind != ref.Discussion:
		page = r.numberedIssuePage
	default:
		return "", nil
	}
	pages := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[wireNumbered], error) {
		return page(ctx, in, after)
	})
	for comment, err := range pages {
		if err != nil {
			return "", err
		}
		if nodeID := comment.find(number); nodeID != "" {
			return nodeID, nil
		}
		r.LearnFrom(in.Repo, comment.ID)
		if known, _ := r.numbers.Load(key(in.Repo)); known != nil && known != int64(0) {
			return "", nil
		}
	}
	return "", nil
}

// wireNumbered is a comment with the numbers of itself and its replies.
type wireNumbered struct {
	wireNumber
	Replies struct{ Nodes []wireNumber } `graphql:"replies(last: 100)"`
}

type wireNumber struct {
	ID         string
	DatabaseID int64 `graphql:"databaseId"`
}

func (w wireNumbered) find(number int64) string {
	for _, comment := range append(w.Replies.Nodes, w.wireNumber) {
		if ref.NumberOf(comment.DatabaseID, comment.ID) == number {
			return comment.ID
		}
	}
	return ""
}

func (r *Resolver) numberedPage(ctx context.Context, in ref.Thread, after *githubv4.String) (page graphql.Page[wireNumbered], err error) {
	var query struct {
		Repository *struct {
			Discussion *struct {
				Comments struct {
					PageInfo struct {
						HasNextPage bool
						EndCursor   githubv4.String
					}
					Nodes []wireNumbered
				} `graphql:"comments(first: $first, after: $after)"`
			} `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	err = graphql.Shrink(ctx, maxPage, func(n int) error {
		notes, err := r.gh.Query(ctx, "DiscussionNumbers", &query, map[string]any{
			"owner": githubv4.String(in.Repo.Owner), "name": githubv4.String(in.Repo.Name), "number": githubv4.Int(in.Number),
			"first": githubv4.Int(n), "after": after,
		})
		switch {
		case err != nil:
			return err
		case query.Repository == nil:
			return notes.Fault("repository", NoRepository(in.Repo))
		case query.Repository.Discussion == nil:
			return notes.Fault("repository.discussion", fault.New(fault.NotFound, "%s has no discussion #%d", in.Repo, in.Number))
		}
		comments := query.Repository.Discussion.Comments
		page = graphql.Page[wireNumbered]{Nodes: comments.Nodes, Cursor: comments.PageInfo.EndCursor, More: comments.PageInfo.HasNextPage}
		return nil
	})
	return page, err
}

// wireNumberedIssue are the comments of an issue or a pull request. Their
// databaseId is null above 2^31; the number that is not is a text, and what
// cannot be told by the id has to be told by that.
type wireNumberedIssue struct {
	Comments struct {
		PageInfo struct {
			HasNextPage bool
			EndCursor   githubv4.String
		}
		Nodes []struct {
			ID     string
			Number graphql.BigInt `graphql:"fullDatabaseId"`
		}
	} `graphql:"comments(first: $first, after: $after)"`
}

func (r *Resolver) numberedIssuePage(ctx context.Context, in ref.Thread, after *githubv4.String) (page graphql.Page[wireNumbered], err error) {
	var query struct {
		Repository *struct {
			Thread *struct {
				Issue wireNumberedIssue `graphql:"... on Issue"`
				Pull  wireNumberedIssue `graphql:"... on PullRequest"`
			} `graphql:"issueOrPullRequest(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	err = graphql.Shrink(ctx, maxPage, func(n int) error {
		notes, err := r.gh.Query(ctx, "CommentNumbers", &query, map[string]any{
			"owner": githubv4.String(in.Repo.Owner), "name": githubv4.String(in.Repo.Name), "number": githubv4.Int(in.Number),
			"first": githubv4.Int(n), "after": after,
		})
		switch {
		case err != nil:
			return err
		case query.Repository == nil:
			return notes.Fault("repository", NoRepository(in.Repo))
		case query.Repository.Thread == nil:
			return notes.Fault("repository.issueOrPullRequest", fault.New(fault.NotFound, "%s has no issue or pull request #%d", in.Repo, in.Number).
				WithFix("list_issues and list_pull_requests show the numbers."))
		}
		comments := query.Repository.Thread.Issue.Comments
		page = graphql.Page[wireNumbered]{Cursor: comments.PageInfo.EndCursor, More: comments.PageInfo.HasNextPage}
		for _, comment := range comments.Nodes {
			page.Nodes = append(page.Nodes, wireNumbered{wireNumber: wireNumber{ID: comment.ID, DatabaseID: int64(comment.Number)}})
		}
		return nil
	})
	return page, err
}
