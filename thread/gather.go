package thread

import (
	"context"
	"slices"
)

// found is what the requests of a reading by since_comment_id brought.
type found struct {
	comments []Comment       // new, in order
	cursors  []string        // their upstream cursors, when they are known
	replies  []NewestReplies // under comments that are not new
	older    []Stub          // comments that are not new
	scanned  StubPage        // the run of older stubs that reaches furthest back
	horizon  *Key            // what stands behind it waits for the next page
}

// entry is a new comment, or a new reply under a comment that is not new.
type entry struct {
	Comment
	parent string // of a reply
	cursor string
}

// gather fetches the rest of the replies and lays all that is new out in the
// thread's order.
func (r *run) gather(ctx context.Context, all found) error {
	replies, err := r.newReplies(ctx, all.replies, all.older)
	if err != nil {
		return err
	}
	if err := r.complete(ctx, all.comments); err != nil {
		return err
	}
	r.saw(latestOf(all.older)) // told, and no watermark: comments may have come since the first request
	r.deliverEntries(merged(all, replies))
	r.noteEdits(all.older)
	r.noteScan(all.scanned)
	r.reading.watermark = r.reading.began
	return nil
}

// merged is all that is new in the thread's order. Comments keep the order they
// came in, since a cursor goes on behind each; every reply stands before the
// first comment that is later.
func merged(all found, replies []entry) []entry {
	slices.SortStableFunc(replies, func(a, b entry) int { return a.key().Compare(b.key()) })
	if all.horizon != nil {
		replies = slices.DeleteFunc(replies, func(e entry) bool { return e.key().After(*all.horizon) })
	}
	entries := make([]entry, 0, len(replies)+len(all.comments))
	for i, comment := range all.comments {
		for len(replies) > 0 && !replies[0].key().After(comment.key()) {
			entries, replies = append(entries, replies[0]), replies[1:]
		}
		entry := entry{Comment: comment}
		if i < len(all.cursors) {
			entry.cursor = all.cursors[i]
		}
		entries = append(entries, entry)
	}
	return append(entries, replies...)
}

// newReplies are the replies that came after the last place delivered, under
// the comments of known and of older.
func (r *run) newReplies(ctx context.Context, known []NewestReplies, older []Stub) ([]entry, error) {
	parents := map[string]bool{}
	for _, replies := range known {
		parents[replies.ParentID] = true
	}
	for _, n := range []int{firstReplies, pageSize} {
		want := Want{Replies: n}
		for _, stub := range older {
			if r.hasNewReply(stub) && !parents[stub.ID] {
				parents[stub.ID] = true
				want.RepliesOf = append(want.RepliesOf, stub.ID)
			}
		}
		known = slices.DeleteFunc(known, func(replies NewestReplies) bool {
			again := len(replies.Nodes) < n && r.mayHaveMore(replies)
			if again {
				want.RepliesOf = append(want.RepliesOf, replies.ParentID)
			}
			return again
		})
		got, err := r.fetch(ctx, want)
		if err != nil {
			return nil, err
		}
		known = append(known, got.Replies...)
	}
	var entries []entry
	for _, replies := range known {
		nodes, err := r.allNew(ctx, replies)
		if err != nil {
			return nil, err
		}
		for _, reply := range nodes {
			entries = append(entries, entry{Comment: reply, parent: replies.ParentID})
		}
	}
	return entries, nil
}

// allNew are the replies of one comment that came after the last place
// delivered.
func (r *run) allNew(ctx context.Context, replies NewestReplies) ([]Comment, error) {
	nodes := replies.Nodes
	if r.mayHaveMore(replies) {
		more, err := r.source.MoreReplies(ctx, replies.ParentID, replies.TotalCount-len(nodes))
		if err != nil {
			return nil, err
		}
		nodes = mergeReplies(more, nodes)
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(reply Comment) bool { return !reply.key().After(*r.from.Last) }), nil
}

// deliverEntries makes items of what is new, in order.
func (r *run) deliverEntries(entries []entry) {
	last, upstream := r.from.Last, r.from.Upstream
	for i, entry := range entries {
		at, key := r.position(upstream, last), entry.key()
		switch {
		case entry.parent != "":
			r.deliverReply(entry.parent, entry.Comment, at, true)
		case i == 0 && r.from.Parent == entry.ID && r.from.From != nil:
			r.deliverRest(entry.Comment, at)
		default:
			r.deliverComment(entry.Comment, at)
		}
		if key.After(*last) {
			last = &key
		}
		if entry.cursor != "" {
			upstream = entry.cursor
		}
	}
}

// position is a place in this reading: behind last, the upstream going on
// from the given cursor.
func (r *run) position(upstream string, last *Key) Position {
	return Position{
		Anchor: r.from.Anchor, Top: r.from.Top, Last: last,
		Upstream: upstream, OlderBefore: r.from.OlderBefore, OlderLast: r.from.OlderLast,
	}
}

// noteEdits lists, on the first page, the older comments whose text changed
// since the anchor.
func (r *run) noteEdits(older []Stub) {
	if r.reading.start.Last != nil {
		return // a later page
	}
	seen := map[string]bool{}
	for _, stub := range older {
		if stub.EditedAt != nil && stub.EditedAt.After(r.from.Anchor.Key.At) && !seen[stub.ID] {
			seen[stub.ID] = true
			r.reading.Edited = append(r.reading.Edited, Edit{ID: stub.ID, LastEditedAt: *stub.EditedAt})
		}
	}
}

// noteScan says how far back new replies were looked for.
func (r *run) noteScan(scanned StubPage) {
	complete := !scanned.HasBefore
	r.reading.RepliesComplete = &complete
	if !complete {
		r.reading.repliesGoOn = &Position{Scan: true, Anchor: r.from.Anchor, Top: r.from.Top, Upstream: scanned.Start}
	}
}

// scan goes on looking for new replies under ever older comments.
func (r *run) scan(ctx context.Context) error {
	r.setAnchor(nil)
	page, err := r.source.Page(ctx, PageWant{Older: pageSize, OlderBefore: r.from.Upstream})
	if err != nil {
		return err
	}
	r.overview(page.Overview)
	var older []Stub
	scanned := page.Older
	for n := 1; ; n++ {
		r.learnStubs(scanned)
		older = append(older, scanned.Stubs...)
		if !scanned.HasBefore || n == scanPages || slices.ContainsFunc(scanned.Stubs, r.hasNewReply) {
			break
		}
		got, err := r.source.Fetch(ctx, Want{Older: pageSize, OlderBefore: scanned.Start})
		if err != nil {
			return err
		}
		scanned = got.Older
	}
	r.saw(latestOf(older))
	older = slices.DeleteFunc(older, func(stub Stub) bool { return stub.ID == r.from.Top })
	replies, err := r.newReplies(ctx, nil, older)
	if err != nil {
		return err
	}
	slices.SortStableFunc(replies, func(a, b entry) int { return a.key().Compare(b.key()) })
	for _, reply := range replies {
		at := Position{Scan: true, Anchor: r.from.Anchor, Top: r.from.Top, Upstream: r.from.Upstream, Last: r.from.Last}
		r.deliverReply(reply.parent, reply.Comment, at, false)
		key := reply.key()
		r.from.Last = &key
	}
	r.noteScan(scanned)
	r.reading.watermark = r.reading.began
	return nil
}

func byID(comments []Comment) map[string]Comment {
	found := make(map[string]Comment, len(comments))
	for _, comment := range comments {
		found[comment.ID] = comment
	}
	return found
}
