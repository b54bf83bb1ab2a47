// Package discussion lists, reads and writes GitHub discussions and their
// comments.
//
// It promises that reading costs what is new, whatever the length of the
// discussion, and that every write answers with the id to hand on, read from
// GitHub's answer.
package discussion

import (
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
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

// missing is the fault for a discussion that does not exist.
func missing(repo ref.Repo, number int) *fault.Error {
	return fault.New(fault.NotFound, "%s has no discussion #%d", repo, number).
		WithFix("list_discussions shows the numbers; issues and pull requests are read with get_conversation.")
}
