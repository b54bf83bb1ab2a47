package issue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// UpdateRequest are the arguments of update_issue.
type UpdateRequest struct {
	Repo        *string `json:"repo,omitempty"`
	IssueNumber int     `json:"issue_number"`
	Title       *string `json:"title,omitempty"`
	Body        *string `json:"body,omitempty"`
	State       string  `json:"state,omitempty"`
	StateReason string  `json:"state_reason,omitempty"`
	DuplicateOf int     `json:"duplicate_of,omitempty"`
	Milestone   *string `json:"milestone,omitempty"`
	Type        *string `json:"type,omitempty"`
	IfUpdatedAt string  `json:"if_updated_at,omitempty"`
}

// UpdateResult is the issue as GitHub has it after the write.
type UpdateResult struct {
	Message     string    `json:"message"`
	IssueNumber int       `json:"issueNumber"`
	URL         string    `json:"url"`
	State       string    `json:"state"`
	StateReason *string   `json:"stateReason"`
	UpdatedAt   time.Time `json:"updatedAt"`
	Warnings    []string  `json:"warnings,omitempty"`
}

// GitHub's inputs of these names, as maps: the library's cannot say null,
// which is how a milestone or a type is taken away, and lack newer fields.
type (
	UpdateIssueInput          map[string]any
	UpdatePullRequestInput    map[string]any
	UpdateIssueIssueTypeInput map[string]any
	CloseIssueInput           map[string]any
	ClosePullRequestInput     map[string]any
	ReopenIssueInput          map[string]any
	ReopenPullRequestInput    map[string]any
)

// step is one mutation of a write that may need several.
type step struct {
	does  string // for messages: "closed it"
	field string
	input any
}

// Update changes, closes or reopens an issue or a pull request.
func (s *Service) Update(ctx context.Context, req UpdateRequest) (_ *UpdateResult, err error) {
	defer fault.Wrap(&err, "issue.Update(#%d)", req.IssueNumber)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	before, err := s.read(ctx, repo, req.IssueNumber)
	if err != nil {
		return nil, err
	}
	if err := req.unchanged(before); err != nil {
		return nil, err
	}
	steps, err := s.updateSteps(ctx, repo, req, before)
	if err != nil {
		return nil, err
	}
	var done []string
	for _, step := range steps {
		if err := s.mutate(ctx, step.field, step.input); err != nil {
			return nil, explainUpdate(err, before, step, done)
		}
		done = append(done, step.does)
	}
	return s.reportUpdate(ctx, repo, req, before, done)
}

// reportUpdate reads the issue after the write. The write stands, whatever
// becomes of the reading.
func (s *Service) reportUpdate(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject, done []string) (*UpdateResult, error) {
	message := fmt.Sprintf("Nothing to do: %s #%d is that already.", before.kind(), before.Number)
	if len(done) > 0 {
		message = fmt.Sprintf("%s #%d: %s.", strings.ToUpper(before.kind()[:1])+before.kind()[1:], before.Number, strings.Join(done, ", "))
	}
	after, err := s.read(ctx, repo, req.IssueNumber)
	result := &UpdateResult{Message: message}
	if err != nil {
		after = before
		result.Warnings = append(result.Warnings, "the change was made, but reading the issue after it failed; the state is from before")
	}
	if req.Body != nil {
		result.Warnings = append(result.Warnings, post.Warnings(*req.Body)...)
	}
	result.IssueNumber, result.URL, result.State = after.Number, after.URL, after.state
	result.StateReason, result.UpdatedAt = after.stateReason, after.UpdatedAt.UTC()
	return result, nil
}

func (r UpdateRequest) check() error {
	switch {
	case r.Title == nil && r.Body == nil && r.State == "" && r.Milestone == nil && r.Type == nil:
		return fault.New(fault.MissingArguments, "there is nothing to change").
			WithFix("Pass title, body, state, milestone or type.")
	case r.StateReason != "" && r.State != "closed":
		return fault.New(fault.InvalidArguments, "state_reason belongs to state closed").WithFix("Pass state: closed with it.").With("argument", "state_reason")
	case r.DuplicateOf != 0 && r.StateReason != "duplicate":
		return fault.New(fault.InvalidArguments, "duplicate_of belongs to state_reason duplicate").
			WithFix("Pass state: closed and state_reason: duplicate with it.").With("argument", "duplicate_of")
	case r.StateReason == "duplicate" && r.DuplicateOf == 0:
		return fault.New(fault.MissingArguments, "state_reason duplicate needs duplicate_of").
			WithFix("Pass the number of the issue that stays.").With("argument", "duplicate_of")
	case r.DuplicateOf == r.IssueNumber:
		return fault.New(fault.InvalidArguments, "an issue is no duplicate of itself").WithFix("Pass the number of the issue that stays.").With("argument", "duplicate_of")
	}
	if r.Title != nil && strings.TrimSpace(*r.Title) == "" {
		return fault.New(fault.InvalidArguments, "title is blank").WithFix("Pass a title, or leave it out.").With("argument", "title")
	}
	if r.Body != nil {
		_, err := post.Body(*r.Body, "")
		return err
	}
	return nil
}

// unchanged holds the issue against if_updated_at.
func (r UpdateRequest) unchanged(before subject) error {
	if r.IfUpdatedAt == "" {
		return nil
	}
	at, err := page.ParseTime("if_updated_at", r.IfUpdatedAt)
	if err != nil {
		return err
	}
	if at.Equal(before.UpdatedAt) {
		return nil
	}
	return fault.New(fault.Conflict, "%s #%d changed meanwhile: it was updated at %s", before.kind(), before.Number, before.UpdatedAt.UTC().Format(time.RFC3339)).
		WithFix("Read it with get_conversation, put your change into the newer text, and send its updatedAt.").
		With("updatedAt", before.UpdatedAt.UTC())
}

// updateSteps looks everything up that the change needs, before anything is
// changed.
func (s *Service) updateSteps(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject) ([]step, error) {
	var steps []step
	content := map[string]any{}
	var parts []string
	if req.Title != nil && *req.Title != before.Title {
		content["title"], parts = *req.Title, append(parts, "title")
	}
	if req.Body != nil {
		content["body"], parts = *req.Body, append(parts, "body")
	}
	if req.Milestone != nil {
		id, err := s.milestoneID(ctx, repo, *req.Milestone)
		if err != nil {
			return nil, err
		}
		content["milestoneId"], parts = id, append(parts, "milestone")
	}
	if len(content) > 0 {
		steps = append(steps, contentStep(before, content, "changed "+strings.Join(parts, ", ")))
	}
	if req.Type != nil {
		id, err := s.typeID(ctx, repo, *req.Type)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{"changed type", "updateIssueIssueType", UpdateIssueIssueTypeInput{"issueId": before.ID, "issueTypeId": id}})
	}
	state, err := s.stateSteps(ctx, repo, req, before)
	return append(steps, state...), err
}

func contentStep(before subject, content map[string]any, does string) step {
	if before.isPullRequest {
		content["pullRequestId"] = before.ID
		return step{does, "updatePullRequest", UpdatePullRequestInput(content)}
	}
	content["id"] = before.ID
	return step{does, "updateIssue", UpdateIssueInput(content)}
}

// stateSteps closes or reopens, unless it is that already.
func (s *Service) stateSteps(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject) ([]step, error) {
	switch {
	case req.State == "open" && before.state == "OPEN", req.State == "":
		return nil, nil
	case req.State == "open" && before.isPullRequest:
		return []step{{"reopened it", "reopenPullRequest", ReopenPullRequestInput{"pullRequestId": before.ID}}}, nil
	case req.State == "open":
		return []step{{"reopened it", "reopenIssue", ReopenIssueInput{"issueId": before.ID}}}, nil
	case before.isPullRequest && before.state != "OPEN":
		return nil, nil
	case before.isPullRequest:
		return []step{{"closed it", "closePullRequest", ClosePullRequestInput{"pullRequestId": before.ID}}}, nil
	}
	reason := "COMPLETED"
	if req.StateReason != "" {
		reason = strings.ToUpper(req.StateReason)
	}
	if before.state == "CLOSED" && before.stateReason != nil && *before.stateReason == reason && reason != "DUPLICATE" {
		return nil, nil
	}
	input := CloseIssueInput{"issueId": before.ID, "stateReason": reason}
	if req.DuplicateOf != 0 {
		original, err := s.read(ctx, repo, req.DuplicateOf)
		if err != nil {
			return nil, err
		}
		input["duplicateIssueId"] = original.ID
	}
	return []step{{"closed it as " + strings.ToLower(strings.ReplaceAll(reason, "_", " ")), "closeIssue", input}}, nil
}

// milestoneID is a milestone's node id; "" is null, which takes it away.
func (s *Service) milestoneID(ctx context.Context, repo ref.Repo, wanted string) (any, error) {
	if wanted == "" {
		return nil, nil
	}
	found, known, err := s.findMilestone(ctx, repo, wanted)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, unknownMilestone(repo, wanted, known)
	}
	return found.ID, nil
}

// explainUpdate says which step failed, what is done already, and which
// permission a refusal is about.
func explainUpdate(err error, before subject, failed step, done []string) error {
	found := fault.From(err)
	explained := *found
	if found.Code == fault.Forbidden {
		explained.Message = fmt.Sprintf("this token may not change %s #%d: that needs triage permission, or to be its author", before.kind(), before.Number)
		explained.Fix = "See get_viewer_permission for what the token may do; ask a maintainer for the rest."
		explained.With("githubSays", found.Message)
	}
	if found.Code == fault.OutcomeUnknown {
		explained.Fix = fmt.Sprintf("Read #%d with get_conversation, last_n 1; repeat the call only if the change is not there.", before.Number)
	}
	if len(done) > 0 {
		explained.Message += fmt.Sprintf("; before that it was %s", strings.Join(done, ", "))
		explained.With("done", done)
	}
	explained.With("failed", failed.field)
	return explained.WithCause(err)
}
