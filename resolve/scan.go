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

// FindElse is for a comment whose built id was not there: sample, any comment of
// the repository, may show that ids are not built from numbers. Then the number
// is looked for, and the comment is named by the id that it has; ok is false
// when there is nothing else to ask for.
func (r *Resolver) FindElse(ctx context.Context, in ref.Thread, kind ref.CommentType, id ref.Comment, built string, sample Sample) (_ ref.Comment, ok bool, err error) {
	if id.NodeID != "" || sample.ID == "" {
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

// numberedPage reads a page of a thread's comments of one type.
type numberedPage func(ctx context.Context, in ref.Thread, after *githubv4.String) (graphql.Page[Sample], error)

// scan looks for a comment's number in its thread. It stops at the first
// comment whose id shows that ids are built from numbers here: then the one
// that was built is the only one there can be.
func (r *Resolver) scan(ctx context.Context, in ref.Thread, kind ref.CommentType, number int64) (string, error) {
	read := map[ref.CommentType]numberedPage{
		ref.DiscussionComment: r.discussionPage, ref.IssueComment: r.issuePage,
		ref.PullRequestReview: r.reviewPage, ref.PullRequestReviewComment: r.inlinePage,
	}[kind]
	if read == nil || (kind == ref.DiscussionComment) != (in.Kind == ref.Discussion) {
		return "", nil
	}
	pages := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[Sample], error) {
		return read(ctx, in, after)
	})
	for comment, err := range pages {
		if err != nil {
			return "", err
		}
		if comment.number() == number {
			return comment.ID, nil
		}
		r.LearnFrom(in.Repo, comment)
		if known, _ := r.numbers.Load(key(in.Repo)); known != nil && known != int64(0) {
			return "", nil
		}
	}
	return "", nil
}

func (s Sample) number() int64 { return ref.NumberOf(s.Number, s.ID) }
