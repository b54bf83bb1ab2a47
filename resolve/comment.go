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

	ReviewID string // of a review, and of an inline comment the review it is in
	Pending  bool   // only the viewer can see it: its review is not submitted yet

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
	OnIssue  wireOnIssue `graphql:"... on IssueComment"`
	Review   wireReview  `graphql:"... on PullRequestReview"`
	Inline   wireInline  `graphql:"... on PullRequestReviewComment"`
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

// wireFull is the number of what issues and pull requests hold; their databaseId
// is null above 2^31.
type wireFull struct {
	Number graphql.BigInt `graphql:"fullDatabaseId"`
}

// wireOnIssue is a comment of an issue, or of a pull request, which has an
// issue of its own then.
type wireOnIssue struct {
	wireFull
	Issue wireThread
	Pull  *wireThread `graphql:"onPull: pullRequest"`
}

type wireReview struct {
	wireFull
	State string     `graphql:"reviewState: state"`
	Pull  wireThread `graphql:"pullRequest"`
}

// wireInline is an inline comment of a review; its replyTo and pullRequest are
// selected by the fragments before it, too.
type wireInline struct {
	wireFull
	Pull     wireThread           `graphql:"pullRequest"`
	ReplyTo  *struct{ ID string } `graphql:"replyTo"`
	InReview *struct {
		ID    string
		State string
	} `graphql:"pullRequestReview"`
}

// pendingState is that of a review that only its author can see.
const pendingState = "PENDING"

// Comment finds a comment by any spelling. It is NOT_FOUND when it is not in
// the repository, or not in the thread that the call names, and
// AMBIGUOUS_ARGUMENTS when a bare number is that of several remarks there.
func (r *Resolver) Comment(ctx context.Context, want Want) (_ Comment, err error) {
	defer fault.Wrap(&err, "resolving %s", want.Field)
	id, err := r.web.ParseComment(want.Field, want.Value)
	if err != nil {
		return Comment{}, err
	}
	nodeIDs, err := r.nodeIDs(ctx, want, id)
	if err != nil {
		return Comment{}, err
	}
	if len(nodeIDs) == 0 {
		return Comment{}, want.absent()
	}
	found, notes, err := r.askNodes(ctx, want, id, nodeIDs)
	if err == nil && len(found) == 0 && id.NodeID == "" {
		found, err = r.lookFor(ctx, want, id)
	}
	switch {
	case err != nil:
		return Comment{}, err
	case len(found) == 0:
		return Comment{}, notes.Fault("nodes", want.absent())
	case len(found) > 1:
		return Comment{}, want.ambiguous(found)
	}
	return found[0], nil
}

// lookFor looks for a number in the thread that the call names, where the id
// that was built of it is not there.
func (r *Resolver) lookFor(ctx context.Context, want Want, id ref.Comment) ([]Comment, error) {
	in := want.Thread
	if in.Number == 0 && id.Thread != nil {
		in = *id.Thread
	}
	kinds, err := want.typesOf(id)
	if err != nil || in.Number == 0 {
		return nil, err
	}
	in.Repo = want.Repo
	var nodeIDs []graphql.ID
	for _, kind := range kinds {
		nodeID, err := r.scan(ctx, in, kind, id.DatabaseID)
		if err != nil {
			return nil, err
		}
		if nodeID != "" {
			nodeIDs = append(nodeIDs, graphql.ID(nodeID))
		}
	}
	if len(nodeIDs) == 0 {
		return nil, nil
	}
	found, _, err := r.askNodes(ctx, want, id, nodeIDs)
	return found, err
}

// askNodes asks for nodes, and keeps those that are what the call wants.
func (r *Resolver) askNodes(ctx context.Context, want Want, id ref.Comment, nodeIDs []graphql.ID) ([]Comment, graphql.Notes, error) {
	var query struct {
		Nodes []*wireNode `graphql:"nodes(ids: $ids)"`
	}
	notes, err := r.gh.Query(ctx, "Comment", &query, map[string]any{"ids": nodeIDs})
	if fault.Is(err, fault.NotFound) {
		return nil, notes, nil
	}
	if err != nil {
		return nil, notes, err
	}
	var found []Comment
	for _, node := range query.Nodes {
		if node == nil {
			continue
		}
		if comment := node.comment(); want.isMet(id, comment) {
			found = append(found, comment)
		}
	}
	return found, notes, nil
}

// nodeIDs are the node ids that the spelling may mean: several for a bare
// number beside an issue or a pull request, whose remarks are of three types.
func (r *Resolver) nodeIDs(ctx context.Context, want Want, id ref.Comment) ([]graphql.ID, error) {
	kinds, err := want.typesOf(id)
	if err != nil {
		return nil, err
	}
	in := want.Thread
	if in.Number == 0 && id.Thread != nil {
		in = *id.Thread
	}
	in.Repo = want.Repo
	var all []graphql.ID
	for _, kind := range kinds {
		nodeID, err := r.Find(ctx, in, kind, id)
		if err != nil {
			return nil, err
		}
		if nodeID != "" {
			all = append(all, graphql.ID(nodeID))
		}
	}
	return all, nil
}

// typesOf are the types that the comment may have, as the spelling or the
// thread beside it tells.
func (w Want) typesOf(id ref.Comment) ([]ref.CommentType, error) {
	switch {
	case id.Type != "":
		return []ref.CommentType{id.Type}, nil
	case id.NodeID != "":
		return []ref.CommentType{""}, nil
	case w.Thread.Number != 0 && w.Thread.Kind == ref.Discussion:
		return []ref.CommentType{ref.DiscussionComment}, nil
	case w.Thread.Number != 0:
		return []ref.CommentType{ref.IssueComment, ref.PullRequestReview, ref.PullRequestReviewComment}, nil
	}
	return nil, fault.New(fault.AmbiguousArguments, "%s is a bare number, which comments of several kinds may share", w.Field).
		WithFix("Pass the number of its thread beside it, or the comment's node id, anchor or URL.").With("argument", w.Field)
}

// ambiguous is the fault for a number that several remarks of one pull request
// have.
func (w Want) ambiguous(found []Comment) error {
	var spellings []string
	for _, comment := range found {
		spellings = append(spellings, ref.Comment{Type: comment.Type, DatabaseID: comment.DatabaseID}.String())
	}
	return fault.New(fault.AmbiguousArguments, "%s is the number of %d remarks of different kinds there", w.Field, len(found)).
		WithFix("Pass the one that is meant: %s.", strings.Join(spellings, " or ")).
		With("argument", w.Field).With("candidates", spellings)
}

func (n *wireNode) comment() Comment {
	found := Comment{
		ID: n.Comment.ID, Type: ref.CommentType(n.Typename), DatabaseID: ref.NumberOf(int64(n.OnIssue.Number), n.Comment.ID),
		Body: n.Comment.Body, CreatedAt: n.Comment.CreatedAt.UTC(), OwnWork: n.Comment.ViewerDidAuthor,
	}
	switch found.Type {
	case ref.DiscussionComment:
		found.inDiscussion(n.InThread)
	case ref.IssueComment:
		found.in(ref.Issue, n.OnIssue.Issue)
		if n.OnIssue.Pull != nil {
			found.in(ref.PullRequest, *n.OnIssue.Pull)
		}
	case ref.PullRequestReview:
		found.in(ref.PullRequest, n.Review.Pull)
		found.ReviewID, found.Pending = found.ID, n.Review.State == pendingState
	case ref.PullRequestReviewComment:
		found.inReview(n.Inline)
	}
	return found
}

func (c *Comment) inDiscussion(w wireDiscuss) {
	c.DatabaseID, c.Deleted = ref.NumberOf(w.DatabaseID, c.ID), w.DeletedAt != nil
	c.in(ref.Discussion, w.Discussion)
	if w.ReplyTo != nil {
		c.ParentID = w.ReplyTo.ID
	}
	for _, reply := range w.Replies.Nodes {
		c.LastReply = Stamp{ID: reply.ID, CreatedAt: reply.CreatedAt.UTC()}
	}
}

func (c *Comment) inReview(w wireInline) {
	c.in(ref.PullRequest, w.Pull)
	if w.ReplyTo != nil {
		c.ParentID = w.ReplyTo.ID
	}
	if w.InReview != nil {
		c.ReviewID, c.Pending = w.InReview.ID, w.InReview.State == pendingState
	}
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
