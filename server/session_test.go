package server

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// TestTheLastAnswerCounts: a client that answers and ends its side at once has
// answered, whatever of the two is noticed first.
func TestTheLastAnswerCounts(t *testing.T) {
	for range 50 { // of two that are ready, one is picked by chance
		var s *session
		s = newSession(func([]byte) {
			s.take(message{ID: json.RawMessage(`1`), Result: json.RawMessage(`{"action":"accept"}`)})
			s.deafen()
		})
		answer, err := s.RequestElicitation(t.Context(), mcp.ElicitationRequest{})
		if err != nil || answer.Action != mcp.ElicitationResponseActionAccept {
			t.Fatalf("the answer is %+v, %v", answer, err)
		}
	}
}

// TestProgressEndsWithTheCall, also while its context still lives: the answer
// is on its way by then.
func TestProgressEndsWithTheCall(t *testing.T) {
	for ended, want := range map[bool]int{false: 1, true: 0} {
		s := &Server{protocol: mcpserver.NewMCPServer("t", "0")}
		client := newSession(nil)
		client.Initialize()
		ctx, done := s.accompany(s.protocol.WithContext(t.Context(), client), &mcp.Meta{ProgressToken: "p"})
		transport.CallOf(ctx).OnRequest("First")
		if ended {
			done()
		}
		transport.CallOf(ctx).OnRequest("Second")
		if got := len(client.notifications); got != want {
			t.Errorf("ended %t: %d notifications, want %d", ended, got, want)
		}
	}
}
