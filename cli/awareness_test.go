package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// testServer names the variable that makes this test binary an MCP server.
const testServer = "AWARENESS_TEST_SERVER"

// init turns the test binary into one of the servers below when a test has
// started it as such.
func init() {
	kind := os.Getenv(testServer)
	if kind == "" {
		return
	}
	stdioServers[kind]()
	os.Exit(0)
}

var stdioServers = map[string]func(){
	"tools": func() { _ = server.ServeStdio(fiveTools()) },
	"prompts": func() {
		_ = server.ServeStdio(server.NewMCPServer("prompts", "1", server.WithPromptCapabilities(false)))
	},
	"silent": func() { _, _ = io.Copy(io.Discard, os.Stdin) },
	"dies": func() {
		fmt.Fprintln(os.Stderr, "starting\nbad token "+os.Getenv("SECRET"))
		os.Exit(3)
	},
	"environment": environmentServer,
	// stubborn serves, but neither the end of its input nor SIGTERM ends it or
	// the process that it starts.
	"stubborn": func() {
		startSleeper()
		_ = server.ServeStdio(fiveTools())
		sleeper()
	},
	"silent and stubborn": func() { startSleeper(); sleeper() },
	"sleeper":             sleeper,
}

func fiveTools() *server.MCPServer {
	s := server.NewMCPServer("five", "1", server.WithPaginationLimit(2))
	for i := range 5 {
		s.AddTool(mcp.NewTool(fmt.Sprintf("tool_%d", i), mcp.WithDescription(fmt.Sprintf("Does thing %d.", i)), mcp.WithString("path", mcp.Required())), callsNothing)
	}
	return s
}

func callsNothing(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, errors.New("awareness must not call a tool")
}

// environmentServer shows the names of its variables as the names of tools.
func environmentServer() {
	s := server.NewMCPServer("environment", "1")
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		s.AddTool(mcp.NewTool(name), callsNothing)
	}
	_ = server.ServeStdio(s)
}

func startSleeper() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), testServer+"=sleeper")
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// sleeper holds a connection to the test for as long as it lives, and lives
// until it is killed.
func sleeper() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	connection, err := net.Dial("tcp", os.Getenv("ALIVE"))
	if err != nil {
		panic(err)
	}
	_, _ = connection.Read(make([]byte, 1)) // the test writes nothing
}

func selfAs(t *testing.T, kind string, env ...string) map[string]any {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{testServer: kind}
	for i := 0; i < len(env); i += 2 {
		vars[env[i]] = env[i+1]
	}
	return map[string]any{"command": binary, "args": []string{}, "env": vars}
}

// runAwarenessOn writes the configuration, runs the command as JSON and returns what it says.
func runAwarenessOn(t *testing.T, opts AwarenessOptions, servers map[string]any) (code int, report awarenessReport, out, errs string) {
	t.Helper()
	return runAwarenessIn(t.Context(), t, opts, servers)
}

func runAwarenessIn(ctx context.Context, t *testing.T, opts AwarenessOptions, servers map[string]any) (code int, report awarenessReport, out, errs string) {
	t.Helper()
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	opts.ConfigFile = filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(opts.ConfigFile, config, 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	opts.Out, opts.Err = &stdout, &stderr
	if opts.Format == "" {
		opts.Format = "json"
	}
	code = Awareness(ctx, opts)
	if opts.Format == "json" && stdout.Len() > 0 {
		if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
			t.Fatalf("%v in %s", err, stdout.String())
		}
	}
	return code, report, stdout.String(), stderr.String()
}

func TestAwarenessListsAllPagesOfAllServers(t *testing.T) {
	over := httptest.NewServer(server.NewStreamableHTTPServer(fiveTools()))
	defer over.Close()
	code, report, out, errs := runAwarenessOn(t, AwarenessOptions{}, map[string]any{
		"filesystem": selfAs(t, "tools"),
		"remote":     map[string]any{"type": "http", "url": over.URL + "/mcp"},
		"prompts":    selfAs(t, "prompts"),
		"missing":    map[string]any{"command": "no-such-program-anywhere"},
	})
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	want := []serverReport{
		{ID: "filesystem", OK: true, ToolCount: 5},
		{ID: "missing", Error: new(string)},
		{ID: "prompts", OK: true},
		{ID: "remote", OK: true, ToolCount: 5},
	}
	*want[1].Error = `cannot start "no-such-program-anywhere": executable file not found in $PATH`
	if diff := cmp.Diff(want, report.Servers); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if line := `awareness: server "missing": ` + *want[1].Error + "\n"; errs != line {
		t.Errorf("stderr %q, want %q", errs, line)
	}
	if len(report.Tools) != 10 || report.Tools[0].Name != "mcp_filesystem_tool_0" ||
		!strings.HasSuffix(report.Tools[9].Description, "\n\nUse when the user asks about remote's domain. Takes a path. (MCP: remote/tool_4)") {
		t.Errorf("tools: %+v", report.Tools)
	}
	if !strings.Contains(report.SystemPrompt, "mcp_remote_tool_0") || !strings.HasSuffix(report.Warmup, "\n+2 more") {
		t.Errorf("prompt %q, warm-up %q", report.SystemPrompt, report.Warmup)
	}
	checkShape(t, out)
}

// checkShape holds the JSON to its documented members.
func checkShape(t *testing.T, out string) {
	t.Helper()
	var top map[string]json.RawMessage
	var servers, tools []map[string]any
	for _, err := range []error{json.Unmarshal([]byte(out), &top), json.Unmarshal(top["servers"], &servers), json.Unmarshal(top["tools"], &tools)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for what, members := range map[string][2][]string{
		"top":    {{"servers", "systemPrompt", "tools", "warmup"}, slices.Sorted(maps.Keys(top))},
		"server": {{"error", "id", "ok", "toolCount"}, slices.Sorted(maps.Keys(servers[0]))},
		"tool":   {{"description", "guidance", "name", "server", "tool"}, slices.Sorted(maps.Keys(tools[0]))},
	} {
		if diff := cmp.Diff(members[0], members[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func TestAwarenessFailsOnlyWhenNoneAnswered(t *testing.T) {
	code, report, out, _ := runAwarenessOn(t, AwarenessOptions{}, map[string]any{"missing": map[string]any{"command": "no-such-program-anywhere"}})
	if code != 1 || report.Servers[0].OK || !strings.Contains(out, `"tools": []`) || report.SystemPrompt+report.Warmup != "" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestAwarenessAsksTheChosenServersOnly(t *testing.T) {
	servers := map[string]any{"a": selfAs(t, "prompts"), "b": map[string]any{"command": "no-such-program-anywhere"}}
	code, report, _, errs := runAwarenessOn(t, AwarenessOptions{Servers: []string{"a"}}, servers)
	if code != 0 || len(report.Servers) != 1 || errs != "" {
		t.Errorf("exit code %d, %+v, %q", code, report, errs)
	}
	code, _, out, errs := runAwarenessOn(t, AwarenessOptions{Servers: []string{"c"}}, servers)
	if want := "awareness: no server \"c\" in the configuration; it has: a, b\n"; code != 1 || out != "" || errs != want {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

func TestAServerThatDoesNotAnswer(t *testing.T) {
	code, report, _, _ := runAwarenessOn(t, AwarenessOptions{Timeout: 300 * time.Millisecond}, map[string]any{"silent": selfAs(t, "silent")})
	if code != 1 || *report.Servers[0].Error != "no answer within 300ms" {
		t.Errorf("exit code %d, %+v", code, report.Servers)
	}
}

func TestSecretsStaySecret(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, r.Header, r.URL)
	}))
	defer echo.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	servers := map[string]any{
		"dies":    selfAs(t, "dies", "SECRET", "${env:MY_TOKEN}"),
		"echoes":  map[string]any{"url": echo.URL + "?key=hush-url", "headers": map[string]string{"Authorization": "Bearer hush-header", "X-Key": "${MY_TOKEN}"}},
		"nowhere": map[string]any{"url": closed.URL + "/hush-path"},
		"unset":   map[string]any{"url": echo.URL, "headers": map[string]string{"X": "hush ${NOT_SET}"}},
		"broken":  map[string]any{"command": []string{"hush-command"}},
	}
	env := func(name string) string { return map[string]string{"MY_TOKEN": "hush-variable"}[name] }
	code, report, out, errs := runAwarenessOn(t, AwarenessOptions{Env: env}, servers)
	if code != 1 || strings.Contains(out+errs, "hush") {
		t.Errorf("exit code %d\n%s\n%s", code, out, errs)
	}
	for i, part := range []string{
		"wrong type", "ended before it answered (exit status 3): bad token [hidden]", "status 500", "cannot reach it: ", "${NOT_SET}, which is not set",
	} {
		if got := *report.Servers[i].Error; !strings.Contains(got, part) {
			t.Errorf("%s: %q, want %q in it", report.Servers[i].ID, got, part)
		}
	}
	if n := strings.Count(errs, "\n"); n != len(servers) {
		t.Errorf("%d lines for %d servers:\n%s", n, len(servers), errs)
	}
}

func TestHeadersReachTheServerAndNoOther(t *testing.T) {
	var got []string
	inner := server.NewStreamableHTTPServer(fiveTools())
	over := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("X-Key"))
		inner.ServeHTTP(w, r)
	}))
	defer over.Close()
	elsewhere := httptest.NewServer(http.RedirectHandler(over.URL, http.StatusTemporaryRedirect))
	defer elsewhere.Close()

	headers := map[string]any{"X-Key": "abc-${KEY:-fallback}"}
	code, _, _, errs := runAwarenessOn(t, AwarenessOptions{Env: func(string) string { return "" }}, map[string]any{"s": map[string]any{"url": over.URL, "headers": headers}})
	if code != 0 || len(got) == 0 || slices.ContainsFunc(got, func(v string) bool { return v != "abc-fallback" }) {
		t.Errorf("exit code %d, %s; headers %q", code, errs, got)
	}
	got = nil
	code, _, _, errs = runAwarenessOn(t, AwarenessOptions{}, map[string]any{"s": map[string]any{"url": elsewhere.URL, "headers": headers}})
	if code != 1 || len(got) != 0 || !strings.Contains(errs, "it redirects to another host") {
		t.Errorf("exit code %d, %q; headers %q", code, errs, got)
	}
}

func TestAServerThatAsksForAuthorization(t *testing.T) {
	over := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer over.Close()
	if _, _, _, errs := runAwarenessOn(t, AwarenessOptions{}, map[string]any{"s": map[string]any{"url": over.URL}}); !strings.Contains(errs, "check its headers") {
		t.Errorf("stderr %q", errs)
	}
}

// Our own tokens are no business of the servers of others.
func TestServersGetNoMoreOfOurEnvironmentThanTheyNeed(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"HOME": "/home/me", "GITHUB_TOKEN": "hush", "MINE": "x"}[name]
	}
	_, report, _, _ := runAwarenessOn(t, AwarenessOptions{Env: env}, map[string]any{"s": selfAs(t, "environment", "GIVEN", "${MINE}")})
	var names []string
	for _, tool := range report.Tools {
		names = append(names, tool.Tool)
	}
	if diff := cmp.Diff([]string{testServer, "GIVEN", "HOME"}, slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
}

// A server and what it has started are gone when the command returns, whether
// it answered or the command was cancelled.
func TestChildrenAreEnded(t *testing.T) {
	for kind, want := range map[string]string{"stubborn": "", "silent and stubborn": "awareness: server \"s\": cancelled\n"} {
		t.Run(kind, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			alive := make(chan net.Conn, 2)
			go func() {
				defer close(alive)
				for connection, err := listener.Accept(); err == nil; connection, err = listener.Accept() {
					alive <- connection
					if want != "" && len(alive) == cap(alive) {
						cancel() // now that the server and its own child run
					}
				}
			}()
			opts := AwarenessOptions{Timeout: time.Minute}
			if _, _, _, errs := runAwarenessIn(ctx, t, opts, map[string]any{"s": selfAs(t, kind, "ALIVE", listener.Addr().String())}); errs != want {
				t.Errorf("stderr %q, want %q", errs, want)
			}
			listener.Close()
			expectAllDead(t, alive)
		})
	}
}

// expectAllDead fails unless the other end of each connection has gone.
func expectAllDead(t *testing.T, connections <-chan net.Conn) {
	t.Helper()
	count := 0
	for connection := range connections {
		count++
		_ = connection.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := connection.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a process outlives the command")
		}
		connection.Close()
	}
	if count == 0 {
		t.Error("nothing was started, so nothing is shown")
	}
}

func TestAwarenessInMarkdown(t *testing.T) {
	code, _, out, errs := runAwarenessOn(t, AwarenessOptions{Format: "markdown"}, map[string]any{"filesystem": selfAs(t, "tools"), "gone": map[string]any{}})
	if code != 0 || errs != "awareness: server \"gone\": the configuration has neither command nor url\n" {
		t.Errorf("exit code %d, %q", code, errs)
	}
	for _, part := range []string{
		"# Tool descriptions\n\n- filesystem: 5 tools\n- gone: failed: the configuration has neither command nor url\n",
		"\n## mcp_filesystem_tool_0\n\n> Does thing 0.",
		"> Use when the user asks to open",
		"\n# System prompt\n\nMCP tools are active in this session: mcp_filesystem_tool_0,",
		"\n# Warm-up\n\n> MCP tools in this session:  \n> mcp_filesystem_tool_0: Does thing 0.  \n",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not in\n%s", part, out)
		}
	}
	if code, _, out, errs := runAwarenessOn(t, AwarenessOptions{Format: "yaml"}, nil); code != 1 || out != "" || !strings.Contains(errs, `unknown format "yaml"`) {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

func TestTheReasonOfAServerThatDies(t *testing.T) {
	for text, want := range map[string]string{
		"one\ntwo\n": "two",
		"node:internal\n  throw err;\nError: Cannot find module 'x'\n    at y\n\nNode.js v20\n": "Error: Cannot find module 'x'",
		"npm error code E404\nnpm error 404\nnpm error A complete log is in x\n":                "npm error code E404",
		"  raise ValueError(\"x\")\nValueError: x\n":                                            "ValueError: x",
		"":                                  "",
		strings.Repeat("x", 5000) + "\nend": "end",
	} {
		var tail stderrTail
		for part := range slices.Chunk([]byte(text), 700) {
			_, _ = tail.Write(part)
		}
		if got := tail.reason(); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

func TestServersCannotDrawOnTheTerminal(t *testing.T) {
	if got, want := quotedMarkdown("a\x1b[2Jb\n# c\u202ed\n\n"), "> a[2Jb  \n> # cd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
