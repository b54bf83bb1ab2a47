package peers_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// peer is somebody's MCP client in one version of the protocol.
type peer struct {
	name    string
	version string // that it has to agree on with our server
	// cannot are the things that the client's program has no way to do.
	cannot  []string
	connect func(t *testing.T, to endpoint, version string, answers []string) *link
}

// What not every client can do.
const (
	askAPerson = "ask a person"
	cancelCall = "cancel a call"
	callAnyway = "call a tool that is not listed"
)

func (p peer) can(what string) bool { return !slices.Contains(p.cannot, what) }

// link is a peer that is connected to our server.
type link struct {
	version string // agreed on; "" when the client does not tell
	do      func(context.Context, action) outcome
}

// action is what a client is told to do.
type action struct {
	Do        string         `json:"do"`             // tools, call, prompt or resource
	Name      string         `json:"name,omitempty"` // of the tool or prompt; the URI of a resource
	Arguments map[string]any `json:"arguments,omitempty"`
}

// outcome is what the client's program gets.
type outcome struct {
	Text   string   // of the first part; of tools, a name a line
	Failed bool     // a result that is an error
	Error  string   // an error instead of a result
	Asked  []string // what its person has been asked so far
}

// endpoint is our server: a program to start, or the URL of one that runs.
type endpoint struct {
	environment []string
	arguments   []string
	url         string // "" over stdio
}

// variables is the environment by name.
func (e endpoint) variables() map[string]string {
	variables := map[string]string{}
	for _, assignment := range e.environment {
		name, value, _ := strings.Cut(assignment, "=")
		variables[name] = value
	}
	return variables
}

func peers() []peer {
	// It does not send the cancellation over HTTP, it hangs up; before
	// 2026-07-28 that must not be taken for one.
	hangsUp := []string{cancelCall + " over " + overHTTP}
	// It is a command for each action.
	commandLine := []string{askAPerson, cancelCall, callAnyway}
	return []peer{
		{name: "mcp-go", version: "2026-07-28", connect: connectMCPGo},
		{name: "mcp-go", version: "2025-11-25", connect: connectMCPGo, cannot: hangsUp},
		{name: "mcp-go", version: "2025-06-18", connect: connectMCPGo, cannot: hangsUp},
		{name: "mcp-go", version: "2025-03-26", connect: connectMCPGo, cannot: hangsUp},
		{name: "mcp-go", version: "2024-11-05", connect: connectMCPGo, cannot: hangsUp},
		{name: "go-sdk", version: "2026-07-28", connect: connectGoSDK},
		{name: "go-sdk", version: "2025-11-25", connect: connectGoSDK},
		{name: "typescript-sdk 2", version: "2026-07-28", connect: connectNode("2")},
		{name: "typescript-sdk 2", version: "2025-11-25", connect: connectNode("2")},
		{name: "typescript-sdk 1", version: "2025-11-25", connect: connectNode("1")},
		{name: "inspector", version: "2026-07-28", connect: connectInspector("modern"), cannot: commandLine},
		{name: "inspector", version: "2025-11-25", connect: connectInspector("legacy"), cannot: commandLine},
	}
}

// everyClient runs a test for each client that can do what it needs ("" is
// nothing beyond the ordinary), over each transport.
func everyClient(t *testing.T, needs string, test func(t *testing.T, p peer, transport string)) {
	t.Helper()
	for _, p := range peers() {
		for _, transport := range transports() {
			if !p.can(needs) || !p.can(needs+" over "+transport) {
				continue
			}
			t.Run(p.name+" "+p.version+" over "+transport, func(t *testing.T) { test(t, p, transport) })
		}
	}
}

// TestClients has each client look at the tools, call some, and use a prompt
// and a resource.
func TestClients(t *testing.T) {
	everyClient(t, "", func(t *testing.T, p peer, transport string) {
		l := p.connect(t, serve(t, transport, nil, "--sandbox"), p.version, nil)
		if l.version != "" && l.version != p.version {
			t.Errorf("the protocol is %s", l.version)
		}
		if diff := cmp.Diff(toolsOver(t, transport), slices.Sorted(strings.SplitSeq(l.mustDo(t, action{Do: "tools"}), "\n"))); diff != "" {
			t.Errorf("other tools than the program says (-want +got):\n%s", diff)
		}
		var read conversation
		l.read(t, &read, action{Do: "call", Name: "get_discussion_conversation", Arguments: map[string]any{"discussion_number": 4, "last_n": 2}})
		if read.Count != 2 || read.TotalCount != 250 {
			t.Errorf("the last two comments: %+v, want 2 of 250", read)
		}
		var resource struct {
			Number     int
			TotalCount int
		}
		l.read(t, &resource, action{Do: "resource", Name: "github-workflow://" + home + "/discussions/4"})
		if resource.Number != 4 || resource.TotalCount != 250 {
			t.Errorf("the resource: %+v, want discussion 4 with 250 comments", resource)
		}
		text := l.mustDo(t, action{Do: "prompt", Name: "handoff", Arguments: map[string]any{"comment": read.LatestCommentID}})
		if !strings.Contains(text, read.LatestCommentID) {
			t.Errorf("the prompt does not name the comment %s:\n%s", read.LatestCommentID, text)
		}
		for _, failing := range failures() {
			if !p.can(failing.needs) {
				continue
			}
			if got := l.do(t.Context(), failing.action); !failing.as(got) {
				t.Errorf("%+v gives %+v, want %s", failing.action, got, failing.want)
			}
		}
	})
}

type failing struct {
	action action
	want   string
	as     func(outcome) bool
	needs  string // of the client
}

// failures are what has to fail, and how a client sees it.
func failures() []failing {
	refused := func(code string) func(outcome) bool {
		return func(o outcome) bool { return o.Failed && strings.Contains(o.Text, `"code":"`+code+`"`) }
	}
	raised := func(part string) func(outcome) bool {
		return func(o outcome) bool { return strings.Contains(o.Error, part) }
	}
	missing := map[string]any{"discussion_number": 999999}
	return []failing{
		{action{Do: "call", Name: "get_discussion_conversation", Arguments: missing}, "NOT_FOUND", refused("NOT_FOUND"), ""},
		{action{Do: "call", Name: "get_discussion_conversation"}, "MISSING_ARGUMENTS", refused("MISSING_ARGUMENTS"), ""},
		{action{Do: "call", Name: "list_isues"}, "an error that names list_issues", raised("list_issues"), callAnyway},
		{action{Do: "prompt", Name: "handoff"}, "an error that names the argument", raised("comment"), ""},
		{action{Do: "resource", Name: "github-workflow://" + home + "/discussions/999999"}, "an error that names the discussion", raised("999999"), ""},
	}
}

// TestClientsAskTheirPerson has each client delete a label twice: its person
// declines, then accepts.
func TestClientsAskTheirPerson(t *testing.T) {
	everyClient(t, askAPerson, func(t *testing.T, p peer, transport string) {
		l := p.connect(t, serve(t, transport, nil, "--sandbox"), p.version, []string{"decline", "accept"})
		deletion := action{Do: "call", Name: "manage_label", Arguments: map[string]any{"action": "delete", "name": "bug"}}
		declined := l.do(t.Context(), deletion)
		if !declined.Failed || !strings.Contains(declined.Text, `"code":"CONFIRMATION_REQUIRED"`) || len(declined.Asked) != 1 {
			t.Errorf("declined: %+v, want CONFIRMATION_REQUIRED after one question", declined)
		}
		if !slices.Contains(l.labels(t), "bug") {
			t.Error("the label is gone though the person declined")
		}
		accepted := l.do(t.Context(), deletion)
		if accepted.Failed || accepted.Error != "" || len(accepted.Asked) != 2 || !strings.Contains(accepted.Asked[1], "bug") {
			t.Errorf("accepted: %+v, want a result after one more question, about the label", accepted)
		}
		if slices.Contains(l.labels(t), "bug") {
			t.Error("the label is there though the person accepted")
		}
	})
}

// TestClientsWithoutAPerson checks that a client which cannot ask gets the call
// that confirms.
func TestClientsWithoutAPerson(t *testing.T) {
	for _, p := range peers() {
		if p.can(askAPerson) {
			continue
		}
		for _, transport := range transports() {
			t.Run(p.name+" "+p.version+" over "+transport, func(t *testing.T) {
				l := p.connect(t, serve(t, transport, nil, "--sandbox"), p.version, nil)
				got := l.do(t.Context(), action{Do: "call", Name: "manage_label", Arguments: map[string]any{"action": "delete", "name": "bug"}})
				var refusal struct {
					Code string
					Call struct {
						Tool      string
						Arguments map[string]any
					}
				}
				if err := json.Unmarshal([]byte(got.Text), &refusal); err != nil || !got.Failed || refusal.Code != "CONFIRMATION_REQUIRED" {
					t.Fatalf("the deletion gives %+v, want CONFIRMATION_REQUIRED", got)
				}
				l.mustDo(t, action{Do: "call", Name: refusal.Call.Tool, Arguments: refusal.Call.Arguments})
			})
		}
	}
}

// TestClientsCancel has each client cancel a call while GitHub holds back its
// answer: the client gets an error, GitHub is left alone, and the next call of
// the same client is answered.
func TestClientsCancel(t *testing.T) {
	address := startSandbox(t)
	everyClient(t, cancelCall, func(t *testing.T, p peer, transport string) {
		github := holding(t, address, "424242")
		l := p.connect(t, serve(t, transport, pointedAt(github.address, "sandbox-read")), p.version, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan outcome, 1)
		go func() {
			ended <- l.do(ctx, action{Do: "call", Name: "get_discussion_conversation", Arguments: map[string]any{"discussion_number": 424242}})
		}()
		select {
		case <-github.held:
		case early := <-ended:
			t.Fatalf("the call ended before it was cancelled: %+v", early)
		}
		cancel()
		if got := <-ended; got.Error == "" {
			t.Errorf("the cancelled call gives %+v, want an error", got)
		}
		select {
		case <-github.left:
		case <-time.After(10 * time.Second): // half of what a request may take, after which it ends by itself
			t.Error("GitHub is still being asked: the cancellation went no further than the client")
		}
		l.read(t, &conversation{}, action{Do: "call", Name: "get_discussion_conversation", Arguments: map[string]any{"discussion_number": 4, "last_n": 1}})
	})
}

// mustDo does what has to succeed, and gives its text.
func (l *link) mustDo(t *testing.T, a action) string {
	t.Helper()
	got := l.do(t.Context(), a)
	if got.Failed || got.Error != "" {
		t.Fatalf("%+v fails: %+v", a, got)
	}
	return got.Text
}

// read does what has to succeed, and decodes its JSON.
func (l *link) read(t *testing.T, into any, a action) {
	t.Helper()
	text := l.mustDo(t, a)
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%+v gives %s: %v", a, text, err)
	}
}

// labels are the names of the repository's labels.
func (l *link) labels(t *testing.T) []string {
	t.Helper()
	var list struct{ Labels []struct{ Name string } }
	l.read(t, &list, action{Do: "call", Name: "list_labels", Arguments: map[string]any{"limit": 100}})
	var names []string
	for _, label := range list.Labels {
		names = append(names, label.Name)
	}
	return names
}

// toolsOver are the names of the tools there have to be, as the program's own
// list gives them to people. Over HTTP nothing touches the server's files.
func toolsOver(t *testing.T, transport string) []string {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), program, "tools", "--sandbox", "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("the program lists %s: %v", text, err)
	}
	var names []string
	for _, tool := range list.Tools {
		if transport == overStdio || tool.Name != "checkout_pull_request" {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}
