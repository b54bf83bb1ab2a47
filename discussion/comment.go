package discussion

import (
	"context"
	"fmt"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// CommentRequest are the arguments of manage_discussion_comment.
type CommentRequest struct {
	Repo             *string `json:"repo,omitempty"`
	Action           string  `json:"action"`
	DiscussionNumber int     `json:"discussion_number,omitempty"`
	CommentID        *string `json:"comment_id,omitempty"`
	ReplyToID        *string `json:"reply_to_id,omitempty"`
	Body             string  `json:"body"`
	Agent            string  `json:"agent,omitempty"`
}

// CommentResult is a comment as GitHub has it after a write.
type CommentResult struct {
	Message    string     `json:"message"`
	CommentID  string     `json:"commentId"`
	DatabaseID *int64     `json:"databaseId"`
	URL        string     `json:"url"`
	CreatedAt  *time.Time `json:"createdAt,omitempty"`
	UpdatedAt  *time.Time `json:"updatedAt,omitempty"`
	ReplyToID  string     `json:"replyToId,omitempty"`
	Handoff    Handoff    `json:"handoff"`
	Warnings   []string   `json:"warnings,omitempty"`
}

// Handoff is the exact call with which a peer reads just one comment.
type Handoff struct {
	Tool      string              `json:"tool"`
	Arguments ConversationRequest `json:"arguments"`
}

// ManageComment posts a comment or a reply, or replaces the text of one.
func (s *Service) ManageComment(ctx context.Context, req CommentRequest) (_ *CommentResult, err error) {
	defer fault.Wrap(&err, "discussion.ManageComment(%s)", req.Action)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	warnings := post.Warnings(req.Body)
	if req.Body, err = post.Body(req.Body, req.Agent); err != nil {
		return nil, err
	}
	write := s.createComment
	if req.Action == "update" {
		write = s.updateComment
	}
	result, err := write(ctx, repo, req)
	if err != nil {
		return nil, err
	}
	result.Warnings = append(warnings, result.Warnings...)
	return result, nil
}

// createComment posts a comment, or a reply when reply_to_id is given.
func (s *Service) createComment(ctx context.Context, repo ref.Repo, req CommentRequest) (*CommentResult, error) {
	if req.CommentID != nil {
		return nil, fault.New(fault.InvalidArguments, "comment_id does not belong to action create").
			WithFix("To reply under a comment, pass it as reply_to_id; to edit it, use action update.").With("argument", "comment_id")
	}
	place, err := s.placeFor(ctx, repo, req)
	if err != nil {
		return nil, err
	}
	input := githubv4.AddDiscussionCommentInput{
		DiscussionID: githubv4.ID(place.DiscussionID), Body: githubv4.String(req.Body),
	}
	if place.ReplyToID != "" {
		input.ReplyToID = githubv4.NewID(githubv4.ID(place.ReplyToID))
	}
	var mutation struct {
		AddDiscussionComment *struct{ Comment *wireWritten } `graphql:"addDiscussionComment(input: $input)"`
	}
	notes, err := s.opts.GraphQL.Mutate(ctx, "AddDiscussionComment", &mutation, input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return s.lookForPosted(ctx, place, req.Body, err)
	}
	if err != nil {
		return nil, explainWrite(err, place)
	}
	if mutation.AddDiscussionComment == nil || mutation.AddDiscussionComment.Comment == nil {
		return nil, notes.Fault("addDiscussionComment", unanswered("the comment"))
	}
	return mutation.AddDiscussionComment.Comment.created(repo), nil
}

// updateComment replaces the text of a comment or a reply.
func (s *Service) updateComment(ctx context.Context, repo ref.Repo, req CommentRequest) (*CommentResult, error) {
	if req.CommentID == nil {
		return nil, fault.New(fault.MissingArguments, "action update needs comment_id").
			WithFix("Pass the id of the comment to edit, in any spelling.").With("argument", "comment_id")
	}
	if req.ReplyToID != nil {
		return nil, fault.New(fault.InvalidArguments, "reply_to_id does not belong to action update").
			WithFix("Pass the comment to edit as comment_id, and nothing else.").With("argument", "reply_to_id")
	}
	place, err := s.locate(ctx, repo, req.DiscussionNumber, "comment_id", *req.CommentID)
	if err != nil {
		return nil, err
	}
	input := githubv4.UpdateDiscussionCommentInput{CommentID: githubv4.ID(place.CommentID), Body: githubv4.String(req.Body)}
	var mutation struct {
		UpdateDiscussionComment *struct{ Comment *wireWritten } `graphql:"updateDiscussionComment(input: $input)"`
	}
	notes, err := s.opts.GraphQL.Mutate(ctx, "UpdateDiscussionComment", &mutation, input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return s.lookForEdit(ctx, repo, place, req.Body, err)
	}
	if err != nil {
		return nil, explainWrite(err, place)
	}
	if mutation.UpdateDiscussionComment == nil || mutation.UpdateDiscussionComment.Comment == nil {
		return nil, notes.Fault("updateDiscussionComment", unanswered("the edit"))
	}
	return mutation.UpdateDiscussionComment.Comment.updated(repo), nil
}

// wireWritten is what a write asks GitHub to tell about the comment.
type wireWritten struct {
	ID         string
	DatabaseID int64  `graphql:"databaseId"`
	URL        string `graphql:"url"`
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ReplyTo    *struct{ ID string }
	Discussion struct {
		Number     int
		Repository struct{ NameWithOwner string }
	}
}

func (w wireWritten) created(repo ref.Repo) *CommentResult {
	result := w.result(repo)
	created := w.CreatedAt.UTC()
	result.CreatedAt = &created
	result.Message = fmt.Sprintf("Posted a comment in discussion #%d.", w.Discussion.Number)
	if w.ReplyTo != nil {
		result.ReplyToID = w.ReplyTo.ID
		result.Message = fmt.Sprintf("Posted a reply in discussion #%d.", w.Discussion.Number)
	}
	return result
}

func (w wireWritten) updated(repo ref.Repo) *CommentResult {
	result := w.result(repo)
	updated := w.UpdatedAt.UTC()
	result.UpdatedAt = &updated
	result.Message = fmt.Sprintf("Replaced the text of a comment in discussion #%d.", w.Discussion.Number)
	return result
}

func (w wireWritten) result(repo ref.Repo) *CommentResult {
	name, id := repo.String(), w.ID
	if w.Discussion.Repository.NameWithOwner != "" {
		name = w.Discussion.Repository.NameWithOwner
	}
	result := &CommentResult{CommentID: id, URL: w.URL, Handoff: Handoff{
		Tool:      ReadTool,
		Arguments: ConversationRequest{Repo: &name, DiscussionNumber: w.Discussion.Number, CommentID: &id},
	}}
	if number := ref.NumberOf(w.DatabaseID, w.ID); number != 0 {
		result.DatabaseID = &number
	}
	return result
}

func unanswered(what string) *fault.Error {
	return fault.New(fault.OutcomeUnknown, "GitHub took the write but did not answer with %s", what).
		WithFix("Read the discussion's newest comments before you repeat the call.")
}

// explainWrite adds what is known about the thread to a refusal.
func explainWrite(err error, place place) error {
	switch {
	case !transport.LacksPermission(err):
		return err
	case place.Locked:
		return locked(place.Number, err)
	case place.CommentID != "":
		return transport.MayNot(err, "edit this comment of discussion #%d: that needs write permission in %s, or to be its author", place.Number, place.Repo)
	}
	return transport.MayNot(err, "comment in discussion #%d: that needs read permission in %s, and the right to comment", place.Number, place.Repo)
}
