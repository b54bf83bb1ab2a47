package sandbox

import (
	"context"
	"fmt"
	"slices"

	graphql "github.com/graph-gophers/graphql-go"
)

// sees reports whether the viewer can see a review: a pending one is its
// author's alone.
func (s *session) sees(r *review) bool { return !r.pending() || s.wrote(&r.post) }

func (s *session) visibleRemarks(remarks []*remark) []*remark {
	return slices.DeleteFunc(slices.Clone(remarks), func(r *remark) bool { return r.review != nil && !s.sees(r.review) })
}

// saidResolver has the fields that reviews and remarks share.
type saidResolver struct {
	postResolver
	pull      *pull
	minimized string
}

func (r saidResolver) IsMinimized() bool          { return r.minimized != "" }
func (r saidResolver) MinimizedReason() *string   { return text(r.minimized) }
func (r saidResolver) PullRequest() *pullResolver { return r.session.pull(r.pull.issue) }
func (r saidResolver) ViewerCanMinimize() bool    { return r.session.mayTriage(r.post.repository) }
func (r saidResolver) ViewerCanReact() bool       { return r.session.mayComment(&r.pull.issue.topic) }
func (r saidResolver) ViewerCanUpdate() bool {
	return r.session.mayEdit(&r.pull.issue.topic, r.post)
}

func (r saidResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.post.repository}
}

func (r saidResolver) ViewerCannotUpdateReasons() []string {
	return r.session.cannotUpdate(&r.pull.issue.topic, r.post)
}

// reviewResolver is a PullRequestReview.
type reviewResolver struct {
	saidResolver
	review *review
}

func (s *session) review(x *review) *reviewResolver {
	return &reviewResolver{saidResolver{postResolver{s, &x.post}, x.pull, x.minimized}, x}
}

func (r *reviewResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindReview, r.post.repository.id, r.post.id, r.post.created, r.session.nextIDs))
}

func (r *reviewResolver) Commit() *commitResolver { return r.session.commit(r.review.commit) }
func (r *reviewResolver) PublishedAt() *dateTime  { return instant(r.review.submitted) }
func (r *reviewResolver) ResourcePath() uri       { return uri(r.review.path()) }
func (r *reviewResolver) State() string           { return r.review.state }
func (r *reviewResolver) SubmittedAt() *dateTime  { return instant(r.review.submitted) }
func (r *reviewResolver) URL() uri                { return uri(webURL + r.review.path()) }
func (r *reviewResolver) ViewerCanDelete() bool   { return r.review.pending() && r.session.wrote(r.post) }
func (r *reviewResolver) AuthorCanPushToRepository() bool {
	return r.post.repository.permission(r.post.author) >= permissionWrite
}

func (r *reviewResolver) Comments(ctx context.Context, args pageArgs) (*connection[*remarkResolver], error) {
	return r.session.remarks(ctx, args, r.review.remarks)
}

func (s *session) remarks(ctx context.Context, args pageArgs, remarks []*remark) (*connection[*remarkResolver], error) {
	return paginate(ctx, "comments", args, s.visibleRemarks(remarks), ordering[*remark]{key: (*remark).key}, s.remark)
}

func (r *review) path() string {
	return fmt.Sprintf("%s#pullrequestreview-%d", r.pull.issue.path(), r.id)
}

// remarkResolver is a PullRequestReviewComment.
type remarkResolver struct {
	saidResolver
	remark *remark
}

func (s *session) remark(x *remark) *remarkResolver {
	return &remarkResolver{saidResolver{postResolver{s, &x.post}, x.thread.pull, x.minimized}, x}
}

func (r *remarkResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindRemark, r.post.repository.id, r.post.id, r.post.created, r.session.nextIDs))
}

func (r *remarkResolver) Commit() *commitResolver   { return r.OriginalCommit() }
func (r *remarkResolver) DiffHunk() string          { return r.remark.thread.hunk }
func (r *remarkResolver) DraftedAt() dateTime       { return dateTime{r.post.created} }
func (r *remarkResolver) Line() *int32              { return positive(r.remark.thread.line) }
func (r *remarkResolver) OriginalLine() *int32      { return positive(r.remark.thread.original) }
func (r *remarkResolver) OriginalPosition() int32   { return int32(r.remark.thread.original) }
func (r *remarkResolver) OriginalStartLine() *int32 { return positive(r.remark.thread.start) }
func (r *remarkResolver) Outdated() bool            { return r.remark.thread.outdated }
func (r *remarkResolver) Path() string              { return r.remark.thread.path }
func (r *remarkResolver) Position() *int32          { return positive(r.remark.thread.line) }
func (r *remarkResolver) PublishedAt() *dateTime    { return instant(r.remark.published()) }
func (r *remarkResolver) ResourcePath() uri         { return uri(r.remark.path()) }
func (r *remarkResolver) StartLine() *int32         { return positive(r.remark.thread.start) }
func (r *remarkResolver) SubjectType() string       { return r.remark.thread.subjectType() }
func (r *remarkResolver) URL() uri                  { return uri(webURL + r.remark.path()) }
func (r *remarkResolver) ViewerCanDelete() bool     { return r.ViewerCanUpdate() }

func (r *remarkResolver) OriginalCommit() *commitResolver {
	if r.remark.review == nil {
		return nil
	}
	return r.session.commit(r.remark.review.commit)
}

func (r *remarkResolver) PullRequestReview() *reviewResolver {
	if r.remark.review == nil {
		return nil
	}
	return r.session.review(r.remark.review)
}

// ReplyTo is the remark that began the thread.
func (r *remarkResolver) ReplyTo() *remarkResolver {
	if begin := r.remark.thread.remarks; len(begin) > 0 && begin[0] != r.remark {
		return r.session.remark(begin[0])
	}
	return nil
}

func (r *remarkResolver) State() string {
	if r.remark.pending() {
		return "PENDING"
	}
	return "SUBMITTED"
}

func (r *remark) path() string {
	return fmt.Sprintf("%s#discussion_r%d", r.thread.pull.issue.path(), r.id)
}

// positive is null for 0.
func positive(n int) *int32 {
	if n == 0 {
		return nil
	}
	small := int32(n)
	return &small
}

// reviewThreadResolver is a PullRequestReviewThread.
type reviewThreadResolver struct {
	session *session
	thread  *reviewThread
}

func (s *session) reviewThread(t *reviewThread) *reviewThreadResolver {
	return &reviewThreadResolver{s, t}
}

func (r *reviewThreadResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(kindReviewThread, r.thread.pull.issue.repository.id, r.thread.id))
}

func (r *reviewThreadResolver) DiffSide() string          { return r.thread.side }
func (r *reviewThreadResolver) IsCollapsed() bool         { return r.thread.resolved || r.thread.outdated }
func (r *reviewThreadResolver) IsOutdated() bool          { return r.thread.outdated }
func (r *reviewThreadResolver) IsResolved() bool          { return r.thread.resolved }
func (r *reviewThreadResolver) Line() *int32              { return positive(r.thread.line) }
func (r *reviewThreadResolver) OriginalLine() *int32      { return positive(r.thread.original) }
func (r *reviewThreadResolver) OriginalStartLine() *int32 { return positive(r.thread.start) }
func (r *reviewThreadResolver) Path() string              { return r.thread.path }
func (r *reviewThreadResolver) PullRequest() *pullResolver {
	return r.session.pull(r.thread.pull.issue)
}
func (r *reviewThreadResolver) StartDiffSide() *string { return text(r.thread.startSide) }
func (r *reviewThreadResolver) StartLine() *int32      { return positive(r.thread.start) }
func (r *reviewThreadResolver) SubjectType() string    { return r.thread.subjectType() }
func (r *reviewThreadResolver) ViewerCanReply() bool {
	return r.session.mayComment(&r.thread.pull.issue.topic)
}
func (r *reviewThreadResolver) ViewerCanResolve() bool {
	return !r.thread.resolved && r.session.mayResolve(r.thread)
}
func (r *reviewThreadResolver) ViewerCanUnresolve() bool {
	return r.thread.resolved && r.session.mayResolve(r.thread)
}

func (r *reviewThreadResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.thread.pull.issue.repository}
}

func (r *reviewThreadResolver) ResolvedBy() *accountResolver {
	if !r.thread.resolved {
		return nil
	}
	return r.session.actor(r.thread.resolvedBy)
}

// threadCommentsArgs are the arguments of PullRequestReviewThread.comments.
type threadCommentsArgs struct {
	pageArgs
	Skip *int32
}

func (r *reviewThreadResolver) Comments(ctx context.Context, args threadCommentsArgs) (*connection[*remarkResolver], error) {
	return r.session.remarks(ctx, args.pageArgs, r.thread.remarks)
}

// mayResolve: who may push, or the author of the pull request or of the
// thread.
func (s *session) mayResolve(t *reviewThread) bool {
	return s.may(t.pull.issue.repository, permissionWrite) || s.wrote(&t.pull.issue.post) || len(t.remarks) > 0 && s.wrote(&t.remarks[0].post)
}

func (t *reviewThread) subjectType() string {
	if t.wholeFile {
		return "FILE"
	}
	return "LINE"
}
