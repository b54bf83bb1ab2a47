// Package conversation reads, writes and moderates what is said on issues and
// pull requests; moderation covers the comments of discussions too.
//
// It promises that reading costs what is new, whatever the length of the thread
// and whatever kinds of remarks it holds; that a comment is only ever touched in
// the repository and the thread that the call names; and that what cannot be
// undone is confirmed first.
package conversation

import (
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// Options are what a Service needs; GraphQL and Resolver are required.
type Options struct {
	GraphQL  *graphql.Client
	Resolver *resolve.Resolver
	Home     ref.Repo // the repository of calls that name none; zero when there is none
	Web      ref.Web  // which host pasted URLs may have
}

// Service has this package's tools as methods. It is safe for concurrent use.
type Service struct {
	opts   Options
	reader thread.Reader
}

// New makes a Service.
func New(opts Options) *Service {
	return &Service{opts: opts, reader: thread.Reader{Memo: thread.NewMemo()}}
}
