package conversation_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// showAnother are ids of remarks that carry another number than the remark's,
// and are like those of GitHub in all else.
func showAnother(id string) string {
	node, ok := ref.DecodeNodeID(id)
	if _, remark := anchored[ref.CommentType(node.TypeName())]; !ok || !remark {
		return id
	}
	return ref.EncodeNodeID(node.Type, node.RepoID, node.DatabaseID+7)
}

// anchored are the types of what is said in issues and pull requests.
var anchored = map[ref.CommentType]thread.Kind{
	ref.IssueComment: thread.KindComment, ref.PullRequestReview: thread.KindReview, ref.PullRequestReviewComment: thread.KindReviewComment,
}

// Where ids show nothing, or another number, nothing is lost and nothing comes
// twice, whatever shares its second, and every spelling is found.
func TestIDsThatAreNotBuiltFromNumbers(t *testing.T) {
	for name, hide := range map[string]func(string) string{"show nothing": sandbox.ShowNothing, "show another number": showAnother} {
		h := enterThrough(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.AdminToken, &sandbox.HiddenIDs{Hide: hide})
		for _, test := range []struct{ number, every int }{{101, 1}, {103, 1}, {201, 1}, {213, 1}, {209, 13}} {
			all := h.truth(test.number)
			want := hidden(all.after(thread.Key{}), hide)
			got := collect(h.readAll(conversation.Request{IssueNumber: test.number}, 8000))
			if diff := cmp.Diff(append([]string{"root"}, want...), got.ids); diff != "" {
				t.Errorf("%s: #%d (-truth +got):\n%s", name, test.number, diff)
			}
			for i := 0; i < len(all.remarks); i += test.every {
				one := all.remarks[i]
				node, _ := ref.DecodeNodeID(one.id)
				anchor := ref.Comment{Type: ref.CommentType(node.TypeName()), DatabaseID: node.DatabaseID}.String()
				for _, spelling := range []string{hide(one.id), anchor} {
					h.forget()
					pages := h.readAll(conversation.Request{IssueNumber: test.number, SinceCommentID: &spelling}, budget)
					if diff := cmp.Diff(hidden(all.after(one.key), hide), collect(pages).ids); diff != "" {
						t.Errorf("%s: #%d since %s (-truth +got):\n%s", name, test.number, spelling, diff)
					}
					if last := pages[len(pages)-1]; !one.pending && show(last.LatestCommentID) != show(hide(all.newest())) {
						t.Errorf("%s: #%d since %s: the watermark is %s", name, test.number, spelling, show(last.LatestCommentID))
					}
					h.forget()
					found := h.read(conversation.Request{IssueNumber: test.number, CommentID: &spelling})
					if !found.Found || found.Comments.Nodes[0].ID != hide(one.id) || *found.Comments.Nodes[0].DatabaseID != node.DatabaseID {
						t.Errorf("%s: #%d, %s reads %s", name, test.number, spelling, show(found.Comments))
					}
				}
			}
		}
	}
}

// A number that a comment and a review share is ambiguous there, too.
func TestASharedNumberIsAmbiguousWhereIDsShowNothing(t *testing.T) {
	h := enterThrough(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.AdminToken, &sandbox.HiddenIDs{})
	number := "15021301"
	for _, req := range []conversation.Request{{PRNumber: 213, CommentID: &number}, {PRNumber: 213, SinceCommentID: &number}} {
		if _, err := h.Read(context.Background(), req); !fault.Is(err, fault.AmbiguousArguments) {
			t.Errorf("Read(%s): %v", show(req), err)
		}
	}
}

// A number is looked for in all of a review, and writes find it, too.
func TestANumberIsLookedForInAllOfAReview(t *testing.T) {
	h := enterThrough(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.AdminToken, &sandbox.HiddenIDs{})
	h.review(120, "Many.")
	all := h.truth(201).remarks
	for _, one := range all[len(all)-121:] {
		node, _ := ref.DecodeNodeID(one.id)
		anchor := ref.Comment{Type: ref.CommentType(node.TypeName()), DatabaseID: node.DatabaseID}.String()
		if one.key.Kind == thread.KindReviewComment && (node.DatabaseID-all[len(all)-120].key.Number)%59 != 0 {
			continue // the first, one in the middle and the last will do
		}
		if got := h.read(conversation.Request{PRNumber: 201, CommentID: &anchor}); !got.Found || got.Comments.Nodes[0].ID != sandbox.ShowNothing(one.id) {
			t.Errorf("%s reads %s", anchor, show(got.Comments))
		}
		edited, err := h.ManageComment(context.Background(), conversation.CommentRequest{Action: "update", PRNumber: 201, CommentID: &anchor, Body: "Corrected."})
		if err != nil || edited.CommentID != sandbox.ShowNothing(one.id) {
			t.Errorf("%s is edited: %v, %v", anchor, edited, err)
		}
	}
}

func hidden(ids []string, hide func(string) string) []string {
	all := []string{}
	for _, id := range ids {
		all = append(all, hide(id))
	}
	return all
}
