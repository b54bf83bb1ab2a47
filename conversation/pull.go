package conversation

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// pullSource brings what was said in one pull request to package thread:
// comments, reviews and inline comments, merged. GitHub pages through the
// comments alone; the rest is known from the spine, and of all of it only the
// texts that are wanted are asked for, by id.
type pullSource struct {
	base
	head    wirePullHead
	spine   spine
	threads threads
	looked  []*wireNode        // remarks whose threads are wanted
	tail    wireNewestComments // what is newest among the comments
	empty   map[string]bool    // of reviews that wrap: whether their text showed to be empty
}

type wireNewestComments struct {
	TotalCount int
	Nodes      []wireStub `graphql:"n: nodes"`
}

var _ reader = (*pullSource)(nil)

func (s *pullSource) conversation() *Conversation {
	c := s.head.conversation(ref.PullRequest, s.head.State)
	c.PullFacts = s.head.pullFacts()
	c.Warnings = s.warnings
	c.unsure = s.unsure()
	return c
}

// unsure reports whether there are reviews of which it is not known whether
// they are shown, or how much is in them.
func (s *pullSource) unsure() bool {
	return s.spine.from != nil || slices.ContainsFunc(s.spine.wrappers(), func(id string) bool { _, known := s.empty[id]; return !known })
}

// count is how many remarks there are: those that are shown, as far as known.
func (s *pullSource) count() int {
	count := s.tail.TotalCount + len(s.spine.remarks)
	for _, empty := range s.empty {
		if empty {
			count--
		}
	}
	return count
}

// acceptPull says why a pull request is not in an answer; nil when it is.
func acceptPull[T any](b *base, notes graphql.Notes, at wirePullAt[T]) error {
	switch {
	case at.Repository == nil:
		return b.noRepository(notes)
	case at.Repository.Thread == nil:
		return b.accepted(notes, "", typePull)
	}
	return b.accepted(notes, at.Repository.Thread.Typename, typePull)
}

// side is a run of comments to ask for from one end.
type side struct {
	n  int
	at *spot
}

// question is what one request asks for.
type question struct {
	look        look
	front, back side     // runs after and before a spot; n of 0: not wanted
	nodes       []string // remarks to read whole, by their ids
	alone       bool     // with their reactions, and what they carry
	threads     bool     // and the newest threads, in which they may be
	stubsOf     []string
}

// answer is what came back.
type answer struct {
	front, back run
	nodes       []*wireNode
	stubs       []thread.Stub
}

// wirePlaced are comments by id, time and cursor.
type wirePlaced struct {
	TotalCount int
	PageInfo   wirePageInfo
	Edges      []struct {
		Cursor string   `graphql:"c: cursor"`
		Node   wireStub `graphql:"n: node"`
	} `graphql:"e: edges"`
}

func (w *wirePlaced) comments() []placedComment {
	placed := make([]placedComment, 0, len(w.Edges))
	for _, edge := range w.Edges {
		placed = append(placed, placedComment{edge.Node.stub(), edge.Cursor})
	}
	return placed
}

// ask asks for runs of comments, with the head, and the first time with as much
// of the spine as is looked for.
func (s *pullSource) ask(ctx context.Context, want question) (answer, error) {
	size := max(want.front.n, want.back.n, maxPage)
	return shrinking(ctx, size, func(n int) (answer, error) {
		part := want
		part.front.n, part.back.n = min(n, want.front.n), min(n, want.back.n)
		return s.askOnce(ctx, n, part)
	})
}

// wireQuestion is what a question asks of the pull request.
type wireQuestion struct {
	wirePullHead
	Newest wireNewestComments `graphql:"newest: comments(last: 5)"`
	Front  *wirePlaced        `graphql:"front: comments(first: $first, after: $after) @include(if: $front)"`
	Back   *wirePlaced        `graphql:"back: comments(last: $last, before: $before) @include(if: $back)"`
	wireOutline
	ThreadCount struct{ TotalCount int } `graphql:"threadCount: reviewThreads(first: 1)"`
	Threads     *wireThreads             `graphql:"reviewThreads(last: 20) @include(if: $threads)"`
}

func (s *pullSource) askOnce(ctx context.Context, n int, want question) (answer, error) {
	var query struct {
		wirePullAt[wireQuestion]
		Nodes []*wireNode `graphql:"nodes(ids: $ids) @include(if: $nodes)"`
		Stubs []struct {
			Stub wireStub `graphql:"... on IssueComment"`
		} `graphql:"stubs: nodes(ids: $stubsOf) @include(if: $stubs)"`
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestConversation", &query, s.questionVariables(n, want))
	if err != nil {
		return answer{}, err
	}
	if err := acceptPull(&s.base, notes, query.wirePullAt); err != nil {
		return answer{}, err
	}
	pull := &query.Repository.Thread.Pull
	s.head, s.tail = pull.wirePullHead, pull.Newest
	s.learn(s.head.ID, query.Repository.DatabaseID)
	s.threads.total = pull.ThreadCount.TotalCount
	if want.threads {
		s.looked = query.Nodes
		s.threads.take(threadLanes{LateThreads: pull.Threads})
	}
	if err := s.takeOutline(ctx, want.look, pull.wireOutline); err != nil {
		return answer{}, err
	}
	got := answer{nodes: query.Nodes}
	got.take(want, pull.Front, pull.Back)
	for _, node := range query.Stubs {
		got.stubs = append(got.stubs, stubs([]wireStub{node.Stub})...)
	}
	return got, nil
}

// questionVariables are those of a question, of at most n nodes of a list.
func (s *pullSource) questionVariables(n int, want question) map[string]any {
	var after, before *githubv4.String
	if want.front.at != nil {
		after = cursor(want.front.at.after)
	}
	if want.back.at != nil {
		before = cursor(want.back.at.before)
	}
	variables := s.variables(map[string]any{
		"first": githubv4.Int(max(1, want.front.n)), "after": after, "front": githubv4.Boolean(want.front.n > 0),
		"last": githubv4.Int(max(1, want.back.n)), "before": before, "back": githubv4.Boolean(want.back.n > 0),
		"ids": ids(want.nodes), "nodes": githubv4.Boolean(len(want.nodes) > 0),
		"alone": githubv4.Boolean(want.alone), "carried": githubv4.Int(n),
		"stubsOf": ids(want.stubsOf), "stubs": githubv4.Boolean(len(want.stubsOf) > 0),
		"threads": githubv4.Boolean(want.threads), "members": githubv4.Int(1),
	})
	maps.Copy(variables, outlineVariables(want.look, n, !s.spine.asked))
	return variables
}

// take makes runs of what came from both ends.
func (a *answer) take(want question, front, back *wirePlaced) {
	if front != nil {
		a.front = run{comments: front.comments(), from: want.front.at, hasMore: front.PageInfo.HasNextPage}
	}
	if back != nil {
		a.back = run{comments: back.comments(), to: want.back.at, hasBefore: back.PageInfo.HasPreviousPage}
		a.back.dropNewer()
	}
}

// dropNewer leaves out comments that came since the spot was noted: where no
// comment stood behind it then, GitHub's cursor does not keep them away.
func (r *run) dropNewer() {
	if r.to == nil || len(r.comments) == 0 {
		return
	}
	r.first = r.comments[0].cursor
	r.comments = slices.DeleteFunc(r.comments, func(c placedComment) bool { return !r.to.key.After(c.Key) })
}

// overview is what every answer tells about the thread.
func (s *pullSource) overview() thread.Overview {
	newest := stubs(s.tail.Nodes)
	if remark := s.spine.newest(); remark != nil {
		newest = append(newest, *remark)
	}
	return thread.Overview{Total: s.count(), Newest: newest}
}

// newRemarks are how many new remarks are read in the fewest requests.
const newRemarks = 20

// Since asks, in one request, for the anchor and the newest stubs, up to a
// hundred and the anchor.
func (s *pullSource) Since(ctx context.Context, id ref.Comment) (_ thread.Since, err error) {
	defer fault.Wrap(&err, "since %s", id)
	found, got, err := s.lookUp(ctx, id, question{look: lookBack(newRemarks), back: side{n: maxPage}})
	if err != nil {
		return thread.Since{}, err
	}
	var since thread.Since
	if found != nil {
		since.Anchor = &thread.Anchor{Stub: found.stub()}
		if err := s.whole(ctx, &since.Anchor.Key); err != nil {
			return thread.Since{}, err
		}
	}
	entries, cut := lastOf(got.back.merge(&s.spine), maxPage+1)
	since.Total, since.Tail = s.count(), stubPage(entries, cut || got.back.hasBefore || s.spine.from != nil, false)
	since.FarEnough = since.Anchor != nil && len(entries) > 0 && !entries[0].Key.After(since.Anchor.Key)
	return since, nil
}

// Search reads stubs from both ends in one request, once the spine is whole.
func (s *pullSource) Search(ctx context.Context, after, before string) (front, back thread.StubPage, err error) {
	defer fault.Wrap(&err, "search")
	from, errFrom := parseSpot(after)
	to, errTo := parseSpot(before)
	if err := errors.Join(errFrom, errTo); err != nil {
		return front, back, err
	}
	got, err := s.askWhole(ctx, question{front: side{maxPage, from}, back: side{maxPage, to}})
	if err != nil {
		return front, back, err
	}
	front = stubPage(got.front.merge(&s.spine), from != nil, got.front.hasMore)
	back = stubPage(got.back.merge(&s.spine), got.back.hasBefore, to != nil)
	return front, back, nil
}

// askWhole asks, and makes sure that all of the spine is known.
func (s *pullSource) askWhole(ctx context.Context, want question) (answer, error) {
	want.look = lookWhole
	got, err := s.ask(ctx, want)
	if err != nil {
		return answer{}, err
	}
	return got, s.whole(ctx, nil)
}

// Fetch asks for remarks by id, and for older stubs.
func (s *pullSource) Fetch(ctx context.Context, want thread.Want) (got thread.Got, err error) {
	defer fault.Wrap(&err, "fetch")
	if want.Older > 0 {
		before, err := parseSpot(want.OlderBefore)
		if err != nil {
			return thread.Got{}, err
		}
		older, err := s.askWhole(ctx, question{back: side{want.Older, before}})
		if err != nil {
			return thread.Got{}, err
		}
		got.Older = stubPage(older.back.merge(&s.spine), older.back.hasBefore, before != nil)
	}
	texts, err := s.texts(ctx, want.Comments)
	if err != nil {
		return thread.Got{}, err
	}
	for _, id := range want.Comments {
		if comment, ok := texts[id]; ok {
			got.Comments = append(got.Comments, comment)
		}
	}
	return got, nil
}

// MoreReplies reads nothing: what answers an inline comment is a remark of its
// own.
func (s *pullSource) MoreReplies(context.Context, string, int) ([]thread.Comment, error) {
	return nil, nil
}
