package sandbox

import (
	"context"
	"fmt"
	"slices"

	graphql "github.com/graph-gophers/graphql-go"
)

// workResolver has the fields that issues and pull requests share.
type workResolver struct {
	topicResolver
	issue *issue
}

func (s *session) work(i *issue) workResolver { return workResolver{s.topic(&i.topic), i} }

func (r workResolver) ID() graphql.ID {
	i := r.issue
	return graphql.ID(nodeID(i.idKind(), i.repository.id, i.id, i.created, r.session.nextIDs))
}

func (r workResolver) State() string { return r.issue.state() }

func (r workResolver) Milestone() *milestoneResolver {
	if r.issue.milestone == nil {
		return nil
	}
	return r.session.milestone(r.issue.milestone)
}

func (r workResolver) Assignees(ctx context.Context, args pageArgs) (*connection[*accountResolver], error) {
	return paginateList(ctx, "assignees", args, r.issue.assignees, r.session.actor)
}

// commentsArgs are the arguments of comments.
type commentsArgs struct {
	pageArgs
	OrderBy *labelOrder
}

func (r workResolver) Comments(ctx context.Context, args commentsArgs) (*connection[*issueCommentResolver], error) {
	if !selectsItems(ctx) {
		return &connection[*issueCommentResolver]{window: window{total: r.issue.count()}}, args.check("comments", false)
	}
	order := ordering[*issueComment]{key: (*issueComment).key}
	comments := r.issue.thread(r.session.store)
	if by := args.OrderBy; by != nil {
		order = ordering[*issueComment]{key: func(c *issueComment) sortKey { return timeKey(c.updated, c.id) }, desc: by.Direction == "DESC"}
		comments = order.sort(comments)
	}
	return paginate(ctx, "comments", args.pageArgs, comments, order, r.session.issueComment)
}

// itemsArgs are the arguments of projectItems.
type itemsArgs struct {
	pageArgs
	IncludeArchived bool
}

func (r workResolver) ProjectItems(ctx context.Context, args itemsArgs) (*connection[*itemResolver], error) {
	return paginateList(ctx, "projectItems", args.pageArgs, r.issue.items, r.session.item)
}

// paginateList is paginate for things that are in order but have no key: their
// places are their cursors.
func paginateList[T, N any](ctx context.Context, name string, args pageArgs, things []T, resolve func(T) N) (*connection[N], error) {
	places := make([]int, len(things))
	for i := range places {
		places[i] = i
	}
	order := ordering[int]{key: func(place int) sortKey { return sortKey{id: int64(place) + 1} }}
	return paginate(ctx, name, args, places, order, func(place int) N { return resolve(things[place]) })
}

// issueResolver is an Issue.
type issueResolver struct{ workResolver }

func (s *session) issue(i *issue) *issueResolver { return &issueResolver{s.work(i)} }

// optionalIssue is null for nil.
func (s *session) optionalIssue(i *issue) *issueResolver {
	if i == nil {
		return nil
	}
	return s.issue(i)
}

// StateReason: GitHub calls a duplicate not planned, unless it is asked for.
func (r *issueResolver) StateReason(args struct{ EnableDuplicate bool }) *string {
	if r.issue.stateReason == "DUPLICATE" && !args.EnableDuplicate {
		return text("NOT_PLANNED")
	}
	return text(r.issue.stateReason)
}

func (r *issueResolver) DuplicateOf() *issueResolver {
	return r.session.optionalIssue(r.issue.duplicateOf)
}
func (r *issueResolver) Parent() *issueResolver { return r.session.optionalIssue(r.issue.parent) }
func (r *issueResolver) ViewerCanDelete() bool {
	return r.session.may(r.issue.repository, permissionAdmin)
}

func (r *issueResolver) IssueType() *issueTypeResolver {
	if r.issue.kind == nil {
		return nil
	}
	return r.session.issueType(r.issue.kind)
}

func (r *issueResolver) SubIssues(ctx context.Context, args pageArgs) (*connection[*issueResolver], error) {
	return paginateList(ctx, "subIssues", args, r.issue.children, r.session.issue)
}

// subIssuesSummary is GitHub's type of that name.
type subIssuesSummary struct{ Total, Completed, PercentCompleted int32 }

func (r *issueResolver) SubIssuesSummary() *subIssuesSummary {
	out := &subIssuesSummary{Total: int32(len(r.issue.children))}
	for _, child := range r.issue.children {
		if !child.closed.IsZero() {
			out.Completed++
		}
	}
	if out.Total > 0 {
		out.PercentCompleted = out.Completed * 100 / out.Total
	}
	return out
}

// dependenciesArgs are the arguments of blockedBy and blocking.
type dependenciesArgs struct {
	pageArgs
	OrderBy *labelOrder
}

func (r *issueResolver) BlockedBy(ctx context.Context, args dependenciesArgs) (*connection[*issueResolver], error) {
	return r.dependencies(ctx, "blockedBy", args, r.issue.blockedBy)
}

func (r *issueResolver) Blocking(ctx context.Context, args dependenciesArgs) (*connection[*issueResolver], error) {
	return r.dependencies(ctx, "blocking", args, r.issue.blocking)
}

// dependencies has others in the order in which they were added.
func (r *issueResolver) dependencies(ctx context.Context, name string, args dependenciesArgs, others []*issue) (*connection[*issueResolver], error) {
	by := args.OrderBy
	if by != nil && by.Field == "CREATED_AT" {
		order := ordering[*issue]{key: func(i *issue) sortKey { return timeKey(i.created, i.id) }, desc: by.Direction == "DESC"}
		return paginate(ctx, name, args.pageArgs, order.sort(others), order, r.session.issue)
	}
	if by == nil || by.Direction == "DESC" {
		others = slices.Clone(others)
		slices.Reverse(others)
	}
	return paginateList(ctx, name, args.pageArgs, others, r.session.issue)
}

// dependenciesSummary is GitHub's IssueDependenciesSummary: of open issues, and
// of all.
type dependenciesSummary struct{ BlockedBy, Blocking, TotalBlockedBy, TotalBlocking int32 }

func (r *issueResolver) IssueDependenciesSummary() *dependenciesSummary {
	return &dependenciesSummary{
		BlockedBy: countOpen(r.issue.blockedBy), Blocking: countOpen(r.issue.blocking),
		TotalBlockedBy: int32(len(r.issue.blockedBy)), TotalBlocking: int32(len(r.issue.blocking)),
	}
}

func countOpen(issues []*issue) (count int32) {
	for _, i := range issues {
		if i.closed.IsZero() {
			count++
		}
	}
	return count
}

// closersArgs are the arguments of closedByPullRequestsReferences.
type closersArgs struct {
	pageArgs
	IncludeClosedPrs, OrderByState, UserLinkedOnly bool
}

func (r *issueResolver) ClosedByPullRequestsReferences(ctx context.Context, args closersArgs) (*connection[*pullResolver], error) {
	var found []*issue
	for _, i := range r.issue.repository.issues {
		if i.isPull() && slices.Contains(i.pull.closes, r.issue) && (args.IncludeClosedPrs || i.state() != "CLOSED") {
			found = append(found, i)
		}
	}
	return paginateList(ctx, "closedByPullRequestsReferences", args.pageArgs, found, r.session.pull)
}

type issueCommentResolver struct {
	postResolver
	comment *issueComment
}

func (s *session) issueComment(c *issueComment) *issueCommentResolver {
	return &issueCommentResolver{postResolver{s, &c.post}, c}
}

func (r *issueCommentResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindIssueComment, r.post.repository.id, r.post.id, r.post.created, r.session.nextIDs))
}

// Issue is there for pull requests, too: to GitHub each is an issue.
func (r *issueCommentResolver) Issue() *issueResolver { return r.session.issue(r.comment.issue) }

func (r *issueCommentResolver) PullRequest() *pullResolver {
	if !r.comment.issue.isPull() {
		return nil
	}
	return r.session.pull(r.comment.issue)
}

func (r *issueCommentResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.post.repository}
}

func (r *issueCommentResolver) IsMinimized() bool        { return r.comment.minimized != "" }
func (r *issueCommentResolver) MinimizedReason() *string { return text(r.comment.minimized) }
func (r *issueCommentResolver) ResourcePath() uri        { return uri(r.comment.path()) }
func (r *issueCommentResolver) URL() uri                 { return uri(webURL + r.comment.path()) }
func (r *issueCommentResolver) ViewerCanMinimize() bool {
	return r.session.mayTriage(r.post.repository)
}
func (r *issueCommentResolver) ViewerCanReact() bool {
	return r.session.mayComment(&r.comment.issue.topic)
}
func (r *issueCommentResolver) ViewerCanDelete() bool { return r.ViewerCanUpdate() }

func (r *issueCommentResolver) ViewerCanUpdate() bool {
	return r.session.mayEdit(&r.comment.issue.topic, r.post)
}

func (r *issueCommentResolver) ViewerCannotUpdateReasons() []string {
	return r.session.cannotUpdate(&r.comment.issue.topic, r.post)
}

func (c *issueComment) path() string {
	return fmt.Sprintf("%s#issuecomment-%d", c.issue.path(), c.id)
}
