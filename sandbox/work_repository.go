package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	graphql "github.com/graph-gophers/graphql-go"
)

// numberArgs name a thing of a repository.
type numberArgs struct{ Number int32 }

func (r *repositoryResolver) Issue(args numberArgs) (*issueResolver, error) {
	i := r.repository.issue(int(args.Number))
	if i == nil || i.isPull() {
		return nil, notFound("Could not resolve to an Issue with the number of %d.", args.Number)
	}
	return r.session.issue(i), nil
}

func (r *repositoryResolver) PullRequest(args numberArgs) (*pullResolver, error) {
	i := r.repository.issue(int(args.Number))
	if i == nil || !i.isPull() {
		return nil, notFound("Could not resolve to a PullRequest with the number of %d.", args.Number)
	}
	return r.session.pull(i), nil
}

func (r *repositoryResolver) IssueOrPullRequest(args numberArgs) (*object, error) {
	i := r.repository.issue(int(args.Number))
	if i == nil {
		return nil, notFound("Could not resolve to an issue or pull request with the number of %d.", args.Number)
	}
	return r.session.object(i), nil
}

// issuesArgs are the arguments of Repository.issues.
type issuesArgs struct {
	pageArgs
	FilterBy *issueFilters
	Labels   *[]string
	OrderBy  *labelOrder
	States   *[]string
}

// issueFilters is GitHub's type of that name. Assignee, Milestone and the like
// tell null ("has none") from absent.
type issueFilters struct {
	Assignee         graphql.NullString
	CreatedBy        *string
	Labels           *[]string
	Mentioned        *string
	Milestone        graphql.NullString
	MilestoneNumber  graphql.NullString
	Since            *dateTime
	States           *[]string
	ViewerSubscribed bool
}

func (r *repositoryResolver) Issues(ctx context.Context, args issuesArgs) (*connection[*issueResolver], error) {
	var found []*issue
	for _, i := range r.repository.issues {
		if !i.isPull() && i.hasState(args.States) && i.hasLabel(args.Labels) && (args.FilterBy == nil || r.session.passes(i, *args.FilterBy)) {
			found = append(found, i)
		}
	}
	order := issueOrder(args.OrderBy)
	return paginate(ctx, "issues", args.pageArgs, order.sort(found), order, r.session.issue)
}

// issueOrder is by creation, the oldest first, when nothing is said.
func issueOrder(by *labelOrder) ordering[*issue] {
	order := ordering[*issue]{key: func(i *issue) sortKey { return timeKey(i.created, i.id) }}
	if by == nil {
		return order
	}
	order.desc = by.Direction == "DESC"
	switch by.Field {
	case "UPDATED_AT":
		order.key = func(i *issue) sortKey { return timeKey(i.updated, i.id) }
	case "COMMENTS":
		order.key = func(i *issue) sortKey { return sortKey{text: fmt.Sprintf("%09d", i.count()), id: i.id} }
	}
	return order
}

func (i *issue) hasState(states *[]string) bool {
	return states == nil || len(*states) == 0 || slices.Contains(*states, i.state())
}

// hasLabel: any of them will do.
func (i *issue) hasLabel(names *[]string) bool {
	if names == nil || len(*names) == 0 {
		return true
	}
	return slices.ContainsFunc(i.labels, func(l *label) bool {
		return slices.ContainsFunc(*names, func(name string) bool { return strings.EqualFold(name, l.name) })
	})
}

// passes applies filterBy. "*" is anything, null nothing.
func (s *session) passes(i *issue, f issueFilters) bool {
	return s.passesPeople(i, f) && i.passesMilestone(f) && i.hasState(f.States) && i.hasLabel(f.Labels) &&
		(f.Since == nil || !i.updated.Before(f.Since.Time))
}

func (s *session) passesPeople(i *issue, f issueFilters) bool {
	if f.CreatedBy != nil && !s.named(i.author, *f.CreatedBy) {
		return false
	}
	if f.Mentioned != nil && !strings.Contains(strings.ToLower(i.body), "@"+strings.ToLower(*f.Mentioned)) {
		return false
	}
	switch {
	case !f.Assignee.Set:
		return true
	case f.Assignee.Value == nil:
		return len(i.assignees) == 0
	case *f.Assignee.Value == "*":
		return len(i.assignees) > 0
	}
	return slices.ContainsFunc(i.assignees, func(a *account) bool { return s.named(a, *f.Assignee.Value) })
}

// named reports whether an account has this login.
func (s *session) named(a *account, login string) bool {
	return a != nil && strings.EqualFold(a.login, login)
}

// passesMilestone: milestone is a title, a number or null; milestoneNumber a
// number or null.
func (i *issue) passesMilestone(f issueFilters) bool {
	for _, wanted := range []graphql.NullString{f.Milestone, f.MilestoneNumber} {
		switch {
		case !wanted.Set:
		case wanted.Value == nil:
			if i.milestone != nil {
				return false
			}
		case i.milestone == nil:
			return false
		case *wanted.Value != "*" && *wanted.Value != itoa(i.milestone.number) && *wanted.Value != i.milestone.title:
			return false
		}
	}
	return true
}

// pullsArgs are the arguments of Repository.pullRequests.
type pullsArgs struct {
	pageArgs
	BaseRefName, HeadRefName *string
	Labels                   *[]string
	OrderBy                  *labelOrder
	States                   *[]string
}

func (r *repositoryResolver) PullRequests(ctx context.Context, args pullsArgs) (*connection[*pullResolver], error) {
	var found []*issue
	for _, i := range r.repository.issues {
		if i.isPull() && i.hasState(args.States) && i.hasLabel(args.Labels) && i.pull.between(args.BaseRefName, args.HeadRefName) {
			found = append(found, i)
		}
	}
	order := issueOrder(args.OrderBy)
	return paginate(ctx, "pullRequests", args.pageArgs, order.sort(found), order, r.session.pull)
}

func (p *pull) between(base, head *string) bool {
	return (base == nil || *base == p.base) && (head == nil || *head == p.head)
}

func (r *repositoryResolver) Milestone(args numberArgs) *milestoneResolver {
	if m := r.repository.milestoneNumbered(int(args.Number)); m != nil {
		return r.session.milestone(m)
	}
	return nil
}

// milestonesArgs are the arguments of Repository.milestones.
type milestonesArgs struct {
	pageArgs
	OrderBy *labelOrder
	Query   *string
	States  *[]string
}

func (r *repositoryResolver) Milestones(ctx context.Context, args milestonesArgs) (*connection[*milestoneResolver], error) {
	found := slices.DeleteFunc(slices.Clone(r.repository.milestones), func(m *milestone) bool {
		other := args.States != nil && len(*args.States) > 0 && !slices.Contains(*args.States, m.state())
		return other || args.Query != nil && !containsFold(m.title, *args.Query)
	})
	order := ordering[*milestone]{key: func(m *milestone) sortKey { return sortKey{text: fmt.Sprintf("%09d", m.number), id: m.id} }}
	if by := args.OrderBy; by != nil {
		order.desc = by.Direction == "DESC"
		switch by.Field {
		case "CREATED_AT", "UPDATED_AT":
			order.key = func(m *milestone) sortKey { return timeKey(m.created, m.id) }
		case "DUE_DATE":
			order.key = func(m *milestone) sortKey { return timeKey(m.due, m.id) }
		}
	}
	return paginate(ctx, "milestones", args.pageArgs, order.sort(found), order, r.session.milestone)
}

// assignableArgs are the arguments of Repository.assignableUsers.
type assignableArgs struct {
	pageArgs
	Query *string
}

func (r *repositoryResolver) AssignableUsers(ctx context.Context, args assignableArgs) (*connection[*accountResolver], error) {
	var found []*account
	for a := range r.repository.permissions {
		if r.repository.assignable(a) && (args.Query == nil || containsFold(a.login+" "+a.name, *args.Query)) {
			found = append(found, a)
		}
	}
	order := ordering[*account]{key: func(a *account) sortKey { return sortKey{text: strings.ToLower(a.login), id: a.id} }}
	return paginate(ctx, "assignableUsers", args.pageArgs, order.sort(found), order, r.session.actor)
}

// assignable reports whether somebody can be given an issue: people with any
// granted permission.
func (r *repository) assignable(a *account) bool {
	return a != nil && a.kind == "User" && r.permissions[a] >= permissionRead
}

func (r *repositoryResolver) IssueType(args struct{ Name string }) *issueTypeResolver {
	if t := r.repository.issueTypeNamed(args.Name); t != nil {
		return r.session.issueType(t)
	}
	return nil
}

// issueTypesArgs are the arguments of Repository.issueTypes.
type issueTypesArgs struct {
	pageArgs
	OrderBy *labelOrder
}

func (r *repositoryResolver) IssueTypes(ctx context.Context, args issueTypesArgs) (*connection[*issueTypeResolver], error) {
	order := ordering[*issueType]{key: func(t *issueType) sortKey { return sortKey{id: t.id} }}
	if by := args.OrderBy; by != nil {
		order.desc = by.Direction == "DESC"
		if by.Field == "NAME" {
			order.key = func(t *issueType) sortKey { return sortKey{text: strings.ToLower(t.name), id: t.id} }
		}
	}
	return paginate(ctx, "issueTypes", args.pageArgs, order.sort(r.repository.issueTypes), order, r.session.issueType)
}

// defaultBranch is the name of every repository's.
const defaultBranch = "main"

// The repository allows every way to merge.
func (r *repositoryResolver) MergeCommitAllowed() bool { return true }
func (r *repositoryResolver) RebaseMergeAllowed() bool { return true }
func (r *repositoryResolver) SquashMergeAllowed() bool { return true }

func (r *repositoryResolver) DefaultBranchRef() *refResolver {
	return &refResolver{r.session, r.repository, defaultBranch}
}

type milestoneResolver struct {
	session   *session
	milestone *milestone
}

func (s *session) milestone(m *milestone) *milestoneResolver { return &milestoneResolver{s, m} }

func (r *milestoneResolver) ID() graphql.ID {
	m := r.milestone
	return graphql.ID(nodeID(kindMilestone, m.repository.id, m.id, m.created, r.session.nextIDs))
}

func (r *milestoneResolver) Closed() bool              { return !r.milestone.closed.IsZero() }
func (r *milestoneResolver) ClosedAt() *dateTime       { return instant(r.milestone.closed) }
func (r *milestoneResolver) CreatedAt() dateTime       { return dateTime{r.milestone.created} }
func (r *milestoneResolver) UpdatedAt() dateTime       { return dateTime{r.milestone.created} }
func (r *milestoneResolver) Creator() *accountResolver { return r.session.actor(r.milestone.creator) }
func (r *milestoneResolver) Description() *string      { return text(r.milestone.description) }
func (r *milestoneResolver) DueOn() *dateTime          { return instant(r.milestone.due) }
func (r *milestoneResolver) Number() int32             { return int32(r.milestone.number) }
func (r *milestoneResolver) ResourcePath() uri         { return uri(r.milestone.path()) }
func (r *milestoneResolver) State() string             { return r.milestone.state() }
func (r *milestoneResolver) Title() string             { return r.milestone.title }
func (r *milestoneResolver) URL() uri                  { return uri(webURL + r.milestone.path()) }
func (r *milestoneResolver) ViewerCanClose() bool      { return r.session.mayTriage(r.milestone.repository) }
func (r *milestoneResolver) ViewerCanReopen() bool {
	return r.session.mayTriage(r.milestone.repository)
}

func (r *milestoneResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.milestone.repository}
}

func (r *milestoneResolver) ProgressPercentage() float64 {
	all, closed := 0, 0
	for _, i := range r.milestone.repository.issues {
		if i.milestone == r.milestone {
			all++
			if !i.closed.IsZero() {
				closed++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(closed) * 100 / float64(all)
}

func (m *milestone) state() string {
	if m.closed.IsZero() {
		return "OPEN"
	}
	return "CLOSED"
}

func (m *milestone) path() string {
	return fmt.Sprintf("/%s/milestone/%d", m.repository.fullName(), m.number)
}

type issueTypeResolver struct {
	session   *session
	issueType *issueType
}

func (s *session) issueType(t *issueType) *issueTypeResolver { return &issueTypeResolver{s, t} }

func (r *issueTypeResolver) ID() graphql.ID {
	t := r.issueType
	return graphql.ID(newNodeID(kindIssueType, t.repository.id, t.id))
}

func (r *issueTypeResolver) Color() string        { return r.issueType.color }
func (r *issueTypeResolver) Description() *string { return text(r.issueType.description) }
func (r *issueTypeResolver) IsEnabled() bool      { return !r.issueType.disabled }
func (r *issueTypeResolver) Name() string         { return r.issueType.name }

type teamResolver struct {
	session *session
	team    *team
}

func (s *session) team(t *team) *teamResolver { return &teamResolver{s, t} }

func (r *teamResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(kindTeam, r.team.repository.id, r.team.id))
}

func (r *teamResolver) AvatarURL(struct{ Size int32 }) *uri {
	address := uri(fmt.Sprintf("https://avatars.githubusercontent.com/t/%d?v=4", r.team.id))
	return &address
}

func (r *teamResolver) CombinedSlug() string {
	return r.team.repository.owner.login + "/" + r.team.slug
}
func (r *teamResolver) DatabaseID() *int32   { return databaseID(r.team.id) }
func (r *teamResolver) Description() *string { return nil }
func (r *teamResolver) Name() string         { return r.team.name }
func (r *teamResolver) Slug() string         { return r.team.slug }
func (r *teamResolver) ResourcePath() uri    { return uri(r.team.path()) }
func (r *teamResolver) URL() uri             { return uri(webURL + r.team.path()) }
func (r *teamResolver) Organization() *accountResolver {
	return r.session.actor(r.team.repository.owner)
}

func (t *team) path() string {
	return "/orgs/" + t.repository.owner.login + "/teams/" + t.slug
}
