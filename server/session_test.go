package server

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
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
