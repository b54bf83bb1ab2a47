package sandbox

import (
	"context"

	graphql "github.com/graph-gophers/graphql-go"
)

// session is one request to the GraphQL endpoint: who asks, in which spelling
// ids go out, and errors that belong to no single resolver.
type session struct {
	store   *store
	viewer  *account
	nextIDs bool
	query   *analysis
	limit   limit
	extra   []responseError
}

type sessionKey struct{}

func withSession(ctx context.Context, s *session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

// visible reports whether the viewer can see the repository at all.
func (s *session) visible(r *repository) bool {
	return r != nil && s.may(r, permissionRead)
}

// find resolves a node id in either spelling to a thing of the store that the
// viewer can see; nil when there is none.
func (s *session) find(id graphql.ID) any {
	kind, repositoryID, number, ok := parseNodeID(string(id))
	if !ok {
		return nil
	}
	if kind.global && kind != kindRepository {
		return s.findAccount(kind, number)
	}
	for _, r := range s.store.repositories {
		if !s.visible(r) || repositoryID != 0 && repositoryID != r.id {
			continue
		}
		if found := s.findIn(r, kind, number); found != nil {
			return found
		}
	}
	return nil
}

func (s *session) findAccount(kind idKind, id int64) any {
	for _, a := range s.store.accounts {
		if a.id == id && a.idKind() == kind {
			return a
		}
	}
	return nil
}

func (s *session) findIn(r *repository, kind idKind, id int64) any {
	switch kind {
	case kindRepository:
		if r.id == id {
			return r
		}
	case kindDiscussion:
		return first(r.discussions, func(d *discussion) bool { return d.id == id })
	case kindComment:
		if c := r.comment(s.store, id); c != nil {
			return c
		}
	case kindCategory:
		return first(r.categories, func(c *category) bool { return c.id == id })
	case kindLabel:
		return first(r.labels, func(l *label) bool { return l.id == id })
	}
	return s.findWork(r, kind, id)
}

// findWork is findIn for what belongs to issues and pull requests.
func (s *session) findWork(r *repository, kind idKind, id int64) any {
	switch kind {
	case kindIssue, kindPull:
		return first(r.issues, func(i *issue) bool { return i.id == id && i.idKind() == kind })
	case kindIssueComment:
		return orNil(r.issueComment(s.store, id))
	case kindReview:
		if found := r.review(s.store, id); found != nil && s.sees(found) {
			return found
		}
	case kindReviewThread:
		if found := r.reviewThread(s.store, id); found != nil && len(s.visibleRemarks(found.remarks)) > 0 {
			return found
		}
	case kindRemark:
		if found := r.remark(s.store, id); found != nil && (found.review == nil || s.sees(found.review)) {
			return found
		}
	case kindMilestone:
		return first(r.milestones, func(m *milestone) bool { return m.id == id })
	case kindIssueType:
		return first(r.issueTypes, func(t *issueType) bool { return t.id == id })
	case kindTeam:
		return first(r.teams, func(t *team) bool { return t.id == id })
	case kindCommit:
		return orNil(r.commitNumbered(id))
	}
	return s.findInProjects(r, kind, id)
}

func (s *session) findInProjects(r *repository, kind idKind, id int64) any {
	for _, p := range r.projects {
		if kind == kindProject && p.id == id {
			return p
		}
		if found := first(p.items, func(i *projectItem) bool { return kind == kindItem && i.id == id }); found != nil {
			return found
		}
		if found := first(p.fields, func(f *projectField) bool { return f.id == id && f.idKind() == kind }); found != nil {
			return found
		}
	}
	return nil
}

// orNil keeps a nil pointer from becoming a non-nil any.
func orNil[T any](found *T) any {
	if found == nil {
		return nil
	}
	return found
}

// first is the first thing that fits, as any; nil when none does.
func first[T any](things []T, fits func(T) bool) any {
	for _, thing := range things {
		if fits(thing) {
			return thing
		}
	}
	return nil
}

// findAs is find for an id that must be of one kind.
func findAs[T any](s *session, id graphql.ID) (T, error) {
	found, ok := s.find(id).(T)
	if !ok {
		return found, unresolved(id)
	}
	return found, nil
}

func unresolved(id graphql.ID) error {
	return notFound("Could not resolve to a node with the global id of '%s'", id)
}

// object is a Node of any type, or a search result; the engine picks the type
// by the conversions. A wrapper like this one stands for each interface of the
// schema: it embeds the interface's fields and converts to its types.
type object struct {
	identified
}

type identified interface{ ID() graphql.ID }

// object wraps a thing of the store.
func (s *session) object(thing any) *object {
	switch thing := thing.(type) {
	case *discussion:
		return &object{s.discussion(thing)}
	case *comment:
		return &object{s.comment(thing)}
	case *repository:
		return &object{&repositoryResolver{s, thing}}
	case *category:
		return &object{&categoryResolver{s, thing}}
	case *label:
		return &object{&labelResolver{s, thing}}
	case *account:
		return &object{&accountResolver{s, thing}}
	}
	return s.workObject(thing)
}

// workObject is object for what belongs to issues and pull requests.
func (s *session) workObject(thing any) *object {
	switch thing := thing.(type) {
	case *issue:
		if thing.isPull() {
			return &object{s.pull(thing)}
		}
		return &object{s.issue(thing)}
	case *issueComment:
		return &object{s.issueComment(thing)}
	case *review:
		return &object{s.review(thing)}
	case *reviewThread:
		return &object{s.reviewThread(thing)}
	case *remark:
		return &object{s.remark(thing)}
	case *milestone:
		return &object{s.milestone(thing)}
	case *issueType:
		return &object{s.issueType(thing)}
	case *team:
		return &object{s.team(thing)}
	case *project:
		return &object{s.project(thing)}
	case *projectItem:
		return &object{s.item(thing)}
	case *projectField:
		return &object{s.field(thing)}
	case *commit:
		return &object{s.commit(thing)}
	}
	return nil
}

func (o *object) ToDiscussion() (*discussionResolver, bool) {
	return as[*discussionResolver](o.identified)
}

func (o *object) ToDiscussionComment() (*commentResolver, bool) {
	return as[*commentResolver](o.identified)
}

func (o *object) ToDiscussionCategory() (*categoryResolver, bool) {
	return as[*categoryResolver](o.identified)
}

func (o *object) ToRepository() (*repositoryResolver, bool) {
	return as[*repositoryResolver](o.identified)
}

func (o *object) ToLabel() (*labelResolver, bool)          { return as[*labelResolver](o.identified) }
func (o *object) ToReaction() (*reactionResolver, bool)    { return as[*reactionResolver](o.identified) }
func (o *object) ToUser() (*accountResolver, bool)         { return o.account().ToUser() }
func (o *object) ToBot() (*accountResolver, bool)          { return o.account().ToBot() }
func (o *object) ToOrganization() (*accountResolver, bool) { return o.account().ToOrganization() }
func (o *object) ToMannequin() (*accountResolver, bool)    { return o.account().ToMannequin() }

func (o *object) ToIssue() (*issueResolver, bool) { return as[*issueResolver](o.identified) }
func (o *object) ToIssueComment() (*issueCommentResolver, bool) {
	return as[*issueCommentResolver](o.identified)
}
func (o *object) ToPullRequest() (*pullResolver, bool) { return as[*pullResolver](o.identified) }
func (o *object) ToPullRequestReview() (*reviewResolver, bool) {
	return as[*reviewResolver](o.identified)
}
func (o *object) ToPullRequestReviewComment() (*remarkResolver, bool) {
	return as[*remarkResolver](o.identified)
}
func (o *object) ToPullRequestReviewThread() (*reviewThreadResolver, bool) {
	return as[*reviewThreadResolver](o.identified)
}
func (o *object) ToMilestone() (*milestoneResolver, bool) {
	return as[*milestoneResolver](o.identified)
}
func (o *object) ToIssueType() (*issueTypeResolver, bool) {
	return as[*issueTypeResolver](o.identified)
}
func (o *object) ToTeam() (*teamResolver, bool)          { return as[*teamResolver](o.identified) }
func (o *object) ToCommit() (*commitResolver, bool)      { return as[*commitResolver](o.identified) }
func (o *object) ToProjectV2() (*projectResolver, bool)  { return as[*projectResolver](o.identified) }
func (o *object) ToProjectV2Item() (*itemResolver, bool) { return as[*itemResolver](o.identified) }
func (o *object) ToProjectV2Field() (*fieldResolver, bool) {
	return o.field().ToProjectV2Field()
}
func (o *object) ToProjectV2SingleSelectField() (*fieldResolver, bool) {
	return o.field().ToProjectV2SingleSelectField()
}
func (o *object) ToProjectV2IterationField() (*fieldResolver, bool) {
	return o.field().ToProjectV2IterationField()
}

func (o *object) field() *fieldResolver {
	field, _ := as[*fieldResolver](o.identified)
	return field
}

func (o *object) account() *accountResolver {
	account, _ := as[*accountResolver](o.identified)
	return account
}

func as[T any](value any) (T, bool) {
	wanted, ok := value.(T)
	return wanted, ok
}

// subject is a Reactable and a Votable.
type subject struct {
	subjectFields
}

type subjectFields interface {
	ID() graphql.ID
	DatabaseID() *int32
	ReactionGroups() *[]*reactionGroupResolver
	Reactions(context.Context, reactionsArgs) (*reactionConnection, error)
	ViewerCanReact() bool
	UpvoteCount() int32
	ViewerCanUpvote() bool
	ViewerHasUpvoted() bool
}

func (s *session) subjectOf(p *post) *subject {
	switch thing := p.subject.(type) {
	case *discussion:
		return &subject{s.discussion(thing)}
	case *comment:
		return &subject{s.comment(thing)}
	case *issue:
		if thing.isPull() {
			return &subject{s.pull(thing)}
		}
		return &subject{s.issue(thing)}
	case *issueComment:
		return &subject{s.issueComment(thing)}
	case *review:
		return &subject{s.review(thing)}
	case *remark:
		return &subject{s.remark(thing)}
	}
	return nil
}

func (o *subject) ToIssue() (*issueResolver, bool) { return as[*issueResolver](o.subjectFields) }
func (o *subject) ToIssueComment() (*issueCommentResolver, bool) {
	return as[*issueCommentResolver](o.subjectFields)
}
func (o *subject) ToPullRequest() (*pullResolver, bool) { return as[*pullResolver](o.subjectFields) }
func (o *subject) ToPullRequestReview() (*reviewResolver, bool) {
	return as[*reviewResolver](o.subjectFields)
}
func (o *subject) ToPullRequestReviewComment() (*remarkResolver, bool) {
	return as[*remarkResolver](o.subjectFields)
}

func (o *subject) ToDiscussion() (*discussionResolver, bool) {
	return as[*discussionResolver](o.subjectFields)
}

func (o *subject) ToDiscussionComment() (*commentResolver, bool) {
	return as[*commentResolver](o.subjectFields)
}

// thread is a Lockable and a Labelable.
type thread struct {
	threadFields
}

type threadFields interface {
	ActiveLockReason() *string
	Locked() bool
	Labels(context.Context, labelsOfArgs) (*connection[*labelResolver], error)
	ViewerCanLabel() bool
}

func (s *session) threadOf(t *topic) *thread {
	switch thing := t.subject.(type) {
	case *discussion:
		return &thread{s.discussion(thing)}
	case *issue:
		if thing.isPull() {
			return &thread{s.pull(thing)}
		}
		return &thread{s.issue(thing)}
	}
	return nil
}

func (o *thread) ToIssue() (*issueResolver, bool)      { return as[*issueResolver](o.threadFields) }
func (o *thread) ToPullRequest() (*pullResolver, bool) { return as[*pullResolver](o.threadFields) }

func (o *thread) ToDiscussion() (*discussionResolver, bool) {
	return as[*discussionResolver](o.threadFields)
}

// minimizable is a Minimizable.
type minimizable struct {
	minimizableFields
}

type minimizableFields interface {
	IsMinimized() bool
	MinimizedReason() *string
	ViewerCanMinimize() bool
}

func (o *minimizable) ToDiscussionComment() (*commentResolver, bool) {
	return as[*commentResolver](o.minimizableFields)
}

func (o *minimizable) ToIssueComment() (*issueCommentResolver, bool) {
	return as[*issueCommentResolver](o.minimizableFields)
}

func (o *minimizable) ToPullRequestReview() (*reviewResolver, bool) {
	return as[*reviewResolver](o.minimizableFields)
}

func (o *minimizable) ToPullRequestReviewComment() (*remarkResolver, bool) {
	return as[*remarkResolver](o.minimizableFields)
}

// assignable is an Assignable.
type assignable struct {
	assignableFields
}

type assignableFields interface {
	Assignees(context.Context, pageArgs) (*connection[*accountResolver], error)
}

func (s *session) assignable(i *issue) *assignable {
	if i.isPull() {
		return &assignable{s.pull(i)}
	}
	return &assignable{s.issue(i)}
}

func (o *assignable) ToIssue() (*issueResolver, bool) { return as[*issueResolver](o.assignableFields) }
func (o *assignable) ToPullRequest() (*pullResolver, bool) {
	return as[*pullResolver](o.assignableFields)
}
