package conversation

import (
	"context"
	"errors"
	"slices"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

const (
	maxPage     = 100 // the most GitHub gives at once
	newestStubs = 5   // comments that tell what is newest in a thread
)

// errOtherKind says that the number is that of a thread of the other kind:
// issues and pull requests share their numbers.
var errOtherKind = errors.New("the number is that of the other kind of thread")

// reader is a thread.Source that can tell the head it met on the way.
type reader interface {
	thread.Source
	conversation() *Conversation
}

// base is what the sources of issues and pull requests share. It lives for one
// call.
type base struct {
	service  *Service
	repo     ref.Repo
	number   int
	field    string // the argument that names a comment, for faults
	root     bool   // the thread's own body is wanted
	warnings []string
}

// warn keeps what is wrong beside an answer, each once.
func (b *base) warn(warnings ...string) {
	for _, warning := range warnings {
		if !slices.Contains(b.warnings, warning) {
			b.warnings = append(b.warnings, warning)
		}
	}
}

// isHere reports whether a URL's thread is this one. GitHub shows a pull
// request under the URL of an issue, too.
func (b *base) isHere(named *ref.Thread) bool {
	return named == nil || named.Kind != ref.Discussion && named.Number == b.number && named.Repo.Equal(b.repo)
}

// variables are those of every query that reaches the thread, and more.
func (b *base) variables(more map[string]any) map[string]any {
	all := map[string]any{
		"owner":  githubv4.String(b.repo.Owner),
		"name":   githubv4.String(b.repo.Name),
		"number": githubv4.Int(b.number),
		"root":   githubv4.Boolean(b.root),
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

// wireIssueAt is how every query reaches an issue.
type wireIssueAt[T any] struct {
	Repository *struct {
		DatabaseID int64 `graphql:"databaseId"`
		Thread     *struct {
			Typename string `graphql:"__typename"`
			Issue    T      `graphql:"... on Issue"`
		} `graphql:"issueOrPullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// wirePullAt is how every query reaches a pull request.
type wirePullAt[T any] struct {
	Repository *struct {
		DatabaseID int64 `graphql:"databaseId"`
		Thread     *struct {
			Typename string `graphql:"__typename"`
			Pull     T      `graphql:"... on PullRequest"`
		} `graphql:"issueOrPullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

const (
	typeIssue = "Issue"
	typePull  = "PullRequest"
)

// accepted says why a thread is not in an answer; nil when it is.
func (b *base) accepted(notes graphql.Notes, typename, want string) error {
	switch typename {
	case want:
		b.warn(notes.Under("repository").Warnings()...)
		return nil
	case "":
		return notes.Fault("repository.issueOrPullRequest", missing(b.repo, b.number))
	}
	return errOtherKind
}

// learn takes the repository's number from an answer, where the thread's id
// shows that ids are built from it.
func (b *base) learn(threadID string, repositoryNumber int64) {
	if own, ok := ref.DecodeNodeID(threadID); ok && own.RepoID == repositoryNumber {
		b.service.opts.Resolver.Learn(b.repo, own.RepoID)
	}
}

// missing is the fault for a thread that does not exist.
func missing(repo ref.Repo, number int) *fault.Error {
	return fault.New(fault.NotFound, "%s has no issue or pull request #%d", repo, number).
		WithFix("list_issues and list_pull_requests show the numbers; discussions are read with get_discussion_conversation.")
}

// noRepository is the fault for an answer without the repository.
func (b *base) noRepository(notes graphql.Notes) error {
	return notes.Fault("repository", resolve.NoRepository(b.repo))
}

// shrinking asks for less when GitHub finds the question too big.
func shrinking[T any](ctx context.Context, size int, ask func(n int) (T, error)) (answer T, err error) {
	err = graphql.Shrink(ctx, size, func(n int) error {
		answer, err = ask(n)
		return err
	})
	return answer, err
}

// cursor is a cursor as a variable; "" is null, an end of the connection.
func cursor(value string) *githubv4.String {
	if value == "" {
		return nil
	}
	return githubv4.NewString(githubv4.String(value))
}

func ids(values []string) []graphql.ID {
	all := make([]graphql.ID, len(values))
	for i, value := range values {
		all[i] = graphql.ID(value)
	}
	return all
}

func window(values []string, start, n int) []string {
	start = min(start, len(values))
	return values[start:min(start+n, len(values))]
}

// isNumber holds a number that was asked for against the one that came back.
// A node id speaks for itself.
func isNumber(asked ref.Comment, got int64) bool {
	return asked.NodeID != "" || asked.DatabaseID == got
}
