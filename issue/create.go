package issue

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
)

// CreateRequest are the arguments of create_issue.
type CreateRequest struct {
	Repo        *string  `json:"repo,omitempty"`
	Title       string   `json:"title"`
	Body        *string  `json:"body,omitempty"`
	Labels      []string `json:"labels,omitempty"`
	Assignees   []string `json:"assignees,omitempty"`
	Milestone   string   `json:"milestone,omitempty"`
	Type        string   `json:"type,omitempty"`
	ParentIssue int      `json:"parent_issue,omitempty"`
}

// CreateResult is the issue that was opened.
type CreateResult struct {
	Message     string    `json:"message"`
	IssueNumber int       `json:"issueNumber"`
	ID          string    `json:"id"`
	DatabaseID  *int64    `json:"databaseId"`
	URL         string    `json:"url"`
	CreatedAt   time.Time `json:"createdAt"`
	Labels      []string  `json:"labels"`
	Assignees   []string  `json:"assignees"`
	Milestone   string    `json:"milestone,omitempty"`
	Type        string    `json:"type,omitempty"`
	ParentIssue int       `json:"parentIssue,omitempty"`
	Warnings    []string  `json:"warnings"`
}

// AddSubIssueInput is GitHub's input of that name, which the library lacks.
type AddSubIssueInput map[string]any

// wireCreated is what opening an issue asks GitHub to tell about it.
type wireCreated struct {
	ID         string
	DatabaseID int64 `graphql:"databaseId"`
	Number     int
	URL        string `graphql:"url"`
	CreatedAt  time.Time
	Milestone  *struct{ Title string }
	Labels     *struct{ Nodes []label }    `graphql:"labels(first: 100)"`
	Assignees  struct{ Nodes []*wireUser } `graphql:"assignees(first: 20)"`
}

func (w wireCreated) result(repo ref.Repo) *CreateResult {
	result := &CreateResult{
		Message:     fmt.Sprintf("Opened issue #%d in %s.", w.Number, repo),
		IssueNumber: w.Number, ID: w.ID, URL: w.URL, CreatedAt: w.CreatedAt.UTC(),
		Labels: wireLabelable{Labels: w.Labels}.names(), Warnings: []string{},
		Assignees: subject{wireCommon: wireCommon{Assignees: w.Assignees}}.assignees(),
	}
	if number := ref.NumberOf(w.DatabaseID, w.ID); number != 0 {
		result.DatabaseID = &number
	}
	if w.Milestone != nil {
		result.Milestone = w.Milestone.Title
	}
	return result
}

// plan is everything a new issue needs, looked up before it is created.
type plan struct {
	input     githubv4.CreateIssueInput
	newest    int      // the newest number before: only a newer one can be the write's doing
	assignees []string // their logins, the viewer's for @me
	typeID    string
	parent    subject
}

// Create opens an issue. Its number is never lost: what fails after the
// creation is a warning.
func (s *Service) Create(ctx context.Context, req CreateRequest) (_ *CreateResult, err error) {
	defer fault.Wrap(&err, "issue.Create")
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	plan, err := s.plan(ctx, repo, req)
	if err != nil {
		return nil, err
	}
	var mutation struct {
		CreateIssue *struct{ Issue *wireCreated } `graphql:"createIssue(input: $input)"`
	}
	notes, err := s.opts.GraphQL.Mutate(ctx, "CreateIssue", &mutation, plan.input, nil)
	var created *wireCreated
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		if created, err = s.lookForCreated(ctx, repo, req, plan.newest, err); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case mutation.CreateIssue == nil || mutation.CreateIssue.Issue == nil:
		return nil, notes.Fault("createIssue", fault.New(fault.OutcomeUnknown, "GitHub took the issue but did not answer with it").
			WithFix("Look with list_issues, sort created, before you repeat the call."))
	default:
		created = mutation.CreateIssue.Issue
	}
	result := created.result(repo)
	if mutation.CreateIssue == nil {
		result.Warnings = warned(result.Warnings, lostAnswer)
	}
	if req.Body != nil {
		result.Warnings = append(result.Warnings, post.Warnings(*req.Body)...)
	}
	s.finish(ctx, repo, req, plan, result)
	return result, nil
}

// plan checks and looks up everything that the issue needs.
func (s *Service) plan(ctx context.Context, repo ref.Repo, req CreateRequest) (plan, error) {
	if err := post.Title("title", req.Title); err != nil {
		return plan{}, err
	}
	if req.Body != nil {
		if _, err := post.Body(*req.Body, ""); err != nil {
			return plan{}, err
		}
	}
	var planned plan
	var err error
	if planned, err = s.place(ctx, repo); err != nil {
		return plan{}, err
	}
	planned.input.Title = githubv4.String(req.Title)
	if req.Body != nil {
		planned.input.Body = githubv4.NewString(githubv4.String(*req.Body))
	}
	if len(req.Labels) > 0 {
		ids, err := s.labelIDs(ctx, repo, LabelsRequest{Action: "add", Labels: req.Labels}, labelled{})
		if err != nil {
			return plan{}, err
		}
		planned.input.LabelIDs = new(githubIDs(ids))
	}
	if len(req.Assignees) > 0 {
		ids, logins, err := s.users(ctx, req.Assignees)
		if err != nil {
			return plan{}, err
		}
		planned.input.AssigneeIDs, planned.assignees = new(githubIDs(ids)), logins
	}
	if req.Milestone != "" {
		id, err := s.milestoneID(ctx, repo, req.Milestone)
		if err != nil {
			return plan{}, err
		}
		planned.input.MilestoneID = githubv4.NewID(githubv4.ID(id))
	}
	if req.Type != "" {
		if planned.typeID, err = s.typeID(ctx, repo, req.Type); err != nil {
			return plan{}, err
		}
	}
	if req.ParentIssue != 0 {
		if planned.parent, err = s.read(ctx, repo, req.ParentIssue); err != nil {
			return plan{}, err
		}
		if planned.parent.isPullRequest {
			return plan{}, onlyIssues(planned.parent)
		}
	}
	return planned, nil
}

// place reads where issues are opened.
func (s *Service) place(ctx context.Context, repo ref.Repo) (plan, error) {
	var query struct {
		Repository *struct {
			ID               string
			HasIssuesEnabled bool
			Issues           struct {
				Nodes []struct{ Number int }
			} `graphql:"issues(first: 1, orderBy: {field: CREATED_AT, direction: DESC})"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "IssuePlace", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name),
	})
	switch {
	case err != nil:
		return plan{}, err
	case query.Repository == nil:
		return plan{}, notes.Fault("repository", resolve.NoRepository(repo))
	case !query.Repository.HasIssuesEnabled:
		return plan{}, fault.New(fault.Forbidden, "%s has issues turned off", repo).
			WithFix("An administrator turns them on in the repository's settings, under Features.")
	}
	found := plan{input: githubv4.CreateIssueInput{RepositoryID: githubv4.ID(query.Repository.ID)}}
	for _, issue := range query.Repository.Issues.Nodes {
		found.newest = issue.Number
	}
	return found, nil
}

// finish does what GitHub has no place for in the creation, and says what it
// left out. Nothing here takes the issue back.
func (s *Service) finish(ctx context.Context, repo ref.Repo, req CreateRequest, plan plan, result *CreateResult) {
	warn := func(format string, args ...any) {
		result.Warnings = append(result.Warnings, fmt.Sprintf(format, args...))
	}
	if missing := absent(req.Labels, result.Labels); len(missing) > 0 {
		warn("GitHub left out the labels %s; that takes triage permission", strings.Join(missing, ", "))
	}
	if missing := absent(plan.assignees, result.Assignees); len(missing) > 0 {
		warn("GitHub left out the assignees %s; they need access to the repository", strings.Join(missing, ", "))
	}
	then := func(field string, input githubv4.Input, done func(now subject) bool) error {
		warning, err := s.surely(ctx, field, input, func(ctx context.Context) (bool, error) {
			now, err := s.read(ctx, repo, result.IssueNumber)
			return err == nil && done(now), err
		})
		result.Warnings = warned(result.Warnings, warning)
		return err
	}
	if plan.typeID != "" {
		err := then("updateIssueIssueType", UpdateIssueIssueTypeInput{"issueId": result.ID, "issueTypeId": plan.typeID},
			func(now subject) bool { return now.typeID == plan.typeID })
		if err != nil {
			warn("the issue was opened, but its type was not set: %s", fault.From(err).Message)
		} else {
			result.Type = req.Type
		}
	}
	if req.ParentIssue != 0 {
		err := then("addSubIssue", AddSubIssueInput{"issueId": plan.parent.ID, "subIssueId": result.ID},
			func(now subject) bool { return now.parent == req.ParentIssue })
		if err != nil {
			warn("the issue was opened, but not made a sub-issue of #%d: %s", req.ParentIssue, fault.From(err).Message)
		} else {
			result.ParentIssue = req.ParentIssue
		}
	}
}

// absent are the names that are wanted but not there.
func absent(wanted, there []string) []string {
	var missing []string
	for _, name := range wanted {
		if !slices.ContainsFunc(there, func(other string) bool { return strings.EqualFold(other, name) }) {
			missing = append(missing, name)
		}
	}
	return missing
}

// lookForCreated finds out what became of an issue whose answer was lost.
func (s *Service) lookForCreated(ctx context.Context, repo ref.Repo, req CreateRequest, before int, lost error) (*wireCreated, error) {
	var query struct {
		Repository *struct {
			Issues struct {
				Nodes []struct {
					wireCreated
					Title           string
					Body            string
					ViewerDidAuthor bool
				}
			} `graphql:"issues(first: 10, orderBy: {field: CREATED_AT, direction: DESC})"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	_, look := s.opts.GraphQL.Query(ctx, "IssueOutcome", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name),
	})
	body := ""
	if req.Body != nil {
		body = *req.Body
	}
	if look == nil && query.Repository != nil {
		for _, found := range query.Repository.Issues.Nodes {
			if found.ViewerDidAuthor && found.Number > before && found.Title == req.Title && post.Same(found.Body, body) {
				return &found.wireCreated, nil
			}
		}
	}
	return nil, post.Unknown(lost, look, "the issue",
		"Look with list_issues, sort created; repeat the call only if the issue is not there.")
}

// users are the node ids of accounts and their logins as GitHub has them, the
// viewer's for @me; an unknown login is VALIDATION_FAILED.
func (s *Service) users(ctx context.Context, wanted []string) (ids, logins []string, err error) {
	found := func(user wireUser) { ids, logins = append(ids, user.ID), append(logins, user.Login) }
	for _, login := range wanted {
		var query struct {
			Viewer wireUser
			User   *wireUser `graphql:"user: user(login: $login) @include(if: $other)"`
		}
		login = strings.TrimPrefix(login, "@")
		notes, err := s.opts.GraphQL.Query(ctx, "User", &query, map[string]any{
			"login": githubv4.String(login), "other": githubv4.Boolean("@"+login != me),
		})
		unknown := fault.New(fault.ValidationFailed, "GitHub has no user %q", login).
			WithFix("Check the spelling of the login.").With("argument", "assignees")
		switch {
		case fault.Is(err, fault.NotFound), fault.Is(err, fault.NotFoundOrNoAccess):
			return nil, nil, unknown.WithCause(err)
		case err != nil:
			return nil, nil, err
		case "@"+login == me:
			found(query.Viewer)
		case query.User == nil:
			if err := notes.Fault("user", unknown); !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.NotFoundOrNoAccess) {
				return nil, nil, err
			}
			return nil, nil, unknown
		default:
			found(*query.User)
		}
	}
	return ids, logins, nil
}

// typeID is the node id of an issue type, "" for none. An unknown one is
// VALIDATION_FAILED, with those there are.
func (s *Service) typeID(ctx context.Context, repo ref.Repo, wanted string) (string, error) {
	if wanted == "" {
		return "", nil
	}
	query, found := graphql.Field[struct {
		Nodes []struct {
			label
			IsEnabled bool
		}
	}]("repository(owner: $owner, name: $name)", "issueTypes(first: 100)")
	notes, err := s.opts.GraphQL.Query(ctx, "IssueTypes", query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name),
	})
	if err != nil {
		return "", err
	}
	var known []string
	if types := found(); types != nil {
		for _, kind := range types.Nodes {
			if !kind.IsEnabled {
				continue
			}
			if strings.EqualFold(kind.Name, wanted) {
				return kind.ID, nil
			}
			known = append(known, kind.Name)
		}
	}
	return "", notes.Fault("repository", fault.New(fault.ValidationFailed, "%s has no issue type %q", repo, wanted).
		WithFix("There are: %s.", orNone(known)).With("argument", "type").With("available", known))
}
