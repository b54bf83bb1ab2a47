// Package resolve finds the comment that a spelling names, for tools that act
// on it: by its node id, verified to be in the repository and in the thread
// that the call names.
//
// It promises that no write ever reaches a comment of another repository or
// thread than the one the caller meant.
package resolve

import (
	"context"
	"strings"
	"sync"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// Resolver finds comments. It is safe for concurrent use.
type Resolver struct {
	gh  *graphql.Client
	web ref.Web

	// numbers are the repositories' numbers, which GitHub's node ids carry. A
	// process meets few repositories, so nothing is ever forgotten.
	numbers sync.Map
}

// New makes a Resolver; web says which host pasted URLs may have.
func New(gh *graphql.Client, web ref.Web) *Resolver { return &Resolver{gh: gh, web: web} }

// NoRepository is the fault for a repository that GitHub does not show.
func NoRepository(repo ref.Repo) *fault.Error {
	return fault.New(fault.NotFoundOrNoAccess, "the repository %s does not exist, or this token cannot see it", repo).
		WithFix("Check the spelling of owner and name; for a private repository the token needs access to it.")
}

// Learn remembers a repository's number that came with an answer.
func (r *Resolver) Learn(repo ref.Repo, number int64) {
	if number > 0 {
		r.numbers.LoadOrStore(key(repo), number)
	}
}

// Sample is a comment that came from a repository, with its number where
// GitHub told it.
type Sample struct {
	ID     string
	Number int64 // 0: not told
}

// LearnFrom looks at a comment that came from the repository: its id shows
// whether comments' ids are built from numbers there, which the repository's
// own id only lets expect.
func (r *Resolver) LearnFrom(repo ref.Repo, sample Sample) {
	known, ok := r.numbers.Load(key(repo))
	if number, isNumber := known.(int64); ok && isNumber && number > 0 && !sample.isBuilt(number) {
		r.numbers.Store(key(repo), int64(0))
	}
}

// isBuilt reports whether an id is made of the repository's number and the
// comment's. An old id, which only some servers still give, says nothing about
// that.
func (s Sample) isBuilt(repository int64) bool {
	id, ok := ref.DecodeNodeID(s.ID)
	return ok && (id.Legacy || id.RepoID == repository && (s.Number == 0 || s.Number == id.DatabaseID))
}

func key(repo ref.Repo) string { return strings.ToLower(repo.String()) }

var prefixes = map[ref.CommentType]string{
	ref.DiscussionComment:        ref.PrefixDiscussionComment,
	ref.IssueComment:             ref.PrefixIssueComment,
	ref.PullRequestReview:        ref.PrefixPullRequestReview,
	ref.PullRequestReviewComment: ref.PrefixPullRequestReviewComment,
}

// NodeID is the node id of a comment of the given type in any spelling.
//
// GitHub has no way to ask for a comment by its number. But its node ids carry
// the repository's number and the comment's, so the id is built, to be asked
// for and verified by what comes back. It is "" where this GitHub's ids are
// not of that form.
func (r *Resolver) NodeID(ctx context.Context, repo ref.Repo, kind ref.CommentType, id ref.Comment) (string, error) {
	if id.NodeID != "" {
		return id.NodeID, nil
	}
	number, err := r.repositoryNumber(ctx, repo)
	if err != nil || number == 0 {
		return "", err
	}
	return ref.EncodeNodeID(prefixes[kind], number, id.DatabaseID), nil
}

// repositoryNumber asks for a repository's number, once. It is 0 where the
// repository's own id shows that ids are not built from numbers.
func (r *Resolver) repositoryNumber(ctx context.Context, repo ref.Repo) (int64, error) {
	if known, ok := r.numbers.Load(key(repo)); ok {
		number, _ := known.(int64)
		return number, nil
	}
	var query struct {
		Repository *struct {
			ID         string
			DatabaseID int64 `graphql:"databaseId"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := r.gh.Query(ctx, "RepositoryNumber", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name),
	})
	if err != nil {
		return 0, err
	}
	if query.Repository == nil {
		return 0, notes.Fault("repository", NoRepository(repo))
	}
	number := query.Repository.DatabaseID
	if own, ok := ref.DecodeNodeID(query.Repository.ID); !ok || own.DatabaseID != number {
		r.numbers.Store(key(repo), int64(0))
		return 0, nil
	}
	r.Learn(repo, number)
	return number, nil
}
