package discussion

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// place is where a comment is, or is going to be.
type place struct {
	Repo         ref.Repo
	Number       int
	DiscussionID string
	Locked       bool
	CommentID    string // the comment itself, of an edit
	ReplyToID    string // the comment it replies to

	// What is newest before the write: only what stands behind it can be the
	// write's doing.
	LastComment thread.Key
	LastReply   thread.Key // under the comment to reply to
}

// wirePlace is a discussion as a write has to know it.
type wirePlace struct {
	ID       string
	Number   int
	Locked   bool
	Comments struct {
		Nodes []wireMark `graphql:"n: nodes"`
	} `graphql:"newest: comments(last: 1)"`
}

// placeFor finds the discussion, and the comment to reply under.
func (s *Service) placeFor(ctx context.Context, repo ref.Repo, req CommentRequest) (place, error) {
	if req.ReplyToID != nil {
		parent, err := s.locate(ctx, repo, req.DiscussionNumber, "reply_to_id", *req.ReplyToID)
		if err != nil {
			return place{}, err
		}
		if parent.ReplyToID != "" {
			return place{}, fault.New(fault.InvalidArguments, "reply_to_id names a reply; GitHub has no replies to replies").
				WithFix("Reply under the comment itself: reply_to_id %q.", parent.ReplyToID).
				With("argument", "reply_to_id").With("replyToId", parent.ReplyToID)
		}
		parent.ReplyToID, parent.CommentID = parent.CommentID, ""
		return parent, nil
	}
	if req.DiscussionNumber == 0 {
		return place{}, fault.New(fault.MissingArguments, "action create needs discussion_number").
			WithFix("Pass discussion_number, or reply_to_id to reply under a comment.").With("argument", "discussion_number")
	}
	var query struct {
		Repository *struct {
			Discussion *wirePlace `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "DiscussionPlace", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "number": githubv4.Int(req.DiscussionNumber),
	})
	switch {
	case err != nil:
		return place{}, err
	case query.Repository == nil:
		return place{}, notes.Fault("repository", resolve.NoRepository(repo))
	case query.Repository.Discussion == nil:
		return place{}, notes.Fault("repository.discussion", missing(repo, req.DiscussionNumber))
	}
	return query.Repository.Discussion.place(repo), nil
}

func (w wirePlace) place(repo ref.Repo) place {
	found := place{Repo: repo, Number: w.Number, DiscussionID: w.ID, Locked: w.Locked}
	for _, newest := range w.Comments.Nodes {
		found.LastComment = newest.key(thread.KindComment)
	}
	return found
}

// locate finds a comment of a discussion by any spelling.
func (s *Service) locate(ctx context.Context, repo ref.Repo, number int, field, value string) (place, error) {
	want := resolve.Want{Repo: repo, Field: field, Value: value}
	if number != 0 {
		want.Thread = ref.Thread{Repo: repo, Kind: ref.Discussion, Number: number}
	}
	comment, err := s.opts.Resolver.Comment(ctx, want)
	if err != nil {
		return place{}, err
	}
	if comment.Type != ref.DiscussionComment {
		return place{}, fault.New(fault.NotFound, "%s names no comment of a discussion", field).
			WithFix("Comments of issues and pull requests are managed with manage_issue_comment.").With("argument", field)
	}
	last := wireMark{ID: comment.LastReply.ID, CreatedAt: comment.LastReply.CreatedAt}
	return place{
		Repo: repo, Number: comment.Thread.Number, DiscussionID: comment.ThreadID, Locked: comment.Locked,
		CommentID: comment.ID, ReplyToID: comment.ParentID, LastReply: last.key(thread.KindReply),
	}, nil
}
