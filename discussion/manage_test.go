package discussion_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// manage is a call of manage_discussion that has to succeed.
func (h *house) manage(req discussion.ManageRequest) *discussion.ManageResult {
	h.t.Helper()
	got, err := h.Manage(context.Background(), req)
	if err != nil {
		h.t.Fatalf("%s: %v", show(req), err)
	}
	return got
}

// TestADiscussionsLife runs every action on one discussion after another, and
// compares each answer with what a read says.
func TestADiscussionsLife(t *testing.T) {
	h := open(t)
	created, err := h.Create(context.Background(), discussion.CreateRequest{Title: "How?", Body: "b", Category: "q-a"})
	if err != nil {
		t.Fatal(err)
	}
	number := created.DiscussionNumber
	first, second := h.post(number, "", "one"), h.post(number, "", "two")
	for _, step := range []struct {
		name   string
		req    discussion.ManageRequest
		state  string
		locked bool
		answer string
		says   string
		writes int
		is     func(*discussion.Conversation) bool
	}{
		{name: "title", req: discussion.ManageRequest{Action: "update", Title: ptr("How & <why>?")}, state: "OPEN", writes: 1, says: "Updated",
			is: func(c *discussion.Conversation) bool { return c.Title == "How & <why>?" && *c.Body == "b" }},
		{name: "body", req: discussion.ManageRequest{Action: "update", Body: ptr("c\r\nd\n")}, state: "OPEN", writes: 1, says: "Updated",
			is: func(c *discussion.Conversation) bool { return c.Title == "How & <why>?" && *c.Body == "c\r\nd\n" }},
		{name: "category", req: discussion.ManageRequest{Action: "update", Category: ptr("SUPPORT")}, state: "OPEN", writes: 1, says: "Updated",
			is: func(c *discussion.Conversation) bool { return c.Category.Name == "Support" && *c.Body == "c\r\nd\n" }},
		{name: "all three", req: discussion.ManageRequest{Action: "update", Title: ptr("How?"), Body: ptr("e"), Category: ptr("q&a")}, state: "OPEN", writes: 1, says: "Updated",
			is: func(c *discussion.Conversation) bool {
				return c.Title == "How?" && *c.Body == "e" && c.Category.Slug == "q-a"
			}},
		{name: "answer", req: discussion.ManageRequest{Action: "mark_answer", CommentID: &first.CommentID}, state: "OPEN", answer: first.CommentID, writes: 1, says: "answer"},
		{name: "another answer, by number", req: discussion.ManageRequest{Action: "mark_answer", CommentID: ptr(strconv.FormatInt(*second.DatabaseID, 10))}, state: "OPEN", answer: second.CommentID, writes: 1, says: "answer"},
		{name: "no answer", req: discussion.ManageRequest{Action: "unmark_answer"}, state: "OPEN", writes: 1, says: "Unmarked"},
		{name: "answer by URL", req: discussion.ManageRequest{Action: "mark_answer", CommentID: &first.URL}, state: "OPEN", answer: first.CommentID, writes: 1, says: "answer"},
		{name: "no answer, by its id", req: discussion.ManageRequest{Action: "unmark_answer", CommentID: &first.CommentID}, state: "OPEN", writes: 1, says: "Unmarked"},
		{name: "close", req: discussion.ManageRequest{Action: "close"}, state: "CLOSED", writes: 1, says: "Closed",
			is: func(c *discussion.Conversation) bool { return *c.StateReason == "RESOLVED" }},
		{name: "close again", req: discussion.ManageRequest{Action: "close"}, state: "CLOSED", says: "Nothing to do"},
		{name: "close for the same reason", req: discussion.ManageRequest{Action: "close", Reason: "resolved"}, state: "CLOSED", says: "Nothing to do"},
		{name: "close for another reason", req: discussion.ManageRequest{Action: "close", Reason: "duplicate"}, state: "CLOSED", writes: 1, says: "Closed",
			is: func(c *discussion.Conversation) bool { return *c.StateReason == "DUPLICATE" }},
		{name: "reopen", req: discussion.ManageRequest{Action: "reopen"}, state: "OPEN", writes: 1, says: "Reopened"},
		{name: "reopen again", req: discussion.ManageRequest{Action: "reopen"}, state: "OPEN", says: "Nothing to do"},
		{name: "close as outdated", req: discussion.ManageRequest{Action: "close", Reason: "outdated"}, state: "CLOSED", writes: 1, says: "Closed",
			is: func(c *discussion.Conversation) bool { return *c.StateReason == "OUTDATED" }},
		{name: "lock", req: discussion.ManageRequest{Action: "lock"}, state: "CLOSED", locked: true, writes: 1, says: "Locked"},
		{name: "lock again", req: discussion.ManageRequest{Action: "lock"}, state: "CLOSED", locked: true, says: "Nothing to do"},
		{name: "lock with a reason", req: discussion.ManageRequest{Action: "lock", Reason: "too heated"}, state: "CLOSED", locked: true, writes: 1, says: "Locked"},
		{name: "lock with that reason", req: discussion.ManageRequest{Action: "lock", Reason: "too heated"}, state: "CLOSED", locked: true, says: "Nothing to do"},
		{name: "lock as off-topic", req: discussion.ManageRequest{Action: "lock", Reason: "off-topic"}, state: "CLOSED", locked: true, writes: 1, says: "Locked"},
		{name: "unlock", req: discussion.ManageRequest{Action: "unlock"}, state: "CLOSED", writes: 1, says: "Unlocked"},
		{name: "unlock again", req: discussion.ManageRequest{Action: "unlock"}, state: "CLOSED", says: "Nothing to do"},
	} {
		step.req.DiscussionNumber = number
		before := h.writes()
		got := h.manage(step.req)
		answer := ""
		if got.AnswerID != nil {
			answer = *got.AnswerID
		}
		if got.State != step.state || got.Locked != step.locked || answer != step.answer || !strings.Contains(got.Message, step.says) || len(got.Warnings) > 0 {
			t.Errorf("%s: %s", step.name, show(got))
		}
		if n := h.writes() - before; n != step.writes {
			t.Errorf("%s: %d writes, want %d", step.name, n, step.writes)
		}
		read := h.read(discussion.ConversationRequest{DiscussionNumber: number})
		if read.ID != got.ID || read.URL != got.URL || read.Number != got.DiscussionNumber || read.State != got.State || read.Locked != got.Locked ||
			!read.UpdatedAt.Equal(got.UpdatedAt) || show(read.AnswerID) != show(got.AnswerID) {
			t.Errorf("%s: answered %s\nGitHub has %s", step.name, show(got), show(read))
		}
		if step.is != nil && !step.is(read) {
			t.Errorf("%s: GitHub has %s", step.name, show(read))
		}
	}
	h.deleteIt(created)
}

// deleteIt deletes a discussion: asked without confirmation, nothing happens
// but a refusal with the call that does it.
func (h *house) deleteIt(created *discussion.CreateResult) {
	h.t.Helper()
	req := discussion.ManageRequest{Action: "delete", DiscussionNumber: created.DiscussionNumber}
	before := h.writes()
	_, err := h.Manage(context.Background(), req)
	h.expectRefusal(err, before, fault.ConfirmationRequired, `"tool":"manage_discussion"`, `"confirm":true`, `"repo":"octo-org/hello"`,
		`"discussion_number":`+strconv.Itoa(created.DiscussionNumber))
	req.Confirm = true
	got := h.manage(req)
	if got.State != "DELETED" || got.ID != created.ID || got.AnswerID != nil || h.writes() != before+1 {
		h.t.Errorf("delete answers %s after %d writes", show(got), h.writes()-before)
	}
	_, err = h.Manage(context.Background(), req)
	h.expectRefusal(err, before+1, fault.NotFound, strconv.Itoa(created.DiscussionNumber))
}

func TestChangesAreRefusedWithTheWayOut(t *testing.T) {
	h := open(t)
	question := h.read(discussion.ConversationRequest{DiscussionNumber: 24}).Comments.Nodes[0]
	reply := h.post(24, question.ID, "a reply")
	other := h.read(discussion.ConversationRequest{DiscussionNumber: 6}).Comments.Nodes[0]
	idea := h.read(discussion.ConversationRequest{DiscussionNumber: 3}).Comments.Nodes[0]
	do := func(action string, number int, change func(*discussion.ManageRequest)) discussion.ManageRequest {
		req := discussion.ManageRequest{Action: action, DiscussionNumber: number}
		change(&req)
		return req
	}
	nothing := func(*discussion.ManageRequest) {}
	comment := func(id string) func(*discussion.ManageRequest) {
		return func(r *discussion.ManageRequest) { r.CommentID = &id }
	}
	for name, test := range map[string]struct {
		req   discussion.ManageRequest
		code  fault.Code
		words []string
	}{
		"an update of nothing":         {do("update", 3, nothing), fault.MissingArguments, []string{"title", "body", "category"}},
		"a title of two lines":         {do("update", 3, func(r *discussion.ManageRequest) { r.Title = ptr("a\nb") }), fault.InvalidArguments, []string{"title", "line"}},
		"a blank title":                {do("update", 3, func(r *discussion.ManageRequest) { r.Title = ptr(" ") }), fault.InvalidArguments, []string{"title"}},
		"a blank body":                 {do("update", 3, func(r *discussion.ManageRequest) { r.Body = ptr("\n") }), fault.InvalidArguments, []string{"body"}},
		"an unknown category":          {do("update", 3, func(r *discussion.ManageRequest) { r.Category = ptr("nowhere") }), fault.InvalidCategory, []string{"Announcements", "Ideas", "ZZ Archive"}},
		"a title for a lock":           {do("lock", 3, func(r *discussion.ManageRequest) { r.Title = ptr("t") }), fault.InvalidArguments, []string{"title", "lock"}},
		"a reason to reopen":           {do("reopen", 15, func(r *discussion.ManageRequest) { r.Reason = "resolved" }), fault.InvalidArguments, []string{"reason"}},
		"a lock's reason to close":     {do("close", 3, func(r *discussion.ManageRequest) { r.Reason = "spam" }), fault.InvalidArguments, []string{"resolved, outdated, duplicate"}},
		"a close's reason to lock":     {do("lock", 3, func(r *discussion.ManageRequest) { r.Reason = "outdated" }), fault.InvalidArguments, []string{"too heated"}},
		"an answer without comment":    {do("mark_answer", 24, nothing), fault.MissingArguments, []string{"comment_id"}},
		"a reply as the answer":        {do("mark_answer", 24, comment(reply.CommentID)), fault.InvalidArguments, []string{"reply", question.ID}},
		"another's comment as answer":  {do("mark_answer", 24, comment(other.ID)), fault.NotFound, []string{"comment_id", "#24"}},
		"an answer among the ideas":    {do("mark_answer", 3, comment(idea.ID)), fault.ValidationFailed, []string{"Ideas", "isAnswerable"}},
		"no spelling of an answer":     {do("mark_answer", 24, comment("the first")), fault.MalformedCommentID, []string{"comment_id"}},
		"unmarking where none is":      {do("unmark_answer", 24, nothing), fault.ValidationFailed, []string{"no accepted answer"}},
		"unmarking what is no answer":  {do("unmark_answer", 6, comment(other.ID)), fault.Conflict, []string{"answerId"}},
		"deleting without a word":      {do("delete", 3, nothing), fault.ConfirmationRequired, []string{`"confirm":true`}},
		"a discussion that is not":     {do("close", 4711, nothing), fault.NotFound, []string{"4711"}},
		"an issue":                     {do("close", 101, nothing), fault.NotFound, []string{"101"}},
		"a repository that is not":     {do("close", 3, func(r *discussion.ManageRequest) { r.Repo = ptr("octo-org/none") }), fault.NotFoundOrNoAccess, []string{"octo-org/none"}},
		"a repository that cannot be":  {do("close", 3, func(r *discussion.ManageRequest) { r.Repo = ptr("a b") }), fault.RepositoryTargetInvalid, nil},
		"a comment where none belongs": {do("close", 3, comment(idea.ID)), fault.InvalidArguments, []string{"comment_id"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := h.writes()
			_, err := h.Manage(context.Background(), test.req)
			h.expectRefusal(err, before, test.code, test.words...)
		})
	}
}

// TestAnEscapedBodyIsWarnedOf in a discussion's own text, too.
func TestAnEscapedBodyIsWarnedOf(t *testing.T) {
	h := open(t)
	created, err := h.Create(context.Background(), discussion.CreateRequest{Title: "t", Body: `one\ntwo`, Category: "Ideas"})
	if err != nil || len(created.Warnings) != 1 {
		t.Fatalf("create: %s, %v", show(created), err)
	}
	got := h.manage(discussion.ManageRequest{Action: "update", DiscussionNumber: created.DiscussionNumber, Body: ptr(`three\nfour`)})
	read := h.read(discussion.ConversationRequest{DiscussionNumber: created.DiscussionNumber})
	if len(got.Warnings) != 1 || *read.Body != `three\nfour` {
		t.Errorf("update: %s; GitHub has %q", show(got), *read.Body)
	}
}
