package peers_test

import (
	"strings"
	"testing"
)

// pulls calls every tool for pull requests, with each filter and action.
func (w *worker) pulls() {
	w.t.Helper()
	for _, arguments := range []map[string]any{
		{}, {"limit": 1}, {"state": "closed"}, {"state": "merged", "sort": "created", "direction": "asc"}, {"state": "all", "projection": "full"},
		{"base": "main"}, {"head": "fix/ties"}, {"head": "octo-org:fix/ties"}, {"labels": []string{"bug"}}, {"labels": []string{"no such label"}},
		{"labels": []string{"bug", "area: reader"}}, {"author": "@me"}, {"draft": false, "review": "approved"}, {"since": "2026-01-01"},
	} {
		w.call(&struct{}{}, "list_pull_requests", arguments)
	}
	var page struct{ Next map[string]any }
	w.call(&page, "list_pull_requests", map[string]any{"limit": 1, "state": "all"})
	w.call(&struct{}{}, "list_pull_requests", page.Next)
	w.call(&struct{}{}, "get_pull_request", map[string]any{"pr_number": 201})
	for _, arguments := range []map[string]any{{"files_only": true}, {"files": []string{"reader/reader.go"}, "sha": "abc"}} {
		arguments["pr_number"] = 201
		if arguments["sha"] != nil {
			w.tries("get_pull_request_diff", arguments)
			continue
		}
		w.call(&struct{}{}, "get_pull_request_diff", arguments)
	}
	w.tries("checkout_pull_request", map[string]any{"pr_number": 201, "directory": w.t.TempDir()})
	w.call(&struct{}{}, "manage_pr_reviewers", map[string]any{"pr_number": 201, "action": "add", "reviewers": []string{"octo-triage"}})
	w.reviews()
	w.changes()
}

// tries calls a tool that may be refused: what counts is what it asks.
func (w *worker) tries(tool string, arguments map[string]any) {
	w.t.Helper()
	w.used[tool] = true
	w.raw(tool, arguments)
}

// reviews reviews a pull request in every way.
func (w *worker) reviews() {
	w.t.Helper()
	review := func(arguments map[string]any) (reviewed struct{ ReviewID string }) {
		w.t.Helper()
		arguments["pr_number"] = 205
		w.call(&reviewed, "manage_pr_review", arguments)
		return reviewed
	}
	first := review(map[string]any{"action": "create", "event": "comment", "body": "Hm."})
	review(map[string]any{"action": "update", "review_id": first.ReviewID, "body": "Fine."})
	review(map[string]any{"action": "create", "event": "pending", "body": "Soon."})
	review(map[string]any{"action": "submit", "event": "comment"})
	w.tries("manage_pr_review", map[string]any{"pr_number": 205, "action": "create", "event": "approve"})
	w.tries("manage_pr_review", map[string]any{"pr_number": 205, "action": "dismiss", "review_id": first.ReviewID, "body": "Old."})

	for _, action := range []string{"reply", "resolve", "unresolve"} {
		arguments := map[string]any{"action": action, "comment_id": "discussion_r16020101", "pr_number": 201}
		if action == "reply" {
			arguments["body"] = "It is."
		}
		w.call(&struct{}{}, "manage_review_thread", arguments)
	}
}

// changes opens, changes and merges a pull request.
func (w *worker) changes() {
	w.t.Helper()
	w.tries("create_pull_request", map[string]any{"title": "Again", "head": "fix/ties", "draft": true, "body": "Closes #101."})
	for _, arguments := range []map[string]any{{"title": "Ties"}, {"state": "closed"}, {"state": "open"}, {"draft": true}, {"draft": false}} {
		arguments["pr_number"] = 201
		w.call(&struct{}{}, "update_pull_request", arguments)
	}
	var facts struct{ HeadRefOid string }
	w.call(&facts, "get_pull_request", map[string]any{"pr_number": 201})
	w.tries("merge_pull_request", map[string]any{"pr_number": 201, "expected_head_sha": facts.HeadRefOid, "method": "squash", "confirm": true})
}

func TestTriesAreCounted(t *testing.T) {
	worker := &worker{session: start(t, pointedAt(startSandbox(t), "sandbox-write")), used: map[string]bool{}}
	worker.tries("get_pull_request", map[string]any{"pr_number": 999999})
	if text, failed := worker.raw("get_pull_request", map[string]any{"pr_number": 999999}); !failed || !strings.Contains(text, "NOT_FOUND") || !worker.used["get_pull_request"] {
		t.Errorf("got %s, %t", text, failed)
	}
}
