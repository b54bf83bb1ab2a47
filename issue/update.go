package issue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
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

// Inputs of GitHub's, by their names there, as maps: the library's cannot say
// null, which is how a milestone or a type is taken away, and lack newer fields.
type (
	// UpdateIssueInput changes an issue's text or milestone.
	UpdateIssueInput map[string]any
	// UpdatePullRequestInput changes a pull request's.
	UpdatePullRequestInput map[string]any
	// UpdateIssueIssueTypeInput sets an issue's type, or takes it away.
	UpdateIssueIssueTypeInput map[string]any
	// CloseIssueInput closes an issue for a reason.
	CloseIssueInput map[string]any
	// ClosePullRequestInput closes a pull request.
	ClosePullRequestInput map[string]any
	// ReopenIssueInput reopens an issue.
	ReopenIssueInput map[string]any
	// ReopenPullRequestInput reopens a pull request.
	ReopenPullRequestInput map[string]any
)

// step is one mutation of a write that may need several.
type step struct {
	does  string // for messages: "closed it"
	field string
	input any
	done  func(now subject) bool // whether it took effect
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
	var done, warnings []string
	for _, step := range steps {
		warning, err := s.surely(ctx, step.field, step.input, func(ctx context.Context) (bool, error) {
			now, err := s.readWith(ctx, repo, req.IssueNumber, req.Body != nil)
			return err == nil && step.done(now), err
		})
		if err != nil {
			return nil, explainUpdate(err, before, step, done)
		}
		done, warnings = append(done, step.does), warned(warnings, warning)
	}
	return s.reportUpdate(ctx, repo, req, before, done, warnings)
}

// reportUpdate reads the issue after the write. The write stands, whatever
// becomes of the reading.
func (s *Service) reportUpdate(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject, done, warnings []string) (*UpdateResult, error) {
	message := fmt.Sprintf("Nothing to do: %s #%d is that already.", before.kind(), before.Number)
	if len(done) > 0 {
		message = fmt.Sprintf("%s: %s.", before.named(), strings.Join(done, ", "))
	}
	after, err := before, error(nil)
	if len(done) > 0 {
		after, err = s.read(ctx, repo, req.IssueNumber)
	}
	result := &UpdateResult{Message: message, Warnings: warnings}
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

// check refuses what does not go together. A reason to close closes nothing by
// itself: with GitHub it is a word about a change of state.
func (r UpdateRequest) check() error {
	switch {
	case r.StateReason == "duplicate" && r.DuplicateOf == 0:
		return fault.New(fault.MissingArguments, "state_reason duplicate needs duplicate_of").
			WithFix("Pass the number of the issue that stays, with state: closed.").With("argument", "duplicate_of")
	case r.DuplicateOf == r.IssueNumber:
		return fault.New(fault.InvalidArguments, "an issue is no duplicate of itself").WithFix("Pass the number of the issue that stays.").With("argument", "duplicate_of")
	case r.DuplicateOf != 0 && (r.State != "closed" || r.StateReason != "duplicate"):
		return r.closing("duplicate_of", "duplicate", "duplicate_of belongs to state closed with state_reason duplicate")
	case r.StateReason != "" && r.State != "closed":
		return r.closing("state_reason", r.StateReason, "state_reason belongs to state closed")
	case r.Title == nil && r.Body == nil && r.State == "" && r.Milestone == nil && r.Type == nil:
		return fault.New(fault.MissingArguments, "there is nothing to change").
			WithFix("Pass title, body, state, milestone or type.")
	}
	if r.Title != nil {
		if err := post.Title("title", *r.Title); err != nil {
			return err
		}
	}
	if r.Body != nil {
		_, err := post.Body(*r.Body, "")
		return err
	}
	return nil
}

// closing is the fault for an argument that needs the issue to be closed for a
// reason; its fix is the call that does that.
func (r UpdateRequest) closing(argument, reason, message string) error {
	call := r
	call.State, call.StateReason = "closed", reason
	problem := fault.New(fault.InvalidArguments, "%s", message).With("argument", argument)
	arguments, err := page.Encode(call)
	if err != nil {
		return problem.WithCause(err)
	}
	return problem.WithFix("If it is to be closed, call update_issue %s", arguments).
		With("call", map[string]any{"tool": "update_issue", "arguments": call})
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
	content, err := s.contentStep(ctx, repo, req, before)
	if err != nil {
		return nil, err
	}
	kind, err := s.typeStep(ctx, repo, req, before)
	if err != nil {
		return nil, err
	}
	state, err := s.stateStep(ctx, repo, req, before)
	return slices.Concat(content, kind, state), err
}

// contentStep changes title, body and milestone.
func (s *Service) contentStep(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject) ([]step, error) {
	content, milestone := map[string]any{}, before.milestoneID()
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
		if id != milestone {
			content["milestoneId"], parts, milestone = orNull(id), append(parts, "milestone"), id
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	change := step{does: "changed " + strings.Join(parts, ", "), done: func(now subject) bool {
		return (req.Title == nil || *req.Title == now.Title) && (req.Body == nil || post.Same(*req.Body, now.Body)) && now.milestoneID() == milestone
	}}
	if before.isPullRequest {
		content["pullRequestId"] = before.ID
		change.field, change.input = "updatePullRequest", UpdatePullRequestInput(content)
	} else {
		content["id"] = before.ID
		change.field, change.input = "updateIssue", UpdateIssueInput(content)
	}
	return []step{change}, nil
}

// typeStep changes the issue type.
func (s *Service) typeStep(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject) ([]step, error) {
	if req.Type == nil {
		return nil, nil
	}
	if before.isPullRequest {
		return nil, fault.New(fault.ValidationFailed, "#%d is a pull request; only issues have a type", before.Number).
			WithFix("Leave type out; labels are for pull requests, too.").With("argument", "type")
	}
	id, err := s.typeID(ctx, repo, *req.Type)
	if err != nil || id == before.typeID {
		return nil, err
	}
	return []step{{
		does: "changed type", field: "updateIssueIssueType",
		input: UpdateIssueIssueTypeInput{"issueId": before.ID, "issueTypeId": orNull(id)},
		done:  func(now subject) bool { return now.typeID == id },
	}}, nil
}

// orNull is an id, or null for none.
func orNull(id string) any {
	if id == "" {
		return nil
	}
	return id
}

// stateStep closes or reopens, unless it is that already.
func (s *Service) stateStep(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject) ([]step, error) {
	isOpen := before.state == "OPEN"
	switch {
	case req.State == "", req.State == "open" && isOpen:
		return nil, nil
	case before.isPullRequest && req.StateReason != "":
		return nil, fault.New(fault.ValidationFailed, "#%d is a pull request; it is closed without a reason", before.Number).
			WithFix("Leave state_reason out.").With("argument", "state_reason")
	case req.State == "open":
		reopen := step{does: "reopened it", field: "reopenIssue", input: ReopenIssueInput{"issueId": before.ID}, done: subject.isOpen}
		if before.isPullRequest {
			reopen.field, reopen.input = "reopenPullRequest", ReopenPullRequestInput{"pullRequestId": before.ID}
		}
		return []step{reopen}, nil
	case !isOpen && (before.isPullRequest || req.StateReason == "" || before.isClosedAs(req.StateReason) && req.DuplicateOf == 0):
		return nil, nil
	case before.isPullRequest:
		return []step{{
			does: "closed it", field: "closePullRequest", input: ClosePullRequestInput{"pullRequestId": before.ID},
			done: func(now subject) bool { return !now.isOpen() },
		}}, nil
	}
	return s.closeStep(ctx, repo, req, before)
}

// closeStep closes an issue for a reason.
func (s *Service) closeStep(ctx context.Context, repo ref.Repo, req UpdateRequest, before subject) ([]step, error) {
	reason := cmp.Or(req.StateReason, "completed")
	input := CloseIssueInput{"issueId": before.ID, "stateReason": strings.ToUpper(reason)}
	if req.DuplicateOf != 0 {
		original, err := s.read(ctx, repo, req.DuplicateOf)
		if err != nil {
			return nil, err
		}
		if original.isPullRequest {
			return nil, fault.New(fault.ValidationFailed, "#%d is a pull request; an issue is a duplicate of an issue", original.Number).
				WithFix("Pass the number of the issue that stays.").With("argument", "duplicate_of")
		}
		input["duplicateIssueId"] = original.ID
	}
	return []step{{
		does: "closed it as " + strings.ReplaceAll(reason, "_", " "), field: "closeIssue", input: input,
		done: func(now subject) bool { return now.isClosedAs(reason) },
	}}, nil
}

func (s subject) isOpen() bool { return s.state == "OPEN" }

func (s subject) isClosedAs(reason string) bool {
	return s.state == "CLOSED" && s.stateReason != nil && strings.EqualFold(*s.stateReason, reason)
}

// milestoneID is a milestone's node id, "" for none.
func (s *Service) milestoneID(ctx context.Context, repo ref.Repo, wanted string) (string, error) {
	if wanted == "" {
		return "", nil
	}
	found, known, err := s.findMilestone(ctx, repo, wanted)
	if err != nil {
		return "", err
	}
	if found == nil {
		return "", unknownMilestone(repo, wanted, known)
	}
	return found.ID, nil
}

// explainUpdate says which step failed, what is done already, and which
// permission a refusal is about.
func explainUpdate(err error, before subject, failed step, done []string) error {
	explained := *fault.From(transport.MayNot(err, "change %s #%d: that needs triage permission, for its text write permission, or to be its author",
		before.kind(), before.Number))
	if len(done) > 0 {
		explained.Message += fmt.Sprintf("; before that it was %s", strings.Join(done, ", "))
		explained.With("done", done)
	}
	explained.With("failed", failed.field)
	return explained.WithCause(err)
}
