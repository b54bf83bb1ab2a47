package thread

import (
	"context"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// A Source brings the comments of one thread. Its cursors are the upstream's
// and opaque here. Top-level comments come with their replies; those that were
// left behind by a bound of the upstream are fetched with MoreReplies.
type Source interface {
	// One reads one comment by its id. Found is nil when the comment is not
	// in this thread.
	One(ctx context.Context, id ref.Comment) (One, error)

	// Page reads top-level comments from one end.
	Page(ctx context.Context, want PageWant) (Page, error)

	// Since reads what tells what is new after anchor: the anchor, the newest
	// comments with their bodies, and the newest stubs.
	Since(ctx context.Context, anchor ref.Comment) (Since, error)

	// Search reads stubs from both ends of the thread at once, between the two
	// cursors, with a cursor each. It looks for the place of an anchor.
	Search(ctx context.Context, after, before string) (front, back StubPage, err error)

	// Fetch reads what is still missing, in one request.
	Fetch(ctx context.Context, want Want) (Got, error)

	// MoreReplies reads the first n replies under a comment, oldest first.
	MoreReplies(ctx context.Context, commentID string, n int) ([]Comment, error)
}

// Overview is what every answer of a source tells about its thread.
type Overview struct {
	Total  int    // top-level comments
	Newest []Stub // the newest few top-level comments, with their newest reply
}

// One is a comment in its thread.
type One struct {
	Overview
	Found   *Comment  // the comment; for a reply its parent, without replies
	Reply   *Comment  // the reply, when the id was one
	Carried []Comment // what it carries, in order: the inline comments of a review
}

// PageWant asks for First comments after After, or for the Last ones before
// Before; a cursor of "" is that end of the thread. With neither, no comments
// are read.
type PageWant struct {
	First, Last   int
	After, Before string

	// WithID puts the comment of that id in front of the page.
	WithID string

	// Older asks for that many stubs before the cursor OlderBefore, and for the
	// stubs of the comments StubsOf.
	Older       int
	OlderBefore string
	StubsOf     []string

	// Root asks for the thread's own body.
	Root bool
}

// Page is a run of top-level comments.
type Page struct {
	Overview
	Comments           []Comment
	Cursors            []string // of each comment; nil when only the ends are known
	Start, End         string   // cursors of the first and the last comment
	HasBefore, HasMore bool     // there are comments before and behind
	Older              StubPage
	Stubs              []Stub
}

// Since is what tells what is new after an anchor.
type Since struct {
	Total  int
	Anchor *Anchor   // nil: the anchor is not in this thread
	Newest []Comment // the newest few, with their newest replies
	Tail   StubPage  // the newest hundred

	// FarEnough says that there is no reason to look at comments before the
	// tail: nothing here has replies, and the tail reaches the anchor.
	FarEnough bool
}

// Anchor is the comment after which to read.
type Anchor struct {
	Stub
	Parent *Stub // the comment it is under, when it is a reply
}

// Top is the top-level comment the anchor is or is under.
func (a Anchor) Top() Stub {
	if a.Parent != nil {
		return *a.Parent
	}
	return a.Stub
}

// StubPage is a run of stubs in the order of the thread.
type StubPage struct {
	Stubs      []Stub
	Start, End string // cursors of the first and the last stub
	HasBefore  bool
	HasMore    bool
}

// Want is what a reading still misses.
type Want struct {
	Comments    []string // ids of top-level comments, at most 100
	RepliesOf   []string // ids of comments whose newest replies are wanted, at most 100
	Replies     int      // how many replies of each
	Older       int      // how many stubs before the cursor OlderBefore
	OlderBefore string
}

func (w Want) isEmpty() bool { return len(w.Comments) == 0 && len(w.RepliesOf) == 0 && w.Older == 0 }

// Got answers a Want. A comment that is gone meanwhile is left out.
type Got struct {
	Comments []Comment
	Replies  []NewestReplies
	Older    StubPage
}

// NewestReplies are the newest replies under one comment.
type NewestReplies struct {
	ParentID   string
	TotalCount int
	Nodes      []Comment
	AllHere    bool // see Replies
}
