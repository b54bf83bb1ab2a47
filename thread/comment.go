// Package thread holds a conversation and the rules for reading part of it:
// its order, its selectors, its watermark and its pages.
//
// It promises that a caller who passes the watermark of one answer on to the
// next misses nothing, whatever the length of the thread and whatever the
// byte budget cut off. It knows nothing of GraphQL, MCP or trust: a Source
// brings the comments, in this package's words.
package thread

import (
	"strings"
	"time"
)

// Kind is what a node of a conversation is.
type Kind string

// The kinds, in the order in which ties of time are decided.
const (
	KindComment       Kind = "comment"        // a top-level comment
	KindReview        Kind = "review"         // the body of a pull request review
	KindReviewComment Kind = "review_comment" // an inline remark of a review
	KindReply         Kind = "reply"          // a reply under a discussion comment
)

// Actor is an account.
type Actor struct {
	Login string `json:"login"`
}

// Ghost stands for every account that is gone.
const Ghost = "ghost"

// ActorOf is the account with the given login; "" is the ghost.
func ActorOf(login string) Actor {
	if login == "" {
		login = Ghost
	}
	return Actor{Login: login}
}

// MinimizedReason is the reason of a minimized comment in the words that the
// tools take: GitHub writes it in several ways.
func MinimizedReason(github *string) string {
	if github == nil {
		return ""
	}
	return strings.ReplaceAll(strings.ToLower(*github), "-", "_")
}

// Comment is one thing that was said.
type Comment struct {
	ID                string     `json:"id"`
	DatabaseID        *int64     `json:"databaseId"`
	Kind              Kind       `json:"kind"`
	ParentID          string     `json:"parentId,omitempty"` // only among new replies
	Author            Actor      `json:"author"`
	AuthorAssociation string     `json:"authorAssociation"`
	AuthorTrust       string     `json:"authorTrust"`
	Body              string     `json:"body"`
	BodyTruncated     bool       `json:"bodyTruncated,omitempty"`
	BodyBytes         int        `json:"bodyBytes,omitempty"`
	BodyOffset        int        `json:"bodyOffset,omitempty"`
	CreatedAt         time.Time  `json:"createdAt"`
	UpdatedAt         time.Time  `json:"updatedAt"`
	LastEditedAt      *time.Time `json:"lastEditedAt,omitempty"`
	DeletedAt         *time.Time `json:"deletedAt,omitempty"`
	URL               string     `json:"url"`
	IsMinimized       bool       `json:"isMinimized"`
	MinimizedReason   string     `json:"minimizedReason,omitempty"`

	*InDiscussion // discussions only
	*AsReview     // reviews only
	*AsRemark     // inline comments only

	Reactions []Reaction `json:"reactions,omitempty"` // of a comment that was asked for alone

	VisibleAt time.Time `json:"-"` // when others could first see it
	OwnWork   bool      `json:"-"` // the viewer wrote it
	Hidden    bool      `json:"-"` // only the viewer can see it yet; never a watermark
}

// InDiscussion is what only a discussion's comments have.
type InDiscussion struct {
	IsAnswer  bool     `json:"isAnswer"`
	ReplyToID *string  `json:"replyToId"`
	Replies   *Replies `json:"replies,omitempty"` // nil for a reply
}

// AsReview is what only a pull request's reviews have.
type AsReview struct {
	ReviewState string     `json:"reviewState"`
	SubmittedAt *time.Time `json:"submittedAt"` // nil while it is pending
}

// AsRemark is what only the inline comments of a review have.
type AsRemark struct {
	Path        string  `json:"path"`
	Line        *int    `json:"line"` // nil when it is gone, or of the whole file
	StartLine   *int    `json:"startLine,omitempty"`
	Side        string  `json:"side"`
	ThreadID    string  `json:"threadId"`
	IsResolved  bool    `json:"isResolved"`
	IsOutdated  bool    `json:"isOutdated"`
	InReplyToID *string `json:"inReplyToId"`
	Pending     bool    `json:"pending,omitempty"`
}

// Reaction is how many reacted in one way.
type Reaction struct {
	Content string `json:"content"`
	Count   int    `json:"count"`
}

// Replies are the replies under a comment.
type Replies struct {
	TotalCount int       `json:"totalCount"`
	Nodes      []Comment `json:"nodes"`

	// AllHere says that GitHub lists no more than came, whatever it counts: it
	// counts some that it does not list.
	AllHere bool `json:"-"`
}

// Nodes are top-level comments.
type Nodes struct {
	Nodes []Comment `json:"nodes"`
}

// Edit says that a comment's text changed.
type Edit struct {
	ID           string    `json:"id"`
	LastEditedAt time.Time `json:"lastEditedAt"`
}

// replies are the replies that came with the comment.
func (c *Comment) replies() []Comment {
	if c.InDiscussion == nil || c.Replies == nil {
		return nil
	}
	return c.Replies.Nodes
}

// withReplies is a copy of the comment that holds only the given replies.
func (c Comment) withReplies(replies []Comment) Comment {
	if c.InDiscussion == nil || c.Replies == nil {
		return c
	}
	if replies == nil {
		replies = []Comment{} // an empty list is never null
	}
	facts := *c.InDiscussion
	facts.Replies = &Replies{TotalCount: c.Replies.TotalCount, Nodes: replies}
	c.InDiscussion = &facts
	return c
}

// stub is the comment without its text.
func (c *Comment) stub() Stub {
	stub := Stub{ID: c.ID, Key: c.key(), EditedAt: c.LastEditedAt, Hidden: c.Hidden}
	for _, reply := range c.replies() {
		if last := reply.stub(); stub.LastReply == nil || last.Key.After(stub.LastReply.Key) {
			stub.LastReply = &last
		}
	}
	return stub
}

func (c *Comment) key() Key {
	key := Key{At: c.VisibleAt, Kind: c.Kind}
	if c.DatabaseID != nil {
		key.Number = *c.DatabaseID
	}
	return key
}
