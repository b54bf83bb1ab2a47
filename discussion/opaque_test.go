package discussion_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// showAnother are comments' ids that carry another number than the
// repository's; those of everything else are as they were.
func showAnother(id string) string {
	node, ok := ref.DecodeNodeID(id)
	if !ok || node.Type != ref.PrefixDiscussionComment {
		return id
	}
	return ref.EncodeNodeID(node.Type, node.RepoID+1, node.DatabaseID)
}

// Where ids show nothing, or another number than the repository's, ties are
// decided all the same, and numbers are found by looking for them.
func TestIDsThatAreNotBuiltFromNumbers(t *testing.T) {
	for name, hidden := range map[string]func(string) string{"show nothing": sandbox.ShowNothing, "show another number": showAnother} {
		running := sandbox.StartTest(t, sandbox.Options{})
		h := openThrough(t, running, sandbox.AdminToken, &sandbox.HiddenIDs{Hide: hidden})
		for _, number := range []int{2, 3, 13} {
			remarks := h.truth(number)
			for i, anchor := range remarks {
				h.forget()
				spelling := anchor.id
				if i%2 == 0 {
					spelling = strconv.FormatInt(anchor.key.Number, 10)
				}
				got := collect(h.since(number, spelling, budget)).ids
				if diff := cmp.Diff(sorted(after(remarks, anchor)), sorted(got)); diff != "" {
					t.Errorf("%s: discussion %d since %s (-truth +got):\n%s", name, number, spelling, diff)
				}
				h.forget()
				if one := h.read(discussion.ConversationRequest{DiscussionNumber: number, CommentID: &spelling}); !one.Found {
					t.Errorf("%s: discussion %d: %s is not found", name, number, spelling)
				}
			}
			h.forget()
			reply, err := h.ManageComment(context.Background(), discussion.CommentRequest{
				Action: "create", DiscussionNumber: number, Body: "found", ReplyToID: ptr(strconv.FormatInt(remarks[0].key.Number, 10)),
			})
			if err != nil || reply.ReplyToID != remarks[0].id {
				t.Errorf("%s: discussion %d: a reply by number: %v, %v", name, number, reply, err)
			}
		}
	}
}
