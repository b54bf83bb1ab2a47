package conversation

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// wireAnchor is the comment after which to read.
type wireAnchor struct {
	wireStub
	Issue struct{ ID string }   `graphql:"issue"`
	Pull  *struct{ Number int } `graphql:"pullRequest"`
}

func (w wireAnchor) is(asked ref.Comment, issueID string) bool {
	return w.ID != "" && w.Pull == nil && w.Issue.ID == issueID && isNumber(asked, w.number())
}

// Since asks, in one request, for the anchor, the newest bodies and the newest
// hundred stubs.
func (s *issueSource) Since(ctx context.Context, id ref.Comment) (_ thread.Since, err error) {
	defer fault.Wrap(&err, "since %s", id)
	nodeID, err := s.nodeID(ctx, id)
	if err != nil {
		return thread.Since{}, err
	}
	if nodeID == "" {
		page, err := s.overview(ctx, thread.PageWant{})
		return thread.Since{Total: page.Total, Tail: thread.StubPage{Stubs: page.Newest}}, err
	}
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			Newest struct{ Nodes []wireComment } `graphql:"newest: comments(last: 5)"`
			Tail   wireStubs                     `graphql:"tail: comments(last: 100)"`
		}]
		Anchor *struct {
			Comment wireAnchor `graphql:"... on IssueComment"`
		} `graphql:"anchor: node(id: $id)"`
	}
	issue, err := ask(ctx, s, "IssueSince", &query, &query.wireIssueAt, map[string]any{"id": graphql.ID(nodeID)})
	if err != nil {
		return thread.Since{}, err
	}
	since := thread.Since{Total: issue.Tail.TotalCount, Newest: comments(issue.Newest.Nodes), Tail: issue.Tail.page()}
	if query.Anchor != nil && query.Anchor.Comment.is(id, issue.ID) {
		since.Anchor = &thread.Anchor{Stub: query.Anchor.Comment.stub()}
		return since, nil
	}
	other, ok, err := s.findElse(ctx, id, nodeID, since.Tail.Stubs)
	if err != nil || !ok {
		return since, err
	}
	return s.Since(ctx, other)
}

// wireSearched are comments by id, time and cursor.
type wireSearched struct {
	PageInfo wirePageInfo
	Edges    []struct {
		Cursor string   `graphql:"c: cursor"`
		Node   wireStub `graphql:"n: node"`
	} `graphql:"e: edges"`
}

func (w wireSearched) page() thread.StubPage {
	page := thread.StubPage{
		Start: w.PageInfo.StartCursor, End: w.PageInfo.EndCursor,
		HasBefore: w.PageInfo.HasPreviousPage, HasMore: w.PageInfo.HasNextPage,
	}
	for _, edge := range w.Edges {
		stub := edge.Node.stub()
		stub.Cursor = edge.Cursor
		page.Stubs = append(page.Stubs, stub)
	}
	return page
}

// Search reads stubs from both ends in one request.
func (s *issueSource) Search(ctx context.Context, after, before string) (front, back thread.StubPage, err error) {
	defer fault.Wrap(&err, "search")
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			Front wireSearched `graphql:"front: comments(first: 100, after: $after)"`
			Back  wireSearched `graphql:"back: comments(last: 100, before: $before)"`
		}]
	}
	issue, err := ask(ctx, s, "IssueSearch", &query, &query.wireIssueAt, map[string]any{
		"after": cursor(after), "before": cursor(before),
	})
	if err != nil {
		return front, back, err
	}
	return issue.Front.page(), issue.Back.page(), nil
}

// Fetch asks for comments by id, and for older stubs. One request does it,
// unless GitHub finds it too big.
func (s *issueSource) Fetch(ctx context.Context, want thread.Want) (got thread.Got, err error) {
	defer fault.Wrap(&err, "fetch")
	size := max(1, len(want.Comments))
	for start := 0; ; {
		part := want
		n, err := shrinking(ctx, size, func(n int) (int, error) {
			part.Comments = window(want.Comments, start, n)
			answer, err := s.fetchOnce(ctx, part)
			if err == nil {
				got.Comments = append(got.Comments, answer.Comments...)
				if part.Older > 0 {
					got.Older = answer.Older
				}
			}
			return n, err
		})
		if err != nil {
			return thread.Got{}, err
		}
		if size, start, want.Older = n, start+n, 0; start >= len(want.Comments) {
			return got, nil
		}
	}
}

func (s *issueSource) fetchOnce(ctx context.Context, want thread.Want) (thread.Got, error) {
	var query struct {
		Comments []struct {
			Comment wireComment `graphql:"... on IssueComment"`
		} `graphql:"comments: nodes(ids: $comments) @include(if: $wantComments)"`
		Repository *struct {
			Issue *wireOlder `graphql:"issue(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name) @include(if: $wantOlder)"`
	}
	variables := s.variables(map[string]any{
		"comments": ids(want.Comments), "wantComments": githubv4.Boolean(len(want.Comments) > 0),
		"older": githubv4.Int(max(1, want.Older)), "olderBefore": cursor(want.OlderBefore),
		"wantOlder": githubv4.Boolean(want.Older > 0),
	})
	delete(variables, "root")
	notes, err := s.service.opts.GraphQL.Query(ctx, "IssueMissing", &query, variables)
	if err != nil {
		return thread.Got{}, err
	}
	if want.Older > 0 && (query.Repository == nil || query.Repository.Issue == nil) {
		return thread.Got{}, notes.Fault("repository", missing(s.repo, s.number))
	}
	var got thread.Got
	for _, node := range query.Comments {
		got.Comments = append(got.Comments, comments([]wireComment{node.Comment})...)
	}
	if want.Older > 0 {
		got.Older = query.Repository.Issue.Older.page()
	}
	return got, nil
}

// MoreReplies reads nothing: the comments of an issue have no replies.
func (s *issueSource) MoreReplies(context.Context, string, int) ([]thread.Comment, error) {
	return nil, nil
}

// nodeID is the node id of a comment in any spelling; "" when the spelling
// itself shows that the comment is not in this issue. Where GitHub's ids
// cannot be built from numbers, the number is looked for in the issue.
func (s *issueSource) nodeID(ctx context.Context, id ref.Comment) (string, error) {
	if id.Type != "" && id.Type != ref.IssueComment || !s.isHere(id.Thread) {
		return "", nil
	}
	return s.service.opts.Resolver.Find(ctx, ref.Thread{Repo: s.repo, Kind: ref.Issue, Number: s.number}, ref.IssueComment, id)
}

// findElse is another id to ask for, when the one that was built of a number
// was not there; see Resolver.FindElse.
func (s *issueSource) findElse(ctx context.Context, id ref.Comment, built string, newest []thread.Stub) (ref.Comment, bool, error) {
	if len(newest) == 0 {
		return id, false, nil
	}
	at := ref.Thread{Repo: s.repo, Kind: ref.Issue, Number: s.number}
	sample := resolve.Sample{ID: newest[0].ID, Number: newest[0].Key.Number}
	return s.service.opts.Resolver.FindElse(ctx, at, ref.IssueComment, id, built, sample)
}
