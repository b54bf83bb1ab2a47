package page

import (
	"slices"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// ParseTime reads an argument that is an RFC 3339 time or a date; "" is the
// zero time. Anything else is INVALID_ARGUMENTS.
func ParseTime(argument, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, value); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fault.New(fault.InvalidArguments, "%s is neither an RFC 3339 time nor a date", argument).
		WithFix("Write it as 2026-01-31T00:00:00Z or 2026-01-31.").With("argument", argument)
}

// Trail is what a list has to know of its call to be cut after any row and
// continued there.
type Trail struct {
	Binding Binding
	Next    func(cursor string) any // the call with that cursor
	Start   ListPosition            // where this page started
	Ends    []string                // the upstream cursor behind each row
	More    bool                    // there are rows behind the last one

	// Rest is where to go on when it is not behind the last row, because what
	// was looked at behind it did not belong to the list.
	Rest string
}

// ListPosition is where a list goes on: behind an upstream cursor, and Offset
// bytes into the body of the row there.
type ListPosition struct {
	After  string `json:"a,omitempty"`
	Offset int    `json:"o,omitempty"`
	Fitted int    `json:"f,omitempty"` // rows of the page before, when the budget cut it
}

// Open reads the cursor of a call; "" is the start.
func (t *Trail) Open(cursor string) error {
	if cursor == "" {
		return nil
	}
	return t.Binding.Open(cursor, &t.Start)
}

// Limit is how many rows to ask for: those that the call wants, or a little
// more than the byte budget let through the last time.
func (t *Trail) Limit(wanted int) int {
	if fitted := t.Start.Fitted; fitted > 0 {
		return min(wanted, fitted+fitted/4+2)
	}
	return wanted
}

// Cut makes the head that of the first n rows.
func (t *Trail) Cut(head *Head, n int) {
	head.Count = n
	switch {
	case n == len(t.Ends) && t.Rest != "":
		t.goOn(head, ListPosition{After: t.Rest})
	case n > 0 && n < len(t.Ends):
		t.goOn(head, ListPosition{After: t.Ends[n-1], Fitted: n})
	case n > 0 && t.More:
		t.goOn(head, ListPosition{After: t.Ends[n-1]})
	}
}

// CutInside makes the head that of a first row whose body goes on after offset
// bytes.
func (t *Trail) CutInside(head *Head, offset int) {
	head.Count = 1
	t.goOn(head, ListPosition{After: t.Start.After, Offset: offset, Fitted: 1})
}

func (t *Trail) goOn(head *Head, position ListPosition) {
	cursor := t.Binding.Seal(position)
	head.Continues(cursor, t.Next(cursor))
}

// SlicedBody is a text that may come in slices; nil is left out.
type SlicedBody struct {
	Body          *string `json:"body,omitempty"`
	BodyTruncated bool    `json:"bodyTruncated,omitempty"`
	BodyBytes     int     `json:"bodyBytes,omitempty"`
	BodyOffset    int     `json:"bodyOffset,omitempty"`
}

// Slice leaves n bytes from offset on (-1: all that follow), cut between
// characters, and returns where they end. Where the text changed so that
// offset is no longer between characters, it starts over.
func (b *SlicedBody) Slice(offset, n int) int {
	if b.Body == nil || offset == 0 && n < 0 {
		return 0
	}
	text := *b.Body
	if offset >= len(text) || CutText(text, offset) != text[:offset] {
		offset = 0
	}
	part := text[offset:]
	if n >= 0 {
		part = CutText(part, n)
	}
	end := offset + len(part)
	b.Body, b.BodyOffset, b.BodyBytes, b.BodyTruncated = &part, offset, len(text), end < len(text)
	return end
}

// Keep is the first n rows, with the head for those. body is a row's text.
func Keep[R any](t *Trail, head *Head, rows []R, n int, body func(*R) *SlicedBody) []R {
	kept := slices.Clone(rows[:n:n])
	if n > 0 {
		body(&kept[0]).Slice(t.Start.Offset, -1)
	}
	t.Cut(head, n)
	return kept
}

// Slice is the first row with at most n bytes more of its text, with the head
// for that; nil when it has no text, or not one character fits.
func Slice[R any](t *Trail, head *Head, rows []R, n int, body func(*R) *SlicedBody) []R {
	if len(rows) == 0 || body(&rows[0]).Body == nil {
		return nil
	}
	kept := slices.Clone(rows[:1:1])
	end := body(&kept[0]).Slice(t.Start.Offset, n)
	if end <= t.Start.Offset {
		return nil
	}
	t.CutInside(head, end)
	return kept
}
