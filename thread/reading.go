package thread

import (
	"slices"

	"github.com/github-workflow-mcp/github-workflow-mcp/page"
)

// Reading is what was read, before the byte budget: its items in reading
// order, each with the position from which a later call would start with it.
type Reading struct {
	Selector Selector
	Found    bool  // the comment named is in this thread
	Total    int   // top-level comments in the thread
	Newest   *Mark // the newest in the thread, as far as this reading saw

	// Root is the thread's own body when it is part of this answer.
	Root *string

	Comments       []Comment // top-level, in the thread's order
	NewReplies     []Comment // each with its ParentID, in the thread's order
	MatchedReplyID string
	Edited         []Edit

	RepliesComplete *bool     // nil when new replies were not looked for
	repliesGoOn     *Position // where to go on looking for them

	items     []item
	start     Position  // where this reading started
	began     *Mark     // the newest in the thread when the first page was read
	rest      *Position // what is behind all items; nil when nothing is
	watermark *Mark     // of the complete answer
}

// item is one piece of an answer that is delivered whole or not at all.
type item struct {
	root           bool
	comment, reply int // indexes; reply is -1 for the comment itself
	newReply       int // index, -1 when it is none
	at             Position
	moves          bool // the watermark is this item once it is delivered
}

// WantsRoot reports whether the thread's own body belongs to this answer.
func (r *Reading) WantsRoot() bool {
	return len(r.items) > 0 && r.items[0].root
}

// Answer is a Reading cut to its first items.
type Answer struct {
	Comments     []Comment
	NewReplies   []Comment
	Root         *string // nil: left out
	RootOffset   int
	RootBytes    int // the whole size, when Root is a part of it
	RootContinue bool

	Latest      *Mark     // the watermark; nil when there is none
	Next        *Position // goes on; nil when the answer is complete
	RepliesNext *Position // goes on looking for new replies
}

// NewCount is comments plus new replies.
func (a *Answer) NewCount() int { return len(a.Comments) + len(a.NewReplies) }

// Items is how many items the reading holds.
func (r *Reading) Items() int { return len(r.items) }

// Keep cuts the reading after its first n items.
func (r *Reading) Keep(n int) Answer {
	answer := r.assemble(r.items[:n])
	if n > 0 {
		r.applyOffset(&answer, r.items[0], -1)
	}
	next := r.rest
	if n < len(r.items) {
		next = &r.items[n].at
	}
	r.close(&answer, next, n)
	return answer
}

// Slice keeps the first item only, with at most n more bytes of its body; ok
// is false when not one character fits.
func (r *Reading) Slice(n int) (answer Answer, ok bool) {
	if len(r.items) == 0 {
		return Answer{}, false
	}
	first := r.items[0]
	text := *r.text(first)
	part := page.CutText(text[r.offset(first):], n)
	if part == "" {
		return Answer{}, false
	}
	answer = r.assemble(r.items[:1])
	next := first.at
	next.Offset = r.applyOffset(&answer, first, len(part))
	if next.From == nil && !first.root {
		mark := r.mark(first)
		next.From = &mark
	}
	r.close(&answer, &next, 0)
	return answer, true
}

// close gives the answer its watermark and its continuation, n whole items
// being delivered.
func (r *Reading) close(answer *Answer, next *Position, n int) {
	if next != nil {
		position := *next
		if n < len(r.items) {
			position.Fitted = max(1, len(answer.Comments))
		}
		position.Seen, position.Newest = r.seen(n), r.began
		answer.Next, answer.Latest = &position, position.Seen
	} else {
		answer.Latest = r.watermark
		if r.repliesGoOn != nil {
			position := *r.repliesGoOn
			position.Seen, position.Newest = r.watermark, r.began
			answer.RepliesNext = &position
		}
	}
	if r.Selector.Mode == ByLast {
		answer.Latest = r.seen(n)
	}
	if r.Selector.Mode == ByComment || !r.Found {
		answer.Latest = nil
	}
}

// seen is the watermark when the first n items are delivered and more follows.
// For last_n, whose first page holds the newest, it is the newest delivered;
// elsewhere it is the last top-level place, behind which all is still to come.
func (r *Reading) seen(n int) *Mark {
	mark := r.start.Seen
	for _, item := range r.items[:n] {
		if r.Selector.Mode == ByLast {
			mark = latest(mark, r.visible(item))
		} else if item.moves {
			delivered := r.mark(item)
			mark = &delivered
		}
	}
	return mark
}

// visible is the item's mark; nil when nobody but the viewer can see it.
func (r *Reading) visible(it item) *Mark {
	if !it.root && r.comment(it).Hidden {
		return nil
	}
	mark := r.mark(it)
	return &mark
}

// assemble lays the kept items out in the thread's order.
func (r *Reading) assemble(kept []item) Answer {
	answer := Answer{Comments: []Comment{}}
	replies := map[int]int{} // comment index → replies kept
	for _, item := range kept {
		switch {
		case item.root:
			answer.Root = r.Root
		case item.newReply >= 0:
			answer.NewReplies = append(answer.NewReplies, r.NewReplies[item.newReply])
		case item.reply < 0:
			replies[item.comment] = 0
		default:
			replies[item.comment]++
		}
	}
	for i := range r.Comments {
		if n, ok := replies[i]; ok {
			comment := r.Comments[i]
			answer.Comments = append(answer.Comments, comment.withReplies(slices.Clone(comment.replies()[:n:n])))
		}
	}
	return answer
}

// applyOffset leaves out of the first item's body what was delivered before,
// and everything behind length bytes more (-1: nothing). It returns where in
// the body the answer ends.
func (r *Reading) applyOffset(answer *Answer, first item, length int) int {
	text := *r.text(first)
	from, to := r.offset(first), len(text)
	if length >= 0 {
		to = min(from+length, len(text))
	}
	if from == 0 && to == len(text) {
		return to
	}
	part := text[from:to]
	if first.root {
		answer.Root, answer.RootOffset, answer.RootBytes, answer.RootContinue = &part, from, len(text), to < len(text)
		return to
	}
	comment := answer.first(r.mark(first).ID, first)
	comment.Body, comment.BodyOffset, comment.BodyBytes, comment.BodyTruncated = part, from, len(text), to < len(text)
	return to
}

// offset is how much of the first item's body was delivered before: 0 when the
// item is another one now, or its text changed so that the place is gone.
func (r *Reading) offset(first item) int {
	offset, text := r.start.Offset, *r.text(first)
	same := first.root || r.start.From != nil && r.start.From.ID == r.mark(first).ID
	if !same || offset >= len(text) || page.CutText(text, offset) != text[:offset] {
		return 0
	}
	return offset
}

// first is the answer's copy of its first item, which is never a nested reply:
// replies that come first stand among the new replies.
func (a *Answer) first(id string, it item) *Comment {
	if it.newReply >= 0 {
		return &a.NewReplies[0]
	}
	return &a.Comments[slices.IndexFunc(a.Comments, func(c Comment) bool { return c.ID == id })]
}

func (r *Reading) comment(it item) *Comment {
	switch {
	case it.newReply >= 0:
		return &r.NewReplies[it.newReply]
	case it.reply < 0:
		return &r.Comments[it.comment]
	}
	return &r.Comments[it.comment].Replies.Nodes[it.reply]
}

func (r *Reading) text(it item) *string {
	if it.root {
		return r.Root
	}
	return &r.comment(it).Body
}

func (r *Reading) mark(it item) Mark {
	if it.root {
		return Mark{}
	}
	comment := r.comment(it)
	return Mark{ID: comment.ID, Key: comment.key()}
}

// Visit is shown a comment, the property of the answer that holds it, and its
// place: comment:ID or comment:ID/reply:ID.
type Visit func(comment *Comment, property, at string)

// Each visits every comment and reply that was read, so that its text can be
// projected before the answer is cut.
func (r *Reading) Each(visit Visit) { eachComment(r.Comments, r.NewReplies, visit) }

// Each visits every comment and reply of the answer.
func (a *Answer) Each(visit Visit) { eachComment(a.Comments, a.NewReplies, visit) }

func eachComment(comments, newReplies []Comment, visit Visit) {
	for i := range comments {
		at := "comment:" + comments[i].ID
		visit(&comments[i], "comments.nodes", at)
		for j := range comments[i].replies() {
			reply := &comments[i].Replies.Nodes[j]
			visit(reply, "comments.nodes.replies.nodes", at+"/reply:"+reply.ID)
		}
	}
	for i := range newReplies {
		reply := &newReplies[i]
		visit(reply, "newReplies", "comment:"+reply.ParentID+"/reply:"+reply.ID)
	}
}
