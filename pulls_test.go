package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allActs are the acts upon everything.
func allActs() []act { return slices.Concat(pullActs, acts) }

// pullActs has every action of every tool that writes to pull requests.
var pullActs = []act{
	{"create_pull_request from a branch", `{"title": "t", "head": "feature/next", "body": "b"}`, 2, 1, nil},
	{"create_pull_request into another base", `{"title": "t", "head": "feature/next", "base": "release/1.2", "draft": true}`, 2, 1, nil},

	{"update_pull_request title", `{"pr_number": 202, "title": "t"}`, 2, 1, nil},
	{"update_pull_request title as it is", `{"pr_number": 207, "title": "Fix a typo in the guide"}`, 1, 0, nil},
	{"update_pull_request state", `{"pr_number": 201, "state": "closed"}`, 2, 1, nil},
	{"update_pull_request draft", `{"pr_number": 201, "draft": true}`, 2, 1, nil},
	{"update_pull_request ready, with a text", `{"pr_number": 202, "draft": false, "body": "b"}`, 3, 2, nil},

	{"merge_pull_request", `{"pr_number": 207, "expected_head_sha": "$ID"}`, 2, 1, headOf("207")},
	{"merge_pull_request merged before", `{"pr_number": 203, "expected_head_sha": "$ID"}`, 1, 0, headOf("203")},
	{"merge_pull_request of another head", `{"pr_number": 201, "expected_head_sha": "$ID"}`, 1, 0, headOf("203")},
	{"merge_pull_request in conflict", `{"pr_number": 206, "expected_head_sha": "$ID"}`, 1, 0, headOf("206")},

	{"manage_pr_review create", `{"pr_number": 202, "event": "comment", "body": "b"}`, 2, 1, nil},
	{"manage_pr_review create in the lines", `{"pr_number": 201, "event": "comment", "comments": [{"path": "reader/reader.go", "line": 11, "body": "b"}]}`, 2, 1, nil},
	{"manage_pr_review create pending", `{"pr_number": 202, "event": "pending", "body": "b"}`, 2, 1, nil},
	{"manage_pr_review update", `{"pr_number": 201, "review_id": "pullrequestreview-15020101", "body": "b"}`, 2, 1, nil},
	{"manage_pr_review update own", `{"pr_number": 202, "review_id": "$ID", "body": "c"}`, 2, 1, ownReview},
	{"manage_pr_review submit", `{"pr_number": 202, "event": "comment"}`, 3, 1, ownDraft},
	{"manage_pr_review dismiss", `{"pr_number": 206, "review_id": 15020601, "body": "r"}`, 2, 1, nil},

	{"manage_review_thread reply", `{"thread_id": "$ID", "body": "b"}`, 2, 1, openThread},
	{"manage_review_thread reply by a remark", `{"comment_id": "discussion_r16020101", "body": "b"}`, 4, 1, nil},
	{"manage_review_thread resolve", `{"thread_id": "$ID"}`, 2, 1, openThread},
	{"manage_review_thread unresolve", `{"thread_id": "$ID"}`, 2, 1, settledThread},

	{"manage_pr_reviewers add", `{"pr_number": 202, "reviewers": ["@octo-triage"], "team_reviewers": ["octo-org/reviewers"]}`, 1, 1, nil},
	{"manage_pr_reviewers remove", `{"pr_number": 201, "reviewers": ["octo-triage"]}`, 1, 1, nil},

	{"checkout_pull_request", `{"pr_number": 201, "directory": "$ID"}`, 1, 0, workingTree},
}

// headOf prepares nothing: it is the head of a pull request.
func headOf(pull string) func(self, admin *bench) string {
	return func(_, admin *bench) string {
		return admin.must("get_pull_request", `{"pr_number": `+pull+`}`).text("headRefOid")
	}
}

func ownReview(self, _ *bench) string {
	return self.must("manage_pr_review", `{"action": "create", "pr_number": 202, "event": "comment", "body": "b"}`).text("reviewId")
}

func ownDraft(self, _ *bench) string {
	return self.must("manage_pr_review", `{"action": "create", "pr_number": 202, "event": "pending", "body": "b"}`).text("reviewId")
}

func openThread(_, admin *bench) string { return thread(admin, "unresolve") }

func settledThread(_, admin *bench) string { return thread(admin, "resolve") }

func thread(admin *bench, action string) string {
	return admin.must("manage_review_thread", `{"action": "`+action+`", "comment_id": "discussion_r16020101"}`).text("threadId")
}

// workingTree is a clone of a repository that has the branch of pull request
// 201, both made here.
func workingTree(self, _ *bench) string {
	origin, clone := filepath.Join(self.t.TempDir(), "octo-org", "hello.git"), filepath.Join(self.t.TempDir(), "clone")
	git(self.t, ".", "init", "--quiet", "--bare", "--initial-branch=main", origin)
	git(self.t, ".", "clone", "--quiet", origin, clone)
	git(self.t, clone, "commit", "--quiet", "--allow-empty", "-m", "one")
	git(self.t, clone, "push", "--quiet", "origin", "HEAD:refs/heads/main", "HEAD:refs/pull/201/head")
	return clone
}

func git(t testing.TB, dir string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.test"}, arguments...)...)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}
