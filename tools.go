package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/github-workflow-mcp/github-workflow-mcp/awareness"
	"github.com/github-workflow-mcp/github-workflow-mcp/cli"
	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/handbook"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// open assembles the server. Whatever is wrong with the settings is said here;
// the way to GitHub is built by the first call that needs it.
func (c *config) open(ctx context.Context) (*cli.App, error) {
	log, err := c.logger()
	if err != nil {
		return nil, err
	}
	if c.listing != "compact" && c.listing != "full" {
		return nil, fmt.Errorf("unknown --listing %q; there are compact and full", c.listing)
	}
	mode, err := trust.ParseMode(c.trust)
	if err != nil {
		return nil, fmt.Errorf("--trust: %w", err)
	}
	endpoints, err := transport.ResolveEndpoints(c.endpoints)
	if err != nil {
		return nil, err
	}
	home, err := c.home(ctx, endpoints)
	if err != nil {
		return nil, err
	}
	tools, err := contract.LoadCompiled(contractText, contractCompiled)
	if err != nil {
		return nil, err
	}
	var assembled *server.Server
	r := &rooms{}
	r.connect = sync.OnceValues(func() (*connection, error) {
		to, err := c.connect(ctx, endpoints, home(), "github-workflow-mcp/"+tools.Version(), log)
		r.connected.Store(to)
		return to, err
	})
	r.build(c, tools, func() *server.Server { return assembled })
	assembled, err = server.New(server.Options{
		Contract: tools, Handlers: r.handlers(), Selection: c.selection, FullListing: c.listing == "full",
		Instructions:   func(listed []string) string { return instructions(tools.Title(), home(), listed) },
		Roster:         func(listed []listing.Tool) string { return roster(tools.Title(), listed) },
		Complete:       r.complete,
		MaxResultBytes: c.maxResult, Trust: trust.Policy{Mode: mode, TrustedLogins: c.trustedLogins}, Logger: log,
		BeforeWrite:  r.beforeWrite(c),
		CheckResults: c.sandbox, // where nobody pays for it, and everybody tries it
	})
	if err != nil {
		return nil, err
	}
	return &cli.App{Server: assembled, Version: tools.Version(), Close: r.close}, nil
}

// instructions is the paragraph that a model gets once per session.
func instructions(product string, home ref.Repo, listed []string) string {
	in := awareness.InstructionsInput{Product: product}
	if !home.IsZero() {
		in.Repo = home.String()
	}
	for _, name := range listed {
		in.Tools = append(in.Tools, awareness.Tool{Name: name})
	}
	return awareness.Instructions(in)
}

func awarenessTools(listed []listing.Tool) []awareness.Tool {
	tools := make([]awareness.Tool, len(listed))
	for i, t := range listed {
		tools[i] = awareness.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema}
	}
	return tools
}

// mostTelling are the tools that a roster begins with: what the others are for
// follows from them.
func mostTelling() []string {
	return []string{
		"get_discussion_conversation", "get_conversation", "manage_discussion_comment", "manage_issue_comment",
		"list_discussions", "search_issues", "get_pull_request", "get_mcp_tool_handbook",
	}
}

// roster is the list of tools for people and models, the most telling first.
func roster(product string, listed []listing.Tool) string {
	tools := awarenessTools(listed)
	first := mostTelling()
	rank := func(t awareness.Tool) int {
		if i := slices.Index(first, t.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(tools, func(a, b awareness.Tool) int { return rank(a) - rank(b) })
	return awareness.ToolRoster(product+" tools:", tools)
}

// rooms are the packages that have the tools. Each is made by its first call.
type rooms struct {
	connect      func() (*connection, error)
	connected    atomic.Pointer[connection] // nil until a call needed it
	discussion   func() (*discussion.Service, error)
	conversation func() (*conversation.Service, error)
	issue        func() (*issue.Service, error)
	pullrequest  func() (*pullrequest.Service, error)
	repository   func() (*repository.Service, error)
	identity     func() (*repository.Identity, error)
	handbook     func() (*handbook.Book, error)
}

func (r *rooms) build(c *config, tools *contract.Contract, assembled func() *server.Server) {
	r.discussion = sync.OnceValues(func() (*discussion.Service, error) {
		to, err := r.connect()
		if err != nil {
			return nil, err
		}
		return discussion.New(discussion.Options{GraphQL: to.graphQL, Resolver: to.resolver, Home: to.home, Web: to.web}), nil
	})
	r.conversation = sync.OnceValues(func() (*conversation.Service, error) {
		to, err := r.connect()
		if err != nil {
			return nil, err
		}
		return conversation.New(conversation.Options{GraphQL: to.graphQL, Resolver: to.resolver, Home: to.home, Web: to.web}), nil
	})
	r.issue = sync.OnceValues(func() (*issue.Service, error) {
		to, err := r.connect()
		if err != nil {
			return nil, err
		}
		return issue.New(issue.Options{GraphQL: to.graphQL, Resolver: to.resolver, Home: to.home}), nil
	})
	r.pullrequest = sync.OnceValues(func() (*pullrequest.Service, error) {
		to, err := r.connect()
		if err != nil {
			return nil, err
		}
		return pullrequest.New(pullrequest.Options{
			GraphQL: to.graphQL, REST: to.rest, Resolver: to.resolver, Home: to.home, Web: to.web, Token: to.token,
		}), nil
	})
	r.repository = sync.OnceValues(func() (*repository.Service, error) {
		to, err := r.connect()
		if err != nil {
			return nil, err
		}
		return repository.New(repository.Options{
			GraphQL: to.graphQL, REST: to.rest, Home: to.home,
			Server: c.selfDescription(tools, to, assembled()), ExpectedLogin: c.expectedLogin,
		}), nil
	})
	r.identity = sync.OnceValues(func() (*repository.Identity, error) {
		to, err := r.connect()
		if err != nil {
			return nil, err
		}
		return repository.NewIdentity(repository.IdentityOptions{GraphQL: to.graphQL, Token: to.token, Expected: c.expectedLogin}), nil
	})
	r.handbook = sync.OnceValues(func() (*handbook.Book, error) { return handbook.New(tools), nil })
}

// beforeWrite refuses the writes of another login than the expected one; nil
// when none is expected.
func (r *rooms) beforeWrite(c *config) func(context.Context) error {
	if c.expectedLogin == "" {
		return nil
	}
	return func(ctx context.Context) error {
		who, err := r.identity()
		if err != nil {
			return err
		}
		return who.Check(ctx)
	}
}

// selfDescription is what the health check says about this process.
func (c *config) selfDescription(tools *contract.Contract, to *connection, s *server.Server) repository.Server {
	digest, count := s.Surface()
	mode, _ := trust.ParseMode(c.trust) // open has refused any other
	return repository.Server{
		Version: tools.Version(), Host: to.host,
		Surface: repository.Surface{Digest: digest, ToolCount: count},
		Mode: repository.Mode{
			ReadOnly: c.selection.ReadOnly, Toolsets: c.selection.ToolsetsOn(tools), Sandbox: c.sandbox, Trust: string(mode),
		},
	}
}

// close ends what the calls started, if there were any.
func (r *rooms) close() {
	if to := r.connected.Load(); to != nil {
		to.close()
	}
}

// handlers has a handler for every tool of the contract.
func (r *rooms) handlers() map[string]server.Handler {
	all := r.discussionTools()
	maps.Copy(all, r.issueTools())
	maps.Copy(all, r.pullRequestTools())
	maps.Copy(all, r.repositoryTools())
	return all
}

func (r *rooms) discussionTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_discussions":            on(r.discussion, (*discussion.Service).List),
		"list_discussion_categories":  on(r.discussion, (*discussion.Service).Categories),
		"get_discussion_conversation": on(r.discussion, (*discussion.Service).Read),
		"create_discussion":           on(r.discussion, (*discussion.Service).Create),
		"manage_discussion":           on(r.discussion, (*discussion.Service).Manage),
		"manage_discussion_comment":   on(r.discussion, (*discussion.Service).ManageComment),
	}
}

func (r *rooms) issueTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_issues":               on(r.issue, (*issue.Service).List),
		"get_conversation":          on(r.conversation, (*conversation.Service).Read),
		"manage_issue_comment":      on(r.conversation, (*conversation.Service).ManageComment),
		"moderate_comment":          on(r.conversation, (*conversation.Service).Moderate),
		"manage_issue_labels":       on(r.issue, (*issue.Service).ManageLabels),
		"search_issues":             on(r.issue, (*issue.Service).Search),
		"create_issue":              on(r.issue, (*issue.Service).Create),
		"update_issue":              on(r.issue, (*issue.Service).Update),
		"manage_issue_assignees":    on(r.issue, (*issue.Service).ManageAssignees),
		"update_issue_relationship": on(r.issue, (*issue.Service).Relate),
		"manage_issue_projects":     on(r.issue, (*issue.Service).ManageProjects),
		"manage_reaction":           on(r.issue, (*issue.Service).React),
	}
}

func (r *rooms) pullRequestTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_pull_requests":    on(r.pullrequest, (*pullrequest.Service).List),
		"get_pull_request":      on(r.pullrequest, (*pullrequest.Service).Get),
		"get_pull_request_diff": on(r.pullrequest, (*pullrequest.Service).Diff),
		"checkout_pull_request": on(r.pullrequest, (*pullrequest.Service).Checkout),
		"create_pull_request":   on(r.pullrequest, (*pullrequest.Service).Create),
		"update_pull_request":   on(r.pullrequest, (*pullrequest.Service).Update),
		"merge_pull_request":    on(r.pullrequest, (*pullrequest.Service).Merge),
		"manage_pr_review":      on(r.pullrequest, (*pullrequest.Service).ManageReview),
		"manage_pr_reviewers":   on(r.pullrequest, (*pullrequest.Service).ManageReviewers),
		"manage_review_thread":  on(r.pullrequest, (*pullrequest.Service).ManageThread),
	}
}

func (r *rooms) repositoryTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_labels":           on(r.repository, (*repository.Service).ListLabels),
		"manage_label":          on(r.repository, (*repository.Service).ManageLabel),
		"get_viewer_permission": on(r.repository, (*repository.Service).ViewerPermission),
		"healthcheck":           on(r.repository, (*repository.Service).Health),
		"get_mcp_tool_handbook": on(r.handbook, (*handbook.Book).Get),
	}
}

// on makes a handler of a method of a service that its first call makes.
func on[S, In, Out any](service func() (S, error), method func(S, context.Context, In) (Out, error)) server.Handler {
	return server.Typed(func(ctx context.Context, in In) (out Out, err error) {
		s, err := service()
		if err != nil {
			return out, err
		}
		return method(s, ctx, in)
	})
}
