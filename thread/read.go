package thread

import (
	"context"
	"slices"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

const (
	pageSize     = 100 // the most GitHub gives at once
	newestStubs  = 90  // older comments in which new replies are looked for, at least
	firstReplies = 3   // new replies under an old comment that come without asking twice
	scanPages    = 10  // pages of stubs in one call that goes on looking for replies
)

// Reader reads threads. The zero Reader works; a Memo spares it searching.
type Reader struct {
	Memo *Memo
}

// Read reads the selected part of the thread that source brings, from
// position on (the zero Position is the start).
//
// thread names the thread for the memo.
func (r Reader) Read(ctx context.Context, thread string, source Source, selector Selector, position Position) (_ *Reading, err error) {
	defer fault.Wrap(&err, "reading %s by %s", thread, selector.Mode)
	run := &run{
		source: source, memo: r.Memo, thread: thread, from: position,
		reading: &Reading{Selector: selector, Found: true, start: position, Newest: position.Newest, began: position.Newest},
	}
	switch selector.Mode {
	case ByComment:
		err = run.one(ctx)
	case BySince:
		err = run.since(ctx)
	case ByLast:
		err = run.last(ctx)
	default:
		err = run.full(ctx)
	}
	return run.reading, err
}

// run is one reading under way.
type run struct {
	source  Source
	memo    *Memo
	thread  string
	from    Position
	reading *Reading
}

// one reads a single comment with its replies or what it carries, or a reply
// inside its parent.
func (r *run) one(ctx context.Context) error {
	one, err := r.source.One(ctx, r.reading.Selector.Ref)
	if err != nil {
		return err
	}
	r.overview(one.Overview)
	if one.Found == nil {
		r.reading.Found = false
		return nil
	}
	comments := append([]Comment{*one.Found}, one.Carried...)
	if one.Reply != nil {
		comments[0] = comments[0].withReplies([]Comment{*one.Reply})
		r.reading.MatchedReplyID = one.Reply.ID
	} else if err := r.complete(ctx, comments); err != nil {
		return err
	}
	r.saw(latestOf(stubsOf(comments)))
	comments = r.undeliveredOf(comments)
	r.deliver(comments, func(i int) Position {
		if comments[i].ID == one.Found.ID {
			return Position{}
		}
		mark := comments[i].stub().mark()
		return Position{From: &mark}
	})
	return nil
}

// undeliveredOf are the comments from the one on with which this page starts.
func (r *run) undeliveredOf(comments []Comment) []Comment {
	if r.from.From == nil || r.from.Parent != "" {
		return comments
	}
	start := slices.IndexFunc(comments, func(c Comment) bool { return !r.from.From.Key.After(c.key()) })
	if start < 0 {
		return nil // deleted meanwhile
	}
	return comments[start:]
}

// full reads a page of the whole thread, oldest first.
func (r *run) full(ctx context.Context) error {
	root := r.from.isStart() || r.from.Root
	page, err := r.source.Page(ctx, PageWant{First: r.pageSize(), After: r.from.Upstream, Root: root})
	if err != nil {
		return err
	}
	r.learn(page)
	r.overview(page.Overview, page.Comments...)
	if err := r.complete(ctx, page.Comments); err != nil {
		return err
	}
	if root {
		r.reading.items = append(r.reading.items, item{root: true, newReply: -1, at: Position{Root: true}})
	}
	r.deliver(page.Comments, func(i int) Position {
		if i == 0 {
			return Position{Upstream: r.from.Upstream}
		}
		return Position{Upstream: page.Cursors[i-1]}
	})
	if page.HasMore {
		r.reading.rest = &Position{Upstream: page.End}
	}
	r.reading.watermark = r.reading.began
	return nil
}

// pageSize is how many comments to ask for: all GitHub gives, or a little more
// than the byte budget let through the last time.
func (r *run) pageSize() int {
	if r.from.Fitted > 0 {
		return min(pageSize, r.from.Fitted+r.from.Fitted/4+2)
	}
	return pageSize
}

// last reads the last n comments. They are delivered from the newest on, so
// that what the budget cuts off is the oldest.
func (r *run) last(ctx context.Context) error {
	want, remaining := r.lastWant()
	page, err := r.source.Page(ctx, want)
	if err != nil {
		return err
	}
	start := page.Start
	if want.WithID != "" {
		start = r.from.Upstream
		page.Comments = r.window(page.Comments)
	}
	r.overview(page.Overview, page.Comments...)
	if err := r.complete(ctx, page.Comments); err != nil {
		return err
	}
	oldest := ""
	if len(page.Comments) > 0 {
		oldest = page.Comments[0].ID
	}
	slices.Reverse(page.Comments)
	count := len(page.Comments)
	switch {
	case want.Last > 0 && page.HasBefore:
		remaining += want.Last - count // GitHub may have given less than asked for
	case want.Last > 0:
		remaining = 0 // there are fewer than asked for
	}
	r.deliver(page.Comments, func(i int) Position {
		return Position{Upstream: start, Oldest: oldest, Dropped: count - i, Remaining: remaining}
	})
	r.restoreOrder()
	if remaining > 0 && (page.HasBefore || want.WithID != "") {
		r.reading.rest = &Position{Upstream: start, Remaining: remaining}
	}
	return nil
}

// window is what an earlier page of the last n left over of its comments: it
// starts with the oldest, unless that was deleted meanwhile.
func (r *run) window(comments []Comment) []Comment {
	left := r.from.Dropped
	if len(comments) > 0 && comments[0].ID != r.from.Oldest {
		left--
	}
	return comments[:min(len(comments), left)]
}

// lastWant is what to ask for, and how many older ones remain behind that.
func (r *run) lastWant() (PageWant, int) {
	if r.from.Dropped > 0 {
		return PageWant{First: max(1, r.from.Dropped-1), After: r.from.Upstream, WithID: r.from.Oldest}, r.from.Remaining
	}
	n := r.reading.Selector.LastN
	if r.from.Remaining > 0 {
		n = r.from.Remaining
	}
	last := min(n, pageSize)
	return PageWant{Last: last, Before: r.from.Upstream}, n - last
}

// restoreOrder turns comments that were delivered newest first back into the
// thread's order.
func (r *run) restoreOrder() {
	comments := r.reading.Comments
	slices.Reverse(comments)
	for i := range r.reading.items {
		if item := &r.reading.items[i]; item.newReply < 0 && !item.root {
			item.comment = len(comments) - 1 - item.comment
		}
	}
}

// deliver makes items of comments in the given order. at is the position from
// which a reading would start with comment i.
//
// Where an earlier page delivered the first comment and some of its replies,
// the other replies stand among the new replies.
func (r *run) deliver(comments []Comment, at func(i int) Position) {
	for i, comment := range comments {
		if i == 0 && r.from.Parent == comment.ID && r.from.From != nil {
			r.deliverRest(comment, at(0))
			continue
		}
		r.deliverComment(comment, at(i))
	}
}

func (r *run) deliverComment(comment Comment, at Position) {
	reading := r.reading
	index := len(reading.Comments)
	reading.Comments = append(reading.Comments, comment)
	reading.items = append(reading.items, item{comment: index, reply: -1, newReply: -1, at: at, moves: !comment.Hidden})
	for i, reply := range comment.replies() {
		reading.items = append(reading.items, item{
			comment: index, reply: i, newReply: -1, at: at.inside(comment.ID, reply.stub().mark()),
		})
	}
}

// deliverRest delivers the replies from the one where the last page was cut.
func (r *run) deliverRest(comment Comment, at Position) {
	for _, reply := range comment.replies() {
		mark := reply.stub().mark()
		if !r.from.From.Key.After(mark.Key) {
			r.deliverReply(comment.ID, reply, at.inside(comment.ID, mark), false)
		}
	}
}

func (r *run) deliverReply(parent string, reply Comment, at Position, moves bool) {
	reading := r.reading
	reply.ParentID = parent
	reading.NewReplies = append(reading.NewReplies, reply)
	reading.items = append(reading.items, item{newReply: len(reading.NewReplies) - 1, reply: -1, at: at, moves: moves})
}

// complete fetches the replies that the upstream's bound left behind.
func (r *run) complete(ctx context.Context, comments []Comment) error {
	for i := range comments {
		comment := &comments[i]
		missing := missingReplies(*comment)
		if missing <= 0 {
			continue
		}
		more, err := r.source.MoreReplies(ctx, comment.ID, missing)
		if err != nil {
			return err
		}
		*comment = comment.withReplies(mergeReplies(more, comment.replies()))
	}
	return nil
}

// missingReplies is how many replies did not come with the comment.
func missingReplies(comment Comment) int {
	if comment.InDiscussion == nil || comment.Replies == nil || comment.Replies.AllHere {
		return 0
	}
	return comment.Replies.TotalCount - len(comment.Replies.Nodes)
}

// mergeReplies joins replies read at two times, in order, each once.
func mergeReplies(a, b []Comment) []Comment {
	all := slices.Concat(a, b)
	sortComments(all)
	return slices.CompactFunc(all, func(x, y Comment) bool { return x.ID == y.ID })
}

// overview takes over what the first answer tells about the thread. What is
// newest then bounds the watermark of the whole reading: a comment that comes
// while pages are read is left to the next reading, never missed.
func (r *run) overview(overview Overview, comments ...Comment) {
	r.reading.Total = overview.Total
	r.saw(latestOf(overview.Newest))
	r.saw(latestOf(stubsOf(comments)))
	if r.reading.began == nil {
		r.reading.began = r.reading.Newest
	}
}

// saw notes a comment that may be the newest in the thread.
func (r *run) saw(mark *Mark) { r.reading.Newest = latest(r.reading.Newest, mark) }
