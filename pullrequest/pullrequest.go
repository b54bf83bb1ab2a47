// Package pullrequest lists pull requests, reads their facts and their diffs,
// opens, changes, reviews and merges them, and checks them out.
//
// It promises that a diff is never cut silently, that a review is posted whole
// or not at all, that nothing is merged but the commit that was reviewed, that
// a checkout throws nothing local away, and that every write reports what
// GitHub answered.
package pullrequest

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ReadTool is the tool that reads what is said on a pull request.
const ReadTool = "get_conversation"

// Options are what a Service needs; GraphQL, REST and Resolver are required.
type Options struct {
	GraphQL  *graphql.Client
	REST     *github.Client
	Resolver *resolve.Resolver
	Home     ref.Repo // the repository of calls that name none; zero when there is none
	Web      ref.Web  // which host pasted URLs may have, and git remotes

	// Token is for fetches over HTTPS from the web host; nil, or an empty
	// token, leaves it to what git itself knows.
	Token func(context.Context) (string, error)
}

// Service has this package's tools as methods. It is safe for concurrent use.
type Service struct{ opts Options }

// New makes a Service.
func New(opts Options) *Service { return &Service{opts: opts} }

// pull is a pull request that a call names.
type pull struct {
	repo   ref.Repo
	number int
}

func (p pull) String() string { return fmt.Sprintf("%s#%d", p.repo, p.number) }

// variables are those that reach the pull request, and more.
func (p pull) variables(more map[string]any) map[string]any {
	all := map[string]any{
		"owner": githubv4.String(p.repo.Owner), "name": githubv4.String(p.repo.Name), "number": githubv4.Int(p.number),
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

// missing is the fault for a pull request that does not exist.
func (p pull) missing() *fault.Error {
	return fault.New(fault.NotFound, "%s has no pull request #%d", p.repo, p.number).
		WithFix("list_pull_requests shows the numbers; issues are read with get_conversation.")
}

// target is the pull request of a call.
func (s *Service) target(repo *string, number int) (pull, error) {
	found, err := ref.Target(repo, s.opts.Home)
	return pull{repo: found, number: number}, err
}

// ask reads one pull request as T.
func ask[T any](ctx context.Context, s *Service, name string, p pull, more map[string]any) (*T, graphql.Notes, error) {
	var query struct {
		Repository *struct {
			PullRequest *T `graphql:"pullRequest(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, name, &query, p.variables(more))
	switch {
	case err != nil:
		return nil, nil, s.explainMissing(ctx, p, p.absent(err))
	case query.Repository == nil:
		return nil, nil, notes.Fault("repository", resolve.NoRepository(p.repo))
	case query.Repository.PullRequest == nil:
		return nil, nil, s.explainMissing(ctx, p, notes.Fault("repository.pullRequest", p.missing()))
	}
	return query.Repository.PullRequest, notes, nil
}

// explainMissing looks whether the number that no pull request has is an
// issue's.
func (s *Service) explainMissing(ctx context.Context, p pull, missing error) error {
	if !fault.Is(missing, fault.NotFound) {
		return missing
	}
	var query struct {
		Repository *struct {
			Issue *struct{ ID string } `graphql:"issue(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	if _, err := s.opts.GraphQL.Query(ctx, "IsIssue", &query, p.variables(nil)); err != nil || query.Repository == nil || query.Repository.Issue == nil {
		return missing
	}
	return fault.New(fault.NotFound, "#%d of %s is an issue, not a pull request", p.number, p.repo).
		WithFix("If it is meant, read it with %s, issue_number %d; list_pull_requests shows pull requests.", ReadTool, p.number).
		With("argument", "pr_number").WithCause(missing)
}

// absent says in the house's words that a pull request is not there.
func (p pull) absent(err error) error {
	if fault.Is(err, fault.NotFound) {
		return p.missing().WithCause(err)
	}
	return err
}

// change runs a mutation and returns the member of its payload called member.
func change[T any](ctx context.Context, s *Service, field, member string, input githubv4.Input, vars map[string]any) (*T, error) {
	mutation, found := graphql.Field[T](field+"(input: $input)", member)
	notes, err := s.opts.GraphQL.Mutate(ctx, strings.ToUpper(field[:1])+field[1:], mutation, input, vars)
	if err != nil {
		return nil, err
	}
	if found() == nil {
		return nil, notes.Fault(field, fault.New(fault.OutcomeUnknown, "GitHub took the write but did not answer with what became of it").
			WithFix("Read the pull request before you repeat the call."))
	}
	return found(), nil
}

// footed is a text that may be blank where a review has comments, with the
// footer that names the agent.
func footed(body, agent string) (string, error) {
	if strings.TrimSpace(body) != "" {
		return post.Body(body, agent)
	}
	if agent == "" {
		return body, nil
	}
	return "— agent " + agent, nil
}

// notBlank refuses an argument without a visible character.
func notBlank(field, value string) error {
	if strings.TrimSpace(value) != "" {
		return nil
	}
	return fault.New(fault.InvalidArguments, "%s is blank", field).WithFix("Pass what it is to be.").With("argument", field)
}

const lostWarning = "GitHub's answer was lost on the way; what the call wanted was found there"

// permission names the permission that a refused write needs.
func permission(err error, doing, needed string) error {
	return transport.MayNot(err, "%s: that needs %s", doing, needed)
}
