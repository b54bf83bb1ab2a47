package discussion_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

func TestDebugCosts(t *testing.T) {
	h := open(t)
	for _, number := range []int{3, 4, 5} {
		pages := h.readAll(discussion.ConversationRequest{DiscussionNumber: number}, 10<<20)
		var nodes []thread.Comment
		for _, p := range pages {
			nodes = append(nodes, p.Comments.Nodes...)
		}
		fmt.Println("discussion", number, "pages", len(pages), "comments", len(nodes), *pages[0].TotalCount)
		c := nodes[len(nodes)/2]
		for _, spelling := range []string{c.ID, strconv.FormatInt(*c.DatabaseID, 10), "discussioncomment-" + strconv.FormatInt(*c.DatabaseID, 10), c.URL} {
			var got *discussion.Conversation
			r, b := h.cost(func() { got = h.read(discussion.ConversationRequest{DiscussionNumber: number, CommentID: &spelling}) })
			fmt.Println("  one", r, b, got.Found, got.Count, len(show(c)), len(show(got)))
		}
		for _, k := range []int{0, 1, 5, 10, 20, 100, 101, 300, 2000} {
			if k >= len(nodes) {
				continue
			}
			anchor := nodes[len(nodes)-1-k]
			size := 0
			for _, n := range nodes[len(nodes)-k:] {
				size += len(show(n))
			}
			h.forget()
			var got *discussion.Conversation
			r, b := h.cost(func() {
				got = h.read(discussion.ConversationRequest{DiscussionNumber: number, SinceCommentID: &anchor.ID})
			})
			fmt.Println("  since", k, "req", r, "bytes", b, "count", got.Count, len(got.NewReplies), got.Truncated, "new json", size, "over", b-size, len(show(got)))
		}
		for _, n := range []int{1, 20, 100} {
			var got *discussion.Conversation
			r, b := h.cost(func() { got = h.read(discussion.ConversationRequest{DiscussionNumber: number, LastN: &n}) })
			fmt.Println("  last", n, "req", r, "bytes", b, got.Count, got.Truncated, len(show(got)))
		}
		var got *discussion.Conversation
		r, b := h.cost(func() { got = h.read(discussion.ConversationRequest{DiscussionNumber: number}) })
		fmt.Println("  full", r, b, got.Count, got.Truncated, len(show(got)))
	}
	_ = strings.ToLower
}
