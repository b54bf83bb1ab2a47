package pullrequest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// reviewable is what GitHub tells of pull request 7 before a review; opinions
// and pending are the nodes of its reviews.
func reviewable(opinions, pending string) string {
	return fmt.Sprintf(`{"data":{"repository":{"pullRequest":{"id":"PR_7","state":"OPEN","headRefOid":%q,"viewerDidAuthor":false,
		"latestOpinionatedReviews":{"pageInfo":{"hasNextPage":false,"endCursor":""},"nodes":[%s]},
		"pending":{"nodes":[%s]},"latest":{"nodes":[{"id":"PRR_old","url":"u"}]}}}}}`, headA, opinions, pending)
}

func opinion(login, state string) string {
	author := fmt.Sprintf(`{"login":%q}`, login)
	if login == "" {
		author = "null"
	}
	return fmt.Sprintf(`{"id":"PRR_%s","state":%q,"url":"https://x/%s","author":%s,"viewerDidAuthor":%t,"commit":{"oid":%q}}`,
		login, state, login, author, login == "me", headA)
}

func review(id, state, body string) string {
	return fmt.Sprintf(`{"id":%q,"databaseId":null,"state":%q,"body":%q,"url":"https://x/r","submittedAt":"2026-01-02T03:04:05Z","viewerDidAuthor":true,
		"author":{"login":"me"},"pullRequest":{"number":7,"repository":{"nameWithOwner":"octo-org/hello"}},
		"comments":{"totalCount":1,"nodes":[{"id":"PRRC_kwDOAAAAAc8AAAABBUSMzg","databaseId":5,"url":"https://x/c"}]}}`, id, state, body)
}

func added(review string) string {
	return `{"data":{"addPullRequestReview":{"pullRequestReview":` + review + `}}}`
}

func approve(h *house, acknowledged ...pullrequest.Acknowledged) (*pullrequest.ReviewResult, error) {
	return h.ManageReview(context.Background(), pullrequest.ReviewRequest{
		Action: "create", PRNumber: 7, Event: "approve", AcknowledgedRequestChanges: acknowledged,
	})
}

// TestApprovalOverARequestForChanges is A56. GitHub's latest opinionated review
// of each reviewer passes over comments, so a later comment does not clear.
func TestApprovalOverARequestForChanges(t *testing.T) {
	answers := map[string]string{
		"latestOpinionatedReviews": reviewable(opinion("octo-b", "CHANGES_REQUESTED")+","+opinion("", "CHANGES_REQUESTED")+","+opinion("me", "CHANGES_REQUESTED")+","+opinion("octo-c", "APPROVED"), ""),
		"addPullRequestReview":     added(review("PRR_new", "APPROVED", "")),
	}
	h, p := onPlay(t, answers)
	_, err := approve(h)
	got := refused(t, err, fault.ReviewConflict)
	var logins []string
	for _, one := range got.Details["requestedBy"].([]pullrequest.Standing) {
		logins = append(logins, one.Login)
	}
	if diff := cmp.Diff([]string{"octo-b", "ghost"}, logins); diff != "" {
		t.Errorf("who stands (-want +got):\n%s", diff)
	}
	for name, acknowledged := range map[string][]pullrequest.Acknowledged{
		"one of two":  {{Login: "octo-b", Evidence: "3f2a1bc"}},
		"no evidence": {{Login: "octo-b", Evidence: " "}, {Login: "ghost", Evidence: "gone"}},
		"another":     {{Login: "octo-c", Evidence: "x"}, {Login: "ghost", Evidence: "gone"}},
	} {
		if _, err := approve(h, acknowledged...); !fault.Is(err, fault.ReviewConflict) {
			t.Errorf("%s: %v, want REVIEW_CONFLICT", name, err)
		}
	}
	if n := p.count("addPullRequestReview("); n != 0 {
		t.Fatalf("%d reviews went out", n)
	}
	result, err := approve(h, pullrequest.Acknowledged{Login: "@Octo-B", Evidence: "3f2a1bc"}, pullrequest.Acknowledged{Login: "ghost", Evidence: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	delivered(t, "manage_pr_review", result, budget)
	answers["latestOpinionatedReviews"] = reviewable(opinion("octo-b", "APPROVED")+","+opinion("octo-d", "DISMISSED"), "")
	if _, err := approve(h); err != nil {
		t.Errorf("after an approval and a dismissal: %v", err)
	}
}

func TestReviewIsPostedWhole(t *testing.T) {
	h, p := onPlay(t, map[string]string{
		"latestOpinionatedReviews": reviewable("", ""),
		"addPullRequestReview":     added(review("PRR_kwDOAAAAAc4AAAAF", "CHANGES_REQUESTED", "Hm.")),
	})
	body := "Hm."
	result, err := h.ManageReview(context.Background(), pullrequest.ReviewRequest{
		Action: "create", PRNumber: 7, Event: "request_changes", Body: &body, Agent: "octo",
		Comments: []pullrequest.Inline{{Path: "a.go", Line: 4, Body: "one"}, {Path: "a.go", Line: 9, StartLine: 7, Side: "LEFT", Body: "two"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := delivered(t, "manage_pr_review", result, budget)
	if got.Handoff == nil || got.Handoff.Arguments != (pullrequest.ReadArguments{Repo: "octo-org/hello", PRNumber: 7, CommentID: "PRR_kwDOAAAAAc4AAAAF"}) {
		t.Errorf("handoff = %+v", got.Handoff)
	}
	if len(got.Comments) != 1 || *got.Comments[0].DatabaseID != 5 {
		t.Errorf("comments = %+v", got.Comments)
	}
	for _, want := range []string{
		`"body":"Hm.\n\n— agent octo"`, `"event":"REQUEST_CHANGES"`, `{"body":"one","path":"a.go","line":4,"side":"RIGHT"}`,
		`{"body":"two","path":"a.go","line":9,"side":"LEFT","startLine":7,"startSide":"LEFT"}`,
	} {
		if p.count(want) != 1 {
			t.Errorf("%s was not sent once", want)
		}
	}
}

func TestPendingReviewIsNotHandedOn(t *testing.T) {
	h, p := onPlay(t, map[string]string{
		"latestOpinionatedReviews": reviewable("", ""),
		"addPullRequestReview":     added(review("PRR_new", "PENDING", "")),
	})
	result, err := h.ManageReview(context.Background(), pullrequest.ReviewRequest{Action: "create", PRNumber: 7, Event: "pending"})
	if err != nil || result.Handoff != nil || p.count(`"event"`) != 0 {
		t.Errorf("result %+v, error %v; want no handoff, and no event sent", result, err)
	}
	h, p = onPlay(t, map[string]string{"latestOpinionatedReviews": reviewable("", `{"id":"PRR_mine","url":"https://x/mine"}`)})
	_, err = approve(h)
	if got := refused(t, err, fault.ReviewConflict); got.Details["pendingReviewId"] != "PRR_mine" || p.count("addPullRequestReview(") != 0 {
		t.Errorf("details = %v", got.Details)
	}
}

// TestBadLinesAreNamed: GitHub refuses the whole review and does not say which
// line is at fault.
func TestBadLinesAreNamed(t *testing.T) {
	h, p := onPlay(t, map[string]string{
		"latestOpinionatedReviews": reviewable("", ""),
		"addPullRequestReview":     `{"data":{"addPullRequestReview":null},"errors":[{"type":"UNPROCESSABLE","path":["addPullRequestReview"],"message":"Pull request review thread line must be part of the diff"}]}`,
	})
	p.rest("GET /api/v3/repos/octo-org/hello/pulls/7", 200, nil, "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,3 @@\n a\n+b\n c\n")
	_, err := h.ManageReview(context.Background(), pullrequest.ReviewRequest{Action: "create", PRNumber: 7, Event: "comment", Comments: []pullrequest.Inline{
		{Path: "a.go", Line: 3, Body: "good"}, {Path: "a.go", Line: 3, Side: "LEFT", Body: "bad"}, {Path: "b.go", Line: 1, Body: "bad"},
	}})
	got := refused(t, err, fault.ValidationFailed)
	want := []string{"comments[1]: a.go:3 (LEFT)", "comments[2]: b.go:1 (RIGHT)"}
	if diff := cmp.Diff(want, got.Details["badComments"]); diff != "" {
		t.Errorf("badComments (-want +got):\n%s", diff)
	}
}

// TestLostReviewIsLookedFor is A58 for reviews: one request goes out, and what
// became of it is read.
func TestLostReviewIsLookedFor(t *testing.T) {
	answers := map[string]string{
		"latestOpinionatedReviews": reviewable("", ""),
		"addPullRequestReview":     "LOST",
		"comments(first: 100)":     `{"data":{"repository":{"pullRequest":{"latest":{"nodes":[` + review("PRR_old", "COMMENTED", "Fine.") + "," + review("PRR_new", "COMMENTED", "Fine.") + `]}}}}}`,
	}
	answers["latest: reviews(last: 30){nodes{id,databaseId"] = answers["comments(first: 100)"]
	delete(answers, "comments(first: 100)")
	h, p := onPlay(t, answers)
	body := "Fine."
	req := pullrequest.ReviewRequest{Action: "create", PRNumber: 7, Event: "comment", Body: &body}
	result, err := h.ManageReview(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if result.ReviewID != "PRR_new" || len(result.Warnings) != 1 || p.count("addPullRequestReview(") != 1 {
		t.Errorf("result %+v after %d writes", result, p.count("addPullRequestReview("))
	}
	body = "Not there."
	_, err = h.ManageReview(context.Background(), req)
	if got := refused(t, err, fault.OutcomeUnknown); !strings.Contains(got.Fix, "get_conversation") {
		t.Errorf("fix = %q", got.Fix)
	}
}

func TestReviewArgumentsAreChecked(t *testing.T) {
	h, _ := onPlay(t, nil)
	text, blank, id := "text", " ", "PRR_kwDOAAAAAc4AAAAF"
	for name, test := range map[string]struct {
		req  pullrequest.ReviewRequest
		code fault.Code
	}{
		"no event":              {pullrequest.ReviewRequest{Action: "create", Body: &text}, fault.MissingArguments},
		"nothing said":          {pullrequest.ReviewRequest{Action: "create", Event: "comment", Body: &blank}, fault.MissingArguments},
		"review_id of create":   {pullrequest.ReviewRequest{Action: "create", Event: "approve", ReviewID: &id}, fault.InvalidArguments},
		"pending submit":        {pullrequest.ReviewRequest{Action: "submit", Event: "pending"}, fault.InvalidArguments},
		"update of nothing":     {pullrequest.ReviewRequest{Action: "update", Body: &text}, fault.MissingArguments},
		"update to nothing":     {pullrequest.ReviewRequest{Action: "update", ReviewID: &id}, fault.MissingArguments},
		"dismissed for nothing": {pullrequest.ReviewRequest{Action: "dismiss", ReviewID: &id}, fault.MissingArguments},
		"malformed id":          {pullrequest.ReviewRequest{Action: "update", ReviewID: ptr("#x/y"), Body: &text}, fault.MalformedCommentID},
		"blank comment":         {pullrequest.ReviewRequest{Action: "create", Event: "comment", Comments: []pullrequest.Inline{{Path: "a", Line: 1}}}, fault.InvalidArguments},
		"range backwards":       {pullrequest.ReviewRequest{Action: "create", Event: "comment", Comments: []pullrequest.Inline{{Path: "a", Line: 1, StartLine: 2, Body: "x"}}}, fault.InvalidArguments},
		"body too long":         {pullrequest.ReviewRequest{Action: "create", Event: "comment", Body: ptr(strings.Repeat("x", 70000))}, fault.TooLarge},
	} {
		test.req.PRNumber = 7
		var err error
		if n := h.requests(func() { _, err = h.ManageReview(context.Background(), test.req) }); n != 0 || !fault.Is(err, test.code) {
			t.Errorf("%s: %v after %d requests, want %s after none", name, err, n, test.code)
		}
	}
}

func ptr[T any](value T) *T { return &value }

var (
	threadID  = ref.EncodeNodeID(ref.PrefixPullRequestReviewThread, 462, 5)
	commentID = ref.EncodeNodeID(ref.PrefixPullRequestReviewComment, 462, 6)
)

func threadOf(pending string, resolved bool, comments string) string {
	return fmt.Sprintf(`{"data":{"node":{"id":%q,"isResolved":%t,"pullRequest":{"id":"PR_7","number":7,"repository":{"nameWithOwner":"octo-org/hello"},
		"pending":{"nodes":[%s]}},"comments":{"nodes":[%s]}}}}`, threadID, resolved, pending, comments)
}

func said(id, body, state string) string {
	return fmt.Sprintf(`{"id":%q,"databaseId":6,"body":%q,"url":"https://x/6","createdAt":"2026-01-02T03:04:05Z","shown":%q,"viewerDidAuthor":true}`, id, body, state)
}

func TestReplyInAThread(t *testing.T) {
	answers := map[string]string{
		"on PullRequestReviewThread":      threadOf("", false, ""),
		"addPullRequestReviewThreadReply": `{"data":{"addPullRequestReviewThreadReply":{"comment":` + said(commentID, "Done.", "SUBMITTED") + `}}}`,
		"on PullRequestReviewComment":     `{"data":{"node":{"id":"` + commentID + `","databaseId":6,"replyTo":{"id":"PRRC_root"},"pullRequest":{"id":"PR_7","number":7,"repository":{"nameWithOwner":"octo-org/hello"},"pending":{"nodes":[]}}}}}`,
		"reviewThreads(first: 100, after": `{"data":{"repository":{"pullRequest":{"field":{"pageInfo":{"hasNextPage":false,"endCursor":"c"},"nodes":[{"id":"PRRT_other","comments":{"nodes":[{"id":"PRRC_x"}]}},{"id":"` + threadID + `","comments":{"nodes":[{"id":"PRRC_root"}]}}]}}}}}`,
	}
	answers["reviewThreads(first: 100, after"] = strings.Replace(answers["reviewThreads(first: 100, after"], `"field"`, `"reviewThreads"`, 1)
	h, p := onPlay(t, answers)
	for name, req := range map[string]pullrequest.ThreadRequest{
		"by thread":  {ThreadID: ptr(threadID)},
		"by comment": {CommentID: ptr(commentID), PRNumber: 7},
	} {
		req.Action, req.Body = "reply", ptr("Done.")
		result, err := h.ManageThread(context.Background(), req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := delivered(t, "manage_review_thread", result, budget)
		if got.ThreadID != threadID || got.Handoff == nil || got.Handoff.Arguments.CommentID != commentID || *got.DatabaseID != 6 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	answers["on PullRequestReviewThread"] = threadOf(`{"id":"PRR_mine","url":"https://x/mine"}`, false, "")
	before := p.count("addPullRequestReviewThreadReply(")
	_, err := h.ManageThread(context.Background(), pullrequest.ThreadRequest{Action: "reply", ThreadID: ptr(threadID), Body: ptr("Done.")})
	got := refused(t, err, fault.ReviewConflict)
	if got.Details["pendingReviewId"] != "PRR_mine" || got.Details["submit"] == nil || p.count("addPullRequestReviewThreadReply(") != before {
		t.Errorf("details = %v", got.Details)
	}
	_, err = h.ManageThread(context.Background(), pullrequest.ThreadRequest{Action: "reply", ThreadID: ptr(threadID), PRNumber: 8, Body: ptr("Done.")})
	_ = refused(t, err, fault.NotFound)
}

func TestLostReplyIsLookedFor(t *testing.T) {
	old := said("PRRC_old", "Done.", "SUBMITTED")
	answers := map[string]string{"on PullRequestReviewThread": threadOf("", false, old), "addPullRequestReviewThreadReply": "LOST"}
	h, p := onPlay(t, answers)
	req := pullrequest.ThreadRequest{Action: "reply", ThreadID: ptr(threadID), Body: ptr("Done.")}
	_, err := h.ManageThread(context.Background(), req)
	_ = refused(t, err, fault.OutcomeUnknown)
	p.after("addPullRequestReviewThreadReply(", func() {
		answers["on PullRequestReviewThread"] = threadOf("", false, old+","+said("PRRC_new", "Done.", "SUBMITTED"))
	})
	result, err := h.ManageThread(context.Background(), req)
	if err != nil || result.CommentID != "PRRC_new" {
		t.Errorf("found %+v, %v", result, err)
	}
}

// TestResolve is A20's second half: what is resolved already is a success.
func TestResolve(t *testing.T) {
	h, p := onPlay(t, map[string]string{
		"on PullRequestReviewThread": threadOf("", false, ""),
		"resolveReviewThread":        `{"data":{"resolveReviewThread":{"thread":{"id":"` + threadID + `","isResolved":true}}}}`,
	})
	result, err := h.ManageThread(context.Background(), pullrequest.ThreadRequest{Action: "resolve", ThreadID: ptr(threadID)})
	if err != nil || !delivered(t, "manage_review_thread", result, budget).IsResolved {
		t.Fatalf("%+v, %v", result, err)
	}
	result, err = h.ManageThread(context.Background(), pullrequest.ThreadRequest{Action: "unresolve", ThreadID: ptr(threadID)})
	if err != nil || result.IsResolved || p.count("unresolveReviewThread(") != 0 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestReviewersAreVerified(t *testing.T) {
	h, p := onPlay(t, map[string]string{"pullRequest(number: $number)": `{"data":{"repository":{"pullRequest":{"id":"PR_7"}}}}`})
	p.rest("POST /api/v3/repos/octo-org/hello/pulls/7/requested_reviewers", 201, nil, `{"requested_reviewers":[{"login":"Octo-B"}],"requested_teams":[{"slug":"Core"}]}`)
	p.rest("DELETE /api/v3/repos/octo-org/hello/pulls/7/requested_reviewers", 200, nil, `{"requested_reviewers":[{"login":"octo-b"}],"requested_teams":[]}`)
	p.rest("POST /api/v3/repos/octo-org/hello/pulls/8/requested_reviewers", 404, nil, `{"message":"Not Found"}`)
	ask := func(action string, number int, people, teams []string) (*pullrequest.ReviewersResult, error) {
		return h.ManageReviewers(context.Background(), pullrequest.ReviewersRequest{Action: action, PRNumber: number, Reviewers: people, TeamReviewers: teams})
	}
	result, err := ask("add", 7, []string{"@octo-b"}, []string{"octo-org/core"})
	if err != nil {
		t.Fatal(err)
	}
	got := delivered(t, "manage_pr_reviewers", result, budget)
	if diff := cmp.Diff([][]string{{"Octo-B"}, {"Core"}}, [][]string{got.VerifiedReviewers, got.VerifiedTeamReviewers}); diff != "" {
		t.Errorf("verified (-want +got):\n%s", diff)
	}
	_, err = ask("add", 7, []string{"octo-b", "stranger"}, nil)
	if conflict := refused(t, err, fault.ReviewerNotSeated); cmp.Diff([]string{"stranger"}, conflict.Details["unseated"]) != "" || conflict.Details["verifiedReviewers"] == nil {
		t.Errorf("details = %v", conflict.Details)
	}
	_, err = ask("remove", 7, []string{"octo-b"}, []string{"core"})
	if conflict := refused(t, err, fault.ReviewerNotSeated); cmp.Diff([]string{"octo-b"}, conflict.Details["unseated"]) != "" {
		t.Errorf("details = %v", conflict.Details)
	}
	_, err = ask("add", 8, []string{"octo-b"}, nil)
	if conflict := refused(t, err, fault.Forbidden); !strings.Contains(conflict.Message, "write permission") {
		t.Errorf("message = %q", conflict.Message)
	}
	for name, people := range map[string][]string{"empty": {}, "blank": {" @ "}} {
		if _, err := ask("add", 7, people, nil); !fault.Is(err, fault.MissingArguments) {
			t.Errorf("%s: %v, want MISSING_ARGUMENTS", name, err)
		}
	}
	_, err = ask("add", 7, nil, []string{"other-org/core"})
	_ = refused(t, err, fault.InvalidArguments)
}
