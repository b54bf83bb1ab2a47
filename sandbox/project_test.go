package sandbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func TestProjectsAreTheOrganizations(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ organization(login: "octo-org") { team(slug: "reviewers") { combinedSlug } projectsV2(first: 5, orderBy: {field: NUMBER, direction: ASC}) { nodes { number title closed } } }
		repositoryOwner(login: "octo-org") { ... on ProjectV2Owner { projectV2(number: 2) { title fields(first: 5) { nodes { ... on ProjectV2FieldCommon { name dataType } ... on ProjectV2SingleSelectField { options { name } } } } } } }
		`+home+` { projectsV2(first: 5, query: "road") { nodes { number } } } }`)
	want := map[string]any{
		"organization": map[string]any{
			"team": map[string]any{"combinedSlug": "octo-org/reviewers"},
			"projectsV2": map[string]any{"nodes": []any{
				map[string]any{"number": 1.0, "title": "Roadmap", "closed": false}, map[string]any{"number": 2.0, "title": "Backlog", "closed": false}, map[string]any{"number": 3.0, "title": "Finished", "closed": true},
			}},
		},
		"repositoryOwner": map[string]any{"projectV2": map[string]any{"title": "Backlog", "fields": map[string]any{"nodes": []any{
			map[string]any{"name": "Title", "dataType": "TITLE"},
			map[string]any{"name": "Status", "dataType": "SINGLE_SELECT", "options": []any{map[string]any{"name": "Open"}, map[string]any{"name": "Shut"}}},
		}}}},
		"repository": map[string]any{"projectsV2": map[string]any{"nodes": []any{map[string]any{"number": 1.0}}}},
	}
	if diff := cmp.Diff(any(want), any(got.Data)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, query := range []string{`organization(login: "octo-admin") { id }`, `user(login: "ada-mensah") { projectV2(number: 1) { id } }`, home + ` { projectV2(number: 9) { id } }`} {
		if got := ask(t, s, sandbox.ReadToken, `{ `+query+` }`); got.kind() != "NOT_FOUND" {
			t.Errorf("%s answered %s", query, got.raw)
		}
	}
}

// Reactions, hiding and votes work on every kind of post that GitHub lets them.
func TestModerationOfEveryKind(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for query, path := range map[string][]any{
		`issue(number: 101) { comments(first: 1) { nodes { id } } }`:                                             {"issue", "comments", "nodes", 0, "id"},
		`pullRequest(number: 201) { reviews(first: 1) { nodes { id } } }`:                                        {"pullRequest", "reviews", "nodes", 0, "id"},
		`pullRequest(number: 201) { reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { id } } } } }`: {"pullRequest", "reviewThreads", "nodes", 0, "comments", "nodes", 0, "id"},
	} {
		id := idOf(t, s, query, path...)
		hidden := must(t, s, sandbox.TriageToken, `mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OFF_TOPIC}) { minimizedComment { isMinimized minimizedReason } } }`, "id", id)
		if hidden.text("minimizeComment", "minimizedComment", "minimizedReason") != "off-topic" {
			t.Errorf("%s hidden: %s", query, hidden.raw)
		}
		if shown := must(t, s, sandbox.TriageToken, `mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { unminimizedComment { isMinimized } } }`, "id", id); shown.at("unminimizeComment", "unminimizedComment", "isMinimized") != false {
			t.Errorf("%s shown: %s", query, shown.raw)
		}
		if reacted := must(t, s, sandbox.ReadToken, `mutation($id: ID!) { addReaction(input: {subjectId: $id, content: ROCKET}) { subject { id } reaction { content user { login } } } }`, "id", id); reacted.text("addReaction", "subject", "id") != id {
			t.Errorf("%s reacted to: %s", query, reacted.raw)
		}
		if vote := ask(t, s, sandbox.ReadToken, `mutation($id: ID!) { addUpvote(input: {subjectId: $id}) { clientMutationId } }`, "id", id); vote.kind() != "NOT_FOUND" {
			t.Errorf("%s voted for: %s", query, vote.raw)
		}
	}
	for _, number := range []int{116, 201} {
		id := threadID(t, s, number)
		locked := must(t, s, sandbox.TriageToken, `mutation($id: ID!) { lockLockable(input: {lockableId: $id, lockReason: SPAM}) { lockedRecord { locked activeLockReason } } }`, "id", id)
		unlocked := must(t, s, sandbox.TriageToken, `mutation($id: ID!) { unlockLockable(input: {lockableId: $id}) { unlockedRecord { locked activeLockReason } } }`, "id", id)
		if locked.text("lockLockable", "lockedRecord", "activeLockReason") != "SPAM" || unlocked.at("unlockLockable", "unlockedRecord", "locked") != false {
			t.Errorf("%d: %s, %s", number, locked.raw, unlocked.raw)
		}
	}
}
