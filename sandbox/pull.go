package sandbox

import (
	"context"
	"slices"

	graphql "github.com/graph-gophers/graphql-go"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

// pullResolver is a PullRequest.
type pullResolver struct {
	workResolver
	pull *pull
}

func (s *session) pull(i *issue) *pullResolver { return &pullResolver{s.work(i), i.pull} }

func (r *pullResolver) BaseRefName() string        { return r.pull.base }
func (r *pullResolver) BaseRefOid() objectID       { return objectID(r.pull.baseOID) }
func (r *pullResolver) HeadRefName() string        { return r.pull.head }
func (r *pullResolver) HeadRefOid() objectID       { return objectID(r.pull.last().oid) }
func (r *pullResolver) IsCrossRepository() bool    { return r.pull.isFork() }
func (r *pullResolver) IsDraft() bool              { return r.pull.draft }
func (r *pullResolver) MaintainerCanModify() bool  { return r.pull.isFork() && !r.pull.noMaintainers }
func (r *pullResolver) MergeStateStatus() string   { return r.state().mergeState() }
func (r *pullResolver) Mergeable() string          { return r.pull.mergeable }
func (r *pullResolver) Merged() bool               { return !r.pull.merged.IsZero() }
func (r *pullResolver) MergedAt() *dateTime        { return instant(r.pull.merged) }
func (r *pullResolver) MergedBy() *accountResolver { return r.session.actor(r.pull.mergedBy) }
func (r *pullResolver) Permalink() uri             { return r.URL() }
func (r *pullResolver) ReviewDecision() *string    { return text(r.state().decision()) }
func (r *pullResolver) ChangedFiles() int32        { return int32(len(r.pull.files())) }
func (r *pullResolver) StatusCheckRollup() *rollup { return r.session.rollup(r.pull.last()) }
func (r *pullResolver) HeadRepositoryOwner() *accountResolver {
	return r.session.actor(r.pull.headOwner)
}

// state is the pull request with its reviews.
func (r *pullResolver) state() *pull { return r.pull.conversation(r.session.store) }

func (r *pullResolver) BaseRepository() *repositoryResolver { return r.Repository() }

func (r *pullResolver) HeadRepository() *repositoryResolver {
	if r.pull.headRepository == nil {
		return nil
	}
	return &repositoryResolver{r.session, r.pull.headRepository}
}

// HeadRef is null when the branch is gone.
func (r *pullResolver) HeadRef() *refResolver {
	if r.pull.branchGone || r.pull.headRepository == nil {
		return nil
	}
	return &refResolver{r.session, r.pull.headRepository, r.pull.head}
}

func (r *pullResolver) MergeCommit() *commitResolver {
	if r.pull.mergeCommit == nil {
		return nil
	}
	return r.session.commit(r.pull.mergeCommit)
}

func (r *pullResolver) Additions() int32 { added, _ := r.pull.lines(); return added }
func (r *pullResolver) Deletions() int32 { _, deleted := r.pull.lines(); return deleted }

// lines is how many were added and deleted.
func (p *pull) lines() (added, deleted int32) {
	for _, f := range p.files() {
		added, deleted = added+int32(f.Additions), deleted+int32(f.Deletions)
	}
	return added, deleted
}

func (r *pullResolver) TotalCommentsCount() *int32 {
	count := int32(r.issue.count())
	for _, t := range r.state().threads {
		count += int32(len(r.session.visibleRemarks(t.remarks)))
	}
	return &count
}

// closingArgs are the arguments of closingIssuesReferences.
type closingArgs struct {
	pageArgs
	OrderBy        *labelOrder
	UserLinkedOnly bool
}

func (r *pullResolver) ClosingIssuesReferences(ctx context.Context, args closingArgs) (*connection[*issueResolver], error) {
	return paginateList(ctx, "closingIssuesReferences", args.pageArgs, r.pull.closes, r.session.issue)
}

func (r *pullResolver) Commits(ctx context.Context, args pageArgs) (*connection[*pullCommit], error) {
	return paginateList(ctx, "commits", args, r.pull.commits, func(c *commit) *pullCommit { return &pullCommit{r.session, c} })
}

func (r *pullResolver) Files(ctx context.Context, args pageArgs) (*connection[*changedFile], error) {
	return paginateList(ctx, "files", args, r.pull.files(), newChangedFile)
}

// changedFile is GitHub's PullRequestChangedFile.
type changedFile struct {
	Additions, Deletions                int32
	ChangeType, Path, ViewerViewedState string
}

var changeTypes = map[string]string{"added": "ADDED", "removed": "DELETED", "modified": "MODIFIED", "renamed": "RENAMED"}

func newChangedFile(f *fixtures.File) *changedFile {
	return &changedFile{
		Additions: int32(f.Additions), Deletions: int32(f.Deletions),
		ChangeType: changeTypes[f.Status], Path: f.Path, ViewerViewedState: "UNVIEWED",
	}
}

func (r *pullResolver) ReviewRequests(ctx context.Context, args pageArgs) (*connection[*requestResolver], error) {
	return paginateList(ctx, "reviewRequests", args, r.pull.requested, func(request *reviewRequest) *requestResolver {
		return &requestResolver{r.session, request}
	})
}

// reviewsArgs are the arguments of reviews.
type reviewsArgs struct {
	pageArgs
	Author *string
	States *[]string
}

func (r *pullResolver) Reviews(ctx context.Context, args reviewsArgs) (*connection[*reviewResolver], error) {
	found := slices.DeleteFunc(slices.Clone(r.state().reviews), func(x *review) bool {
		other := args.Author != nil && !r.session.named(x.author, *args.Author)
		return other || !r.session.sees(x) || args.States != nil && len(*args.States) > 0 && !slices.Contains(*args.States, x.state)
	})
	return paginate(ctx, "reviews", args.pageArgs, found, ordering[*review]{key: (*review).key}, r.session.review)
}

func (r *pullResolver) LatestReviews(ctx context.Context, args pageArgs) (*connection[*reviewResolver], error) {
	all := r.state().latest(func(x *review) bool { return x.author != r.issue.author || r.issue.author == nil })
	return paginateList(ctx, "latestReviews", args, all, r.session.review)
}

// opinionsArgs are the arguments of latestOpinionatedReviews.
type opinionsArgs struct {
	pageArgs
	WritersOnly bool
}

func (r *pullResolver) LatestOpinionatedReviews(ctx context.Context, args opinionsArgs) (*connection[*reviewResolver], error) {
	return paginateList(ctx, "latestOpinionatedReviews", args.pageArgs, r.state().opinions(args.WritersOnly), r.session.review)
}

func (r *pullResolver) ViewerLatestReview() *reviewResolver {
	var found *reviewResolver
	for _, x := range r.state().reviews {
		if r.session.wrote(&x.post) {
			found = r.session.review(x)
		}
	}
	return found
}

func (r *pullResolver) ReviewThreads(ctx context.Context, args pageArgs) (*connection[*reviewThreadResolver], error) {
	found := slices.DeleteFunc(slices.Clone(r.state().threads), func(t *reviewThread) bool {
		return len(r.session.visibleRemarks(t.remarks)) == 0
	})
	return paginate(ctx, "reviewThreads", args, found, ordering[*reviewThread]{key: (*reviewThread).key}, r.session.reviewThread)
}

// requestResolver is a ReviewRequest.
type requestResolver struct {
	session *session
	request *reviewRequest
}

func (r *requestResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(kindRequest, r.request.pull.issue.repository.id, r.request.id))
}

func (r *requestResolver) AsCodeOwner() bool          { return false }
func (r *requestResolver) DatabaseID() *int32         { return databaseID(r.request.id) }
func (r *requestResolver) PullRequest() *pullResolver { return r.session.pull(r.request.pull.issue) }

// RequestedReviewer is null when the account is gone.
func (r *requestResolver) RequestedReviewer() *reviewer {
	switch {
	case r.request.team != nil:
		return &reviewer{team: r.session.team(r.request.team)}
	case r.request.user != nil:
		return &reviewer{accountResolver: r.session.actor(r.request.user)}
	}
	return nil
}

// reviewer is a RequestedReviewer.
type reviewer struct {
	*accountResolver
	team *teamResolver
}

func (r *reviewer) ToTeam() (*teamResolver, bool) { return r.team, r.team != nil }

// refResolver is a branch.
type refResolver struct {
	session    *session
	repository *repository
	name       string
}

func (r *refResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(kindRef, r.repository.id, int64(len(r.name))))
}

func (r *refResolver) Name() string   { return r.name }
func (r *refResolver) Prefix() string { return "refs/heads/" }
func (r *refResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.repository}
}

// Target is the branch's newest commit.
func (r *refResolver) Target() *gitObject {
	for _, i := range r.repository.issues {
		if p := i.pull; p != nil && p.head == r.name && !p.isFork() {
			return &gitObject{r.session.commit(p.last())}
		}
	}
	tip := &commit{repository: r.repository, oid: oid("tip of", r.name), message: "The newest commit of " + r.name, created: r.repository.created}
	return &gitObject{r.session.commit(tip)}
}

// gitObject is a GitObject; the sandbox has commits only.
type gitObject struct{ *commitResolver }

func (o *gitObject) ToCommit() (*commitResolver, bool) { return o.commitResolver, true }
