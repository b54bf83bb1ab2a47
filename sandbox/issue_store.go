package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

// issue is an issue, or, with pull, a pull request.
type issue struct {
	topic
	assignees   []*account // nil: deleted
	milestone   *milestone
	kind        *issueType
	parent      *issue
	children    []*issue // in the order in which they were added
	blockedBy   []*issue // likewise
	blocking    []*issue
	duplicateOf *issue
	items       []*projectItem
	closedBy    *account
	pull        *pull

	source   *fixtures.Issue // nil when created at run time
	load     sync.Once
	loaded   atomic.Bool
	comments []*issueComment // in order; only after thread()
	byID     map[int64]*issueComment
}

// issueComment is a comment of an issue or pull request.
type issueComment struct {
	post
	issue     *issue
	minimized string
}

type milestone struct {
	id                 int64
	repository         *repository
	number             int
	title, description string
	creator            *account
	created            time.Time
	due, closed        time.Time // zero: none, open
}

type issueType struct {
	id                       int64
	repository               *repository
	name, color, description string
	disabled                 bool
}

type team struct {
	id         int64
	repository *repository
	slug, name string
	members    []*account
}

// addIssues takes in everything that issues and pull requests need, and then
// the relations between them.
func (s *store) addIssues(r *repository, source *fixtures.Repository) error {
	s.addSurroundings(r, source)
	for _, i := range source.Issues {
		if err := s.addIssue(r, i); err != nil {
			return fmt.Errorf("issue %d: %w", i.Number, err)
		}
	}
	slices.SortFunc(r.issues, func(a, b *issue) int { return cmp.Compare(a.number, b.number) })
	for _, i := range source.Issues {
		if err := r.relate(i); err != nil {
			return fmt.Errorf("issue %d: %w", i.Number, err)
		}
	}
	for _, p := range source.Projects {
		if err := s.addProject(r, p); err != nil {
			return fmt.Errorf("project %d: %w", p.Number, err)
		}
	}
	return nil
}

func (s *store) addSurroundings(r *repository, source *fixtures.Repository) {
	for _, t := range source.Teams {
		made := &team{id: t.ID, repository: r, slug: t.Slug, name: t.Name}
		for _, login := range t.Members {
			made.members = append(made.members, s.account(login))
		}
		r.teams = append(r.teams, made)
	}
	for _, m := range source.Milestones {
		r.milestones = append(r.milestones, &milestone{
			id: m.ID, repository: r, number: m.Number, title: m.Title, description: m.Description,
			creator: s.account(m.Creator), created: m.Created, due: m.Due, closed: m.Closed,
		})
	}
	for _, t := range source.IssueTypes {
		r.issueTypes = append(r.issueTypes, &issueType{id: t.ID, repository: r, name: t.Name, color: t.Color, description: t.Description, disabled: t.Disabled})
	}
}

func (s *store) addIssue(r *repository, source *fixtures.Issue) error {
	i := &issue{source: source, closedBy: s.account(source.ClosedBy)}
	if err := s.adopt(&i.topic, r, i, &source.Topic, source.Latest()); err != nil {
		return err
	}
	for _, login := range source.Assignees {
		i.assignees = append(i.assignees, s.account(login))
	}
	if source.Milestone != 0 {
		if i.milestone = r.milestoneNumbered(source.Milestone); i.milestone == nil {
			return fmt.Errorf("no milestone %d", source.Milestone)
		}
	}
	if source.Type != "" {
		if i.kind = r.issueTypeNamed(source.Type); i.kind == nil {
			return fmt.Errorf("no issue type %q", source.Type)
		}
	}
	if source.Pull != nil {
		if err := s.addPull(i, source.Pull); err != nil {
			return err
		}
	}
	r.issues = append(r.issues, i)
	return nil
}

// relate joins an issue to the ones it names.
func (r *repository) relate(source *fixtures.Issue) error {
	i := r.issue(source.Number)
	for _, number := range append(slices.Clone(source.BlockedBy), source.Parent, source.DuplicateOf) {
		if number != 0 && r.issue(number) == nil {
			return fmt.Errorf("no issue %d", number)
		}
	}
	if parent := r.issue(source.Parent); parent != nil {
		i.parent, parent.children = parent, append(parent.children, i)
	}
	for _, number := range source.BlockedBy {
		other := r.issue(number)
		i.blockedBy, other.blocking = append(i.blockedBy, other), append(other.blocking, i)
	}
	i.duplicateOf = r.issue(source.DuplicateOf)
	if i.pull != nil {
		for _, number := range source.Pull.Closes {
			other := r.issue(number)
			if other == nil {
				return fmt.Errorf("no issue %d", number)
			}
			i.pull.closes = append(i.pull.closes, other)
		}
	}
	return nil
}

// issue finds an issue or pull request by number.
func (r *repository) issue(number int) *issue {
	at, found := slices.BinarySearchFunc(r.issues, number, func(i *issue, n int) int { return cmp.Compare(i.number, n) })
	if !found {
		return nil
	}
	return r.issues[at]
}

func (r *repository) milestoneNumbered(number int) *milestone {
	for _, m := range r.milestones {
		if m.number == number {
			return m
		}
	}
	return nil
}

func (r *repository) issueTypeNamed(name string) *issueType {
	for _, t := range r.issueTypes {
		if strings.EqualFold(t.name, name) {
			return t
		}
	}
	return nil
}

func (r *repository) teamNamed(slug string) *team {
	for _, t := range r.teams {
		if strings.EqualFold(t.slug, slug) {
			return t
		}
	}
	return nil
}

// issueComment finds a comment of an issue or pull request by database id.
func (r *repository) issueComment(s *store, id int64) *issueComment {
	for _, i := range r.issues {
		if !i.loaded.Load() && !i.source.Owns(id) {
			continue
		}
		i.thread(s)
		if found := i.byID[id]; found != nil {
			return found
		}
	}
	return nil
}

// thread is the issue's comments; the first call builds them. Resolvers of one
// request may call it at the same time.
func (i *issue) thread(s *store) []*issueComment {
	i.load.Do(func() {
		if i.loaded.Load() { // made at run time
			return
		}
		i.byID = map[int64]*issueComment{}
		for _, source := range i.source.Comments() {
			c := &issueComment{issue: i, minimized: source.Minimized}
			c.post = s.post(i.repository, c, source.Post)
			c.adoptReactions()
			i.comments = append(i.comments, c)
			i.byID[c.id] = c
		}
		slices.SortFunc(i.comments, func(a, b *issueComment) int { return a.key().compare(b.key()) })
		i.loaded.Store(true)
	})
	return i.comments
}

func (i *issue) count() int {
	if i.loaded.Load() {
		return len(i.comments)
	}
	return i.source.Count()
}

func (c *issueComment) key() sortKey { return timeKey(c.created, c.id) }

// isPull reports whether it is a pull request.
func (i *issue) isPull() bool { return i.pull != nil }

// idKind is how its node id is spelt.
func (i *issue) idKind() idKind {
	if i.isPull() {
		return kindPull
	}
	return kindIssue
}

// state is OPEN, CLOSED or, of a pull request, MERGED.
func (i *issue) state() string {
	switch {
	case i.closed.IsZero():
		return "OPEN"
	case i.isPull() && !i.pull.merged.IsZero():
		return "MERGED"
	}
	return "CLOSED"
}
