package sandbox_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func TestStatesOfPullRequests(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for number, want := range map[int]map[string]any{
		201: {"state": "OPEN", "mergeable": "MERGEABLE", "mergeStateStatus": "BLOCKED", "reviewDecision": "REVIEW_REQUIRED", "isDraft": false, "isCrossRepository": false},
		202: {"state": "OPEN", "mergeable": "MERGEABLE", "mergeStateStatus": "DRAFT", "reviewDecision": "REVIEW_REQUIRED", "isDraft": true, "isCrossRepository": false},
		203: {"state": "MERGED", "mergeable": "MERGEABLE", "mergeStateStatus": "UNKNOWN", "reviewDecision": "APPROVED", "isDraft": false, "isCrossRepository": false},
		204: {"state": "CLOSED", "mergeable": "MERGEABLE", "mergeStateStatus": "BLOCKED", "reviewDecision": "REVIEW_REQUIRED", "isDraft": false, "isCrossRepository": true},
		206: {"state": "OPEN", "mergeable": "CONFLICTING", "mergeStateStatus": "DIRTY", "reviewDecision": "CHANGES_REQUESTED", "isDraft": false, "isCrossRepository": false},
		207: {"state": "OPEN", "mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN", "reviewDecision": "APPROVED", "isDraft": false, "isCrossRepository": true},
		208: {"state": "OPEN", "mergeable": "MERGEABLE", "mergeStateStatus": "BLOCKED", "reviewDecision": "REVIEW_REQUIRED", "isDraft": false, "isCrossRepository": true},
		214: {"state": "OPEN", "mergeable": "UNKNOWN", "mergeStateStatus": "UNKNOWN", "reviewDecision": nil, "isDraft": false, "isCrossRepository": false},
	} {
		got := must(t, s, sandbox.ReadToken, `query($n: Int!) { `+home+` { pullRequest(number: $n) { state mergeable mergeStateStatus reviewDecision isDraft isCrossRepository } } }`, "n", number)
		if diff := cmp.Diff(any(want), got.at("repository", "pullRequest")); diff != "" {
			t.Errorf("%d (-want +got):\n%s", number, diff)
		}
	}
}

func TestNullsOfPullRequests(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { gone: pullRequest(number: 205) { author { login } assignees(first: 1) { nodes { login } } comments(first: 1) { nodes { author { login } } } reviews(first: 1) { nodes { author { login } } }
		reviewRequests(first: 2) { nodes { requestedReviewer { ... on User { login } } } } reviewThreads(first: 1) { nodes { isResolved resolvedBy { login } comments(first: 2) { nodes { author { login } } } } } }
		fork: pullRequest(number: 208) { headRepository { id } headRepositoryOwner { login } headRef { name } headRefName maintainerCanModify }
		other: pullRequest(number: 207) { headRepository { nameWithOwner isFork } headRepositoryOwner { login } headRef { name } maintainerCanModify } } }`)
	nobody := map[string]any{"author": nil}
	want := map[string]any{
		"gone": map[string]any{
			"author": nil, "assignees": map[string]any{"nodes": []any{nil}}, "comments": map[string]any{"nodes": []any{nobody}}, "reviews": map[string]any{"nodes": []any{nobody}},
			"reviewRequests": map[string]any{"nodes": []any{map[string]any{"requestedReviewer": nil}, map[string]any{"requestedReviewer": map[string]any{"login": "octo-write"}}}},
			"reviewThreads":  map[string]any{"nodes": []any{map[string]any{"isResolved": true, "resolvedBy": nil, "comments": map[string]any{"nodes": []any{nobody, nobody}}}}},
		},
		"fork":  map[string]any{"headRepository": nil, "headRepositoryOwner": nil, "headRef": nil, "headRefName": "feature", "maintainerCanModify": false},
		"other": map[string]any{"headRepository": map[string]any{"nameWithOwner": "mei-tanaka/hello", "isFork": true}, "headRepositoryOwner": map[string]any{"login": "mei-tanaka"}, "headRef": map[string]any{"name": "patch-1"}, "maintainerCanModify": true},
	}
	if diff := cmp.Diff(any(want), got.at("repository")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A pending review is its author's alone: in lists, threads and by id.
func TestPendingReviewsAreTheirAuthorsAlone(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	const query = `{ ` + home + ` { pullRequest(number: 213) { reviews(first: 9) { totalCount nodes { id state } } reviewThreads(first: 9) { totalCount nodes { id comments(first: 1) { nodes { id state publishedAt pullRequestReview { state } } } } } } } }`
	own := must(t, s, sandbox.WriteToken, query)
	others := must(t, s, sandbox.AdminToken, query)
	if own.at("repository", "pullRequest", "reviews", "totalCount") != 4.0 || own.at("repository", "pullRequest", "reviewThreads", "totalCount") != 2.0 {
		t.Errorf("octo-write sees %s", own.raw)
	}
	if others.at("repository", "pullRequest", "reviews", "totalCount") != 3.0 || others.at("repository", "pullRequest", "reviewThreads", "totalCount") != 1.0 {
		t.Errorf("octo-admin sees %s", others.raw)
	}
	draft := own.at("repository", "pullRequest", "reviewThreads", "nodes", 1, "comments", "nodes", 0).(map[string]any)
	if draft["state"] != "PENDING" || draft["publishedAt"] != nil {
		t.Errorf("draft %v", draft)
	}
	pending := own.at("repository", "pullRequest", "reviews", "nodes", 1).(map[string]any)
	if pending["state"] != "PENDING" {
		t.Fatalf("the second review is %v", pending)
	}
	for _, id := range []any{draft["id"], own.at("repository", "pullRequest", "reviewThreads", "nodes", 1, "id"), pending["id"]} {
		if got := ask(t, s, sandbox.AdminToken, `query($id: ID!) { node(id: $id) { id } }`, "id", id); got.kind() != "NOT_FOUND" {
			t.Errorf("octo-admin finds %v: %s", id, got.raw)
		}
	}
}

func TestARemarkIsPublishedWithItsReview(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { pullRequest(number: 213) { reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { createdAt draftedAt publishedAt replyTo { id } pullRequestReview { submittedAt createdAt publishedAt } } } } } } } }`)
	want := map[string]any{
		"createdAt": "2026-03-11T10:05:00Z", "draftedAt": "2026-03-11T10:05:00Z", "publishedAt": "2026-03-11T15:00:00Z", "replyTo": nil,
		"pullRequestReview": map[string]any{"submittedAt": "2026-03-11T15:00:00Z", "createdAt": "2026-03-11T10:00:00Z", "publishedAt": "2026-03-11T15:00:00Z"},
	}
	if diff := cmp.Diff(any(want), got.at("repository", "pullRequest", "reviewThreads", "nodes", 0, "comments", "nodes", 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChecksAreSummedUp(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for number, want := range map[int]any{201: "SUCCESS", 202: "PENDING", 204: nil, 206: "FAILURE", 214: "ERROR"} {
		got := must(t, s, sandbox.ReadToken, `query($n: Int!) { `+home+` { pullRequest(number: $n) { commits(last: 1) { nodes { commit { statusCheckRollup { state contexts(first: 50) { totalCount checkRunCount statusContextCount nodes { ... on CheckRun { name conclusion status } ... on StatusContext { context state } } } } } } } } } }`, "n", number)
		rollup := got.at("repository", "pullRequest", "commits", "nodes", 0, "commit", "statusCheckRollup")
		if want == nil && rollup != nil || want != nil && got.at("repository", "pullRequest", "commits", "nodes", 0, "commit", "statusCheckRollup", "state") != want {
			t.Errorf("%d: %s", number, got.raw)
		}
	}
}

func TestReviewsOfWritersDecide(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := threadID(t, s, 201)
	review := func(token, event string) reply {
		return must(t, s, token, `mutation($id: ID!, $e: PullRequestReviewEvent!) { addPullRequestReview(input: {pullRequestId: $id, event: $e, body: "b"}) { pullRequestReview { id state submittedAt pullRequest { reviewDecision } } } }`, "id", id, "e", event)
	}
	decision := func(got reply) string {
		return got.text("addPullRequestReview", "pullRequestReview", "pullRequest", "reviewDecision")
	}
	if got := decision(review(sandbox.ReadToken, "APPROVE")); got != "REVIEW_REQUIRED" {
		t.Errorf("after a reader's approval %s", got)
	}
	requested := review(sandbox.AdminToken, "REQUEST_CHANGES")
	if got := decision(requested); got != "CHANGES_REQUESTED" {
		t.Errorf("after a request for changes %s", got)
	}
	if got := decision(review(sandbox.AdminToken, "COMMENT")); got != "CHANGES_REQUESTED" {
		t.Errorf("after a comment %s", got)
	}
	refused(t, ask(t, s, sandbox.WriteToken, `mutation($id: ID!) { addPullRequestReview(input: {pullRequestId: $id, event: APPROVE}) { clientMutationId } }`, "id", id), "Can not approve your own pull request")
	dismissed := must(t, s, sandbox.WriteToken, `mutation($id: ID!) { dismissPullRequestReview(input: {pullRequestReviewId: $id, message: "m"}) { pullRequestReview { state pullRequest { reviewDecision } } } }`, "id", requested.at("addPullRequestReview", "pullRequestReview", "id"))
	if dismissed.text("dismissPullRequestReview", "pullRequestReview", "state") != "DISMISSED" || dismissed.text("dismissPullRequestReview", "pullRequestReview", "pullRequest", "reviewDecision") != "REVIEW_REQUIRED" {
		t.Errorf("dismissed %s", dismissed.raw)
	}
	if got := decision(review(sandbox.AdminToken, "APPROVE")); got != "APPROVED" {
		t.Errorf("after an approval %s", got)
	}
}

func TestReviewWithThreadsIsAllOrNothing(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := threadID(t, s, 201)
	add := func(threads string) reply {
		return ask(t, s, sandbox.AdminToken, `mutation($id: ID!) { addPullRequestReview(input: {pullRequestId: $id, event: COMMENT, threads: [`+threads+`]}) { pullRequestReview { state comments(first: 5) { nodes { path line startLine diffHunk state } } } } }`, "id", id)
	}
	good := `{path: "reader/reader.go", line: 15, startLine: 13, body: "several"}, {path: "reader/reader.go", line: 12, side: LEFT, body: "old"}`
	for threads, message := range map[string]string{
		good + `, {path: "reader/reader.go", line: 900, body: "x"}`:               "Line could not be resolved",
		good + `, {path: "reader/nothing.go", line: 1, body: "x"}`:                "Path could not be resolved",
		good + `, {path: "docs/logo.png", line: 1, body: "x"}`:                    "Line could not be resolved",
		good + `, {path: "reader/reader.go", line: 13, startLine: 13, body: "x"}`: "Start line must precede the end line.",
		good + `, {path: "reader/reader.go", line: 13, body: " "}`:                "Body can't be blank",
	} {
		refused(t, add(threads), message)
	}
	if got := must(t, s, sandbox.AdminToken, `{ `+home+` { pullRequest(number: 201) { reviews(first: 9, author: "octo-admin") { totalCount } reviewThreads(first: 1) { totalCount } } } }`); got.at("repository", "pullRequest", "reviews", "totalCount") != 0.0 || got.at("repository", "pullRequest", "reviewThreads", "totalCount") != 5.0 {
		t.Errorf("the refused reviews left %s", got.raw)
	}
	got := add(good)
	comments := got.at("addPullRequestReview", "pullRequestReview", "comments", "nodes")
	first, ok := got.at("addPullRequestReview", "pullRequestReview", "comments", "nodes", 0).(map[string]any)
	if !ok || first["startLine"] != 13.0 || first["line"] != 15.0 || first["state"] != "SUBMITTED" || !strings.HasPrefix(first["diffHunk"].(string), "@@ ") {
		t.Errorf("comments %v in %s", comments, got.raw)
	}
}

func TestAReplyIsAbsorbedByAPendingReview(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	thread := idOf(t, s, `pullRequest(number: 213) { reviewThreads(first: 1) { nodes { id } } }`, "pullRequest", "reviewThreads", "nodes", 0, "id")
	reply := func(token string) map[string]any {
		got := must(t, s, token, `mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "r"}) { comment { id state publishedAt replyTo { fullDatabaseId } pullRequestReview { id state body } } } }`, "id", thread)
		return got.at("addPullRequestReviewThreadReply", "comment").(map[string]any)
	}
	if got := reply(sandbox.AdminToken); got["state"] != "SUBMITTED" || got["publishedAt"] == nil || got["replyTo"].(map[string]any)["fullDatabaseId"] != "16021301" {
		t.Errorf("a reply by somebody without drafts: %v", got)
	}
	absorbed := reply(sandbox.WriteToken)
	review := absorbed["pullRequestReview"].(map[string]any)
	if absorbed["state"] != "PENDING" || review["state"] != "PENDING" || review["body"] != "Not sent yet." {
		t.Errorf("a reply by somebody with a pending review: %v", absorbed)
	}
	sent := must(t, s, sandbox.WriteToken, `mutation($id: ID!) { submitPullRequestReview(input: {pullRequestReviewId: $id, event: COMMENT}) { pullRequestReview { state submittedAt comments(first: 5) { nodes { state publishedAt } } } } }`, "id", review["id"])
	if sent.text("submitPullRequestReview", "pullRequestReview", "state") != "COMMENTED" || sent.text("submitPullRequestReview", "pullRequestReview", "comments", "nodes", 1, "publishedAt") != sent.text("submitPullRequestReview", "pullRequestReview", "submittedAt") {
		t.Errorf("sent %s", sent.raw)
	}
	refused(t, ask(t, s, sandbox.WriteToken, `mutation($id: ID!) { deletePullRequestReview(input: {pullRequestReviewId: $id}) { clientMutationId } }`, "id", review["id"]), "Can not delete a non-pending pull request review")
}

func TestPendingReviewsGrowAndGo(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := threadID(t, s, 207)
	for _, body := range []string{"one", "two"} {
		must(t, s, sandbox.AdminToken, `mutation($id: ID!, $b: String!) { addPullRequestReviewThread(input: {pullRequestId: $id, path: "docs/guide.md", line: 3, body: $b}) { thread { id isResolved comments(first: 1) { nodes { state } } } } }`, "id", id, "b", body)
	}
	got := must(t, s, sandbox.AdminToken, `{ `+home+` { pullRequest(number: 207) { reviews(states: [PENDING], first: 5) { totalCount nodes { id comments(first: 5) { totalCount } } } } } }`)
	if got.at("repository", "pullRequest", "reviews", "totalCount") != 1.0 || got.at("repository", "pullRequest", "reviews", "nodes", 0, "comments", "totalCount") != 2.0 {
		t.Errorf("pending %s", got.raw)
	}
	refused(t, ask(t, s, sandbox.AdminToken, `mutation($id: ID!) { addPullRequestReview(input: {pullRequestId: $id}) { clientMutationId } }`, "id", id), "User can only have one pending review per pull request")
	must(t, s, sandbox.AdminToken, `mutation($id: ID!) { deletePullRequestReview(input: {pullRequestReviewId: $id}) { pullRequestReview { id } } }`, "id", got.at("repository", "pullRequest", "reviews", "nodes", 0, "id"))
	if got := must(t, s, sandbox.AdminToken, `{ `+home+` { pullRequest(number: 207) { reviewThreads(first: 5) { totalCount } } } }`); got.at("repository", "pullRequest", "reviewThreads", "totalCount") != 0.0 {
		t.Errorf("threads of a deleted review: %s", got.raw)
	}
}

func TestThreadsAreResolvedByThoseWhoMay(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	thread := idOf(t, s, `pullRequest(number: 201) { reviewThreads(first: 1) { nodes { id } } }`, "pullRequest", "reviewThreads", "nodes", 0, "id")
	got := must(t, s, sandbox.WriteToken, `mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } viewerCanUnresolve viewerCanResolve } } }`, "id", thread)
	want := map[string]any{"isResolved": true, "resolvedBy": map[string]any{"login": "octo-write"}, "viewerCanUnresolve": true, "viewerCanResolve": false}
	if diff := cmp.Diff(any(want), got.at("resolveReviewThread", "thread")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = must(t, s, sandbox.WriteToken, `mutation($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } } } }`, "id", thread)
	if got.at("unresolveReviewThread", "thread", "isResolved") != false || got.at("unresolveReviewThread", "thread", "resolvedBy") != nil {
		t.Errorf("unresolved %s", got.raw)
	}
}

func TestPullRequestLife(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	r := idOf(t, s, `id`, "id")
	create := func(base, head string) reply {
		return ask(t, s, sandbox.WriteToken, `mutation($r: ID!, $b: String!, $h: String!) { createPullRequest(input: {repositoryId: $r, baseRefName: $b, headRefName: $h, title: "t", body: "Fixes #125", draft: true}) { pullRequest { id number isDraft headRefOid changedFiles closingIssuesReferences(first: 5) { nodes { number } } } } }`, "r", r, "b", base, "h", head)
	}
	for branches, message := range map[[2]string]string{
		{"main", "feature/empty"}: "No commits between main and feature/empty", {"nowhere", "feature/next"}: "Base ref must be a branch",
		{"main", "fix/ties"}: "A pull request already exists for octo-org:fix/ties.", {"main", "nobody-here:x"}: "Head repository can't be blank, Head ref must be a branch",
		{"main", "lost"}: "Head sha can't be blank, Base sha can't be blank, No commits between main and lost, Head ref must be a branch",
	} {
		refused(t, create(branches[0], branches[1]), message)
	}
	made := create("main", "feature/next")
	pull := made.at("createPullRequest", "pullRequest").(map[string]any)
	if pull["isDraft"] != true || pull["changedFiles"] != 1.0 || made.at("createPullRequest", "pullRequest", "closingIssuesReferences", "nodes", 0, "number") != 125.0 {
		t.Fatalf("made %s", made.raw)
	}
	id := pull["id"]
	merge := func(expected any) reply {
		return ask(t, s, sandbox.WriteToken, `mutation($id: ID!, $o: GitObjectID) { mergePullRequest(input: {pullRequestId: $id, expectedHeadOid: $o, mergeMethod: SQUASH}) { pullRequest { state merged mergedBy { login } mergeCommit { oid messageHeadline } } } }`, "id", id, "o", expected)
	}
	refused(t, merge(strings.Repeat("0", 40)), "Head branch was modified. Review and try the merge again.")
	refused(t, merge(pull["headRefOid"]), "Pull Request is still a draft")
	must(t, s, sandbox.WriteToken, `mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`, "id", id)
	refused(t, merge(nil), "At least 1 approving review is required by reviewers with write access.")
	must(t, s, sandbox.AdminToken, `mutation($id: ID!) { addPullRequestReview(input: {pullRequestId: $id, event: APPROVE}) { clientMutationId } }`, "id", id)
	merged := merge(pull["headRefOid"])
	if merged.text("mergePullRequest", "pullRequest", "state") != "MERGED" || merged.text("mergePullRequest", "pullRequest", "mergeCommit", "messageHeadline") != "t (#1001)" {
		t.Errorf("merged %s", merged.raw)
	}
	if got := must(t, s, sandbox.ReadToken, `{ `+home+` { issue(number: 125) { state stateReason } } }`); got.text("repository", "issue", "state") != "CLOSED" {
		t.Errorf("the issue it closes: %s", got.raw)
	}
	refused(t, ask(t, s, sandbox.WriteToken, `mutation($id: ID!) { reopenPullRequest(input: {pullRequestId: $id}) { clientMutationId } }`, "id", id), "Pull request is already merged")
	refused(t, merge(nil), "Pull request is already merged")
}

func TestPullRequestsAreChanged(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := threadID(t, s, 201)
	got := must(t, s, sandbox.WriteToken, `mutation($id: ID!) { updatePullRequest(input: {pullRequestId: $id, title: "n", body: "Closes #102", baseRefName: "release/1.2", state: CLOSED, milestoneId: null}) { pullRequest { title state baseRefName reviewDecision milestone { title } closingIssuesReferences(first: 5) { nodes { number } } } } }`, "id", id)
	want := map[string]any{"title": "n", "state": "CLOSED", "baseRefName": "release/1.2", "reviewDecision": nil, "milestone": nil, "closingIssuesReferences": map[string]any{"nodes": []any{map[string]any{"number": 102.0}}}}
	if diff := cmp.Diff(any(want), got.at("updatePullRequest", "pullRequest")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused(t, ask(t, s, sandbox.WriteToken, `mutation($id: ID!) { updatePullRequest(input: {pullRequestId: $id, baseRefName: "nowhere"}) { clientMutationId } }`, "id", id), "Proposed base branch 'nowhere' was not found")
	refused(t, ask(t, s, sandbox.AdminToken, `mutation($id: ID!) { updatePullRequest(input: {pullRequestId: $id, state: OPEN}) { clientMutationId } }`, "id", threadID(t, s, 203)), "Pull request is already merged")
	refused(t, ask(t, s, sandbox.WriteToken, `mutation($id: ID!) { mergePullRequest(input: {pullRequestId: $id}) { clientMutationId } }`, "id", threadID(t, s, 206)), "Pull Request has merge conflicts")
}

func TestTheLongReviewIsReadBothWays(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { pullRequest(number: 209) { totalCommentsCount comments(last: 1) { totalCount } reviews(last: 2) { totalCount nodes { id comments(first: 5) { totalCount } } pageInfo { startCursor } } reviewThreads(last: 100) { totalCount nodes { comments(first: 5) { totalCount } } } } } }`)
	pull := []any{"repository", "pullRequest"}
	at := func(path ...any) any { return got.at(append(pull, path...)...) }
	if at("comments", "totalCount") != 60.0 || at("reviews", "totalCount") != 30.0 || at("reviews", "nodes", 0, "comments", "totalCount") != 2.0 || at("totalCommentsCount") != 120.0 {
		t.Errorf("counts in %.400s", got.raw)
	}
	remarks := 0.0
	for n := 0; at("reviewThreads", "nodes", n) != nil; n++ {
		remarks += at("reviewThreads", "nodes", n, "comments", "totalCount").(float64)
	}
	if remarks != 60 {
		t.Errorf("%v remarks in the threads", remarks)
	}
}
