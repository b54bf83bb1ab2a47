package sandbox

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// searchConnection is GitHub's: its cursors are offsets, its counts are by
// kind, and nothing beyond the first thousand results can be reached.
type searchConnection struct {
	*connection[*object]
	DiscussionCount, IssueCount, RepositoryCount, UserCount int32
}

func (searchConnection) CodeCount() int32 { return 0 }
func (searchConnection) WikiCount() int32 { return 0 }

// maxSearch is how many results GitHub's search lets a client page through.
const maxSearch = 1000

func (*root) Search(ctx context.Context, args struct {
	pageArgs
	Query, Type string
}) (*searchConnection, error) {
	s := sessionOf(ctx)
	if err := args.check("search", selectsItems(ctx)); err != nil {
		return nil, err
	}
	out := &searchConnection{connection: &connection[*object]{}}
	var found []any
	switch args.Type {
	case "DISCUSSION":
		for _, d := range s.searchDiscussions(parseSearch(args.Query)) {
			found = append(found, d)
		}
		out.DiscussionCount = int32(len(found))
	case "ISSUE":
		for _, i := range s.searchIssues(parseSearch(args.Query)) {
			found = append(found, i)
		}
		out.IssueCount = int32(len(found))
	case "REPOSITORY":
		found = s.searchRepositories(args.Query)
		out.RepositoryCount = int32(len(found))
	case "USER":
		found = s.searchAccounts(args.Query)
		out.UserCount = int32(len(found))
	}
	found = found[:min(len(found), maxSearch)]
	page, err := args.offsets(len(found))
	if err != nil {
		return nil, err
	}
	out.window = page
	for i := page.from; i < page.to; i++ {
		out.items = append(out.items, s.object(found[i]))
		out.keys = append(out.keys, searchCursor(i+1))
	}
	return out, nil
}

// offsets is window for search cursors.
func (a pageArgs) offsets(total int) (window, error) {
	w := window{to: total, total: total}
	if a.After != nil && *a.After != "" {
		offset, err := parseSearchCursor(*a.After)
		if err != nil {
			return w, err
		}
		w.from = min(offset, total)
	}
	if a.Before != nil && *a.Before != "" {
		offset, err := parseSearchCursor(*a.Before)
		if err != nil {
			return w, err
		}
		w.to = max(w.from, min(offset-1, total))
	}
	return w.cut(a), nil
}

// terms is a parsed search query.
type terms struct {
	qualifiers []qualifier
	words      []string
	sort       string
}

type qualifier struct {
	name, value string
	not         bool
}

var term = regexp.MustCompile(`(-?)([a-z][a-z-]*):(?:"([^"]*)"|(\S+))|"([^"]*)"|(\S+)`)

func parseSearch(query string) (t terms) {
	for _, match := range term.FindAllStringSubmatch(query, -1) {
		switch name, value := match[2], match[3]+match[4]; {
		case name == "sort":
			t.sort = value
		case name != "":
			t.qualifiers = append(t.qualifiers, qualifier{name: name, value: value, not: match[1] != ""})
		default:
			t.words = append(t.words, match[5]+match[6])
		}
	}
	return t
}

func (s *session) searchDiscussions(t terms) []*discussion {
	var found []*discussion
	for _, r := range s.store.repositories {
		if !s.visible(r) {
			continue
		}
		for _, d := range r.discussions {
			if s.fits(d, t) {
				found = append(found, d)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *discussion) int {
		return t.compare(&a.topic, &b.topic, a.count()-b.count())
	})
	return found
}

// compare sorts: updated (the default here), created, comments, reactions or
// top, newest or most first unless -asc. The third argument compares the
// numbers of comments.
func (t terms) compare(a, b *topic, comments int) int {
	field, direction, _ := strings.Cut(t.sort, "-")
	order := a.updated.Compare(b.updated)
	switch field {
	case "created":
		order = a.created.Compare(b.created)
	case "comments":
		order = comments
	case "reactions":
		order = len(a.reactions) - len(b.reactions)
	case "top":
		order = a.upvotes - b.upvotes
	}
	if order == 0 {
		order = cmp.Compare(a.id, b.id)
	}
	if direction == "asc" {
		return order
	}
	return -order
}

func (s *session) fits(d *discussion, t terms) bool {
	for _, q := range t.qualifiers {
		if s.qualifies(d, q) == q.not {
			return false
		}
	}
	for _, word := range t.words {
		if !containsFold(d.title+"\n"+d.body, word) {
			return false
		}
	}
	return true
}

func (s *session) qualifies(d *discussion, q qualifier) bool {
	switch q.name {
	case "repo":
		return strings.EqualFold(d.repository.fullName(), q.value)
	case "org", "user":
		return strings.EqualFold(d.repository.owner.login, q.value)
	case "is", "state":
		return s.isState(d, q.value)
	case "label":
		return slices.ContainsFunc(d.labels, func(l *label) bool { return strings.EqualFold(l.name, q.value) })
	case "author":
		return s.loginIs(d.author, q.value)
	case "commenter", "involves":
		return s.involves(d, q)
	case "category":
		return strings.EqualFold(d.category.name, q.value) || strings.EqualFold(d.category.slug, q.value)
	case "updated":
		return inRange(d.updated, q.value)
	case "created":
		return inRange(d.created, q.value)
	case "comments":
		return inCount(d.count(), q.value)
	case "in", "type":
		return true // what is searched is fixed here
	}
	return false // GitHub finds nothing for what it does not know
}

func (s *session) isState(d *discussion, value string) bool {
	switch strings.ToLower(value) {
	case "open":
		return d.closed.IsZero()
	case "closed":
		return !d.closed.IsZero()
	case "answered":
		return d.answer != 0
	case "unanswered":
		return d.category.answerable && d.answer == 0
	case "locked":
		return d.locked
	case "unlocked":
		return !d.locked
	case "public":
		return !d.repository.private
	case "private":
		return d.repository.private
	case "discussion":
		return true
	}
	return false
}

func (s *session) loginIs(a *account, value string) bool {
	if value == "@me" {
		return a == s.viewer
	}
	return a != nil && strings.EqualFold(strings.TrimPrefix(value, "app/"), a.login)
}

func (s *session) involves(d *discussion, q qualifier) bool {
	if q.name == "involves" && s.loginIs(d.author, q.value) {
		return true
	}
	return slices.ContainsFunc(d.thread(s.store), func(c *comment) bool {
		return s.loginIs(c.author, q.value) || slices.ContainsFunc(c.replies, func(r *comment) bool { return s.loginIs(r.author, q.value) })
	})
}

// inRange knows >, >=, <, <=, A..B and a single day or moment.
func inRange(at time.Time, value string) bool {
	if from, to, isRange := strings.Cut(value, ".."); isRange {
		return (from == "*" || inRange(at, ">="+from)) && (to == "*" || inRange(at, "<="+to))
	}
	operator := strings.TrimRight(value, "0123456789-:TZ+.")
	start, end, ok := span(strings.TrimPrefix(value, operator))
	if !ok {
		return false
	}
	switch operator {
	case ">":
		return !at.Before(end)
	case ">=":
		return !at.Before(start)
	case "<":
		return at.Before(start)
	case "<=":
		return at.Before(end)
	}
	return !at.Before(start) && at.Before(end)
}

// span is the time that a date or moment covers.
func span(value string) (start, end time.Time, ok bool) {
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at, at.Add(time.Second), true
	}
	at, err := time.Parse(time.DateOnly, value)
	return at, at.AddDate(0, 0, 1), err == nil
}

func inCount(count int, value string) bool {
	digits := strings.TrimLeft(value, "<>=")
	bound, err := strconv.Atoi(digits)
	if err != nil {
		return false
	}
	switch strings.TrimSuffix(value, digits) {
	case ">":
		return count > bound
	case ">=":
		return count >= bound
	case "<":
		return count < bound
	case "<=":
		return count <= bound
	}
	return count == bound
}

// searchRepositories knows the qualifiers user, org and repo, and looks for
// every word; other qualifiers do not narrow it down.
func (s *session) searchRepositories(query string) (found []any) {
	t := parseSearch(query)
	for _, r := range s.store.repositories {
		if s.visible(r) && t.findsRepository(r) {
			found = append(found, r)
		}
	}
	return found
}

func (t terms) findsRepository(r *repository) bool {
	for _, word := range t.words {
		if !containsFold(r.fullName()+" "+r.description, word) {
			return false
		}
	}
	for _, q := range t.qualifiers {
		is, known := map[string]string{"user": r.owner.login, "org": r.owner.login, "repo": r.fullName()}[q.name]
		if known && strings.EqualFold(is, q.value) == q.not {
			return false
		}
	}
	return true
}

func (s *session) searchAccounts(query string) (found []any) {
	for _, a := range slices.SortedFunc(maps.Values(s.store.accounts), func(a, b *account) int { return cmp.Compare(a.id, b.id) }) {
		if a.kind == "User" && containsFold(a.login+" "+a.name, query) {
			found = append(found, a)
		}
	}
	return found
}
