package conversation

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// pullSource brings what was said in one pull request to package thread:
// comments, reviews and inline comments, merged. GitHub pages through the
// comments alone; the rest is known from the spine, and of all of it only the
// texts that are wanted are asked for, by id.
type pullSource struct {
	base
	head     wirePullHead
	spine    spine
	tail     wireNewestComments // what is newest among the comments
	newest   run                // the newest comments, as the last look-up found them
	tailSize int                // how many of them a look-up asks for
	empty    map[string]bool    // of reviews that wrap: whether their text showed to be empty
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
// they are shown.
func (s *pullSource) unsure() bool {
	return slices.ContainsFunc(s.spine.wrappers(), func(id string) bool { _, known := s.empty[id]; return !known })
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
	front, back side     // runs after and before a spot; n of 0: not wanted
	nodes       []string // remarks to read whole, by their ids
	alone       bool     // with their reactions, and what they carry
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

// ask asks for runs of comments, with the head, and the first time with the
// spine.
func (s *pullSource) ask(ctx context.Context, want question) (answer, error) {
	size := max(want.front.n, want.back.n, maxPage)
	return shrinking(ctx, size, func(n int) (answer, error) {
		part := want
		part.front.n, part.back.n = min(n, want.front.n), min(n, want.back.n)
		return s.askOnce(ctx, n, part)
	})
}

func (s *pullSource) askOnce(ctx context.Context, n int, want question) (answer, error) {
	var query struct {
		wirePullAt[struct {
			wirePullHead
			Newest wireNewestComments `graphql:"newest: comments(last: 5)"`
			Front  *wirePlaced        `graphql:"front: comments(first: $first, after: $after) @include(if: $front)"`
			Back   *wirePlaced        `graphql:"back: comments(last: $last, before: $before) @include(if: $back)"`
			wireSpine
		}]
		Nodes []*wireNode `graphql:"nodes(ids: $ids) @include(if: $nodes)"`
		Stubs []struct {
			Stub wireStub `graphql:"... on IssueComment"`
		} `graphql:"stubs: nodes(ids: $stubsOf) @include(if: $stubs)"`
	}
	variables := spineVariables(n, s.variables(map[string]any{
		"first": githubv4.Int(max(1, want.front.n)), "front": githubv4.Boolean(want.front.n > 0), "after": (*githubv4.String)(nil),
		"last": githubv4.Int(max(1, want.back.n)), "back": githubv4.Boolean(want.back.n > 0), "before": (*githubv4.String)(nil),
		"ids": ids(want.nodes), "nodes": githubv4.Boolean(len(want.nodes) > 0), "alone": githubv4.Boolean(want.alone), "carried": githubv4.Int(n),
		"stubsOf": ids(want.stubsOf), "stubs": githubv4.Boolean(len(want.stubsOf) > 0),
		"spine": githubv4.Boolean(!s.spine.loaded),
	}))
	if want.front.at != nil {
		variables["after"] = cursor(want.front.at.after)
	}
	if want.back.at != nil {
		variables["before"] = cursor(want.back.at.before)
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestConversation", &query, variables)
	if err != nil {
		return answer{}, err
	}
	if err := acceptPull(&s.base, notes, query.wirePullAt); err != nil {
		return answer{}, err
	}
	pull := &query.Repository.Thread.Pull
	s.head, s.tail = pull.wirePullHead, pull.Newest
	s.learn(s.head.ID, query.Repository.DatabaseID)
	if err := s.loadSpine(ctx, pull.wireSpine); err != nil {
		return answer{}, err
	}
	got := answer{nodes: query.Nodes}
	got.take(want, pull.Front, pull.Back)
	for _, node := range query.Stubs {
		got.stubs = append(got.stubs, stubs([]wireStub{node.Stub})...)
	}
	return got, nil
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
	for _, remark := range s.spine.remarks[max(0, len(s.spine.remarks)-1):] {
		newest = append(newest, remark.Stub)
	}
	return thread.Overview{Total: s.count(), Newest: newest}
}

// One asks for one remark, in one request once the repository's number is
// known.
func (s *pullSource) One(ctx context.Context, id ref.Comment) (_ thread.One, err error) {
	defer fault.Wrap(&err, "one remark %s", id)
	found, err := s.lookUp(ctx, id, true)
	if err != nil || found == nil {
		return thread.One{Overview: s.overview()}, err
	}
	comment := s.comment(found)
	carried, err := s.carried(ctx, found)
	return thread.One{Overview: s.overview(), Found: &comment, Carried: carried}, err
}

// lookUp finds the remark that a spelling names; nil when it is not in this
// pull request.
func (s *pullSource) lookUp(ctx context.Context, id ref.Comment, alone bool) (*wireNode, error) {
	likely, err := s.nodeIDs(ctx, id)
	if err != nil {
		return nil, err
	}
	got, err := s.ask(ctx, question{nodes: likely, alone: alone, back: side{n: s.tailSize}})
	if err != nil {
		return nil, err
	}
	s.newest = got.back
	fitting := s.fitting(got.nodes, id)
	if len(fitting) == 0 {
		if fitting, err = s.findElse(ctx, id, likely, alone); err != nil {
			return nil, err
		}
	}
	switch len(fitting) {
	case 0:
		return nil, nil
	case 1:
		return fitting[0], nil
	}
	return nil, s.ambiguous(id, fitting)
}

// fitting are the nodes that are what was asked for, in this pull request.
func (s *pullSource) fitting(nodes []*wireNode, id ref.Comment) []*wireNode {
	return slices.DeleteFunc(nodes, func(node *wireNode) bool { return node == nil || !node.isIn(s.head.ID, id) })
}

// typesOf are the types that the remark may have, as its spelling tells; none
// when it cannot be in this pull request.
func (s *pullSource) typesOf(id ref.Comment) []ref.CommentType {
	switch {
	case id.Type == ref.DiscussionComment || !s.isHere(id.Thread):
		return nil
	case id.Type != "" || id.NodeID != "":
		return []ref.CommentType{id.Type}
	}
	return []ref.CommentType{ref.IssueComment, ref.PullRequestReview, ref.PullRequestReviewComment}
}

// nodeIDs are the likely node ids of a remark in any spelling: several for a
// bare number.
func (s *pullSource) nodeIDs(ctx context.Context, id ref.Comment) (likely []string, err error) {
	for _, kind := range s.typesOf(id) {
		nodeID, err := s.service.opts.Resolver.Find(ctx, s.thread(), kind, id)
		if err != nil {
			return nil, err
		}
		if nodeID != "" {
			likely = append(likely, nodeID)
		}
	}
	return likely, nil
}

func (s *pullSource) thread() ref.Thread {
	return ref.Thread{Repo: s.repo, Kind: ref.PullRequest, Number: s.number}
}

// findElse looks for a remark whose likely ids were not there, where the newest
// remarks show that ids are not built from numbers.
func (s *pullSource) findElse(ctx context.Context, id ref.Comment, likely []string, alone bool) ([]*wireNode, error) {
	if id.NodeID != "" || len(likely) == 0 {
		return nil, nil
	}
	for _, newest := range s.overview().Newest {
		s.service.opts.Resolver.LearnFrom(s.repo, resolve.Sample{ID: newest.ID, Number: newest.Key.Number})
	}
	others, err := s.nodeIDs(ctx, id)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(other string) bool { return slices.Contains(likely, other) })
	nodes, err := s.nodes(ctx, others, alone)
	if err != nil {
		return nil, err
	}
	found := make([]*wireNode, len(nodes))
	for i := range nodes {
		found[i] = &nodes[i]
	}
	return s.fitting(found, id), nil
}

// ambiguous is the fault for a bare number that remarks of several kinds have.
func (s *pullSource) ambiguous(id ref.Comment, fitting []*wireNode) error {
	var spellings []string
	for _, one := range fitting {
		spellings = append(spellings, ref.Comment{Type: one.kind(), DatabaseID: id.DatabaseID}.String())
	}
	return fault.New(fault.AmbiguousArguments, "%s: %d is the number of %d remarks of different kinds in this pull request", s.field, id.DatabaseID, len(fitting)).
		WithFix("Pass the one that is meant: %s.", strings.Join(spellings, " or ")).
		With("argument", s.field).With("candidates", spellings)
}

// Since asks, in one request, for the anchor and the newest hundred stubs.
func (s *pullSource) Since(ctx context.Context, id ref.Comment) (_ thread.Since, err error) {
	defer fault.Wrap(&err, "since %s", id)
	s.tailSize = maxPage
	defer func() { s.tailSize = 0 }()
	found, err := s.lookUp(ctx, id, false)
	if err != nil {
		return thread.Since{}, err
	}
	entries, cut := lastOf(s.newest.merge(&s.spine), maxPage)
	since := thread.Since{Total: s.count(), Tail: stubPage(entries, cut || s.newest.hasBefore, false)}
	if found != nil {
		since.Anchor = &thread.Anchor{Stub: found.stub()}
	}
	return since, nil
}

// Search reads stubs from both ends in one request.
func (s *pullSource) Search(ctx context.Context, after, before string) (front, back thread.StubPage, err error) {
	defer fault.Wrap(&err, "search")
	from, errFrom := parseSpot(after)
	to, errTo := parseSpot(before)
	if err := errors.Join(errFrom, errTo); err != nil {
		return front, back, err
	}
	got, err := s.ask(ctx, question{front: side{maxPage, from}, back: side{maxPage, to}})
	if err != nil {
		return front, back, err
	}
	front = stubPage(got.front.merge(&s.spine), from != nil, got.front.hasMore)
	back = stubPage(got.back.merge(&s.spine), got.back.hasBefore, to != nil)
	return front, back, nil
}

// Fetch asks for remarks by id, and for older stubs.
func (s *pullSource) Fetch(ctx context.Context, want thread.Want) (got thread.Got, err error) {
	defer fault.Wrap(&err, "fetch")
	if want.Older > 0 {
		before, err := parseSpot(want.OlderBefore)
		if err != nil {
			return thread.Got{}, err
		}
		older, err := s.ask(ctx, question{back: side{want.Older, before}})
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
