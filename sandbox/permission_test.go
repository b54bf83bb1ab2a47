package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// act is one mutation; $id is the node id of the thing it is about.
type act struct {
	name, input, on string
	least           string // the least of the four that may
}

var ranks = []string{"read", "triage", "write", "admin"}

// The things acts are about, as queries of octo-org/hello; each was written by
// somebody else than the four.
var things = map[string]string{
	"repository": `id`,
	"discussion": `discussion(number: 3) { id }`,
	"comment":    `discussion(number: 3) { comments(first: 1) { nodes { id } } }`,
	"locked":     `discussion(number: 14) { id }`,
	"question":   `discussion(number: 24) { comments(first: 1) { nodes { id } } }`,
	"answer":     `discussion(number: 6) { answer { id } }`,
	"closed":     `discussion(number: 15) { id }`,

	"issue":        `issue(number: 126) { id }`,
	"closedIssue":  `issue(number: 113) { id }`,
	"lockedIssue":  `issue(number: 116) { id }`,
	"epic":         `issue(number: 104) { id }`,
	"blockedIssue": `issue(number: 107) { id }`,
	"issueComment": `issue(number: 101) { comments(first: 1) { nodes { id } } }`,
	"label":        `label(name: "bug") { id }`,
	"project":      `projectV2(number: 1) { id }`,
	"pull":         `pullRequest(number: 213) { id }`,
	"conflictPull": `pullRequest(number: 206) { id }`,
	"closedPull":   `pullRequest(number: 204) { id }`,
	"draftPull":    `pullRequest(number: 202) { id }`,
	"readyPull":    `pullRequest(number: 207) { id }`,
	"review":       `pullRequest(number: 201) { reviews(first: 1) { nodes { id } } }`,
	"approval":     `pullRequest(number: 206) { reviews(last: 1) { nodes { id } } }`,
	"thread":       `pullRequest(number: 201) { reviewThreads(first: 1) { nodes { id } } }`,
	"remark":       `pullRequest(number: 201) { reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { id } } } } }`,
}

var acts = []act{
	{"addDiscussionComment", `discussionId: $id, body: "x"`, "discussion", "read"},
	{"addDiscussionComment", `discussionId: $id, body: "x"`, "locked", "write"},
	{"updateDiscussionComment", `commentId: $id, body: "x"`, "comment", "write"},
	{"deleteDiscussionComment", `id: $id`, "comment", "write"},
	{"createDiscussion", `repositoryId: $id, categoryId: "DIC_kwDODSw4pM4CY-Cj", title: "t", body: "b"`, "repository", "read"},
	{"createDiscussion", `repositoryId: $id, categoryId: "DIC_kwDODSw4pM4CY-Ch", title: "t", body: "b"`, "repository", "admin"},
	{"updateDiscussion", `discussionId: $id, title: "x"`, "discussion", "write"},
	{"deleteDiscussion", `id: $id`, "discussion", "triage"},
	{"closeDiscussion", `discussionId: $id`, "discussion", "triage"},
	{"reopenDiscussion", `discussionId: $id`, "closed", "triage"},
	{"lockLockable", `lockableId: $id`, "discussion", "triage"},
	{"unlockLockable", `lockableId: $id`, "locked", "triage"},
	{"markDiscussionCommentAsAnswer", `id: $id`, "question", "triage"},
	{"unmarkDiscussionCommentAsAnswer", `id: $id`, "answer", "triage"},
	{"minimizeComment", `subjectId: $id, classifier: OFF_TOPIC`, "comment", "triage"},
	{"unminimizeComment", `subjectId: $id`, "comment", "triage"},
	{"addLabelsToLabelable", `labelableId: $id, labelIds: []`, "discussion", "triage"},
	{"removeLabelsFromLabelable", `labelableId: $id, labelIds: []`, "discussion", "triage"},
	{"clearLabelsFromLabelable", `labelableId: $id`, "discussion", "triage"},
	{"addReaction", `subjectId: $id, content: ROCKET`, "comment", "read"},
	{"addReaction", `subjectId: $id, content: ROCKET`, "locked", "write"},
	{"addUpvote", `subjectId: $id`, "discussion", "read"},
	{"removeUpvote", `subjectId: $id`, "discussion", "read"},

	{"addComment", `subjectId: $id, body: "x"`, "issue", "read"},
	{"addComment", `subjectId: $id, body: "x"`, "pull", "read"},
	{"addComment", `subjectId: $id, body: "x"`, "lockedIssue", "write"},
	{"updateIssueComment", `id: $id, body: "x"`, "issueComment", "write"},
	{"deleteIssueComment", `id: $id`, "issueComment", "write"},
	{"minimizeComment", `subjectId: $id, classifier: SPAM`, "issueComment", "triage"},
	{"minimizeComment", `subjectId: $id, classifier: SPAM`, "review", "triage"},
	{"unminimizeComment", `subjectId: $id`, "remark", "triage"},
	{"addReaction", `subjectId: $id, content: HEART`, "remark", "read"},
	{"addReaction", `subjectId: $id, content: HEART`, "lockedIssue", "write"},
	{"createIssue", `repositoryId: $id, title: "t"`, "repository", "read"},
	{"createIssue", `repositoryId: $id, title: "t", labelIds: []`, "repository", "triage"},
	{"updateIssue", `id: $id, title: "x"`, "issue", "write"},
	{"updateIssue", `id: $id, milestoneId: null`, "issue", "triage"},
	{"updateIssue", `id: $id, state: CLOSED`, "issue", "triage"},
	{"updateIssueIssueType", `issueId: $id`, "issue", "triage"},
	{"closeIssue", `issueId: $id`, "issue", "triage"},
	{"reopenIssue", `issueId: $id`, "closedIssue", "triage"},
	{"lockLockable", `lockableId: $id`, "pull", "triage"},
	{"addLabelsToLabelable", `labelableId: $id, labelIds: []`, "pull", "triage"},
	{"addAssigneesToAssignable", `assignableId: $id, assigneeIds: []`, "issue", "triage"},
	{"removeAssigneesFromAssignable", `assignableId: $id, assigneeIds: []`, "pull", "triage"},
	{"createLabel", `repositoryId: $id, name: "n", color: "ffffff"`, "repository", "write"},
	{"updateLabel", `id: $id, color: "000000"`, "label", "write"},
	{"deleteLabel", `id: $id`, "label", "write"},
	{"addSubIssue", `issueId: $id, subIssueId: "I_kwDODSw4pM4AatA9"`, "issue", "triage"},
	{"removeSubIssue", `issueId: $id, subIssueId: "I_kwDODSw4pM4AatAp"`, "epic", "triage"},
	{"addBlockedBy", `issueId: $id, blockingIssueId: "I_kwDODSw4pM4AatA9"`, "issue", "triage"},
	{"removeBlockedBy", `issueId: $id, blockingIssueId: "I_kwDODSw4pM4AatAs"`, "blockedIssue", "triage"},
	{"addProjectV2ItemById", `projectId: $id, contentId: "I_kwDODSw4pM4AatA9"`, "project", "write"},
	{"deleteProjectV2Item", `projectId: $id, itemId: "PVTI_kwDODSw4pM4AgHqh"`, "project", "write"},
	{"updateProjectV2ItemFieldValue", `projectId: $id, itemId: "PVTI_kwDODSw4pM4AgHqh", fieldId: "PVTF_kwDODSw4pM4AgFOU", value: {number: 3}`, "project", "write"},
	{"clearProjectV2ItemFieldValue", `projectId: $id, itemId: "PVTI_kwDODSw4pM4AgHqh", fieldId: "PVTF_kwDODSw4pM4AgFOU"`, "project", "write"},
	{"createPullRequest", `repositoryId: $id, baseRefName: "main", headRefName: "feature/next", title: "t"`, "repository", "write"},
	{"updatePullRequest", `pullRequestId: $id, title: "x"`, "pull", "write"},
	{"closePullRequest", `pullRequestId: $id`, "pull", "triage"},
	{"reopenPullRequest", `pullRequestId: $id`, "closedPull", "triage"},
	{"convertPullRequestToDraft", `pullRequestId: $id`, "pull", "write"},
	{"markPullRequestReadyForReview", `pullRequestId: $id`, "draftPull", "write"},
	{"mergePullRequest", `pullRequestId: $id`, "readyPull", "write"},
	{"requestReviews", `pullRequestId: $id, teamIds: ["T_kwDODSw4pM4AfqXh"]`, "pull", "triage"},
	{"addPullRequestReview", `pullRequestId: $id, event: APPROVE`, "readyPull", "read"},
	{"updatePullRequestReview", `pullRequestReviewId: $id, body: "x"`, "review", "write"},
	{"dismissPullRequestReview", `pullRequestReviewId: $id, message: "x"`, "approval", "write"},
	{"updatePullRequestReviewComment", `pullRequestReviewCommentId: $id, body: "x"`, "remark", "write"},
	{"deletePullRequestReviewComment", `id: $id`, "remark", "write"},
	{"addPullRequestReviewThread", `pullRequestId: $id, path: "labels/cache.go", line: 3, body: "x"`, "conflictPull", "read"},
	{"addPullRequestReviewThreadReply", `pullRequestReviewThreadId: $id, body: "x"`, "thread", "read"},
	{"resolveReviewThread", `threadId: $id`, "thread", "write"},
	{"unresolveReviewThread", `threadId: $id`, "thread", "write"},
}

func TestWhoMayWhat(t *testing.T) {
	for _, act := range acts {
		allowed := false
		for _, rank := range ranks {
			allowed = allowed || rank == act.least
			t.Run(fmt.Sprintf("%s %s by %s", act.name, act.on, rank), func(t *testing.T) {
				s := sandbox.StartTest(t, sandbox.Options{})
				found := map[string]string{}
				collect(must(t, s, sandbox.AdminToken, `{ `+home+` { `+things[act.on]+` } }`).Data, found)
				var id string
				for id = range found {
				}
				got := ask(t, s, "sandbox-"+rank, fmt.Sprintf(`mutation($id: ID!) { %s(input: {%s}) { clientMutationId } }`, act.name, act.input), "id", id)
				if allowed && len(got.Errors) > 0 {
					t.Errorf("refused: %s", got.raw)
				}
				want := fmt.Sprintf("octo-%s does not have the correct permissions to execute `%s%s`", rank, strings.ToUpper(act.name[:1]), act.name[1:])
				if !allowed && (got.kind() != "FORBIDDEN" || got.Errors[0].Message != want || got.Errors[0].Path[0] != act.name) {
					t.Errorf("want %q, got %s", want, got.raw)
				}
			})
		}
	}
}

func TestEverybodyEditsTheirOwn(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := addComment(t, s, sandbox.ReadToken, discussionID(t, s, 3), "", "mine").text("addDiscussionComment", "comment", "id")
	flags := must(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { ... on DiscussionComment { viewerDidAuthor viewerCanUpdate viewerCanDelete viewerCanMinimize viewerCannotUpdateReasons } } }`, "id", id)
	if flags.at("node", "viewerCanUpdate") != true || flags.at("node", "viewerDidAuthor") != true || flags.at("node", "viewerCanMinimize") != false {
		t.Errorf("flags %s", flags.raw)
	}
	got := must(t, s, sandbox.ReadToken, `mutation($id: ID!) { updateDiscussionComment(input: {commentId: $id, body: "mine, corrected"}) { comment { body lastEditedAt editor { login } includesCreatedEdit } } }`, "id", id)
	if got.text("updateDiscussionComment", "comment", "body") != "mine, corrected" || got.text("updateDiscussionComment", "comment", "editor", "login") != "octo-read" {
		t.Errorf("edit answered %s", got.raw)
	}
	must(t, s, sandbox.ReadToken, `mutation($id: ID!) { deleteDiscussionComment(input: {id: $id}) { comment { id } } }`, "id", id)
	if gone := ask(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { id } }`, "id", id); gone.kind() != "NOT_FOUND" {
		t.Errorf("a deleted comment without replies is still there: %s", gone.raw)
	}
}

func TestWhoSeesThePrivateRepository(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	found := map[string]string{}
	collect(must(t, s, sandbox.AdminToken, `{ `+secret+` { id visibility isPrivate label(name: "internal") { id } discussions(first: 1) { nodes { id comments(first: 1) { nodes { id } } } } } }`).Data, found)
	var ids []string
	for id := range found {
		ids = append(ids, id)
	}
	if len(ids) != 4 {
		t.Fatalf("ids %v", ids)
	}
	for rank, visible := range map[string]bool{"read": false, "triage": false, "write": true, "admin": true} {
		token := "sandbox-" + rank
		got := ask(t, s, token, `{ `+secret+` { name viewerPermission } }`)
		if visible != (got.text("repository", "name") == "private") {
			t.Errorf("%s: %s", rank, got.raw)
		}
		if !visible && (got.kind() != "NOT_FOUND" || got.Errors[0].Message != "Could not resolve to a Repository with the name 'octo-org/private'." || got.Errors[0].Path[0] != "repository") {
			t.Errorf("%s: %s", rank, got.raw)
		}
		nodes := ask(t, s, token, `query($ids: [ID!]!) { nodes(ids: $ids) { id } search(query: "TOP-SECRET", type: DISCUSSION, first: 5) { discussionCount } }`, "ids", ids)
		if visible != (len(nodes.Errors) == 0) || visible != (nodes.at("search", "discussionCount") == 1.0) {
			t.Errorf("%s by id: %s", rank, nodes.raw)
		}
	}
}

func TestViewerPermission(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for _, rank := range ranks {
		got := must(t, s, "sandbox-"+rank, `{ viewer { login } `+home+` { viewerPermission viewerCanAdminister } }`)
		if got.text("repository", "viewerPermission") != strings.ToUpper(rank) || got.at("repository", "viewerCanAdminister") != (rank == "admin") || got.text("viewer", "login") != "octo-"+rank {
			t.Errorf("%s: %s", rank, got.raw)
		}
	}
}
