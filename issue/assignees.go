package issue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// AssigneesRequest are the arguments of manage_issue_assignees.
type AssigneesRequest struct {
	Repo                 *string  `json:"repo,omitempty"`
	IssueNumber          int      `json:"issue_number"`
	Action               string   `json:"action"`
	Assignees            []string `json:"assignees"`
	RequireUnassigned    *bool    `json:"requireUnassigned,omitempty"`
	AcknowledgedReassign string   `json:"acknowledgedReassign,omitempty"`
}

// AssigneesResult is who has the issue after the write.
type AssigneesResult struct {
	Message           string   `json:"message"`
	IssueNumber       int      `json:"issueNumber"`
	VerifiedAssignees []string `json:"verifiedAssignees"`
	PreviousAssignees []string `json:"previousAssignees,omitempty"`
	AuditCommentID    string   `json:"auditCommentId,omitempty"`
	Warnings          []string `json:"warnings,omitempty"`
}

// assignment is a change of assignees, worked out before anything goes out.
type assignment struct {
	req         AssigneesRequest
	before      subject
	wanted      []string // logins, @me resolved
	add, remove []string
	takesOver   bool // the assignees are replaced, for a reason that is posted
	warnings    []string
}

// ManageAssignees adds or removes assignees. It refuses to add to an issue
// that somebody else has, unless that is asked for.
func (s *Service) ManageAssignees(ctx context.Context, req AssigneesRequest) (_ *AssigneesResult, err error) {
	defer fault.Wrap(&err, "issue.ManageAssignees(#%d)", req.IssueNumber)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if req.Action == "remove" && len(req.Assignees) == 0 {
		return nil, fault.New(fault.InvalidArguments, "assignees is empty, so there is nobody to remove").
			WithFix("Name the logins; action add with [] clears all.").With("argument", "assignees")
	}
	wanted, err := s.logins(ctx, req.Assignees)
	if err != nil {
		return nil, err
	}
	before, err := s.read(ctx, repo, req.IssueNumber)
	if err != nil {
		return nil, err
	}
	change := &assignment{req: req, before: before, wanted: wanted}
	if err := change.plan(); err != nil {
		return nil, err
	}
	if len(change.add) == 0 && len(change.remove) == 0 {
		return change.result(before, fmt.Sprintf("Nothing to do: %s #%d is assigned to %s.", before.kind(), before.Number, orNobody(before.assignees()))), nil
	}
	if err := s.assign(ctx, repo, change); err != nil {
		return nil, explainAssign(err, before)
	}
	return s.reportAssigned(ctx, repo, change)
}

// logins are the accounts meant, each once, with @me resolved.
func (s *Service) logins(ctx context.Context, names []string) ([]string, error) {
	var logins []string
	for _, name := range names {
		login := strings.TrimPrefix(strings.TrimSpace(name), "@")
		if "@"+login == me {
			viewer, err := s.viewer(ctx)
			if err != nil {
				return nil, err
			}
			login = viewer
		}
		if login == "" {
			return nil, fault.New(fault.InvalidArguments, "assignees holds a blank login").WithFix("Leave it out.").With("argument", "assignees")
		}
		if !containsLogin(logins, login) {
			logins = append(logins, login)
		}
	}
	return logins, nil
}

func containsLogin(logins []string, login string) bool {
	return slices.ContainsFunc(logins, func(other string) bool { return strings.EqualFold(other, login) })
}

func withoutLogins(logins, others []string) []string {
	return slices.DeleteFunc(slices.Clone(logins), func(login string) bool { return containsLogin(others, login) })
}

// plan decides what is to be added and removed, and refuses to take an issue
// from somebody by accident.
func (a *assignment) plan() error {
	current := a.before.assignees()
	if a.req.Action == "remove" {
		a.remove = withoutLogins(current, withoutLogins(current, a.wanted))
		return nil
	}
	if len(a.wanted) == 0 { // [] clears
		a.remove = current
		return nil
	}
	a.add = withoutLogins(a.wanted, current)
	others := withoutLogins(current, a.wanted)
	switch {
	case len(a.add) == 0 && a.req.AcknowledgedReassign == "":
		return nil // they have it already
	case a.req.AcknowledgedReassign != "":
		a.remove, a.takesOver = others, len(others) > 0
		return nil
	case len(others) > 0 && (a.req.RequireUnassigned == nil || *a.req.RequireUnassigned):
		return fault.New(fault.AssigneeConflict, "%s #%d is assigned to %s", a.before.kind(), a.before.Number, strings.Join(current, ", ")).
			WithFix("Choose other work, or ask them. To take it over, send acknowledgedReassign with the reason; to work on it together, requireUnassigned: false.").
			With("currentAssignees", current).With("attemptedAssignees", a.wanted)
	}
	return nil
}

// assign carries the plan out: first those who come, then those who go, so
// that the issue is never nobody's.
func (s *Service) assign(ctx context.Context, repo ref.Repo, change *assignment) error {
	write := func(field string, input githubv4.Input, done func(now []string) bool) error {
		warning, err := s.surely(ctx, field, input, func(ctx context.Context) (bool, error) {
			now, err := s.read(ctx, repo, change.before.Number)
			return err == nil && done(now.assignees()), err
		})
		change.warnings = warned(change.warnings, warning)
		return err
	}
	id := githubv4.ID(change.before.ID)
	if len(change.add) > 0 {
		ids, _, err := s.users(ctx, change.add)
		if err != nil {
			return err
		}
		input := githubv4.AddAssigneesToAssignableInput{AssignableID: id, AssigneeIDs: githubIDs(ids)}
		err = write("addAssigneesToAssignable", input, func(now []string) bool { return len(withoutLogins(change.add, now)) == 0 })
		if err != nil {
			return err
		}
	}
	if len(change.remove) == 0 {
		return nil
	}
	input := githubv4.RemoveAssigneesFromAssignableInput{AssignableID: id, AssigneeIDs: githubIDs(change.before.assigneeIDs(change.remove))}
	return write("removeAssigneesFromAssignable", input, func(now []string) bool {
		return len(withoutLogins(change.remove, now)) == len(change.remove)
	})
}

// assigneeIDs are the node ids of those of its assignees.
func (s subject) assigneeIDs(logins []string) []string {
	var ids []string
	for _, assignee := range s.Assignees.Nodes {
		if assignee != nil && containsLogin(logins, assignee.Login) {
			ids = append(ids, assignee.ID)
		}
	}
	return ids
}

// reportAssigned reads who has the issue now, and posts the reason of a
// takeover. A reason that cannot be posted does not undo it.
func (s *Service) reportAssigned(ctx context.Context, repo ref.Repo, change *assignment) (*AssigneesResult, error) {
	after, err := s.read(ctx, repo, change.req.IssueNumber)
	if err != nil {
		return nil, fault.New(fault.OutcomeUnknown, "the change was sent, but reading the assignees after it failed").
			WithFix("Read #%d with get_conversation to see who has it.", change.req.IssueNumber).WithCause(err)
	}
	result := change.result(after, fmt.Sprintf("%s is assigned to %s.", after.named(), orNobody(after.assignees())))
	if change.req.Action == "add" {
		if missing := withoutLogins(change.wanted, after.assignees()); len(missing) > 0 {
			result.Warnings = append(result.Warnings, fmt.Sprintf(
				"GitHub left out %s: an assignee needs access to the repository, and ten are the most", strings.Join(missing, ", ")))
		}
	}
	if change.takesOver {
		if result.AuditCommentID, err = s.audit(ctx, change); err != nil {
			result.Warnings = append(result.Warnings, "the issue was reassigned, but the reason was not posted: "+fault.From(err).Message)
		}
	}
	return result, nil
}

func (a *assignment) result(now subject, message string) *AssigneesResult {
	return &AssigneesResult{
		Message: message, IssueNumber: now.Number, VerifiedAssignees: now.assignees(), PreviousAssignees: a.before.assignees(), Warnings: a.warnings,
	}
}

func orNobody(logins []string) string {
	if len(logins) == 0 {
		return "nobody"
	}
	return strings.Join(logins, ", ")
}

// audit posts the reason of a takeover, for those it was taken from.
func (s *Service) audit(ctx context.Context, change *assignment) (string, error) {
	body := fmt.Sprintf("Reassigned from %s to %s: %s",
		strings.Join(change.remove, ", "), strings.Join(change.wanted, ", "), change.req.AcknowledgedReassign)
	var mutation struct {
		AddComment *struct {
			CommentEdge *struct{ Node struct{ ID string } }
		} `graphql:"addComment(input: $input)"`
	}
	input := githubv4.AddCommentInput{SubjectID: githubv4.ID(change.before.ID), Body: githubv4.String(body)}
	notes, err := s.opts.GraphQL.Mutate(ctx, "AddComment", &mutation, input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return s.lookForAudit(ctx, change.before.ID, body, err)
	}
	if err != nil {
		return "", err
	}
	if mutation.AddComment == nil || mutation.AddComment.CommentEdge == nil {
		return "", notes.Fault("addComment", fault.New(fault.UpstreamError, "GitHub did not answer with the comment"))
	}
	return mutation.AddComment.CommentEdge.Node.ID, nil
}

// lookForAudit finds the comment whose answer was lost.
func (s *Service) lookForAudit(ctx context.Context, id, body string, lost error) (string, error) {
	type wireComments struct {
		Comments struct {
			Nodes []struct {
				ID, Body        string
				ViewerDidAuthor bool
			}
		} `graphql:"comments(last: 10)"`
	}
	var query struct {
		Node *struct {
			Issue       wireComments `graphql:"... on Issue"`
			PullRequest wireComments `graphql:"... on PullRequest"`
		} `graphql:"node(id: $id)"`
	}
	_, err := s.opts.GraphQL.Query(ctx, "AuditOutcome", &query, map[string]any{"id": graphql.ID(id)})
	if err == nil && query.Node != nil {
		for _, comment := range slices.Concat(query.Node.Issue.Comments.Nodes, query.Node.PullRequest.Comments.Nodes) {
			if comment.ViewerDidAuthor && post.Same(comment.Body, body) {
				return comment.ID, nil
			}
		}
	}
	return "", post.Unknown(lost, err, "the comment", "Look with get_conversation, last_n 3.")
}

// explainAssign names the permission that a refused change needs.
func explainAssign(err error, before subject) error {
	return transport.MayNot(err, "assign %s #%d: that needs triage permission", before.kind(), before.Number)
}
