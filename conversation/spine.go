package conversation

import (
	"context"
	"slices"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// spine is a pull request's reviews and inline remarks by id and time, without
// their texts. GitHub lists reviews by when they were begun, and one that was
// drafted long ago may be submitted at any time: only the whole list tells what
// is new.
type spine struct {
	remarks []remark                // in the thread's order
	places  map[string]remark       // by id
	threads map[string]reviewThread // by the id of an inline comment in it
	loaded  bool
}

// remark is a review or an inline comment in the spine.
type remark struct {
	thread.Stub

	// wraps says that the review has inline comments and decides nothing. If it
	// has no text either, it is only the wrapper of those, and not shown.
	wraps bool
}

// reviewThread is the thread that an inline comment is in.
type reviewThread struct {
	id, side             string
	isResolved, outdated bool
}

const (
	statePending   = "PENDING"
	stateCommented = "COMMENTED"
)

// wireReviews is a run of reviews, from the newest back.
type wireReviews struct {
	PageInfo wirePageInfo
	Nodes    []wireReviewStub `graphql:"n: nodes"`
}

type wireReviewStub struct {
	wireStub
	State     string     `graphql:"s: state"`
	Submitted *time.Time `graphql:"u: submittedAt"`
	Comments  struct {
		TotalCount int        `graphql:"c: totalCount"`
		Nodes      []wireMark `graphql:"n: nodes"`
	} `graphql:"c: comments(first: 100)"`
}

// wireThreads is a run of review threads, from the newest back.
type wireThreads struct {
	PageInfo wirePageInfo
	Nodes    []struct {
		ID         string
		IsResolved bool   `graphql:"r: isResolved"`
		IsOutdated bool   `graphql:"o: isOutdated"`
		Side       string `graphql:"s: diffSide"`
		Comments   struct {
			Nodes []struct{ ID string } `graphql:"n: nodes"`
		} `graphql:"c: comments(first: 100)"`
	} `graphql:"n: nodes"`
}

// wireSpine is a run of both.
type wireSpine struct {
	Reviews *wireReviews `graphql:"reviews(last: $reviews, before: $reviewsBefore) @include(if: $spine)"`
	Threads *wireThreads `graphql:"reviewThreads(last: $reviews, before: $threadsBefore) @include(if: $spine)"`
}

// spineVariables are those of a query with a wireSpine.
func spineVariables(n int, more map[string]any) map[string]any {
	all := map[string]any{
		"reviews": githubv4.Int(min(n, maxPage)), "spine": githubv4.Boolean(true),
		"reviewsBefore": (*githubv4.String)(nil), "threadsBefore": (*githubv4.String)(nil),
	}
	for name, value := range more {
		all[name] = value
	}
	return all
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

// take adds a run of reviews to the spine; ids of reviews with more inline
// comments than came are returned.
func (s *spine) take(run wireSpine) (unfinished []wireReviewStub) {
	if run.Reviews != nil {
		for _, review := range run.Reviews.Nodes {
			s.takeReview(review)
			if len(review.Comments.Nodes) < review.Comments.TotalCount {
				unfinished = append(unfinished, review)
			}
		}
	}
	if run.Threads != nil {
		for _, wire := range run.Threads.Nodes {
			found := reviewThread{id: wire.ID, side: wire.Side, isResolved: wire.IsResolved, outdated: wire.IsOutdated}
			for _, comment := range wire.Comments.Nodes {
				s.threads[comment.ID] = found
			}
		}
	}
	return unfinished
}

func (s *spine) takeReview(w wireReviewStub) {
	at, pending := w.visible()
	review := remark{Stub: w.wireMark.stub(thread.KindReview, at), wraps: w.State == stateCommented && w.Comments.TotalCount > 0}
	review.Hidden = pending
	s.remarks = append(s.remarks, review)
	s.takeInline(w, w.Comments.Nodes)
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

// finish puts the remarks in order, each once: one may have come twice, since
// pages overlap, or moved while they were read.
func (s *spine) finish() {
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
	s.loaded = true
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

// loadSpine takes the first run, and reads the rest of it.
func (s *pullSource) loadSpine(ctx context.Context, first wireSpine) error {
	if s.spine.loaded {
		return nil
	}
	s.spine = spine{threads: map[string]reviewThread{}}
	for run := first; ; {
		for _, review := range s.spine.take(run) {
			if err := s.restOfReview(ctx, review); err != nil {
				return err
			}
		}
		reviews := run.Reviews != nil && run.Reviews.PageInfo.HasPreviousPage
		threads := run.Threads != nil && run.Threads.PageInfo.HasPreviousPage
		if !reviews && !threads {
			break
		}
		next, err := s.moreSpine(ctx, run, reviews, threads)
		if err != nil {
			return err
		}
		run = next
	}
	s.spine.finish()
	return nil
}

// moreSpine reads the run before another one, of what goes on.
func (s *pullSource) moreSpine(ctx context.Context, run wireSpine, reviews, threads bool) (wireSpine, error) {
	return shrinking(ctx, maxPage, func(n int) (wireSpine, error) {
		var query struct {
			wirePullAt[struct {
				Reviews *wireReviews `graphql:"reviews(last: $reviews, before: $reviewsBefore) @include(if: $wantReviews)"`
				Threads *wireThreads `graphql:"reviewThreads(last: $reviews, before: $threadsBefore) @include(if: $wantThreads)"`
			}]
		}
		variables := s.variables(map[string]any{
			"reviews": githubv4.Int(n), "wantReviews": githubv4.Boolean(reviews), "wantThreads": githubv4.Boolean(threads),
			"reviewsBefore": (*githubv4.String)(nil), "threadsBefore": (*githubv4.String)(nil),
		})
		if reviews {
			variables["reviewsBefore"] = cursor(run.Reviews.PageInfo.StartCursor)
		}
		if threads {
			variables["threadsBefore"] = cursor(run.Threads.PageInfo.StartCursor)
		}
		delete(variables, "root")
		notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestReviews", &query, variables)
		if err != nil {
			return wireSpine{}, err
		}
		if err := acceptPull(&s.base, notes, query.wirePullAt); err != nil {
			return wireSpine{}, err
		}
		pull := query.Repository.Thread.Pull
		return wireSpine{Reviews: pull.Reviews, Threads: pull.Threads}, nil
	})
}

// restOfReview reads the inline comments that did not come with a review, from
// the newest back.
func (s *pullSource) restOfReview(ctx context.Context, review wireReviewStub) error {
	missing := review.Comments.TotalCount - len(review.Comments.Nodes)
	nodes := graphql.Nodes(ctx, func(ctx context.Context, before *githubv4.String) (graphql.Page[wireMark], error) {
		var query struct {
			Node *struct {
				Review struct {
					Comments struct {
						PageInfo wirePageInfo
						Nodes    []wireMark `graphql:"n: nodes"`
					} `graphql:"comments(last: $last, before: $before)"`
				} `graphql:"... on PullRequestReview"`
			} `graphql:"node(id: $id)"`
		}
		notes, err := s.service.opts.GraphQL.Query(ctx, "ReviewComments", &query, map[string]any{
			"id": graphql.ID(review.ID), "last": githubv4.Int(min(missing, maxPage)), "before": before,
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
			Nodes: comments.Nodes, Cursor: githubv4.String(comments.PageInfo.StartCursor), More: comments.PageInfo.HasPreviousPage && missing > 0,
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
