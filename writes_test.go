package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// act is one thing that can be done with a write tool. Its first word after
// the tool is its action.
type act struct {
	what      string // tool, action, and upon what
	arguments string // JSON without the action; $ID is what prepare returns
	requests  int    // upstream, of an administrator, once the repository is known
	writes    int    // among them

	// prepare makes what the act is upon: as the one who acts, or with the
	// help of an administrator.
	prepare func(self, admin *bench) (id string)
}

func (a act) tool() string { tool, _, _ := strings.Cut(a.what, " "); return tool }

// key is the tool with its action, as the contract has them.
func (a act) key(all []string) string {
	words := strings.Fields(a.what)
	if len(words) > 1 && slices.Contains(all, words[0]+" "+words[1]) {
		return words[0] + " " + words[1]
	}
	return words[0]
}

// acts has every action of every write tool, upon what is another's and, where
// that makes a difference, upon what is the actor's own.
var acts = []act{
	{"create_discussion in Ideas", `{"title": "t", "body": "b"}`, 3, 1, nil},
	{"create_discussion in Announcements", `{"title": "t", "body": "b", "category": "announcements"}`, 3, 1, nil},

	{"manage_discussion update title", `{"discussion_number": 3, "title": "t"}`, 3, 1, nil},
	{"manage_discussion update body", `{"discussion_number": 3, "body": "b"}`, 3, 1, nil},
	{"manage_discussion update category", `{"discussion_number": 3, "category": "general"}`, 4, 1, nil},
	{"manage_discussion update own", `{"discussion_number": $ID, "body": "c"}`, 3, 1, ownQuestion},
	{"manage_discussion update own, locked", `{"discussion_number": $ID, "body": "c"}`, 3, 1, ownLocked},
	{"manage_discussion close", `{"discussion_number": 3}`, 3, 1, nil},
	{"manage_discussion close for another reason", `{"discussion_number": 15, "reason": "outdated"}`, 3, 1, nil},
	{"manage_discussion close own", `{"discussion_number": $ID}`, 3, 1, ownQuestion},
	{"manage_discussion reopen", `{"discussion_number": 15}`, 3, 1, nil},
	{"manage_discussion lock", `{"discussion_number": 3}`, 3, 1, nil},
	{"manage_discussion lock with a reason", `{"discussion_number": 3, "reason": "spam"}`, 3, 1, nil},
	{"manage_discussion lock own", `{"discussion_number": $ID}`, 3, 1, ownQuestion},
	{"manage_discussion unlock", `{"discussion_number": 14}`, 3, 1, nil},
	{"manage_discussion mark_answer", `{"discussion_number": 24, "comment_id": "discussioncomment-12002401"}`, 4, 1, nil},
	{"manage_discussion mark_answer in own", `{"discussion_number": 1001, "comment_id": "$ID"}`, 4, 1, ownQuestionAnswered},
	{"manage_discussion unmark_answer", `{"discussion_number": 6}`, 3, 1, nil},
	{"manage_discussion delete", `{"discussion_number": 3, "confirm": true}`, 2, 1, nil},
	{"manage_discussion delete own", `{"discussion_number": $ID, "confirm": true}`, 2, 1, ownQuestion},
	{"manage_discussion delete unconfirmed", `{"discussion_number": 3}`, 1, 0, nil},

	{"manage_discussion_comment create", `{"discussion_number": 3, "body": "b"}`, 2, 1, nil},
	{"manage_discussion_comment create reply", `{"reply_to_id": "discussioncomment-12000301", "body": "b"}`, 2, 1, nil},
	{"manage_discussion_comment create in a locked thread", `{"discussion_number": 14, "body": "b"}`, 2, 1, nil},
	{"manage_discussion_comment create in a closed thread", `{"discussion_number": 15, "body": "b"}`, 2, 1, nil},
	{"manage_discussion_comment create in a private repository", `{"repo": "private", "discussion_number": 1, "body": "b"}`, 2, 1, nil},
	{"manage_discussion_comment update", `{"comment_id": "discussioncomment-12000301", "body": "b"}`, 2, 1, nil},
	{"manage_discussion_comment update own", `{"comment_id": "$ID", "body": "c"}`, 2, 1, ownComment},

	{"manage_issue_comment create", `{"issue_number": 101, "body": "b"}`, 2, 1, nil},
	{"manage_issue_comment create on a pull request", `{"pr_number": 201, "body": "b"}`, 2, 1, nil},
	{"manage_issue_comment create in a locked thread", `{"issue_number": 116, "body": "b"}`, 2, 1, nil},
	{"manage_issue_comment update", `{"comment_id": "issuecomment-14010101", "body": "b"}`, 2, 1, nil},
	{"manage_issue_comment update a review", `{"comment_id": "pullrequestreview-15020101", "body": "b"}`, 2, 1, nil},
	{"manage_issue_comment update an inline remark", `{"comment_id": "discussion_r16020103", "body": "b"}`, 2, 1, nil},
	{"manage_issue_comment update own", `{"comment_id": "$ID", "body": "c"}`, 2, 1, ownIssueComment},

	{"moderate_comment delete", `{"comment_id": "discussioncomment-12000301", "confirm": true}`, 2, 1, nil},
	{"moderate_comment delete own", `{"comment_id": "$ID", "confirm": true}`, 2, 1, ownComment},
	{"moderate_comment delete an issue's", `{"comment_id": "issuecomment-14010101", "confirm": true}`, 2, 1, nil},
	{"moderate_comment delete own of an issue", `{"comment_id": "$ID", "confirm": true}`, 2, 1, ownIssueComment},
	{"moderate_comment delete an inline remark", `{"comment_id": "discussion_r16020103", "confirm": true}`, 2, 1, nil},
	{"moderate_comment delete a submitted review", `{"comment_id": "pullrequestreview-15020101", "confirm": true}`, 1, 0, nil},
	{"moderate_comment minimize an issue's", `{"comment_id": "issuecomment-14010101", "reason": "resolved"}`, 2, 1, nil},
	{"moderate_comment minimize a review", `{"comment_id": "pullrequestreview-15020101", "reason": "outdated"}`, 2, 1, nil},
	{"moderate_comment minimize an inline remark", `{"comment_id": "discussion_r16020103", "reason": "resolved"}`, 2, 1, nil},
	{"moderate_comment minimize", `{"comment_id": "discussioncomment-12000301", "reason": "outdated"}`, 2, 1, nil},
	{"moderate_comment minimize own", `{"comment_id": "$ID", "reason": "outdated"}`, 2, 1, ownComment},
	{"moderate_comment unminimize", `{"comment_id": "$ID"}`, 2, 1, hiddenComment},

	{"manage_issue_labels add", `{"discussion_number": 3, "labels": ["bug"]}`, 3, 1, nil},
	{"manage_issue_labels add what is there", `{"discussion_number": 3, "labels": ["design"]}`, 1, 0, nil},
	{"manage_issue_labels remove", `{"discussion_number": 3, "labels": ["design"]}`, 2, 1, nil},
	{"manage_issue_labels set", `{"discussion_number": 3, "labels": ["bug"]}`, 4, 2, nil},
	{"manage_issue_labels set nothing", `{"discussion_number": 3, "labels": []}`, 2, 1, nil},
	{"manage_issue_labels add to an issue", `{"issue_number": 103, "labels": ["design"]}`, 3, 1, nil},
	{"manage_issue_labels remove from a pull request", `{"issue_number": 201, "labels": ["bug"]}`, 2, 1, nil},

	{"create_issue", `{"title": "t", "body": "b"}`, 2, 1, nil},
	{"create_issue with all there is", `{"title": "t", "labels": ["bug"], "assignees": ["octo-write"], "milestone": "1.0", "type": "Bug", "parent_issue": 104}`, 9, 3, nil},

	{"update_issue title and body", `{"issue_number": 103, "title": "t", "body": "b"}`, 3, 1, nil},
	{"update_issue own", `{"issue_number": $ID, "body": "c"}`, 3, 1, ownIssue},
	{"update_issue milestone", `{"issue_number": 103, "milestone": "1.1"}`, 4, 1, nil},
	{"update_issue without milestone and type", `{"issue_number": 101, "milestone": "", "type": ""}`, 4, 2, nil},
	{"update_issue closed", `{"issue_number": 103, "state": "closed"}`, 3, 1, nil},
	{"update_issue closed as a duplicate", `{"issue_number": 103, "state": "closed", "state_reason": "duplicate", "duplicate_of": 101}`, 4, 1, nil},
	{"update_issue closed, own", `{"issue_number": $ID, "state": "closed"}`, 3, 1, ownIssue},
	{"update_issue reopened", `{"issue_number": 162, "state": "open"}`, 3, 1, nil},
	{"update_issue open already", `{"issue_number": 103, "state": "open"}`, 1, 0, nil},
	{"update_issue a pull request's title", `{"issue_number": 201, "title": "t"}`, 3, 1, nil},
	{"update_issue a pull request closed", `{"issue_number": 201, "state": "closed"}`, 3, 1, nil},

	{"manage_issue_assignees add", `{"issue_number": 161, "assignees": ["octo-write"]}`, 4, 1, nil},
	{"manage_issue_assignees add who has it", `{"issue_number": 101, "assignees": ["octo-write"]}`, 1, 0, nil},
	{"manage_issue_assignees add to what another has", `{"issue_number": 101, "assignees": ["octo-triage"]}`, 1, 0, nil},
	{"manage_issue_assignees add nobody", `{"issue_number": 101, "assignees": []}`, 3, 1, nil},
	{"manage_issue_assignees add beside another", `{"issue_number": 103, "assignees": ["octo-triage"], "requireUnassigned": false}`, 4, 1, nil},
	{"manage_issue_assignees add in place of another", `{"issue_number": 103, "assignees": ["octo-triage"], "acknowledgedReassign": "away"}`, 6, 3, nil},
	{"manage_issue_assignees remove", `{"issue_number": 101, "assignees": ["octo-write"]}`, 3, 1, nil},

	{"update_issue_relationship add", `{"child_issue": 153, "parent_issue": 152}`, 3, 1, nil},
	{"update_issue_relationship add again", `{"child_issue": 161, "parent_issue": 160}`, 2, 0, nil},
	{"update_issue_relationship remove", `{"child_issue": 161}`, 2, 1, nil},
	{"update_issue_relationship add another parent", `{"child_issue": 161, "parent_issue": 152, "replace_parent": true}`, 3, 1, nil},
	{"update_issue_relationship add a blocker", `{"child_issue": 153, "parent_issue": 152, "relationship_type": "blocked_by"}`, 4, 1, nil},

	{"manage_issue_projects add", `{"issue_number": 103, "project_number": 1}`, 3, 1, nil},
	{"manage_issue_projects add what is there", `{"issue_number": 101, "project_number": 1}`, 1, 0, nil},
	{"manage_issue_projects remove", `{"issue_number": 101, "project_number": 1}`, 2, 1, nil},
	{"manage_issue_projects set_field to an option", `{"issue_number": 101, "project_number": 1, "field": "status", "value": "done"}`, 3, 1, nil},
	{"manage_issue_projects set_field to a number", `{"issue_number": 201, "project_number": 1, "field": "Estimate", "value": "3.5"}`, 3, 1, nil},
	{"manage_issue_projects set_field to nothing", `{"issue_number": 101, "project_number": 1, "field": "Sprint", "value": ""}`, 3, 1, nil},
	{"manage_issue_projects set_field of what is not there", `{"issue_number": 103, "project_number": 1, "field": "Notes", "value": "n"}`, 5, 2, nil},

	{"manage_label create", `{"name": "needs-triage", "color": "#FBCA04", "description": "d"}`, 3, 1, nil},
	{"manage_label update", `{"name": "bug", "new_name": "defect"}`, 4, 1, nil},
	{"manage_label update color", `{"name": "bug", "color": "000000"}`, 3, 1, nil},
	{"manage_label delete", `{"name": "bug", "confirm": true}`, 2, 1, nil},
	{"manage_label delete unconfirmed", `{"name": "bug"}`, 2, 0, nil},

	{"manage_reaction add to an issue", `{"issue_number": 103, "content": "heart"}`, 3, 1, nil},
	{"manage_reaction add to a comment", `{"comment_id": "discussioncomment-12000301", "content": "heart"}`, 3, 1, nil},
	{"manage_reaction add to a locked discussion", `{"discussion_number": 14, "content": "heart"}`, 3, 1, nil},
	{"manage_reaction remove", `{"pr_number": 201, "content": "heart"}`, 3, 1, ownReaction},
}

func number(a answer, name string) string { return fmt.Sprint(a.members[name]) }

func ownQuestion(self, _ *bench) string {
	return number(self.must("create_discussion", `{"title": "own", "body": "b", "category": "q-a"}`), "discussionNumber")
}

func ownIssue(self, _ *bench) string {
	return number(self.must("create_issue", `{"title": "own", "body": "b"}`), "issueNumber")
}

func ownReaction(self, _ *bench) string {
	return self.must("manage_reaction", `{"action": "add", "pr_number": 201, "content": "heart"}`).text("subjectId")
}

func ownLocked(self, admin *bench) string {
	own := ownQuestion(self, admin)
	admin.must("manage_discussion", `{"action": "lock", "discussion_number": `+own+`}`)
	return own
}

func ownQuestionAnswered(self, admin *bench) string {
	return admin.must("manage_discussion_comment", `{"action": "create", "discussion_number": `+ownQuestion(self, admin)+`, "body": "a"}`).text("commentId")
}

func ownComment(self, _ *bench) string {
	return self.must("manage_discussion_comment", `{"action": "create", "discussion_number": 3, "body": "b"}`).text("commentId")
}

func ownIssueComment(self, _ *bench) string {
	return self.must("manage_issue_comment", `{"action": "create", "issue_number": 101, "body": "b"}`).text("commentId")
}

func hiddenComment(self, admin *bench) string {
	id := ownComment(self, admin)
	admin.must("moderate_comment", `{"action": "minimize", "comment_id": "`+id+`", "reason": "spam"}`)
	return id
}

// stage is an act about to be done, in a sandbox of its own, whose ledger is
// empty and whose repository the server knows.
type stage struct {
	*bench
	act       act
	arguments string
}

var loadSamples = sync.OnceValues(fixtures.LoadAll)

func samples(t testing.TB) []*fixtures.Repository {
	t.Helper()
	repositories, err := loadSamples()
	if err != nil {
		t.Fatal(err)
	}
	return repositories
}

func setUp(t testing.TB, a act, who seat) stage {
	t.Helper()
	github := sandbox.StartTest(t, sandbox.Options{Repositories: samples(t)})
	s := stage{bench: newBench(t, github, who), act: a, arguments: a.arguments}
	s.must("get_discussion_conversation", `{"discussion_number": 1, "comment_id": "discussioncomment-1"}`)
	if a.prepare != nil {
		id := a.prepare(s.bench, newBench(t, github, seat{token: sandbox.AdminToken, patience: who.patience}))
		s.arguments = strings.ReplaceAll(s.arguments, "$ID", id)
	}
	if key := a.key(actions(t)); key != a.tool() {
		s.arguments = fmt.Sprintf(`{"action": %q, %s`, strings.TrimPrefix(key, a.tool()+" "), s.arguments[1:])
	}
	github.ResetRequests()
	return s
}

func (s stage) do() answer { s.t.Helper(); return s.call(s.act.tool(), s.arguments) }

// TestEveryActionIsTried: a new write tool, or a new action, needs its rows.
func TestEveryActionIsTried(t *testing.T) {
	all := actions(t)
	var tried []string
	for _, a := range allActs() {
		tried = append(tried, a.key(all))
	}
	slices.Sort(tried)
	if diff := cmp.Diff(all, slices.Compact(tried)); diff != "" {
		t.Errorf("acts (-contract +tried):\n%s", diff)
	}
}

// TestWrites does every act as an administrator: it is held to its requests,
// and then done again with everything that can befall GitHub's answer.
func TestWrites(t *testing.T) {
	var writes []plain
	for _, a := range allActs() {
		s := setUp(t, a, seat{token: sandbox.AdminToken})
		p := plain{act: a, answer: s.do(), ledger: s.github.Requests()}
		if requests, wrote := s.requests(); requests != a.requests || wrote != a.writes {
			t.Errorf("%s: %d requests, %d of them writes, want %d and %d: %s", a.what, requests, wrote, a.requests, a.writes, p.answer.raw)
		}
		if a.writes > 0 {
			writes = append(writes, p)
		}
	}
	t.Run("answers that are lost", func(t *testing.T) { loseAnswers(t, writes) })
	t.Run("answers that come too late", func(t *testing.T) { delayAnswers(t, writes) })
	t.Run("nobody waits for the answer", func(t *testing.T) { cancelWrites(t, writes) })
	t.Run("nobody waits for the next write", func(t *testing.T) { cancelBetweenWrites(t, writes) })
	t.Run("nothing can be found", func(t *testing.T) { blind(t, writes) })
}

// plain is an act that nothing disturbed.
type plain struct {
	act    act
	answer answer
	ledger []sandbox.Request
}

// loss is a way in which GitHub's answer to a write gets lost.
type loss struct {
	failure sandbox.Failure
	done    bool // the write took effect
}

var losses = map[string]loss{
	"the connection breaks before": {sandbox.Failure{Drop: "before"}, false},
	"the connection breaks after":  {sandbox.Failure{Drop: "after"}, true},
	"502 after it":                 {sandbox.Failure{Kind: "TIMEOUT", Execute: true}, true},
	"half an answer":               {sandbox.Failure{TruncateAt: 20}, true},
}

// loseAnswers: whatever becomes of GitHub's answer, each write is sent once.
// When it took effect, it is found, and the result is the one that was lost;
// when it did not, that is told.
func loseAnswers(t *testing.T, writes []plain) {
	for _, write := range writes {
		for name, loss := range losses {
			s := setUp(t, write.act, seat{token: sandbox.AdminToken})
			s.lose(loss.failure)
			s.judge(name, loss.done, write.answer, s.do())
		}
	}
}

// lose makes the answers to all writes get lost.
func (s stage) lose(failure sandbox.Failure) {
	s.t.Helper()
	failure.Times = -1
	if err := s.github.Fail(onWrites(failure)...); err != nil {
		s.t.Fatal(err)
	}
}

// onWrites is the failure for everything that writes: the mutations, and the
// REST calls that are no questions.
func onWrites(failure sandbox.Failure) []sandbox.Failure {
	mutations := failure
	mutations.Query = "mutation"
	all := []sandbox.Failure{mutations}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		calls := failure
		calls.Method, calls.Path = method, "/repos/"
		all = append(all, calls)
	}
	return all
}

// judge judges what is told of a write whose answer is lost.
func (s stage) judge(name string, done bool, want, got answer) {
	s.t.Helper()
	_, writes := s.requests()
	if !done {
		if got.code != "OUTCOME_UNKNOWN" || writes != 1 || got.text("fix") == "" {
			s.t.Errorf("%s, %s: after %d writes %s", s.act.what, name, writes, got.raw)
		}
		return
	}
	if got.code != "" || writes != s.act.writes || !strings.Contains(got.warnings(), "lost on the way") {
		s.t.Errorf("%s, %s: after %d writes %s", s.act.what, name, writes, got.raw)
		return
	}
	undisturbed := maps.Clone(want.members)
	delete(undisturbed, "warnings")
	delete(got.members, "warnings")
	if diff := cmp.Diff(undisturbed, got.members); diff != "" {
		s.t.Errorf("%s, %s (-undisturbed +found):\n%s", s.act.what, name, diff)
	}
}

// delayAnswers: the same when GitHub did its work and its answer takes longer
// than a request may. All wait at once.
func delayAnswers(t *testing.T, writes []plain) {
	stages, got := make([]stage, len(writes)), make([]answer, len(writes))
	for i, write := range writes {
		stages[i] = setUp(t, write.act, seat{token: sandbox.AdminToken, patience: 3 * time.Second})
		stages[i].lose(sandbox.Failure{BodyDelayMillis: 60_000})
	}
	var waiting sync.WaitGroup
	for i, s := range stages {
		waiting.Go(func() { got[i] = s.do() })
	}
	waiting.Wait()
	for i, s := range stages {
		s.judge("too late", true, writes[i].answer, got[i])
	}
}

// cancelWrites: the call is cancelled when GitHub has done the write and still
// has to say so. That it may be done is told to whoever hears it.
func cancelWrites(t *testing.T, writes []plain) {
	for _, write := range writes {
		ctx, cancel := context.WithCancel(t.Context())
		s := setUp(t, write.act, seat{token: sandbox.AdminToken, way: hasty{transport.NewPool(), cancel}})
		s.lose(sandbox.Failure{BodyDelayMillis: 60_000, Headers: map[string]string{boring: "headers"}})
		got := s.callUnder(ctx, s.act.tool(), s.arguments)
		if _, wrote := s.requests(); got.code != "OUTCOME_UNKNOWN" || wrote != 1 || got.text("fix") == "" {
			t.Errorf("%s: after %d writes %s", write.act.what, wrote, got.raw)
		}
	}
}

// cancelBetweenWrites: the call is cancelled when its first write is answered.
// No second one is sent, and that is not taken for a defect.
func cancelBetweenWrites(t *testing.T, writes []plain) {
	for _, write := range writes {
		if write.act.writes < 2 {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		s := setUp(t, write.act, seat{token: sandbox.AdminToken, way: hasty{transport.NewPool(), cancel}})
		s.lose(sandbox.Failure{Execute: true, Headers: map[string]string{boring: "body"}})
		got := s.callUnder(ctx, s.act.tool(), s.arguments)
		said := string(got.raw)
		if _, wrote := s.requests(); wrote != 1 || strings.Contains(said, "INTERNAL") || strings.Contains(said, "does not know") {
			t.Errorf("%s: after %d writes %s", write.act.what, wrote, said)
		}
	}
}

// boring is the header of an answer in which hasty loses interest: after its
// "headers" or after its "body".
const boring = "X-Boring"

// hasty does not wait for whatever is next.
type hasty struct {
	http.RoundTripper
	lose context.CancelFunc
}

func (h hasty) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := h.RoundTripper.RoundTrip(r)
	if err != nil || resp.Header.Get(boring) == "" {
		return resp, err
	}
	defer h.lose()
	if resp.Header.Get(boring) == "body" {
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, err
	}
	return resp, nil
}

// blind: the answer is lost, and GitHub cannot be asked what became of the
// write.
func blind(t *testing.T, writes []plain) {
	for _, write := range writes {
		before := slices.IndexFunc(write.ledger, isWrite)
		s := setUp(t, write.act, seat{token: sandbox.AdminToken})
		failures := append(onWrites(sandbox.Failure{Drop: "after"}), sandbox.Failure{Kind: "SECONDARY_LIMIT", Nth: before + 2, Times: -1})
		if err := s.github.Fail(failures...); err != nil {
			t.Fatal(err)
		}
		got := s.do()
		if _, wrote := s.requests(); got.code != "OUTCOME_UNKNOWN" || wrote != 1 || !strings.Contains(got.text("message"), "looking") {
			t.Errorf("%s: after %d writes %s", write.act.what, wrote, got.raw)
		}
	}
}

// permissions is the golden table of who may do what.
const permissions = "testdata/permissions.txt"

// TestWhoMayDoWhat does every act as each of the sandbox's users. What is
// refused says what is missing.
func TestWhoMayDoWhat(t *testing.T) {
	tokens := []string{sandbox.AdminToken, sandbox.WriteToken, sandbox.TriageToken, sandbox.ReadToken}
	var table strings.Builder
	line := func(format string, cells ...any) {
		fmt.Fprintln(&table, strings.TrimRight(fmt.Sprintf(format, cells...), " "))
	}
	const row = "%-57s %-22s %-22s %-22s %s"
	line(row, "", "admin", "write", "triage", "read")
	for _, a := range allActs() {
		cells := []any{a.what}
		for _, token := range tokens {
			s := setUp(t, a, seat{token: token})
			got := s.do()
			cells = append(cells, orDone(got.code))
			_, writes := s.requests()
			said := got.text("message")
			if got.code == "FORBIDDEN" && !strings.Contains(said, "permission") {
				t.Errorf("%s with %s: the refusal does not name the permission: %s", a.what, token, got.raw)
			}
			if got.code == "" && writes != a.writes || got.code != "" && writes > 1 {
				t.Errorf("%s with %s: %d writes: %s", a.what, token, writes, got.raw)
			}
		}
		line(row, cells...)
	}
	golden(t, permissions, table.String())
}

func orDone(code string) string {
	if code == "" {
		return "done"
	}
	return code
}

// golden compares a text with a file, or writes the file with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// read is a way to read, and what it costs.
type read struct {
	tool, arguments string
	requests        int // upstream, once the repository is known
}

// reads has every read tool, and every way to read that costs otherwise.
var reads = []read{
	{"get_mcp_tool_handbook", `{"toolId": "list_labels"}`, 0},
	{"get_viewer_permission", `{}`, 1},
	{"list_labels", `{}`, 1},
	{"list_discussion_categories", `{}`, 1},
	{"list_discussions", `{}`, 1},
	{"list_discussions", `{"state": "all", "projection": "full", "limit": 100}`, 1},
	{"list_discussions", `{"category": "ideas"}`, 2},
	{"list_discussions", `{"author": "@me", "labels": ["bug", "performance"], "since": "2026-01-01"}`, 1},
	{"get_discussion_conversation", `{"discussion_number": 5, "comment_id": "discussioncomment-20000000"}`, 1},
	{"get_discussion_conversation", `{"discussion_number": 5, "last_n": 5}`, 1},
	{"list_issues", `{}`, 1},
	{"list_issues", `{"state": "all", "projection": "full", "limit": 100, "assignee": "none"}`, 1},
	{"list_issues", `{"author": "@me", "milestone": "1.0"}`, 3},
	{"list_issues", `{"labels": ["bug", "area: reader"]}`, 1},
	{"get_conversation", `{"issue_number": 102, "comment_id": "issuecomment-30000000"}`, 1},
	{"get_conversation", `{"issue_number": 102, "last_n": 5}`, 1},
	{"get_conversation", `{"issue_number": 102}`, 2},
	{"get_conversation", `{"pr_number": 209, "comment_id": "pullrequestreview-31000000"}`, 2},
	{"get_conversation", `{"pr_number": 209, "last_n": 5}`, 2},
	{"get_conversation", `{"pr_number": 209}`, 2},
	{"search_issues", `{"query": "reader"}`, 1},
	{"search_issues", `{"query": "reader", "type": "all", "limit": 100}`, 2},
	{"list_pull_requests", `{}`, 1},
	{"list_pull_requests", `{"state": "all", "projection": "full", "limit": 100}`, 1},
	{"list_pull_requests", `{"author": "octo-write", "labels": ["bug", "area: reader"], "draft": false, "since": "2026-01-01"}`, 1},
	{"get_pull_request", `{"pr_number": 201}`, 1},
	{"get_pull_request_diff", `{"pr_number": 201}`, 2},
	{"get_pull_request_diff", `{"pr_number": 210, "files_only": true}`, 2},
	{"healthcheck", `{}`, 2},
}

// TestReadsCost holds each read tool, and each way to read, to its requests.
func TestReadsCost(t *testing.T) {
	tried := map[string]bool{}
	b := newBench(t, sandbox.StartTest(t, sandbox.Options{}), seat{token: sandbox.AdminToken})
	b.must("get_discussion_conversation", `{"discussion_number": 1, "comment_id": "discussioncomment-1"}`)
	for _, read := range reads {
		b.github.ResetRequests()
		got := b.must(read.tool, read.arguments)
		if requests, writes := b.requests(); requests != read.requests || writes != 0 {
			t.Errorf("%s %s: %d requests, %d of them writes, want %d: %s", read.tool, read.arguments, requests, writes, read.requests, got.raw)
		}
		tried[read.tool] = true
	}
	for _, tool := range theContract(t).Tools() {
		if tool.Annotations.ReadOnlyHint && !tried[tool.Name] {
			t.Errorf("what %s costs is not tried", tool.Name)
		}
	}
}
