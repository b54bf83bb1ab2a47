package discussion

import (
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// The wire types are GitHub's GraphQL shapes. Names of one letter stand for
// what comes a hundred times in an answer, which makes it much smaller.

type wireActor struct {
	Login string `graphql:"l: login"`
}

func (a *wireActor) login() string {
	if a == nil {
		return ""
	}
	return a.Login
}

type wireComment struct {
	ID                string               `graphql:"i: id"`
	DatabaseID        int64                `graphql:"d: databaseId"`
	Author            *wireActor           `graphql:"w: author"`
	AuthorAssociation string               `graphql:"as: authorAssociation"`
	ViewerDidAuthor   bool                 `graphql:"v: viewerDidAuthor"`
	Body              string               `graphql:"b: body"`
	CreatedAt         time.Time            `graphql:"t: createdAt"`
	UpdatedAt         time.Time            `graphql:"u: updatedAt"`
	LastEditedAt      *time.Time           `graphql:"e: lastEditedAt"`
	DeletedAt         *time.Time           `graphql:"x: deletedAt"`
	URL               string               `graphql:"url"`
	IsMinimized       bool                 `graphql:"m: isMinimized"`
	MinimizedReason   *string              `graphql:"mr: minimizedReason"`
	IsAnswer          bool                 `graphql:"an: isAnswer"`
	ReplyTo           *struct{ ID string } `graphql:"p: replyTo"`
}

// wireTop is a top-level comment with its newest replies.
type wireTop struct {
	wireComment
	Replies struct {
		TotalCount int           `graphql:"c: totalCount"`
		Nodes      []wireComment `graphql:"n: nodes"`
	} `graphql:"r: replies(last: $replies)"`
}

// wireStub is a comment without its text, but with its newest reply.
type wireStub struct {
	wireMark
	EditedAt *time.Time `graphql:"e: lastEditedAt"`
	Replies  struct {
		Nodes []wireMark `graphql:"n: nodes"`
	} `graphql:"r: replies(last: 1)"`
}

type wireMark struct {
	ID        string    `graphql:"i: id"`
	CreatedAt time.Time `graphql:"t: createdAt"`
}

type wirePageInfo struct {
	HasPreviousPage bool
	HasNextPage     bool
	StartCursor     string
	EndCursor       string
}

// wireHead is the discussion itself and its newest comments.
type wireHead struct {
	ID                string
	Number            int
	Title             string
	Body              string `graphql:"body: body @include(if: $root)"`
	URL               string `graphql:"url"`
	Author            *wireActor
	AuthorAssociation string
	ViewerDidAuthor   bool
	CreatedAt         time.Time
	UpdatedAt         time.Time
	Closed            bool
	Locked            bool
	StateReason       *string
	IsAnswered        *bool
	Answer            *struct{ ID string }
	UpvoteCount       int
	Category          struct {
		Name         string
		Slug         string
		IsAnswerable bool
	}
	Labels *wireLabels `graphql:"labels(first: 100)"`
}

type wireLabels struct{ Nodes []struct{ Name string } }

func (l *wireLabels) names() []string {
	names := []string{}
	if l != nil {
		for _, label := range l.Nodes {
			names = append(names, label.Name)
		}
	}
	return names
}

// wireNewest is what every answer tells about the thread beside its head.
type wireNewest struct {
	Newest struct {
		TotalCount int
		Nodes      []wireStub `graphql:"n: nodes"`
	} `graphql:"newest: comments(last: $newest)"`
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

// wireOlder are older comments with only what tells of new replies and edits.
// Their times are not needed, but for the last one's, which stands next to the
// newer ones.
type wireOlder struct {
	Older struct {
		PageInfo struct {
			HasPreviousPage bool
			StartCursor     string
		}
		Nodes []struct {
			ID       string     `graphql:"i: id"`
			EditedAt *time.Time `graphql:"e: lastEditedAt"`
			Replies  struct {
				Nodes []wireMark `graphql:"n: nodes"`
			} `graphql:"r: replies(last: 1)"`
		} `graphql:"n: nodes"`
	} `graphql:"older: comments(last: $older, before: $olderBefore)"`
	Last struct {
		Nodes []wireMark `graphql:"n: nodes"`
	} `graphql:"last: comments(last: 1, before: $olderBefore)"`
}

func (w wireOlder) older() thread.StubPage {
	page := thread.StubPage{Start: w.Older.PageInfo.StartCursor, HasBefore: w.Older.PageInfo.HasPreviousPage}
	for _, node := range w.Older.Nodes {
		stub := wireStub{wireMark: wireMark{ID: node.ID}, EditedAt: node.EditedAt}
		stub.Replies.Nodes = node.Replies.Nodes
		page.Stubs = append(page.Stubs, stub.stub())
	}
	if n := len(page.Stubs); n > 0 && len(w.Last.Nodes) > 0 {
		page.Stubs[n-1].Key = w.Last.Nodes[0].key(thread.KindComment)
	}
	return page
}

// comment converts a top-level comment or a reply.
func (w wireComment) comment() thread.Comment {
	comment := thread.Comment{
		ID:                w.ID,
		Kind:              thread.KindComment,
		Author:            thread.ActorOf(w.Author.login()),
		AuthorAssociation: w.AuthorAssociation,
		Body:              w.Body,
		CreatedAt:         w.CreatedAt.UTC(),
		UpdatedAt:         w.UpdatedAt.UTC(),
		LastEditedAt:      utc(w.LastEditedAt),
		DeletedAt:         utc(w.DeletedAt),
		URL:               w.URL,
		IsMinimized:       w.IsMinimized,
		MinimizedReason:   thread.MinimizedReason(w.MinimizedReason),
		InDiscussion:      &thread.InDiscussion{IsAnswer: w.IsAnswer},
		VisibleAt:         w.CreatedAt.UTC(),
		OwnWork:           w.ViewerDidAuthor,
	}
	if number := ref.NumberOf(w.DatabaseID, w.ID); number != 0 {
		comment.DatabaseID = &number
	}
	if w.ReplyTo != nil {
		comment.Kind, comment.ReplyToID = thread.KindReply, &w.ReplyTo.ID
	}
	if comment.DeletedAt != nil {
		comment.Body, comment.Author = "", thread.ActorOf("")
	}
	return comment
}

// comment converts a comment of which the newest asked replies were asked for.
func (w wireTop) comment(asked int) thread.Comment {
	comment := w.wireComment.comment()
	if comment.Kind == thread.KindComment {
		comment.Replies = &thread.Replies{
			TotalCount: w.Replies.TotalCount, Nodes: comments(w.Replies.Nodes), AllHere: len(w.Replies.Nodes) < asked,
		}
	}
	return comment
}

func comments(wires []wireComment) []thread.Comment {
	all := make([]thread.Comment, len(wires))
	for i, wire := range wires {
		all[i] = wire.comment()
	}
	return all
}

func tops(wires []wireTop, asked int) []thread.Comment {
	all := make([]thread.Comment, 0, len(wires))
	for _, wire := range wires {
		if wire.ID != "" { // a node of another type, or gone
			all = append(all, wire.comment(asked))
		}
	}
	return all
}

func (w wireStub) stub() thread.Stub {
	stub := thread.Stub{ID: w.ID, Key: w.key(thread.KindComment), EditedAt: utc(w.EditedAt)}
	for _, reply := range w.Replies.Nodes {
		stub.LastReply = &thread.Stub{ID: reply.ID, Key: reply.key(thread.KindReply)}
	}
	return stub
}

// key is the place of a comment in its thread. Its number is read from its id,
// which spares the most frequent answer a fifth of its size; where an id does
// not show it, ties of time keep GitHub's own order.
func (w wireMark) key(kind thread.Kind) thread.Key {
	id, _ := ref.DecodeNodeID(w.ID)
	return thread.Key{At: w.CreatedAt.UTC(), Kind: kind, Number: id.DatabaseID}
}

func stubs(wires []wireStub) []thread.Stub {
	all := make([]thread.Stub, 0, len(wires))
	for _, wire := range wires {
		if wire.ID != "" {
			all = append(all, wire.stub())
		}
	}
	return all
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	in := at.UTC()
	return &in
}
