package conversation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// truth is all that is said in a thread, in the thread's order.
type truth struct{ remarks []remark }

type remark struct {
	id      string
	key     thread.Key
	pending bool
}

func (h *house) truth(number int) truth {
	h.t.Helper()
	all := truth{h.askGitHub(number)}
	slices.SortFunc(all.remarks, func(a, b remark) int { return a.key.Compare(b.key) })
	return all
}

// after are the ids of what stands behind the anchor, in order.
func (t truth) after(anchor thread.Key) []string {
	ids := []string{}
	for _, one := range t.remarks {
		if one.key.After(anchor) {
			ids = append(ids, one.id)
		}
	}
	return ids
}

// newest is the last that others can see.
func (t truth) newest() string {
	for _, one := range slices.Backward(t.remarks) {
		if !one.pending {
			return one.id
		}
	}
	return ""
}

// From every remark of threads of every shape, by pages of every size, exactly
// what is newer comes, in order, each once.
func TestSinceMissesNothingAndRepeatsNothing(t *testing.T) {
	h := enter(t)
	for _, test := range []struct {
		number, every int
		max           []int
	}{
		{101, 1, []int{budget, 4000}}, {102, 19, []int{budget}}, {102, 101, []int{12000}}, {103, 1, []int{budget, 4000}},
		{122, 19, []int{budget}}, {201, 1, []int{budget, 4000}}, {205, 1, []int{4000}},
		{209, 7, []int{budget}}, {209, 41, []int{8000}}, {213, 1, []int{budget, 4000}},
	} {
		all := h.truth(test.number)
		for i := 0; i < len(all.remarks); i += test.every {
			for _, max := range test.max {
				pages := h.readAll(conversation.Request{IssueNumber: test.number, SinceCommentID: &all.remarks[i].id}, max)
				if diff := cmp.Diff(all.after(all.remarks[i].key), collect(pages).ids); diff != "" {
					t.Errorf("#%d since %s (%d of %d) by %d bytes (-truth +got):\n%s",
						test.number, all.remarks[i].id, i+1, len(all.remarks), max, diff)
				}
			}
		}
	}
}

// A caller who never uses cursors, and only passes latestCommentId on, misses
// nothing either, whatever the byte budget cuts off.
func TestTheWatermarkAloneMissesNothing(t *testing.T) {
	h := enter(t)
	for _, number := range []int{101, 201, 209, 213} {
		all := h.truth(number)
		for _, max := range []int{5000, 16000} {
			if len(all.remarks) > 100 && max == 5000 {
				continue // a hundred readings, to no other end
			}
			first, err := h.tryRead(conversation.Request{IssueNumber: number}, max)
			if err != nil {
				t.Fatal(err)
			}
			pages := []*conversation.Conversation{first}
			for last := first; last.Truncated && len(pages) < 500; last = pages[len(pages)-1] {
				req := nextOf(t, last) // where only a part of a text was delivered
				if nodes := last.Comments.Nodes; len(nodes) > 0 && !nodes[len(nodes)-1].BodyTruncated && last.LatestCommentID != nil {
					req = conversation.Request{IssueNumber: number, SinceCommentID: last.LatestCommentID}
				}
				next, err := h.tryRead(req, max)
				if err != nil {
					t.Fatal(err)
				}
				pages = append(pages, next)
			}
			seen := collect(pages)
			for _, one := range all.remarks {
				if !slices.Contains(seen.ids, one.id) {
					t.Errorf("#%d by %d bytes: %s was never read", number, max, one.id)
				}
			}
			if last := pages[len(pages)-1]; last.LatestCommentID == nil || *last.LatestCommentID != all.newest() {
				t.Errorf("#%d by %d bytes: the last watermark is %s, the newest is %s", number, max, show(last.LatestCommentID), all.newest())
			}
		}
	}
}

// Full readings by pages of every size give every text whole, in order.
func TestFullByPages(t *testing.T) {
	h := enter(t)
	for _, number := range []int{101, 102, 103, 201, 205, 209, 213} {
		all := h.truth(number)
		want := collect(h.readAll(conversation.Request{IssueNumber: number}, unlimited))
		if diff := cmp.Diff(append([]string{"root"}, all.after(thread.Key{})...), want.ids); diff != "" {
			t.Errorf("#%d at once (-truth +got):\n%s", number, diff)
		}
		for _, max := range []int{budget, 8000} {
			pages := h.readAll(conversation.Request{IssueNumber: number}, max)
			got := collect(pages)
			if diff := cmp.Diff(want.ids, got.ids); diff != "" {
				t.Errorf("#%d by %d bytes (-want +got):\n%s", number, max, diff)
			}
			for id, body := range want.bodies {
				if got.bodies[id] != body {
					t.Errorf("#%d by %d bytes: the body of %s differs", number, max, id)
				}
			}
			for i, page := range pages {
				if page.TotalCount == nil || *page.TotalCount != len(all.remarks) {
					t.Errorf("#%d by %d bytes, page %d: totalCount %s, there are %d", number, max, i+1, show(page.TotalCount), len(all.remarks))
				}
				if page.ThreadLatestCommentID == nil || *page.ThreadLatestCommentID != all.newest() {
					t.Errorf("#%d by %d bytes, page %d: threadLatestCommentId %s, the newest is %s", number, max, i+1, show(page.ThreadLatestCommentID), all.newest())
				}
			}
		}
	}
}

// last_n gives the last n, by pages from the newest on, each once.
func TestLastByPages(t *testing.T) {
	h := enter(t)
	for _, number := range []int{101, 102, 201, 209, 213} {
		all := h.truth(number).after(thread.Key{})
		for _, n := range []int{1, 3, 7, 130, 1000} {
			want := all[max(0, len(all)-n):]
			for _, bytes := range []int{budget, 16000} {
				pages := h.readAll(conversation.Request{IssueNumber: number, LastN: &n}, bytes)
				if last := pages[len(pages)-1]; last.Count == 0 {
					t.Errorf("#%d, last %d by %d bytes: the last of %d pages is empty", number, n, bytes, len(pages))
				}
				slices.Reverse(pages)
				if got := collect(pages).ids; fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("#%d, last %d by %d bytes: %d remarks, want %d:\n%s", number, n, bytes, len(got), len(want), cmp.Diff(want, got))
				}
			}
		}
	}
}

// Answers in a thread are often reviews of their own, which only wrap them, and
// one review has a text as well: the wrapper before the oldest remark of a page
// is no place to go on from.
func TestLastOfWrappedRemarks(t *testing.T) {
	h := enter(t)
	for i := range 40 {
		h.postQuery(`mutation($body: String!) { addPullRequestReviewThreadReply(input: {
			pullRequestReviewThreadId: "PRRT_kwDODSw4pM4A9HKF", body: $body}) { clientMutationId } }`,
			map[string]any{"body": fmt.Sprintf("Answer %d. %s", i, strings.Repeat("word ", 300))}, &struct{}{})
	}
	h.review(1, "In all.")
	all := h.truth(201).after(thread.Key{})
	for _, n := range []int{9, 20, 21, 40, len(all), len(all) + 1} {
		pages := h.readAll(conversation.Request{PRNumber: 201, LastN: &n}, 12000)
		if last := pages[len(pages)-1]; last.Count == 0 {
			t.Errorf("last %d: the last of %d pages is empty", n, len(pages))
		}
		slices.Reverse(pages)
		if diff := cmp.Diff(all[max(0, len(all)-n):], collect(pages).ids); diff != "" {
			t.Errorf("last %d (-truth +got):\n%s", n, diff)
		}
	}
}

// Anchors far back, found by stubs from both ends or by a remembered cursor.
func TestSinceFarBack(t *testing.T) {
	h := enter(t)
	for _, test := range []struct{ number, back int }{{102, 101}, {102, 319}, {209, 101}, {209, 149}} {
		all := h.truth(test.number)
		anchor := all.remarks[len(all.remarks)-1-test.back]
		h.forget()
		for _, try := range []string{"searched", "remembered"} {
			got := collect(h.readAll(conversation.Request{IssueNumber: test.number, SinceCommentID: &anchor.id}, unlimited))
			if diff := cmp.Diff(all.after(anchor.key), got.ids); diff != "" {
				t.Errorf("#%d, %d back, %s (-truth +got):\n%s", test.number, test.back, try, diff)
			}
		}
	}
}

// review submits a review of #201 with n inline comments, some of which are
// long.
func (h *house) review(n int, body string) {
	h.t.Helper()
	var threads []map[string]any
	for i := range n {
		body := fmt.Sprintf("Remark %d.", i)
		if i%50 == 1 {
			body += strings.Repeat(" At length.", 400)
		}
		threads = append(threads, map[string]any{"path": "reader/reader.go", "line": 10 + i%3, "side": "RIGHT", "body": body})
	}
	h.postQuery(`mutation($threads: [DraftPullRequestReviewThread], $body: String) { addPullRequestReview(input: {
		pullRequestId: "PR_kwDODSw4pM4AbFcp", event: COMMENT, body: $body, threads: $threads}) { clientMutationId } }`,
		map[string]any{"threads": threads, "body": body}, &struct{}{})
}

// More reviews, threads and inline comments of one review than GitHub gives at
// once: nothing is cut off, whatever is asked for.
func TestMoreThanGitHubGivesAtOnce(t *testing.T) {
	h := enter(t)
	h.review(120, "Many.")
	for i := range 130 {
		h.postQuery(`mutation($body: String!) { addPullRequestReviewThreadReply(input: {
			pullRequestReviewThreadId: "PRRT_kwDODSw4pM4A9HKF", body: $body}) { clientMutationId } }`,
			map[string]any{"body": fmt.Sprintf("Answer %d.", i)}, &struct{}{})
	}
	all := h.truth(201)
	if len(all.remarks) != 11+1+120+130 {
		t.Fatalf("#201 has %d remarks", len(all.remarks))
	}
	pages := h.readAll(conversation.Request{PRNumber: 201}, unlimited)
	if diff := cmp.Diff(append([]string{"root"}, all.after(thread.Key{})...), collect(pages).ids); diff != "" {
		t.Errorf("all (-truth +got):\n%s", diff)
	}
	for _, page := range pages {
		for _, comment := range page.Comments.Nodes {
			if comment.AsRemark != nil && comment.ThreadID == "" {
				t.Errorf("%s has no thread", comment.ID)
			}
		}
	}
	for _, back := range []int{0, 1, 30, 131, 200, 260} {
		anchor := all.remarks[len(all.remarks)-1-back]
		got := collect(h.readAll(conversation.Request{PRNumber: 201, SinceCommentID: &anchor.id}, unlimited))
		if diff := cmp.Diff(all.after(anchor.key), got.ids); diff != "" {
			t.Errorf("since %d back (-truth +got):\n%s", back, diff)
		}
	}
	for _, n := range []int{1, 100, 150, 262} {
		pages := h.readAll(conversation.Request{PRNumber: 201, LastN: &n}, unlimited)
		slices.Reverse(pages)
		if diff := cmp.Diff(all.after(thread.Key{})[len(all.remarks)-n:], collect(pages).ids); diff != "" {
			t.Errorf("last %d (-truth +got):\n%s", n, diff)
		}
	}
}
