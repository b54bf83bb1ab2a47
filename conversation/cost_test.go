package conversation_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

const kilobyte = 1024

// bound is what a reading may cost at most; bytes of 0 are not bounded.
type bound struct{ requests, bytes int }

// The costs that the product promises: for an issue those of a discussion, for
// a pull request at most twice the requests, and bodies of at most three times
// as many remarks. With -v the measured table is printed.
func TestCosts(t *testing.T) {
	h := enter(t)
	for _, number := range []int{102, 122, 209} {
		all := h.truth(number).after(h.truth(number).remarks[0].key)
		pull, twice := number > 200, 1
		if pull {
			twice = 2
		}
		cost := func(name string, req conversation.Request, most bound) {
			t.Helper()
			req.IssueNumber = number
			if pull {
				req.IssueNumber, req.PRNumber = 0, number
			}
			var got *conversation.Conversation
			requests, bytes := h.cost(func() { got = h.read(req) })
			t.Logf("#%d (%d remarks) %-26s %d requests %6d bytes upstream, %6d bytes result, ~%d tokens",
				number, len(all)+1, name, requests, bytes, len(show(got)), len(show(got))/4)
			if requests > most.requests*twice || most.bytes > 0 && !pull && bytes > most.bytes {
				t.Errorf("#%d, %s: %d requests and %d bytes, promised are %d and %d", number, name, requests, bytes, most.requests*twice, most.bytes)
			}
		}
		h.forget()
		h.read(conversation.Request{IssueNumber: number, LastN: ptr(1)})
		middle := all[len(all)/2]
		for _, spelling := range spellings(t, middle, number) {
			cost("one, "+spelling[:min(16, len(spelling))], conversation.Request{CommentID: &spelling}, bound{1, h.nodeBytes(middle) + 2*kilobyte})
		}
		for _, k := range []int{0, 1, 5, 20, 100} {
			fresh, anchor := h.nodeBytes(all[len(all)-k:]...), all[len(all)-1-k]
			most := bound{1, fresh + 13*kilobyte}
			if k > 5 {
				most.requests = 2
			}
			cost(fmt.Sprintf("since, %d new", k), conversation.Request{SinceCommentID: &anchor}, most)
		}
		for _, n := range []int{1, 5, 20, 100} {
			cost(fmt.Sprintf("last %d", n), conversation.Request{LastN: &n}, bound{1, h.nodeBytes(all[max(0, len(all)-n):]...) + 2*kilobyte})
		}
		cost("full, first page", conversation.Request{}, bound{2, 0})
	}
}

// The bodies that a reading of a pull request asks for are at most three for
// each remark it wants.
func TestBodiesOfAPullRequest(t *testing.T) {
	h := enter(t)
	all := h.truth(209)
	newest := func(n int) (ids []string) { return all.after(all.remarks[len(all.remarks)-1-n].key) }
	const ids = 36 * kilobyte // of 150 remarks and 50 threads, with cursors
	for _, n := range []int{1, 5, 20, 100} {
		_, bytes := h.cost(func() { h.read(conversation.Request{PRNumber: 209, LastN: &n}) })
		if most := 3*h.nodeBytes(newest(n)...) + ids; bytes > most {
			t.Errorf("last %d: %d bytes upstream, at most %d", n, bytes, most)
		}
	}
}

// Numbers, anchors and URLs cost one request more the first time a process
// meets a repository, and none later.
func TestTheFirstNumberOfARepositoryCostsOneRequest(t *testing.T) {
	h := enter(t)
	for i, want := range []int{2, 1, 1} {
		requests, _ := h.cost(func() {
			if got := h.read(conversation.Request{IssueNumber: 101, CommentID: ptr("14010103")}); !got.Found {
				t.Error("not found")
			}
		})
		if requests != want {
			t.Errorf("read %d: %d requests, want %d", i+1, requests, want)
		}
	}
}

// spellings are all spellings of a remark but its bare number, which may be
// several remarks'.
func spellings(t *testing.T, id string, number int) []string {
	t.Helper()
	node, ok := ref.DecodeNodeID(id)
	if !ok {
		t.Fatalf("%s is no node id", id)
	}
	anchor := ref.Comment{Type: ref.CommentType(node.TypeName()), DatabaseID: node.DatabaseID}.String()
	path := "issues"
	if number > 200 {
		path = "pull"
	}
	legacy := ref.NodeID{Type: node.TypeName(), DatabaseID: node.DatabaseID, Legacy: true}.String()
	return []string{id, legacy, anchor, fmt.Sprintf("https://github.com/octo-org/hello/%s/%d?notification=1#%s", path, number, anchor)}
}

// nodeBytes is the size of remarks as GitHub sends them: with all the fields
// that an answer of ours needs.
func (h *house) nodeBytes(ids ...string) (size int) {
	h.t.Helper()
	const query = `query($ids: [ID!]!){nodes(ids: $ids){__typename
		... on Comment{id author{login} authorAssociation viewerDidAuthor body createdAt updatedAt lastEditedAt}
		... on Minimizable{isMinimized minimizedReason}
		... on IssueComment{fullDatabaseId url}
		... on PullRequestReview{fullDatabaseId url submittedAt reviewState: state}
		... on PullRequestReviewComment{fullDatabaseId url path line startLine outdated replyTo{id} pullRequestReview{state submittedAt}}}}`
	for start := 0; start < len(ids); start += 100 {
		var answer struct {
			Data struct{ Nodes []json.RawMessage }
		}
		h.postQuery(query, map[string]any{"ids": ids[start:min(start+100, len(ids))]}, &answer)
		for _, node := range answer.Data.Nodes {
			size += len(node)
		}
	}
	return size
}
