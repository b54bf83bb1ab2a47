package conversation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// Every spelling of every kind of remark gives the same answer, under the
// number of an issue and of a pull request.
func TestEverySpellingReadsTheSame(t *testing.T) {
	h := enter(t)
	for _, test := range []struct {
		number int
		id     string
		kind   thread.Kind
		count  int
	}{
		{101, "IC_kwDODSw4pM4A1cb3", thread.KindComment, 1},
		{103, "IC_kwDODSw4pM8AAAABQd12AQ", thread.KindComment, 1}, // its number is above 2^31
		{201, "IC_kwDODSw4pM4A1e4F", thread.KindComment, 1},
		{201, "PRR_kwDODSw4pM4A5TBF", thread.KindReview, 4},
		{201, "PRRC_kwDODSw4pM4A9HKH", thread.KindReviewComment, 1},
		{201, "PRRC_kwDODSw4pM4A9HKG", thread.KindReviewComment, 1}, // an answer
	} {
		var first string
		for _, spelling := range append(spellings(t, test.id, test.number), numberOf(t, test.id)) {
			for _, req := range []conversation.Request{{IssueNumber: test.number}, {PRNumber: test.number}} {
				if req.PRNumber != 0 && test.number < 200 {
					continue
				}
				req.CommentID = &spelling
				got := h.read(req)
				if !got.Found || got.Count != test.count || got.Comments.Nodes[0].ID != test.id || got.Comments.Nodes[0].Kind != test.kind {
					t.Fatalf("%s: found %v, %s", show(req), got.Found, show(got.Comments))
				}
				if !got.BodyOmitted || got.Body != nil || got.LatestCommentID != nil || got.Title == "" {
					t.Errorf("%s: the head of a scoped answer is %s", show(req), show(got))
				}
				if text := show(got); first == "" {
					first = text
				} else if text != first {
					t.Errorf("%s reads otherwise (-first +this):\n%s", show(req), cmp.Diff(first, text))
				}
				if since := h.read(conversation.Request{IssueNumber: test.number, SinceCommentID: &spelling}); !since.Found {
					t.Errorf("since %s: not found", spelling)
				}
			}
		}
	}
}

func numberOf(t *testing.T, id string) string {
	t.Helper()
	return strings.TrimLeft(spellings(t, id, 1)[2], "abcdefghijklmnopqrstuvwxyz-_")
}

// A review comes with its inline comments, whatever their number and by pages
// of every size: the hand-off of a review is all of it, also where it has no
// text of its own.
func TestAReviewComesWithItsInlineComments(t *testing.T) {
	h := enter(t)
	h.review(130, "Many.")
	h.review(3, "")
	all := h.truth(201).after(thread.Key{})
	rest := len(all) - 3 - 131
	for _, test := range []struct {
		name string
		want []string
	}{
		{"with a text", all[rest : rest+131]},
		{"without one", append([]string{h.newestReview(201)}, all[len(all)-3:]...)},
	} {
		for _, max := range []int{unlimited, budget, 5000, 2600} {
			pages := h.readAll(conversation.Request{PRNumber: 201, CommentID: &test.want[0]}, max)
			got := collect(pages)
			if diff := cmp.Diff(test.want, got.ids); diff != "" {
				t.Errorf("%s, by %d bytes (-truth +got):\n%s", test.name, max, diff)
			}
			if long := got.bodies[test.want[2]]; len(long) != len("Remark 1.")+400*len(" At length.") {
				t.Errorf("%s, by %d bytes: the long remark has %d bytes", test.name, max, len(long))
			}
			for _, comment := range pages[0].Comments.Nodes[1:] {
				if comment.Kind != thread.KindReviewComment || comment.ThreadID == "" {
					t.Errorf("%s: %s", test.name, show(comment))
				}
			}
		}
	}
}

// newestReview is the id of the review of a pull request that was begun last.
func (h *house) newestReview(number int) string {
	h.t.Helper()
	reviews := h.walk(reviewsQuery, map[string]any{"number": number})
	return reviews[len(reviews)-1].ID
}

// What is well-formed and somewhere else is not found, and nothing of it shown.
func TestARemarkOfAnotherPlaceIsNotFound(t *testing.T) {
	h := enter(t)
	for name, req := range map[string]conversation.Request{
		"of another issue":             {IssueNumber: 102, CommentID: ptr("IC_kwDODSw4pM4A1cb3")},
		"of a pull request":            {IssueNumber: 101, CommentID: ptr("IC_kwDODSw4pM4A1e4F")},
		"of another pull request":      {PRNumber: 213, CommentID: ptr("PRR_kwDODSw4pM4A5TBF")},
		"a comment of an issue":        {PRNumber: 201, CommentID: ptr("issuecomment-14010103")},
		"a review, in an issue":        {IssueNumber: 101, CommentID: ptr("pullrequestreview-15020101")},
		"a discussion's":               {IssueNumber: 101, CommentID: ptr("discussioncomment-12000307")},
		"a discussion's, in a PR":      {PRNumber: 201, CommentID: ptr("discussioncomment-12000307")},
		"nowhere":                      {IssueNumber: 101, CommentID: ptr("99999999")},
		"nowhere, in a pull request":   {PRNumber: 201, CommentID: ptr("99999999")},
		"the URL of another issue":     {IssueNumber: 101, CommentID: ptr("https://github.com/octo-org/hello/issues/102#issuecomment-14010103")},
		"the URL of another repo":      {IssueNumber: 101, CommentID: ptr("https://github.com/octo-org/private/issues/101#issuecomment-14010103")},
		"the URL of another PR":        {PRNumber: 201, CommentID: ptr("https://github.com/octo-org/hello/pull/213#discussion_r16020103")},
		"an id of another repository":  {PRNumber: 201, CommentID: ptr("PRR_kwDODSw4pc4A5TBF")},
		"since, of another issue":      {IssueNumber: 102, SinceCommentID: ptr("IC_kwDODSw4pM4A1cb3")},
		"since, nowhere":               {PRNumber: 201, SinceCommentID: ptr("99999999")},
		"another's pending review":     {PRNumber: 213, CommentID: ptr("pullrequestreview-15021303")},
		"another's pending remark":     {PRNumber: 213, CommentID: ptr("discussion_r16021303")},
		"since, another's pending one": {PRNumber: 213, SinceCommentID: ptr("discussion_r16021303")},
	} {
		got := h.read(req)
		if got.Found || got.Count != 0 || got.Comments.Nodes == nil || len(got.Comments.Nodes) != 0 || got.LatestCommentID != nil {
			t.Errorf("%s: %s", name, show(got))
		}
		next := nextOf(t, got)
		if next.LastN == nil || *next.LastN != 20 || next.CommentID != nil || next.SinceCommentID != nil {
			t.Errorf("%s: next is %s", name, show(next))
		}
		if helped := h.read(next); helped.Count == 0 {
			t.Errorf("%s: next does not help: %s", name, show(helped))
		}
	}
}

// The first selector present decides.
func TestPrecedence(t *testing.T) {
	h := enter(t)
	req := conversation.Request{IssueNumber: 101, LastN: ptr(2)}
	for _, step := range []struct {
		add   func()
		mode  thread.Mode
		count int
	}{
		{func() {}, thread.ByLast, 2},
		{func() { req.SinceCommentID = ptr("14010103") }, thread.BySince, 9},
		{func() { req.CommentID = ptr("14010105") }, thread.ByComment, 1},
	} {
		step.add()
		if got := h.read(req); got.Selector != step.mode || got.Count != step.count {
			t.Errorf("%s: %s with %d, want %s with %d", show(req), got.Selector, got.Count, step.mode, step.count)
		}
	}
}

// A review that was begun before a comment and sent after it is new after it.
func TestWhatWasDraftedEarlierIsNotMissed(t *testing.T) {
	h := enter(t)
	got := h.read(conversation.Request{PRNumber: 213, SinceCommentID: ptr("issuecomment-15021301")})
	var ids []string
	for _, comment := range got.Comments.Nodes {
		ids = append(ids, comment.ID)
	}
	want := []string{"PRR_kwDODSw4pM4A5TT1", "PRRC_kwDODSw4pM4A9Hc1", "PRR_kwDODSw4pM4A5TT4", "PRR_kwDODSw4pM4A5TT5"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("since the comment of noon (-want +got):\n%s", diff)
	}
	if *got.LatestCommentID != want[3] {
		t.Errorf("the watermark is %s", *got.LatestCommentID)
	}
}

// The viewer's own review in progress is there and marked, and is no watermark.
func TestOwnPendingReview(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	h := enterAs(t, running, sandbox.WriteToken)
	got := h.read(conversation.Request{PRNumber: 213})
	var marked []string
	for _, comment := range got.Comments.Nodes {
		switch {
		case comment.AsReview != nil && comment.ReviewState == "PENDING":
			if comment.SubmittedAt != nil {
				t.Errorf("a pending review was submitted at %s", comment.SubmittedAt)
			}
			marked = append(marked, comment.ID)
		case comment.AsRemark != nil && comment.Pending:
			marked = append(marked, comment.ID)
		}
	}
	if diff := cmp.Diff([]string{"PRR_kwDODSw4pM4A5TT2", "PRRC_kwDODSw4pM4A9Hc2"}, marked); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
	for max := 2500; max < 8000; max += 250 {
		pages := h.readAll(conversation.Request{PRNumber: 213}, max)
		for _, page := range pages {
			for _, mark := range []*string{page.LatestCommentID, page.ThreadLatestCommentID} {
				if mark != nil && slices.Contains(marked, *mark) {
					t.Errorf("by %d bytes the watermark is the pending %s", max, *mark)
				}
			}
		}
	}
	for _, id := range marked {
		if alone := h.read(conversation.Request{PRNumber: 213, CommentID: &id}); !alone.Found {
			t.Errorf("%s: not found", id)
		}
		if since := h.read(conversation.Request{PRNumber: 213, SinceCommentID: &id}); !since.Found || slices.Contains(marked[:1], *since.LatestCommentID) {
			t.Errorf("since %s: found %v, watermark %s", id, since.Found, show(since.LatestCommentID))
		}
	}
	if others := enterAs(t, running, sandbox.ReadToken).read(conversation.Request{PRNumber: 213}); others.Count != got.Count-2 {
		t.Errorf("another sees %d remarks, the owner %d", others.Count, got.Count)
	}
}

func TestABareNumberOfTwoRemarksIsAmbiguous(t *testing.T) {
	h := enter(t)
	for _, req := range []conversation.Request{
		{PRNumber: 213, CommentID: ptr("15021301")}, {IssueNumber: 213, SinceCommentID: ptr("15021301")},
	} {
		_, err := h.tryRead(req, budget)
		got := fault.From(err)
		if got == nil || got.Code != fault.AmbiguousArguments || !strings.Contains(got.Fix, "issuecomment-15021301") || !strings.Contains(got.Fix, "pullrequestreview-15021301") {
			t.Fatalf("%s: %v, fix %q", show(req), err, got.Fix)
		}
		for _, spelling := range []string{"issuecomment-15021301", "pullrequestreview-15021301"} {
			if alone := h.read(conversation.Request{PRNumber: 213, CommentID: &spelling}); !alone.Found {
				t.Errorf("%s: not found", spelling)
			}
		}
	}
}

// Whatever is refused says what to do, and the call that it proposes works.
func TestRefusalsLeadOn(t *testing.T) {
	h := enter(t)
	for _, test := range []struct {
		name  string
		req   conversation.Request
		code  fault.Code
		works bool // the proposed call is one of this tool
		says  string
	}{
		{"no number", conversation.Request{}, fault.MissingArguments, false, "issue_number"},
		{"no number, an issue's link", conversation.Request{CommentID: ptr("https://github.com/octo-org/hello/issues/101#issuecomment-14010103")}, fault.MissingArguments, true, ""},
		{"no number, a pull request's link", conversation.Request{SinceCommentID: ptr("https://github.com/octo-org/hello/pull/201#discussion_r16020103")}, fault.MissingArguments, true, ""},
		{"no number, a discussion's link", conversation.Request{CommentID: ptr("https://github.com/octo-org/hello/discussions/3#discussioncomment-12000307")}, fault.MissingArguments, false, "get_discussion_conversation"},
		{"two numbers", conversation.Request{IssueNumber: 101, PRNumber: 201}, fault.AmbiguousArguments, false, "one of them"},
		{"an issue as a pull request", conversation.Request{PRNumber: 101, LastN: ptr(3)}, fault.NotFound, true, ""},
		{"a discussion", conversation.Request{IssueNumber: 3, LastN: ptr(3)}, fault.NotFound, false, `get_discussion_conversation {"repo":"octo-org/hello","discussion_number":3,"last_n":3}`},
		{"a discussion as a pull request", conversation.Request{PRNumber: 3}, fault.NotFound, false, "get_discussion_conversation"},
		{"nothing", conversation.Request{IssueNumber: 99999}, fault.NotFound, false, "list_issues"},
		{"no such pull request", conversation.Request{PRNumber: 99999}, fault.NotFound, false, "list_pull_requests"},
		{"no such repository", conversation.Request{Repo: ptr("nope"), IssueNumber: 1}, fault.NotFoundOrNoAccess, false, ""},
		{"no repository", conversation.Request{Repo: ptr("a b"), IssueNumber: 1}, fault.RepositoryTargetInvalid, false, ""},
		{"no id", conversation.Request{IssueNumber: 101, CommentID: ptr("not_an_id")}, fault.MalformedCommentID, false, "discussion_rN"},
		{"an empty id", conversation.Request{PRNumber: 201, SinceCommentID: ptr("")}, fault.MalformedCommentID, false, ""},
		{"a foreign cursor", conversation.Request{IssueNumber: 101, Cursor: "abc"}, fault.InvalidArguments, false, "next"},
	} {
		_, err := h.tryRead(test.req, budget)
		got := fault.From(err)
		if got == nil || got.Code != test.code || got.Fix == "" || !strings.Contains(got.Fix, test.says) {
			t.Errorf("%s: %v; want %s", test.name, err, test.code)
			continue
		}
		if !test.works {
			continue
		}
		proposed := strings.TrimPrefix(got.Fix, "Call get_conversation ")
		var req conversation.Request
		if err := json.Unmarshal([]byte(proposed), &req); err != nil {
			t.Errorf("%s: the fix %q is no call", test.name, got.Fix)
			continue
		}
		if again := h.read(req); !again.Found || again.Count == 0 {
			t.Errorf("%s: the proposed call gives %s", test.name, show(again))
		}
	}
}

// A cursor opens only under the call that it came from.
func TestCursorsAreBound(t *testing.T) {
	h := enter(t)
	first := h.read(conversation.Request{PRNumber: 209})
	for name, req := range map[string]conversation.Request{
		"another number":   {PRNumber: 201, Cursor: *first.EndCursor},
		"another selector": {PRNumber: 209, LastN: ptr(5), Cursor: *first.EndCursor},
	} {
		if _, err := h.tryRead(req, budget); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again := h.read(conversation.Request{IssueNumber: 209, Cursor: *first.EndCursor}); again.Count == 0 {
		t.Error("the same pull request under issue_number goes on")
	}
}

// The head of an issue has what the write tools set.
func TestTheHeadOfAnIssue(t *testing.T) {
	h := enter(t)
	got := h.read(conversation.Request{IssueNumber: 101})
	want := &conversation.IssueFacts{
		Type: ptr("Bug"), SubIssues: conversation.SubIssues{Numbers: []int{}}, BlockedBy: []int{}, Blocking: []int{},
		Projects: []conversation.Project{
			{Number: 1, Title: "Roadmap", ItemID: "PVTI_kwDODSw4pM4AgHqh", Fields: conversation.Fields{
				{Name: "Estimate", Text: "2.5"}, {Name: "Notes", Text: "Ask beacon-agent about ties"}, {Name: "Priority", Text: "High"},
				{Name: "Ship by", Text: "2026-09-01"}, {Name: "Sprint", Text: "Sprint 2"}, {Name: "Status", Text: "In Progress"},
			}},
			{Number: 2, Title: "Backlog", ItemID: "PVTI_kwDODSw4pM4AgH6J", Fields: conversation.Fields{{Name: "Status", Text: "Open"}}},
		},
	}
	if diff := cmp.Diff(want, got.IssueFacts); diff != "" {
		t.Errorf("facts of #101 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]thread.Reaction{{Content: "+1", Count: 1}, {Content: "eyes", Count: 1}}, got.Reactions); diff != "" {
		t.Errorf("reactions to #101 (-want +got):\n%s", diff)
	}
	if got.Kind != "issue" || got.State != "OPEN" || show(got.Labels) != `["bug","area: reader","agent-ready"]` ||
		show(got.Assignees) != `["octo-write","atlas-agent"]` || *got.Milestone != "1.0" || got.PullFacts != nil {
		t.Errorf("the head of #101 is %s", show(got))
	}
	epic, part := h.read(conversation.Request{IssueNumber: 104, LastN: ptr(1)}), h.read(conversation.Request{IssueNumber: 107})
	if diff := cmp.Diff(conversation.SubIssues{Total: 3, Completed: 2, Numbers: []int{105, 106, 107}}, epic.SubIssues); diff != "" || epic.Projects != nil {
		t.Errorf("sub-issues of #104 (-want +got):\n%s\nprojects %s", diff, show(epic.Projects))
	}
	slices.Sort(part.BlockedBy)
	if *part.Parent != 104 || show(part.BlockedBy) != "[105,106,108]" || show(part.Blocking) != "[109]" {
		t.Errorf("relations of #107: parent %s, blocked by %v, blocking %v", show(part.Parent), part.BlockedBy, part.Blocking)
	}
}

// An inline remark has what an answer in its thread needs; a review that only
// wraps such remarks is not shown, but can be named.
func TestRemarksOfAPullRequest(t *testing.T) {
	h := enter(t)
	got := h.read(conversation.Request{PRNumber: 201})
	if got.Kind != "pull_request" || got.IssueFacts != nil || got.PullFacts == nil || got.BaseRefName != "main" || got.HeadRefName != "fix/ties" || *got.TotalCount != 11 {
		t.Errorf("the head of #201 is %s", show(got))
	}
	byID := map[string]thread.Comment{}
	for _, comment := range got.Comments.Nodes {
		byID[comment.ID] = comment
	}
	for id, want := range map[string]*thread.AsRemark{
		"PRRC_kwDODSw4pM4A9HKH": {Path: "reader/reader.go", Line: ptr(20), StartLine: ptr(13), Side: "RIGHT", ThreadID: "PRRT_kwDODSw4pM4A9HKH"},
		"PRRC_kwDODSw4pM4A9HKJ": {Path: "reader/reader.go", Line: ptr(12), Side: "LEFT", ThreadID: "PRRT_kwDODSw4pM4A9HKI", IsResolved: true, InReplyToID: ptr("PRRC_kwDODSw4pM4A9HKI")},
		"PRRC_kwDODSw4pM4A9HKK": {Path: "reader/watermark.go", Side: "RIGHT", ThreadID: "PRRT_kwDODSw4pM4A9HKK", IsOutdated: true},
	} {
		if diff := cmp.Diff(want, byID[id].AsRemark); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	wrapper := "pullrequestreview-15020104"
	if alone := h.read(conversation.Request{PRNumber: 201, CommentID: &wrapper}); !alone.Found || alone.Comments.Nodes[0].ReviewState != "COMMENTED" {
		t.Errorf("the wrapper alone is %s", show(alone))
	}
	if since := h.read(conversation.Request{PRNumber: 201, SinceCommentID: &wrapper}); since.Count != 4 || since.TotalCount != nil && *since.TotalCount != 11 {
		t.Errorf("since the wrapper: %d of %s", since.Count, show(since.TotalCount))
	}
	reacted := h.read(conversation.Request{PRNumber: 201, CommentID: ptr("issuecomment-14020103")})
	if diff := cmp.Diff([]thread.Reaction{{Content: "+1", Count: 1}}, reacted.Comments.Nodes[0].Reactions); diff != "" {
		t.Errorf("reactions (-want +got):\n%s", diff)
	}
}

// Accounts that are gone are ghosts, in every place.
func TestGhosts(t *testing.T) {
	h := enter(t)
	got := h.read(conversation.Request{PRNumber: 205})
	for _, comment := range got.Comments.Nodes {
		if comment.Author.Login != thread.Ghost || comment.AuthorTrust != "unknown" {
			t.Errorf("%s is by %s, %s", comment.ID, comment.Author.Login, comment.AuthorTrust)
		}
	}
	if got.Count != 4 || got.Author.Login != thread.Ghost || show(got.Assignees) != `["ghost"]` {
		t.Errorf("#205 is %s", show(got))
	}
}

// A comment that came after the first page is left to the next reading.
func TestWhatComesMeanwhileIsLeftToTheNextReading(t *testing.T) {
	h := enter(t)
	for _, number := range []int{101, 201} {
		first, err := h.tryRead(conversation.Request{IssueNumber: number}, 4500)
		if err != nil || !first.Truncated {
			t.Fatalf("#%d: truncated %v, %v", number, first != nil && first.Truncated, err)
		}
		posted, err := h.ManageComment(context.Background(), conversation.CommentRequest{Action: "create", IssueNumber: number, Body: "Meanwhile."})
		if err != nil {
			t.Fatal(err)
		}
		pages := h.readAll(nextOf(t, first), budget)
		last := pages[len(pages)-1]
		if *last.LatestCommentID == posted.CommentID || *last.ThreadLatestCommentID != posted.CommentID {
			t.Errorf("#%d: the watermark is %s, the newest %s, posted was %s", number, *last.LatestCommentID, *last.ThreadLatestCommentID, posted.CommentID)
		}
		if next := h.read(conversation.Request{IssueNumber: number, SinceCommentID: last.LatestCommentID}); next.Count != 1 || next.Comments.Nodes[0].Body != "Meanwhile." {
			t.Errorf("#%d: the next reading is %s", number, show(next.Comments))
		}
	}
}

// Edits of older remarks are told.
func TestEditsAreTold(t *testing.T) {
	h := enter(t)
	for _, test := range []struct {
		number       int
		edited, last string
	}{
		{101, "IC_kwDODSw4pM4A1cb1", "IC_kwDODSw4pM4A1ccA"}, {201, "IC_kwDODSw4pM4A1e4F", "IC_kwDODSw4pM4A1e4H"},
	} {
		before := h.read(conversation.Request{IssueNumber: test.number, SinceCommentID: &test.last})
		if len(before.Edited) != 0 {
			t.Errorf("#%d: edited %s before anything was", test.number, show(before.Edited))
		}
		if _, err := h.ManageComment(context.Background(), conversation.CommentRequest{Action: "update", CommentID: &test.edited, Body: "Corrected."}); err != nil {
			t.Fatal(err)
		}
		after := h.read(conversation.Request{IssueNumber: test.number, SinceCommentID: &test.last})
		if after.Count != 0 || len(after.Edited) != 1 || after.Edited[0].ID != test.edited {
			t.Errorf("#%d: %d new, edited %s", test.number, after.Count, show(after.Edited))
		}
	}
}

// A hand-off is the call that reads just the comment.
func TestHandOffs(t *testing.T) {
	h := enter(t)
	for _, req := range []conversation.CommentRequest{
		{Action: "create", IssueNumber: 101, Body: "To an issue."}, {Action: "create", IssueNumber: 201, Body: "To a pull request, by the name of an issue."},
		{Action: "create", PRNumber: 201, Body: "To a pull request.", Agent: "atlas"},
	} {
		posted, err := h.ManageComment(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if posted.Handoff == nil || posted.Handoff.Tool != conversation.ReadTool || posted.CreatedAt == nil || posted.DatabaseID == nil || posted.URL == "" {
			t.Fatalf("%s: %s", show(req), show(posted))
		}
		got := h.read(posted.Handoff.Arguments)
		want := req.Body
		if req.Agent != "" {
			want += "\n\n— agent " + req.Agent
		}
		if got.Count != 1 || got.Comments.Nodes[0].Body != want || !strings.Contains(posted.Message, fmt.Sprint(got.Number)) {
			t.Errorf("%s reads as %s", show(posted.Handoff), show(got.Comments))
		}
	}
}
