package peers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInspectorListsTools lets the MCP Inspector list the tools and check how
// portable their schemas are, which fails the process when they are not.
func TestInspectorListsTools(t *testing.T) {
	var list struct {
		Tools []struct {
			Name        string
			InputSchema map[string]any
		}
	}
	inspect(t, &list, "--method", "tools/list", "--strict")
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.InputSchema["type"] != "object" {
			t.Errorf("%s: the root of the input schema is %v, want an object", tool.Name, tool.InputSchema["type"])
		}
	}
	want := start(t, nil, "--sandbox").tools()
	slices.Sort(want)
	slices.Sort(names)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("the Inspector lists other tools than our client (-client +inspector):\n%s", diff)
	}
}

// TestInspectorCallsTools lets the Inspector call tools, with the arguments as
// its command line makes them.
func TestInspectorCallsTools(t *testing.T) {
	var result struct {
		IsError           bool
		StructuredContent conversation
	}
	inspect(t, &result, "--method", "tools/call", "--tool-name", "get_discussion_conversation",
		"--tool-arg", "discussion_number=4", "--tool-arg", "last_n=2")
	if result.IsError || result.StructuredContent.Count != 2 || result.StructuredContent.TotalCount != 250 {
		t.Errorf("the last two comments: %+v, want 2 of 250", result)
	}
	known := result.StructuredContent.Comments.Nodes
	inspect(t, &result, "--method", "tools/call", "--tool-name", "get_discussion_conversation",
		"--tool-arg", "discussion_number=4", "--tool-arg", "comment_id="+known[0].URL)
	if result.IsError || !result.StructuredContent.Found || result.StructuredContent.Comments.Nodes[0].ID != known[0].ID {
		t.Errorf("one comment by URL: %+v, want %s", result, known[0].ID)
	}
	var health struct{ StructuredContent struct{ Status string } }
	inspect(t, &health, "--method", "tools/call", "--tool-name", "healthcheck")
	if health.StructuredContent.Status != "healthy" {
		t.Errorf("the sandbox is %q, want healthy", health.StructuredContent.Status)
	}
}

// inspect runs the Inspector's command line against the program on its
// sandbox, and decodes what it prints.
func inspect(t *testing.T, result any, arguments ...string) {
	t.Helper()
	i := newInspector(t, endpoint{arguments: []string{"stdio", "--sandbox"}}, "legacy")
	stdout, stderr, err := i.run(t.Context(), arguments...)
	if err != nil {
		t.Fatalf("inspector %s: %v\n%s%s", strings.Join(arguments, " "), err, stderr, stdout)
	}
	if err := json.Unmarshal(stdout, result); err != nil {
		t.Fatalf("inspector %s prints %s: %v", strings.Join(arguments, " "), stdout, err)
	}
}

// connectInspector makes a link of the Inspector's command line, which starts
// anew for every action.
func connectInspector(era string) func(*testing.T, endpoint, string, []string) *link {
	return func(t *testing.T, to endpoint, _ string, _ []string) *link {
		t.Helper()
		inspector := newInspector(t, to, era)
		return &link{"", func(ctx context.Context, a action) outcome {
			return inspector.do(ctx, a)
		}}
	}
}

// inspector is the MCP Inspector's command line for one server.
type inspector struct {
	node, script, home, config string
}

// newInspector writes the configuration that leads to our server.
func newInspector(t *testing.T, to endpoint, era string) *inspector {
	t.Helper()
	i := &inspector{
		node: node(t), script: fromNPM(t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
		home: t.TempDir(), // where it keeps its catalogue
	}
	ours := map[string]any{"type": "streamable-http", "url": to.url, "protocolEra": era}
	if to.url == "" {
		ours = map[string]any{"type": "stdio", "command": program, "args": to.arguments, "env": to.variables(), "protocolEra": era}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"ours": ours}})
	if err != nil {
		t.Fatal(err)
	}
	i.config = filepath.Join(i.home, "mcp.json")
	if err := os.WriteFile(i.config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return i
}

// run runs the command line once.
func (i *inspector) run(ctx context.Context, arguments ...string) (stdout, stderr []byte, err error) {
	command := exec.CommandContext(ctx, i.node, append([]string{
		i.script, "--cli", "--config", i.config, "--server", "ours", "--quiet",
	}, arguments...)...)
	command.Env = append(os.Environ(), "HOME="+i.home, "MCP_INSPECTOR_SECRET_STORE=memory")
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	err = command.Run()
	return out.Bytes(), log.Bytes(), err
}

// do carries out an action. A result that is an error is printed like any
// other; an error in place of one is told on stderr.
func (i *inspector) do(ctx context.Context, a action) outcome {
	stdout, stderr, err := i.run(ctx, a.inspectorArguments()...)
	var printed struct {
		Tools    []struct{ Name string }
		Content  []struct{ Text string }
		IsError  bool
		Messages []struct{ Content struct{ Text string } }
		Contents []struct{ Text string }
	}
	if json.Unmarshal(stdout, &printed) != nil {
		return outcome{Error: fmt.Sprintf("%v: %s", err, stderr)}
	}
	var names []string
	for _, tool := range printed.Tools {
		names = append(names, tool.Name)
	}
	got := outcome{Text: strings.Join(names, "\n"), Failed: printed.IsError}
	switch {
	case len(printed.Content) > 0:
		got.Text = printed.Content[0].Text
	case len(printed.Messages) > 0:
		got.Text = printed.Messages[0].Content.Text
	case len(printed.Contents) > 0:
		got.Text = printed.Contents[0].Text
	}
	return got
}

// inspectorArguments are the action as the Inspector's command line has it.
func (a action) inspectorArguments() []string {
	switch a.Do {
	case "call":
		line := []string{"--method", "tools/call", "--tool-name", a.Name}
		if a.Arguments != nil {
			arguments, _ := json.Marshal(a.Arguments) // plain values always encode
			line = append(line, "--tool-args-json", string(arguments))
		}
		return line
	case "prompt":
		line := []string{"--method", "prompts/get", "--prompt-name", a.Name}
		for name, value := range a.texts() {
			line = append(line, "--prompt-args", name+"="+value)
		}
		return line
	case "resource":
		return []string{"--method", "resources/read", "--uri", a.Name}
	default:
		return []string{"--method", "tools/list"}
	}
}
