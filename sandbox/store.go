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

// store is the state of the embedded GitHub. Whoever reads or changes it holds
// mu for the whole of a request.
type store struct {
	mu sync.Mutex

	clock        func() time.Time // nil: time stands still between writes
	lastWrite    time.Time
	nextID       int64
	accounts     map[string]*account // by login in lower case
	repositories []*repository
	forks        []*repository // that only pull requests come from
}

type account struct {
	id                int64
	login, name, kind string
}

// created is the day every account of the sandbox was made.
var accountsCreated = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

type repository struct {
	id                int64
	owner             *account
	name, description string
	private           bool
	fork              bool
	created           time.Time
	permissions       map[*account]permission
	associations      map[*account]string
	labels            []*label
	categories        []*category
	discussions       []*discussion // by number
	issues            []*issue      // by number; pull requests too
	milestones        []*milestone
	issueTypes        []*issueType
	teams             []*team
	projects          []*project
	branches          []string
	nextNumber        int
}

type label struct {
	id                       int64
	repository               *repository
	name, color, description string
	created                  time.Time
}

type category struct {
	id                             int64
	repository                     *repository
	name, slug, emoji, description string
	answerable                     bool
	created                        time.Time
}

// post is what everything written by somebody has in common, whatever kind of
// thread it is in.
type post struct {
	id               int64
	repository       *repository
	subject          any      // the thing of which this is the post, such as a *discussion or a *comment
	author           *account // nil: deleted
	association      string
	body             string
	created, updated time.Time
	edited           time.Time
	editor           *account
	upvotes          int
	upvoters         map[*account]bool // those counted one by one
	reactions        []*reaction
}

type reaction struct {
	id      int64
	post    *post
	content string
	by      *account
	created time.Time
}

// topic is what every numbered thread has, whatever its kind: a post with a
// number, a title, labels, a lock and a state.
type topic struct {
	post
	number      int
	title       string
	labels      []*label
	locked      bool
	lockReason  string
	closed      time.Time // zero: open
	stateReason string
}

type discussion struct {
	topic
	category *category
	answer   int64 // database id of the comment; 0: none
	answerBy *account
	answerAt time.Time

	source   *fixtures.Discussion // nil when created at run time
	load     sync.Once
	loaded   atomic.Bool
	comments []*comment // in order; only after thread()
	byID     map[int64]*comment
}

type comment struct {
	post
	discussion *discussion
	parent     *comment
	deleted    time.Time
	minimized  string
	replies    []*comment
}

func newStore(repositories []*fixtures.Repository, clock func() time.Time) (*store, error) {
	s := &store{clock: clock, nextID: 40_000_000, accounts: map[string]*account{}}
	for _, source := range repositories {
		if err := s.addRepository(source); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", source.Owner, source.Name, err)
		}
	}
	return s, nil
}

func (s *store) addRepository(source *fixtures.Repository) error {
	for _, user := range source.Users {
		key := strings.ToLower(user.Login)
		if s.accounts[key] == nil {
			s.accounts[key] = &account{id: user.ID, login: user.Login, name: user.Name, kind: user.Kind}
		}
	}
	owner := s.account(source.Owner)
	if owner == nil {
		return fmt.Errorf("no user section for the owner %q", source.Owner)
	}
	r := &repository{
		id: source.ID, owner: owner, name: source.Name, description: source.Description,
		private: source.Private, branches: source.Branches, created: source.Created, nextNumber: 1001,
		permissions: map[*account]permission{}, associations: map[*account]string{},
	}
	s.repositories = append(s.repositories, r)
	for _, user := range source.Users {
		r.permissions[s.account(user.Login)] = permissionNamed(user.Permission)
		r.associations[s.account(user.Login)] = user.Association
	}
	for _, l := range source.Labels {
		r.labels = append(r.labels, &label{id: l.ID, repository: r, name: l.Name, color: l.Color, description: l.Description, created: l.Created})
	}
	for _, c := range source.Categories {
		r.categories = append(r.categories, &category{id: c.ID, repository: r, name: c.Name, slug: c.Slug, emoji: c.Emoji, description: c.Description, answerable: c.Answerable, created: c.Created})
	}
	for _, d := range source.Discussions {
		if err := s.addDiscussion(r, d); err != nil {
			return fmt.Errorf("discussion %d: %w", d.Number, err)
		}
	}
	slices.SortFunc(r.discussions, func(a, b *discussion) int { return cmp.Compare(a.number, b.number) })
	return s.addIssues(r, source)
}

func (s *store) addDiscussion(r *repository, source *fixtures.Discussion) error {
	d := &discussion{category: r.categoryBySlug(source.Category), source: source}
	if err := s.adopt(&d.topic, r, d, &source.Topic, source.Latest()); err != nil {
		return err
	}
	if d.category == nil {
		return fmt.Errorf("no category %q", source.Category)
	}
	if answer := source.Answer; answer != nil {
		d.answer, d.answerBy, d.answerAt = answer.Comment, s.account(answer.By), answer.At
	}
	r.discussions = append(r.discussions, d)
	return nil
}

// adopt fills the topic of a thread from its fixture.
func (s *store) adopt(t *topic, r *repository, subject any, source *fixtures.Topic, latest time.Time) error {
	*t = topic{
		post: s.post(r, subject, source.Post), number: source.Number, title: source.Title,
		locked: source.Locked, lockReason: source.LockReason, closed: source.Closed, stateReason: source.StateReason,
	}
	for _, name := range source.Labels {
		l := r.labelNamed(name)
		if l == nil {
			return fmt.Errorf("no label %q", name)
		}
		t.labels = append(t.labels, l)
	}
	t.adoptReactions()
	t.updated = latest
	if latest.After(s.lastWrite) {
		s.lastWrite = latest
	}
	return nil
}

// post makes a post of a fixture.
func (s *store) post(r *repository, subject any, source fixtures.Post) post {
	p := post{
		id: source.ID, repository: r, subject: subject, author: s.account(source.Author), association: source.Association,
		body: source.Body, created: source.Created, updated: source.Created, edited: source.Edited, editor: s.account(source.Editor),
		upvotes: source.Upvotes,
	}
	if p.association == "" {
		p.association = r.association(p.author)
	}
	if p.edited.After(p.updated) {
		p.updated = p.edited
	}
	for i, source := range source.Reactions {
		p.reactions = append(p.reactions, &reaction{id: p.id*16 + int64(i), content: source.Content, by: s.account(source.Login), created: p.created})
	}
	return p
}

// adoptReactions points the reactions to the post they are on, once it is where
// it stays.
func (p *post) adoptReactions() {
	for _, x := range p.reactions {
		x.post = p
	}
}

// account finds a login, in any letter case; nil when there is none.
func (s *store) account(login string) *account { return s.accounts[strings.ToLower(login)] }

// now is the time of a write: strictly later than every write before it and
// than every fixture, by at least a second.
func (s *store) now() time.Time {
	next := s.lastWrite.Add(time.Second)
	if s.clock != nil {
		if now := s.clock().UTC().Truncate(time.Second); now.After(next) {
			next = now
		}
	}
	s.lastWrite = next
	return next
}

// id is a fresh database id.
func (s *store) id() int64 {
	s.nextID++
	return s.nextID
}

// repository finds a repository by name, in any letter case.
func (s *store) repository(owner, name string) *repository {
	for _, r := range slices.Concat(s.repositories, s.forks) {
		if strings.EqualFold(r.owner.login, owner) && strings.EqualFold(r.name, name) {
			return r
		}
	}
	return nil
}

func (r *repository) association(author *account) string {
	if association := r.associations[author]; author != nil && association != "" {
		return association
	}
	return "NONE"
}

func (r *repository) fullName() string { return r.owner.login + "/" + r.name }

func (r *repository) labelNamed(name string) *label {
	for _, l := range r.labels {
		if strings.EqualFold(l.name, name) {
			return l
		}
	}
	return nil
}

func (r *repository) categoryBySlug(slug string) *category {
	for _, c := range r.categories {
		if c.slug == slug {
			return c
		}
	}
	return nil
}

func (r *repository) discussion(number int) *discussion {
	at, found := slices.BinarySearchFunc(r.discussions, number, func(d *discussion, n int) int { return cmp.Compare(d.number, n) })
	if !found {
		return nil
	}
	return r.discussions[at]
}

// comment finds a comment or reply of a discussion by database id.
func (r *repository) comment(s *store, id int64) *comment {
	for _, d := range r.discussions {
		if found := d.comment(s, id); found != nil {
			return found
		}
	}
	return nil
}

func (d *discussion) comment(s *store, id int64) *comment {
	if !d.loaded.Load() && !d.source.Owns(id) {
		return nil
	}
	d.thread(s)
	return d.byID[id]
}

// thread is the discussion's comments; the first call builds them. Resolvers
// of one request may call it at the same time.
func (d *discussion) thread(s *store) []*comment {
	d.load.Do(func() {
		if d.loaded.Load() { // made at run time
			return
		}
		d.byID = map[int64]*comment{}
		for _, source := range d.source.Comments() {
			d.comments = append(d.comments, s.comment(d, nil, source))
		}
		slices.SortFunc(d.comments, compareComments)
		d.loaded.Store(true)
	})
	return d.comments
}

func (s *store) comment(d *discussion, parent *comment, source *fixtures.Comment) *comment {
	c := &comment{discussion: d, parent: parent, deleted: source.Deleted, minimized: source.Minimized}
	c.post = s.post(d.repository, c, source.Post)
	c.adoptReactions()
	if c.deleted.After(c.updated) {
		c.updated = c.deleted
	}
	for _, reply := range source.Replies {
		c.replies = append(c.replies, s.comment(d, c, reply))
	}
	slices.SortFunc(c.replies, compareComments)
	d.byID[c.id] = c
	return c
}

func (d *discussion) count() int {
	if d.loaded.Load() {
		return len(d.comments)
	}
	return d.source.Count()
}

func (c *comment) key() sortKey { return timeKey(c.created, c.id) }

func compareComments(a, b *comment) int {
	return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
}
