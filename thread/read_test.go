package thread_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

const unbounded = 1 << 20

func full() thread.Selector           { return thread.Selector{Mode: thread.Full} }
func lastN(n int) thread.Selector     { return thread.Selector{Mode: thread.ByLast, LastN: n} }
func only(id string) thread.Selector  { return byID(thread.ByComment, id) }
func after(id string) thread.Selector { return byID(thread.BySince, id) }
func byID(mode thread.Mode, id string) thread.Selector {
	return thread.Selector{Mode: mode, Ref: ref.Comment{NodeID: id}}
}

// read reads one page, which is cut so that its texts take at most max bytes.
func (f *forum) read(t *testing.T, reader thread.Reader, selector thread.Selector, from thread.Position, max int) (*thread.Reading, thread.Answer) {
	t.Helper()
	reading, err := reader.Read(context.Background(), "o/r#1", f, selector, from)
	if err != nil {
		t.Fatal(err)
	}
	if reading.WantsRoot() {
		root := "«why»"
		reading.Root = &root
	}
	best := reading.Keep(reading.Items())
	for n := reading.Items() - 1; n > 0 && size(best) > max; n-- {
		best = reading.Keep(n)
	}
	if size(best) <= max || reading.Items() == 0 {
		return reading, best
	}
	part, ok := reading.Slice(max)
	if !ok {
		t.Fatalf("not one character fits into %d bytes", max)
	}
	return reading, part
}

func size(answer thread.Answer) (bytes int) {
	if answer.Root != nil {
		bytes = len(*answer.Root)
	}
	answer.Each(func(comment *thread.Comment, _, _ string) { bytes += len(comment.Body) })
	return bytes
}

// throughCursor is the position as the next call gets it: out of a cursor.
func throughCursor(t *testing.T, position thread.Position) (next thread.Position) {
	t.Helper()
	text, err := json.Marshal(position)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &next); err != nil {
		t.Fatal(err)
	}
	return next
}

// pages reads page after page, until the answer is complete.
func (f *forum) pages(t *testing.T, reader thread.Reader, selector thread.Selector, max int) (all []thread.Answer) {
	t.Helper()
	var from thread.Position
	for range 200 {
		_, answer := f.read(t, reader, selector, from, max)
		all = append(all, answer)
		next := answer.Next
		if next == nil {
			next = answer.RepliesNext
		}
		if next == nil {
			return all
		}
		from = throughCursor(t, *next)
	}
	t.Fatalf("no end after %d pages", len(all))
	return nil
}

// ids are what the pages hold, in the order of delivery, and a text that came
// in slices once.
func ids(pages []thread.Answer) (ids []string) {
	for _, page := range pages {
		for _, reply := range page.NewReplies {
			if reply.BodyOffset == 0 {
				ids = append(ids, reply.ID)
			}
		}
		(&thread.Answer{Comments: page.Comments}).Each(func(comment *thread.Comment, _, _ string) {
			if comment.BodyOffset == 0 {
				ids = append(ids, comment.ID)
			}
		})
	}
	return ids
}

// texts are the texts that the pages hold, put together again.
func texts(pages []thread.Answer) map[string]string {
	texts := map[string]string{}
	for _, page := range pages {
		if page.Root != nil {
			texts["root"] += *page.Root
		}
		page.Each(func(comment *thread.Comment, _, _ string) { texts[comment.ID] += comment.Body })
	}
	return texts
}

// all is everything in the forum that is still there, in reading order.
func (f *forum) all() (all []thread.Comment) {
	for _, comment := range f.comments {
		if slices.Contains(f.gone, comment.ID) {
			continue
		}
		all = append(all, comment)
		if comment.InDiscussion != nil && comment.Replies != nil {
			all = append(all, comment.Replies.Nodes...)
		}
	}
	return all
}

func idsOf(comments []thread.Comment) (ids []string) {
	for _, comment := range comments {
		ids = append(ids, comment.ID)
	}
	return ids
}

func sorted(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids
}

// forums are threads of every shape, behind close bounds.
func forums() map[string]*forum {
	return map[string]*forum{
		"nothing said":           {comments: nil, page: 3, stubs: 2},
		"one comment":            {comments: talk("1"), page: 3, stubs: 2},
		"some comments":          {comments: talk("1 2 3 4 5 6 7 8 9 10"), page: 3, stubs: 2},
		"some replies":           {comments: talk("1/4/9 2 3/12 5/6/7/8/10/11 13"), page: 2, stubs: 2, replies: 2, newest: 2},
		"late replies":           {comments: talk("1/20/31/32 2/21/22/23/24/25/26/27 3/28 4/29/33 5/30 6/7"), page: 4, stubs: 4, replies: 2, newest: 3},
		"said at once":           {comments: talk("1a 1b/3a/3b 1c/2b 2a/3c 3a 3b 3c"), page: 3, stubs: 3, replies: 1, newest: 1},
		"said at once, opaque":   {comments: talk("1a/2a/2b 1b/3a 1c 2a/3c 3a 3b 3c 4"), page: 3, stubs: 3, newest: 2, numberless: true},
		"a tie before the stubs": {comments: talk("1a 1b 1c 2a 3/4"), page: 3, stubs: 2, newest: 1, numberless: true},
		"more counted than told": {comments: talk("1/5 2/6/7/8/9 3 4/10"), page: 3, replies: 3, unlisted: map[string]int{"c1": 1, "c2": 2}},
		"some deleted":           {comments: talk("1/5 2/6/7/8/9 3 4/10 11"), page: 2, stubs: 1, newest: 2, gone: []string{"c2", "c3"}},
	}
}

// budgets are bytes of text for a page: all, several texts, one, part of one.
var budgets = []int{unbounded, 40, 17, 9, 3}

func TestFullGivesEveryTextOnce(t *testing.T) {
	for name, forum := range forums() {
		wantTexts := map[string]string{"root": "«why»"}
		for _, comment := range forum.all() {
			wantTexts[comment.ID] = comment.Body
		}
		for _, max := range budgets {
			pages := forum.pages(t, thread.Reader{}, full(), max)
			if diff := cmp.Diff(idsOf(forum.all()), ids(pages)); diff != "" {
				t.Errorf("%s by %d bytes (-said +read):\n%s", name, max, diff)
			}
			if diff := cmp.Diff(wantTexts, texts(pages)); diff != "" {
				t.Errorf("%s by %d bytes, texts (-said +read):\n%s", name, max, diff)
			}
		}
	}
}

func TestLastGivesTheLastOnce(t *testing.T) {
	for name, forum := range forums() {
		var tops []string
		for _, comment := range forum.all() {
			if comment.Kind == thread.KindComment {
				tops = append(tops, comment.ID)
			}
		}
		for _, n := range []int{1, 2, 5, 9, 200} {
			want := map[string]bool{}
			for _, id := range tops[max(0, len(tops)-n):] {
				comment, _ := forum.find(id)
				for _, said := range append([]thread.Comment{*comment}, comment.Replies.Nodes...) {
					want[said.ID+said.Body] = true
				}
			}
			for _, max := range budgets {
				got := map[string]bool{}
				for id, text := range texts(forum.pages(t, thread.Reader{}, lastN(n), max)) {
					got[id+text] = true
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, last %d by %d bytes (-said +read):\n%s", name, n, max, diff)
				}
			}
		}
	}
}

func TestSinceGivesExactlyWhatIsNewer(t *testing.T) {
	for name, forum := range forums() {
		memo := thread.NewMemo()
		for _, anchor := range forum.all() {
			var want []string
			for _, said := range forum.all() {
				if key(said).After(key(anchor)) {
					want = append(want, said.ID)
				}
			}
			for _, max := range budgets {
				for _, reader := range []thread.Reader{{}, {Memo: memo}} {
					pages := forum.pages(t, reader, after(anchor.ID), max)
					if diff := cmp.Diff(sorted(want), sorted(ids(pages))); diff != "" {
						t.Errorf("%s since %s by %d bytes, memo %t (-newer +read):\n%s", name, anchor.ID, max, reader.Memo != nil, diff)
					}
				}
			}
		}
	}
}

// A caller who passes only the watermark on reads everything, and ends at the
// newest.
func TestTheWatermarkAloneMissesNothing(t *testing.T) {
	for shape, forum := range forums() {
		if len(forum.all()) == 0 {
			continue
		}
		forum.stubs = 0 // else an answer tells that there may be more new replies
		newest := slices.MaxFunc(forum.all(), func(a, b thread.Comment) int { return key(a).Compare(key(b)) })
		for _, max := range []int{unbounded, 40, 17, 9} {
			seen, selector := map[string]bool{}, full()
			var from thread.Position
			var mark *thread.Mark
			for page := 0; page < 100; page++ {
				reading, answer := forum.read(t, thread.Reader{}, selector, from, max)
				for _, id := range ids([]thread.Answer{answer}) {
					seen[id] = true
				}
				if mark = answer.Latest; mark == nil && answer.Next != nil {
					from = *answer.Next // nothing but the thread's own body fitted
					continue
				}
				if answer.Next == nil {
					if reading.Newest.ID != newest.ID {
						t.Errorf("%s by %d bytes: the newest is told to be %s, and is %s", shape, max, reading.Newest.ID, newest.ID)
					}
					break
				}
				selector, from = after(mark.ID), thread.Position{}
			}
			for _, said := range forum.all() {
				if !seen[said.ID] {
					t.Errorf("%s by %d bytes: %s was never read", shape, max, said.ID)
				}
			}
			if name(mark) != newest.ID {
				t.Errorf("%s by %d bytes: the last watermark is %s, the newest is %s", shape, max, name(mark), newest.ID)
			}
		}
	}
}
