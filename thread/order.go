package thread

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Key is a comment's place in its thread: by the time it became visible, then
// by kind, then by its number. No two comments share one.
type Key struct {
	At     time.Time
	Kind   Kind
	Number int64
}

// kinds decide ties of time, in this order.
var kinds = []Kind{KindComment, KindReview, KindReviewComment, KindReply}

func (k Kind) rank() int { return slices.Index(kinds, k) }

// Compare is negative, zero or positive as k stands before, on or after other.
func (k Key) Compare(other Key) int {
	return cmp.Or(k.At.Compare(other.At), cmp.Compare(k.Kind.rank(), other.Kind.rank()), cmp.Compare(k.Number, other.Number))
}

// After reports whether k stands behind other.
func (k Key) After(other Key) bool { return k.Compare(other) > 0 }

// MarshalText is the key as cursors hold it: short, because a cursor holds
// several.
func (k Key) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s.%d.%s", strconv.FormatInt(k.At.UnixMicro(), 36), k.Kind.rank(), strconv.FormatInt(k.Number, 36)), nil
}

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ".")
	if len(parts) != 3 {
		return fmt.Errorf("%q is no key", text)
	}
	micros, errAt := strconv.ParseInt(parts[0], 36, 64)
	kind, errKind := strconv.Atoi(parts[1])
	number, errNumber := strconv.ParseInt(parts[2], 36, 64)
	if err := errors.Join(errAt, errKind, errNumber); err != nil {
		return err
	}
	if kind < 0 || kind >= len(kinds) {
		return fmt.Errorf("%q is no key", text)
	}
	*k = Key{At: time.UnixMicro(micros).UTC(), Kind: kinds[kind], Number: number}
	return nil
}

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
	Hidden    bool   // only the viewer can see it yet; never a watermark
}

func (s Stub) mark() Mark { return Mark{ID: s.ID, Key: s.Key} }

// newest is the last of a stub and its newest reply.
func (s Stub) newest() Mark {
	if s.LastReply != nil && s.LastReply.Key.After(s.Key) {
		return s.LastReply.mark()
	}
	return s.mark()
}

// latest is the last of the marks, of equal ones the one given last; nil when
// there is none.
func latest(marks ...*Mark) *Mark {
	var last *Mark
	for _, mark := range marks {
		if mark != nil && (last == nil || !last.Key.After(mark.Key)) {
			last = mark
		}
	}
	return last
}

// latestOf is the newest comment or reply among stubs that others can see; nil
// when there is none.
func latestOf(stubs []Stub) *Mark {
	var last *Mark
	for _, stub := range stubs {
		if stub.Hidden {
			continue
		}
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
