package conversation

import (
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// spot is a cursor into a pull request's conversation: a place in its order,
// and where that is among the comments that GitHub pages through.
type spot struct {
	key    thread.Key
	after  string // cursor of the last comment at or before the place; "" when there is none
	before string // cursor of the first comment at or behind it; "" when there is none
}

// String is the spot as package thread holds it.
func (s spot) String() string {
	key, _ := s.key.MarshalText() // never fails
	if s.after == s.before {
		return string(key) + " " + s.after
	}
	return string(key) + " " + s.after + " " + s.before
}

// parseSpot reads a spot; nil for "", an end of the conversation.
func parseSpot(cursor string) (*spot, error) {
	if cursor == "" {
		return nil, nil
	}
	parts := strings.Split(cursor, " ")
	refused := fault.New(fault.InvalidArguments, "cursor does not belong to this call").
		WithFix("Pass the arguments of the earlier answer's next as they are, or start again without cursor.").With("argument", "cursor")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, refused
	}
	at := &spot{after: parts[1], before: parts[len(parts)-1]}
	if err := at.key.UnmarshalText([]byte(parts[0])); err != nil {
		return nil, refused.WithCause(err)
	}
	return at, nil
}

// entry is one remark of a pull request with its spot.
type entry struct {
	remark
	spot spot
}

// comment is a comment of a run, with its upstream cursor.
type placedComment struct {
	thread.Stub
	cursor string
}

// run is a run of comments between two spots, nil being an end.
type run struct {
	comments           []placedComment
	from, to           *spot
	hasBefore, hasMore bool // there are comments before and behind, within the spots

	// first is the cursor of the first comment that came, when some may have
	// been left out since they were not there when the spot was noted.
	first string
}

// merge lays the comments of a run and the remarks of the spine that belong
// among them out in the thread's order.
//
// Where GitHub has comments before or behind the run, remarks beyond its ends
// are left out, and so are comments before which the spine is not known: what
// stands between is not known.
func (r run) merge(spine *spine) []entry {
	var after, before *thread.Key
	if r.from != nil {
		after = &r.from.key
	}
	if r.to != nil {
		before = &r.to.key
	}
	if n := len(r.comments); n > 0 && r.hasBefore {
		after = &r.comments[0].Key
	}
	if n := len(r.comments); n > 0 && r.hasMore {
		before = &r.comments[n-1].Key
	}
	last := "" // cursor of the comment before
	if r.from != nil {
		last = r.from.after
	}
	for len(r.comments) > 0 && spine.from != nil && !r.comments[0].Key.After(*spine.from) {
		last, r.comments = r.comments[0].cursor, r.comments[1:]
	}
	if spine.from != nil && (after == nil || spine.from.After(*after)) {
		after = spine.from
	}
	remarks := spine.between(after, before)
	entries := make([]entry, 0, len(r.comments)+len(remarks))
	for len(r.comments) > 0 || len(remarks) > 0 {
		if len(remarks) == 0 || len(r.comments) > 0 && remarks[0].Key.After(r.comments[0].Key) {
			last = r.comments[0].cursor
			entries = append(entries, entry{remark{Stub: r.comments[0].Stub}, spot{r.comments[0].Key, last, last}})
			r.comments = r.comments[1:]
			continue
		}
		next := ""
		switch {
		case len(r.comments) > 0:
			next = r.comments[0].cursor
		case r.to != nil:
			next = r.to.before
		}
		entries = append(entries, entry{remarks[0], spot{remarks[0].Key, last, next}})
		remarks = remarks[1:]
	}
	return entries
}

// firstOf cuts entries behind the first n that are certainly shown; more
// reports whether any were cut.
func firstOf(entries []entry, n int) (kept []entry, more bool) {
	certain := 0
	for i, entry := range entries {
		if certain == n {
			return entries[:i], true
		}
		if !entry.wraps {
			certain++
		}
	}
	return entries, false
}

// lastOf cuts entries before the last n that are certainly shown, and those
// next to them that may be; more reports whether any were cut, and so, whether
// more is shown.
func lastOf(entries []entry, n int) (kept []entry, more bool) {
	certain := 0
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].wraps {
			continue
		}
		if certain == n {
			return entries[i+1:], true
		}
		certain++
	}
	return entries, false
}

// certain is how many of the entries are certainly shown.
func certain(entries []entry) (n int) {
	for _, entry := range entries {
		if !entry.wraps {
			n++
		}
	}
	return n
}

// stubPage is a run of entries as package thread takes it.
func stubPage(entries []entry, hasBefore, hasMore bool) thread.StubPage {
	page := thread.StubPage{HasBefore: hasBefore, HasMore: hasMore}
	for _, entry := range entries {
		stub := entry.Stub
		stub.Cursor = entry.spot.String()
		page.Stubs = append(page.Stubs, stub)
	}
	if n := len(entries); n > 0 {
		page.Start, page.End = entries[0].spot.String(), entries[n-1].spot.String()
	}
	return page
}
