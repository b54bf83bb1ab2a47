package conversation

import (
	"context"
	"fmt"
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

// CommentRequest are the arguments of manage_issue_comment.
type CommentRequest struct {
	Repo        *string `json:"repo,omitempty"`
	Action      string  `json:"action"`
	IssueNumber int     `json:"issue_number,omitempty"`
	PRNumber    int     `json:"pr_number,omitempty"`
	CommentID   *string `json:"comment_id,omitempty"`
	Body        string  `json:"body"`
	Agent       string  `json:"agent,omitempty"`
}

// CommentResult is a comment as GitHub has it after a write.
type CommentResult struct {
	Message    string     `json:"message"`
	CommentID  string     `json:"commentId"`
	DatabaseID *int64     `json:"databaseId"`
	URL        string     `json:"url"`
	CreatedAt  *time.Time `json:"createdAt,omitempty"`
	UpdatedAt  *time.Time `json:"updatedAt,omitempty"`
	Handoff    *Handoff   `json:"handoff"` // nil while others cannot see the comment
	Warnings   []string   `json:"warnings,omitempty"`
}

// Handoff is the exact call with which a peer reads just one comment.
type Handoff struct {
	Tool      string  `json:"tool"`
	Arguments Request `json:"arguments"`
}

// HandoffTo is the hand-off of a comment of an issue or a pull request.
func HandoffTo(in ref.Thread, commentID string) *Handoff {
	repo := in.Repo.String()
	request := Request{Repo: &repo, IssueNumber: in.Number, CommentID: &commentID}
	if in.Kind == ref.PullRequest {
		request.IssueNumber, request.PRNumber = 0, in.Number
	}
	return &Handoff{Tool: ReadTool, Arguments: request}
}

// ManageComment posts a comment, or replaces the text of a comment, a review or
// an inline comment.
func (s *Service) ManageComment(ctx context.Context, req CommentRequest) (_ *CommentResult, err error) {
	defer fault.Wrap(&err, "conversation.ManageComment(%s)", req.Action)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	warnings := post.Warnings(req.Body)
	if req.Body, err = post.Body(req.Body, req.Agent); err != nil {
		return nil, err
	}
	in, err := resolve.Named(repo, 0, req.IssueNumber, req.PRNumber)
	if err != nil {
		return nil, err
	}
	in.Repo = repo
	write := s.createComment
	if req.Action == "update" {
		write = s.updateComment
	}
	result, err := write(ctx, in, req)
	if err != nil {
		return nil, err
	}
	result.Warnings = append(warnings, result.Warnings...)
	return result, nil
}

// createComment posts a comment.
func (s *Service) createComment(ctx context.Context, in ref.Thread, req CommentRequest) (*CommentResult, error) {
	if req.CommentID != nil {
		return nil, fault.New(fault.InvalidArguments, "comment_id does not belong to action create").
			WithFix("To edit that comment, use action update; to answer in a review thread, manage_review_thread.").With("argument", "comment_id")
	}
	if in.Number == 0 {
		return nil, fault.New(fault.MissingArguments, "action create needs issue_number or pr_number").
			WithFix("Pass the number of the issue or the pull request.").With("argument", "issue_number")
	}
	place, err := s.placeOf(ctx, in)
	if err != nil {
		return nil, err
	}
	var mutation struct {
		AddComment *struct {
			Edge *struct{ Node *wireWritten } `graphql:"commentEdge"`
		} `graphql:"addComment(input: $input)"`
	}
	input := githubv4.AddCommentInput{SubjectID: githubv4.ID(place.ThreadID), Body: githubv4.String(req.Body)}
	notes, err := s.opts.GraphQL.Mutate(ctx, "AddComment", &mutation, input, nil)
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		return s.lookForPosted(ctx, place, req.Body, err)
	case err != nil:
		return nil, place.explain(err)
	case mutation.AddComment == nil || mutation.AddComment.Edge == nil || mutation.AddComment.Edge.Node == nil:
		return nil, notes.Fault("addComment", unanswered())
	}
	return place.created(mutation.AddComment.Edge.Node), nil
}

// place is the thread that a comment is in, or is going to be.
type place struct {
	Thread      ref.Thread
	ThreadID    string
	Locked      bool
	Pending     bool       // only the viewer can see the comment
	LastComment thread.Key // the newest before the write: only what stands behind it can be the write's doing
}

// wirePlace is a thread as a write has to know it.
type wirePlace struct {
	ID         string
	Number     int
	Locked     bool
	Repository struct{ NameWithOwner string }
	Comments   struct {
		Nodes []wireStub `graphql:"n: nodes"`
	} `graphql:"newest: comments(last: 1)"`
}

// placeOf finds the issue or the pull request to comment on.
func (s *Service) placeOf(ctx context.Context, in ref.Thread) (place, error) {
	repo, number := in.Repo, in.Number
	var query struct {
		Repository *struct {
			Thread *struct {
				Typename string    `graphql:"__typename"`
				Issue    wirePlace `graphql:"... on Issue"`
				Pull     wirePlace `graphql:"... on PullRequest"`
			} `graphql:"issueOrPullRequest(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "CommentPlace", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "number": githubv4.Int(number),
	})
	switch {
	case err != nil:
		return place{}, err
	case query.Repository == nil:
		return place{}, notes.Fault("repository", resolve.NoRepository(repo))
	case query.Repository.Thread == nil:
		return place{}, s.explainNoPlace(ctx, repo, number, notes.Fault("repository.issueOrPullRequest", missing(repo, number)))
	case query.Repository.Thread.Typename == typePull:
		return query.Repository.Thread.Pull.place(repo, ref.PullRequest), nil
	case in.Kind == ref.PullRequest:
		return place{}, fault.New(fault.NotFound, "#%d of %s is an issue, not a pull request", number, repo).
			WithFix("If it is meant, pass issue_number %d.", number).With("argument", "pr_number")
	}
	return query.Repository.Thread.Issue.place(repo, ref.Issue), nil
}

func (w wirePlace) place(repo ref.Repo, kind ref.Kind) place {
	if named, err := ref.ParseRepo(w.Repository.NameWithOwner, repo); err == nil {
		repo = named
	}
	found := place{Thread: ref.Thread{Repo: repo, Kind: kind, Number: w.Number}, ThreadID: w.ID, Locked: w.Locked}
	for _, newest := range w.Comments.Nodes {
		found.LastComment = newest.stub().Key
	}
	return found
}

// explainNoPlace says when the number is that of a discussion.
func (s *Service) explainNoPlace(ctx context.Context, repo ref.Repo, number int, missing error) error {
	if isDiscussion, _ := s.isDiscussion(ctx, repo, number); !fault.Is(missing, fault.NotFound) || !isDiscussion {
		return missing
	}
	return fault.New(fault.NotFound, "#%d of %s is a discussion", number, repo).
		WithFix("Use manage_discussion_comment with discussion_number %d.", number).WithCause(missing)
}

// updaters are the mutations that replace the text of a comment, by its type:
// the field with its argument, the payload's member, and the input.
var updaters = map[ref.CommentType]struct {
	field, member string
	input         func(id, body string) githubv4.Input
}{
	ref.IssueComment: {"updateIssueComment", "issueComment", func(id, body string) githubv4.Input {
		return githubv4.UpdateIssueCommentInput{ID: githubv4.ID(id), Body: githubv4.String(body)}
	}},
	ref.PullRequestReview: {"updatePullRequestReview", "pullRequestReview", func(id, body string) githubv4.Input {
		return githubv4.UpdatePullRequestReviewInput{PullRequestReviewID: githubv4.ID(id), Body: githubv4.String(body)}
	}},
	ref.PullRequestReviewComment: {"updatePullRequestReviewComment", "pullRequestReviewComment", func(id, body string) githubv4.Input {
		return githubv4.UpdatePullRequestReviewCommentInput{PullRequestReviewCommentID: githubv4.ID(id), Body: githubv4.String(body)}
	}},
}

// updateComment replaces the text of a comment, a review or an inline comment.
func (s *Service) updateComment(ctx context.Context, in ref.Thread, req CommentRequest) (*CommentResult, error) {
	if req.CommentID == nil {
		return nil, fault.New(fault.MissingArguments, "action update needs comment_id").
			WithFix("Pass the id of the comment to edit, in any spelling.").With("argument", "comment_id")
	}
	comment, err := s.opts.Resolver.Comment(ctx, resolve.Want{Repo: in.Repo, Field: "comment_id", Value: *req.CommentID, Thread: in})
	if err != nil {
		return nil, err
	}
	updater, known := updaters[comment.Type]
	if !known {
		return nil, fault.New(fault.NotFound, "comment_id names no comment of an issue or a pull request").
			WithFix("Comments of discussions are managed with manage_discussion_comment.").With("argument", "comment_id")
	}
	place := place{Thread: comment.Thread, ThreadID: comment.ThreadID, Locked: comment.Locked, Pending: comment.Pending}
	mutation, found := graphql.Field[wireWritten](updater.field+"(input: $input)", updater.member)
	notes, err := s.opts.GraphQL.Mutate(ctx, operation(updater.field), mutation, updater.input(comment.ID, req.Body), nil)
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		return s.lookForEdit(ctx, place, comment.ID, req.Body, err)
	case err != nil:
		return nil, place.explain(err)
	case found() == nil:
		return nil, notes.Fault(updater.field, unanswered())
	}
	return place.updated(found()), nil
}

// wireWritten is what a write asks GitHub to tell about the comment.
type wireWritten struct {
	ID        string
	Number    graphql.BigInt `graphql:"fullDatabaseId"`
	URL       string         `graphql:"url"`
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (p place) created(w *wireWritten) *CommentResult {
	result := p.result(w)
	created := w.CreatedAt.UTC()
	result.CreatedAt = &created
	result.Message = fmt.Sprintf("Posted a comment in %s #%d.", words(p.Thread.Kind), p.Thread.Number)
	return result
}

func (p place) updated(w *wireWritten) *CommentResult {
	result := p.result(w)
	updated := w.UpdatedAt.UTC()
	result.UpdatedAt = &updated
	result.Message = fmt.Sprintf("Replaced the text of a comment in %s #%d.", words(p.Thread.Kind), p.Thread.Number)
	return result
}

func (p place) result(w *wireWritten) *CommentResult {
	result := &CommentResult{CommentID: w.ID, URL: w.URL}
	if !p.Pending {
		result.Handoff = HandoffTo(p.Thread, w.ID)
	}
	if number := ref.NumberOf(int64(w.Number), w.ID); number != 0 {
		result.DatabaseID = &number
	}
	return result
}

func words(kind ref.Kind) string {
	if kind == ref.PullRequest {
		return "pull request"
	}
	return string(kind)
}

// explain adds what is known about the thread to a refusal.
func (p place) explain(err error) error {
	if !transport.LacksPermission(err) || !p.Locked {
		return err
	}
	return fault.New(fault.Forbidden, "%s #%d is locked; only people with write permission may comment", words(p.Thread.Kind), p.Thread.Number).
		WithFix("Ask a maintainer to unlock it, or to post for you.").WithCause(err)
}
