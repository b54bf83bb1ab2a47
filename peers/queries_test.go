package peers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// TestQueriesAreGitHubs lets the program work on the sandbox, tool by tool,
// and judges every GraphQL document it sends by GitHub's published schema.
func TestQueriesAreGitHubs(t *testing.T) {
	schema := publishedSchema(t)
	observer := &observer{seen: map[string]string{}}
	address := observer.inFrontOf(t, startSandbox(t))
	worker := &worker{session: start(t, pointedAt(address, "sandbox-admin")), used: map[string]bool{}}
	worker.readsLists()
	worker.readsConversations()
	worker.readsThreads()
	worker.writes()
	worker.maintains()
	worker.worksOnIssues()
	worker.pulls()

	for _, tool := range worker.tools() {
		if !worker.used[tool] {
			t.Errorf("no query of %s was looked at: this test does not call it", tool)
		}
	}
	documents := observer.documents()
	for _, document := range documents {
		for _, complaint := range invalid(schema, document.query, document.variables) {
			t.Errorf("%s\nin %s", complaint, document.query)
		}
	}
	if len(documents) < 10 {
		t.Errorf("only %d documents seen; the observer misses some", len(documents))
	}
	t.Logf("%d different documents judged", len(documents))
}

// invalid says what GitHub would refuse in a document and its variables.
func invalid(schema *ast.Schema, query string, variables map[string]any) []string {
	document, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		return []string{err.Error()}
	}
	var complaints []string
	for _, err := range validator.ValidateWithRules(schema, document, nil) {
		complaints = append(complaints, err.Error())
	}
	if len(complaints) > 0 {
		return complaints
	}
	for _, operation := range document.Operations {
		if _, err := validator.VariableValues(schema, operation, variables); err != nil {
			complaints = append(complaints, err.Error())
		}
	}
	return complaints
}

// document is one GraphQL request.
type document struct {
	query     string
	variables map[string]any
}

// observer stands between the program and the sandbox and remembers each
// GraphQL request.
type observer struct {
	mu   sync.Mutex
	seen map[string]string // the body, by query and the names of its variables
}

func (o *observer) inFrontOf(t *testing.T, address string) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/graphql") && r.Method == http.MethodPost {
			o.note(body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// note remembers a request, once for each query with each set of variables.
func (o *observer) note(body []byte) {
	sent := decode(body)
	names := []string{sent.query}
	for name, value := range sent.variables {
		names = append(names, fmt.Sprintf("%s:%t", name, value == nil))
	}
	slices.Sort(names[1:])
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[strings.Join(names, "\n")] = string(body)
}

func (o *observer) documents() []document {
	o.mu.Lock()
	defer o.mu.Unlock()
	var documents []document
	for _, body := range o.seen {
		documents = append(documents, decode([]byte(body)))
	}
	return documents
}

// decode reads a GraphQL request; one that is none becomes its own text, for
// the validator to refuse.
func decode(body []byte) document {
	var request struct {
		Query     string
		Variables map[string]any
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&request); err != nil {
		return document{query: string(body)}
	}
	return document{request.Query, request.Variables}
}

// worker calls tools and remembers which.
type worker struct {
	*session
	used map[string]bool
}

func (w *worker) call(result any, tool string, arguments map[string]any) {
	w.t.Helper()
	w.used[tool] = true
	w.session.call(result, tool, arguments)
}

// readsLists calls the lists and the small reads, with each filter.
func (w *worker) readsLists() {
	w.t.Helper()
	for _, arguments := range []map[string]any{
		{}, {"limit": 2}, {"category": "Ideas"}, {"state": "closed"}, {"state": "all", "order_by": "created", "direction": "asc"},
		{"category": "q-a", "answered": false}, {"labels": []string{"bug"}}, {"author": "ada-mensah"},
		{"since": "2026-01-01"}, {"projection": "title"}, {"projection": "full", "limit": 3},
	} {
		w.call(&struct{}{}, "list_discussions", arguments)
	}
	for _, arguments := range []map[string]any{
		{}, {"limit": 1, "state": "closed", "sort": "comments"}, {"labels": []string{"bug", "area: reader"}}, {"assignee": "none"}, {"assignee": "@me"},
		{"author": "ada-mensah", "milestone": "1.0"}, {"milestone": "none", "since": "2026-01-01"}, {"projection": "full", "state": "all", "limit": 3},
		{"labels": []string{"no such label"}},
	} {
		w.call(&struct{}{}, "list_issues", arguments)
	}
	var page struct{ Next map[string]any }
	w.call(&page, "list_discussions", map[string]any{"limit": 1})
	w.call(&struct{}{}, "list_discussions", page.Next)
	w.call(&struct{}{}, "list_discussion_categories", nil)
	w.call(&struct{}{}, "list_labels", nil)
	w.call(&struct{}{}, "list_labels", map[string]any{"query": "bug", "limit": 1})
	w.call(&struct{}{}, "get_viewer_permission", nil)
	w.call(&struct{}{}, "healthcheck", nil)
	w.call(&struct{}{}, "get_mcp_tool_handbook", map[string]any{"toolId": "healthcheck"})
}

// readsConversations reads a short, a long, a very long and a deep discussion
// with every selector and every spelling of a comment.
func (w *worker) readsConversations() {
	w.t.Helper()
	for _, number := range []int{1, 3, 4, 5, 7} {
		var all, last conversation
		w.read(&all, number, nil)
		w.read(&last, number, map[string]any{"last_n": 3})
		if all.Next != nil {
			w.call(&conversation{}, "get_discussion_conversation", all.Next)
		}
		for _, known := range slices.Concat(all.Comments.Nodes, last.Comments.Nodes) {
			w.selects(number, known)
			break
		}
		for _, known := range last.Comments.Nodes {
			w.selects(number, known)
		}
	}
}

// selects reads one comment by each of its spellings, and what came after it.
func (w *worker) selects(number int, known comment) {
	w.t.Helper()
	spellings := []any{known.ID, known.DatabaseID, fmt.Sprintf("discussioncomment-%d", known.DatabaseID), known.URL}
	for _, spelling := range spellings {
		var alone conversation
		w.read(&alone, number, map[string]any{"comment_id": spelling})
		if !alone.Found {
			w.t.Errorf("discussion %d: comment %v was not found", number, spelling)
		}
	}
	w.read(&conversation{}, number, map[string]any{"since_comment_id": known.ID})
	for _, reply := range known.Replies.Nodes {
		w.read(&conversation{}, number, map[string]any{"comment_id": reply.ID})
		w.read(&conversation{}, number, map[string]any{"since_comment_id": reply.DatabaseID})
		return
	}
}

func (w *worker) read(result *conversation, number int, selector map[string]any) {
	w.t.Helper()
	arguments := map[string]any{"discussion_number": number}
	for name, value := range selector {
		arguments[name] = value
	}
	w.call(result, "get_discussion_conversation", arguments)
}

// readsThreads reads issues and pull requests, short and long, with every
// selector and every spelling.
func (w *worker) readsThreads() {
	w.t.Helper()
	for _, number := range []int{101, 102, 103, 201, 209} {
		var all, last conversation
		w.call(&all, "get_conversation", map[string]any{"issue_number": number})
		if all.Next != nil {
			w.call(&conversation{}, "get_conversation", all.Next)
		}
		w.call(&last, "get_conversation", map[string]any{"issue_number": number, "last_n": 5})
		for _, known := range append(last.Comments.Nodes, all.Comments.Nodes[0]) {
			for _, spelling := range []any{known.ID, known.DatabaseID, known.URL} {
				var alone conversation
				w.call(&alone, "get_conversation", map[string]any{"issue_number": number, "comment_id": spelling})
				if !alone.Found {
					w.t.Errorf("#%d: comment %v was not found", number, spelling)
				}
			}
			var since conversation
			w.call(&since, "get_conversation", map[string]any{"issue_number": number, "since_comment_id": known.ID})
			if since.Next != nil {
				w.call(&conversation{}, "get_conversation", since.Next)
			}
		}
	}
}

// writes posts, replies and edits.
func (w *worker) writes() {
	w.t.Helper()
	var onIssue, onPull written
	w.call(&onIssue, "manage_issue_comment", map[string]any{"action": "create", "issue_number": 101, "body": "One."})
	w.call(&onPull, "manage_issue_comment", map[string]any{"action": "create", "pr_number": 201, "body": "One."})
	for _, post := range []written{onIssue, onPull} {
		w.call(&written{}, "manage_issue_comment", map[string]any{"action": "update", "comment_id": post.URL, "body": "Two."})
		w.call(&struct{}{}, "moderate_comment", map[string]any{"action": "delete", "confirm": true, "comment_id": post.CommentID})
	}
	for _, id := range []string{"pullrequestreview-15020101", "discussion_r16020103", "issuecomment-14010103"} {
		w.call(&written{}, "manage_issue_comment", map[string]any{"action": "update", "comment_id": id, "body": "Two."})
		w.call(&struct{}{}, "moderate_comment", map[string]any{"action": "minimize", "reason": "outdated", "comment_id": id})
		w.call(&struct{}{}, "moderate_comment", map[string]any{"action": "unminimize", "comment_id": id})
	}
	w.call(&struct{}{}, "moderate_comment", map[string]any{"action": "delete", "confirm": true, "comment_id": "discussion_r16020103"})
	var post written
	w.call(&post, "manage_discussion_comment", map[string]any{"action": "create", "discussion_number": 3, "body": "One."})
	w.call(&written{}, "manage_discussion_comment", map[string]any{
		"action": "create", "discussion_number": 3, "reply_to_id": post.CommentID, "body": "Two.",
	})
	w.call(&written{}, "manage_discussion_comment", map[string]any{
		"action": "update", "comment_id": post.CommentID, "body": "One and a half.",
	})
	w.call(&written{}, "manage_discussion_comment", map[string]any{
		"action": "update", "comment_id": post.URL, "body": "One and three quarters.",
	})
}

// maintains takes a discussion of its own through its whole life.
func (w *worker) maintains() {
	w.t.Helper()
	var opened struct{ DiscussionNumber int }
	w.call(&opened, "create_discussion", map[string]any{"title": "How long?", "body": "A day?", "category": "q-a"})
	var post written
	on := func(tool string, result any, arguments map[string]any) {
		w.t.Helper()
		arguments["discussion_number"] = opened.DiscussionNumber
		w.call(result, tool, arguments)
	}
	on("manage_discussion_comment", &post, map[string]any{"action": "create", "body": "A week."})
	for _, arguments := range []map[string]any{
		{"action": "update", "title": "For how long?", "body": "A day, or a week?"},
		{"action": "mark_answer", "comment_id": post.CommentID}, {"action": "unmark_answer"},
		{"action": "update", "category": "Ideas"},
		{"action": "close", "reason": "outdated"}, {"action": "reopen"},
		{"action": "lock", "reason": "too heated"}, {"action": "unlock"},
	} {
		on("manage_discussion", &struct{}{}, arguments)
	}
	for _, arguments := range []map[string]any{
		{"action": "add", "labels": []string{"bug"}}, {"action": "set", "labels": []string{"design"}},
		{"action": "remove", "labels": []string{"design"}}, {"action": "set", "labels": []string{}},
	} {
		on("manage_issue_labels", &struct{}{}, arguments)
	}
	for _, arguments := range []map[string]any{
		{"action": "minimize", "reason": "outdated"}, {"action": "unminimize"}, {"action": "delete", "confirm": true},
	} {
		arguments["comment_id"] = post.CommentID
		on("moderate_comment", &struct{}{}, arguments)
	}
	on("manage_discussion", &struct{}{}, map[string]any{"action": "delete", "confirm": true})
}

// worksOnIssues searches, opens, changes, assigns, links and reacts.
func (w *worker) worksOnIssues() {
	w.t.Helper()
	for _, kind := range []string{"issue", "pr", "discussion", "all"} {
		w.call(&struct{}{}, "search_issues", map[string]any{"query": "reader", "type": kind, "limit": 3, "sort": "updated"})
	}
	var opened struct{ IssueNumber int }
	w.call(&opened, "create_issue", map[string]any{
		"title": "t", "body": "b", "labels": []string{"bug"}, "assignees": []string{"@me"}, "milestone": "1.0", "type": "Bug", "parent_issue": 160,
	})
	number := opened.IssueNumber
	for _, step := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"update_issue", map[string]any{"issue_number": number, "title": "u", "body": "c", "milestone": "", "type": "Task"}},
		{"update_issue", map[string]any{"issue_number": number, "type": "", "state": "closed", "state_reason": "duplicate", "duplicate_of": 101}},
		{"update_issue", map[string]any{"issue_number": number, "state": "open"}},
		{"update_issue", map[string]any{"issue_number": 201, "title": "u", "state": "closed"}},
		{"update_issue", map[string]any{"issue_number": 201, "state": "open"}},
		{"manage_issue_assignees", map[string]any{"issue_number": number, "action": "add", "assignees": []string{"octo-write"}, "acknowledgedReassign": "why"}},
		{"manage_issue_assignees", map[string]any{"issue_number": number, "action": "remove", "assignees": []string{"octo-write"}}},
		{"update_issue_relationship", map[string]any{"child_issue": number, "parent_issue": 152, "replace_parent": true}},
		{"update_issue_relationship", map[string]any{"child_issue": number}},
		{"update_issue_relationship", map[string]any{"child_issue": number, "parent_issue": 152, "relationship_type": "blocked_by"}},
		{"update_issue_relationship", map[string]any{"child_issue": number, "parent_issue": 152, "relationship_type": "blocked_by", "action": "remove"}},
		{"manage_issue_projects", map[string]any{"issue_number": number, "action": "add", "project_number": 1}},
		{"manage_issue_projects", map[string]any{"issue_number": number, "action": "set_field", "project_number": 1, "field": "Notes", "value": "n"}},
		{"manage_issue_projects", map[string]any{"issue_number": number, "action": "set_field", "project_number": 1, "field": "Notes", "value": ""}},
		{"manage_issue_projects", map[string]any{"issue_number": number, "action": "remove", "project_number": 1}},
		{"manage_label", map[string]any{"action": "create", "name": "new", "description": "d"}},
		{"manage_label", map[string]any{"action": "update", "name": "new", "new_name": "newer", "color": "000000"}},
		{"manage_label", map[string]any{"action": "delete", "name": "newer", "confirm": true}},
		{"manage_reaction", map[string]any{"issue_number": number, "action": "add", "content": "+1"}},
		{"manage_reaction", map[string]any{"issue_number": number, "action": "remove", "content": "+1"}},
	} {
		w.call(&struct{}{}, step.tool, step.arguments)
	}
}

func TestInvalidQueriesAreFound(t *testing.T) {
	schema := mustBuild(t, "type Query { a(x: Int!): Int }")
	tests := []struct {
		name, query string
		variables   map[string]any
		valid       bool
	}{
		{"right", "query($x: Int!) { a(x: $x) }", map[string]any{"x": json.Number("1")}, true},
		{"unknown field", "{ b }", nil, false},
		{"missing argument", "{ a }", nil, false},
		{"variable of another type", "query($x: String!) { a(x: $x) }", nil, false},
		{"value of another type", "query($x: Int!) { a(x: $x) }", map[string]any{"x": "one"}, false},
		{"missing variable", "query($x: Int!) { a(x: $x) }", nil, false},
		{"no GraphQL", "{", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := invalid(schema, tt.query, tt.variables); (len(got) == 0) != tt.valid {
				t.Errorf("complaints = %q, want valid: %t", got, tt.valid)
			}
		})
	}
}
