package thread

import (
	"context"
	"slices"
)

// since reads what came after an anchor. What is new is merged in the
// thread's order: later top-level comments with their replies, and later
// replies under comments that are not new.
func (r *run) since(ctx context.Context) error {
	if r.from.Scan {
		return r.scan(ctx)
	}
	if r.from.Upstream != "" {
		return r.far(ctx)
	}
	since, err := r.source.Since(ctx, r.reading.Selector.Ref)
	if err != nil {
		return err
	}
	r.learnStubs(since.Tail)
	if since.Anchor != nil || r.from.Anchor != nil {
		r.setAnchor(since.Anchor)
	}
	r.overview(Overview{Total: since.Total, Newest: since.Tail.Stubs}, since.Newest...)
	if r.from.Anchor == nil {
		r.reading.Found = false
		return nil
	}
	cursor := r.memo.cursor(r.thread, r.from.Anchor.ID)
	if r.startsAfterAnchor(since.Tail) && cursor != "" {
		r.from.Upstream, r.from.OlderBefore, r.from.OlderLast = cursor, cursor, r.from.Anchor.ID
		return r.far(ctx)
	}
	return r.near(ctx, since)
}

// setAnchor takes the anchor from the first answer, unless a cursor brought
// it: it may be deleted by now, but its place stays.
func (r *run) setAnchor(anchor *Anchor) {
	if anchor != nil {
		r.saw(latestOf([]Stub{anchor.Top()}))
	}
	if r.from.Anchor == nil {
		mark := anchor.mark()
		r.from.Anchor, r.from.Top = &mark, anchor.Top().ID
	}
	if r.from.Last == nil {
		r.from.Last = &r.from.Anchor.Key
	}
	if anchor != nil && anchor.Hidden {
		return
	}
	if r.reading.start.Seen == nil {
		r.reading.start.Seen = r.from.Anchor
	}
	r.saw(r.from.Anchor)
}

// startsAfterAnchor reports whether new comments may lie before the stubs.
func (r *run) startsAfterAnchor(stubs StubPage) bool {
	return stubs.HasBefore && len(stubs.Stubs) > 0 && stubs.Stubs[0].Key.After(r.from.Anchor.Key)
}

// near reads from an anchor that the newest stubs reach: of what is new, only
// the bodies that are still missing are asked for.
func (r *run) near(ctx context.Context, since Since) error {
	fresh, older := r.split(since.Tail.Stubs)
	if since.Anchor != nil && !slices.ContainsFunc(older, func(stub Stub) bool { return stub.ID == since.Anchor.Top().ID }) {
		older = append(older, since.Anchor.Top())
	}
	bodies := byID(since.Newest)
	want, replies := r.missing(fresh, older, bodies)
	if since.Tail.HasBefore && len(older) < newestStubs && !since.FarEnough {
		want.Older, want.OlderBefore = newestStubs-len(older), since.Tail.Start
	}
	got, err := r.fetch(ctx, want)
	if err != nil {
		return err
	}
	if n := len(got.Older.Stubs); n > 0 && r.mayBeAfter(got.Older.Stubs[n-1], r.from.Anchor.Key) {
		return r.search(ctx, since.Tail.Start)
	}
	scanned := since.Tail
	if want.Older > 0 {
		scanned = got.Older
	}
	for _, comment := range got.Comments {
		bodies[comment.ID] = comment
	}
	comments, decided := r.decide(fresh, bodies)
	replies = append(replies, decided...)
	return r.gather(ctx, found{
		comments: comments,
		replies:  append(replies, got.Replies...),
		older:    append(older, got.Older.Stubs...),
		scanned:  scanned,
	})
}

// decide parts the comments that stand behind the last place delivered from
// those that only might have: of these, the replies may be new.
func (r *run) decide(fresh []Stub, bodies map[string]Comment) (comments []Comment, replies []NewestReplies) {
	for _, stub := range fresh {
		comment, ok := bodies[stub.ID]
		switch key := comment.key(); {
		case !ok: // deleted meanwhile
		case key.After(*r.from.Last):
			comments = append(comments, comment)
		case !key.After(r.from.Anchor.Key):
			replies = append(replies, newestReplies(comment))
		}
	}
	sortComments(comments)
	return comments, replies
}

// split parts stubs into those not delivered yet and those not new.
func (r *run) split(stubs []Stub) (fresh, older []Stub) {
	for _, stub := range stubs {
		switch {
		case r.mayBeAfter(stub, *r.from.Last):
			fresh = append(fresh, stub)
		case !stub.Key.After(r.from.Anchor.Key):
			older = append(older, stub)
		}
	}
	slices.SortStableFunc(fresh, func(a, b Stub) int { return a.Key.Compare(b.Key) })
	return fresh, older
}

// mayBeAfter reports whether a stub stands behind key, or may: where GitHub's
// ids do not show a comment's number, a tie of time is decided once the
// comment itself is read.
func (r *run) mayBeAfter(stub Stub, key Key) bool {
	undecided := stub.Key.Number == 0 && stub.Key.At.Equal(key.At) && stub.Key.Kind == key.Kind && stub.ID != r.from.Anchor.ID
	return undecided || stub.Key.After(key)
}

// missing is what the first answer left open, beside the new replies that it
// did bring.
func (r *run) missing(fresh, older []Stub, bodies map[string]Comment) (want Want, replies []NewestReplies) {
	for _, stub := range fresh {
		if body, ok := bodies[stub.ID]; !ok || missingReplies(body) > 0 {
			want.Comments = append(want.Comments, stub.ID)
		}
	}
	for _, stub := range older {
		if !r.hasNewReply(stub) || slices.Contains(want.RepliesOf, stub.ID) {
			continue
		}
		if body, ok := bodies[stub.ID]; ok {
			replies = append(replies, newestReplies(body))
		} else {
			want.RepliesOf, want.Replies = append(want.RepliesOf, stub.ID), firstReplies
		}
	}
	return want, replies
}

func (r *run) hasNewReply(stub Stub) bool {
	return stub.LastReply != nil && r.mayBeAfter(*stub.LastReply, *r.from.Last)
}

// mayHaveMore reports whether new replies may lie before the ones at hand.
func (r *run) mayHaveMore(replies NewestReplies) bool {
	return !replies.AllHere && len(replies.Nodes) < replies.TotalCount &&
		(len(replies.Nodes) == 0 || replies.Nodes[0].key().After(*r.from.Last))
}

func newestReplies(comment Comment) NewestReplies {
	if comment.InDiscussion == nil || comment.Replies == nil {
		return NewestReplies{ParentID: comment.ID}
	}
	replies := comment.Replies
	return NewestReplies{ParentID: comment.ID, TotalCount: replies.TotalCount, Nodes: replies.Nodes, AllHere: replies.AllHere}
}

// search finds the anchor's place by stubs from both ends, then reads on from
// there. All comments from the cursor before on are new.
func (r *run) search(ctx context.Context, before string) error {
	after := ""
	var last Stub // the last comment known not to be new
	for {
		front, back, err := r.source.Search(ctx, after, before)
		if err != nil {
			return err
		}
		r.learnStubs(front)
		r.learnStubs(back)
		for _, side := range []StubPage{front, back} {
			if stub, ok := r.lastNotNew(side.Stubs); ok && stub.Key.After(last.Key) {
				last = stub
			}
		}
		inFront := len(front.Stubs) == 0 || front.Stubs[len(front.Stubs)-1].Key.After(r.from.Anchor.Key)
		inBack := len(back.Stubs) == 0 || !back.Stubs[0].Key.After(r.from.Anchor.Key)
		if inFront || inBack || !front.HasMore || !back.HasBefore {
			break
		}
		after, before = front.End, back.Start
	}
	r.from.Upstream, r.from.OlderBefore, r.from.OlderLast = last.Cursor, last.Cursor, last.ID
	return r.far(ctx)
}

// lastNotNew is the last stub that certainly does not stand behind the anchor.
func (r *run) lastNotNew(stubs []Stub) (Stub, bool) {
	for _, stub := range slices.Backward(stubs) {
		if !r.mayBeAfter(stub, r.from.Anchor.Key) {
			return stub, true
		}
	}
	return Stub{}, false
}

// far reads a page of new comments from an upstream cursor on.
func (r *run) far(ctx context.Context) error {
	want := PageWant{First: r.pageSize(), After: r.from.Upstream, Older: newestStubs, OlderBefore: r.from.OlderBefore}
	for _, id := range []string{r.from.OlderLast, r.from.Top} {
		if id != "" && !slices.Contains(want.StubsOf, id) {
			want.StubsOf = append(want.StubsOf, id)
		}
	}
	if r.from.OlderBefore == "" {
		want.Older = 0 // nothing is older than the first comment
	}
	page, err := r.source.Page(ctx, want)
	if err != nil {
		return err
	}
	r.learn(page)
	r.overview(page.Overview, page.Comments...)
	all := found{older: append(page.Older.Stubs, page.Stubs...), scanned: page.Older}
	all.comments, all.cursors = r.undelivered(page)
	if n := len(page.Comments); page.HasMore && n > 0 {
		horizon := page.Comments[n-1].key()
		for _, comment := range page.Comments {
			if key := comment.key(); key.After(horizon) {
				horizon = key
			}
		}
		all.horizon = &horizon
		rest := r.position(page.End, &horizon)
		r.reading.rest = &rest
	}
	return r.gather(ctx, all)
}

// undelivered are the comments of a page that stand behind the anchor, in the
// upstream's order, which the cursors follow. Where a cursor led here, it is
// what tells that they were not delivered yet.
func (r *run) undelivered(page Page) (comments []Comment, cursors []string) {
	lower := *r.from.Last
	if r.reading.start.Upstream != "" {
		lower = r.from.Anchor.Key
	}
	for i, comment := range page.Comments {
		if comment.key().After(lower) {
			comments, cursors = append(comments, comment), append(cursors, page.Cursors[i])
		}
	}
	return comments, cursors
}

// fetch asks for what is missing, if anything is.
func (r *run) fetch(ctx context.Context, want Want) (Got, error) {
	if want.isEmpty() {
		return Got{}, nil
	}
	return r.source.Fetch(ctx, want)
}
