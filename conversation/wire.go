package conversation

import (
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
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

type wirePageInfo struct {
	HasPreviousPage bool
	HasNextPage     bool
	StartCursor     string
	EndCursor       string
}

// wireText is what GitHub's interface Comment has: all that is said.
type wireText struct {
	ID                string     `graphql:"i: id"`
	Author            *wireActor `graphql:"w: author"`
	AuthorAssociation string     `graphql:"as: authorAssociation"`
	ViewerDidAuthor   bool       `graphql:"v: viewerDidAuthor"`
	Body              string     `graphql:"b: body"`
	CreatedAt         time.Time  `graphql:"t: createdAt"`
	UpdatedAt         time.Time  `graphql:"u: updatedAt"`
	LastEditedAt      *time.Time `graphql:"e: lastEditedAt"`
}

// wireShown is what GitHub's interface Minimizable has.
type wireShown struct {
	IsMinimized     bool    `graphql:"m: isMinimized"`
	MinimizedReason *string `graphql:"mr: minimizedReason"`
}

// wireAddress is where a comment is found.
type wireAddress struct {
	Number graphql.BigInt `graphql:"d: fullDatabaseId"`
	URL    string         `graphql:"url"`
}

// wireComment is a comment of an issue or a pull request.
type wireComment struct {
	wireText
	wireShown
	wireAddress
}

// comment converts what every kind of comment has.
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
		URL:               w.URL,
		IsMinimized:       w.IsMinimized,
		MinimizedReason:   thread.MinimizedReason(w.MinimizedReason),
		VisibleAt:         w.CreatedAt.UTC(),
		OwnWork:           w.ViewerDidAuthor,
	}
	if number := ref.NumberOf(int64(w.Number), w.ID); number != 0 {
		comment.DatabaseID = &number
	}
	return comment
}

func comments(wires []wireComment) []thread.Comment {
	all := make([]thread.Comment, 0, len(wires))
	for _, wire := range wires {
		if wire.ID != "" { // a node of another type, or gone
			all = append(all, wire.comment())
		}
	}
	return all
}

// wireStub is a comment without its text.
type wireStub struct {
	wireMark
	CreatedAt time.Time `graphql:"t: createdAt"`
}

// wireMark is what tells one comment from another, and that its text changed.
type wireMark struct {
	ID       string         `graphql:"i: id"`
	Number   graphql.BigInt `graphql:"d: fullDatabaseId"`
	EditedAt *time.Time     `graphql:"e: lastEditedAt"`
}

func (w wireStub) stub() thread.Stub { return w.wireMark.stub(thread.KindComment, w.CreatedAt) }

// stub is the comment as one of a kind, which others can see since a time.
func (w wireMark) stub(kind thread.Kind, at time.Time) thread.Stub {
	return thread.Stub{ID: w.ID, Key: thread.Key{At: at.UTC(), Kind: kind, Number: w.number()}, EditedAt: utc(w.EditedAt)}
}

func (w wireMark) number() int64 { return ref.NumberOf(int64(w.Number), w.ID) }

func stubs(wires []wireStub) []thread.Stub {
	all := make([]thread.Stub, 0, len(wires))
	for _, wire := range wires {
		if wire.ID != "" {
			all = append(all, wire.stub())
		}
	}
	return all
}

// wireReactions are how many reacted in each way.
type wireReactions []struct {
	Content  string
	Reactors struct{ TotalCount int } `graphql:"reactors(first: 1)"`
}

// reactionNames are the reactions as the tools take them.
var reactionNames = map[string]string{
	"THUMBS_UP": "+1", "THUMBS_DOWN": "-1", "LAUGH": "laugh", "HOORAY": "hooray",
	"CONFUSED": "confused", "HEART": "heart", "ROCKET": "rocket", "EYES": "eyes",
}

// reactions are those that there are; nil without any.
func (w wireReactions) reactions() []thread.Reaction {
	var all []thread.Reaction
	for _, group := range w {
		if name := reactionNames[group.Content]; name != "" && group.Reactors.TotalCount > 0 {
			all = append(all, thread.Reaction{Content: name, Count: group.Reactors.TotalCount})
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
