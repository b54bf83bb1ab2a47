package conversation

import (
	"context"
	"slices"

	"github.com/shurcooL/githubv4"
)

// reviewThread is the thread that an inline comment is in.
type reviewThread struct {
	id, side             string
	isResolved, outdated bool
}

// threads are the review threads of a pull request, as far as they were read.
// GitHub does not tell the thread of an inline comment: it has to be looked for
// among all, from both ends, by the first comment of each.
type threads struct {
	of            map[string]reviewThread // by the id of a comment in it
	total         int                     // threads that there are
	read          int
	before, after string
}

// wireThreads is a run of review threads.
type wireThreads struct {
	PageInfo wirePageInfo
	Nodes    []struct {
		ID         string `graphql:"i: id"`
		IsResolved bool   `graphql:"r: isResolved"`
		IsOutdated bool   `graphql:"o: isOutdated"`
		Side       string `graphql:"s: diffSide"`
		Comments   struct {
			Nodes []struct {
				ID string `graphql:"i: id"`
			} `graphql:"n: nodes"`
		} `graphql:"c: comments(first: $members)"`
	} `graphql:"n: nodes"`
}

// threadLanes are threads from both ends, as many as there are left to read.
type threadLanes struct {
	LateThreads  *wireThreads `graphql:"lateThreads: reviewThreads(last: $lastThreads, before: $beforeThreads) @include(if: $lateThreads)"`
	EarlyThreads *wireThreads `graphql:"earlyThreads: reviewThreads(first: $firstThreads, after: $afterThreads) @include(if: $earlyThreads)"`
}

// lanes are the variables to read more threads, by the first comment of each.
func (t *threads) lanes(wanted bool) map[string]any {
	left := t.total - t.read
	if !wanted {
		left = 0
	}
	named := map[string]any{"members": githubv4.Int(1)}
	for name, value := range lanes(left, maxPage, t.before, t.after) {
		named[name+"Threads"] = value
	}
	return named
}

// take adds threads of either end.
func (t *threads) take(run threadLanes) {
	if late := run.LateThreads; late != nil && len(late.Nodes) > 0 {
		t.add(*late)
		t.before = late.PageInfo.StartCursor
	}
	if early := run.EarlyThreads; early != nil && len(early.Nodes) > 0 {
		t.add(*early)
		t.after = early.PageInfo.EndCursor
	}
}

func (t *threads) add(run wireThreads) {
	if t.of == nil {
		t.of = map[string]reviewThread{}
	}
	for _, wire := range run.Nodes {
		found := reviewThread{id: wire.ID, side: wire.Side, isResolved: wire.IsResolved, outdated: wire.IsOutdated}
		for _, comment := range wire.Comments.Nodes {
			t.of[comment.ID] = found
		}
	}
	t.read += len(run.Nodes)
}

// find is the thread of an inline comment, by itself or by the comment it
// answers.
func (t *threads) find(inline *wireNode) (reviewThread, bool) {
	found, known := t.of[inline.Text.ID]
	if !known && inline.Inline.ReplyTo != nil {
		found, known = t.of[inline.Inline.ReplyTo.ID]
	}
	return found, known
}

// lack reports whether the thread of one of the inline comments is not known.
func (t *threads) lack(nodes []*wireNode) bool {
	return slices.ContainsFunc(nodes, func(node *wireNode) bool {
		if node == nil || !node.isInline() {
			return false
		}
		_, known := t.find(node)
		return !known
	})
}

// findThreads looks for the threads of inline comments. One that answers a
// comment which is gone is found by the others of its thread only.
func (s *pullSource) findThreads(ctx context.Context, nodes []*wireNode) error {
	for _, members := range []int{1, maxPage} {
		for s.threads.lack(nodes) && s.threads.read < s.threads.total {
			before := s.threads.read
			if err := s.moreThreads(ctx, members); err != nil {
				return err
			}
			if s.threads.read == before { // there are fewer by now
				break
			}
		}
		if !s.threads.lack(nodes) {
			return nil
		}
		s.threads.read, s.threads.before, s.threads.after = 0, "", ""
	}
	return nil
}

func (s *pullSource) moreThreads(ctx context.Context, members int) error {
	var query struct{ wirePullAt[threadLanes] }
	variables := s.variables(s.threads.lanes(true))
	variables["members"] = githubv4.Int(members)
	delete(variables, "root")
	notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestThreads", &query, variables)
	if err != nil {
		return err
	}
	if err := acceptPull(&s.base, notes, query.wirePullAt); err != nil {
		return err
	}
	s.threads.take(query.Repository.Thread.Pull)
	return nil
}
