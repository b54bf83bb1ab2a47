package sandbox

import (
	"slices"
	"strings"
)

func (s *session) searchIssues(t terms) []*issue {
	var found []*issue
	for _, r := range s.store.repositories {
		if !s.visible(r) {
			continue
		}
		for _, i := range r.issues {
			if s.issueFits(i, t) {
				found = append(found, i)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *issue) int {
		return t.compare(&a.topic, &b.topic, a.count()-b.count())
	})
	return found
}

func (s *session) issueFits(i *issue, t terms) bool {
	for _, q := range t.qualifiers {
		if s.issueQualifies(i, q) == q.not {
			return false
		}
	}
	text := s.searched(i, t)
	for _, word := range t.words {
		if !containsFold(text, word) {
			return false
		}
	}
	return true
}

// searched is the text in which words are looked for: all of it, unless
// in:title or the like says less.
func (s *session) searched(i *issue, t terms) string {
	if len(t.words) == 0 {
		return ""
	}
	in := ""
	for _, q := range t.qualifiers {
		if q.name == "in" {
			in += q.value
		}
	}
	var parts []string
	if in == "" || strings.Contains(in, "title") {
		parts = append(parts, i.title)
	}
	if in == "" || strings.Contains(in, "body") {
		parts = append(parts, i.body)
	}
	if in == "" || strings.Contains(in, "comments") {
		for _, c := range i.thread(s.store) {
			parts = append(parts, c.body)
		}
	}
	return strings.Join(parts, "\n")
}

// issueQualifies is false for what GitHub does not know: it finds nothing.
func (s *session) issueQualifies(i *issue, q qualifier) bool {
	switch q.name {
	case "repo":
		return strings.EqualFold(i.repository.fullName(), q.value)
	case "org", "user":
		return strings.EqualFold(i.repository.owner.login, q.value)
	case "is", "state", "type", "draft":
		return i.isSearched(q)
	case "no":
		return i.lacks(q.value)
	case "updated":
		return inRange(i.updated, q.value)
	case "created":
		return inRange(i.created, q.value)
	case "closed":
		return !i.closed.IsZero() && inRange(i.closed, q.value)
	case "comments":
		return inCount(i.count(), q.value)
	case "label":
		labels := strings.Split(q.value, ",")
		return i.hasLabel(&labels)
	case "milestone":
		return i.milestone != nil && (q.value == "*" || strings.EqualFold(i.milestone.title, q.value))
	case "reason":
		return strings.EqualFold(strings.ReplaceAll(i.stateReason, "_", " "), strings.ReplaceAll(q.value, "-", " "))
	case "in":
		return true
	}
	return s.peopleQualify(i, q) || s.pullQualifies(i, q)
}

// isSearched answers is:, state:, type: and draft:.
func (i *issue) isSearched(q qualifier) bool {
	value := strings.ToLower(q.value)
	if q.name == "draft" {
		return i.isPull() && i.pull.draft == (value == "true")
	}
	switch value {
	case "issue":
		return !i.isPull()
	case "pr", "pull-request":
		return i.isPull()
	case "open":
		return i.closed.IsZero()
	case "closed":
		return !i.closed.IsZero()
	case "merged":
		return i.state() == "MERGED"
	case "unmerged":
		return i.isPull() && i.state() != "MERGED"
	case "draft":
		return i.isPull() && i.pull.draft
	case "locked":
		return i.locked
	case "unlocked":
		return !i.locked
	case "public":
		return !i.repository.private
	case "private":
		return i.repository.private
	}
	return q.name == "type" && i.kind != nil && strings.EqualFold(i.kind.name, value)
}

func (i *issue) lacks(what string) bool {
	switch strings.ToLower(what) {
	case "assignee":
		return len(i.assignees) == 0
	case "label":
		return len(i.labels) == 0
	case "milestone":
		return i.milestone == nil
	case "project":
		return len(i.items) == 0
	case "type":
		return i.kind == nil
	}
	return false
}

func (s *session) peopleQualify(i *issue, q qualifier) bool {
	is := func(a *account) bool { return s.loginIs(a, q.value) }
	assigned := slices.ContainsFunc(i.assignees, is) || q.value == "*" && len(i.assignees) > 0
	commented := func() bool {
		return slices.ContainsFunc(i.thread(s.store), func(c *issueComment) bool { return is(c.author) })
	}
	mentioned := strings.Contains(strings.ToLower(i.body), "@"+strings.ToLower(q.value))
	switch q.name {
	case "author":
		return is(i.author)
	case "assignee":
		return assigned
	case "commenter":
		return commented()
	case "mentions":
		return mentioned
	case "involves":
		return is(i.author) || assigned || mentioned || commented()
	}
	return false
}

// pullQualifies answers what only pull requests have.
func (s *session) pullQualifies(i *issue, q qualifier) bool {
	if !i.isPull() {
		return false
	}
	p := i.pull
	switch q.name {
	case "base":
		return p.base == q.value
	case "head":
		return p.head == q.value
	case "merged":
		return !p.merged.IsZero() && inRange(p.merged, q.value)
	case "review":
		return p.conversation(s.store).isReviewed(strings.ToLower(q.value))
	case "reviewed-by":
		return slices.ContainsFunc(p.conversation(s.store).reviews, func(x *review) bool { return !x.pending() && s.loginIs(x.author, q.value) })
	case "review-requested":
		return slices.ContainsFunc(p.requested, func(x *reviewRequest) bool { return s.loginIs(x.user, q.value) })
	}
	return false
}

// isReviewed answers review:none, required, approved and changes_requested.
func (p *pull) isReviewed(how string) bool {
	if how == "none" {
		return len(p.latest(func(*review) bool { return true })) == 0
	}
	return map[string]string{"required": "REVIEW_REQUIRED", "approved": "APPROVED", "changes_requested": "CHANGES_REQUESTED"}[how] == p.decision() && p.decision() != ""
}
