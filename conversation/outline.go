package conversation

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/shurcooL/githubv4"
)

// look is how much of the reviews to ask for at first.
type look struct {
	deep   int  // reviews that were begun last
	inline int  // the last inline comments of each
	times  bool // of other reviews, when they were submitted: of those begun last
	early  bool // and of those begun first
}

// someReviews are those that may have been begun before others of the newest
// and submitted after them, without a whole reading of the list.
const someReviews = 10

var (
	lookWhole  = look{deep: maxPage, inline: maxPage}
	lookNewest = look{deep: 5, inline: 1, times: true} // for what is newest
)

// lookBack is for n of the newest remarks.
func lookBack(n int) look {
	return look{deep: min(maxPage, n+someReviews), inline: maxPage, times: true, early: true}
}

// wireTimes is a run of reviews of which only the times are asked for.
type wireTimes struct {
	PageInfo wirePageInfo
	Nodes    []wireTime `graphql:"n: nodes"`
}

type wireTime struct {
	Submitted *time.Time `graphql:"u: submittedAt"`
}

// wireOutline is what the first request asks of the reviews.
type wireOutline struct {
	Reviews *wireReviews `graphql:"reviews(last: $deep) @include(if: $spine)"`
	Times   *wireTimes   `graphql:"times: reviews(last: 100) @include(if: $times)"`
	Early   *wireTimes   `graphql:"early: reviews(first: 100) @include(if: $earlyTimes)"`
}

// outlineVariables are those of a query with a wireOutline.
func outlineVariables(at look, n int, wanted bool) map[string]any {
	return map[string]any{
		"deep": githubv4.Int(min(at.deep, n)), "inline": githubv4.Int(min(at.inline, n)),
		"spine": githubv4.Boolean(wanted), "times": githubv4.Boolean(wanted && at.times), "earlyTimes": githubv4.Boolean(wanted && at.early),
	}
}

// takeOutline makes the spine of the first answer with reviews.
func (s *pullSource) takeOutline(ctx context.Context, at look, got wireOutline) error {
	if s.spine.asked || got.Reviews == nil {
		return nil
	}
	s.spine = spine{asked: true, total: got.Reviews.TotalCount, before: got.Reviews.PageInfo.StartCursor, inline: at.inline}
	s.spine.take(got.Reviews.Nodes)
	if got.Times != nil && s.spine.taken < s.spine.total {
		if err := s.readTimes(ctx, *got.Times, got.Early); err != nil {
			return err
		}
	}
	s.spine.settle()
	return nil
}

// timeLanes are the times of reviews from both ends.
type timeLanes struct {
	Late  *wireTimes `graphql:"lateReviews: reviews(last: $last, before: $before) @include(if: $late)"`
	Early *wireTimes `graphql:"earlyReviews: reviews(first: $first, after: $after) @include(if: $early)"`
}

// readTimes finds out when the newest of the reviews that were not taken was
// submitted. That of the viewer's own draft is not known, and so, of them all.
func (s *pullSource) readTimes(ctx context.Context, late wireTimes, early *wireTimes) error {
	others := late.Nodes[:max(0, len(late.Nodes)-s.spine.taken)]
	left, before, after := s.spine.total-len(late.Nodes), late.PageInfo.StartCursor, ""
	if early != nil {
		first := early.Nodes[:min(len(early.Nodes), max(0, left))]
		others = slices.Concat(others, first)
		left, after = left-len(first), early.PageInfo.EndCursor
	}
	newest, sure := newestTime(others)
	for left > 0 && sure {
		run, err := s.moreTimes(ctx, left, before, after)
		if err != nil {
			return err
		}
		read := 0
		for _, lane := range []*wireTimes{run.Late, run.Early} {
			if lane == nil {
				continue
			}
			at, known := newestTime(lane.Nodes)
			if read, sure = read+len(lane.Nodes), sure && known; at.After(newest) {
				newest = at
			}
		}
		if run.Late != nil {
			before = run.Late.PageInfo.StartCursor
		}
		if run.Early != nil {
			after = run.Early.PageInfo.EndCursor
		}
		if left -= read; read == 0 { // there are fewer by now
			break
		}
	}
	if sure {
		s.spine.rest = &newest
	}
	return nil
}

// moreTimes reads more times, and threads while one that is needed is not known.
func (s *pullSource) moreTimes(ctx context.Context, left int, before, after string) (timeLanes, error) {
	var query struct {
		wirePullAt[struct {
			timeLanes
			threadLanes
		}]
	}
	variables := s.variables(lanes(left, maxPage, before, after))
	maps.Copy(variables, s.threads.lanes(s.threads.lack(s.looked)))
	delete(variables, "root")
	notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestReviews", &query, variables)
	if err != nil {
		return timeLanes{}, err
	}
	if err := acceptPull(&s.base, notes, query.wirePullAt); err != nil {
		return timeLanes{}, err
	}
	pull := &query.Repository.Thread.Pull
	s.threads.take(pull.threadLanes)
	return pull.timeLanes, nil
}

// newestTime is the last of the times; sure reports whether all are known.
func newestTime(reviews []wireTime) (newest time.Time, sure bool) {
	sure = true
	for _, review := range reviews {
		switch {
		case review.Submitted == nil:
			sure = false
		case review.Submitted.After(newest):
			newest = *review.Submitted
		}
	}
	return newest, sure
}
