package discussion_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// writes counts the mutations that have reached GitHub.
func (h *house) writes() int {
	n := 0
	for _, request := range h.sandbox.Requests() {
		if request.Mutation {
			n++
		}
	}
	return n
}

// comment is a call of manage_discussion_comment.
func (h *house) comment(req discussion.CommentRequest) (*discussion.CommentResult, error) {
	return h.ManageComment(context.Background(), req)
}

// expectRefusal fails unless err is a fault with the code and each of the
// words, and nothing was written since before.
func (h *house) expectRefusal(err error, before int, code fault.Code, words ...string) {
	h.t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != code {
		h.t.Errorf("error is %v, want %s", err, code)
		return
	}
	said := show(refusal.Public())
	for _, word := range words {
		if !strings.Contains(said, word) {
			h.t.Errorf("the refusal lacks %q: %s", word, said)
		}
	}
	if n := h.writes() - before; n != 0 {
		h.t.Errorf("%d writes went out with a refusal", n)
	}
}

// bodyOf reads the one comment or reply that the hand-off is about, in slices
// where it is long.
func (h *house) bodyOf(handoff discussion.Handoff) string {
	h.t.Helper()
	pages := h.readAll(handoff.Arguments, budget)
	all, id, matched := collect(pages), *handoff.Arguments.CommentID, pages[0].MatchedReplyID
	if isReply := len(all.ids) == 2 && all.ids[1] == id && matched == id; !isReply && (len(all.ids) == 0 || all.ids[0] != id || matched != "") {
		h.t.Fatalf("the hand-off reads %s", show(pages))
	}
	return all.bodies[id]
}

func TestBodiesArePostedAsTheyAre(t *testing.T) {
	h := open(t)
	for name, test := range map[string]struct {
		body, agent, want, warning string
	}{
		"plain":               {"Agreed.", "", "Agreed.", ""},
		"CR LF":               {"one\r\ntwo\r\n", "", "one\r\ntwo\r\n", ""},
		"markup":              {"a<b && c>d, Vec<T> \"q\" \\ /", "", "a<b && c>d, Vec<T> \"q\" \\ /", ""},
		"blanks around":       {"\n  indented\n\n", "", "\n  indented\n\n", ""},
		"hidden":              {"zero\u200bwidth \u202e\U000E0041 \U0001F469\u200d\U0001F467", "", "zero\u200bwidth \u202e\U000E0041 \U0001F469\u200d\U0001F467", ""},
		"escaped line breaks": {`one\ntwo`, "", `one\ntwo`, `\n`},
		"code about breaks":   {"use `\\n`\nhere", "", "use `\\n`\nhere", ""},
		"signed":              {"Done.", "atlas", "Done.\n\n— agent atlas", ""},
		"the longest":         {strings.Repeat("é", 65536), "", strings.Repeat("é", 65536), ""},
	} {
		for _, kind := range []string{"comment", "reply", "edit"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				req := discussion.CommentRequest{Action: "create", DiscussionNumber: 1, Body: test.body, Agent: test.agent}
				switch kind {
				case "reply":
					req.ReplyToID = &h.post(1, "", "above").CommentID
				case "edit":
					req.Action, req.CommentID = "update", &h.post(1, "", "before").CommentID
				}
				got, err := h.comment(req)
				if err != nil {
					t.Fatal(err)
				}
				if stored := h.bodyOf(got.Handoff); stored != test.want {
					t.Errorf("GitHub stores %q, want %q", cut(stored), cut(test.want))
				}
				if warned := strings.Contains(strings.Join(got.Warnings, "\n"), `\n`); warned != (test.warning != "") {
					t.Errorf("warnings %q", got.Warnings)
				}
			})
		}
	}
}

func cut(text string) string { return text[:min(len(text), 80)] }

// TestWritesAnswerWithGitHubsWords compares each answer with what a read says.
func TestWritesAnswerWithGitHubsWords(t *testing.T) {
	h := open(t)
	posted := h.post(2, "", "first")
	reply := h.post(2, posted.CommentID, "under it")
	edited, err := h.comment(discussion.CommentRequest{Action: "update", CommentID: &posted.CommentID, Body: "second"})
	if err != nil {
		t.Fatal(err)
	}
	read := h.read(reply.Handoff.Arguments)
	comment := read.Comments.Nodes[0]
	if posted.CommentID != comment.ID || *posted.DatabaseID != *comment.DatabaseID || posted.URL != comment.URL ||
		!posted.CreatedAt.Equal(comment.CreatedAt) || posted.ReplyToID != "" || posted.UpdatedAt != nil {
		t.Errorf("create answers %s\nGitHub has %s", show(posted), show(comment))
	}
	answer := comment.Replies.Nodes[0]
	if reply.CommentID != answer.ID || reply.URL != answer.URL || reply.ReplyToID != comment.ID || reply.CommentID != read.MatchedReplyID {
		t.Errorf("a reply answers %s\nGitHub has %s", show(reply), show(answer))
	}
	if edited.CommentID != comment.ID || edited.CreatedAt != nil || !edited.UpdatedAt.Equal(comment.UpdatedAt) || comment.Body != "second" {
		t.Errorf("update answers %s\nGitHub has %s", show(edited), show(comment))
	}
	want := discussion.Handoff{Tool: "get_discussion_conversation", Arguments: discussion.ConversationRequest{
		Repo: ptr("octo-org/hello"), DiscussionNumber: 2, CommentID: &posted.CommentID,
	}}
	if diff := cmp.Diff(want, edited.Handoff); diff != "" {
		t.Errorf("hand-off (-want +got):\n%s", diff)
	}
}

// TestEverySpellingIsTaken: a comment is named in every way that GitHub and
// people write it, for an edit and for a reply, without and with the number
// of its discussion.
func TestEverySpellingIsTaken(t *testing.T) {
	h := open(t)
	posted := h.post(12, "", "target")
	number := strconv.FormatInt(*posted.DatabaseID, 10)
	for name, test := range map[string]struct {
		id         string
		withNumber bool
	}{
		"node id":               {posted.CommentID, false},
		"node id and number":    {posted.CommentID, true},
		"URL":                   {posted.URL, false},
		"URL, decorated":        {"  " + strings.Replace(posted.URL, "github.com", "GitHub.COM", 1) + "  ", false},
		"URL with a query":      {strings.Replace(posted.URL, "#", "?sort=new#", 1), false},
		"anchor":                {"discussioncomment-" + number, false},
		"bare number, with its": {number, true},
	} {
		t.Run(name, func(t *testing.T) {
			edit := discussion.CommentRequest{Action: "update", CommentID: &test.id, Body: "by " + name}
			reply := discussion.CommentRequest{Action: "create", ReplyToID: &test.id, Body: "re " + name}
			if test.withNumber {
				edit.DiscussionNumber, reply.DiscussionNumber = 12, 12
			}
			got, err := h.comment(edit)
			if err != nil || got.CommentID != posted.CommentID || h.bodyOf(got.Handoff) != edit.Body {
				t.Errorf("edit: %s, %v", show(got), err)
			}
			got, err = h.comment(reply)
			if err != nil || got.ReplyToID != posted.CommentID || h.bodyOf(got.Handoff) != reply.Body {
				t.Errorf("reply: %s, %v", show(got), err)
			}
		})
	}
}

func TestCommentsAreRefusedWithTheWayOut(t *testing.T) {
	h := open(t)
	top := h.post(3, "", "top")
	reply := h.post(3, top.CommentID, "reply")
	elsewhere := h.post(2, "", "elsewhere")
	private, err := h.ManageComment(context.Background(), discussion.CommentRequest{
		Repo: ptr("octo-org/private"), Action: "create", DiscussionNumber: 1, Body: "secret",
	})
	if err != nil {
		t.Fatal(err)
	}
	number := strconv.FormatInt(*top.DatabaseID, 10)
	create := func(change func(*discussion.CommentRequest)) discussion.CommentRequest {
		req := discussion.CommentRequest{Action: "create", DiscussionNumber: 3, Body: "x"}
		change(&req)
		return req
	}
	update := func(id string, change func(*discussion.CommentRequest)) discussion.CommentRequest {
		req := discussion.CommentRequest{Action: "update", CommentID: &id, Body: "x"}
		change(&req)
		return req
	}
	same := func(*discussion.CommentRequest) {}
	in := func(n int) func(*discussion.CommentRequest) {
		return func(r *discussion.CommentRequest) { r.DiscussionNumber = n }
	}
	under := func(id string) func(*discussion.CommentRequest) {
		return func(r *discussion.CommentRequest) { r.ReplyToID = &id }
	}
	for name, test := range map[string]struct {
		req   discussion.CommentRequest
		code  fault.Code
		words []string
	}{
		"a reply to a reply":          {create(under(reply.CommentID)), fault.InvalidArguments, []string{"reply_to_id", top.CommentID}},
		"a bare number alone":         {update(number, same), fault.AmbiguousArguments, []string{"comment_id", "bare number"}},
		"a reply to a number alone":   {create(func(r *discussion.CommentRequest) { r.ReplyToID, r.DiscussionNumber = &number, 0 }), fault.AmbiguousArguments, []string{"reply_to_id"}},
		"a number of another":         {update(number, in(2)), fault.NotFound, []string{"comment_id", "#2"}},
		"a comment of another":        {update(elsewhere.CommentID, in(3)), fault.NotFound, []string{"comment_id"}},
		"a URL of another":            {update(elsewhere.URL, in(3)), fault.NotFound, []string{"comment_id"}},
		"a reply under another's":     {create(under(elsewhere.CommentID)), fault.NotFound, []string{"reply_to_id"}},
		"a private one, by node id":   {update(private.CommentID, same), fault.NotFound, []string{"comment_id"}},
		"a private one, by URL":       {update(private.URL, same), fault.NotFound, []string{"comment_id"}},
		"a comment of an issue":       {update("issuecomment-5", same), fault.NotFound, nil},
		"no spelling":                 {update("first comment", same), fault.MalformedCommentID, []string{"comment_id", "first comment"}},
		"an empty spelling":           {create(under("")), fault.MalformedCommentID, []string{"reply_to_id"}},
		"a comment that is not there": {update("discussioncomment-1", same), fault.NotFound, []string{"comment_id"}},
		"no discussion":               {create(in(0)), fault.MissingArguments, []string{"discussion_number", "reply_to_id"}},
		"an unknown discussion":       {create(in(4711)), fault.NotFound, []string{"4711"}},
		"an unknown repository":       {create(func(r *discussion.CommentRequest) { r.Repo = ptr("octo-org/none") }), fault.NotFoundOrNoAccess, []string{"octo-org/none"}},
		"a malformed repository":      {create(func(r *discussion.CommentRequest) { r.Repo = ptr("a/b/c") }), fault.RepositoryTargetInvalid, []string{"a/b/c"}},
		"an edit of nothing":          {discussion.CommentRequest{Action: "update", Body: "x"}, fault.MissingArguments, []string{"comment_id"}},
		"create with comment_id":      {create(func(r *discussion.CommentRequest) { r.CommentID = &top.CommentID }), fault.InvalidArguments, []string{"reply_to_id"}},
		"update with reply_to_id":     {update(top.CommentID, under(top.CommentID)), fault.InvalidArguments, []string{"reply_to_id"}},
		"a blank body":                {create(func(r *discussion.CommentRequest) { r.Body = " \r\n\t" }), fault.InvalidArguments, []string{"body"}},
		"too long a body":             {create(func(r *discussion.CommentRequest) { r.Body = strings.Repeat("é", 65537) }), fault.TooLarge, []string{"65537", "65536"}},
		"too long with its signature": {create(func(r *discussion.CommentRequest) { r.Body, r.Agent = strings.Repeat("x", 65530), "atlas" }), fault.TooLarge, []string{"65536"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := h.writes()
			_, err := h.comment(test.req)
			h.expectRefusal(err, before, test.code, test.words...)
		})
	}
	if got := h.bodyOf(private.Handoff); got != "secret" {
		t.Errorf("the private comment now says %q", got)
	}
	if got := h.bodyOf(elsewhere.Handoff); got != "elsewhere" {
		t.Errorf("the comment of the other discussion now says %q", got)
	}
}

// TestALockedThreadSaysThatItIsLocked for who may not write there, and takes
// the text of who may.
func TestALockedThreadSaysThatItIsLocked(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	reader, writer := openAs(t, running, sandbox.ReadToken), openAs(t, running, sandbox.WriteToken)
	own := reader.post(2, "", "mine")
	if _, err := writer.Manage(context.Background(), discussion.ManageRequest{Action: "lock", DiscussionNumber: 2}); err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]discussion.CommentRequest{
		"a comment": {Action: "create", DiscussionNumber: 2, Body: "x"},
		"a reply":   {Action: "create", ReplyToID: &own.CommentID, Body: "x"},
		"an edit":   {Action: "update", CommentID: &own.CommentID, Body: "x"},
	} {
		_, err := reader.comment(req)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Code != fault.Forbidden ||
			!strings.Contains(refusal.Message, "locked") || !strings.Contains(refusal.Message, "write permission") {
			t.Errorf("%s by a reader: %v", name, err)
		}
		if _, err := writer.comment(req); err != nil {
			t.Errorf("%s by a writer: %v", name, err)
		}
	}
}
