// Package repository answers what a caller has to know about a repository and
// about this server before the real work: labels, the viewer's permission, and
// a health check that turns everything in the way into a finding with its mend.
package repository

import (
	"cmp"
	"context"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// Options are what a Service needs; the clients are required.
type Options struct {
	GraphQL *graphql.Client
	REST    *github.Client
	Home    ref.Repo // the repository of calls that name none; zero when there is none

	// Server is what the health check says about this server to the client that
	// asks.
	Server func(context.Context) Server
	// ExpectedLogin is whose the token has to be; "" accepts everyone's.
	ExpectedLogin string
	// HealthPatience is how long a health check waits for GitHub; 0 is 15 s.
	HealthPatience time.Duration
	// Now is the clock of this machine; nil is time.Now.
	Now func() time.Time
}

// Server is what a health check tells about the process it runs in.
type Server struct {
	Version string
	Host    string // the web host of the GitHub it talks to
	Surface Surface
	Mode    Mode
}

// Surface lets a client see that the tool list it has cached is stale.
type Surface struct {
	Digest    string `json:"digest"` // 12 hex digits over names and input shapes
	ToolCount int    `json:"toolCount"`
}

// Mode is how the server was started.
type Mode struct {
	ReadOnly bool     `json:"readOnly"`
	Toolsets []string `json:"toolsets"` // never nil
	Sandbox  bool     `json:"sandbox"`
	Trust    string   `json:"trust"`
}

// Service has this package's tools as methods. It is safe for concurrent use.
type Service struct{ opts Options }

// New makes a Service.
func New(opts Options) *Service {
	opts.HealthPatience = cmp.Or(opts.HealthPatience, 15*time.Second)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Service{opts: opts}
}

// target is the repository a call is about: the named one, else the home.
func (s *Service) target(named *string) (ref.Repo, error) {
	if named != nil {
		return ref.ParseRepo(*named, s.opts.Home)
	}
	if s.opts.Home.IsZero() {
		return ref.Repo{}, fault.New(fault.RepositoryTargetInvalid, "repo is absent, and there is no home repository").
			WithFix("Pass repo as owner/name, or ask the person who runs the server to set GITHUB_REPOSITORY or --repo.")
	}
	return s.opts.Home, nil
}
