package discussion_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
)

// What was edited after the anchor was written is named by the first page, and
// only what is older than the anchor: the text of what is new comes anyway.
func TestEditsSinceAreNamed(t *testing.T) {
	h := open(t)
	old, anchor, fresh := h.post(4, "", "first"), h.post(4, "", "second"), h.post(4, "", "third")
	for _, id := range []string{old.CommentID, fresh.CommentID} {
		if _, err := h.ManageComment(t.Context(), discussion.CommentRequest{Action: "update", CommentID: &id, Body: "corrected"}); err != nil {
			t.Fatal(err)
		}
	}
	got := h.read(discussion.ConversationRequest{DiscussionNumber: 4, SinceCommentID: &anchor.CommentID})
	var edited []string
	for _, edit := range got.Edited {
		edited = append(edited, edit.ID)
	}
	if diff := cmp.Diff([]string{old.CommentID}, edited); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
	again := h.read(discussion.ConversationRequest{DiscussionNumber: 4, SinceCommentID: &fresh.CommentID})
	if len(again.Edited) != 2 {
		t.Errorf("both edits are later than the newest comment, and %d are named", len(again.Edited))
	}
}
