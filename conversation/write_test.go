package conversation_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func (h *house) manage(req conversation.CommentRequest) *conversation.CommentResult {
	h.t.Helper()
	got, err := h.ManageComment(context.Background(), req)
	if err != nil {
		h.t.Fatalf("ManageComment(%s): %v", show(req), err)
	}
	return got
}

// A text is posted byte for byte; what looks wrong about it is said.
func TestTextsArePostedAsTheyAre(t *testing.T) {
	h := enter(t)
	for name, test := range map[string]struct {
		body     string
		warnings int
	}{
		"odd bytes":            {" \ttabs, \u00a0 and <&>\r\nlines \n\n", 0},
		"escaped line breaks":  {`one\ntwo`, 1},
		"as long as may be":    {strings.Repeat("é", post.MaxBody), 0},
		"an invisible hostile": {"a\u200b\u202eb", 0},
	} {
		posted := h.manage(conversation.CommentRequest{Action: "create", IssueNumber: 101, Body: test.body})
		if len(posted.Warnings) != test.warnings {
			t.Errorf("%s: warnings %q", name, posted.Warnings)
		}
		pages := h.readAll(posted.Handoff.Arguments, budget)
		if got := collect(pages).bodies[posted.CommentID]; got != test.body {
			t.Errorf("%s: %.60q was posted as %.60q", name, test.body, got)
		}
	}
}

// Every kind of remark can be edited, by every spelling.
func TestEveryKindIsEdited(t *testing.T) {
	h := enter(t)
	for _, test := range []struct {
		number int
		id     string
	}{{101, "IC_kwDODSw4pM4A1cb3"}, {201, "IC_kwDODSw4pM4A1e4F"}, {201, "PRR_kwDODSw4pM4A5TBF"}, {201, "PRRC_kwDODSw4pM4A9HKH"}} {
		for _, spelling := range append(spellings(t, test.id, test.number), numberOf(t, test.id)) {
			body := "Edited as " + spelling
			got := h.manage(conversation.CommentRequest{Action: "update", IssueNumber: test.number, CommentID: &spelling, Body: body})
			if got.CommentID != test.id || got.UpdatedAt == nil || got.CreatedAt != nil || got.Handoff == nil {
				t.Fatalf("%s: %s", spelling, show(got))
			}
			if read := h.read(got.Handoff.Arguments); read.Count == 0 || read.Comments.Nodes[0].ID != test.id || read.Comments.Nodes[0].Body != body || read.Comments.Nodes[0].LastEditedAt == nil {
				t.Errorf("%s reads as %s", spelling, show(read.Comments))
			}
		}
	}
}

// What is refused leaves everything as it is, and says what to do.
func TestWritesAreRefusedWithTheWayOut(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	h := enterAs(t, running, sandbox.ReadToken)
	for _, test := range []struct {
		name string
		req  conversation.CommentRequest
		code fault.Code
		says string
	}{
		{"no number", conversation.CommentRequest{Action: "create", Body: "b"}, fault.MissingArguments, ""},
		{"two numbers", conversation.CommentRequest{Action: "create", IssueNumber: 101, PRNumber: 201, Body: "b"}, fault.AmbiguousArguments, "one of"},
		{"an id to create", conversation.CommentRequest{Action: "create", IssueNumber: 101, CommentID: ptr("14010103"), Body: "b"}, fault.InvalidArguments, "update"},
		{"no id to edit", conversation.CommentRequest{Action: "update", IssueNumber: 101, Body: "b"}, fault.MissingArguments, ""},
		{"a blank", conversation.CommentRequest{Action: "create", IssueNumber: 101, Body: " \n"}, fault.InvalidArguments, ""},
		{"too long", conversation.CommentRequest{Action: "create", IssueNumber: 101, Body: strings.Repeat("x", post.MaxBody+1)}, fault.TooLarge, "parts"},
		{"an issue as a pull request", conversation.CommentRequest{Action: "create", PRNumber: 101, Body: "b"}, fault.NotFound, "issue_number 101"},
		{"a discussion", conversation.CommentRequest{Action: "create", IssueNumber: 3, Body: "b"}, fault.NotFound, "manage_discussion_comment"},
		{"nothing", conversation.CommentRequest{Action: "create", IssueNumber: 99999, Body: "b"}, fault.NotFound, "list_issues"},
		{"a locked issue", conversation.CommentRequest{Action: "create", IssueNumber: 116, Body: "b"}, fault.Forbidden, "unlock"},
		{"another's comment", conversation.CommentRequest{Action: "update", CommentID: ptr("issuecomment-14010103"), Body: "b"}, fault.Forbidden, ""},
		{"a discussion's comment", conversation.CommentRequest{Action: "update", CommentID: ptr("discussioncomment-12000307"), Body: "b"}, fault.NotFound, "manage_discussion_comment"},
		{"a comment of another issue", conversation.CommentRequest{Action: "update", IssueNumber: 102, CommentID: ptr("issuecomment-14010103"), Body: "b"}, fault.NotFound, ""},
		{"a bare number", conversation.CommentRequest{Action: "update", CommentID: ptr("14010103"), Body: "b"}, fault.AmbiguousArguments, ""},
		{"a number of two remarks", conversation.CommentRequest{Action: "update", PRNumber: 213, CommentID: ptr("15021301"), Body: "b"}, fault.AmbiguousArguments, "pullrequestreview-15021301"},
		{"no id at all", conversation.CommentRequest{Action: "update", IssueNumber: 101, CommentID: ptr("nonsense"), Body: "b"}, fault.MalformedCommentID, ""},
	} {
		_, err := h.ManageComment(context.Background(), test.req)
		got := fault.From(err)
		if got == nil || got.Code != test.code || got.Fix == "" || !strings.Contains(got.Fix, test.says) {
			t.Errorf("%s: %v, fix %q; want %s", test.name, err, fault.From(err).Fix, test.code)
		}
	}
}

// A pending review is never handed on; when it is sent at last, whoever reads
// on from a watermark of the time between gets it.
func TestAPendingReviewIsNotHandedOn(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	author, peer := enterAs(t, running, sandbox.WriteToken), enterAs(t, running, sandbox.ReadToken)
	review, inline := "pullrequestreview-15021302", "discussion_r16021302"
	for _, id := range []string{review, inline} {
		if got := author.manage(conversation.CommentRequest{Action: "update", CommentID: &id, Body: "Still a draft."}); got.Handoff != nil {
			t.Errorf("%s is handed on: %s", id, show(got.Handoff))
		}
	}
	between := peer.manage(conversation.CommentRequest{Action: "create", PRNumber: 213, Body: "Between."})
	author.postQuery(`mutation($id: ID!) { submitPullRequestReview(input: {pullRequestReviewId: $id, event: COMMENT}) { clientMutationId } }`,
		map[string]any{"id": "PRR_kwDODSw4pM4A5TT2"}, &struct{}{})
	got := peer.read(conversation.Request{PRNumber: 213, SinceCommentID: &between.CommentID})
	if ids := collect([]*conversation.Conversation{got}).ids; !slices.Equal(ids, []string{"PRR_kwDODSw4pM4A5TT2", "PRRC_kwDODSw4pM4A9Hc2"}) {
		t.Errorf("what came after the comment between is %s", show(got.Comments))
	}
}

// A review in progress can be thrown away; one that was sent cannot.
func TestDeletingReviews(t *testing.T) {
	h := enterAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.WriteToken)
	moderate := func(id string, confirm bool) error {
		_, err := h.Moderate(context.Background(), conversation.ModerateRequest{Action: "delete", CommentID: id, Confirm: confirm})
		return err
	}
	if err := moderate("pullrequestreview-15021304", true); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(fault.From(err).Fix, "minimize") {
		t.Errorf("a submitted review: %v", err)
	}
	if err := moderate("pullrequestreview-15021302", false); !fault.Is(err, fault.ConfirmationRequired) {
		t.Errorf("a pending review, unconfirmed: %v", err)
	}
	if err := moderate("pullrequestreview-15021302", true); err != nil {
		t.Errorf("a pending review: %v", err)
	}
	if got := h.read(conversation.Request{PRNumber: 213, CommentID: ptr("pullrequestreview-15021302")}); got.Found {
		t.Error("the deleted review is still there")
	}
}
