package discussion

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

func (w wireWitness) is(body string, after thread.Key, kind thread.Kind) bool {
	mark := wireMark{ID: w.ID, CreatedAt: w.CreatedAt}
	return w.ViewerDidAuthor && post.Same(w.Body, body) && mark.key(kind).After(after)
}

// lookForPosted finds out what became of a comment whose answer was lost. The
// same text by the viewer behind all that was there before is that comment.
func (s *Service) lookForPosted(ctx context.Context, place place, body string, lost error) (*CommentResult, error) {
	var query struct {
		Discussion *struct {
			Discussion struct {
				Comments struct{ Nodes []wireWitness } `graphql:"comments(last: 10)"`
			} `graphql:"... on Discussion"`
			Comment struct {
				Replies struct{ Nodes []wireWitness } `graphql:"replies(last: 10)"`
			} `graphql:"... on DiscussionComment"`
		} `graphql:"place: node(id: $id)"`
	}
	id, after, kind := place.DiscussionID, place.LastComment, thread.KindComment
	if place.ReplyToID != "" {
		id, after, kind = place.ReplyToID, place.LastReply, thread.KindReply
	}
	_, err := s.opts.GraphQL.Query(ctx, "DiscussionOutcome", &query, map[string]any{"id": graphql.ID(id)})
	if err != nil || query.Discussion == nil {
		return nil, place.unknown(lost, err)
	}
	for _, comment := range append(query.Discussion.Discussion.Comments.Nodes, query.Discussion.Comment.Replies.Nodes...) {
		if comment.is(body, after, kind) {
			result := comment.created(place.Repo)
			result.Warnings = append(result.Warnings, "GitHub's answer was lost on the way; the comment was found there")
			return result, nil
		}
	}
	return nil, place.unknown(lost, nil)
}

// lookForEdit finds out whether an edit whose answer was lost took place.
func (s *Service) lookForEdit(ctx context.Context, repo ref.Repo, place place, body string, lost error) (*CommentResult, error) {
	var query struct {
		Node *struct {
			Comment wireWitness `graphql:"... on DiscussionComment"`
		} `graphql:"node(id: $id)"`
	}
	_, err := s.opts.GraphQL.Query(ctx, "DiscussionOutcome", &query, map[string]any{"id": graphql.ID(place.CommentID)})
	if err != nil || query.Node == nil || !post.Same(query.Node.Comment.Body, body) {
		return nil, place.unknown(lost, err)
	}
	result := query.Node.Comment.updated(repo)
	result.Warnings = append(result.Warnings, "GitHub's answer was lost on the way; the comment has the new text")
	return result, nil
}

// unknown is the fault for such a write. It says how to look, because
// repeating a write blindly may do it twice.
func (p place) unknown(lost, look error) error {
	return post.Unknown(lost, look, "the text", fmt.Sprintf(
		"Read %s with discussion_number %d and last_n 5; repeat the call only if the text is not there.", ReadTool, p.Number))
}
