package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

type echoRequest struct {
	Text      string `json:"text"`
	Count     int    `json:"count"`
	CommentID string `json:"comment_id"`
}

type echoResult struct {
	Text      string `json:"text"`
	Count     int    `json:"count"`
	CommentID string `json:"commentId,omitempty"`
}

func echo(_ context.Context, r echoRequest) (*echoResult, error) {
	return &echoResult{r.Text, r.Count, r.CommentID}, nil
}

type textResult struct {
	Text string `json:"text"`
}

func fill(_ context.Context, r struct{ Bytes int }) (*textResult, error) {
	return &textResult{strings.Repeat("x", r.Bytes)}, nil
}

func fail(ctx context.Context, r struct{ How string }) (any, error) {
	switch r.How {
	case "fault":
		return nil, fault.New(fault.NotFound, "no <such> thing").WithFix("Look elsewhere.").
			RetryAfter(3).With("number", 7).WithCause(errors.New("private"))
	case "panic":
		panic("private")
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "lie":
		return map[string]int{"text": 1}, nil
	default:
		return nil, errors.New("private")
	}
}

func addNote(_ context.Context, r struct{ Text string }) (map[string]string, error) {
	return map[string]string{"message": "noted " + r.Text}, nil
}

type eraseRequest struct {
	What    string `json:"what"`
	Confirm bool   `json:"confirm"`
}

// erase wants to be confirmed; everything, again and again.
func erase(_ context.Context, r eraseRequest) (map[string]string, error) {
	if !r.Confirm || r.What == "everything" {
		call := map[string]any{"tool": "erase", "arguments": eraseRequest{r.What, true}}
		if r.What == "nothing" {
			call["tool"] = "echo"
		}
		return nil, fault.New(fault.ConfirmationRequired, "erasing %s cannot be undone", r.What).
			WithFix("Call erase again with confirm: true.").With("call", call)
	}
	return map[string]string{"message": "erased " + r.What}, nil
}

func health(context.Context, struct{}) (map[string]string, error) {
	return map[string]string{"status": "healthy"}, nil
}

func handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"echo": server.Typed(echo), "fill": server.Typed(fill), "fail": server.Typed(fail),
		"add_note": server.Typed(addNote), "erase": server.Typed(erase), "healthcheck": server.Typed(health),
	}
}

// options are those of the sessions in testdata.
func options(t testing.TB) server.Options {
	t.Helper()
	text, err := os.ReadFile("testdata/contract.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return server.Options{
		Contract: c, Handlers: handlers(), Instructions: func([]string) string { return "Be brief." },
		Roster: func(tools []listing.Tool) string {
			return fmt.Sprintf("%d tools, the first is %s", len(tools), tools[0].Name)
		},
		CheckResults: true, Logger: slog.New(slog.DiscardHandler),
	}
}

func newServer(t testing.TB, o server.Options) *server.Server {
	t.Helper()
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*server.Options)
		want   string
	}{
		"a tool without handler":   {func(o *server.Options) { delete(o.Handlers, "echo") }, "echo: in the contract, without a handler"},
		"a handler without tool":   {func(o *server.Options) { o.Handlers["ghost"] = o.Handlers["echo"] }, "ghost: has a handler, but is not in the contract"},
		"an unknown toolset":       {func(o *server.Options) { o.Toolsets = []string{"note"} }, `did you mean "notes"`},
		"an unknown tool":          {func(o *server.Options) { o.Selection.Tools = []string{"addnote"} }, `did you mean "add_note"`},
		"an unknown excluded tool": {func(o *server.Options) { o.ExcludeTools = []string{"eco"} }, `did you mean "echo"`},
		"a budget nothing fits in": {func(o *server.Options) { o.MaxResultBytes = 10 }, "too small"},
		"a time-out in the past":   {func(o *server.Options) { o.CallTimeout = -time.Second }, "no time at all"},
		"no time to confirm":       {func(o *server.Options) { o.ConfirmationWait = -1 }, "no time at all"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			test.change(&o)
			if _, err := server.New(o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestSelection(t *testing.T) {
	for name, test := range map[string]struct {
		selection server.Selection
		listed    []string
	}{
		"everything":              {server.Selection{}, []string{"add_note", "echo", "erase", "fail", "fill", "healthcheck"}},
		"read-only":               {server.Selection{ReadOnly: true}, []string{"echo", "fail", "fill", "healthcheck"}},
		"one toolset":             {server.Selection{Toolsets: []string{"notes"}}, []string{"add_note", "healthcheck"}},
		"one tool":                {server.Selection{Tools: []string{"echo"}}, []string{"echo", "healthcheck"}},
		"toolset and tool add up": {server.Selection{Toolsets: []string{"notes"}, Tools: []string{"echo"}}, []string{"add_note", "echo", "healthcheck"}},
		"excluded":                {server.Selection{Toolsets: []string{"text"}, ExcludeTools: []string{"fill", "healthcheck"}}, []string{"echo"}},
		"nothing but read-only":   {server.Selection{ReadOnly: true, Toolsets: []string{"notes"}}, []string{"healthcheck"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Selection = test.selection
			var listed []string
			for _, tool := range newServer(t, o).Tools() {
				listed = append(listed, tool.Name)
			}
			if diff := cmp.Diff(test.listed, listed); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestListIsStable is A64: the list is the same, byte for byte, within a
// process and between two servers.
func TestListIsStable(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	first := talk(t, newServer(t, options(t)), list, list)
	second := talk(t, newServer(t, options(t)), list)
	if first[0] != first[1] || first[0] != second[0] {
		t.Errorf("three lists differ:\n%s\n%s\n%s", first[0], first[1], second[0])
	}
	var answer struct {
		Result struct {
			Tools []struct {
				Name, Title, Description  string
				InputSchema, OutputSchema map[string]any
				Annotations               map[string]bool
			}
		}
	}
	if err := json.Unmarshal([]byte(first[0]), &answer); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range answer.Result.Tools {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.InputSchema["type"] != "object" || tool.OutputSchema["type"] != "object" || len(tool.Annotations) != 4 {
			t.Errorf("%s is listed incompletely: %+v", tool.Name, tool)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(handlers())), names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	digest, count := newServer(t, options(t)).Surface()
	if health := answer.Result.Tools[len(names)-1]; count != len(names) || len(digest) != 12 || !strings.Contains(health.Description, digest) {
		t.Errorf("the digest of %d tools is %q, the health check says %q", count, digest, health.Description)
	}
}

// TestNamesFitHosts is A38: hosts join the server's name and the tool's and
// drop what is longer than 60 characters.
func TestNamesFitHosts(t *testing.T) {
	if room := 60 - len(server.Name) - 1; room < 40 {
		t.Errorf("server name %q leaves %d characters for a tool's name, want 40", server.Name, room)
	}
}

func TestCall(t *testing.T) {
	s := newServer(t, options(t))
	got, err := s.Call(t.Context(), "echo", map[string]any{"text": "<a>", "count": json.Number("3")})
	if err != nil || got.Failed || string(got.JSON) != `{"text":"<a>","count":3}` {
		t.Errorf("echo = %s (failed %v), %v", got.JSON, got.Failed, err)
	}
	got, err = s.Call(t.Context(), "echo", nil)
	if err != nil || !got.Failed || !strings.Contains(string(got.JSON), `"code":"MISSING_ARGUMENTS"`) {
		t.Errorf("echo without arguments = %s (failed %v), %v", got.JSON, got.Failed, err)
	}
	if _, err = s.Call(t.Context(), "nothing", nil); !errors.Is(err, server.ErrUnknownTool) {
		t.Errorf("an unknown tool gives %v", err)
	}
}

func TestCallTimesOut(t *testing.T) {
	o := options(t)
	o.CallTimeout = time.Millisecond
	got, err := newServer(t, o).Call(t.Context(), "fail", map[string]any{"how": "wait"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"code":"UPSTREAM_TIMEOUT"`, `"retryable":true`} {
		if !got.Failed || !strings.Contains(string(got.JSON), want) {
			t.Errorf("result is %s, want %s", got.JSON, want)
		}
	}
}

// TestCallWithoutTime: what cannot end in time is not begun.
func TestCallWithoutTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := options(t)
	o.Handlers["add_note"] = func(context.Context, json.RawMessage) (any, error) {
		t.Error("the tool was run")
		return nil, nil
	}
	got, err := newServer(t, o).Call(ctx, "add_note", map[string]any{"text": "x"})
	if err != nil || !got.Failed || !strings.Contains(string(got.JSON), "Nothing was done") {
		t.Errorf("the call = %s (failed %v), %v", got.JSON, got.Failed, err)
	}
}

// TestBeforeWrite: the hook is asked before a tool that writes, in the call's
// own time, and only then; its fault is the call's, and the tool does not run.
func TestBeforeWrite(t *testing.T) {
	objection := fault.New(fault.IdentityMismatch, "not you")
	asked, wrote := 0, 0
	o := options(t)
	o.BeforeWrite = func(ctx context.Context) error {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("the hook has no deadline")
		}
		if asked++; asked == 1 {
			return objection
		}
		return nil
	}
	o.Handlers["add_note"] = func(context.Context, json.RawMessage) (any, error) {
		wrote++
		return map[string]string{"message": "noted"}, nil
	}
	s := newServer(t, o)
	for _, call := range []struct {
		tool          string
		args          map[string]any
		want          string
		asked, writes int
	}{
		{"healthcheck", nil, `"healthy"`, 0, 0},
		{"add_note", nil, "MISSING_ARGUMENTS", 0, 0},
		{"add_note", map[string]any{"text": "x"}, "IDENTITY_MISMATCH", 1, 0},
		{"add_note", map[string]any{"text": "x"}, "noted", 2, 1},
	} {
		got, err := s.Call(t.Context(), call.tool, call.args)
		if err != nil || !strings.Contains(string(got.JSON), call.want) || asked != call.asked || wrote != call.writes {
			t.Errorf("%s answers %s, %v; asked %d times, wrote %d; want %s, %d, %d",
				call.tool, got.JSON, err, asked, wrote, call.want, call.asked, call.writes)
		}
	}
}

// letters is an answer of authored texts that can be cut after any of them.
type letters struct {
	page.Head
	Texts        []*letter          `json:"texts"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
}

type letter struct {
	Text        string `json:"text"`
	AuthorTrust string `json:"authorTrust"`
	author      trust.Author
}

func (l *letters) Items() int { return len(l.Texts) }

func (l *letters) Keep(n int) any {
	kept := *l
	kept.Texts = l.Texts[:n]
	kept.Count = n
	kept.Truncated = n < len(l.Texts)
	return &kept
}

func (l *letters) Slice(int) any { return nil }

func (l *letters) VisitTexts(visit func(trust.Text)) {
	for _, t := range l.Texts {
		visit(trust.Text{Field: "texts.text", Author: &t.author, Level: &t.AuthorTrust, Value: &t.Text})
	}
}

func (l *letters) SetContentTrust(c trust.ContentTrust) { l.ContentTrust = c }

// TestTrustBeforeTheBudget: authors are placed and the summary is there when
// the result is measured, and what does not fit is left out whole.
func TestTrustBeforeTheBudget(t *testing.T) {
	o := options(t)
	o.CheckResults = false // the contract of echo is another
	o.MaxResultBytes = server.MinMaxResultBytes
	o.Trust.TrustedLogins = []string{"bot"}
	o.Handlers["echo"] = func(context.Context, json.RawMessage) (any, error) {
		var l letters
		for _, login := range []string{"bot", "stranger", "stranger", "stranger"} {
			l.Texts = append(l.Texts, &letter{Text: strings.Repeat("<", 700), author: trust.Author{Login: login, Association: "NONE"}})
		}
		return &l, nil
	}
	got, err := newServer(t, o).Call(t.Context(), "echo", map[string]any{"text": "x"})
	if err != nil || got.Failed || len(got.JSON) > server.MinMaxResultBytes {
		t.Fatalf("a result of %d bytes, failed %v, %v", len(got.JSON), got.Failed, err)
	}
	var answer letters
	if err := json.Unmarshal(got.JSON, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Count != 2 || !answer.Truncated || !answer.ContentTrust.Projected ||
		answer.Texts[0].AuthorTrust != "trusted" || answer.Texts[1].AuthorTrust != "external" {
		t.Errorf("the result is %s", got.JSON)
	}
}

func TestFailuresAreLoggedWithTheirCause(t *testing.T) {
	var log bytes.Buffer
	o := options(t)
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := newServer(t, o)
	for _, how := range []string{"fault", "error", "panic"} {
		log.Reset()
		if _, err := s.Call(t.Context(), "fail", map[string]any{"how": how}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), "private") {
			t.Errorf("%s: the log does not say why:\n%s", how, log.String())
		}
	}
	if !strings.Contains(log.String(), "server_test.go") {
		t.Errorf("the log of a panic has no stack:\n%s", log.String())
	}
}

// talk has one session of the given lines and returns the answers in the
// order of the requests' ids as far as they were sent in order.
func talk(t testing.TB, s *server.Server, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}
