// Package issue lists, writes and relates issues; its labels are those of pull
// requests and discussions too.
//
// It promises that what a write reports is read from GitHub's answer, and that
// a write which cannot be done as asked changes nothing.
package issue

import (
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
)

// Options are what a Service needs; GraphQL and Resolver are required.
type Options struct {
	GraphQL  *graphql.Client
	Resolver *resolve.Resolver
	Home     ref.Repo // the repository of calls that name none; zero when there is none
}

// Service has this package's tools as methods. It is safe for concurrent use.
type Service struct{ opts Options }

// New makes a Service.
func New(opts Options) *Service { return &Service{opts: opts} }
