package pullrequest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
)

// UpdateRequest are the arguments of update_pull_request.
type UpdateRequest struct {
	Repo        *string `json:"repo,omitempty"`
	PRNumber    int     `json:"pr_number"`
	Title       *string `json:"title,omitempty"`
	Body        *string `json:"body,omitempty"`
	Base        *string `json:"base,omitempty"`
	State       string  `json:"state,omitempty"`
	Draft       *bool   `json:"draft,omitempty"`
	IfUpdatedAt string  `json:"if_updated_at,omitempty"`
}

// UpdateResult is the pull request as GitHub has it after a write.
type UpdateResult struct {
	Message   string    `json:"message"`
	PRNumber  int       `json:"prNumber"`
	URL       string    `json:"url"`
	State     string    `json:"state"`
	IsDraft   bool      `json:"isDraft"`
	UpdatedAt time.Time `json:"updatedAt"`
	Warnings  []string  `json:"warnings,omitempty"`
}

// wireState is what a write has to know of a pull request before, and is told
// about it after.
type wireState struct {
	ID          string
	Number      int
	URL         string `graphql:"url"`
	State       string
	IsDraft     bool
	UpdatedAt   time.Time
	Title       string
	Body        string
	BaseRefName string
}

func (w wireState) result(message string, warnings []string) *UpdateResult {
	return &UpdateResult{
		Message: message, PRNumber: w.Number, URL: w.URL, State: w.State, IsDraft: w.IsDraft, UpdatedAt: w.UpdatedAt.UTC(), Warnings: warnings,
	}
}

// updater is one change under way.
type updater struct {
	service *Service
	pull    pull
	req     UpdateRequest
	now     wireState // as GitHub told it last
}

// Update changes the text, the base or the state of a pull request, or turns
// it into a draft and back.
func (s *Service) Update(ctx context.Context, req UpdateRequest) (_ *UpdateResult, err error) {
	defer fault.Wrap(&err, "pullrequest.Update(#%d)", req.PRNumber)
	p, err := s.target(req.Repo, req.PRNumber)
	if err != nil {
		return nil, err
	}
	u := &updater{service: s, pull: p, req: req}
	if err := u.check(); err != nil {
		return nil, err
	}
	if err := u.read(ctx); err != nil {
		return nil, err
	}
	if err := u.guard(); err != nil {
		return nil, err
	}
	return u.run(ctx)
}

// check refuses what GitHub would not take, before anything goes out.
func (u *updater) check() error {
	req := u.req
	if req.Title == nil && req.Body == nil && req.Base == nil && req.State == "" && req.Draft == nil {
		return fault.New(fault.MissingArguments, "nothing is to change").WithFix("Pass title, body, base, state or draft.")
	}
	if req.Title != nil {
		if err := post.Title("title", *req.Title); err != nil {
			return err
		}
	}
	if req.Body != nil {
		if _, err := footed(*req.Body, ""); err != nil {
			return err
		}
	}
	if _, err := time.Parse(time.RFC3339, req.IfUpdatedAt); req.IfUpdatedAt != "" && err != nil {
		return fault.New(fault.InvalidArguments, "if_updated_at is no RFC 3339 time").
			WithFix("Pass the updatedAt that you read, as it is.").With("argument", "if_updated_at")
	}
	return nil
}

func (u *updater) read(ctx context.Context) error {
	state, _, err := ask[wireState](ctx, u.service, "PullRequestState", u.pull, nil)
	if err == nil {
		u.now = *state
	}
	return err
}

// guard refuses what the state of the pull request forbids.
func (u *updater) guard() error {
	if u.req.IfUpdatedAt != "" {
		if read, _ := time.Parse(time.RFC3339, u.req.IfUpdatedAt); !read.Equal(u.now.UpdatedAt) {
			return fault.New(fault.Conflict, "%s changed since you read it; nothing was written", u.pull).
				WithFix("Read it again, put your change into the newer text, and send its updatedAt.").
				With("updatedAt", u.now.UpdatedAt.UTC())
		}
	}
	if u.req.State != "" && u.now.State == "MERGED" {
		return fault.New(fault.ValidationFailed, "%s is merged: it can be neither closed nor reopened", u.pull).
			WithFix("Open another pull request to take it back or to go on.")
	}
	return nil
}

// step is one request to GitHub; is reports whether it is done.
type step struct {
	name string // what it does, for a warning
	run  func(context.Context) (*wireState, error)
	is   func(wireState) bool
}

// run does what is not done already, step by step. When a later one fails, the
// earlier ones stand, and the warnings say so.
func (u *updater) run(ctx context.Context) (*UpdateResult, error) {
	var warnings, done []string
	if u.req.Body != nil {
		warnings = post.Warnings(*u.req.Body)
	}
	for _, step := range u.steps() {
		if step.is(u.now) {
			continue
		}
		after, err := step.run(ctx)
		if fault.Is(err, fault.OutcomeUnknown) {
			after, err = u.lookFor(ctx, step, err)
			warnings = append(warnings, lostWarning)
		}
		if err != nil {
			err = permission(err, "change "+u.pull.String(), "write permission, or to be its author")
			if len(done) == 0 {
				return nil, err
			}
			failed := fault.From(err)
			return u.now.result(fmt.Sprintf("Changed %s in part.", u.pull), append(warnings, fmt.Sprintf(
				"done: %s; but %s failed with %s: %s", strings.Join(done, ", "), step.name, failed.Code, failed.Message))), nil
		}
		u.now = *after
		done = append(done, step.name)
	}
	if len(done) == 0 {
		return u.now.result(fmt.Sprintf("Nothing to do: %s is that already.", u.pull), warnings), nil
	}
	return u.now.result(fmt.Sprintf("Changed %s: %s.", u.pull, strings.Join(done, ", ")), warnings), nil
}

// steps are the requests that the change may take.
func (u *updater) steps() []step {
	steps := []step{{name: "text, base or state", run: u.update, is: u.isUpdated}}
	if u.req.Draft != nil && *u.req.Draft {
		steps = append(steps, step{name: "turning it into a draft", is: func(now wireState) bool { return now.IsDraft }, run: func(ctx context.Context) (*wireState, error) {
			return change[wireState](ctx, u.service, "convertPullRequestToDraft", "pullRequest",
				githubv4.ConvertPullRequestToDraftInput{PullRequestID: githubv4.ID(u.now.ID)}, nil)
		}})
	}
	if u.req.Draft != nil && !*u.req.Draft {
		steps = append(steps, step{name: "marking it ready for review", is: func(now wireState) bool { return !now.IsDraft }, run: func(ctx context.Context) (*wireState, error) {
			return change[wireState](ctx, u.service, "markPullRequestReadyForReview", "pullRequest",
				githubv4.MarkPullRequestReadyForReviewInput{PullRequestID: githubv4.ID(u.now.ID)}, nil)
		}})
	}
	return steps
}

// update changes text, base and state at once.
func (u *updater) update(ctx context.Context) (*wireState, error) {
	input := githubv4.UpdatePullRequestInput{PullRequestID: githubv4.ID(u.now.ID)}
	for at, value := range map[**githubv4.String]*string{&input.Title: u.req.Title, &input.Body: u.req.Body, &input.BaseRefName: u.req.Base} {
		if value != nil {
			*at = githubv4.NewString(githubv4.String(*value))
		}
	}
	if u.req.State != "" && !u.isInState(u.now) {
		state := githubv4.PullRequestUpdateState(strings.ToUpper(u.req.State))
		input.State = &state
	}
	return change[wireState](ctx, u.service, "updatePullRequest", "pullRequest", input, nil)
}

func (u *updater) isInState(now wireState) bool {
	return u.req.State == "" || strings.EqualFold(u.req.State, now.State)
}

// isUpdated reports whether text, base and state are as the call wants them.
func (u *updater) isUpdated(now wireState) bool {
	return (u.req.Title == nil || *u.req.Title == now.Title) && (u.req.Body == nil || post.Same(*u.req.Body, now.Body)) &&
		(u.req.Base == nil || *u.req.Base == now.BaseRefName) && u.isInState(now)
}

// lookFor finds out whether a step whose answer was lost took place.
func (u *updater) lookFor(ctx context.Context, step step, lost error) (*wireState, error) {
	look := u.read(ctx)
	if look == nil && step.is(u.now) {
		return &u.now, nil
	}
	return nil, post.Unknown(lost, look, "the change", "Read get_pull_request; repeat the call only if the change is not there.")
}
