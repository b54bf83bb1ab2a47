package conversation

import (
	"context"
	"fmt"

	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// wireWitness is a comment with what identifies it as the write that was lost.
type wireWitness struct {
	wireWritten
	Body            string
	ViewerDidAuthor bool
}

func (w wireWitness) is(body string, after thread.Key) bool {
	key := thread.Key{At: w.CreatedAt.UTC(), Kind: thread.KindComment, Number: ref.NumberOf(int64(w.Number), w.ID)}
	return w.ViewerDidAuthor && post.Same(w.Body, body) && key.After(after)
}

type wireWitnesses struct {
	Comments struct{ Nodes []wireWitness } `graphql:"comments(last: 10)"`
}

// lookForPosted finds out what became of a comment whose answer was lost. The
// same text by the viewer behind all that was there before is that comment.
func (s *Service) lookForPosted(ctx context.Context, place place, body string, lost error) (*CommentResult, error) {
	var query struct {
		Thread *struct {
			Issue wireWitnesses `graphql:"... on Issue"`
			Pull  wireWitnesses `graphql:"... on PullRequest"`
		} `graphql:"node(id: $id)"`
	}
	_, err := s.opts.GraphQL.Query(ctx, "CommentOutcome", &query, map[string]any{"id": graphql.ID(place.ThreadID)})
	if err != nil || query.Thread == nil {
		return nil, place.unknown(lost, err)
	}
	for _, comment := range query.Thread.Issue.Comments.Nodes {
		if comment.is(body, place.LastComment) {
			result := place.created(&comment.wireWritten)
			result.Warnings = append(result.Warnings, "GitHub's answer was lost on the way; the comment was found there")
			return result, nil
		}
	}
	return nil, place.unknown(lost, nil)
}

// lookForEdit finds out whether an edit whose answer was lost took place.
func (s *Service) lookForEdit(ctx context.Context, place place, id, body string, lost error) (*CommentResult, error) {
	var query struct {
		Node *struct {
			Comment wireWitness `graphql:"... on IssueComment"`
			Review  wireWitness `graphql:"... on PullRequestReview"`
			Inline  wireWitness `graphql:"... on PullRequestReviewComment"`
		} `graphql:"node(id: $id)"`
	}
	_, err := s.opts.GraphQL.Query(ctx, "CommentOutcome", &query, map[string]any{"id": graphql.ID(id)})
	if err != nil || query.Node == nil || !post.Same(query.Node.Comment.Body, body) {
		return nil, place.unknown(lost, err)
	}
	result := place.updated(&query.Node.Comment.wireWritten)
	result.Warnings = append(result.Warnings, "GitHub's answer was lost on the way; the comment has the new text")
	return result, nil
}

// unknown is the fault for such a write.
func (p place) unknown(lost, look error) error {
	argument := "issue_number"
	if p.Thread.Kind == ref.PullRequest {
		argument = "pr_number"
	}
	return post.Unknown(lost, look, "the text", fmt.Sprintf(
		"Read %s with %s %d and last_n 5; repeat the call only if the text is not there.", ReadTool, argument, p.Thread.Number))
}
