package conversation

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// wireNode is a comment, a review or an inline comment.
type wireNode struct {
	Typename  string                                 `graphql:"__typename"`
	Text      wireText                               `graphql:"... on Comment"`
	Shown     wireShown                              `graphql:"... on Minimizable"`
	Reactable struct{ ReactionGroups wireReactions } `graphql:"... on Reactable @include(if: $alone)"`
	Comment   struct {
		wireAddress
		Pull *struct{ ID string } `graphql:"onPull: pullRequest"`
	} `graphql:"... on IssueComment"`
	Review struct {
		wireAddress
		State       string               `graphql:"reviewState: state"`
		SubmittedAt *time.Time           `graphql:"submittedAt"`
		Pull        *struct{ ID string } `graphql:"p: pullRequest"`
		Carried     wireCarried          `graphql:"carried: comments(first: $carried) @include(if: $alone)"`
	} `graphql:"... on PullRequestReview"`
	Inline wireInline `graphql:"... on PullRequestReviewComment"`
}

type wireInline struct {
	wireAddress
	Path      string
	Line      *int
	StartLine *int
	Outdated  bool
	ReplyTo   *struct{ ID string }
	InReview  *struct {
		State       string
		SubmittedAt *time.Time
		CreatedAt   time.Time
	} `graphql:"pullRequestReview"`
	Pull *struct{ ID string } `graphql:"p: pullRequest"`
}

// remarkKinds are the types of what is said in a pull request.
var remarkKinds = map[ref.CommentType]thread.Kind{
	ref.IssueComment: thread.KindComment, ref.PullRequestReview: thread.KindReview, ref.PullRequestReviewComment: thread.KindReviewComment,
}

func (w *wireNode) kind() ref.CommentType { return ref.CommentType(w.Typename) }

func (w *wireNode) isInline() bool { return w.kind() == ref.PullRequestReviewComment }

// isIn reports whether the node is the remark that was asked for, and in the
// pull request.
func (w *wireNode) isIn(pullID string, asked ref.Comment) bool {
	in := w.Review.Pull // what inline comments have as well
	if w.kind() == ref.IssueComment {
		in = w.Comment.Pull
	}
	return in != nil && in.ID == pullID && isNumber(asked, w.mark().number()) && (asked.Type == "" || asked.Type == w.kind())
}

// mark is the node by its identity.
func (w *wireNode) mark() wireMark {
	return wireMark{ID: w.Text.ID, Number: w.address().Number, EditedAt: w.Text.LastEditedAt}
}

// visible is when others could first see the remark; pending reports that they
// still cannot.
func (w *wireNode) visible() (at time.Time, pending bool) {
	switch review := w.Inline.InReview; {
	case w.kind() == ref.PullRequestReview:
		return visibleAt(w.Text.CreatedAt, w.Review.SubmittedAt, w.Review.State)
	case w.kind() == ref.PullRequestReviewComment && review != nil:
		return visibleAt(review.CreatedAt, review.SubmittedAt, review.State)
	}
	return w.Text.CreatedAt, false
}

func (w *wireNode) stub() thread.Stub {
	at, pending := w.visible()
	stub := w.mark().stub(remarkKinds[w.kind()], at)
	stub.Hidden = pending
	return stub
}

// address is where the node is found, by its type.
func (w *wireNode) address() wireAddress {
	switch w.kind() {
	case ref.PullRequestReview:
		return w.Review.wireAddress
	case ref.PullRequestReviewComment:
		return w.Inline.wireAddress
	}
	return w.Comment.wireAddress
}

// comment converts a node of any kind. When it became visible is what the
// spine says, where it knows the remark, so that a remark has one place.
func (s *pullSource) comment(w *wireNode) thread.Comment {
	comment := wireComment{w.Text, w.Shown, w.address()}.comment()
	comment.Reactions = w.Reactable.ReactionGroups.reactions()
	comment.Kind = remarkKinds[w.kind()]
	switch w.kind() {
	case ref.PullRequestReview:
		comment.AsReview = &thread.AsReview{ReviewState: w.Review.State, SubmittedAt: utc(w.Review.SubmittedAt)}
	case ref.PullRequestReviewComment:
		comment.AsRemark = s.inline(w)
	}
	at, pending := w.visible()
	comment.VisibleAt, comment.Hidden = at.UTC(), pending
	if place, known := s.spine.places[w.Text.ID]; known {
		comment.VisibleAt, comment.Hidden = place.Key.At, place.Hidden
	}
	return comment
}

// inline is what only an inline comment has.
func (s *pullSource) inline(w *wireNode) *thread.AsRemark {
	facts := &thread.AsRemark{
		Path: w.Inline.Path, Line: w.Inline.Line, StartLine: w.Inline.StartLine, Side: "RIGHT", IsOutdated: w.Inline.Outdated,
	}
	if w.Inline.ReplyTo != nil {
		facts.InReplyToID = &w.Inline.ReplyTo.ID
	}
	if in, known := s.threads.find(w); known {
		facts.Side, facts.ThreadID, facts.IsResolved, facts.IsOutdated = in.side, in.id, in.isResolved, in.outdated
	}
	facts.Pending = w.Inline.InReview != nil && w.Inline.InReview.State == statePending
	return facts
}

// texts reads remarks by their ids. A review that wraps inline comments and
// has no text is left out; one that is gone meanwhile, too.
func (s *pullSource) texts(ctx context.Context, ids []string) (map[string]thread.Comment, error) {
	nodes, err := s.nodes(ctx, ids, false)
	if err != nil {
		return nil, err
	}
	if err := s.findThreads(ctx, nodes); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if s.spine.places[id].wraps {
			s.empty[id] = true // unless its text comes
		}
	}
	texts := make(map[string]thread.Comment, len(nodes))
	for _, node := range nodes {
		comment := s.comment(node)
		if s.spine.places[comment.ID].wraps {
			if s.empty[comment.ID] = strings.TrimSpace(comment.Body) == ""; s.empty[comment.ID] {
				continue
			}
		}
		texts[comment.ID] = comment
	}
	return texts, nil
}

// nodes reads remarks whole, three hundred in a request, unless GitHub finds
// that too big. One that is asked for alone comes with its reactions, and a
// review with its inline comments.
func (s *pullSource) nodes(ctx context.Context, ids []string, alone bool) (nodes []*wireNode, err error) {
	size := 3 * maxPage
	for start := 0; start < len(ids); start += size {
		size, err = shrinking(ctx, size, func(n int) (int, error) {
			got, err := s.someNodes(ctx, window(ids, start, n), alone)
			if err == nil {
				nodes = append(nodes, got...)
			}
			return n, err
		})
		if err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// someNodes reads at most three times as many nodes as GitHub gives for one
// list of ids, and with inline comments threads in which they may be.
func (s *pullSource) someNodes(ctx context.Context, wanted []string, alone bool) ([]*wireNode, error) {
	var query struct {
		First  []*wireNode `graphql:"first: nodes(ids: $first)"`
		Second []*wireNode `graphql:"second: nodes(ids: $second) @include(if: $more)"`
		Third  []*wireNode `graphql:"third: nodes(ids: $third) @include(if: $more)"`
		wirePullAt[threadLanes]
	}
	variables := s.variables(s.threads.lanes(s.mayLackThreads(wanted)))
	delete(variables, "root")
	maps.Copy(variables, map[string]any{
		"first": ids(window(wanted, 0, maxPage)), "second": ids(window(wanted, maxPage, maxPage)), "third": ids(window(wanted, 2*maxPage, maxPage)),
		"more": githubv4.Boolean(len(wanted) > maxPage), "alone": githubv4.Boolean(alone), "carried": githubv4.Int(maxPage),
	})
	notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestTexts", &query, variables)
	if err != nil {
		return nil, err
	}
	if err := acceptPull(&s.base, notes, query.wirePullAt); err != nil {
		return nil, err
	}
	s.warn(notes.Warnings()...)
	s.threads.take(query.Repository.Thread.Pull)
	var found []*wireNode
	for _, nodes := range [][]*wireNode{query.First, query.Second, query.Third} {
		for _, node := range nodes {
			if node != nil && node.Text.ID != "" {
				found = append(found, node)
			}
		}
	}
	return found, nil
}

// mayLackThreads reports whether there are inline comments among the remarks,
// and threads that were not read.
func (s *pullSource) mayLackThreads(ids []string) bool {
	return s.threads.read < s.threads.total && slices.ContainsFunc(ids, func(id string) bool {
		return s.spine.places[id].Key.Kind == thread.KindReviewComment
	})
}
