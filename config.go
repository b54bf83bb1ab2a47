package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cli/go-gh/v2/pkg/auth"
	"github.com/cli/go-gh/v2/pkg/repository"
	gogithub "github.com/google/go-github/v62/github"
	"github.com/spf13/pflag"

	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// config is what the flags and the environment say.
type config struct {
	env    func(string) string
	stderr io.Writer

	repo          string
	repoGiven     bool // also when it is ""
	endpoints     transport.EndpointSettings
	selection     server.Selection
	listing       string
	maxResult     int
	trust         string
	expectedLogin string
	trustedLogins []string
	sandbox       bool
	logLevel      string
	logFormat     string
}

// setting is a flag and the variables that stand in for it, the first that is
// set first. There is no flag for the GitHub token: other users of a machine can
// read the arguments of a process.
type setting struct {
	flag    string
	env     []string
	command string // that has the flag; "" is every command
}

func settings() []setting {
	return []setting{
		{"repo", []string{"GITHUB_REPOSITORY"}, ""},
		{"api-url", []string{"GITHUB_API_URL"}, ""},
		{"graphql-url", []string{"GITHUB_GRAPHQL_URL"}, ""},
		{"server-url", []string{"GITHUB_SERVER_URL"}, ""},
		{"host", []string{"GITHUB_HOST", "GH_HOST"}, ""},
		{"read-only", []string{"GITHUB_READ_ONLY"}, ""},
		{"toolsets", []string{"GITHUB_TOOLSETS"}, ""},
		{"tools", []string{"GITHUB_TOOLS"}, ""},
		{"exclude-tools", []string{"GITHUB_EXCLUDE_TOOLS"}, ""},
		{"listing", []string{"GITHUB_WORKFLOW_LISTING"}, ""},
		{"max-result-bytes", []string{"GITHUB_WORKFLOW_MAX_RESULT_BYTES"}, ""},
		{"trust", []string{"GITHUB_WORKFLOW_TRUST"}, ""},
		{"expected-login", []string{"GITHUB_EXPECTED_LOGIN"}, ""},
		{"trusted-logins", []string{"GITHUB_WORKFLOW_TRUSTED_LOGINS"}, ""},
		{"sandbox", []string{"GITHUB_WORKFLOW_SANDBOX"}, ""},
		{"log-level", []string{"GITHUB_WORKFLOW_LOG_LEVEL"}, ""},
		{"log-format", []string{"GITHUB_WORKFLOW_LOG_FORMAT"}, ""},
		{"listen", []string{"GITHUB_WORKFLOW_LISTEN"}, "http"},
		{"authorization-server", []string{"GITHUB_WORKFLOW_AUTHORIZATION_SERVER"}, "http"},
		{"public-url", []string{"GITHUB_WORKFLOW_PUBLIC_URL"}, "http"},
		{"allowed-origins", []string{"GITHUB_WORKFLOW_ALLOWED_ORIGINS"}, "http"},
		{"tls-cert", []string{"GITHUB_WORKFLOW_TLS_CERT"}, "http"},
		{"tls-key", []string{"GITHUB_WORKFLOW_TLS_KEY"}, "http"},
		{"max-concurrent", []string{"GITHUB_WORKFLOW_MAX_CONCURRENT"}, "http"},
		{"max-per-minute", []string{"GITHUB_WORKFLOW_MAX_PER_MINUTE"}, "http"},
		{"session-idle", []string{"GITHUB_WORKFLOW_SESSION_IDLE"}, "http"},
		{"max-sessions", []string{"GITHUB_WORKFLOW_MAX_SESSIONS"}, "http"},
		{"drain-timeout", []string{"GITHUB_WORKFLOW_DRAIN_TIMEOUT"}, "http"},
	}
}

func (c *config) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.repo, "repo", "", "the home repository, `owner/name`; else the git remote origin")
	flags.StringVar(&c.endpoints.APIURL, "api-url", "", "the REST API's `address`")
	flags.StringVar(&c.endpoints.GraphQLURL, "graphql-url", "", "the GraphQL API's `address`")
	flags.StringVar(&c.endpoints.ServerURL, "server-url", "", "the `address` of the web pages, for pasted links")
	flags.StringVar(&c.endpoints.Host, "host", "", "the GitHub `host`, when no API address is given (default github.com)")
	flags.BoolVar(&c.selection.ReadOnly, "read-only", false, "refuse every write")
	flags.StringSliceVar(&c.selection.Toolsets, "toolsets", nil, "only these `toolsets`: discussions, repository, …")
	flags.StringSliceVar(&c.selection.Tools, "tools", nil, "only these `tools`, or these beside --toolsets")
	flags.StringSliceVar(&c.selection.ExcludeTools, "exclude-tools", nil, "none of these `tools`")
	flags.StringVar(&c.listing, "listing", "compact", "how tools are listed: `compact|full`")
	flags.IntVar(&c.maxResult, "max-result-bytes", server.DefaultMaxResultBytes, "the budget of one result, in `bytes`")
	flags.StringVar(&c.trust, "trust", string(trust.Mark), "what happens to strangers' texts: `mark|defang|lockdown`")
	flags.StringVar(&c.expectedLogin, "expected-login", "", "refuse every write unless the token is this `login`'s")
	flags.StringSliceVar(&c.trustedLogins, "trusted-logins", nil, "`logins` whose text counts as a colleague's")
	flags.BoolVar(&c.sandbox, "sandbox", false, "no GitHub at all: the embedded sandbox")
	flags.StringVar(&c.logLevel, "log-level", "warn", "what is logged to stderr: `debug|info|warn|error`")
	flags.StringVar(&c.logFormat, "log-format", "text", "how it is logged: `text|json`")
	showEnv(flags, "")
}

// showEnv adds to the help of a command's own flags which variables stand in
// for them.
func showEnv(flags *pflag.FlagSet, command string) {
	for _, s := range settings() {
		if s.command == command {
			flags.Lookup(s.flag).Usage += " [" + strings.Join(s.env, ", ") + "]"
		}
	}
}

// applyEnv sets the flags that were not given from the environment. It runs
// after parsing, so that no help text ever shows a value from there.
func (c *config) applyEnv(command string, flags *pflag.FlagSet) error {
	hostGiven := flags.Changed("host")
	for _, s := range settings() {
		if s.command != "" && s.command != command || flags.Changed(s.flag) || hostGiven && strings.HasSuffix(s.flag, "-url") {
			continue // a host on the command line means that one, wherever the environment points
		}
		for _, name := range s.env {
			if value := c.env(name); value != "" {
				if err := flags.Set(s.flag, value); err != nil {
					return fmt.Errorf("the variable %s: %w", name, err)
				}
				break
			}
		}
	}
	c.repoGiven = flags.Changed("repo")
	return nil
}

// logger writes to stderr, never to stdout, which belongs to the protocol.
func (c *config) logger() (*slog.Logger, error) {
	var options slog.HandlerOptions
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
		return nil, fmt.Errorf("unknown --log-level %q; there are debug, info, warn and error", c.logLevel)
	}
	options.Level = level
	switch c.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(c.stderr, &options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(c.stderr, &options)), nil
	}
	return nil, fmt.Errorf("unknown --log-format %q; there are text and json", c.logFormat)
}

// home finds the repository of calls that name none; it is zero when there is
// none. A repository that is written down is checked at once; asking the git
// remote runs beside the rest of the start, and the function waits for it.
func (c *config) home(ctx context.Context, to transport.Endpoints) (func() ref.Repo, error) {
	var written ref.Repo
	if c.repoGiven {
		var err error
		if written, err = ref.ParseRepo(c.repo, ref.Repo{}); err != nil {
			return nil, fmt.Errorf("--repo (or GITHUB_REPOSITORY) has to be owner/name as GitHub spells it, without .git, not %.80q", c.repo)
		}
	}
	switch {
	case c.sandbox:
		return func() ref.Repo { return ref.Repo{Owner: "octo-org", Name: "hello"} }, nil
	case c.repoGiven:
		return func() ref.Repo { return written }, nil
	}
	origin := make(chan ref.Repo, 1)
	go func() { origin <- originRepo(ctx, to) }()
	return sync.OnceValue(func() ref.Repo { return <-origin }), nil
}

// upstream is the GitHub that all connections lead to.
type upstream struct {
	endpoints transport.Endpoints
	base      http.RoundTripper
	token     func(context.Context) (string, error) // of the process itself
	home      func() ref.Repo
	agent     string
	log       *slog.Logger
	observe   func(transport.Exchange)
	close     func()
}

// upstream prepares the way to GitHub; no request is made. Only here is the
// sandbox started: a client that only lists tools does not wait for that.
func (c *config) upstream(ctx context.Context, u upstream) (*upstream, error) {
	u.base, u.token, u.close = transport.NewPool(), c.token(u.endpoints), func() {}
	if !c.sandbox {
		return &u, nil
	}
	// It stays for the calls that still run when ctx has ended.
	running, err := sandbox.Start(context.WithoutCancel(ctx), sandbox.Options{Logger: u.log}, "")
	if err != nil {
		return nil, fmt.Errorf("starting the sandbox: %w", err)
	}
	u.token = func(context.Context) (string, error) { return sandbox.AdminToken, nil }
	u.close = func() { _ = running.Close() } // nothing is left that could use it
	u.endpoints, err = transport.ResolveEndpoints(transport.EndpointSettings{APIURL: running.RESTURL(), GraphQLURL: running.GraphQLURL()})
	return &u, err
}

// connection is one user's way to GitHub.
type connection struct {
	graphQL  *graphql.Client
	rest     *gogithub.Client
	resolver *resolve.Resolver
	token    func(context.Context) (string, error)
	home     ref.Repo
	web      ref.Web
	host     string // the GitHub it leads to, for people
}

// connect is the way of the user with the token; "" is the process itself.
func (u *upstream) connect(token string) *connection {
	source := u.token
	if token != "" {
		source = func(context.Context) (string, error) { return token, nil }
	}
	client := &http.Client{Transport: transport.New(transport.Options{
		Base: u.base, Endpoints: u.endpoints, Token: source, UserAgent: u.agent, Logger: u.log, Observe: u.observe,
	})}
	api := graphql.New(graphql.Options{URL: u.endpoints.GraphQL.String(), HTTP: client})
	web := ref.Web{Host: u.endpoints.WebHost, AnyHost: u.endpoints.AnyWebHost}
	return &connection{
		graphQL:  api,
		rest:     rest.New(rest.Options{URL: u.endpoints.REST, HTTP: client}),
		resolver: resolve.New(api, web),
		token:    source,
		home:     u.home(),
		web:      web,
		host:     hostOf(u.endpoints),
	}
}

// token finds the token when it is first needed: reading what gh has stored
// may run gh. A stored token is for the host it was stored for, so it never
// goes to an API on this machine.
func (c *config) token(to transport.Endpoints) func(context.Context) (string, error) {
	stored := sync.OnceValue(func() string {
		if to.AnyWebHost {
			return ""
		}
		token, _ := auth.TokenForHost(to.WebHost)
		return token
	})
	return func(context.Context) (string, error) {
		for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN"} {
			if token := strings.TrimSpace(c.env(name)); token != "" {
				return token, nil
			}
		}
		return stored(), nil
	}
}

const gitPatience = time.Second

// originRepo is the repository of the git remote origin, when that is one of
// the GitHub we talk to; else zero.
func originRepo(ctx context.Context, to transport.Endpoints) ref.Repo {
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "remote", "get-url", "origin").Output()
	if err != nil {
		return ref.Repo{} // no git, no repository, no origin: there is no home
	}
	return remoteRepo(strings.TrimSpace(string(out)), to)
}

func remoteRepo(remote string, to transport.Endpoints) ref.Repo {
	parsed, err := repository.ParseWithHost(remote, to.WebHost)
	if err != nil || !to.AnyWebHost && !slices.Contains([]string{to.WebHost, "ssh." + to.WebHost}, strings.ToLower(parsed.Host)) {
		return ref.Repo{}
	}
	home, err := ref.ParseRepo(parsed.Owner+"/"+parsed.Name, ref.Repo{})
	if err != nil {
		return ref.Repo{}
	}
	return home
}

// hostOf is the GitHub that the endpoints lead to, as a person knows it: the
// web host, or where the API is when it is on this machine.
func hostOf(to transport.Endpoints) string {
	if to.AnyWebHost {
		return to.REST.Host
	}
	return to.WebHost
}
