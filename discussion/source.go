package discussion

import (
	"context"
	"slices"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

const (
	maxPage        = 100 // the most GitHub gives at once
	newestComments = 5   // comments looked at for what is newest in the thread
	newestReplies  = 3   // replies that come with a comment which may not be new
)

// source brings one discussion's comments to package thread. It lives for one
// call and keeps the head that came with the answers.
type source struct {
	service  *Service
	repo     ref.Repo
	number   int
	root     bool // the discussion's own body is wanted
	head     wireHead
	warnings []string
}

var _ thread.Source = (*source)(nil)

// wireRepository is how every query reaches the discussion.
type wireRepository[T any] struct {
	Repository *struct {
		DatabaseID int64 `graphql:"databaseId"`
		Discussion *T    `graphql:"discussion(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// headed is a query's discussion that tells its head.
type headed[T any] interface {
	*T
	own() *wireHead
}

func (w *wireHead) own() *wireHead { return w }

// accept takes the discussion out of an answer, or says why it is not there.
func accept[T any, P headed[T]](s *source, notes graphql.Notes, answer wireRepository[T]) (*T, error) {
	if answer.Repository == nil {
		return nil, notes.Fault("repository", resolve.NoRepository(s.repo))
	}
	discussion := answer.Repository.Discussion
	if discussion == nil {
		return nil, notes.Fault("repository.discussion", missing(s.repo, s.number))
	}
	s.head = *P(discussion).own()
	if own, ok := ref.DecodeNodeID(s.head.ID); ok && own.RepoID == answer.Repository.DatabaseID {
		s.service.opts.Resolver.Learn(s.repo, own.RepoID)
	}
	s.warn(notes.Under("repository"))
	return discussion, nil
}

func (s *source) warn(notes graphql.Notes) {
	for _, warning := range notes.Warnings() {
		if !slices.Contains(s.warnings, warning) {
			s.warnings = append(s.warnings, warning)
		}
	}
}

// newest is how many of the newest comments to look at for what is newest in
// the thread. A late reply may stand under an older comment; where the whole
// discussion is asked for, looking for it costs little beside that.
func (s *source) newest() int {
	if s.root {
		return maxPage
	}
	return newestComments
}

// variables are those of every query through wireRepository, and more.
func (s *source) variables(more map[string]any) map[string]any {
	all := map[string]any{
		"owner":  githubv4.String(s.repo.Owner),
		"name":   githubv4.String(s.repo.Name),
		"number": githubv4.Int(s.number),
		"root":   githubv4.Boolean(s.root),
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

// One asks for one comment, in one request once the repository's number is
// known.
func (s *source) One(ctx context.Context, id ref.Comment) (_ thread.One, err error) {
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
		wireRepository[struct {
			wireHead
			wireNewest
		}]
		Node *struct {
			Comment wireOne `graphql:"... on DiscussionComment"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionComment", &query, s.variables(map[string]any{
		"id": graphql.ID(nodeID), "replies": githubv4.Int(maxPage), "newest": githubv4.Int(s.newest()),
	}))
	if err != nil {
		return thread.One{}, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return thread.One{}, err
	}
	one := thread.One{Overview: discussion.overview()}
	if query.Node == nil || !query.Node.Comment.is(id, discussion.ID) {
		other, ok, err := s.findElse(ctx, id, nodeID, one.Newest)
		if err != nil || !ok {
			return one, err
		}
		return s.One(ctx, other)
	}
	found := query.Node.Comment
	comment := found.comment(maxPage)
	one.Found = &comment
	if found.Parent != nil {
		parent := found.Parent.comment()
		parent.Replies = &thread.Replies{TotalCount: found.Parent.Replies.TotalCount}
		one.Found, one.Reply = &parent, &comment
	}
	return one, nil
}

// wireOne is a comment on its own, with the one it replies to.
type wireOne struct {
	wireTop
	Parent *struct {
		wireComment
		Replies struct{ TotalCount int } `graphql:"replies(last: 1)"`
	} `graphql:"parent: replyTo"`
	Discussion struct{ ID string }
}

// Page asks for a run of comments from one end.
func (s *source) Page(ctx context.Context, want thread.PageWant) (page thread.Page, err error) {
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

// shrinking asks for less when GitHub finds the question too big.
func shrinking[T any](ctx context.Context, size int, ask func(n int) (T, error)) (answer T, err error) {
	err = graphql.Shrink(ctx, size, func(n int) error {
		answer, err = ask(n)
		return err
	})
	return answer, err
}

// wireEdges are comments with a cursor each.
type wireEdges struct {
	PageInfo wirePageInfo
	Edges    []struct {
		Cursor string
		Node   wireTop
	}
}

func (w wireEdges) fill(page *thread.Page) {
	for _, edge := range w.Edges {
		page.Comments = append(page.Comments, edge.Node.comment(maxPage))
		page.Cursors = append(page.Cursors, edge.Cursor)
	}
	page.Start, page.End = w.PageInfo.StartCursor, w.PageInfo.EndCursor
	page.HasBefore, page.HasMore = w.PageInfo.HasPreviousPage, w.PageInfo.HasNextPage
}

// pageAfter reads n comments after a cursor.
func (s *source) pageAfter(ctx context.Context, n int, after string) (thread.Page, error) {
	var query struct {
		wireRepository[struct {
			wireHead
			wireNewest
			Comments wireEdges `graphql:"comments(first: $first, after: $after)"`
		}]
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionComments", &query, s.variables(map[string]any{
		"first": githubv4.Int(n), "after": cursor(after), "replies": githubv4.Int(maxPage), "newest": githubv4.Int(s.newest()),
	}))
	if err != nil {
		return thread.Page{}, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: discussion.overview()}
	discussion.Comments.fill(&page)
	return page, nil
}

// pageBefore reads the n comments before a cursor, or the last ones.
func (s *source) pageBefore(ctx context.Context, n int, before string) (thread.Page, error) {
	var query struct {
		wireRepository[struct {
			wireHead
			wireNewest
			Comments struct {
				PageInfo wirePageInfo
				Nodes    []wireTop
			} `graphql:"comments(last: $last, before: $before)"`
		}]
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionLastComments", &query, s.variables(map[string]any{
		"last": githubv4.Int(n), "before": cursor(before), "replies": githubv4.Int(maxPage), "newest": githubv4.Int(s.newest()),
	}))
	if err != nil {
		return thread.Page{}, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return thread.Page{}, err
	}
	info := discussion.Comments.PageInfo
	return thread.Page{
		Overview: discussion.overview(), Comments: tops(discussion.Comments.Nodes, maxPage),
		Start: info.StartCursor, End: info.EndCursor, HasBefore: info.HasPreviousPage, HasMore: info.HasNextPage,
	}, nil
}

// pageWithOlder reads n comments after a cursor and stubs of older ones.
func (s *source) pageWithOlder(ctx context.Context, n int, want thread.PageWant) (thread.Page, error) {
	var query struct {
		wireRepository[struct {
			wireHead
			wireNewest
			Comments wireEdges `graphql:"comments(first: $first, after: $after)"`
			wireOlder
		}]
		Stubs []struct {
			Stub wireStub `graphql:"... on DiscussionComment"`
		} `graphql:"stubs: nodes(ids: $stubsOf)"`
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionCommentsSince", &query, s.variables(map[string]any{
		"first": githubv4.Int(n), "after": cursor(want.After), "replies": githubv4.Int(maxPage), "newest": githubv4.Int(s.newest()),
		"older": githubv4.Int(max(1, want.Older)), "olderBefore": cursor(want.OlderBefore), "stubsOf": ids(want.StubsOf),
	}))
	if err != nil {
		return thread.Page{}, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: discussion.overview(), Older: discussion.older()}
	if want.Older == 0 {
		page.Older = thread.StubPage{}
	}
	discussion.Comments.fill(&page)
	for _, node := range query.Stubs {
		page.Stubs = append(page.Stubs, stubs([]wireStub{node.Stub})...)
	}
	return page, nil
}

// window reads one comment by its id and those behind it.
func (s *source) window(ctx context.Context, want thread.PageWant) (thread.Page, error) {
	var query struct {
		wireRepository[struct {
			wireHead
			wireNewest
			Comments wireEdges `graphql:"comments(first: $first, after: $after)"`
		}]
		Oldest *struct {
			Comment wireTop `graphql:"... on DiscussionComment"`
		} `graphql:"oldest: node(id: $oldest)"`
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "DiscussionWindow", &query, s.variables(map[string]any{
		"first": githubv4.Int(want.First), "after": cursor(want.After), "oldest": graphql.ID(want.WithID),
		"replies": githubv4.Int(maxPage), "newest": githubv4.Int(s.newest()),
	}))
	if err != nil {
		return thread.Page{}, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: discussion.overview()}
	if query.Oldest != nil {
		page.Comments = tops([]wireTop{query.Oldest.Comment}, maxPage)
	}
	discussion.Comments.fill(&page)
	page.Cursors = nil // the first comment's is not known
	return page, nil
}

// overview reads the head, and stubs of older comments when they are wanted.
func (s *source) overview(ctx context.Context, want thread.PageWant) (thread.Page, error) {
	var query struct {
		wireRepository[struct {
			wireHead
			wireNewest
			wireOlder
		}]
	}
	notes, err := s.service.opts.GraphQL.Query(ctx, "Discussion", &query, s.variables(map[string]any{
		"older": githubv4.Int(max(1, want.Older)), "olderBefore": cursor(want.OlderBefore), "newest": githubv4.Int(s.newest()),
	}))
	if err != nil {
		return thread.Page{}, err
	}
	discussion, err := accept(s, notes, query.wireRepository)
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{Overview: discussion.overview(), Older: discussion.older()}
	if want.Older == 0 {
		page.Older = thread.StubPage{}
	}
	return page, nil
}

// cursor is a cursor as a variable; "" is null, an end of the connection.
func cursor(value string) *githubv4.String {
	if value == "" {
		return nil
	}
	return githubv4.NewString(githubv4.String(value))
}

func ids(values []string) []graphql.ID {
	all := make([]graphql.ID, len(values))
	for i, value := range values {
		all[i] = graphql.ID(value)
	}
	return all
}
