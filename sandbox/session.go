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
	return nil
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
	}
	return nil
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
	if d, ok := t.subject.(*discussion); ok {
		return &thread{s.discussion(d)}
	}
	return nil
}

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
