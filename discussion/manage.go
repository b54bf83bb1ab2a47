package discussion

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
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ManageRequest are the arguments of manage_discussion.
type ManageRequest struct {
	Repo             *string `json:"repo,omitempty"`
	Action           string  `json:"action"`
	DiscussionNumber int     `json:"discussion_number"`
	Title            *string `json:"title,omitempty"`
	Body             *string `json:"body,omitempty"`
	Category         *string `json:"category,omitempty"`
	Reason           string  `json:"reason,omitempty"`
	CommentID        *string `json:"comment_id,omitempty"`
	Confirm          bool    `json:"confirm,omitempty"`
}

// ManageResult is the discussion as GitHub has it after a write.
type ManageResult struct {
	Message          string    `json:"message"`
	DiscussionNumber int       `json:"discussionNumber"`
	ID               string    `json:"id"`
	URL              string    `json:"url"`
	UpdatedAt        time.Time `json:"updatedAt"`
	State            string    `json:"state"`
	Locked           bool      `json:"locked"`
	AnswerID         *string   `json:"answerId"`
	Warnings         []string  `json:"warnings,omitempty"`
}

// wireState is what a write has to know of a discussion before, and is told
// about it after.
type wireState struct {
	ID        string
	Number    int
	URL       string `graphql:"url"`
	UpdatedAt time.Time
	Closed    bool
	Locked    bool
	Answer    *struct{ ID string }

	StateReason      *string
	ActiveLockReason *string

	Title    string
	Body     string `graphql:"body: body @include(if: $text)"`
	Category struct {
		Name         string
		Slug         string
		IsAnswerable bool
	}
}

func (w wireState) answerID() string {
	if w.Answer == nil {
		return ""
	}
	return w.Answer.ID
}

func (w wireState) result(message string) *ManageResult {
	result := &ManageResult{
		Message: message, DiscussionNumber: w.Number, ID: w.ID, URL: w.URL,
		UpdatedAt: w.UpdatedAt.UTC(), State: state(w.Closed), Locked: w.Locked,
	}
	if w.Answer != nil {
		result.AnswerID = &w.Answer.ID
	}
	return result
}

// action is one way to change a discussion.
type action struct {
	arguments []string // the arguments that belong to it, beside those of all
	reasons   []string // what reason may be; the first is the default
	does      string   // past tense, for the message
	run       func(*manager, context.Context) error
	done      func(m *manager, now wireState) bool // whether the discussion is as the call wants it
	already   bool                                 // what is done already is not done again
}

var actions = map[string]action{
	"update": {
		does: "Updated", arguments: []string{"title", "body", "category"}, run: (*manager).update, done: (*manager).isUpdated,
	},
	"close": {
		does: "Closed", arguments: []string{"reason"}, reasons: []string{"resolved", "outdated", "duplicate"}, run: (*manager).close,
		already: true, done: (*manager).isClosed,
	},
	"reopen": {
		does: "Reopened", run: (*manager).reopen,
		already: true, done: func(_ *manager, now wireState) bool { return !now.Closed },
	},
	"lock": {
		does: "Locked", arguments: []string{"reason"}, reasons: []string{"", "resolved", "off-topic", "spam", "too heated"}, run: (*manager).lock,
		already: true, done: (*manager).isLocked,
	},
	"unlock": {
		does: "Unlocked", run: (*manager).unlock,
		already: true, done: func(_ *manager, now wireState) bool { return !now.Locked },
	},
	"mark_answer": {
		does: "Marked the answer of", arguments: []string{"comment_id"}, run: (*manager).markAnswer,
		done: func(m *manager, after wireState) bool { return after.answerID() == m.answer },
	},
	"unmark_answer": {
		does: "Unmarked the answer of", arguments: []string{"comment_id"}, run: (*manager).unmarkAnswer,
		done: func(_ *manager, after wireState) bool { return after.Answer == nil },
	},
	"delete": {does: "Deleted", run: (*manager).delete},
}

// isClosed: a reason that was not given does not matter.
func (m *manager) isClosed(now wireState) bool {
	return now.Closed && (m.req.Reason == "" || sameReason(now.StateReason, m.req.Reason))
}

func (m *manager) isLocked(now wireState) bool {
	return now.Locked && (m.req.Reason == "" || sameReason(now.ActiveLockReason, m.req.Reason))
}

// sameReason compares GitHub's way of writing a reason with ours.
func sameReason(github *string, reason string) bool {
	return github != nil && *github == shout(reason)
}

// shout is a reason as GitHub's enums write it.
func shout(reason string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToUpper(reason))
}

// manager is one change under way.
type manager struct {
	service *Service
	repo    ref.Repo
	req     ManageRequest
	action  action
	before  wireState
	answer  string // the comment that is to be the answer
}

// Manage changes, closes, locks, answers or deletes a discussion. The result
// is read from GitHub after the write.
func (s *Service) Manage(ctx context.Context, req ManageRequest) (_ *ManageResult, err error) {
	defer fault.Wrap(&err, "discussion.Manage(%s #%d)", req.Action, req.DiscussionNumber)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	m := &manager{service: s, repo: repo, req: req, action: actions[req.Action]}
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.before, err = m.read(ctx); err != nil {
		return nil, err
	}
	if m.action.already && m.action.done(m, m.before) {
		return m.before.result(fmt.Sprintf("Nothing to do: discussion #%d is that already.", m.before.Number)), nil
	}
	if req.Action == "delete" && !req.Confirm {
		return nil, m.confirmation()
	}
	switch err := m.action.run(m, ctx); {
	case fault.Is(err, fault.OutcomeUnknown):
		return m.lookFor(ctx, err)
	case err != nil:
		return nil, m.explain(err)
	}
	return m.report(ctx)
}

func (m *manager) message() string {
	return fmt.Sprintf("%s discussion #%d.", m.action.does, m.before.Number)
}

// report reads the discussion after the write. The write stands, whatever
// becomes of the reading.
func (m *manager) report(ctx context.Context) (*ManageResult, error) {
	if m.req.Action == "delete" {
		return m.gone(), nil
	}
	var warnings []string
	after, err := m.read(ctx)
	if err != nil {
		after = m.before
		warnings = append(warnings, "the change was made, but reading the discussion after it failed; the state is from before")
	}
	if m.req.Body != nil {
		warnings = append(warnings, post.Warnings(*m.req.Body)...)
	}
	result := after.result(m.message())
	result.Warnings = warnings
	return result, nil
}

// gone is the report of a deletion.
func (m *manager) gone() *ManageResult {
	result := m.before.result(m.message())
	result.State, result.AnswerID = "DELETED", nil
	return result
}

// lookFor finds out whether a change whose answer was lost took place.
func (m *manager) lookFor(ctx context.Context, lost error) (*ManageResult, error) {
	after, look := m.read(ctx)
	var result *ManageResult
	switch {
	case m.req.Action == "delete" && fault.Is(look, fault.NotFound):
		result = m.gone()
	case look == nil && m.action.done != nil && m.action.done(m, after):
		result = after.result(m.message())
	default:
		return nil, post.Unknown(lost, look, "the change",
			"Read the discussion with get_discussion_conversation, last_n 1; repeat the call only if the change is not there.")
	}
	result.Warnings = []string{"GitHub's answer was lost on the way; the discussion is as the call wanted it"}
	return result, nil
}

func (m *manager) isUpdated(after wireState) bool {
	return (m.req.Title == nil || *m.req.Title == after.Title) && (m.req.Body == nil || post.Same(*m.req.Body, after.Body)) &&
		(m.req.Category == nil || strings.EqualFold(*m.req.Category, after.Category.Name) || strings.EqualFold(*m.req.Category, after.Category.Slug))
}

// check refuses arguments that do not belong to the action.
func (m *manager) check() error {
	given := map[string]bool{
		"title": m.req.Title != nil, "body": m.req.Body != nil, "category": m.req.Category != nil,
		"reason": m.req.Reason != "", "comment_id": m.req.CommentID != nil,
	}
	for _, name := range []string{"title", "body", "category", "reason", "comment_id"} {
		if given[name] && !slices.Contains(m.action.arguments, name) {
			return fault.New(fault.InvalidArguments, "%s does not belong to action %s", name, m.req.Action).
				WithFix("Leave it out, or see get_mcp_tool_handbook for what each action takes.").With("argument", name)
		}
	}
	if m.req.Reason != "" && !slices.Contains(m.action.reasons, m.req.Reason) {
		return fault.New(fault.InvalidArguments, "reason %q does not belong to action %s", m.req.Reason, m.req.Action).
			WithFix("Use one of: %s.", strings.Join(m.action.reasons, ", ")).With("argument", "reason")
	}
	switch {
	case m.req.Action == "update" && m.req.Title == nil && m.req.Body == nil && m.req.Category == nil:
		return fault.New(fault.MissingArguments, "action update needs title, body or category").WithFix("Pass what is to change.")
	case m.req.Action == "mark_answer" && m.req.CommentID == nil:
		return fault.New(fault.MissingArguments, "action mark_answer needs comment_id").
			WithFix("Pass the id of the comment that is the answer.").With("argument", "comment_id")
	}
	if m.req.Title != nil {
		if err := post.Title("title", *m.req.Title); err != nil {
			return err
		}
	}
	if m.req.Body != nil {
		_, err := post.Body(*m.req.Body, "")
		return err
	}
	return nil
}

// confirmation asks before what cannot be undone; call is what carries it out.
func (m *manager) confirmation() error {
	name, call := m.repo.String(), m.req
	call.Repo, call.Confirm = &name, true
	return fault.New(fault.ConfirmationRequired, "deleting discussion #%d of %s with all its comments cannot be undone", m.req.DiscussionNumber, m.repo).
		WithFix("If that is what is wanted, call manage_discussion again with confirm: true.").
		With("call", map[string]any{"tool": "manage_discussion", "arguments": call})
}

func (m *manager) read(ctx context.Context) (wireState, error) {
	var query struct {
		Repository *struct {
			Discussion *wireState `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := m.service.opts.GraphQL.Query(ctx, "DiscussionState", &query, map[string]any{
		"owner": githubv4.String(m.repo.Owner), "name": githubv4.String(m.repo.Name), "number": githubv4.Int(m.req.DiscussionNumber),
		"text": githubv4.Boolean(m.req.Body != nil),
	})
	switch {
	case err != nil:
		return wireState{}, err
	case query.Repository == nil:
		return wireState{}, notes.Fault("repository", resolve.NoRepository(m.repo))
	case query.Repository.Discussion == nil:
		return wireState{}, notes.Fault("repository.discussion", missing(m.repo, m.req.DiscussionNumber))
	}
	return *query.Repository.Discussion, nil
}

// mutate runs a mutation of which only the success is of interest: the state
// is read afterwards.
func (m *manager) mutate(ctx context.Context, field string, input githubv4.Input) error {
	mutation, found := graphql.Field[struct{ ClientMutationID *string }](field + "(input: $input)")
	notes, err := m.service.opts.GraphQL.Mutate(ctx, strings.ToUpper(field[:1])+field[1:], mutation, input, nil)
	if err == nil && found() == nil {
		return notes.Fault(field, unanswered("the change"))
	}
	return err
}

func (m *manager) update(ctx context.Context) error {
	input := githubv4.UpdateDiscussionInput{DiscussionID: githubv4.ID(m.before.ID)}
	if m.req.Title != nil {
		input.Title = githubv4.NewString(githubv4.String(*m.req.Title))
	}
	if m.req.Body != nil {
		input.Body = githubv4.NewString(githubv4.String(*m.req.Body))
	}
	if m.req.Category != nil {
		category, err := m.service.findCategory(ctx, m.repo, *m.req.Category)
		if err != nil {
			return err
		}
		input.CategoryID = githubv4.NewID(githubv4.ID(category.ID))
	}
	return m.mutate(ctx, "updateDiscussion", input)
}

func (m *manager) close(ctx context.Context) error {
	reason := githubv4.DiscussionCloseReason(shout(m.reason()))
	return m.mutate(ctx, "closeDiscussion", githubv4.CloseDiscussionInput{DiscussionID: githubv4.ID(m.before.ID), Reason: &reason})
}

func (m *manager) reopen(ctx context.Context) error {
	return m.mutate(ctx, "reopenDiscussion", githubv4.ReopenDiscussionInput{DiscussionID: githubv4.ID(m.before.ID)})
}

func (m *manager) lock(ctx context.Context) error {
	input := githubv4.LockLockableInput{LockableID: githubv4.ID(m.before.ID)}
	if reason := m.reason(); reason != "" {
		code := githubv4.LockReason(shout(reason))
		input.LockReason = &code
	}
	return m.mutate(ctx, "lockLockable", input)
}

func (m *manager) unlock(ctx context.Context) error {
	return m.mutate(ctx, "unlockLockable", githubv4.UnlockLockableInput{LockableID: githubv4.ID(m.before.ID)})
}

// reason is the one given, else the action's default.
func (m *manager) reason() string {
	if m.req.Reason != "" {
		return m.req.Reason
	}
	return m.action.reasons[0]
}

func (m *manager) markAnswer(ctx context.Context) error {
	if !m.before.Category.IsAnswerable {
		return fault.New(fault.ValidationFailed, "the category %s takes no answers", m.before.Category.Name).
			WithFix("Move the discussion to a category that does (list_discussion_categories, isAnswerable) with action update.")
	}
	place, err := m.service.locate(ctx, m.repo, m.req.DiscussionNumber, "comment_id", *m.req.CommentID)
	if err != nil {
		return err
	}
	if place.ReplyToID != "" {
		return fault.New(fault.InvalidArguments, "comment_id names a reply; only a top-level comment can be the answer").
			WithFix("Mark the comment it replies to: comment_id %q.", place.ReplyToID).With("argument", "comment_id")
	}
	m.answer = place.CommentID
	return m.mutate(ctx, "markDiscussionCommentAsAnswer", githubv4.MarkDiscussionCommentAsAnswerInput{ID: githubv4.ID(place.CommentID)})
}

func (m *manager) unmarkAnswer(ctx context.Context) error {
	if m.before.Answer == nil {
		return fault.New(fault.ValidationFailed, "discussion #%d has no accepted answer", m.before.Number).
			WithFix("There is nothing to unmark.")
	}
	id := m.before.Answer.ID
	if m.req.CommentID != nil {
		place, err := m.service.locate(ctx, m.repo, m.req.DiscussionNumber, "comment_id", *m.req.CommentID)
		if err != nil {
			return err
		}
		if place.CommentID != id {
			return fault.New(fault.Conflict, "the answer of discussion #%d is another comment", m.before.Number).
				WithFix("Leave comment_id out to unmark the present answer.").With("answerId", id)
		}
	}
	return m.mutate(ctx, "unmarkDiscussionCommentAsAnswer", githubv4.UnmarkDiscussionCommentAsAnswerInput{ID: githubv4.ID(id)})
}

func (m *manager) delete(ctx context.Context) error {
	return m.mutate(ctx, "deleteDiscussion", githubv4.DeleteDiscussionInput{ID: githubv4.ID(m.before.ID)})
}

// explain names the permission that a refused change needs.
func (m *manager) explain(err error) error {
	if !transport.LacksPermission(err) {
		return err
	}
	needed := "triage permission, or to be its author"
	switch m.req.Action {
	case "update":
		if m.before.Locked {
			return locked(m.before.Number, err)
		}
		needed = "write permission, or to be its author"
	case "lock", "unlock", "delete":
		needed = "triage permission"
	}
	return transport.MayNot(err, "%s discussion #%d of %s: that needs %s",
		strings.ReplaceAll(m.req.Action, "_", " "), m.before.Number, m.repo, needed)
}

// locked is the refusal of a text in a locked discussion.
func locked(number int, err error) error {
	return fault.New(fault.Forbidden, "discussion #%d is locked; only people with write permission may comment or edit there", number).
		WithFix("Ask a maintainer to unlock it, or to post for you.").WithCause(err)
}
