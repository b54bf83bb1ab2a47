package conversation

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// spine is a pull request's reviews and inline remarks by id and time, without
// their texts: all of them, or those behind a place.
//
// GitHub lists reviews by when they were begun, and one that was drafted long
// ago may be submitted at any time: only the whole list tells what is new. So
// the reviews that were begun last are taken, and of all others no more than
// the times: as long as these are older than what is wanted, they are enough.
type spine struct {
	remarks []remark          // in the thread's order
	places  map[string]remark // by id
	from    *thread.Key       // what stands behind it is known; nil: everything is

	asked  bool             // there was an answer with reviews
	total  int              // reviews that there are
	taken  int              // reviews that are among the remarks
	before string           // cursor of the oldest of them
	inline int              // inline comments of each that were asked for
	cut    []wireReviewStub // reviews with more inline comments than came
	rest   *time.Time       // when the newest of those not taken was submitted; nil: not known
}

// remark is a review or an inline comment in the spine.
type remark struct {
	thread.Stub

	// wraps says that the review has inline comments and decides nothing. If it
	// has no text either, it is only the wrapper of those, and not shown.
	wraps bool
}

const (
	statePending   = "PENDING"
	stateCommented = "COMMENTED"
)

// wireReviews is a run of reviews.
type wireReviews struct {
	TotalCount int
	PageInfo   wirePageInfo
	Nodes      []wireReviewStub `graphql:"n: nodes"`
}

type wireReviewStub struct {
	wireStub
	State     string     `graphql:"s: state"`
	Submitted *time.Time `graphql:"u: submittedAt"`
	Comments  struct {
		TotalCount int        `graphql:"c: totalCount"`
		Nodes      []wireMark `graphql:"n: nodes"`
	} `graphql:"c: comments(last: $inline)"`
}

// visibleAt is when others could first see a review and what is in it; pending
// reports that they still cannot.
func visibleAt(created time.Time, submitted *time.Time, state string) (at time.Time, pending bool) {
	if submitted != nil {
		return *submitted, false
	}
	return created, state == statePending
}

func (w wireReviewStub) visible() (at time.Time, pending bool) {
	return visibleAt(w.CreatedAt, w.Submitted, w.State)
}

// bound is the place behind which the review's inline comments are known, when
// only the last of them came.
func (w wireReviewStub) bound() thread.Key {
	at, _ := w.visible()
	bound := thread.Key{At: at.UTC(), Kind: thread.KindReviewComment, Number: math.MaxInt64}
	inOrder := slices.IsSortedFunc(w.Comments.Nodes, func(a, b wireMark) int { return cmp.Compare(a.number(), b.number()) })
	if len(w.Comments.Nodes) > 0 && inOrder {
		bound.Number = w.Comments.Nodes[0].number() - 1
	}
	return bound
}

// take adds reviews to the spine.
func (s *spine) take(reviews []wireReviewStub) {
	for _, review := range reviews {
		at, pending := review.visible()
		stub := remark{Stub: review.wireMark.stub(thread.KindReview, at), wraps: review.State == stateCommented && review.Comments.TotalCount > 0}
		stub.Hidden = pending
		s.remarks = append(s.remarks, stub)
		s.takeInline(review, review.Comments.Nodes)
		if len(review.Comments.Nodes) < review.Comments.TotalCount {
			s.cut = append(s.cut, review)
		}
	}
	s.taken += len(reviews)
}

func (s *spine) takeInline(review wireReviewStub, nodes []wireMark) {
	at, pending := review.visible()
	for _, node := range nodes {
		inline := remark{Stub: node.stub(thread.KindReviewComment, at)}
		inline.Hidden = pending
		s.remarks = append(s.remarks, inline)
	}
}

// identity is what tells a remark from all others: its kind and its number, or
// its id where GitHub tells no number.
type identity struct {
	kind   thread.Kind
	number int64
	id     string
}

func identityOf(r remark) identity {
	if r.Key.Number == 0 {
		return identity{kind: r.Key.Kind, id: r.ID}
	}
	return identity{kind: r.Key.Kind, number: r.Key.Number}
}

// settle puts the remarks in order, each once, and finds out what is known:
// one may have come twice, since pages overlap, or moved while they were read.
func (s *spine) settle() {
	seen := make(map[identity]bool, len(s.remarks))
	s.remarks = slices.DeleteFunc(s.remarks, func(r remark) bool {
		twice := seen[identityOf(r)]
		seen[identityOf(r)] = true
		return twice
	})
	slices.SortStableFunc(s.remarks, func(a, b remark) int { return a.Key.Compare(b.Key) })
	s.places = make(map[string]remark, len(s.remarks))
	for _, remark := range s.remarks {
		s.places[remark.ID] = remark
	}
	s.from = s.restBound()
	for _, review := range s.cut {
		s.knowFrom(review.bound())
	}
}

// knowFrom says that nothing is known up to a place.
func (s *spine) knowFrom(key thread.Key) {
	if s.from == nil || key.After(*s.from) {
		s.from = &key
	}
}

// restBound is the place up to which there may be reviews that were not taken;
// nil when all were.
func (s *spine) restBound() *thread.Key {
	bound := thread.Key{At: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), Kind: thread.KindReviewComment, Number: math.MaxInt64}
	switch {
	case s.taken >= s.total:
		return nil
	case s.rest != nil:
		bound.At = s.rest.UTC()
	}
	return &bound
}

// knows reports whether all that stands behind a place is known; nil is the
// start.
func (s *spine) knows(after *thread.Key) bool { return isKnown(after, s.from) }

func isKnown(after, from *thread.Key) bool {
	return from == nil || after != nil && !from.After(*after)
}

// newest is the last remark that others can see; nil when there is none, or
// when it is not known.
func (s *spine) newest() *thread.Stub {
	rest := s.restBound()
	for _, remark := range slices.Backward(s.remarks) {
		if !remark.Hidden && (rest == nil || remark.Key.After(*rest)) {
			return &remark.Stub
		}
	}
	return nil
}

// wrappers are the reviews of which only their text would tell whether they
// are shown.
func (s *spine) wrappers() []string {
	var all []string
	for _, remark := range s.remarks {
		if remark.wraps {
			all = append(all, remark.ID)
		}
	}
	return all
}

// between are the remarks behind one place and before another; nil is an end.
func (s *spine) between(after, before *thread.Key) []remark {
	var all []remark
	for _, remark := range s.remarks {
		if (after == nil || remark.Key.After(*after)) && (before == nil || before.After(remark.Key)) {
			all = append(all, remark)
		}
	}
	return all
}

// reviewLanes are reviews from both ends, as many as there are left to read.
type reviewLanes struct {
	Late  *wireReviews `graphql:"lateReviews: reviews(last: $last, before: $before) @include(if: $late)"`
	Early *wireReviews `graphql:"earlyReviews: reviews(first: $first, after: $after) @include(if: $early)"`
}

// lanes are the variables to read so many nodes of a connection from both ends.
func lanes(left, n int, before, after string) map[string]any {
	late := min(n, left)
	early := min(n, left-late)
	return map[string]any{
		"last": githubv4.Int(max(1, late)), "before": cursor(before), "late": githubv4.Boolean(late > 0),
		"first": githubv4.Int(max(1, early)), "after": cursor(after), "early": githubv4.Boolean(early > 0),
	}
}

// whole makes sure that everything behind a place is known; nil is the start.
func (s *pullSource) whole(ctx context.Context, after *thread.Key) error {
	if s.spine.knows(after) {
		return nil
	}
	if s.spine.inline < maxPage {
		s.spine = spine{asked: true, total: s.spine.total}
	}
	s.spine.inline = maxPage
	if !isKnown(after, s.spine.restBound()) {
		if err := s.allReviews(ctx); err != nil {
			return err
		}
	}
	if s.spine.settle(); s.spine.knows(after) {
		return nil
	}
	cut := s.spine.cut
	s.spine.cut = nil
	for _, review := range cut {
		if err := s.restOfReview(ctx, review); err != nil {
			return err
		}
	}
	s.spine.settle()
	return nil
}

// allReviews takes the reviews that were not taken.
func (s *pullSource) allReviews(ctx context.Context) error {
	for after := ""; s.spine.taken < s.spine.total; {
		run, err := s.moreReviews(ctx, after)
		if err != nil {
			return err
		}
		before := s.spine.taken
		for _, lane := range []*wireReviews{run.Late, run.Early} {
			if lane != nil {
				s.spine.take(lane.Nodes)
			}
		}
		if run.Late != nil && len(run.Late.Nodes) > 0 {
			s.spine.before = run.Late.PageInfo.StartCursor
		}
		if run.Early != nil && len(run.Early.Nodes) > 0 {
			after = run.Early.PageInfo.EndCursor
		}
		if s.spine.taken == before { // there are fewer by now
			s.spine.taken = s.spine.total
		}
	}
	return nil
}

// moreReviews reads reviews before those that were taken, and after a cursor.
func (s *pullSource) moreReviews(ctx context.Context, after string) (reviewLanes, error) {
	return shrinking(ctx, maxPage, func(n int) (reviewLanes, error) {
		var query struct{ wirePullAt[reviewLanes] }
		variables := s.variables(lanes(s.spine.total-s.spine.taken, n, s.spine.before, after))
		variables["inline"] = githubv4.Int(maxPage)
		delete(variables, "root")
		notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestReviews", &query, variables)
		if err != nil {
			return reviewLanes{}, err
		}
		if err := acceptPull(&s.base, notes, query.wirePullAt); err != nil {
			return reviewLanes{}, err
		}
		return query.Repository.Thread.Pull, nil
	})
}

// restOfReview reads the inline comments that did not come with a review, from
// the oldest on.
func (s *pullSource) restOfReview(ctx context.Context, review wireReviewStub) error {
	missing := review.Comments.TotalCount - len(review.Comments.Nodes)
	nodes := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[wireMark], error) {
		var query struct {
			Node *struct {
				Review struct {
					Comments struct {
						PageInfo wirePageInfo
						Nodes    []wireMark `graphql:"n: nodes"`
					} `graphql:"comments(first: $first, after: $after)"`
				} `graphql:"... on PullRequestReview"`
			} `graphql:"node(id: $id)"`
		}
		notes, err := s.service.opts.GraphQL.Query(ctx, "ReviewComments", &query, map[string]any{
			"id": graphql.ID(review.ID), "first": githubv4.Int(min(missing, maxPage)), "after": after,
		})
		if err != nil {
			return graphql.Page[wireMark]{}, err
		}
		if query.Node == nil { // deleted meanwhile
			return graphql.Page[wireMark]{}, notes.Under("node").Fault("node", nil)
		}
		comments := query.Node.Review.Comments
		missing -= len(comments.Nodes)
		return graphql.Page[wireMark]{
			Nodes: comments.Nodes, Cursor: githubv4.String(comments.PageInfo.EndCursor), More: comments.PageInfo.HasNextPage && missing > 0,
		}, nil
	})
	for inline, err := range nodes {
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		s.spine.takeInline(review, []wireMark{inline})
	}
	return nil
}
