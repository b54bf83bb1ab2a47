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

// pull is what a pull request has beyond an issue.
type pull struct {
	issue          *issue
	base, head     string      // branches
	baseOID        string      // a commit
	headRepository *repository // nil: deleted
	headOwner      *account    // nil: deleted
	branchGone     bool
	draft          bool
	mergeable      string
	behind         bool
	noMaintainers  bool
	merged         time.Time
	mergedBy       *account
	mergeCommit    *commit
	requested      []*reviewRequest
	commits        []*commit
	closes         []*issue

	source  *fixtures.Pull // nil when created at run time
	load    sync.Once
	loaded  atomic.Bool
	reviews []*review // in order of creation; only after conversation()
	threads []*reviewThread

	loadFiles sync.Once
	changes   []*fixtures.File
}

type commit struct {
	repository *repository
	pull       *pull // whose it is
	oid        string
	message    string
	author     *account
	created    time.Time
	checks     []*fixtures.Check
}

// reviewRequest asks an account or a team; neither: the account is gone.
type reviewRequest struct {
	id   int64
	pull *pull
	user *account
	team *team
}

type review struct {
	post
	pull      *pull
	state     string
	submitted time.Time
	minimized string
	commit    *commit
	remarks   []*remark
}

type reviewThread struct {
	id          int64
	pull        *pull
	path        string
	line, start int // 0: none
	side        string
	startSide   string
	original    int
	resolved    bool
	resolvedBy  *account
	outdated    bool
	wholeFile   bool
	hunk        string
	remarks     []*remark // in order; the first began the thread
}

// remark is an inline comment. It is created when it is drafted, and published
// when its review is submitted.
type remark struct {
	post
	thread    *reviewThread
	review    *review
	minimized string
}

func (s *store) addPull(i *issue, source *fixtures.Pull) error {
	r := i.repository
	p := &pull{
		issue: i, base: source.Base, head: source.Head, baseOID: source.BaseSHA(), branchGone: source.BranchGone, draft: source.Draft,
		mergeable: source.Mergeable, behind: source.Behind, noMaintainers: source.NoMaintainers,
		merged: source.Merged, mergedBy: s.account(source.MergedBy), source: source,
	}
	i.pull = p
	switch source.HeadRepository {
	case "":
		p.headRepository, p.headOwner = r, r.owner
	case "-":
	default:
		if err := s.addFork(p, source.HeadRepository); err != nil {
			return err
		}
	}
	if len(source.Commits) == 0 {
		return fmt.Errorf("no commits")
	}
	for _, c := range source.Commits {
		p.commits = append(p.commits, &commit{repository: r, pull: p, oid: c.SHA, message: c.Message, author: s.account(c.Author), created: c.Created})
	}
	p.last().checks = source.Checks
	if !p.merged.IsZero() {
		p.mergeCommit = p.merge(p.mergedBy, p.merged, "")
	}
	for n, asked := range source.Requested {
		request := &reviewRequest{id: i.id*16 + int64(n), pull: p, user: s.account(asked.Login), team: r.teamNamed(asked.Team)}
		p.requested = append(p.requested, request)
	}
	return nil
}

// addFork finds or makes the fork that a pull request comes from.
func (s *store) addFork(p *pull, fullName string) error {
	login, name, _ := strings.Cut(fullName, "/")
	if p.headOwner = s.account(login); p.headOwner == nil {
		return fmt.Errorf("no user %q", login)
	}
	if p.headRepository = s.repository(login, name); p.headRepository == nil {
		p.headRepository = s.fork(p.issue.repository, p.headOwner)
	}
	return nil
}

// fork makes somebody's fork of a repository.
func (s *store) fork(r *repository, owner *account) *repository {
	made := &repository{
		id: r.id*100 + owner.id%100, owner: owner, name: r.name, description: r.description, fork: true, created: accountsCreated,
		branches: r.branches, permissions: map[*account]permission{owner: permissionAdmin}, associations: map[*account]string{owner: "OWNER"}, nextNumber: 1,
	}
	s.forks = append(s.forks, made)
	return made
}

// last is the newest commit of the head branch.
func (p *pull) last() *commit { return p.commits[len(p.commits)-1] }

// isFork reports whether the head is in another repository.
func (p *pull) isFork() bool { return p.headRepository != p.issue.repository }

// files are the changed files; the first call builds them.
func (p *pull) files() []*fixtures.File {
	p.loadFiles.Do(func() {
		if p.source != nil {
			p.changes = p.source.Files()
		}
	})
	return p.changes
}

// conversation builds the reviews and threads. Resolvers of one request may
// call it at the same time.
func (p *pull) conversation(s *store) *pull {
	p.load.Do(func() {
		if p.loaded.Load() { // made at run time
			return
		}
		reviews, threads := p.source.Conversation()
		byID := map[int64]*review{}
		for _, source := range reviews {
			made := s.review(p, source)
			p.reviews = append(p.reviews, made)
			byID[made.id] = made
		}
		for _, source := range threads {
			p.threads = append(p.threads, s.reviewThread(p, source, byID))
		}
		slices.SortFunc(p.threads, func(a, b *reviewThread) int { return a.key().compare(b.key()) })
		p.loaded.Store(true)
	})
	return p
}

func (s *store) review(p *pull, source *fixtures.Review) *review {
	made := &review{pull: p, state: source.State, submitted: source.Submitted, minimized: source.Minimized, commit: p.last()}
	made.post = s.post(p.issue.repository, made, source.Post)
	made.adoptReactions()
	if made.submitted.After(made.updated) {
		made.updated = made.submitted
	}
	if at := source.Commit; at > 0 && at <= len(p.commits) {
		made.commit = p.commits[at-1]
	}
	return made
}

func (s *store) reviewThread(p *pull, source *fixtures.ReviewThread, reviews map[int64]*review) *reviewThread {
	t := &reviewThread{
		id: source.ID, pull: p, path: source.Path, line: source.Line, start: source.Start, side: source.Side, startSide: source.StartSide,
		original: source.Original, resolved: source.Resolved != "", resolvedBy: s.account(source.Resolved),
		outdated: source.Outdated, wholeFile: source.WholeFile, hunk: source.Hunk,
	}
	for _, source := range source.Remarks {
		made := &remark{thread: t, review: reviews[source.Review], minimized: source.Minimized}
		made.post = s.post(p.issue.repository, made, source.Post)
		made.adoptReactions()
		t.remarks = append(t.remarks, made)
		if made.review != nil {
			made.review.remarks = append(made.review.remarks, made)
		}
	}
	return t
}

func (t *reviewThread) key() sortKey {
	if len(t.remarks) == 0 {
		return sortKey{id: t.id}
	}
	return timeKey(t.remarks[0].created, t.id)
}

func (r *review) key() sortKey { return timeKey(r.created, r.id) }

func (r *remark) key() sortKey { return timeKey(r.created, r.id) }

// pending reports whether only its author can see it.
func (r *review) pending() bool { return r.state == "PENDING" }

func (r *remark) pending() bool { return r.review != nil && r.review.pending() }

// published is when others could first see it; zero: not yet.
func (r *remark) published() time.Time {
	if r.review == nil {
		return r.created
	}
	return r.review.submitted
}

// eachPull calls visit for every pull request that has, or could have, a
// review, thread or remark of this database id, until it returns true.
func (r *repository) eachPull(s *store, id int64, visit func(*pull) bool) {
	for _, i := range r.issues {
		if p := i.pull; p != nil && (p.loaded.Load() || p.source.Owns(id)) && visit(p.conversation(s)) {
			return
		}
	}
}

func (r *repository) review(s *store, id int64) (found *review) {
	r.eachPull(s, id, func(p *pull) bool {
		at := slices.IndexFunc(p.reviews, func(x *review) bool { return x.id == id })
		if at >= 0 {
			found = p.reviews[at]
		}
		return at >= 0
	})
	return found
}

func (r *repository) reviewThread(s *store, id int64) (found *reviewThread) {
	r.eachPull(s, id, func(p *pull) bool {
		at := slices.IndexFunc(p.threads, func(t *reviewThread) bool { return t.id == id })
		if at >= 0 {
			found = p.threads[at]
		}
		return at >= 0
	})
	return found
}

func (r *repository) remark(s *store, id int64) (found *remark) {
	r.eachPull(s, id, func(p *pull) bool {
		for _, t := range p.threads {
			if at := slices.IndexFunc(t.remarks, func(x *remark) bool { return x.id == id }); at >= 0 {
				found = t.remarks[at]
				return true
			}
		}
		return false
	})
	return found
}

// decision is GitHub's reviewDecision: only main asks for reviews, and only
// those of people who may push count.
func (p *pull) decision() string {
	if p.base != defaultBranch {
		return ""
	}
	decision := "REVIEW_REQUIRED"
	for _, r := range p.opinions(true) {
		switch r.state {
		case "CHANGES_REQUESTED":
			return "CHANGES_REQUESTED"
		case "APPROVED":
			decision = "APPROVED"
		}
	}
	return decision
}

// opinions are each reviewer's latest review that is more than a comment.
func (p *pull) opinions(writersOnly bool) []*review {
	return p.latest(func(r *review) bool {
		opinion := r.state == "APPROVED" || r.state == "CHANGES_REQUESTED" || r.state == "DISMISSED"
		return opinion && (!writersOnly || p.issue.repository.permission(r.author) >= permissionWrite)
	})
}

// latest is each author's last review among those that fit, in order. Every
// deleted account is an author of its own.
func (p *pull) latest(fits func(*review) bool) []*review {
	last := map[*account]*review{}
	var out []*review
	for _, r := range p.reviews {
		if !fits(r) || r.pending() {
			continue
		}
		if r.author == nil {
			out = append(out, r)
			continue
		}
		last[r.author] = r
	}
	for _, r := range last {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *review) int {
		return cmp.Or(a.submitted.Compare(b.submitted), cmp.Compare(a.id, b.id))
	})
	return out
}

// mergeState is GitHub's mergeStateStatus.
func (p *pull) mergeState() string {
	decision := p.decision()
	switch {
	case !p.merged.IsZero() || p.mergeable == "UNKNOWN":
		return "UNKNOWN"
	case p.mergeable == "CONFLICTING":
		return "DIRTY"
	case p.draft:
		return "DRAFT"
	case decision != "" && decision != "APPROVED":
		return "BLOCKED"
	case p.behind:
		return "BEHIND"
	case p.last().state() != "" && p.last().state() != "SUCCESS":
		return "UNSTABLE"
	}
	return "CLEAN"
}

// state sums the checks up; "" when there are none.
func (c *commit) state() string {
	state := ""
	for _, check := range c.checks {
		state = worse(state, checkState(check))
	}
	return state
}

func checkState(c *fixtures.Check) string {
	if c.Context {
		return c.State
	}
	if c.Status != "COMPLETED" {
		return "PENDING"
	}
	switch c.Conclusion {
	case "SUCCESS", "NEUTRAL", "SKIPPED":
		return "SUCCESS"
	}
	return "FAILURE"
}

func worse(a, b string) string {
	order := []string{"", "SUCCESS", "EXPECTED", "PENDING", "FAILURE", "ERROR"}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// merge is the commit that merging makes; method "" is a merge commit.
func (p *pull) merge(by *account, at time.Time, message string) *commit {
	if message == "" {
		message = fmt.Sprintf("Merge pull request #%d from %s\n\n%s", p.issue.number, p.headLabel(), p.issue.title)
	}
	return &commit{repository: p.issue.repository, pull: p, oid: oid("merge of", p.issue.number, "at", p.last().oid), message: message, author: by, created: at}
}

// headLabel is owner/branch, as GitHub writes it.
func (p *pull) headLabel() string {
	if p.headOwner == nil {
		return "unknown/" + p.head
	}
	return p.headOwner.login + "/" + p.head
}
