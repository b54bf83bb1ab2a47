package conversation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// lengthen makes #201 long: n reviews that only wrap an answer, in one thread.
func (h *house) lengthen(n int) {
	h.t.Helper()
	for i := range n {
		h.postQuery(`mutation($body: String!) { addPullRequestReviewThreadReply(input: {
			pullRequestReviewThreadId: "PRRT_kwDODSw4pM4A9HKF", body: $body}) { clientMutationId } }`,
			map[string]any{"body": fmt.Sprintf("Answer %d.", i)}, &struct{}{})
	}
}

// draft begins a review of #201 with one inline comment; submit submits it.
func (h *house) draft() (review string) {
	h.t.Helper()
	var begun struct {
		Data struct {
			AddPullRequestReview struct{ PullRequestReview struct{ ID string } }
		}
	}
	h.postQuery(`mutation { addPullRequestReview(input: { pullRequestId: "PR_kwDODSw4pM4AbFcp", body: "Begun early.",
		threads: [{path: "reader/reader.go", line: 10, side: RIGHT, body: "Drafted early."}]}) { pullRequestReview { id } } }`, nil, &begun)
	return begun.Data.AddPullRequestReview.PullRequestReview.ID
}

func (h *house) submit(review string) {
	h.t.Helper()
	h.postQuery(`mutation($id: ID!) { submitPullRequestReview(input: {pullRequestReviewId: $id, event: COMMENT}) { clientMutationId } }`,
		map[string]any{"id": review}, &struct{}{})
}

// The costs of a pull request with more reviews and threads than GitHub gives
// at once: twice those of an issue, whatever its length, up to two hundred
// reviews and threads, and a request more for each two hundred of them.
func TestCostsOfALongPullRequest(t *testing.T) {
	h := enter(t)
	h.review(110, "Many.")
	h.lengthen(150)
	h.read(conversation.Request{PRNumber: 201, LastN: ptr(1)}) // learns the repository
	all := h.truth(201).remarks
	cost := func(name string, req conversation.Request, requests, bytes int) {
		t.Helper()
		req.PRNumber = 201
		gotRequests, gotBytes := h.cost(func() { h.read(req) })
		t.Logf("%-28s %d requests %6d bytes upstream", name, gotRequests, gotBytes)
		if gotRequests > requests || gotBytes > bytes {
			t.Errorf("%s: %d requests and %d bytes, at most %d and %d", name, gotRequests, gotBytes, requests, bytes)
		}
	}
	newest := func(n int) (bytes int) {
		ids := []string{}
		for _, one := range all[len(all)-n:] {
			ids = append(ids, one.id)
		}
		return h.nodeBytes(ids...)
	}
	for i := 0; i < len(all); i += 29 {
		one := all[i]
		most := h.nodeBytes(one.id) + 8*kilobyte
		if one.key.Kind == thread.KindReviewComment {
			most += 12 * kilobyte // ids of a hundred threads, where it is in none of the newest
		}
		if one.key.Kind != thread.KindReview { // it comes with its inline comments
			cost("one, "+string(one.key.Kind), conversation.Request{CommentID: &one.id}, 2, most)
		}
	}
	for _, k := range []int{0, 1, 5, 20} {
		requests := 2
		if k == 0 {
			requests = 1
		}
		cost(fmt.Sprintf("since, %d new", k), conversation.Request{SinceCommentID: &all[len(all)-1-k].id}, requests, 3*newest(k)+36*kilobyte)
	}
	cost("since, 100 new", conversation.Request{SinceCommentID: &all[len(all)-101].id}, 4, 3*newest(100)+70*kilobyte)
	for _, n := range []int{1, 5, 20, 100} {
		cost(fmt.Sprintf("last %d", n), conversation.Request{LastN: &n}, 2, 3*newest(n)+46*kilobyte)
	}
	cost("full, first page", conversation.Request{}, 4, 300*kilobyte)
}

// A review that was begun long before hundreds of others and is submitted last
// is the newest, in every reading.
func TestAReviewBegunLongAgoAndSubmittedLast(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	h, reviewer := enterAs(t, running, sandbox.AdminToken), enterAs(t, running, sandbox.WriteToken)
	review := reviewer.draft()
	h.lengthen(260)
	before := h.truth(201)
	reviewer.submit(review)
	all := h.truth(201)
	added := all.after(thread.Key{})[len(before.remarks):]
	if len(added) != 2 || added[0] != review {
		t.Fatalf("added are %v", added)
	}
	for _, back := range []int{1, 6, 40, 150} {
		anchor := before.remarks[len(before.remarks)-back]
		got := collect(h.readAll(conversation.Request{PRNumber: 201, SinceCommentID: &anchor.id}, unlimited)).ids
		if diff := cmp.Diff(all.after(anchor.key), got); diff != "" {
			t.Errorf("since %d back (-truth +got):\n%s", back, diff)
		}
	}
	for _, n := range []int{1, 2, 3, 50, 130} {
		pages := h.readAll(conversation.Request{PRNumber: 201, LastN: &n}, 30000)
		slices.Reverse(pages)
		if diff := cmp.Diff(all.after(thread.Key{})[len(all.remarks)-n:], collect(pages).ids); diff != "" {
			t.Errorf("last %d (-truth +got):\n%s", n, diff)
		}
	}
	for _, id := range []string{before.remarks[0].id, before.newest(), review, added[1]} {
		got := h.read(conversation.Request{PRNumber: 201, CommentID: &id})
		if got.ThreadLatestCommentID == nil || *got.ThreadLatestCommentID != all.newest() {
			t.Errorf("%s: the newest is %s, not %s", id, all.newest(), show(got.ThreadLatestCommentID))
		}
		for _, comment := range got.Comments.Nodes {
			if comment.AsRemark != nil && comment.ThreadID == "" {
				t.Errorf("%s has no thread", comment.ID)
			}
		}
	}
}

// Each inline comment is in its thread, wherever that is among hundreds.
func TestThreadsOfALongPullRequest(t *testing.T) {
	h := enter(t)
	h.review(250, "Many.")
	h.lengthen(30)
	want := map[string]string{}
	for _, page := range h.readAll(conversation.Request{PRNumber: 201}, unlimited) {
		for _, comment := range page.Comments.Nodes {
			if comment.AsRemark != nil {
				want[comment.ID] = comment.ThreadID
			}
		}
	}
	distinct := map[string]bool{}
	i := 0
	for id, threadID := range want {
		if distinct[threadID] = true; threadID == "" {
			t.Errorf("%s has no thread", id)
		}
		if i++; i%20 != 0 {
			continue
		}
		if got := h.read(conversation.Request{PRNumber: 201, CommentID: &id}); got.Comments.Nodes[0].ThreadID != threadID {
			t.Errorf("%s alone is in thread %s, among all in %s", id, got.Comments.Nodes[0].ThreadID, threadID)
		}
	}
	if len(distinct) < 250 {
		t.Errorf("%d inline comments are in %d threads", len(want), len(distinct))
	}
}
