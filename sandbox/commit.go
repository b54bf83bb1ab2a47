package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	graphql "github.com/graph-gophers/graphql-go"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

type commitResolver struct {
	session *session
	commit  *commit
}

func (s *session) commit(c *commit) *commitResolver { return &commitResolver{s, c} }

// number is a database id made of the object id, which GitHub's ids hold whole.
func (c *commit) number() int64 {
	number, err := strconv.ParseInt(c.oid[:12], 16, 64)
	if err != nil {
		return 0
	}
	return number
}

// commitNumbered finds a commit of a pull request by that number.
func (r *repository) commitNumbered(number int64) *commit {
	for _, i := range r.issues {
		if !i.isPull() {
			continue
		}
		for _, c := range append(slices.Clone(i.pull.commits), i.pull.mergeCommit) {
			if c != nil && c.number() == number {
				return c
			}
		}
	}
	return nil
}

func (r *commitResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(kindCommit, r.commit.repository.id, r.commit.number()))
}

func (r *commitResolver) AbbreviatedOid() string     { return r.commit.oid[:7] }
func (r *commitResolver) AuthoredDate() dateTime     { return dateTime{r.commit.created} }
func (r *commitResolver) CommitResourcePath() uri    { return r.ResourcePath() }
func (r *commitResolver) CommitURL() uri             { return r.URL() }
func (r *commitResolver) CommittedDate() dateTime    { return dateTime{r.commit.created} }
func (r *commitResolver) Message() string            { return r.commit.message }
func (r *commitResolver) Oid() objectID              { return objectID(r.commit.oid) }
func (r *commitResolver) ResourcePath() uri          { return uri(r.commit.path()) }
func (r *commitResolver) StatusCheckRollup() *rollup { return r.session.rollup(r.commit) }
func (r *commitResolver) URL() uri                   { return uri(webURL + r.commit.path()) }
func (r *commitResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.commit.repository}
}

func (r *commitResolver) MessageHeadline() string {
	headline, _, _ := strings.Cut(r.commit.message, "\n")
	return headline
}

func (r *commitResolver) MessageBody() string {
	_, body, _ := strings.Cut(r.commit.message, "\n\n")
	return body
}

// change is the lines that the commit adds and deletes, and its files: the
// last commit of a pull request has them all.
func (r *commitResolver) change() (added, deleted, files int32) {
	if p := r.commit.pull; p != nil && p.last() == r.commit {
		added, deleted = p.lines()
		files = int32(len(p.files()))
	}
	return added, deleted, files
}

func (r *commitResolver) Additions() int32 { added, _, _ := r.change(); return added }
func (r *commitResolver) Deletions() int32 { _, deleted, _ := r.change(); return deleted }
func (r *commitResolver) ChangedFilesIfAvailable() *int32 {
	_, _, files := r.change()
	return &files
}

func (r *commitResolver) Author() *gitActor { return &gitActor{r.session, r.commit.author} }

func (c *commit) path() string { return fmt.Sprintf("/%s/commit/%s", c.repository.fullName(), c.oid) }

// gitActor is who made a commit, as git knows it.
type gitActor struct {
	session *session
	account *account // nil: no account has this address
}

func (a *gitActor) AvatarURL(args struct{ Size *int32 }) uri {
	if a.account == nil {
		return "https://avatars.githubusercontent.com/u/0?v=4"
	}
	return (&accountResolver{a.session, a.account}).AvatarURL(args)
}

func (a *gitActor) Name() *string {
	if a.account == nil {
		return text("Somebody")
	}
	return text(a.account.name)
}

func (a *gitActor) Email() *string {
	if a.account == nil {
		return text("somebody@example.test")
	}
	return text(a.account.login + "@users.noreply.github.com")
}

func (a *gitActor) User() *accountResolver {
	if a.account == nil || a.account.kind != "User" {
		return nil
	}
	return a.session.actor(a.account)
}

// pullCommit is a PullRequestCommit.
type pullCommit struct {
	session *session
	commit  *commit
}

func (r *pullCommit) ID() graphql.ID {
	return graphql.ID(newNodeID(kindPullCommit, r.commit.repository.id, r.commit.number()))
}

func (r *pullCommit) Commit() *commitResolver    { return r.session.commit(r.commit) }
func (r *pullCommit) PullRequest() *pullResolver { return r.session.pull(r.commit.pull.issue) }
func (r *pullCommit) URL() uri                   { return uri(webURL) + r.ResourcePath() }
func (r *pullCommit) ResourcePath() uri {
	return uri(r.commit.pull.issue.path() + "/commits/" + r.commit.oid)
}

// rollup is a StatusCheckRollup.
type rollup struct {
	session *session
	commit  *commit
}

// rollup is null for a commit without checks.
func (s *session) rollup(c *commit) *rollup {
	if len(c.checks) == 0 {
		return nil
	}
	return &rollup{s, c}
}

func (r *rollup) ID() graphql.ID {
	return graphql.ID(newNodeID(kindRollup, r.commit.repository.id, r.commit.number()))
}

func (r *rollup) Commit() *commitResolver { return r.session.commit(r.commit) }
func (r *rollup) State() string           { return r.commit.state() }

// contexts is a StatusCheckRollupContextConnection.
type contexts struct {
	*connection[*checkResolver]
	CheckRunCount, StatusContextCount int32
}

func (r *rollup) Contexts(ctx context.Context, args pageArgs) (*contexts, error) {
	page, err := paginateList(ctx, "contexts", args, r.commit.checks, func(c *fixtures.Check) *checkResolver {
		return &checkResolver{r.session, r.commit, c}
	})
	if err != nil {
		return nil, err
	}
	out := &contexts{connection: page}
	for _, c := range r.commit.checks {
		if c.Context {
			out.StatusContextCount++
		} else {
			out.CheckRunCount++
		}
	}
	return out, nil
}

// checkResolver is a CheckRun or a StatusContext.
type checkResolver struct {
	session *session
	commit  *commit
	check   *fixtures.Check
}

func (r *checkResolver) ToCheckRun() (*checkResolver, bool)      { return r, !r.check.Context }
func (r *checkResolver) ToStatusContext() (*checkResolver, bool) { return r, r.check.Context }

func (r *checkResolver) ID() graphql.ID {
	kind := kindCheckRun
	if r.check.Context {
		kind = kindStatus
	}
	return graphql.ID(newNodeID(kind, r.commit.repository.id, r.check.ID))
}

func (r *checkResolver) Commit() *commitResolver { return r.session.commit(r.commit) }
func (r *checkResolver) CompletedAt() *dateTime  { return instant(r.check.Completed) }
func (r *checkResolver) Conclusion() *string     { return text(r.check.Conclusion) }
func (r *checkResolver) Context() string         { return r.check.Name }
func (r *checkResolver) CreatedAt() dateTime     { return dateTime{r.check.Started} }
func (r *checkResolver) Creator() *accountResolver {
	return r.session.actor(r.session.store.account("cinder-agent"))
}
func (r *checkResolver) DatabaseID() *int32   { return databaseID(r.check.ID) }
func (r *checkResolver) Description() *string { return text(r.check.Text) }
func (r *checkResolver) DetailsURL() *uri     { return r.address() }
func (r *checkResolver) Name() string         { return r.check.Name }
func (r *checkResolver) Permalink() uri       { return r.URL() }
func (r *checkResolver) StartedAt() *dateTime { return instant(r.check.Started) }
func (r *checkResolver) State() string        { return r.check.State }
func (r *checkResolver) Status() string       { return r.check.Status }
func (r *checkResolver) Summary() *string     { return text(r.check.Text) }
func (r *checkResolver) TargetURL() *uri      { return r.address() }
func (r *checkResolver) Text() *string        { return nil }
func (r *checkResolver) Title() *string       { return text(r.check.Text) }
func (r *checkResolver) URL() uri             { return uri(webURL) + r.ResourcePath() }

func (r *checkResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.commit.repository}
}

func (r *checkResolver) ResourcePath() uri {
	return uri(fmt.Sprintf("/%s/runs/%d", r.commit.repository.fullName(), r.check.ID))
}

func (r *checkResolver) address() *uri {
	if r.check.URL == "" {
		return nil
	}
	address := uri(r.check.URL)
	return &address
}

// requiredArgs are the arguments of isRequired.
type requiredArgs struct {
	PullRequestID     *graphql.ID
	PullRequestNumber *int32
}

// IsRequired: the build and the test are.
func (r *checkResolver) IsRequired(requiredArgs) bool {
	return r.check.Name == "ci / build" || r.check.Name == "ci / test"
}
