package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/github-workflow-mcp/github-workflow-mcp/awareness"
	"github.com/github-workflow-mcp/github-workflow-mcp/cli"
	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/handbook"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/recent"
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
	metrics := prometheus.NewRegistry()
	h := newHouse(c, tools, func() *server.Server { return assembled }, sync.OnceValues(func() (*upstream, error) {
		return c.upstream(ctx, upstream{
			endpoints: endpoints, home: home, agent: "github-workflow-mcp/" + tools.Version(), log: log, observe: counted(metrics),
		})
	}))
	assembled, err = server.New(server.Options{
		Contract: tools, Handlers: h.handlers(), Selection: c.selection, FullListing: c.listing == "full",
		Instructions:   func(listed []string) string { return instructions(tools.Title(), home(), listed) },
		Roster:         func(listed []listing.Tool) string { return roster(tools.Title(), listed) },
		Complete:       h.complete,
		MaxResultBytes: c.maxResult, Trust: trust.Policy{Mode: mode, TrustedLogins: c.trustedLogins}, Logger: log,
		BeforeWrite:     h.beforeWrite(c),
		ConfirmationKey: c.env("GITHUB_WORKFLOW_STATE_KEY"),
		CheckResults:    c.sandbox, // where nobody pays for it, and everybody tries it
	})
	if err != nil {
		return nil, err
	}
	return &cli.App{Server: assembled, Version: tools.Version(), Local: localTools(tools), Metrics: metrics, Close: h.close}, nil
}

// counted counts the requests to GitHub, by the name of the query and by
// status; 0 is no answer.
func counted(metrics *prometheus.Registry) func(transport.Exchange) {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "github_workflow_mcp_upstream_requests_total", Help: "Requests to GitHub by name and HTTP status; 0 is no answer.",
	}, []string{"name", "status"})
	metrics.MustRegister(requests)
	return func(e transport.Exchange) { requests.WithLabelValues(e.Name, strconv.Itoa(e.Status)).Inc() }
}

// localTools are the tools that work on the files of the machine that the
// server runs on, each with the reason why they are off for clients elsewhere.
func localTools(tools *contract.Contract) map[string]string {
	const why = "it works on the files of the machine that the server runs on, and is off over HTTP; start the server with stdio for it"
	local := map[string]string{"checkout_pull_request": why}
	for _, t := range tools.Tools() {
		if t.Toolset == "local" {
			local[t.Name] = why
		}
	}
	return local
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

// maxGuests is how many users' rooms are kept, and guestMemory how long after
// their last call.
const (
	maxGuests   = 256
	guestMemory = 30 * time.Minute
)

// house has the rooms of all who call: the process's own, and over HTTP those
// of each user whose token came with the call. Rooms share the connections to
// GitHub and nothing that was learned from it.
type house struct {
	own    *rooms
	guests *recent.Map[[sha256.Size]byte, *rooms]
	build  func(token string) *rooms
	opened atomic.Pointer[upstream] // nil until a call needed it
	book   *handbook.Book
}

func newHouse(c *config, tools *contract.Contract, assembled func() *server.Server, github func() (*upstream, error)) *house {
	h := &house{guests: recent.New[[sha256.Size]byte, *rooms](maxGuests, guestMemory, nil), book: handbook.New(tools)}
	h.build = func(token string) *rooms {
		return newRooms(c, func(ctx context.Context, to *connection) repository.Server {
			return c.selfDescription(ctx, tools, to, assembled())
		}, sync.OnceValues(func() (*connection, error) {
			to, err := github()
			if err != nil {
				return nil, err
			}
			h.opened.Store(to)
			return to.connect(token), nil
		}))
	}
	h.own = h.build("")
	return h
}

// of are the rooms of whom ctx acts for.
func (h *house) of(ctx context.Context) *rooms {
	token := transport.CallerToken(ctx)
	if token == "" {
		return h.own
	}
	return h.guests.Get(sha256.Sum256([]byte(token)), func() *rooms { return h.build(token) })
}

func (h *house) discussion(ctx context.Context) (*discussion.Service, error) {
	return h.of(ctx).discussion()
}

func (h *house) conversation(ctx context.Context) (*conversation.Service, error) {
	return h.of(ctx).conversation()
}

func (h *house) issue(ctx context.Context) (*issue.Service, error) { return h.of(ctx).issue() }

func (h *house) pullrequest(ctx context.Context) (*pullrequest.Service, error) {
	return h.of(ctx).pullrequest()
}

func (h *house) repository(ctx context.Context) (*repository.Service, error) {
	return h.of(ctx).repository()
}

func (h *house) handbook(context.Context) (*handbook.Book, error) { return h.book, nil }

// beforeWrite refuses the writes of another login than the expected one; nil
// when none is expected.
func (h *house) beforeWrite(c *config) func(context.Context) error {
	if c.expectedLogin == "" {
		return nil
	}
	return func(ctx context.Context) error {
		who, err := h.of(ctx).identity()
		if err != nil {
			return err
		}
		return who.Check(ctx)
	}
}

// close ends what the calls started, if there were any.
func (h *house) close() {
	if to := h.opened.Load(); to != nil {
		to.close()
	}
}

// rooms are the packages that have the tools, for one user. Each is made by its
// first call.
type rooms struct {
	discussion   func() (*discussion.Service, error)
	conversation func() (*conversation.Service, error)
	issue        func() (*issue.Service, error)
	pullrequest  func() (*pullrequest.Service, error)
	repository   func() (*repository.Service, error)
	identity     func() (*repository.Identity, error)
}

func newRooms(c *config, self func(context.Context, *connection) repository.Server, connect func() (*connection, error)) *rooms {
	return &rooms{
		discussion: room(connect, func(to *connection) *discussion.Service {
			return discussion.New(discussion.Options{GraphQL: to.graphQL, Resolver: to.resolver, Home: to.home, Web: to.web})
		}),
		conversation: room(connect, func(to *connection) *conversation.Service {
			return conversation.New(conversation.Options{GraphQL: to.graphQL, Resolver: to.resolver, Home: to.home, Web: to.web})
		}),
		issue: room(connect, func(to *connection) *issue.Service {
			return issue.New(issue.Options{GraphQL: to.graphQL, Resolver: to.resolver, Home: to.home})
		}),
		pullrequest: room(connect, func(to *connection) *pullrequest.Service {
			return pullrequest.New(pullrequest.Options{
				GraphQL: to.graphQL, REST: to.rest, Resolver: to.resolver, Home: to.home, Web: to.web, Token: to.token,
			})
		}),
		repository: room(connect, func(to *connection) *repository.Service {
			return repository.New(repository.Options{
				GraphQL: to.graphQL, REST: to.rest, Home: to.home, ExpectedLogin: c.expectedLogin,
				Server: func(ctx context.Context) repository.Server { return self(ctx, to) },
			})
		}),
		identity: room(connect, func(to *connection) *repository.Identity {
			return repository.NewIdentity(repository.IdentityOptions{GraphQL: to.graphQL, Token: to.token, Expected: c.expectedLogin})
		}),
	}
}

// room makes a service when it is first asked for.
func room[S any](connect func() (*connection, error), open func(*connection) S) func() (S, error) {
	return sync.OnceValues(func() (service S, err error) {
		to, err := connect()
		if err != nil {
			return service, err
		}
		return open(to), nil
	})
}

// selfDescription is what the health check says about this process, as the
// client of ctx sees it.
func (c *config) selfDescription(ctx context.Context, tools *contract.Contract, to *connection, whole *server.Server) repository.Server {
	s := cmp.Or(server.Answering(ctx), whole)
	digest, count := s.Surface()
	readOnly, toolsets := s.Mode()
	mode, _ := trust.ParseMode(c.trust) // open has refused any other
	return repository.Server{
		Version: tools.Version(), Host: to.host,
		Surface: repository.Surface{Digest: digest, ToolCount: count},
		Mode:    repository.Mode{ReadOnly: readOnly, Toolsets: toolsets, Sandbox: c.sandbox, Trust: string(mode)},
	}
}

// handlers has a handler for every tool of the contract.
func (h *house) handlers() map[string]server.Handler {
	all := h.discussionTools()
	maps.Copy(all, h.issueTools())
	maps.Copy(all, h.pullRequestTools())
	maps.Copy(all, h.repositoryTools())
	return all
}

func (h *house) discussionTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_discussions":            on(h.discussion, (*discussion.Service).List),
		"list_discussion_categories":  on(h.discussion, (*discussion.Service).Categories),
		"get_discussion_conversation": on(h.discussion, (*discussion.Service).Read),
		"create_discussion":           on(h.discussion, (*discussion.Service).Create),
		"manage_discussion":           on(h.discussion, (*discussion.Service).Manage),
		"manage_discussion_comment":   on(h.discussion, (*discussion.Service).ManageComment),
	}
}

func (h *house) issueTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_issues":               on(h.issue, (*issue.Service).List),
		"get_conversation":          on(h.conversation, (*conversation.Service).Read),
		"manage_issue_comment":      on(h.conversation, (*conversation.Service).ManageComment),
		"moderate_comment":          on(h.conversation, (*conversation.Service).Moderate),
		"manage_issue_labels":       on(h.issue, (*issue.Service).ManageLabels),
		"search_issues":             on(h.issue, (*issue.Service).Search),
		"create_issue":              on(h.issue, (*issue.Service).Create),
		"update_issue":              on(h.issue, (*issue.Service).Update),
		"manage_issue_assignees":    on(h.issue, (*issue.Service).ManageAssignees),
		"update_issue_relationship": on(h.issue, (*issue.Service).Relate),
		"manage_issue_projects":     on(h.issue, (*issue.Service).ManageProjects),
		"manage_reaction":           on(h.issue, (*issue.Service).React),
	}
}

func (h *house) pullRequestTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_pull_requests":    on(h.pullrequest, (*pullrequest.Service).List),
		"get_pull_request":      on(h.pullrequest, (*pullrequest.Service).Get),
		"get_pull_request_diff": on(h.pullrequest, (*pullrequest.Service).Diff),
		"checkout_pull_request": on(h.pullrequest, (*pullrequest.Service).Checkout),
		"create_pull_request":   on(h.pullrequest, (*pullrequest.Service).Create),
		"update_pull_request":   on(h.pullrequest, (*pullrequest.Service).Update),
		"merge_pull_request":    on(h.pullrequest, (*pullrequest.Service).Merge),
		"manage_pr_review":      on(h.pullrequest, (*pullrequest.Service).ManageReview),
		"manage_pr_reviewers":   on(h.pullrequest, (*pullrequest.Service).ManageReviewers),
		"manage_review_thread":  on(h.pullrequest, (*pullrequest.Service).ManageThread),
	}
}

func (h *house) repositoryTools() map[string]server.Handler {
	return map[string]server.Handler{
		"list_labels":           on(h.repository, (*repository.Service).ListLabels),
		"manage_label":          on(h.repository, (*repository.Service).ManageLabel),
		"get_viewer_permission": on(h.repository, (*repository.Service).ViewerPermission),
		"healthcheck":           on(h.repository, (*repository.Service).Health),
		"get_mcp_tool_handbook": on(h.handbook, (*handbook.Book).Get),
	}
}

// on makes a handler of a method of the service that the call's user has.
func on[S, In, Out any](service func(context.Context) (S, error), method func(S, context.Context, In) (Out, error)) server.Handler {
	return server.Typed(func(ctx context.Context, in In) (out Out, err error) {
		s, err := service(ctx)
		if err != nil {
			return out, err
		}
		return method(s, ctx, in)
	})
}
