package conversation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ModerateRequest are the arguments of moderate_comment.
type ModerateRequest struct {
	Repo             *string `json:"repo,omitempty"`
	Action           string  `json:"action"`
	CommentID        string  `json:"comment_id"`
	DiscussionNumber int     `json:"discussion_number,omitempty"`
	IssueNumber      int     `json:"issue_number,omitempty"`
	PRNumber         int     `json:"pr_number,omitempty"`
	Reason           string  `json:"reason,omitempty"`
	Confirm          bool    `json:"confirm,omitempty"`
}

// ModerateResult is what became of the comment: Deleted, or IsMinimized with
// its reason.
type ModerateResult struct {
	Message         string   `json:"message"`
	CommentID       string   `json:"commentId"`
	Deleted         *bool    `json:"deleted,omitempty"`
	IsMinimized     *bool    `json:"isMinimized,omitempty"`
	MinimizedReason *string  `json:"minimizedReason"`
	Warnings        []string `json:"warnings,omitempty"`
}

// Moderate deletes a comment, hides it or shows it again.
func (s *Service) Moderate(ctx context.Context, req ModerateRequest) (_ *ModerateResult, err error) {
	defer fault.Wrap(&err, "conversation.Moderate(%s)", req.Action)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	thread, err := resolve.Named(repo, req.DiscussionNumber, req.IssueNumber, req.PRNumber)
	if err != nil {
		return nil, err
	}
	comment, err := s.opts.Resolver.Comment(ctx, resolve.Want{Repo: repo, Field: "comment_id", Value: req.CommentID, Thread: thread})
	if err != nil {
		return nil, err
	}
	switch {
	case req.Action != "delete":
		return s.minimize(ctx, comment, req)
	case comment.Deleted:
		return deleted(comment, fmt.Sprintf("Nothing to do: this comment of %s is deleted already.", comment.Thread)), nil
	case comment.Type == ref.PullRequestReview && !comment.Pending:
		return nil, submitted()
	case !req.Confirm:
		return nil, req.confirmation(comment)
	}
	return s.deleteComment(ctx, comment)
}

func deleted(comment resolve.Comment, message string) *ModerateResult {
	return &ModerateResult{Message: message, CommentID: comment.ID, Deleted: new(true)}
}

func (r ModerateRequest) check() error {
	switch {
	case r.Action == "minimize" && r.Reason == "":
		return fault.New(fault.MissingArguments, "action minimize needs reason").
			WithFix("Use one of: spam, abuse, off_topic, outdated, duplicate, resolved.").With("argument", "reason")
	case r.Action != "minimize" && r.Reason != "":
		return fault.New(fault.InvalidArguments, "reason does not belong to action %s", r.Action).
			WithFix("Leave it out.").With("argument", "reason")
	}
	return nil
}

// confirmation asks before what cannot be undone; call is what carries it out.
func (r ModerateRequest) confirmation(comment resolve.Comment) error {
	repo := comment.Thread.Repo.String()
	return fault.New(fault.ConfirmationRequired, "deleting comment %s of %s cannot be undone", comment.ID, comment.Thread).
		WithFix("If that is what is wanted, call moderate_comment again with confirm: true.").
		With("call", map[string]any{"tool": "moderate_comment", "arguments": ModerateRequest{
			Repo: &repo, Action: r.Action, CommentID: comment.ID, Confirm: true,
		}})
}

// deleters are the mutations that delete a comment, by its type, and their
// inputs.
var deleters = map[ref.CommentType]struct {
	field string
	input func(id string) githubv4.Input
}{
	ref.DiscussionComment: {"deleteDiscussionComment", func(id string) githubv4.Input {
		return githubv4.DeleteDiscussionCommentInput{ID: githubv4.ID(id)}
	}},
	ref.IssueComment: {"deleteIssueComment", func(id string) githubv4.Input {
		return githubv4.DeleteIssueCommentInput{ID: githubv4.ID(id)}
	}},
	ref.PullRequestReview: {"deletePullRequestReview", func(id string) githubv4.Input {
		return githubv4.DeletePullRequestReviewInput{PullRequestReviewID: githubv4.ID(id)}
	}},
	ref.PullRequestReviewComment: {"deletePullRequestReviewComment", func(id string) githubv4.Input {
		return githubv4.DeletePullRequestReviewCommentInput{ID: githubv4.ID(id)}
	}},
}

// submitted is the fault for deleting what GitHub does not delete: a review that
// others could see.
func submitted() error {
	return fault.New(fault.InvalidArguments, "comment_id names a submitted review, which GitHub does not delete").
		WithFix("Hide its text with action minimize, or take its decision back with manage_pr_review, action dismiss.").
		With("argument", "comment_id")
}

func (s *Service) deleteComment(ctx context.Context, comment resolve.Comment) (*ModerateResult, error) {
	deleter := deleters[comment.Type]
	field, input := deleter.field, deleter.input(comment.ID)
	mutation, found := graphql.Field[struct{ ClientMutationID *string }](field + "(input: $input)")
	notes, err := s.opts.GraphQL.Mutate(ctx, operation(field), mutation, input, nil)
	result := deleted(comment, fmt.Sprintf("Deleted a comment of %s.", comment.Thread))
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		after, look := s.visibility(ctx, comment)
		if look == nil && (after == nil || after.DeletedAt != nil) {
			result.Warnings = []string{"GitHub's answer was lost on the way; the comment is gone"}
			return result, nil
		}
		return nil, unknown(err, look)
	case err != nil:
		return nil, explain(err, "delete", comment)
	case found() == nil:
		return nil, notes.Fault(field, unanswered())
	}
	return result, nil
}

// wireMinimized is a comment's visibility.
type wireMinimized struct {
	IsMinimized     bool
	MinimizedReason *string
}

func (w wireMinimized) result(comment resolve.Comment) *ModerateResult {
	result := &ModerateResult{CommentID: comment.ID, IsMinimized: &w.IsMinimized}
	result.Message = fmt.Sprintf("A comment of %s is shown.", comment.Thread)
	if w.IsMinimized {
		result.Message = fmt.Sprintf("A comment of %s is minimized.", comment.Thread)
	}
	if reason := thread.MinimizedReason(w.MinimizedReason); w.IsMinimized && reason != "" {
		result.MinimizedReason = &reason
	}
	return result
}

// is reports whether the comment is as a request to minimize or unminimize it
// wants it.
func (w wireMinimized) is(req ModerateRequest) bool {
	if req.Action == "minimize" {
		return w.IsMinimized && thread.MinimizedReason(w.MinimizedReason) == req.Reason
	}
	return !w.IsMinimized
}

func (s *Service) minimize(ctx context.Context, comment resolve.Comment, req ModerateRequest) (*ModerateResult, error) {
	field, payload := "unminimizeComment", "unminimizedComment"
	var input githubv4.Input = githubv4.UnminimizeCommentInput{SubjectID: githubv4.ID(comment.ID)}
	if req.Action == "minimize" {
		field, payload = "minimizeComment", "minimizedComment"
		input = githubv4.MinimizeCommentInput{
			SubjectID: githubv4.ID(comment.ID), Classifier: githubv4.ReportedContentClassifiers(strings.ToUpper(req.Reason)),
		}
	}
	mutation, found := graphql.Field[wireMinimized](field+"(input: $input)", payload)
	notes, err := s.opts.GraphQL.Mutate(ctx, operation(field), mutation, input, nil)
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		after, look := s.visibility(ctx, comment)
		if look != nil || after == nil || !after.is(req) {
			return nil, unknown(err, look)
		}
		result := after.result(comment)
		result.Warnings = []string{"GitHub's answer was lost on the way; the comment is as the call wanted it"}
		return result, nil
	case err != nil:
		return nil, explain(err, req.Action, comment)
	case found() == nil:
		return nil, notes.Fault(field, unanswered())
	}
	return found().result(comment), nil
}

// operation is the name of a mutation's request.
func operation(field string) string { return strings.ToUpper(field[:1]) + field[1:] }

// wireVisibility is what a lost write is looked for by.
type wireVisibility struct {
	wireMinimized
	DeletedAt *time.Time
}

// visibility reads whether a comment is there, and shown; nil when it is gone.
func (s *Service) visibility(ctx context.Context, comment resolve.Comment) (*wireVisibility, error) {
	var query struct {
		Node *struct {
			Shown        wireMinimized `graphql:"... on Minimizable"`
			InDiscussion struct {
				DeletedAt *time.Time
			} `graphql:"... on DiscussionComment"`
		} `graphql:"node(id: $id)"`
	}
	_, err := s.opts.GraphQL.Query(ctx, "CommentVisibility", &query, map[string]any{"id": graphql.ID(comment.ID)})
	if fault.Is(err, fault.NotFound) || err == nil && query.Node == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &wireVisibility{wireMinimized: query.Node.Shown, DeletedAt: query.Node.InDiscussion.DeletedAt}, nil
}

func unanswered() *fault.Error {
	return fault.New(fault.OutcomeUnknown, "GitHub took the change but did not answer with the comment").
		WithFix("Read the comment by its id before you repeat the call.")
}

// unknown is the fault for a write that was sent, of which nothing was found.
func unknown(lost, look error) error {
	return post.Unknown(lost, look, "the change", "Read the comment by its id; repeat the call only if the change is not there.")
}

// explain names the permission that a refused change needs.
func explain(err error, action string, comment resolve.Comment) error {
	needed := "triage permission"
	if action == "delete" {
		needed = "write permission, or to be its author"
	}
	return transport.MayNot(err, "%s a comment of %s: that needs %s", action, comment.Thread, needed)
}
