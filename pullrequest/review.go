package pullrequest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// ReviewRequest are the arguments of manage_pr_review.
type ReviewRequest struct {
	Repo                       *string        `json:"repo,omitempty"`
	Action                     string         `json:"action"`
	PRNumber                   int            `json:"pr_number"`
	Event                      string         `json:"event,omitempty"`
	Body                       *string        `json:"body,omitempty"`
	Comments                   []Inline       `json:"comments,omitempty"`
	ReviewID                   *string        `json:"review_id,omitempty"`
	AcknowledgedRequestChanges []Acknowledged `json:"acknowledgedRequestChanges,omitempty"`
	Agent                      string         `json:"agent,omitempty"`
}

// Inline is a comment on a line of the diff, or on the lines from StartLine to
// Line.
type Inline struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Side      string `json:"side,omitempty"` // RIGHT, the new text, or LEFT; "" is RIGHT
	StartLine int    `json:"start_line,omitempty"`
	Body      string `json:"body"`
}

// Acknowledged is what answers one reviewer's request for changes.
type Acknowledged struct {
	Login    string `json:"login"`
	Evidence string `json:"evidence"`
}

// ReviewResult is a review as GitHub has it after a write.
type ReviewResult struct {
	Message     string          `json:"message"`
	ReviewID    string          `json:"reviewId"`
	DatabaseID  *int64          `json:"databaseId"`
	State       string          `json:"state"`
	URL         string          `json:"url"`
	SubmittedAt *time.Time      `json:"submittedAt"`
	Comments    []ReviewComment `json:"comments"`
	Handoff     *Handoff        `json:"handoff"` // nil while others cannot see it
	Warnings    []string        `json:"warnings,omitempty"`
}

// ReviewComment is an inline comment of a review.
type ReviewComment struct {
	CommentID  string `json:"commentId"`
	DatabaseID *int64 `json:"databaseId"`
	URL        string `json:"url"`
}

// Handoff is the exact call with which a peer reads just one comment or review.
type Handoff struct {
	Tool      string        `json:"tool"`
	Arguments ReadArguments `json:"arguments"`
}

// ReadArguments are the arguments of get_conversation for one comment.
type ReadArguments struct {
	Repo      string `json:"repo"`
	PRNumber  int    `json:"pr_number"`
	CommentID string `json:"comment_id"`
}

func (p pull) handoff(id string) *Handoff {
	return &Handoff{Tool: ReadTool, Arguments: ReadArguments{Repo: p.repo.String(), PRNumber: p.number, CommentID: id}}
}

// wireReview is a review with its inline comments.
type wireReview struct {
	ID              string
	DatabaseID      int64 `graphql:"databaseId"`
	State           string
	Body            string
	URL             string `graphql:"url"`
	SubmittedAt     *time.Time
	ViewerDidAuthor bool
	Author          *wireActor
	PullRequest     struct {
		Number     int
		Repository struct{ NameWithOwner string }
	}
	Comments struct {
		TotalCount int
		Nodes      []struct {
			ID         string
			DatabaseID int64  `graphql:"databaseId"`
			URL        string `graphql:"url"`
		}
	} `graphql:"comments(first: 100)"`
}

func (w wireReview) result(p pull, message string) *ReviewResult {
	result := &ReviewResult{
		Message: message, ReviewID: w.ID, DatabaseID: number(w.DatabaseID, w.ID), State: w.State, URL: w.URL,
		SubmittedAt: utc(w.SubmittedAt), Comments: []ReviewComment{},
	}
	for _, comment := range w.Comments.Nodes {
		result.Comments = append(result.Comments, ReviewComment{
			CommentID: comment.ID, DatabaseID: number(comment.DatabaseID, comment.ID), URL: comment.URL,
		})
	}
	if rest := w.Comments.TotalCount - len(w.Comments.Nodes); rest > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d more inline comments were posted than are listed; get_conversation shows them", rest))
	}
	if w.State != "PENDING" {
		result.Handoff = p.handoff(w.ID)
	}
	return result
}

// in reports whether the review is one of the pull request.
func (w wireReview) in(p pull) bool {
	return w.ID != "" && w.PullRequest.Number == p.number && strings.EqualFold(w.PullRequest.Repository.NameWithOwner, p.repo.String())
}

// reviewer is one write to a review under way.
type reviewer struct {
	service *Service
	pull    pull
	req     ReviewRequest
	body    string // with the footer
	before  *wireReviewable
}

// wireReviewable is what a write to a review has to know of the pull request.
type wireReviewable struct {
	ID              string
	State           string
	HeadRefOid      string         `graphql:"headRefOid"`
	Opinions        *wireOpinions  `graphql:"latestOpinionatedReviews(first: 100)"`
	Pending         *wireReviewIDs `graphql:"pending: reviews(states: [PENDING], first: 1)"`
	Latest          *wireReviewIDs `graphql:"latest: reviews(last: 30)"`
	ViewerDidAuthor bool
}

// pending is the viewer's own review in progress; "" when there is none.
func (w wireReviewable) pending() (id, url string) {
	if w.Pending == nil || len(w.Pending.Nodes) == 0 {
		return "", ""
	}
	return w.Pending.Nodes[0].ID, w.Pending.Nodes[0].URL
}

// ManageReview creates a review, replaces its text, submits a pending one or
// dismisses one.
func (s *Service) ManageReview(ctx context.Context, req ReviewRequest) (_ *ReviewResult, err error) {
	defer fault.Wrap(&err, "pullrequest.ManageReview(%s #%d)", req.Action, req.PRNumber)
	p, err := s.target(req.Repo, req.PRNumber)
	if err != nil {
		return nil, err
	}
	r := &reviewer{service: s, pull: p, req: req}
	if err := r.check(); err != nil {
		return nil, err
	}
	actions := map[string]func(context.Context) (*ReviewResult, error){
		"create": r.create, "update": r.update, "submit": r.submit, "dismiss": r.dismiss,
	}
	result, err := actions[req.Action](ctx)
	if err != nil {
		return nil, permission(err, req.Action+" a review of "+p.String(), map[string]string{
			"create": "read permission, and write permission where it is locked", "update": "write permission, or to be the review's author",
			"submit": "read permission, and to be the review's author", "dismiss": "write permission",
		}[req.Action])
	}
	if req.Body != nil {
		result.Warnings = append(post.Warnings(*req.Body), result.Warnings...)
	}
	return result, nil
}

// check refuses arguments that do not go together, before anything goes out.
func (r *reviewer) check() error {
	if err := r.checkArguments(); err != nil {
		return err
	}
	if r.req.Body != nil {
		var err error
		if r.body, err = footed(*r.req.Body, r.req.Agent); err != nil {
			return err
		}
	} else if r.req.Agent != "" && r.req.Action != "dismiss" {
		r.body, _ = footed("", r.req.Agent)
	}
	needs := func(argument, what string) error {
		return fault.New(fault.MissingArguments, "action %s needs %s", r.req.Action, what).WithFix("Pass it as %s.", argument).With("argument", argument)
	}
	blank := r.req.Body == nil || strings.TrimSpace(*r.req.Body) == ""
	switch action := r.req.Action; {
	case (action == "create" || action == "submit") && r.req.Event == "":
		return needs("event", "the decision")
	case action == "submit" && r.req.Event == "pending":
		return fault.New(fault.InvalidArguments, "event pending does not belong to action submit: it is pending already").
			WithFix("Pass approve, request_changes or comment.").With("argument", "event")
	case action == "create" && r.req.Event != "approve" && blank && len(r.req.Comments) == 0 && r.req.Event != "pending":
		return needs("body", "a text or comments with event "+r.req.Event)
	case (action == "update" || action == "dismiss") && r.req.ReviewID == nil:
		return needs("review_id", "the review")
	case (action == "update" || action == "dismiss") && blank:
		return needs("body", "a text")
	}
	return r.checkComments()
}

// reviewArguments are the arguments that belong to each action, beside those of
// all.
var reviewArguments = map[string][]string{
	"create": {"event", "body", "comments", "acknowledgedRequestChanges", "agent"},
	"update": {"body", "review_id", "agent"}, "submit": {"event", "body", "review_id", "acknowledgedRequestChanges", "agent"},
	"dismiss": {"body", "review_id"},
}

func (r *reviewer) checkArguments() error {
	for _, argument := range []struct {
		name  string
		given bool
	}{
		{"event", r.req.Event != ""}, {"body", r.req.Body != nil}, {"comments", len(r.req.Comments) > 0}, {"review_id", r.req.ReviewID != nil},
		{"acknowledgedRequestChanges", len(r.req.AcknowledgedRequestChanges) > 0}, {"agent", r.req.Agent != ""},
	} {
		if argument.given && !slices.Contains(reviewArguments[r.req.Action], argument.name) {
			return fault.New(fault.InvalidArguments, "%s does not belong to action %s", argument.name, r.req.Action).
				WithFix("Leave it out, or see get_mcp_tool_handbook for what each action takes.").With("argument", argument.name)
		}
	}
	return nil
}

func (r *reviewer) checkComments() error {
	for i, comment := range r.req.Comments {
		at := fmt.Sprintf("comments[%d]", i)
		if err := notBlank(at+".path", comment.Path); err != nil {
			return err
		}
		if _, err := post.Body(comment.Body, ""); err != nil {
			refused := *fault.From(err)
			refused.Message = at + ": " + refused.Message
			return &refused
		}
		if comment.StartLine > comment.Line {
			return fault.New(fault.InvalidArguments, "%s: start_line %d lies behind line %d", at, comment.StartLine, comment.Line).
				WithFix("line is the last line of the range.").With("argument", at)
		}
	}
	return nil
}

// read reads what has to be known before, once.
func (r *reviewer) read(ctx context.Context) (err error) {
	r.before, _, err = ask[wireReviewable](ctx, r.service, "Reviewable", r.pull, nil)
	return err
}

var events = map[string]githubv4.PullRequestReviewEvent{
	"approve": githubv4.PullRequestReviewEventApprove, "request_changes": githubv4.PullRequestReviewEventRequestChanges,
	"comment": githubv4.PullRequestReviewEventComment,
}

// create posts a review with its inline comments in one step: GitHub takes all
// of it or nothing.
func (r *reviewer) create(ctx context.Context) (*ReviewResult, error) {
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	if id, url := r.before.pending(); id != "" {
		return nil, fault.New(fault.ReviewConflict, "you have a review in progress on %s, and GitHub allows one", r.pull).
			WithFix(`Submit it with action submit, or delete it on the web; then create this one.`).With("pendingReviewId", id).With("url", url)
	}
	if err := r.guard(ctx); err != nil {
		return nil, err
	}
	input := githubv4.AddPullRequestReviewInput{PullRequestID: githubv4.ID(r.before.ID)}
	if event, ok := events[r.req.Event]; ok {
		input.Event = &event
	}
	if r.body != "" {
		input.Body = githubv4.NewString(githubv4.String(r.body))
	}
	if len(r.req.Comments) > 0 {
		input.Threads = r.threads()
	}
	review, err := change[wireReview](ctx, r.service, "addPullRequestReview", "pullRequestReview", input, nil)
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		return r.lookForCreated(ctx, err)
	case fault.Is(err, fault.ValidationFailed):
		return nil, r.explainLines(ctx, err)
	case err != nil:
		return nil, err
	}
	return review.result(r.pull, r.done(review.State)), nil
}

// threads are the inline comments as GitHub takes them.
func (r *reviewer) threads() *[]*githubv4.DraftPullRequestReviewThread {
	threads := []*githubv4.DraftPullRequestReviewThread{}
	for _, comment := range r.req.Comments {
		side := comment.side()
		thread := &githubv4.DraftPullRequestReviewThread{
			Path: githubv4.NewString(githubv4.String(comment.Path)), Line: githubv4.NewInt(githubv4.Int(comment.Line)),
			Side: &side, Body: githubv4.String(comment.Body),
		}
		if comment.StartLine != 0 && comment.StartLine != comment.Line {
			thread.StartLine, thread.StartSide = githubv4.NewInt(githubv4.Int(comment.StartLine)), &side
		}
		threads = append(threads, thread)
	}
	return &threads
}

func (c Inline) side() githubv4.DiffSide {
	if c.Side == "" {
		return githubv4.DiffSideRight
	}
	return githubv4.DiffSide(c.Side)
}

func (r *reviewer) done(state string) string {
	switch state {
	case "APPROVED":
		return fmt.Sprintf("Approved %s.", r.pull)
	case "CHANGES_REQUESTED":
		return fmt.Sprintf("Requested changes of %s.", r.pull)
	case "PENDING":
		return fmt.Sprintf("Saved a pending review of %s; only you see it until you submit it.", r.pull)
	}
	return fmt.Sprintf("Reviewed %s.", r.pull)
}

// lookForCreated finds out what became of a review whose answer was lost: the
// same text by the viewer that was not there before is that review.
func (r *reviewer) lookForCreated(ctx context.Context, lost error) (*ReviewResult, error) {
	after, _, look := ask[struct {
		Latest *struct{ Nodes []wireReview } `graphql:"latest: reviews(last: 30)"`
	}](ctx, r.service, "ReviewOutcome", r.pull, nil)
	if look == nil && after.Latest != nil {
		for _, review := range after.Latest.Nodes {
			if review.ViewerDidAuthor && post.Same(review.Body, r.body) && !r.before.had(review.ID) {
				return found(review.result(r.pull, r.done(review.State))), nil
			}
		}
	}
	return nil, post.Unknown(lost, look, "the review", fmt.Sprintf(
		"Read %s with pr_number %d and last_n 5; repeat the call only if the review is not there.", ReadTool, r.pull.number))
}

// had reports whether a review was there before.
func (w wireReviewable) had(id string) bool {
	if w.Latest == nil {
		return false
	}
	for _, review := range w.Latest.Nodes {
		if review.ID == id {
			return true
		}
	}
	return false
}

// found marks a result as that of a write whose answer was lost.
func found(result *ReviewResult) *ReviewResult {
	result.Warnings = append(result.Warnings, lostWarning)
	return result
}

// review finds the review that review_id names, in any spelling.
func (r *reviewer) review(ctx context.Context) (wireReview, error) {
	absent := fault.New(fault.NotFound, "review_id names no review of %s that this token can see", r.pull).
		WithFix("Take the id from get_conversation, or from the review's hand-off.").With("argument", "review_id")
	spelled, err := r.service.opts.Web.ParseComment("review_id", *r.req.ReviewID)
	if err != nil {
		return wireReview{}, err
	}
	if spelled.Type != "" && spelled.Type != ref.PullRequestReview {
		return wireReview{}, absent
	}
	id, err := r.service.opts.Resolver.NodeID(ctx, r.pull.repo, ref.PullRequestReview, spelled)
	if err != nil {
		return wireReview{}, err
	}
	if id == "" {
		return wireReview{}, absent
	}
	var query struct {
		Node *struct {
			Review wireReview `graphql:"... on PullRequestReview"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := r.service.opts.GraphQL.Query(ctx, "Review", &query, map[string]any{"id": graphql.ID(id)})
	switch {
	case fault.Is(err, fault.NotFound):
		return wireReview{}, absent.WithCause(err)
	case err != nil:
		return wireReview{}, err
	case query.Node == nil:
		return wireReview{}, notes.Fault("node", absent)
	case !query.Node.Review.in(r.pull):
		return wireReview{}, absent
	}
	return query.Node.Review, nil
}

// update replaces the text of a review.
func (r *reviewer) update(ctx context.Context) (*ReviewResult, error) {
	before, err := r.review(ctx)
	if err != nil {
		return nil, err
	}
	input := githubv4.UpdatePullRequestReviewInput{PullRequestReviewID: githubv4.ID(before.ID), Body: githubv4.String(r.body)}
	after, err := change[wireReview](ctx, r.service, "updatePullRequestReview", "pullRequestReview", input, nil)
	message := fmt.Sprintf("Replaced the text of a review of %s.", r.pull)
	if fault.Is(err, fault.OutcomeUnknown) {
		return r.lookAgain(ctx, err, "the new text", func(now wireReview) bool { return post.Same(now.Body, r.body) },
			func(string) string { return message })
	}
	if err != nil {
		return nil, err
	}
	return after.result(r.pull, message), nil
}

// lookAgain finds out whether a change to a review whose answer was lost took
// place.
func (r *reviewer) lookAgain(ctx context.Context, lost error, what string, is func(wireReview) bool, message func(state string) string) (*ReviewResult, error) {
	now, look := r.review(ctx)
	if look == nil && is(now) {
		return found(now.result(r.pull, message(now.State))), nil
	}
	return nil, post.Unknown(lost, look, what, fmt.Sprintf(
		"Read %s with pr_number %d and the review as comment_id; repeat the call only if the change is not there.", ReadTool, r.pull.number))
}

// submit shows the viewer's pending review to the others.
func (r *reviewer) submit(ctx context.Context) (*ReviewResult, error) {
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	id, _ := r.before.pending()
	if r.req.ReviewID == nil && id == "" {
		return nil, fault.New(fault.NotFound, "you have no review in progress on %s", r.pull).
			WithFix("Use action create to post one.").With("argument", "review_id")
	}
	if r.req.ReviewID == nil {
		r.req.ReviewID = &id
	}
	named, err := r.review(ctx)
	if err != nil {
		return nil, err
	}
	if named.State != "PENDING" {
		return nil, fault.New(fault.ReviewConflict, "the review was submitted before; its state is %s", named.State).
			WithFix("Nothing is left to submit: post another with action create.").With("state", named.State)
	}
	if err := r.guard(ctx); err != nil {
		return nil, err
	}
	input := githubv4.SubmitPullRequestReviewInput{Event: events[r.req.Event]}
	review := githubv4.ID(named.ID)
	input.PullRequestReviewID = &review
	if r.body != "" {
		input.Body = githubv4.NewString(githubv4.String(r.body))
	}
	after, err := change[wireReview](ctx, r.service, "submitPullRequestReview", "pullRequestReview", input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return r.lookAgain(ctx, err, "the decision", func(now wireReview) bool { return now.State != "PENDING" }, r.done)
	}
	if err != nil {
		return nil, err
	}
	return after.result(r.pull, r.done(after.State)), nil
}

// dismiss takes the decision of a review away.
func (r *reviewer) dismiss(ctx context.Context) (*ReviewResult, error) {
	before, err := r.review(ctx)
	if err != nil {
		return nil, err
	}
	message := fmt.Sprintf("Dismissed a review of %s by %s.", r.pull, before.Author.login())
	if before.State == "DISMISSED" {
		return before.result(r.pull, "Nothing to do: the review is dismissed already."), nil
	}
	input := githubv4.DismissPullRequestReviewInput{PullRequestReviewID: githubv4.ID(before.ID), Message: githubv4.String(*r.req.Body)}
	after, err := change[wireReview](ctx, r.service, "dismissPullRequestReview", "pullRequestReview", input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return r.lookAgain(ctx, err, "the dismissal", func(now wireReview) bool { return now.State == "DISMISSED" },
			func(string) string { return message })
	}
	if err != nil {
		return nil, err
	}
	return after.result(r.pull, message), nil
}
