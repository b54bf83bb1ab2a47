package conversation

import (
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// The wire types are GitHub's GraphQL shapes. Names of one letter stand for
// what comes a hundred times in an answer: they halve its size.

type wireActor struct{ Login string }

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
	ID                string
	Author            *wireActor
	AuthorAssociation string
	ViewerDidAuthor   bool
	Body              string
	CreatedAt         time.Time
	UpdatedAt         time.Time
	LastEditedAt      *time.Time
}

// wireShown is what GitHub's interface Minimizable has.
type wireShown struct {
	IsMinimized     bool
	MinimizedReason *string
}

// wireAddress is where a comment is found.
type wireAddress struct {
	Number graphql.BigInt `graphql:"fullDatabaseId"`
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
	ID        string
	CreatedAt time.Time  `graphql:"t: createdAt"`
	EditedAt  *time.Time `graphql:"e: lastEditedAt"`
}

func (w wireStub) stub() thread.Stub {
	return thread.Stub{ID: w.ID, Key: keyOf(w.ID, thread.KindComment, w.CreatedAt), EditedAt: utc(w.EditedAt)}
}

// keyOf is the place of a comment in its thread. Its number is read from its
// id, which spares the most frequent answer a fifth of its size; where an id
// does not show it, ties of time keep GitHub's own order.
func keyOf(id string, kind thread.Kind, at time.Time) thread.Key {
	node, _ := ref.DecodeNodeID(id)
	return thread.Key{At: at.UTC(), Kind: kind, Number: node.DatabaseID}
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
