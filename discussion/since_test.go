package discussion_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// remark is a comment or a reply as the truth has it.
type remark struct {
	id     string
	key    thread.Key
	parent *remark // of a reply
}

// truth is all that is said in a discussion, in the thread's order, read by
// pages so large that nothing is cut.
func (h *house) truth(number int) []remark {
	h.t.Helper()
	var all []*remark
	for _, page := range h.readAll(discussion.ConversationRequest{DiscussionNumber: number}, 64<<20) {
		for _, comment := range page.Comments.Nodes {
			top := &remark{id: comment.ID, key: thread.Key{At: comment.CreatedAt, Kind: comment.Kind, Number: *comment.DatabaseID}}
			all = append(all, top)
			if got := len(comment.Replies.Nodes); got != comment.Replies.TotalCount {
				h.t.Fatalf("%s came with %d of %d replies", comment.ID, got, comment.Replies.TotalCount)
			}
			for _, reply := range comment.Replies.Nodes {
				key := thread.Key{At: reply.CreatedAt, Kind: reply.Kind, Number: *reply.DatabaseID}
				all = append(all, &remark{id: reply.ID, key: key, parent: top})
			}
		}
	}
	remarks := make([]remark, len(all))
	for i, one := range all {
		remarks[i] = *one
	}
	slices.SortFunc(remarks, func(a, b remark) int { return a.key.Compare(b.key) })
	return remarks
}

// after are the ids of what stands behind the anchor, in order.
func after(remarks []remark, anchor remark) []string {
	ids := []string{}
	for _, one := range remarks {
		if one.key.After(anchor.key) {
			ids = append(ids, one.id)
		}
	}
	return ids
}

func sorted(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids
}

// since reads all that is new after an anchor, with what only the replies
// cursor reaches.
func (h *house) since(number int, anchor string, max int) (pages []*discussion.Conversation) {
	req := discussion.ConversationRequest{DiscussionNumber: number, SinceCommentID: &anchor}
	pages = h.readAll(req, max)
	for last := pages[len(pages)-1]; last.RepliesCursor != ""; last = pages[len(pages)-1] {
		if last.RepliesComplete == nil || *last.RepliesComplete {
			h.t.Fatalf("repliesCursor beside repliesComplete %v", last.RepliesComplete)
		}
		req.Cursor = last.RepliesCursor
		pages = append(pages, h.readAll(req, max)...)
	}
	return pages
}

// From every comment and every reply of threads of every shape, by pages of
// every size, exactly what is newer comes, each once.
func TestSinceMissesNothingAndRepeatsNothing(t *testing.T) {
	h := open(t)
	for _, test := range []struct {
		number, every int
		max           []int
	}{
		{2, 1, []int{budget, 3000}}, {3, 1, []int{budget, 3000, 4000}}, {4, 60, []int{budget}}, {4, 170, []int{12000}},
		{6, 2, []int{budget, 3000}}, {7, 31, []int{budget, 12000}}, {8, 3, []int{3000}}, {12, 1, []int{budget}},
		{13, 1, []int{budget, 3000}},
	} {
		remarks := h.truth(test.number)
		for i := 0; i < len(remarks); i += test.every {
			for _, max := range test.max {
				got := collect(h.since(test.number, remarks[i].id, max)).ids
				if diff := cmp.Diff(sorted(after(remarks, remarks[i])), sorted(got)); diff != "" {
					t.Errorf("discussion %d since %s (%d of %d) by %d bytes (-truth +got):\n%s",
						test.number, remarks[i].id, i+1, len(remarks), max, diff)
				}
			}
		}
	}
}

// A caller who never uses cursors, and only passes latestCommentId on, misses
// nothing either, whatever the byte budget cuts off.
func TestTheWatermarkAloneMissesNothing(t *testing.T) {
	h := open(t)
	for _, number := range []int{3, 8, 13} {
		remarks := h.truth(number)
		for _, max := range []int{3000, 6000} {
			first, err := h.tryRead(discussion.ConversationRequest{DiscussionNumber: number}, max)
			if err != nil {
				t.Fatal(err)
			}
			pages := []*discussion.Conversation{first}
			for last := first; last.Truncated && len(pages) < 500; last = pages[len(pages)-1] {
				mark := last.LatestCommentID
				if mark == nil { // only a part of the body was delivered yet
					next, err := h.tryRead(nextOf(t, last), max)
					if err != nil {
						t.Fatal(err)
					}
					pages = append(pages, next)
					continue
				}
				next, err := h.tryRead(discussion.ConversationRequest{DiscussionNumber: number, SinceCommentID: mark}, max)
				if err != nil {
					t.Fatal(err)
				}
				pages = append(pages, next)
			}
			seen := map[string]bool{}
			for _, id := range collect(pages).ids {
				seen[id] = true
			}
			for _, one := range remarks {
				if !seen[one.id] {
					t.Errorf("discussion %d by %d bytes: %s was never read", number, max, one.id)
				}
			}
			if last := pages[len(pages)-1]; last.LatestCommentID == nil || *last.LatestCommentID != remarks[len(remarks)-1].id {
				t.Errorf("discussion %d by %d bytes: the last watermark is %s, the newest is %s",
					number, max, show(last.LatestCommentID), remarks[len(remarks)-1].id)
			}
		}
	}
}

// Anchors anywhere in 5,000 comments, found by stubs from both ends or by a
// remembered cursor.
func TestSinceFarBack(t *testing.T) {
	h := open(t)
	remarks := h.truth(5)
	for _, back := range []int{101, 300, 2500} {
		h.forget()
		anchor := remarks[len(remarks)-1-back]
		want := after(remarks, anchor)
		for _, try := range []string{"searched", "remembered"} {
			pages := h.readAll(discussion.ConversationRequest{DiscussionNumber: 5, SinceCommentID: &anchor.id}, 16<<20)
			got := collect(pages)
			seen := map[string]bool{}
			for _, id := range got.ids {
				if seen[id] {
					t.Errorf("%d back, %s: %s came twice", back, try, id)
				}
				seen[id] = true
			}
			for i, id := range want {
				if !seen[id] && isReplyToOld(remarks, id, anchor) {
					continue // told by repliesComplete
				}
				if !seen[id] {
					t.Fatalf("%d back, %s: %s is missing (%d of %d)", back, try, id, i, len(want))
				}
			}
			if last := pages[len(pages)-1]; *last.LatestCommentID != remarks[len(remarks)-1].id {
				t.Errorf("%d back, %s: watermark %s, newest %s", back, try, *last.LatestCommentID, remarks[len(remarks)-1].id)
			}
		}
	}
}

func isReplyToOld(remarks []remark, id string, anchor remark) bool {
	for _, one := range remarks {
		if one.id == id {
			return one.parent != nil && !one.parent.key.After(anchor.key)
		}
	}
	return false
}

// Full readings by pages of every size give every text whole.
func TestFullByPages(t *testing.T) {
	h := open(t)
	for _, number := range []int{1, 2, 3, 4, 7, 8, 10, 11} {
		want := collect(h.readAll(discussion.ConversationRequest{DiscussionNumber: number}, 64<<20))
		for _, max := range []int{budget, 8000} {
			got := collect(h.readAll(discussion.ConversationRequest{DiscussionNumber: number}, max))
			if diff := cmp.Diff(want.ids, got.ids); diff != "" {
				t.Errorf("discussion %d by %d bytes (-want +got):\n%s", number, max, diff)
			}
			for id, body := range want.bodies {
				if got.bodies[id] != body {
					t.Errorf("discussion %d by %d bytes: the body of %s differs", number, max, id)
				}
			}
		}
	}
}

// last_n gives the last n, by pages from the newest on, each once.
func TestLastByPages(t *testing.T) {
	h := open(t)
	for _, number := range []int{1, 3, 4, 8} {
		var tops []string
		for _, page := range h.readAll(discussion.ConversationRequest{DiscussionNumber: number}, 64<<20) {
			for _, comment := range page.Comments.Nodes {
				tops = append(tops, comment.ID)
			}
		}
		for _, n := range []int{1, 7, 130} {
			want := tops[max(0, len(tops)-n):]
			for _, bytes := range []int{budget, 12000} {
				pages := h.readAll(discussion.ConversationRequest{DiscussionNumber: number, LastN: &n}, bytes)
				var got []string
				for i := len(pages) - 1; i >= 0; i-- {
					for _, comment := range pages[i].Comments.Nodes {
						if comment.BodyOffset == 0 {
							got = append(got, comment.ID)
						}
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("discussion %d, last %d by %d bytes: %d comments, want %d:\n%s", number, n, bytes, len(got), len(want), cmp.Diff(want, got))
				}
			}
		}
	}
}
