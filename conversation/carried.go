package conversation

import (
	"cmp"
	"context"
	"slices"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// wireCarried are inline comments of a review.
type wireCarried struct {
	PageInfo wirePageInfo
	Nodes    []struct {
		wireText
		wireShown
		wireInline
	} `graphql:"n: nodes"`
}

func (w wireCarried) nodes() []*wireNode {
	all := make([]*wireNode, len(w.Nodes))
	for i, node := range w.Nodes {
		all[i] = &wireNode{Typename: string(ref.PullRequestReviewComment), Text: node.wireText, Shown: node.wireShown, Inline: node.wireInline}
	}
	return all
}

// carried are the inline comments of a review that was asked for alone, in
// order.
func (s *pullSource) carried(ctx context.Context, review *wireNode) ([]*wireNode, error) {
	nodes := review.Review.Carried.nodes()
	if first := review.Review.Carried.PageInfo; first.HasNextPage {
		rest := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[*wireNode], error) {
			return s.moreCarried(ctx, review.Text.ID, cmp.Or(after, cursor(first.EndCursor)))
		})
		for node, err := range rest {
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, node)
		}
	}
	slices.SortStableFunc(nodes, func(a, b *wireNode) int { return cmp.Compare(a.mark().number(), b.mark().number()) })
	return nodes, nil
}

func (s *pullSource) moreCarried(ctx context.Context, reviewID string, after *githubv4.String) (graphql.Page[*wireNode], error) {
	return shrinking(ctx, maxPage, func(n int) (graphql.Page[*wireNode], error) {
		var query struct {
			Node *struct {
				Review struct {
					Carried wireCarried `graphql:"carried: comments(first: $first, after: $after)"`
				} `graphql:"... on PullRequestReview"`
			} `graphql:"node(id: $id)"`
		}
		notes, err := s.service.opts.GraphQL.Query(ctx, "ReviewComments", &query, map[string]any{
			"id": graphql.ID(reviewID), "first": githubv4.Int(n), "after": after,
		})
		if err != nil || query.Node == nil { // deleted meanwhile
			return graphql.Page[*wireNode]{}, err
		}
		s.warn(notes.Warnings()...)
		carried := query.Node.Review.Carried
		return graphql.Page[*wireNode]{Nodes: carried.nodes(), Cursor: githubv4.String(carried.PageInfo.EndCursor), More: carried.PageInfo.HasNextPage}, nil
	})
}
