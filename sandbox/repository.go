package sandbox

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	graphql "github.com/graph-gophers/graphql-go"
)

type repositoryResolver struct {
	session    *session
	repository *repository
}

func (r *repositoryResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindRepository, 0, r.repository.id, r.repository.created, r.session.nextIDs))
}

func (r *repositoryResolver) CreatedAt() dateTime         { return dateTime{r.repository.created} }
func (r *repositoryResolver) DatabaseID() *int32          { return databaseID(r.repository.id) }
func (r *repositoryResolver) Description() *string        { return text(r.repository.description) }
func (r *repositoryResolver) HasDiscussionsEnabled() bool { return true }
func (r *repositoryResolver) HasIssuesEnabled() bool      { return true }
func (r *repositoryResolver) IsArchived() bool            { return false }
func (r *repositoryResolver) IsDisabled() bool            { return false }
func (r *repositoryResolver) IsFork() bool                { return r.repository.fork }
func (r *repositoryResolver) IsLocked() bool              { return false }
func (r *repositoryResolver) IsInOrganization() bool {
	return r.repository.owner.kind == "Organization"
}
func (r *repositoryResolver) IsPrivate() bool         { return r.repository.private }
func (r *repositoryResolver) Name() string            { return r.repository.name }
func (r *repositoryResolver) NameWithOwner() string   { return r.repository.fullName() }
func (r *repositoryResolver) Owner() *accountResolver { return r.session.actor(r.repository.owner) }
func (r *repositoryResolver) ResourcePath() uri       { return uri("/" + r.repository.fullName()) }
func (r *repositoryResolver) URL() uri                { return uri(r.repository.url()) }
func (r *repositoryResolver) UpdatedAt() dateTime     { return dateTime{r.repository.updated()} }

func (r *repositoryResolver) ViewerCanAdminister() bool {
	return r.session.may(r.repository, permissionAdmin)
}

func (r *repositoryResolver) ViewerPermission() *string {
	return text(r.repository.permission(r.session.viewer).String())
}

func (r *repositoryResolver) Visibility() string {
	if r.repository.private {
		return "PRIVATE"
	}
	return "PUBLIC"
}

func (r *repository) url() string { return webURL + "/" + r.fullName() }

func (r *repository) updated() time.Time {
	latest := r.created
	for _, d := range r.discussions {
		if d.updated.After(latest) {
			latest = d.updated
		}
	}
	for _, i := range r.issues {
		if i.updated.After(latest) {
			latest = i.updated
		}
	}
	return latest
}

func (r *repositoryResolver) Label(args struct{ Name string }) *labelResolver {
	if l := r.repository.labelNamed(args.Name); l != nil {
		return &labelResolver{r.session, l}
	}
	return nil
}

// labelsArgs are the arguments of Repository.labels.
type labelsArgs struct {
	pageArgs
	OrderBy *labelOrder
	Query   *string
}

type labelOrder struct{ Direction, Field string }

func (r *repositoryResolver) Labels(ctx context.Context, args labelsArgs) (*connection[*labelResolver], error) {
	labels := r.repository.labels
	if args.Query != nil {
		labels = slices.DeleteFunc(slices.Clone(labels), func(l *label) bool {
			return !containsFold(l.name+" "+l.description, *args.Query)
		})
	}
	return r.session.labels(ctx, labels, args.pageArgs, args.OrderBy)
}

func (s *session) labels(ctx context.Context, labels []*label, args pageArgs, by *labelOrder) (*connection[*labelResolver], error) {
	order := ordering[*label]{key: func(l *label) sortKey { return timeKey(l.created, l.id) }}
	if by != nil && by.Field == "NAME" {
		order.key = func(l *label) sortKey { return sortKey{text: strings.ToLower(l.name), id: l.id} }
	}
	order.desc = by != nil && by.Direction == "DESC"
	return paginate(ctx, "labels", args, order.sort(labels), order, func(l *label) *labelResolver { return &labelResolver{s, l} })
}

// sort is a sorted copy.
func (o ordering[T]) sort(things []T) []T {
	sorted := slices.Clone(things)
	slices.SortStableFunc(sorted, func(a, b T) int { return o.compare(o.key(a), o.key(b)) })
	return sorted
}

func containsFold(in, part string) bool {
	return strings.Contains(strings.ToLower(in), strings.ToLower(part))
}

// categoriesArgs are the arguments of Repository.discussionCategories.
type categoriesArgs struct {
	pageArgs
	FilterByAssignable bool
}

func (r *repositoryResolver) DiscussionCategories(ctx context.Context, args categoriesArgs) (*connection[*categoryResolver], error) {
	order := ordering[*category]{key: func(c *category) sortKey { return timeKey(c.created, c.id) }}
	categories := r.repository.categories
	if args.FilterByAssignable {
		categories = slices.DeleteFunc(slices.Clone(categories), func(c *category) bool {
			return !r.session.mayPostIn(c)
		})
	}
	return paginate(ctx, "discussionCategories", args.pageArgs, categories, order, func(c *category) *categoryResolver { return &categoryResolver{r.session, c} })
}

// mayPostIn: announcements are for maintainers.
func (s *session) mayPostIn(c *category) bool {
	return c.slug != "announcements" || s.may(c.repository, permissionMaintain)
}

func (r *repositoryResolver) DiscussionCategory(args struct{ Slug string }) *categoryResolver {
	if c := r.repository.categoryBySlug(args.Slug); c != nil {
		return &categoryResolver{r.session, c}
	}
	return nil
}

func (r *repositoryResolver) Discussion(args struct{ Number int32 }) (*discussionResolver, error) {
	d := r.repository.discussion(int(args.Number))
	if d == nil {
		return nil, notFound("Could not resolve to a Discussion with the number of %d.", args.Number)
	}
	return r.session.discussion(d), nil
}

// discussionsArgs are the arguments of Repository.discussions.
type discussionsArgs struct {
	pageArgs
	Answered   graphql.NullBool
	CategoryID graphql.NullID
	OrderBy    *labelOrder
	States     []string
}

func (r *repositoryResolver) Discussions(ctx context.Context, args discussionsArgs) (*connection[*discussionResolver], error) {
	var found []*discussion
	for _, d := range r.repository.discussions {
		if r.session.matches(d, args) {
			found = append(found, d)
		}
	}
	order := ordering[*discussion]{key: func(d *discussion) sortKey { return timeKey(d.updated, d.id) }, desc: true}
	if by := args.OrderBy; by != nil {
		order.desc = by.Direction == "DESC"
		if by.Field == "CREATED_AT" {
			order.key = func(d *discussion) sortKey { return timeKey(d.created, d.id) }
		}
	}
	return paginate(ctx, "discussions", args.pageArgs, order.sort(found), order, r.session.discussion)
}

func (s *session) matches(d *discussion, args discussionsArgs) bool {
	if answered := args.Answered.Value; answered != nil && (!d.category.answerable || *answered != (d.answer != 0)) {
		return false
	}
	if id := args.CategoryID.Value; id != nil {
		if c, _ := s.find(*id).(*category); c != d.category {
			return false
		}
	}
	return len(args.States) == 0 || slices.Contains(args.States, d.state())
}

func (d *discussion) state() string {
	if d.closed.IsZero() {
		return "OPEN"
	}
	return "CLOSED"
}

type labelResolver struct {
	session *session
	label   *label
}

func (r *labelResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindLabel, r.label.repository.id, r.label.id, r.label.created, r.session.nextIDs))
}

func (r *labelResolver) Color() string        { return r.label.color }
func (r *labelResolver) CreatedAt() *dateTime { return instant(r.label.created) }
func (r *labelResolver) UpdatedAt() *dateTime { return instant(r.label.created) }
func (r *labelResolver) Description() *string { return text(r.label.description) }
func (r *labelResolver) Name() string         { return r.label.name }
func (r *labelResolver) ResourcePath() uri    { return uri(r.label.path()) }
func (r *labelResolver) URL() uri             { return uri(webURL + r.label.path()) }

// defaultLabels are those GitHub gives every new repository.
var defaultLabels = []string{"bug", "documentation", "duplicate", "enhancement", "good first issue", "help wanted", "invalid", "question", "wontfix"}

func (r *labelResolver) IsDefault() bool { return slices.Contains(defaultLabels, r.label.name) }

func (r *labelResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.label.repository}
}

func (l *label) path() string {
	return "/" + l.repository.fullName() + "/labels/" + escapePath(l.name)
}

type categoryResolver struct {
	session  *session
	category *category
}

func (r *categoryResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindCategory, r.category.repository.id, r.category.id, r.category.created, r.session.nextIDs))
}

func (r *categoryResolver) CreatedAt() dateTime  { return dateTime{r.category.created} }
func (r *categoryResolver) UpdatedAt() dateTime  { return dateTime{r.category.created} }
func (r *categoryResolver) Description() *string { return text(r.category.description) }
func (r *categoryResolver) Emoji() string        { return r.category.emoji }
func (r *categoryResolver) IsAnswerable() bool   { return r.category.answerable }
func (r *categoryResolver) Name() string         { return r.category.name }
func (r *categoryResolver) Slug() string         { return r.category.slug }

func (r *categoryResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.category.repository}
}

// insert keeps discussions in the order in which discussion finds them.
func (r *repository) insert(d *discussion) {
	at, _ := slices.BinarySearchFunc(r.discussions, d.number, func(d *discussion, n int) int { return cmp.Compare(d.number, n) })
	r.discussions = slices.Insert(r.discussions, at, d)
}
