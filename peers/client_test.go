package peers_test

import (
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// conversation is what these tests look at in a read.
type conversation struct {
	Count                 int
	TotalCount            int
	Truncated             bool
	Found                 bool
	Next                  map[string]any
	LatestCommentID       string
	ThreadLatestCommentID string
	MatchedReplyID        string
	Comments              struct{ Nodes []comment }
	NewReplies            []comment
}

type comment struct {
	ID, URL, Body string
	DatabaseID    int64
	Replies       struct{ Nodes []comment }
}

// written is what these tests look at in the answer to a write.
type written struct {
	CommentID, URL string
	Handoff        struct {
		Tool      string
		Arguments map[string]any
	}
}

// TestTwoClientsHandOff drives the real program as two agents would: one
// posts, the other follows the hand-off and then reads on from its watermark.
func TestTwoClientsHandOff(t *testing.T) {
	address := startSandbox(t)
	writer := start(t, pointedAt(address, "sandbox-write"))
	reader := start(t, pointedAt(address, "sandbox-read"))
	if got := writer.server.ProtocolVersion; got != mcp.LATEST_LEGACY_PROTOCOL_VERSION {
		t.Errorf("protocol version = %s, want %s", got, mcp.LATEST_LEGACY_PROTOCOL_VERSION)
	}

	var before conversation
	reader.call(&before, "get_discussion_conversation", map[string]any{"discussion_number": 4, "last_n": 1})
	var post written
	writer.call(&post, "manage_discussion_comment", map[string]any{
		"action": "create", "discussion_number": 4, "body": "The cursor survives a retry now.", "agent": "A",
	})
	var alone conversation
	reader.call(&alone, post.Handoff.Tool, post.Handoff.Arguments)
	if !alone.Found || len(alone.Comments.Nodes) != 1 || alone.Comments.Nodes[0].ID != post.CommentID {
		t.Fatalf("the hand-off reads %+v, want the comment %s alone", alone, post.CommentID)
	}
	if body := alone.Comments.Nodes[0].Body; !strings.HasPrefix(body, "The cursor survives a retry now.") {
		t.Errorf("the comment reads %q", body)
	}
	var after conversation
	reader.call(&after, "get_discussion_conversation", map[string]any{
		"discussion_number": 4, "since_comment_id": before.LatestCommentID,
	})
	if len(after.Comments.Nodes) != 1 || after.Comments.Nodes[0].ID != post.CommentID || after.LatestCommentID != post.CommentID {
		t.Errorf("since the watermark: %+v, want the comment %s alone", after, post.CommentID)
	}
}

// TestErrorsReachTheClient checks that a client sees GitHub's refusal as a
// tool error with a code, and an unknown tool as a protocol error.
func TestErrorsReachTheClient(t *testing.T) {
	reader := start(t, nil, "--sandbox")
	text, failed := reader.raw("get_discussion_conversation", map[string]any{"discussion_number": 999999})
	if !failed || !strings.Contains(text, `"code":"NOT_FOUND"`) {
		t.Errorf("a discussion that is not there gives %s (error: %t), want NOT_FOUND", text, failed)
	}
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "no_such_tool"}}
	if result, err := reader.client.CallTool(t.Context(), request); err == nil {
		t.Errorf("an unknown tool gives %+v, want a protocol error", result)
	}
}
