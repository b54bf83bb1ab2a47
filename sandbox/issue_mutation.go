package sandbox

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	graphql "github.com/graph-gophers/graphql-go"
)

// change is what can be set on an issue or pull request; what is nil stays.
type change struct {
	title, body *string
	assignees   *[]*account
	labels      *[]*label
	milestone   *optional[*milestone]
	kind        *optional[*issueType]
	projects    *[]*project
}

// optional is a value that can be nothing.
type optional[T any] struct{ value T }

// changeInput is the part of an input that change is made of.
type changeInput struct {
	title, body       *string
	assignees, labels *[]graphql.ID
	projects          *[]graphql.ID
	milestone, kind   graphql.NullID
}

// change resolves an input, before anything is changed.
func (s *session) change(in changeInput) (c change, err error) {
	c.title, c.body = in.title, in.body
	if in.title != nil {
		if err := checkTitle(*in.title); err != nil {
			return c, err
		}
	}
	if in.body != nil {
		if err := checkLength(*in.body); err != nil {
			return c, err
		}
	}
	if c.assignees, err = findList[*account](s, in.assignees); err != nil {
		return c, err
	}
	if c.labels, err = findList[*label](s, in.labels); err != nil {
		return c, err
	}
	if c.projects, err = findList[*project](s, in.projects); err != nil {
		return c, err
	}
	if c.milestone, err = findOptional[*milestone](s, in.milestone); err != nil {
		return c, err
	}
	c.kind, err = findOptional[*issueType](s, in.kind)
	return c, err
}

// checkLength takes an empty body, too.
func checkLength(body string) error {
	if utf8.RuneCountInString(body) > maxBody {
		return unprocessable("Body is too long (maximum is %d characters)", maxBody)
	}
	return nil
}

// findList resolves ids that must all be of one kind; nil for nil.
func findList[T any](s *session, ids *[]graphql.ID) (*[]T, error) {
	if ids == nil {
		return nil, nil
	}
	found := make([]T, len(*ids))
	for n, id := range *ids {
		thing, err := findAs[T](s, id)
		if err != nil {
			return nil, err
		}
		found[n] = thing
	}
	return &found, nil
}

// findOptional is nil for an id that is absent, and nothing for null.
func findOptional[T any](s *session, id graphql.NullID) (*optional[T], error) {
	switch {
	case !id.Set:
		return nil, nil
	case id.Value == nil:
		return &optional[T]{}, nil
	}
	thing, err := findAs[T](s, *id.Value)
	return &optional[T]{thing}, err
}

// sets reports whether the change is about more than the text.
func (c change) sets() bool {
	return c.assignees != nil || c.labels != nil || c.milestone != nil || c.kind != nil || c.projects != nil
}

// apply carries a change out; the time is the issue's new updatedAt.
func (s *session) apply(i *issue, c change, at time.Time) {
	if c.title != nil {
		i.title = *c.title
	}
	if c.body != nil && *c.body != i.body {
		i.body, i.edited, i.editor = *c.body, at, s.viewer
	}
	if c.assignees != nil {
		i.assignees = nil
		i.assign(*c.assignees)
	}
	if c.labels != nil {
		i.topic.labels = *c.labels
	}
	if c.milestone != nil {
		i.milestone = c.milestone.value
	}
	if c.kind != nil {
		i.kind = c.kind.value
	}
	if c.projects != nil {
		for _, p := range *c.projects {
			s.addToProject(p, i)
		}
	}
	i.updated = at
}

// maxAssignees is the most that GitHub takes for one issue.
const maxAssignees = 10

// assign adds people; as on GitHub, those who cannot be assigned are left out
// without a word.
func (i *issue) assign(people []*account) {
	for _, a := range people {
		if i.repository.assignable(a) && !slices.Contains(i.assignees, a) && len(i.assignees) < maxAssignees {
			i.assignees = append(i.assignees, a)
		}
	}
}

// createIssueInput is GitHub's type of that name.
type createIssueInput struct {
	RepositoryID                      graphql.ID
	Title                             string
	Body                              *string
	AssigneeIDs, LabelIDs, ProjectIDs *[]graphql.ID
	MilestoneID, IssueTypeID          graphql.NullID
	ParentIssueID                     *graphql.ID
	IssueTemplate, ClientMutationID   *string
}

func (*root) CreateIssue(ctx context.Context, args struct{ Input createIssueInput }) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	r, err := findAs[*repository](s, in.RepositoryID)
	if err != nil {
		return nil, err
	}
	c, err := s.change(changeInput{
		title: &in.Title, body: in.Body, assignees: in.AssigneeIDs, labels: in.LabelIDs, projects: in.ProjectIDs,
		milestone: in.MilestoneID, kind: in.IssueTypeID,
	})
	if err != nil {
		return nil, err
	}
	if (c.sets() || in.ParentIssueID != nil) && !s.mayTriage(r) {
		return nil, s.forbidden("CreateIssue")
	}
	var parent *issue
	if in.ParentIssueID != nil {
		if parent, err = findAs[*issue](s, *in.ParentIssueID); err != nil {
			return nil, err
		}
	}
	i := s.newIssue(r, in.Title)
	s.apply(i, c, i.created)
	i.edited, i.editor = noTime, nil
	if parent != nil {
		i.parent, parent.children = parent, append(parent.children, i)
	}
	return &payload{ClientMutationID: in.ClientMutationID, Issue: s.issue(i)}, nil
}

// newIssue is an issue by the viewer, now.
func (s *session) newIssue(r *repository, title string) *issue {
	i := &issue{byID: map[int64]*issueComment{}}
	i.topic = topic{post: s.newPost(r, i, ""), number: r.nextNumber, title: title}
	r.nextNumber++
	i.loaded.Store(true)
	r.issues = append(r.issues, i) // no number is higher
	return i
}

// updateIssueInput is GitHub's type of that name; what is null stays, but for
// the milestone and the type.
type updateIssueInput struct {
	ID                                graphql.ID
	Title, Body, State                *string
	AssigneeIDs, LabelIDs, ProjectIDs *[]graphql.ID
	MilestoneID, IssueTypeID          graphql.NullID
	ClientMutationID                  *string
}

func (*root) UpdateIssue(ctx context.Context, args struct{ Input updateIssueInput }) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	i, err := s.findIssue(in.ID)
	if err != nil {
		return nil, err
	}
	c, err := s.change(changeInput{
		title: in.Title, body: in.Body, assignees: in.AssigneeIDs, labels: in.LabelIDs, projects: in.ProjectIDs,
		milestone: in.MilestoneID, kind: in.IssueTypeID,
	})
	if err != nil {
		return nil, err
	}
	if !s.mayChange(i, c) || in.State != nil && !s.mayClose(&i.topic) {
		return nil, s.forbidden("UpdateIssue")
	}
	s.apply(i, c, s.store.now())
	if in.State != nil && *in.State != i.state() {
		s.setClosed(i, *in.State == "CLOSED", "COMPLETED")
	}
	return &payload{ClientMutationID: in.ClientMutationID, Actor: s.actor(s.viewer), Issue: s.issue(i)}, nil
}

// mayChange: the text is its author's, the rest the triagers'.
func (s *session) mayChange(i *issue, c change) bool {
	if c.sets() && !s.mayTriage(i.repository) {
		return false
	}
	return c.title == nil && c.body == nil || s.mayEdit(&i.topic, &i.post)
}

// findIssue is findAs for an issue that is no pull request.
func (s *session) findIssue(id graphql.ID) (*issue, error) {
	i, err := findAs[*issue](s, id)
	if err == nil && i.isPull() {
		return nil, unresolved(id)
	}
	return i, err
}

// setClosed closes or reopens; the reason is for closing.
func (s *session) setClosed(i *issue, closed bool, reason string) {
	i.updated = s.store.now()
	if closed {
		i.closed, i.closedBy, i.stateReason = i.updated, s.viewer, reason
		return
	}
	i.closed, i.closedBy, i.stateReason, i.duplicateOf = noTime, nil, "REOPENED", nil
}

func (*root) CloseIssue(ctx context.Context, args struct {
	Input struct {
		IssueID          graphql.ID
		StateReason      *string
		DuplicateIssueID *graphql.ID
		ClientMutationID *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	i, err := s.findIssue(in.IssueID)
	if err != nil {
		return nil, err
	}
	if !s.mayClose(&i.topic) {
		return nil, s.forbidden("CloseIssue")
	}
	reason := "COMPLETED"
	if in.StateReason != nil {
		reason = *in.StateReason
	}
	var original *issue
	if in.DuplicateIssueID != nil {
		if original, err = findAs[*issue](s, *in.DuplicateIssueID); err != nil {
			return nil, err
		}
		if original == i || reason != "DUPLICATE" {
			return nil, unprocessable("Only an issue that is closed as a duplicate can be one of another issue")
		}
	}
	s.setClosed(i, true, reason)
	i.duplicateOf = original
	return &payload{ClientMutationID: in.ClientMutationID, Issue: s.issue(i)}, nil
}

func (*root) ReopenIssue(ctx context.Context, args issueInput) (*payload, error) {
	s := sessionOf(ctx)
	i, err := s.findIssue(args.Input.IssueID)
	if err != nil {
		return nil, err
	}
	if !s.mayClose(&i.topic) {
		return nil, s.forbidden("ReopenIssue")
	}
	if !i.closed.IsZero() {
		s.setClosed(i, false, "")
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, Issue: s.issue(i)}, nil
}

// issueInput is the input of mutations that only name an issue.
type issueInput struct {
	Input struct {
		IssueID          graphql.ID
		ClientMutationID *string
	}
}

func (*root) UpdateIssueIssueType(ctx context.Context, args struct {
	Input struct {
		IssueID          graphql.ID
		IssueTypeID      *graphql.ID
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	i, err := s.findIssue(args.Input.IssueID)
	if err != nil {
		return nil, err
	}
	if !s.mayTriage(i.repository) {
		return nil, s.forbidden("UpdateIssueIssueType")
	}
	var kind *issueType
	if id := args.Input.IssueTypeID; id != nil {
		if kind, err = findAs[*issueType](s, *id); err != nil {
			return nil, err
		}
		if kind.disabled {
			return nil, unprocessable("Issue type %s is not enabled", kind.name)
		}
	}
	i.kind, i.updated = kind, s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID, Issue: s.issue(i)}, nil
}

// assigneesInput is the input of the two mutations of assignees.
type assigneesInput struct {
	Input struct {
		AssignableID     graphql.ID
		AssigneeIDs      []graphql.ID
		ClientMutationID *string
	}
}

func (*root) AddAssigneesToAssignable(ctx context.Context, args assigneesInput) (*payload, error) {
	return sessionOf(ctx).reassign(args, "AddAssigneesToAssignable", (*issue).assign)
}

func (*root) RemoveAssigneesFromAssignable(ctx context.Context, args assigneesInput) (*payload, error) {
	return sessionOf(ctx).reassign(args, "RemoveAssigneesFromAssignable", func(i *issue, people []*account) {
		i.assignees = slices.DeleteFunc(slices.Clone(i.assignees), func(a *account) bool { return slices.Contains(people, a) })
	})
}

func (s *session) reassign(args assigneesInput, mutation string, change func(*issue, []*account)) (*payload, error) {
	i, err := findAs[*issue](s, args.Input.AssignableID)
	if err != nil {
		return nil, err
	}
	people, err := findList[*account](s, &args.Input.AssigneeIDs)
	if err != nil {
		return nil, err
	}
	if !s.mayTriage(i.repository) {
		return nil, s.forbidden(mutation)
	}
	change(i, *people)
	i.updated = s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID, Assignable: s.assignable(i)}, nil
}
