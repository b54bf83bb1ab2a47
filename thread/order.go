package thread

import (
	"cmp"
	"slices"
	"time"
)

// Key is a comment's place in its thread: by the time it became visible, then
// by kind, then by its number. No two comments share one.
type Key struct {
	At     time.Time `json:"t"`
	Kind   Kind      `json:"k"`
	Number int64     `json:"n"`
}

var rank = map[Kind]int{KindComment: 0, KindReview: 1, KindReviewComment: 2, KindReply: 3}

// Compare is negative, zero or positive as k stands before, on or after other.
func (k Key) Compare(other Key) int {
	return cmp.Or(k.At.Compare(other.At), cmp.Compare(rank[k.Kind], rank[other.Kind]), cmp.Compare(k.Number, other.Number))
}

// After reports whether k stands behind other.
func (k Key) After(other Key) bool { return k.Compare(other) > 0 }

// Mark is a comment's id with its place.
type Mark struct {
	ID  string `json:"i"`
	Key Key    `json:"k"`
}

// Stub is a comment without its text.
type Stub struct {
	ID        string
	Key       Key
	EditedAt  *time.Time
	LastReply *Stub  // the newest reply under it; nil when none
	Cursor    string // its upstream cursor; "" when not known
}

func (s Stub) mark() Mark { return Mark{ID: s.ID, Key: s.Key} }

// newest is the last of a stub and its newest reply.
func (s Stub) newest() Mark {
	if s.LastReply != nil && s.LastReply.Key.After(s.Key) {
		return s.LastReply.mark()
	}
	return s.mark()
}

// latest is the last of the marks; nil when there is none.
func latest(marks ...*Mark) *Mark {
	var last *Mark
	for _, mark := range marks {
		if mark != nil && (last == nil || mark.Key.After(last.Key)) {
			last = mark
		}
	}
	return last
}

// latestOf is the newest comment or reply among stubs; nil when there is none.
func latestOf(stubs []Stub) *Mark {
	var last *Mark
	for _, stub := range stubs {
		mark := stub.newest()
		last = latest(last, &mark)
	}
	return last
}

// sortComments puts comments into the thread's order. Comments whose keys
// GitHub left equal keep the order GitHub gave them.
func sortComments(comments []Comment) {
	slices.SortStableFunc(comments, func(a, b Comment) int { return a.key().Compare(b.key()) })
}

func stubsOf(comments []Comment) []Stub {
	stubs := make([]Stub, len(comments))
	for i := range comments {
		stubs[i] = comments[i].stub()
	}
	return stubs
}
