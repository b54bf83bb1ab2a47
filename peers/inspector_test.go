package peers_test

import (
	"bytes"
	"encoding/json"
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
	inspector := fromNPM(t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	config := map[string]any{"mcpServers": map[string]any{"ours": map[string]any{
		"type": "stdio", "command": program, "args": []string{"stdio", "--sandbox"},
	}}}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", append([]string{
		inspector, "--cli", "--config", file, "--server", "ours",
	}, arguments...)...)
	command.Env = append(os.Environ(), "HOME="+dir) // where it keeps its catalogue
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("inspector %s: %v\n%s%s", strings.Join(arguments, " "), err, stderr.String(), stdout.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), result); err != nil {
		t.Fatalf("inspector %s prints %s: %v", strings.Join(arguments, " "), stdout.String(), err)
	}
}
