package resolve

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// wirePage is a page of a connection, forward.
type wirePage[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   githubv4.String
	}
	Nodes []T
}

// samples are what a page holds, several for each node.
func (w wirePage[T]) samples(of func(T) []Sample) graphql.Page[Sample] {
	page := graphql.Page[Sample]{Cursor: w.PageInfo.EndCursor, More: w.PageInfo.HasNextPage}
	for _, node := range w.Nodes {
		page.Nodes = append(page.Nodes, of(node)...)
	}
	return page
}

// wireNumber is a comment of a discussion by its number.
type wireNumber struct {
	ID     string
	Number int64 `graphql:"databaseId"`
}

// wireFullNumber is one of an issue or a pull request. There databaseId is null
// above 2^31; the number that is not is a text.
type wireFullNumber struct {
	ID     string
	Number graphql.BigInt `graphql:"fullDatabaseId"`
}

func (w wireFullNumber) samples() []Sample { return []Sample{{w.ID, int64(w.Number)}} }

// paged asks for a page of a thread, of as many as GitHub finds not too big.
func (r *Resolver) paged(ctx context.Context, name string, query any, in ref.Thread, after *githubv4.String, take func(graphql.Notes) error) error {
	return graphql.Shrink(ctx, maxPage, func(n int) error {
		notes, err := r.gh.Query(ctx, name, query, map[string]any{
			"owner": githubv4.String(in.Repo.Owner), "name": githubv4.String(in.Repo.Name), "number": githubv4.Int(in.Number),
			"first": githubv4.Int(n), "after": after,
		})
		if err != nil {
			return err
		}
		return take(notes)
	})
}

func (r *Resolver) discussionPage(ctx context.Context, in ref.Thread, after *githubv4.String) (page graphql.Page[Sample], err error) {
	type wireNumbered struct {
		wireNumber
		Replies struct{ Nodes []wireNumber } `graphql:"replies(last: 100)"`
	}
	var query struct {
		Repository *struct {
			Discussion *struct {
				Comments wirePage[wireNumbered] `graphql:"comments(first: $first, after: $after)"`
			} `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	err = r.paged(ctx, "DiscussionNumbers", &query, in, after, func(notes graphql.Notes) error {
		switch {
		case query.Repository == nil:
			return notes.Fault("repository", NoRepository(in.Repo))
		case query.Repository.Discussion == nil:
			return notes.Fault("repository.discussion", fault.New(fault.NotFound, "%s has no discussion #%d", in.Repo, in.Number))
		}
		page = query.Repository.Discussion.Comments.samples(func(comment wireNumbered) (all []Sample) {
			for _, one := range append(comment.Replies.Nodes, comment.wireNumber) {
				all = append(all, Sample(one))
			}
			return all
		})
		return nil
	})
	return page, err
}

func (r *Resolver) issuePage(ctx context.Context, in ref.Thread, after *githubv4.String) (page graphql.Page[Sample], err error) {
	type wireNumbered struct {
		Comments wirePage[wireFullNumber] `graphql:"comments(first: $first, after: $after)"`
	}
	var query struct {
		Repository *struct {
			Thread *struct {
				Issue wireNumbered `graphql:"... on Issue"`
				Pull  wireNumbered `graphql:"... on PullRequest"`
			} `graphql:"issueOrPullRequest(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	err = r.paged(ctx, "CommentNumbers", &query, in, after, func(notes graphql.Notes) error {
		switch {
		case query.Repository == nil:
			return notes.Fault("repository", NoRepository(in.Repo))
		case query.Repository.Thread == nil:
			return notes.Fault("repository.issueOrPullRequest", fault.New(fault.NotFound, "%s has no issue or pull request #%d", in.Repo, in.Number).
				WithFix("list_issues and list_pull_requests show the numbers."))
		}
		page = query.Repository.Thread.Issue.Comments.samples(wireFullNumber.samples)
		return nil
	})
	return page, err
}

func (r *Resolver) reviewPage(ctx context.Context, in ref.Thread, after *githubv4.String) (page graphql.Page[Sample], err error) {
	var query wireReviews[wireFullNumber]
	err = r.paged(ctx, "ReviewNumbers", &query, in, after, func(graphql.Notes) error {
		page = query.reviews().samples(wireFullNumber.samples)
		return nil
	})
	return page, err
}

// wireReviews are the reviews of a pull request. The number may be an issue's,
// which has none.
type wireReviews[T any] struct {
	Repository *struct {
		Thread *struct {
			Pull struct {
				Reviews wirePage[T] `graphql:"reviews(first: $first, after: $after)"`
			} `graphql:"... on PullRequest"`
		} `graphql:"issueOrPullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

func (w wireReviews[T]) reviews() wirePage[T] {
	if w.Repository == nil || w.Repository.Thread == nil {
		return wirePage[T]{}
	}
	return w.Repository.Thread.Pull.Reviews
}

// wireNumberedReview is a review with the numbers of its inline comments.
type wireNumberedReview struct {
	ID       string
	Comments wirePage[wireFullNumber] `graphql:"comments(first: 100)"`
}

func (r *Resolver) inlinePage(ctx context.Context, in ref.Thread, after *githubv4.String) (page graphql.Page[Sample], err error) {
	var query wireReviews[wireNumberedReview]
	err = r.paged(ctx, "InlineNumbers", &query, in, after, func(graphql.Notes) error {
		page = query.reviews().samples(func(review wireNumberedReview) []Sample {
			return review.Comments.samples(wireFullNumber.samples).Nodes
		})
		return nil
	})
	if err != nil {
		return page, err
	}
	for _, review := range query.reviews().Nodes {
		rest, err := r.restOfReview(ctx, review)
		if err != nil {
			return page, err
		}
		page.Nodes = append(page.Nodes, rest...)
	}
	return page, nil
}

// restOfReview reads the inline comments that do not come with a review.
func (r *Resolver) restOfReview(ctx context.Context, review wireNumberedReview) (all []Sample, err error) {
	if !review.Comments.PageInfo.HasNextPage {
		return nil, nil
	}
	rest := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[Sample], error) {
		if after == nil {
			after = &review.Comments.PageInfo.EndCursor
		}
		var query struct {
			Node *struct {
				Review struct {
					Comments wirePage[wireFullNumber] `graphql:"comments(first: 100, after: $after)"`
				} `graphql:"... on PullRequestReview"`
			} `graphql:"node(id: $id)"`
		}
		_, err := r.gh.Query(ctx, "InlineNumbers", &query, map[string]any{"id": graphql.ID(review.ID), "after": after})
		if err != nil || query.Node == nil { // deleted meanwhile
			return graphql.Page[Sample]{}, err
		}
		return query.Node.Review.Comments.samples(wireFullNumber.samples), nil
	})
	for comment, err := range rest {
		if err != nil {
			return nil, err
		}
		all = append(all, comment)
	}
	return all, nil
}
