package conversation

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// issueSource brings one issue's comments to package thread. It keeps the head
// that came with the answers.
type issueSource struct {
	base
	head wireIssueHead
}

var _ reader = (*issueSource)(nil)

func (s *issueSource) conversation() *Conversation {
	c := s.head.conversation(ref.Issue, s.head.State)
	facts, warnings := s.head.issueFacts()
	c.IssueFacts = facts
	s.warn(warnings...)
	c.Warnings = s.warnings
	return c
}

// headed is a query's issue that tells its head.
type headed[T any] interface {
	*T
	own() *wireIssueHead
}

func (w *wireIssueHead) own() *wireIssueHead { return w }

// ask sends a query that reaches the issue, and takes the issue out of it.
func ask[T any, P headed[T]](ctx context.Context, s *issueSource, name string, query any, at *wireIssueAt[T], more map[string]any) (*T, error) {
	variables := s.variables(more)
	variables["related"] = githubv4.Int(someRelated)
	if s.root {
		variables["related"] = githubv4.Int(allRelated)
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, name, query, variables)
	switch {
	case err != nil:
		return nil, err
	case at.Repository == nil:
		return nil, s.noRepository(notes)
	case at.Repository.Thread == nil:
		return nil, s.accepted(notes, "", typeIssue)
	}
	if err := s.accepted(notes, at.Repository.Thread.Typename, typeIssue); err != nil {
		return nil, err
	}
	issue := &at.Repository.Thread.Issue
	s.head = *P(issue).own()
	s.learn(s.head.ID, at.Repository.DatabaseID)
	return issue, nil
}

// wireNewest is what every answer tells about the thread beside its head.
type wireNewest struct {
	Newest struct {
		TotalCount int
		Nodes      []wireStub `graphql:"n: nodes"`
	} `graphql:"newest: comments(last: 5)"`
}

func (w wireNewest) overview() thread.Overview {
	return thread.Overview{Total: w.Newest.TotalCount, Newest: stubs(w.Newest.Nodes)}
}

// wireStubs is a run of stubs.
type wireStubs struct {
	TotalCount int
	PageInfo   wirePageInfo
	Nodes      []wireStub `graphql:"n: nodes"`
}

func (w wireStubs) page() thread.StubPage {
	return thread.StubPage{
		Stubs: stubs(w.Nodes), Start: w.PageInfo.StartCursor, End: w.PageInfo.EndCursor,
		HasBefore: w.PageInfo.HasPreviousPage, HasMore: w.PageInfo.HasNextPage,
	}
}

// wireOlder are older comments, for what tells of edits.
type wireOlder struct {
	Older wireStubs `graphql:"older: comments(last: $older, before: $olderBefore)"`
}

// wireEdges are comments with a cursor each.
type wireEdges struct {
	PageInfo wirePageInfo
	Edges    []struct {
		Cursor string
		Node   wireComment
	}
}

func (w wireEdges) fill(page *thread.Page) {
	for _, edge := range w.Edges {
		page.Comments = append(page.Comments, edge.Node.comment())
		page.Cursors = append(page.Cursors, edge.Cursor)
	}
	page.Start, page.End = w.PageInfo.StartCursor, w.PageInfo.EndCursor
	page.HasBefore, page.HasMore = w.PageInfo.HasPreviousPage, w.PageInfo.HasNextPage
}

// wireAlone is a comment on its own.
type wireAlone struct {
	wireComment
	Reactions wireReactions         `graphql:"reactionGroups"`
	Issue     struct{ ID string }   `graphql:"issue"`
	Pull      *struct{ Number int } `graphql:"pullRequest"`
}

// One asks for one comment, in one request once the repository's number is
// known.
func (s *issueSource) One(ctx context.Context, id ref.Comment) (_ thread.One, err error) {
	defer fault.Wrap(&err, "one comment %s", id)
	nodeID, err := s.nodeID(ctx, id)
	if err != nil {
		return thread.One{}, err
	}
	if nodeID == "" {
		page, err := s.overview(ctx, thread.PageWant{})
		return thread.One{Overview: page.Overview}, err
	}
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			wireNewest
		}]
		Node *struct {
			Comment wireAlone `graphql:"... on IssueComment"`
		} `graphql:"node(id: $id)"`
	}
	issue, err := ask(ctx, s, "IssueComment", &query, &query.wireIssueAt, map[string]any{"id": graphql.ID(nodeID)})
	if err != nil {
		return thread.One{}, err
	}
	one := thread.One{Overview: issue.overview()}
	if query.Node == nil || !query.Node.Comment.is(id, issue.ID) {
		other, ok, err := s.findElse(ctx, id, nodeID, one.Newest)
		if err != nil || !ok {
			return one, err
		}
		return s.One(ctx, other)
	}
	comment := query.Node.Comment.comment()
	comment.Reactions = query.Node.Comment.Reactions.reactions()
	one.Found = &comment
	return one, nil
}

// is reports whether what came back is the comment that was asked for, and in
// this issue.
func (w wireAlone) is(asked ref.Comment, issueID string) bool {
	return w.ID != "" && w.Pull == nil && w.Issue.ID == issueID && isNumber(asked, ref.NumberOf(int64(w.Number), w.ID))
}

// Page asks for a run of comments from one end.
func (s *issueSource) Page(ctx context.Context, want thread.PageWant) (page thread.Page, err error) {
	defer fault.Wrap(&err, "page")
	s.root = want.Root
	defer func() { s.root = false }()
	switch {
	case want.WithID != "":
		return s.window(ctx, want)
	case want.Last > 0:
		return shrinking(ctx, want.Last, func(n int) (thread.Page, error) { return s.pageBefore(ctx, n, want.Before) })
	case want.First > 0 && (want.Older > 0 || len(want.StubsOf) > 0):
		return shrinking(ctx, want.First, func(n int) (thread.Page, error) { return s.pageWithOlder(ctx, n, want) })
	case want.First > 0:
		return shrinking(ctx, want.First, func(n int) (thread.Page, error) { return s.pageAfter(ctx, n, want.After) })
	}
	return s.overview(ctx, want)
}

// pageAfter reads n comments after a cursor.
func (s *issueSource) pageAfter(ctx context.Context, n int, after string) (thread.Page, error) {
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			wireNewest
			Comments wireEdges `graphql:"comments(first: $first, after: $after)"`
		}]
	}
	issue, err := ask(ctx, s, "IssueComments", &query, &query.wireIssueAt, map[string]any{
		"first": githubv4.Int(n), "after": cursor(after),
	})
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: issue.overview()}
	issue.Comments.fill(&page)
	return page, nil
}

// pageBefore reads the n comments before a cursor, or the last ones.
func (s *issueSource) pageBefore(ctx context.Context, n int, before string) (thread.Page, error) {
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			wireNewest
			Comments struct {
				PageInfo wirePageInfo
				Nodes    []wireComment
			} `graphql:"comments(last: $last, before: $before)"`
		}]
	}
	issue, err := ask(ctx, s, "IssueLastComments", &query, &query.wireIssueAt, map[string]any{
		"last": githubv4.Int(n), "before": cursor(before),
	})
	if err != nil {
		return thread.Page{}, err
	}
	info := issue.Comments.PageInfo
	return thread.Page{
		Overview: issue.overview(), Comments: comments(issue.Comments.Nodes),
		Start: info.StartCursor, End: info.EndCursor, HasBefore: info.HasPreviousPage, HasMore: info.HasNextPage,
	}, nil
}

// pageWithOlder reads n comments after a cursor and stubs of older ones.
func (s *issueSource) pageWithOlder(ctx context.Context, n int, want thread.PageWant) (thread.Page, error) {
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			wireNewest
			Comments wireEdges `graphql:"comments(first: $first, after: $after)"`
			wireOlder
		}]
		Stubs []struct {
			Stub wireStub `graphql:"... on IssueComment"`
		} `graphql:"stubs: nodes(ids: $stubsOf)"`
	}
	issue, err := ask(ctx, s, "IssueCommentsSince", &query, &query.wireIssueAt, map[string]any{
		"first": githubv4.Int(n), "after": cursor(want.After),
		"older": githubv4.Int(max(1, want.Older)), "olderBefore": cursor(want.OlderBefore), "stubsOf": ids(want.StubsOf),
	})
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: issue.overview()}
	if want.Older > 0 {
		page.Older = issue.Older.page()
	}
	issue.Comments.fill(&page)
	for _, node := range query.Stubs {
		page.Stubs = append(page.Stubs, stubs([]wireStub{node.Stub})...)
	}
	return page, nil
}

// window reads one comment by its id and those behind it.
func (s *issueSource) window(ctx context.Context, want thread.PageWant) (thread.Page, error) {
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			wireNewest
			Comments wireEdges `graphql:"comments(first: $first, after: $after)"`
		}]
		Oldest *struct {
			Comment wireComment `graphql:"... on IssueComment"`
		} `graphql:"oldest: node(id: $oldest)"`
	}
	issue, err := ask(ctx, s, "IssueWindow", &query, &query.wireIssueAt, map[string]any{
		"first": githubv4.Int(want.First), "after": cursor(want.After), "oldest": graphql.ID(want.WithID),
	})
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: issue.overview()}
	if query.Oldest != nil {
		page.Comments = comments([]wireComment{query.Oldest.Comment})
	}
	issue.Comments.fill(&page)
	page.Cursors = nil // the first comment's is not known
	return page, nil
}

// overview reads the head, and stubs of older comments when they are wanted.
func (s *issueSource) overview(ctx context.Context, want thread.PageWant) (thread.Page, error) {
	var query struct {
		wireIssueAt[struct {
			wireIssueHead
			wireNewest
			wireOlder
		}]
	}
	issue, err := ask(ctx, s, "Issue", &query, &query.wireIssueAt, map[string]any{
		"older": githubv4.Int(max(1, want.Older)), "olderBefore": cursor(want.OlderBefore),
	})
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: issue.overview()}
	if want.Older > 0 {
		page.Older = issue.Older.page()
	}
	return page, nil
}
