package discussion_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

const kilobyte = 1024

// The costs of reading discussions of any length, held to bounds. With -v the
// measured table is printed.
//
// What is new are comments and late replies: up to 5 cost one request, up to 100
// two, and late replies beside 100 comments a third. Beside them comes the newest hundred as stubs, and, since nobody knows
// before how many are new, the newest five whole: where those are not new, their
// replies, at most three each, come on top of the 13 KB.
func TestCosts(t *testing.T) {
	h := open(t)
	for _, number := range []int{3, 4, 5} {
		comments := h.comments(number)
		row := func(name string, requests, bytes int, got *discussion.Conversation) {
			t.Logf("#%d (%4d comments) %-22s %2d requests %7d bytes upstream %6d bytes result ~%d tokens",
				number, len(comments), name, requests, bytes, len(show(got)), len(show(got))/4)
		}
		middle := comments[len(comments)/2]
		for name, spelling := range spellings(middle) {
			req := discussion.ConversationRequest{DiscussionNumber: number, CommentID: &spelling}
			var got *discussion.Conversation
			requests, bytes := h.cost(func() { got = h.read(req) })
			row("one, "+name, requests, bytes, got)
			atMost(t, "one, "+name, requests, 1, bytes, h.nodeBytes(comments[len(comments)/2:][:1])+2*kilobyte)
		}
		for _, k := range []int{0, 1, 5, 20, 90, 100, 300} {
			if k >= len(comments) {
				continue
			}
			h.forget()
			fresh := comments[len(comments)-k:]
			req := discussion.ConversationRequest{DiscussionNumber: number, SinceCommentID: &comments[len(comments)-k-1].ID}
			var got *discussion.Conversation
			requests, bytes := h.cost(func() { got = h.read(req) })
			row(fmt.Sprintf("since, %d new", k), requests, bytes, got)
			news, notNew := k+len(got.NewReplies), comments[min(max(0, len(comments)-5), len(comments)-k):len(comments)-k]
			bound := h.nodeBytes(fresh) + h.nodeBytes(got.NewReplies) + 13*kilobyte
			name := fmt.Sprintf("#%d since, %d new comments of %d new", number, k, news)
			switch {
			case news <= 5:
				atMost(t, name, requests, 1, bytes, bound+h.replyBytes(notNew))
			case news <= 100:
				atMost(t, name, requests, 2, bytes, bound)
			case k <= 100:
				atMost(t, name, requests, 3, bytes, bound)
			}
		}
		for _, n := range []int{1, 20, 100} {
			req := discussion.ConversationRequest{DiscussionNumber: number, LastN: &n}
			var got *discussion.Conversation
			requests, bytes := h.cost(func() { got = h.read(req) })
			row(fmt.Sprintf("last %d", n), requests, bytes, got)
			atMost(t, fmt.Sprintf("last %d", n), requests, 1, bytes, h.nodeBytes(comments[max(0, len(comments)-n):])+2*kilobyte)
		}
		var got *discussion.Conversation
		requests, bytes := h.cost(func() { got = h.read(discussion.ConversationRequest{DiscussionNumber: number}) })
		row("full, first page", requests, bytes, got)
		atMost(t, "full", requests, 2, 0, 0)
	}
}

func atMost(t *testing.T, what string, requests, maxRequests, bytes, maxBytes int) {
	t.Helper()
	if requests > maxRequests || bytes > maxBytes {
		t.Errorf("%s: %d requests and %d bytes, the bounds are %d and %d", what, requests, bytes, maxRequests, maxBytes)
	}
}

// Numbers, anchors and URLs cost one request more the first time a process
// meets a repository, and none later.
func TestTheFirstNumberOfARepositoryCostsOneRequest(t *testing.T) {
	h := open(t)
	for i, want := range []int{2, 1, 1} {
		requests, _ := h.cost(func() {
			got := h.read(discussion.ConversationRequest{DiscussionNumber: 3, CommentID: ptr("12000307")})
			if !got.Found {
				t.Error("not found")
			}
		})
		if requests != want {
			t.Errorf("read %d: %d requests, want %d", i+1, requests, want)
		}
	}
}

// comments are all top-level comments of a discussion.
func (h *house) comments(number int) []thread.Comment {
	h.t.Helper()
	var all []thread.Comment
	for _, page := range h.readAll(discussion.ConversationRequest{DiscussionNumber: number}, 64<<20) {
		all = append(all, page.Comments.Nodes...)
	}
	return all
}

// nodeBytes is the size of comments as GitHub sends them: with all the fields
// that an answer of ours needs.
func (h *house) nodeBytes(comments []thread.Comment) (size int) {
	h.t.Helper()
	const fields = `id databaseId author{login} authorAssociation viewerDidAuthor body createdAt updatedAt
		lastEditedAt deletedAt url isMinimized minimizedReason isAnswer replyTo{id}`
	const query = `query($ids: [ID!]!){nodes(ids: $ids){... on DiscussionComment{` + fields +
		` replies(last: 100){totalCount nodes{` + fields + `}}}}}`
	for start := 0; start < len(comments); start += 100 {
		var ids []string
		for _, comment := range comments[start:min(start+100, len(comments))] {
			ids = append(ids, comment.ID)
		}
		var answer struct {
			Data struct{ Nodes []json.RawMessage }
		}
		h.ask(query, map[string]any{"ids": ids}, &answer)
		for _, node := range answer.Data.Nodes {
			size += len(node)
		}
	}
	return size
}

// replyBytes is the size of the replies that come with comments which may not
// be new.
func (h *house) replyBytes(comments []thread.Comment) (size int) {
	for _, comment := range comments {
		replies := comment.Replies.Nodes
		size += h.nodeBytes(replies[max(0, len(replies)-3):])
	}
	return size
}

// ask sends a query of the test's own, past everything that is tested.
func (h *house) ask(query string, variables map[string]any, answer any) {
	h.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		h.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, h.sandbox.GraphQLURL(), bytes.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+sandbox.AdminToken)
	request.Header.Set("X-Github-Next-Global-ID", "1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		h.t.Fatal(err)
	}
}

// spellings are the ways to write a comment's id.
func spellings(comment thread.Comment) map[string]string {
	number := strconv.FormatInt(*comment.DatabaseID, 10)
	return map[string]string{
		"node id": comment.ID, "number": number, "anchor": "discussioncomment-" + number, "#anchor": "#DiscussionComment-" + number,
		"URL": comment.URL, "URL with a query": strings.Replace(" "+strings.Replace(comment.URL, "github.com", "GitHub.COM", 1), "#", "?sort=new#", 1) + " ",
	}
}
