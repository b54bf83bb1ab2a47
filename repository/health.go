package repository

import (
	"context"
	"time"

	"github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// HealthRequest are the arguments of healthcheck.
type HealthRequest struct {
	Repo    *string `json:"repo,omitempty"`
	Surface string  `json:"surface,omitempty"` // the digest that the client's tool list shows; "" checks none
}

// HealthResult is the state of the server and of its way to GitHub.
type HealthResult struct {
	Status     Status      `json:"status"` // the worst of the checks
	Version    string      `json:"version"`
	Login      *string     `json:"login"`
	Repository *string     `json:"repository"`
	Host       string      `json:"host"`
	RateLimit  *RateLimits `json:"rateLimit"`
	Checks     []Check     `json:"checks"`
	Surface    Surface     `json:"advertisedSurface"`
	Mode       Mode        `json:"mode"`
}

// Status is how well the server can do its work.
type Status string

// The statuses, from best to worst.
const (
	Healthy   Status = "healthy"
	Degraded  Status = "degraded"  // some calls will fail
	Unhealthy Status = "unhealthy" // nearly every call will fail
)

// RateLimits is what GitHub leaves the token of its two budgets.
type RateLimits struct {
	GraphQL RateLimit `json:"graphql"` // in points
	Core    RateLimit `json:"core"`    // in REST requests
}

// RateLimit is one budget.
type RateLimit struct {
	Limit     int       `json:"limit"`
	Remaining int       `json:"remaining"`
	ResetAt   time.Time `json:"resetAt"`
}

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`

	status Status // what the check does to the whole
}

type healthQuery struct {
	Viewer     struct{ Login string }
	Repository *healthRepository `graphql:"repository(owner: $owner, name: $name) @include(if: $named)"`
}

type healthRepository struct {
	NameWithOwner         string
	Visibility            string
	ViewerPermission      string
	HasDiscussionsEnabled bool
	IsArchived            bool
}

// Health looks at everything that would stop the server from working, with one
// request to each of GitHub's two APIs. What it finds is a check and never an
// error; only a repo argument that is malformed is refused.
func (s *Service) Health(ctx context.Context, req HealthRequest) (_ *HealthResult, err error) {
	defer fault.Wrap(&err, "repository.Health")
	p := probe{opts: &s.opts, self: s.opts.Server(ctx)}
	if req.Repo != nil || !s.opts.Home.IsZero() {
		if p.repo, err = s.target(req.Repo); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.HealthPatience)
	defer cancel()
	p.askGraphQL(ctx)
	if !p.noToken() {
		p.askREST(ctx)
	}
	result := p.result()
	if req.Surface != "" {
		result.add(p.surface(req.Surface))
	}
	return result, nil
}

// add appends a check.
func (r *HealthResult) add(check Check) {
	r.Checks = append(r.Checks, check)
	r.Status = worst(r.Checks)
}

// probe is what one health check learnt.
type probe struct {
	opts *Options
	self Server
	repo ref.Repo // zero when there is none to check

	query      healthQuery
	notes      graphql.Notes
	graphqlErr error
	restErr    error
	limits     *RateLimits

	date        time.Time // at GitHub, when it answered
	seen        time.Time // on this machine, then
	scopes      []string
	scopesKnown bool
	answered    bool // some HTTP answer came
}

func (p *probe) askGraphQL(ctx context.Context) {
	ctx, meta := transport.Capture(ctx)
	p.notes, p.graphqlErr = p.opts.GraphQL.Query(ctx, "Health", &p.query, map[string]any{
		"owner": githubv4.String(p.repo.Owner),
		"name":  githubv4.String(p.repo.Name),
		"named": githubv4.Boolean(!p.repo.IsZero()),
	})
	p.take(meta)
}

// askREST reads both budgets, which costs none of either.
func (p *probe) askREST(ctx context.Context) {
	ctx, meta := transport.Capture(ctx)
	var limits *github.RateLimits
	p.restErr = rest.Read(ctx, "RateLimits", func(ctx context.Context) (err error) {
		limits, _, err = p.opts.REST.RateLimit.Get(ctx)
		return err
	})
	p.take(meta)
	if core, points := limits.GetCore(), limits.GetGraphQL(); core != nil && points != nil {
		p.limits = &RateLimits{GraphQL: budgetOf(points), Core: budgetOf(core)}
	}
}

func budgetOf(rate *github.Rate) RateLimit {
	return RateLimit{Limit: rate.Limit, Remaining: rate.Remaining, ResetAt: rate.Reset.UTC()}
}

// take keeps what an answer told beside its body.
func (p *probe) take(meta *transport.Meta) {
	if meta.Status() == 0 {
		return
	}
	p.answered = true
	p.seen = p.opts.Now()
	if date := meta.Date(); !date.IsZero() {
		p.date = date
	}
	if scopes, known := meta.Scopes(); known {
		p.scopes, p.scopesKnown = scopes, true
	}
}

// noToken reports whether there is no token, or none that GitHub takes: then
// there is no point in asking on.
func (p *probe) noToken() bool {
	return fault.Is(p.graphqlErr, fault.AuthRequired) || fault.Is(p.graphqlErr, fault.AuthFailed)
}

func (p *probe) result() *HealthResult {
	checks := []Check{
		p.token(), p.scope(), p.reachability(), p.clock(),
		p.repository(), p.discussions(), p.permission(), p.rateLimit(),
	}
	result := &HealthResult{
		Status:    worst(checks),
		Version:   p.self.Version,
		Host:      p.self.Host,
		RateLimit: p.limits,
		Checks:    checks,
		Surface:   p.self.Surface,
		Mode:      p.self.Mode,
	}
	if p.graphqlErr == nil && p.query.Viewer.Login != "" {
		result.Login = &p.query.Viewer.Login
	}
	if found := p.query.Repository; found != nil {
		result.Repository = &found.NameWithOwner
	} else if !p.repo.IsZero() {
		asked := p.repo.String()
		result.Repository = &asked
	}
	return result
}

func worst(checks []Check) Status {
	status := Healthy
	for _, check := range checks {
		switch {
		case check.status == Unhealthy:
			return Unhealthy
		case check.status == Degraded:
			status = Degraded
		}
	}
	return status
}
