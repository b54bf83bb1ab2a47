package resolve

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// Want is a comment to find.
type Want struct {
	Repo  ref.Repo
	Field string // the argument that names the comment, for faults
	Value string // its value, in any spelling

	// Thread is the thread that the call names beside the comment; a Number of
	// 0 means none.
	Thread ref.Thread
}

// Comment is a comment that was found.
type Comment struct {
	ID         string
	Type       ref.CommentType
	DatabaseID int64
	Body       string
	CreatedAt  time.Time

	Thread   ref.Thread
	ThreadID string
	Locked   bool

	ParentID  string // the comment it replies to; "" when it is no reply
	LastReply Stamp  // the newest reply under it; zero when there is none
	OwnWork   bool   // the viewer wrote it
	Deleted   bool   // a tombstone: only its replies are left
}

// Stamp is a comment's id and when it was written.
type Stamp struct {
	ID        string
	CreatedAt time.Time
}

// wireThread is the thread of a comment.
type wireThread struct {
	ID         string
	Number     int
	Locked     bool
	Repository struct{ NameWithOwner string }
}

// wireNode is a node that may be a comment of any type.
type wireNode struct {
	Typename string      `graphql:"__typename"`
	Comment  wireComment `graphql:"... on Comment"`
	InThread wireDiscuss `graphql:"... on DiscussionComment"`
}

type wireComment struct {
	ID              string
	Body            string
	CreatedAt       time.Time
	ViewerDidAuthor bool
}

type wireDiscuss struct {
	DatabaseID int64                `graphql:"databaseId"`
	ReplyTo    *struct{ ID string } `graphql:"replyTo"`
	DeletedAt  *time.Time
	Discussion wireThread
	Replies    struct {
		Nodes []struct {
			ID        string
			CreatedAt time.Time
		}
	} `graphql:"replies(last: 1)"`
}

// Comment finds a comment by any spelling. It is NOT_FOUND when it is not in
// the repository, or not in the thread that the call names.
func (r *Resolver) Comment(ctx context.Context, want Want) (_ Comment, err error) {
	defer fault.Wrap(&err, "resolving %s", want.Field)
	id, err := r.web.ParseComment(want.Field, want.Value)
	if err != nil {
		return Comment{}, err
	}
	kind, err := want.typeOf(id)
	if err != nil {
		return Comment{}, err
	}
	in := want.Thread
	if in.Number == 0 && id.Thread != nil {
		in = *id.Thread
	}
	in.Repo = want.Repo
	nodeID, err := r.Find(ctx, in, kind, id)
	if err != nil {
		return Comment{}, err
	}
	if nodeID == "" {
		return Comment{}, want.absent()
	}
	var query struct {
		Node *wireNode `graphql:"node(id: $id)"`
	}
	notes, err := r.gh.Query(ctx, "Comment", &query, map[string]any{"id": graphql.ID(nodeID)})
	switch {
	case fault.Is(err, fault.NotFound):
		return Comment{}, want.absent().WithCause(err)
	case err != nil:
		return Comment{}, err
	case query.Node == nil:
		return Comment{}, notes.Fault("node", want.absent())
	}
	found := query.Node.comment()
	if !want.isMet(id, found) {
		return Comment{}, want.absent()
	}
	return found, nil
}

// typeOf is the type of the comment that the spelling, or the thread beside
// it, tells.
func (w Want) typeOf(id ref.Comment) (ref.CommentType, error) {
	switch {
	case id.Type != "":
		return id.Type, nil
	case id.NodeID != "":
		return "", nil
	case w.Thread.Number != 0 && w.Thread.Kind == ref.Discussion:
		return ref.DiscussionComment, nil
	case w.Thread.Number != 0:
		return ref.IssueComment, nil
	}
	return "", fault.New(fault.AmbiguousArguments, "%s is a bare number, which comments of several kinds may share", w.Field).
		WithFix("Pass the number of its thread beside it, or the comment's node id, anchor or URL.").With("argument", w.Field)
}

func (n *wireNode) comment() Comment {
	found := Comment{
		ID: n.Comment.ID, Type: ref.CommentType(n.Typename),
		Body: n.Comment.Body, CreatedAt: n.Comment.CreatedAt.UTC(), OwnWork: n.Comment.ViewerDidAuthor,
	}
	if found.Type == ref.DiscussionComment {
		found.DatabaseID = ref.NumberOf(n.InThread.DatabaseID, found.ID)
		found.Deleted = n.InThread.DeletedAt != nil
		found.in(ref.Discussion, n.InThread.Discussion)
		if n.InThread.ReplyTo != nil {
			found.ParentID = n.InThread.ReplyTo.ID
		}
		for _, reply := range n.InThread.Replies.Nodes {
			found.LastReply = Stamp{ID: reply.ID, CreatedAt: reply.CreatedAt.UTC()}
		}
	}
	return found
}

func (c *Comment) in(kind ref.Kind, thread wireThread) {
	owner, name, _ := strings.Cut(thread.Repository.NameWithOwner, "/")
	c.Thread = ref.Thread{Repo: ref.Repo{Owner: owner, Name: name}, Kind: kind, Number: thread.Number}
	c.ThreadID, c.Locked = thread.ID, thread.Locked
}

// isMet reports whether what came back is what was asked for.
func (w Want) isMet(id ref.Comment, found Comment) bool {
	if found.ID == "" || found.ThreadID == "" || !w.Repo.Equal(found.Thread.Repo) {
		return false
	}
	if id.NodeID == "" && id.DatabaseID != found.DatabaseID {
		return false
	}
	return (w.Thread.Number == 0 || sameThread(w.Thread, found.Thread)) && (id.Thread == nil || sameThread(*id.Thread, found.Thread))
}

// sameThread compares what a caller named with where a comment is. The URL of
// an organization's discussion names no repository, and issues and pull
// requests share their numbers.
func sameThread(named, found ref.Thread) bool {
	if named.Repo.Name != "" && !named.Repo.Equal(found.Repo) {
		return false
	}
	return named.Number == found.Number && (named.Kind == ref.Discussion) == (found.Kind == ref.Discussion)
}

func (w Want) absent() *fault.Error {
	where := w.Repo.String()
	if w.Thread.Number != 0 {
		where = fmt.Sprintf("%s #%d in %s", strings.ReplaceAll(string(w.Thread.Kind), "_", " "), w.Thread.Number, where)
	}
	return fault.New(fault.NotFound, "%s names no comment of %s that this token can see", w.Field, where).
		WithFix("Take the id from a read of the conversation, or from a hand-off.").With("argument", w.Field)
}
