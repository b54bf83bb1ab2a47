// Package discussion lists, reads and writes GitHub discussions and their
// comments.
//
// It promises that reading costs what is new, whatever the length of the
// discussion, and that every write answers with the id to hand on, read from
// GitHub's answer.
package discussion

import (
	"sync"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// Options are what a Service needs; GraphQL is required.
type Options struct {
	GraphQL *graphql.Client
	Home    ref.Repo // the repository of calls that name none; zero when there is none
	Web     ref.Web  // which host pasted URLs may have
}

// Service has this package's tools as methods. It is safe for concurrent use.
type Service struct {
	opts   Options
	reader thread.Reader
	repos  repositoryIDs
}

// New makes a Service.
func New(opts Options) *Service {
	return &Service{opts: opts, reader: thread.Reader{Memo: thread.NewMemo()}}
}

// repositoryIDs remembers the numbers of repositories, which GitHub's node ids
// carry. A process meets few repositories, so nothing is ever forgotten.
type repositoryIDs struct{ known sync.Map }

func (r *repositoryIDs) learn(repo ref.Repo, id int64) {
	if id > 0 {
		r.known.Store(key(repo), id)
	}
}

func (r *repositoryIDs) of(repo ref.Repo) int64 {
	id, _ := r.known.Load(key(repo))
	number, _ := id.(int64)
	return number
}

// invisible is the fault for a repository that GitHub does not show.
func invisible(repo ref.Repo) *fault.Error {
	return fault.New(fault.NotFoundOrNoAccess, "the repository %s does not exist, or this token cannot see it", repo).
		WithFix("Check the spelling of owner and name; for a private repository the token needs access to it.")
}

// missing is the fault for a discussion that does not exist.
func missing(repo ref.Repo, number int) *fault.Error {
	return fault.New(fault.NotFound, "%s has no discussion #%d", repo, number).
		WithFix("list_discussions shows the numbers; issues and pull requests are read with get_conversation.")
}
