package pullrequest

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
)

// ThreadRequest are the arguments of manage_review_thread.
type ThreadRequest struct {
	Repo      *string `json:"repo,omitempty"`
	Action    string  `json:"action"`
	PRNumber  int     `json:"pr_number,omitempty"`
	ThreadID  *string `json:"thread_id,omitempty"`
	CommentID *string `json:"comment_id,omitempty"`
	Body      *string `json:"body,omitempty"`
	Agent     string  `json:"agent,omitempty"`
}

// ThreadResult is a review thread as GitHub has it after a write, and the
// reply that was posted.
type ThreadResult struct {
	Message    string     `json:"message"`
	ThreadID   string     `json:"threadId"`
	IsResolved bool       `json:"isResolved"`
	CommentID  string     `json:"commentId,omitempty"`
	DatabaseID *int64     `json:"databaseId,omitempty"`
	URL        string     `json:"url,omitempty"`
	CreatedAt  *time.Time `json:"createdAt,omitempty"`
	Handoff    *Handoff   `json:"handoff,omitempty"`
	Warnings   []string   `json:"warnings,omitempty"`
}

// wireThread is a review thread with its newest comments.
type wireThread struct {
	ID          string
	IsResolved  bool
	PullRequest wireOwner
	Comments    struct{ Nodes []wireReply } `graphql:"comments(last: 20)"`
}

// wireReply is a comment in a review thread.
type wireReply struct {
	ID              string
	DatabaseID      int64 `graphql:"databaseId"`
	Body            string
	URL             string `graphql:"url"`
	CreatedAt       time.Time
	State           string `graphql:"shown: state"` // PENDING or SUBMITTED
	ViewerDidAuthor bool
}

// wireOwner is the pull request that a thread or an inline comment is in.
type wireOwner struct {
	ID         string
	Number     int
	Repository struct{ NameWithOwner string }
	Pending    *wireReviewIDs `graphql:"pending: reviews(states: [PENDING], first: 1)"`
}

// pull is the pull request's address.
func (w wireOwner) pull() pull {
	owner, name, _ := strings.Cut(w.Repository.NameWithOwner, "/")
	return pull{repo: ref.Repo{Owner: owner, Name: name}, number: w.Number}
}

// is reports whether the thread is where the call says.
func (w wireOwner) is(repo ref.Repo, number int) bool {
	return w.ID != "" && w.pull().repo.Equal(repo) && (number == 0 || number == w.Number)
}

// threader is one write to a review thread under way.
type threader struct {
	service *Service
	repo    ref.Repo
	req     ThreadRequest
	body    string // with the footer
	thread  wireThread
}

// ManageThread answers in a review thread, resolves it or opens it again.
func (s *Service) ManageThread(ctx context.Context, req ThreadRequest) (_ *ThreadResult, err error) {
	defer fault.Wrap(&err, "pullrequest.ManageThread(%s)", req.Action)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	t := &threader{service: s, repo: repo, req: req}
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := t.find(ctx); err != nil {
		return nil, err
	}
	if req.Action == "reply" {
		return t.reply(ctx)
	}
	return t.resolve(ctx, req.Action == "resolve")
}

// check refuses arguments that do not go together, before anything goes out.
func (t *threader) check() error {
	switch req := t.req; {
	case req.ThreadID == nil && req.CommentID == nil:
		return fault.New(fault.MissingArguments, "neither thread_id nor comment_id is given").
			WithFix("Pass threadId of get_conversation as thread_id, or any remark in the thread as comment_id.").With("argument", "thread_id")
	case req.ThreadID != nil && req.CommentID != nil:
		return fault.New(fault.AmbiguousArguments, "thread_id and comment_id are both given").WithFix("Pass one of them.")
	case req.Action != "reply" && (req.Body != nil || req.Agent != ""):
		return fault.New(fault.InvalidArguments, "body and agent do not belong to action %s", req.Action).
			WithFix("Post the text with action reply, then %s.", req.Action).With("argument", "body")
	case req.Action == "reply" && req.Body == nil:
		return fault.New(fault.MissingArguments, "action reply needs body").WithFix("Pass the text to post.").With("argument", "body")
	case req.Action == "reply":
		var err error
		t.body, err = post.Body(*req.Body, req.Agent)
		return err
	}
	return nil
}

// find reads the thread and holds it against what the call says.
func (t *threader) find(ctx context.Context) error {
	if t.req.CommentID != nil {
		return t.findByComment(ctx)
	}
	id := strings.TrimSpace(*t.req.ThreadID)
	if decoded, ok := ref.DecodeNodeID(id); !ok || decoded.TypeName() != "PullRequestReviewThread" {
		return fault.New(fault.InvalidArguments, "thread_id is not the node id of a review thread").
			WithFix("Pass threadId of get_conversation (PRRT_…); a comment's id goes into comment_id.").With("argument", "thread_id")
	}
	return t.readThread(ctx, "thread_id", id)
}

func (t *threader) absent(field string) *fault.Error {
	where := t.repo.String()
	if t.req.PRNumber != 0 {
		where = pull{t.repo, t.req.PRNumber}.String()
	}
	return fault.New(fault.NotFound, "%s names no review thread of %s that this token can see", field, where).
		WithFix("Take the id from get_conversation, or from a hand-off.").With("argument", field)
}

func (t *threader) readThread(ctx context.Context, field, id string) error {
	var query struct {
		Node *struct {
			Thread wireThread `graphql:"... on PullRequestReviewThread"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := t.service.opts.GraphQL.Query(ctx, "ReviewThread", &query, map[string]any{"id": graphql.ID(id)})
	switch {
	case fault.Is(err, fault.NotFound):
		return t.absent(field).WithCause(err)
	case err != nil:
		return err
	case query.Node == nil:
		return notes.Fault("node", t.absent(field))
	case !query.Node.Thread.PullRequest.is(t.repo, t.req.PRNumber):
		return t.absent(field)
	}
	t.thread = query.Node.Thread
	return nil
}

// findByComment finds the thread of an inline comment. GitHub's comments do not
// know their thread, so the threads of the pull request are asked for theirs.
func (t *threader) findByComment(ctx context.Context) error {
	comment, err := t.comment(ctx)
	if err != nil {
		return err
	}
	info := wirePageInfo{HasNextPage: true}
	id := ""
	type threads struct {
		PageInfo wirePageInfo
		Nodes    []struct {
			ID       string
			Comments struct{ Nodes []struct{ ID string } } `graphql:"comments(first: 100)"`
		}
	}
	take := func(page *threads) wirePageInfo {
		for _, thread := range page.Nodes {
			for _, said := range thread.Comments.Nodes {
				if said.ID == comment.ID || comment.ReplyTo != nil && said.ID == comment.ReplyTo.ID {
					id = thread.ID
					return wirePageInfo{}
				}
			}
		}
		return page.PageInfo
	}
	const field = "reviewThreads(first: 100, after: $after)"
	if err := further(ctx, t.service, "ThreadsOfComments", comment.PullRequest.pull(), field, info, take); err != nil {
		return err
	}
	if id == "" {
		return t.absent("comment_id")
	}
	return t.readThread(ctx, "comment_id", id)
}

type wireInline struct {
	ID          string
	DatabaseID  int64 `graphql:"databaseId"`
	ReplyTo     *struct{ ID string }
	PullRequest wireOwner
}

// comment is the inline comment that comment_id names, in any spelling.
func (t *threader) comment(ctx context.Context) (wireInline, error) {
	spelled, err := t.service.opts.Web.ParseComment("comment_id", *t.req.CommentID)
	switch {
	case err != nil:
		return wireInline{}, err
	case spelled.Type != "" && spelled.Type != ref.PullRequestReviewComment:
		return wireInline{}, fault.New(fault.InvalidArguments, "comment_id names a %s, which is in no review thread", spelled.Type).
			WithFix("Pass an inline remark; comments on the whole pull request are answered with manage_issue_comment.").With("argument", "comment_id")
	case spelled.Type == "" && spelled.NodeID == "" && t.req.PRNumber == 0:
		return wireInline{}, fault.New(fault.AmbiguousArguments, "comment_id is a bare number, which comments of several kinds may share").
			WithFix("Pass pr_number beside it, or the remark's node id, anchor or URL.").With("argument", "comment_id")
	}
	id, err := t.service.opts.Resolver.NodeID(ctx, t.repo, ref.PullRequestReviewComment, spelled)
	if err != nil {
		return wireInline{}, err
	}
	if id == "" {
		return wireInline{}, t.absent("comment_id")
	}
	var query struct {
		Node *struct {
			Comment wireInline `graphql:"... on PullRequestReviewComment"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := t.service.opts.GraphQL.Query(ctx, "InlineComment", &query, map[string]any{"id": graphql.ID(id)})
	switch {
	case fault.Is(err, fault.NotFound):
		return wireInline{}, t.absent("comment_id").WithCause(err)
	case err != nil:
		return wireInline{}, err
	case query.Node == nil:
		return wireInline{}, notes.Fault("node", t.absent("comment_id"))
	case !query.Node.Comment.PullRequest.is(t.repo, t.req.PRNumber) || spelled.Thread != nil && spelled.Thread.Number != query.Node.Comment.PullRequest.Number:
		return wireInline{}, t.absent("comment_id")
	}
	return query.Node.Comment, nil
}

// reply answers in the thread. GitHub would hide the answer in a review in
// progress, so there must be none.
func (t *threader) reply(ctx context.Context) (*ThreadResult, error) {
	p := t.thread.PullRequest.pull()
	if pending := t.thread.PullRequest.Pending; pending != nil && len(pending.Nodes) > 0 {
		name := p.repo.String()
		return nil, fault.New(fault.ReviewConflict, "you have a review in progress on %s; GitHub would hide the answer in it until that is submitted", p).
			WithFix("Either submit it first, with the call in submit, or keep the answer for that review.").
			With("pendingReviewId", pending.Nodes[0].ID).With("url", pending.Nodes[0].URL).
			With("submit", map[string]any{"tool": "manage_pr_review", "arguments": ReviewRequest{
				Repo: &name, Action: "submit", PRNumber: p.number, Event: "comment", ReviewID: &pending.Nodes[0].ID,
			}})
	}
	input := githubv4.AddPullRequestReviewThreadReplyInput{PullRequestReviewThreadID: githubv4.ID(t.thread.ID), Body: githubv4.String(t.body)}
	comment, err := change[wireReply](ctx, t.service, "addPullRequestReviewThreadReply", "comment", input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return t.lookForReply(ctx, err)
	}
	if err != nil {
		return nil, permission(err, "answer in a thread of "+p.String(), "read permission, and write permission where it is locked")
	}
	return t.replied(*comment), nil
}

func (t *threader) replied(comment wireReply) *ThreadResult {
	p, created := t.thread.PullRequest.pull(), comment.CreatedAt.UTC()
	result := &ThreadResult{
		Message: fmt.Sprintf("Answered in a review thread of %s.", p), ThreadID: t.thread.ID, IsResolved: t.thread.IsResolved,
		CommentID: comment.ID, DatabaseID: number(comment.DatabaseID, comment.ID), URL: comment.URL, CreatedAt: &created,
		Warnings: post.Warnings(t.body),
	}
	if comment.State == "PENDING" {
		result.Warnings = append(result.Warnings, "a review was begun meanwhile, and the answer is hidden in it until that is submitted (manage_pr_review, action submit)")
	} else {
		result.Handoff = p.handoff(comment.ID)
	}
	return result
}

// lookForReply finds out what became of an answer whose own answer was lost.
func (t *threader) lookForReply(ctx context.Context, lost error) (*ThreadResult, error) {
	had := map[string]bool{}
	for _, comment := range t.thread.Comments.Nodes {
		had[comment.ID] = true
	}
	look := t.readThread(ctx, "thread_id", t.thread.ID)
	if look == nil {
		for _, comment := range t.thread.Comments.Nodes {
			if comment.ViewerDidAuthor && !had[comment.ID] && post.Same(comment.Body, t.body) {
				result := t.replied(comment)
				result.Warnings = append(result.Warnings, lostWarning)
				return result, nil
			}
		}
	}
	return nil, post.Unknown(lost, look, "the answer", fmt.Sprintf(
		"Read %s with pr_number %d and last_n 5; repeat the call only if the answer is not there.", ReadTool, t.thread.PullRequest.Number))
}

// resolve marks the thread as resolved or as open; what is so already stays.
func (t *threader) resolve(ctx context.Context, resolved bool) (*ThreadResult, error) {
	p := t.thread.PullRequest.pull()
	field, done := "unresolveReviewThread", fmt.Sprintf("Opened a review thread of %s again.", p)
	var input githubv4.Input = githubv4.UnresolveReviewThreadInput{ThreadID: githubv4.ID(t.thread.ID)}
	if resolved {
		field, done = "resolveReviewThread", fmt.Sprintf("Resolved a review thread of %s.", p)
		input = githubv4.ResolveReviewThreadInput{ThreadID: githubv4.ID(t.thread.ID)}
	}
	if t.thread.IsResolved == resolved {
		return &ThreadResult{Message: "Nothing to do: the thread is that already.", ThreadID: t.thread.ID, IsResolved: resolved}, nil
	}
	type state struct {
		ID         string
		IsResolved bool
	}
	after, err := change[state](ctx, t.service, field, "thread", input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		look := t.readThread(ctx, "thread_id", t.thread.ID)
		if look != nil || t.thread.IsResolved != resolved {
			return nil, post.Unknown(err, look, "the change", "Repeat the call: doing it twice is a success.")
		}
		return &ThreadResult{Message: done, ThreadID: t.thread.ID, IsResolved: resolved, Warnings: []string{lostWarning}}, nil
	}
	if err != nil {
		return nil, permission(err, t.req.Action+" a thread of "+p.String(), "to be the pull request's author, or write permission")
	}
	return &ThreadResult{Message: done, ThreadID: after.ID, IsResolved: after.IsResolved}, nil
}
