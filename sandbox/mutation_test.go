package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// addComment posts a comment, or a reply when replyTo is set.
func addComment(t testing.TB, s *sandbox.Running, token, discussion, replyTo, body string) reply {
	t.Helper()
	var parent any
	if replyTo != "" {
		parent = replyTo
	}
	return ask(t, s, token, `mutation($d: ID!, $r: ID, $b: String!) { addDiscussionComment(input: {discussionId: $d, replyToId: $r, body: $b}) {
		comment { id databaseId url body createdAt updatedAt authorAssociation author { login } replyTo { id } } } }`, "d", discussion, "r", parent, "b", body)
}

func TestCommentsAndRepliesComeBackAsWritten(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	d := discussionID(t, s, 4)
	body := "a<b && c>d, Vec<T>\r\n\u200b\u202e \U000E0041 \U0001F469\u200d\U0001F467 \\n \"quoted\""
	comment := addComment(t, s, sandbox.WriteToken, d, "", body).at("addDiscussionComment", "comment").(map[string]any)
	answer := addComment(t, s, sandbox.ReadToken, d, comment["id"].(string), "a reply").at("addDiscussionComment", "comment").(map[string]any)
	if comment["body"] != body || comment["authorAssociation"] != "MEMBER" || answer["replyTo"].(map[string]any)["id"] != comment["id"] {
		t.Errorf("comment %v, reply %v", comment, answer)
	}
	got := must(t, s, sandbox.TriageToken, `{ `+home+` { discussion(number: 4) { updatedAt comments(last: 1) { totalCount nodes { id body replies(last: 1) { nodes { id body } } } } } } }`)
	last := got.at("repository", "discussion", "comments", "nodes", 0).(map[string]any)
	if last["id"] != comment["id"] || last["body"] != body || got.at("repository", "discussion", "comments", "totalCount") != 251.0 {
		t.Errorf("last comment %v", last)
	}
	if got.text("repository", "discussion", "comments", "nodes", 0, "replies", "nodes", 0, "id") != answer["id"] || got.text("repository", "discussion", "updatedAt") != answer["createdAt"] {
		t.Errorf("reply in %s", got.raw)
	}
}

func TestWritesComeAfterEverythingAndASecondApart(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	newest := must(t, s, sandbox.ReadToken, `{ `+home+` { discussions(first: 1) { nodes { updatedAt } } } }`).text("repository", "discussions", "nodes", 0, "updatedAt")
	d, before := discussionID(t, s, 1), parse(t, newest)
	for range 3 {
		at := parse(t, addComment(t, s, sandbox.ReadToken, d, "", "x").text("addDiscussionComment", "comment", "createdAt"))
		if at.Before(before.Add(time.Second)) {
			t.Errorf("written at %s, the thing before it at %s", at, before)
		}
		before = at
	}
}

func TestTheClockIsFollowed(t *testing.T) {
	now := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	s := sandbox.StartTest(t, sandbox.Options{Clock: func() time.Time { return now }})
	d := discussionID(t, s, 1)
	var times []string
	for range 2 {
		times = append(times, addComment(t, s, sandbox.ReadToken, d, "", "x").text("addDiscussionComment", "comment", "createdAt"))
	}
	if diff := cmp.Diff([]string{"2031-05-06T07:08:09Z", "2031-05-06T07:08:10Z"}, times); diff != "" {
		t.Errorf("times:\n%s", diff)
	}
	header := get(t, s, "/user", sandbox.ReadToken, nil).header
	if header.Get("Date") != "Tue, 06 May 2031 07:08:09 GMT" || header.Get("X-Ratelimit-Reset") != "1935821289" {
		t.Errorf("Date %s, reset %s", header.Get("Date"), header.Get("X-Ratelimit-Reset"))
	}
}

func parse(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestRefusedBodiesAndParents(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	d := discussionID(t, s, 3)
	thread := must(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 3) { comments(first: 1) { nodes { replies(first: 1) { nodes { id } } } } }
		other: discussion(number: 2) { comments(first: 1) { nodes { id } } } } }`)
	replyID := thread.text("repository", "discussion", "comments", "nodes", 0, "replies", "nodes", 0, "id")
	other := thread.text("repository", "other", "comments", "nodes", 0, "id")
	for name, test := range map[string]struct{ parent, body, message string }{
		"reply to a reply":         {replyID, "x", "Parent comment is already in a thread, cannot reply to it"},
		"parent of another thread": {other, "x", "Parent comment must belong to the same discussion"},
		"blank":                    {"", " \n", "Body can't be blank"},
		"too long":                 {"", strings.Repeat("é", 65537), "Body is too long (maximum is 65536 characters)"},
	} {
		t.Run(name, func(t *testing.T) {
			got := addComment(t, s, sandbox.ReadToken, d, test.parent, test.body)
			if got.kind() != "UNPROCESSABLE" || got.Errors[0].Message != test.message {
				t.Errorf("got %.400s", got.raw)
			}
		})
	}
	if got := addComment(t, s, sandbox.ReadToken, d, "", strings.Repeat("é", 65536)); len(got.Errors) > 0 {
		t.Errorf("65,536 characters were refused: %.300s", got.raw)
	}
}

func TestDeletionLeavesATombstoneOverReplies(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := must(t, s, sandbox.AdminToken, `{ `+home+` { discussion(number: 3) { comments(first: 1) { nodes { id } } } } }`).text("repository", "discussion", "comments", "nodes", 0, "id")
	must(t, s, sandbox.AdminToken, `mutation($id: ID!) { deleteDiscussionComment(input: {id: $id}) { comment { id } } }`, "id", id)
	got := must(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { ... on DiscussionComment { body deletedAt author { login } replies(first: 10) { totalCount } discussion { comments { totalCount } } } } }`, "id", id)
	node := got.at("node").(map[string]any)
	if node["body"] != "" || node["author"] != nil || node["deletedAt"] == nil || got.at("node", "replies", "totalCount") != 2.0 || got.at("node", "discussion", "comments", "totalCount") != 12.0 {
		t.Errorf("tombstone %s", got.raw)
	}
}

func TestDiscussionLife(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := client(s, sandbox.WriteToken)
	ids := must(t, s, sandbox.WriteToken, `{ `+home+` { id ideas: discussionCategory(slug: "ideas") { id } qa: discussionCategory(slug: "q-a") { id } } }`)
	var create struct {
		CreateDiscussion struct {
			Discussion struct {
				ID     string
				Number int
				URL    string
			}
		} `graphql:"createDiscussion(input: $input)"`
	}
	err := c.Mutate(t.Context(), &create, githubv4.CreateDiscussionInput{
		RepositoryID: ids.text("repository", "id"), CategoryID: ids.text("repository", "ideas", "id"), Title: "New", Body: "Body",
	}, nil)
	d := create.CreateDiscussion.Discussion
	if err != nil || d.Number != 1001 || d.URL != "https://github.com/octo-org/hello/discussions/1001" {
		t.Fatalf("created %+v, error %v", d, err)
	}
	steps := []struct{ mutation, path, want string }{
		{`updateDiscussion(input: {discussionId: $id, title: "Newer", categoryId: "` + ids.text("repository", "qa", "id") + `"}) { discussion { state: title category { name } } }`, "updateDiscussion.discussion.state", "Newer"},
		{`closeDiscussion(input: {discussionId: $id, reason: OUTDATED}) { discussion { state: stateReason } }`, "closeDiscussion.discussion.state", "OUTDATED"},
		{`reopenDiscussion(input: {discussionId: $id}) { discussion { state: stateReason closedAt } }`, "reopenDiscussion.discussion.state", "REOPENED"},
		{`lockLockable(input: {lockableId: $id, lockReason: SPAM}) { lockedRecord { state: activeLockReason locked ... on Discussion { number } } }`, "lockLockable.lockedRecord.state", "SPAM"},
		{`unlockLockable(input: {lockableId: $id}) { actor { state: login } unlockedRecord { locked } }`, "unlockLockable.actor.state", "octo-write"},
		{`deleteDiscussion(input: {id: $id}) { discussion { state: title } }`, "deleteDiscussion.discussion.state", "Newer"},
	}
	for _, step := range steps {
		got := must(t, s, sandbox.WriteToken, `mutation($id: ID!) { `+step.mutation+` }`, "id", d.ID)
		var path []any
		for part := range strings.SplitSeq(step.path, ".") {
			path = append(path, part)
		}
		if got.text(path...) != step.want {
			t.Errorf("%s: want %q, got %s", step.mutation, step.want, got.raw)
		}
	}
	if got := ask(t, s, sandbox.WriteToken, `{ `+home+` { discussion(number: 1001) { id } } }`); got.kind() != "NOT_FOUND" || got.Errors[0].Message != "Could not resolve to a Discussion with the number of 1001." {
		t.Errorf("after the deletion: %s", got.raw)
	}
}

func TestAnswers(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.TriageToken, `{ `+home+` {
		question: discussion(number: 6) { isAnswered answer { databaseId isAnswer } answerChosenBy { login } comments(first: 2) { nodes { id replies(first: 1) { nodes { id } } } } }
		idea: discussion(number: 3) { isAnswered comments(first: 1) { nodes { id } } } } }`)
	if got.at("repository", "question", "answer", "databaseId") != 12000602.0 || got.at("repository", "question", "isAnswered") != true || got.at("repository", "idea", "isAnswered") != nil {
		t.Errorf("answers as loaded: %s", got.raw)
	}
	comments := got.at("repository", "question", "comments", "nodes").([]any)
	first, replyID := comments[0].(map[string]any)["id"], got.text("repository", "question", "comments", "nodes", 1, "replies", "nodes", 0, "id")
	mark := `mutation($id: ID!) { markDiscussionCommentAsAnswer(input: {id: $id}) { discussion { isAnswered answer { id } answerChosenBy { login } } } }`
	if marked := must(t, s, sandbox.TriageToken, mark, "id", first); marked.at("markDiscussionCommentAsAnswer", "discussion", "answer", "id") != first {
		t.Errorf("marked %s", marked.raw)
	}
	unmark := must(t, s, sandbox.TriageToken, `mutation($id: ID!) { unmarkDiscussionCommentAsAnswer(input: {id: $id}) { discussion { isAnswered answer { id } answerChosenAt } } }`, "id", first)
	if diff := cmp.Diff(map[string]any{"isAnswered": false, "answer": nil, "answerChosenAt": nil}, unmark.at("unmarkDiscussionCommentAsAnswer", "discussion")); diff != "" {
		t.Errorf("unmarked:\n%s", diff)
	}
	for name, id := range map[string]string{"a reply": replyID, "an idea": got.text("repository", "idea", "comments", "nodes", 0, "id")} {
		if refused := ask(t, s, sandbox.TriageToken, mark, "id", id); refused.kind() != "UNPROCESSABLE" {
			t.Errorf("%s became an answer: %s", name, refused.raw)
		}
	}
}

func TestModeration(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	thing := must(t, s, sandbox.TriageToken, `{ `+home+` { bug: label(name: "bug") { id } ui: label(name: "documentation") { id } discussion(number: 2) { id comments(first: 1) { nodes { id } } } } }`)
	d, c := thing.text("repository", "discussion", "id"), thing.text("repository", "discussion", "comments", "nodes", 0, "id")
	labels := []string{thing.text("repository", "bug", "id"), thing.text("repository", "ui", "id")}
	for _, step := range []struct {
		mutation string
		want     map[string]any
	}{
		{`minimizeComment(input: {subjectId: $c, classifier: OFF_TOPIC}) { minimizedComment { isMinimized minimizedReason } }`, map[string]any{"minimizedComment": map[string]any{"isMinimized": true, "minimizedReason": "off-topic"}}},
		{`unminimizeComment(input: {subjectId: $c}) { unminimizedComment { isMinimized minimizedReason } }`, map[string]any{"unminimizedComment": map[string]any{"isMinimized": false, "minimizedReason": nil}}},
		{`addLabelsToLabelable(input: {labelableId: $d, labelIds: $labels}) { labelable { labels(first: 5) { nodes { name } } } }`, named("bug", "documentation")},
		{`removeLabelsFromLabelable(input: {labelableId: $d, labelIds: $labels}) { labelable { labels(first: 5) { nodes { name } } } }`, named()},
		{`addReaction(input: {subjectId: $c, content: HEART}) { reaction { content user { login } } subject { reactions { totalCount viewerHasReacted } } }`, map[string]any{
			"reaction": map[string]any{"content": "HEART", "user": map[string]any{"login": "octo-triage"}}, "subject": map[string]any{"reactions": map[string]any{"totalCount": 2.0, "viewerHasReacted": true}}}},
		{`removeReaction(input: {subjectId: $c, content: HEART}) { subject { reactions { totalCount viewerHasReacted } } }`, map[string]any{"subject": map[string]any{"reactions": map[string]any{"totalCount": 1.0, "viewerHasReacted": false}}}},
		{`addUpvote(input: {subjectId: $d}) { subject { upvoteCount viewerHasUpvoted } }`, map[string]any{"subject": map[string]any{"upvoteCount": 1.0, "viewerHasUpvoted": true}}},
	} {
		name, _, _ := strings.Cut(step.mutation, "(")
		query := `mutation(`
		for _, declared := range []string{"$c: ID!", "$d: ID!", "$labels: [ID!]!"} {
			if strings.Contains(step.mutation, declared[:2]) {
				query += declared + " "
			}
		}
		got := must(t, s, sandbox.TriageToken, query+`) { `+step.mutation+` }`, "c", c, "d", d, "labels", labels)
		if diff := cmp.Diff(step.want, got.at(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func named(names ...string) map[string]any {
	nodes := []any{}
	for _, name := range names {
		nodes = append(nodes, map[string]any{"name": name})
	}
	var list any = nodes
	return map[string]any{"labelable": map[string]any{"labels": map[string]any{"nodes": list}}}
}

func TestReactionGroups(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 3) { reactionGroups { content viewerHasReacted subject { id } reactors(first: 5) { totalCount edges { reactedAt node { __typename ... on User { login } } } } } } } }`)
	groups, _ := got.at("repository", "discussion", "reactionGroups").([]any)
	if len(groups) != 8 || got.text("repository", "discussion", "reactionGroups", 0, "content") != "THUMBS_UP" || got.at("repository", "discussion", "reactionGroups", 0, "reactors", "totalCount") != 2.0 {
		t.Errorf("groups %s", got.raw)
	}
}

func TestRenderedBodies(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := addComment(t, s, sandbox.ReadToken, discussionID(t, s, 2), "", "**bold** and `a<b`\n\n<!-- hidden -->\n\n- one\n- two\n\n```go\nx := 1\n```").text("addDiscussionComment", "comment", "id")
	got := must(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { ... on Comment { bodyText bodyHTML } } }`, "id", id)
	if want := "bold and a<b\none\ntwo\nx := 1"; got.text("node", "bodyText") != want {
		t.Errorf("bodyText %q, want %q", got.text("node", "bodyText"), want)
	}
	if html := got.text("node", "bodyHTML"); !strings.HasPrefix(html, "<p><strong>bold</strong> and <code>a&lt;b</code></p>") || strings.Contains(html, "hidden") {
		t.Errorf("bodyHTML %q", html)
	}
}
