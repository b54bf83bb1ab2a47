package conversation

import (
	"context"
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
	Reactable struct{ ReactionGroups wireReactions } `graphql:"... on Reactable @include(if: $reactions)"`
	Comment   struct {
		wireAddress
		Pull *struct{ ID string } `graphql:"onPull: pullRequest"`
	} `graphql:"... on IssueComment"`
	Review struct {
		wireAddress
		State       string `graphql:"reviewState: state"`
		SubmittedAt *time.Time
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
	} `graphql:"pullRequestReview"`
}

// isCommentOf reports whether the node is the comment that was asked for, and
// in the pull request.
func (w *wireNode) isCommentOf(pullID string, asked ref.Comment) bool {
	return w != nil && w.Typename == string(ref.IssueComment) && w.Comment.Pull != nil && w.Comment.Pull.ID == pullID &&
		isNumber(asked, ref.NumberOf(int64(w.Comment.Number), w.Text.ID))
}

// address is where the node is found, by its type.
func (w *wireNode) address() wireAddress {
	switch ref.CommentType(w.Typename) {
	case ref.PullRequestReview:
		return w.Review.wireAddress
	case ref.PullRequestReviewComment:
		return w.Inline.wireAddress
	}
	return w.Comment.wireAddress
}

// comment converts a node of any kind. When it became visible is what the
// spine says, so that a remark has one place.
func (s *pullSource) comment(w *wireNode) thread.Comment {
	comment := wireComment{w.Text, w.Shown, w.address()}.comment()
	comment.Reactions = w.Reactable.ReactionGroups.reactions()
	switch ref.CommentType(w.Typename) {
	case ref.PullRequestReview:
		comment.Kind = thread.KindReview
		comment.AsReview = &thread.AsReview{ReviewState: w.Review.State, SubmittedAt: utc(w.Review.SubmittedAt)}
	case ref.PullRequestReviewComment:
		comment.Kind = thread.KindReviewComment
		comment.AsRemark = s.inline(w)
	}
	if place, known := s.spine.places[w.Text.ID]; known {
		comment.VisibleAt, comment.Hidden = place.Key.At, place.Hidden
	}
	return comment
}

// inline is what only an inline comment has; its thread is known from the
// spine, by itself or by the comment it answers.
func (s *pullSource) inline(w *wireNode) *thread.AsRemark {
	facts := &thread.AsRemark{
		Path: w.Inline.Path, Line: w.Inline.Line, StartLine: w.Inline.StartLine, Side: "RIGHT", IsOutdated: w.Inline.Outdated,
	}
	in, known := s.spine.threads[w.Text.ID]
	if w.Inline.ReplyTo != nil {
		facts.InReplyToID = &w.Inline.ReplyTo.ID
		if !known {
			in, known = s.spine.threads[w.Inline.ReplyTo.ID]
		}
	}
	if known {
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
	for _, id := range ids {
		if s.spine.places[id].wraps {
			s.empty[id] = true // unless its text comes
		}
	}
	texts := make(map[string]thread.Comment, len(nodes))
	for i := range nodes {
		comment := s.comment(&nodes[i])
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
// that too big.
func (s *pullSource) nodes(ctx context.Context, ids []string, reactions bool) (nodes []wireNode, err error) {
	size := 3 * maxPage
	for start := 0; start < len(ids); start += size {
		size, err = shrinking(ctx, size, func(n int) (int, error) {
			got, err := s.someNodes(ctx, window(ids, start, n), reactions)
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
// list of ids.
func (s *pullSource) someNodes(ctx context.Context, wanted []string, reactions bool) ([]wireNode, error) {
	var query struct {
		First  []*wireNode `graphql:"first: nodes(ids: $first)"`
		Second []*wireNode `graphql:"second: nodes(ids: $second) @include(if: $more)"`
		Third  []*wireNode `graphql:"third: nodes(ids: $third) @include(if: $more)"`
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "PullRequestTexts", &query, map[string]any{
		"first": ids(window(wanted, 0, maxPage)), "second": ids(window(wanted, maxPage, maxPage)), "third": ids(window(wanted, 2*maxPage, maxPage)),
		"more": githubv4.Boolean(len(wanted) > maxPage), "reactions": githubv4.Boolean(reactions),
	})
	if err != nil {
		return nil, err
	}
	s.warn(notes.Warnings()...)
	var found []wireNode
	for _, nodes := range [][]*wireNode{query.First, query.Second, query.Third} {
		for _, node := range nodes {
			if node != nil && node.Text.ID != "" {
				found = append(found, *node)
			}
		}
	}
	return found, nil
}
