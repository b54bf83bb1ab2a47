package pullrequest

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
)

// CreateRequest are the arguments of create_pull_request.
type CreateRequest struct {
	Repo                *string `json:"repo,omitempty"`
	Title               string  `json:"title"`
	Head                string  `json:"head"`           // branch, or owner:branch
	Base                string  `json:"base,omitempty"` // "" is the default branch
	Body                *string `json:"body,omitempty"`
	Draft               *bool   `json:"draft,omitempty"`
	MaintainerCanModify *bool   `json:"maintainer_can_modify,omitempty"`
}

// CreateResult is the pull request that was opened.
type CreateResult struct {
	Message    string    `json:"message"`
	PRNumber   int       `json:"prNumber"`
	ID         string    `json:"id"`
	URL        string    `json:"url"`
	CreatedAt  time.Time `json:"createdAt"`
	HeadRefOid string    `json:"headRefOid"`
	Warnings   []string  `json:"warnings,omitempty"`
}

// wireCreated is what opening a pull request asks GitHub to tell about it.
type wireCreated struct {
	ID                  string
	Number              int
	Title               string
	URL                 string `graphql:"url"`
	CreatedAt           time.Time
	HeadRefOid          string     `graphql:"headRefOid"`
	HeadRepositoryOwner *wireActor `graphql:"headRepositoryOwner"`
	BaseRefName         string
	ViewerDidAuthor     bool
}

func (w wireCreated) result(repo ref.Repo) *CreateResult {
	return &CreateResult{
		Message: fmt.Sprintf("Opened pull request #%d in %s.", w.Number, repo), PRNumber: w.Number, ID: w.ID, URL: w.URL,
		CreatedAt: w.CreatedAt.UTC(), HeadRefOid: w.HeadRefOid,
	}
}

// opener is one pull request about to be opened.
type opener struct {
	service *Service
	repo    ref.Repo
	req     CreateRequest
	owner   string // of the head branch; "" is the repository's
	branch  string
	before  *wireOpenable
}

// wireOpenable is what has to be known of the repository before.
type wireOpenable struct {
	ID               string
	DefaultBranchRef *struct{ Name string }
	Newest           struct{ Nodes []struct{ Number int } } `graphql:"newest: pullRequests(last: 1)"`
}

// Create opens a pull request.
func (s *Service) Create(ctx context.Context, req CreateRequest) (_ *CreateResult, err error) {
	defer fault.Wrap(&err, "pullrequest.Create")
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if err := post.Title("title", req.Title); err != nil {
		return nil, err
	}
	o := &opener{service: s, repo: repo, req: req}
	o.owner, o.branch = splitHead(req.Head)
	if err := notBlank("head", o.branch); err != nil {
		return nil, err
	}
	if err := o.read(ctx); err != nil {
		return nil, err
	}
	input, warnings, err := o.input()
	if err != nil {
		return nil, err
	}
	opened, err := change[wireCreated](ctx, s, "createPullRequest", "pullRequest", input, nil)
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		return o.lookFor(ctx, err)
	case fault.Is(err, fault.ValidationFailed):
		return nil, o.explain(ctx, err)
	case err != nil:
		return nil, permission(err, "open a pull request in "+repo.String(), "write permission, or a head branch of a fork of your own")
	}
	result := opened.result(repo)
	result.Warnings = warnings
	return result, nil
}

func (o *opener) read(ctx context.Context) error {
	var query struct {
		Repository *wireOpenable `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := o.service.opts.GraphQL.Query(ctx, "Openable", &query, map[string]any{
		"owner": githubv4.String(o.repo.Owner), "name": githubv4.String(o.repo.Name),
	})
	switch {
	case err != nil:
		return err
	case query.Repository == nil:
		return notes.Fault("repository", resolve.NoRepository(o.repo))
	case o.req.Base == "" && query.Repository.DefaultBranchRef == nil:
		return fault.New(fault.ValidationFailed, "%s has no default branch", o.repo).WithFix("Push a first commit, or name base.")
	}
	o.before = query.Repository
	return nil
}

// input is the pull request as GitHub takes it.
func (o *opener) input() (input githubv4.CreatePullRequestInput, warnings []string, err error) {
	input = githubv4.CreatePullRequestInput{
		RepositoryID: githubv4.ID(o.before.ID), Title: githubv4.String(o.req.Title),
		BaseRefName: githubv4.String(o.req.Base), HeadRefName: githubv4.String(o.req.Head),
	}
	if o.req.Base == "" {
		input.BaseRefName = githubv4.String(o.before.DefaultBranchRef.Name)
	}
	if o.req.Body != nil {
		body, err := footed(*o.req.Body, "")
		if err != nil {
			return input, nil, err
		}
		input.Body, warnings = githubv4.NewString(githubv4.String(body)), post.Warnings(body)
	}
	if o.req.Draft != nil {
		input.Draft = githubv4.NewBoolean(githubv4.Boolean(*o.req.Draft))
	}
	if o.req.MaintainerCanModify != nil {
		input.MaintainerCanModify = githubv4.NewBoolean(githubv4.Boolean(*o.req.MaintainerCanModify))
	}
	return input, warnings, nil
}

// ofBranch are the newest open pull requests of the head branch.
func (o *opener) ofBranch(ctx context.Context) ([]wireCreated, error) {
	query, found := graphql.Field[struct{ Nodes []wireCreated }]("repository(owner: $owner, name: $name)",
		"pullRequests(last: 20, headRefName: $head, states: [OPEN])")
	_, err := o.service.opts.GraphQL.Query(ctx, "PullRequestsOfBranch", query, map[string]any{
		"owner": githubv4.String(o.repo.Owner), "name": githubv4.String(o.repo.Name), "head": githubv4.String(o.branch),
	})
	if err != nil || found() == nil {
		return nil, err
	}
	var ours []wireCreated
	for _, open := range found().Nodes {
		owner := o.owner
		if owner == "" {
			owner = o.repo.Owner
		}
		if pull := open.HeadRepositoryOwner.login(); (ref.Repo{Owner: pull}).Equal(ref.Repo{Owner: owner}) {
			ours = append(ours, open)
		}
	}
	return ours, nil
}

// lookFor finds out what became of a pull request whose answer was lost: one
// of the viewer's with that branch and title, newer than all that were there,
// is that one.
func (o *opener) lookFor(ctx context.Context, lost error) (*CreateResult, error) {
	newest := 0
	for _, known := range o.before.Newest.Nodes {
		newest = known.Number
	}
	open, look := o.ofBranch(ctx)
	for _, one := range open {
		if one.ViewerDidAuthor && one.Number > newest && one.Title == o.req.Title {
			result := one.result(o.repo)
			result.Warnings = []string{lostWarning}
			return result, nil
		}
	}
	return nil, post.Unknown(lost, look, "the pull request", "Look with list_pull_requests and head; repeat the call only if it is not there.")
}

// explain names the pull request that is open already, if that is why GitHub
// refused another.
func (o *opener) explain(ctx context.Context, refused error) error {
	open, err := o.ofBranch(ctx)
	if err != nil {
		return refused
	}
	for _, one := range open {
		if o.req.Base == "" || o.req.Base == one.BaseRefName {
			return fault.New(fault.ValidationFailed, "pull request #%d of %s is open already for that branch", one.Number, o.repo).
				WithFix("Go on with that one: get_pull_request with pr_number %d.", one.Number).
				With("prNumber", one.Number).With("url", one.URL).With("githubSays", fault.From(refused).Message).WithCause(refused)
		}
	}
	return refused
}
