package awareness

import (
	"fmt"
	"strings"
	"testing"
)

func tools(n int) []Tool {
	var out []Tool
	for i := range n {
		out = append(out, Tool{Name: fmt.Sprintf("tool_%03d", i), Description: "Does it. Well."})
	}
	return out
}

func TestSystemPrompt(t *testing.T) {
	if got := SystemPrompt([]Server{{ID: "idle"}}); got != "" {
		t.Errorf("no tool, but %q", got)
	}
	got := SystemPrompt([]Server{{ID: "a", Tools: tools(7)}, {ID: "b", Tools: tools(1)}})
	if want := "MCP tools are active in this session: mcp_a_tool_000, mcp_a_tool_001, mcp_a_tool_002, mcp_a_tool_003, mcp_b_tool_000, +3 more."; !strings.HasPrefix(got, want) {
		t.Errorf("got  %q\nwant %q first", got, want)
	}
	if got := SystemPrompt([]Server{{ID: "a", Tools: tools(5)}}); strings.Contains(got, "more.") {
		t.Errorf("five tools, yet folded: %q", got)
	}
	long := Server{ID: strings.Repeat("s", 80), Tools: tools(60)}
	if got := SystemPrompt([]Server{long}); len(got) > PromptLimit || !strings.HasSuffix(got, "as usual.") || !strings.Contains(got, ", +55 more.") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestInstructionsBounds(t *testing.T) {
	ours := loadServer(t, "github_workflow.json").Tools
	sixty := append(append([]Tool{}, ours...), tools(60-len(ours))...)
	longest := strings.Repeat("o", 39) + "/" + strings.Repeat("n", 100)
	tests := []struct {
		name string
		in   InstructionsInput
	}{
		{"60 tools", InstructionsInput{Product: "GitHub Workflow", Repo: "octo/demo", Tools: sixty}},
		{"60 tools, longest repository", InstructionsInput{Product: "GitHub Workflow", Repo: longest, Tools: sixty}},
		{"60 long names", InstructionsInput{Product: strings.Repeat("p ", 99), Repo: longest, Tools: longNames(60)}},
		{"no home", InstructionsInput{Product: "GitHub Workflow", Tools: ours}},
		{"one tool", InstructionsInput{Tools: tools(1)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Instructions(test.in)
			t.Logf("%d bytes", len(got))
			if len(got) > PromptLimit || !strings.HasSuffix(got, ".") {
				t.Errorf("%d bytes: %q", len(got), got)
			}
			named := 0
			for _, tool := range test.in.Tools {
				if hasWord(got, tool.Name) {
					named++
				}
			}
			if named > NamedTools {
				t.Errorf("%d tools named: %q", named, got)
			}
			if left := len(test.in.Tools) - named; left > 0 && !strings.Contains(got, fmt.Sprintf("+%d more.", left)) {
				t.Errorf("%d tools are left out, unsaid: %q", left, got)
			}
		})
	}
}

func longNames(n int) []Tool {
	var out []Tool
	for i := range n {
		out = append(out, Tool{Name: fmt.Sprintf("t%059d", i)})
	}
	return out
}

func hasWord(text, word string) bool {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.:()", r) }) {
		if field == word {
			return true
		}
	}
	return false
}

func TestInstructionsSayTheMostUsefulFirst(t *testing.T) {
	ours := loadServer(t, "github_workflow.json").Tools
	got := Instructions(InstructionsInput{Product: "GitHub Workflow", Repo: "octo/demo", Tools: ours})
	last := -1
	for _, part := range []string{"Read only what is new", "since_comment_id", "commentId", "get_mcp_tool_handbook", "octo/demo", "+28 more."} {
		at := strings.Index(got, part)
		if at <= last {
			t.Errorf("%q is missing or out of order in %q", part, got)
		}
		last = at
	}
	if Instructions(InstructionsInput{Product: "GitHub Workflow", Repo: "octo/demo"}) != "" {
		t.Error("no tool, but instructions")
	}
}

// With a toolset switched off, nothing is said of its tools.
func TestInstructionsNameActiveToolsOnly(t *testing.T) {
	got := Instructions(InstructionsInput{Product: "P", Repo: "o/r", Tools: []Tool{{Name: "get_conversation"}, {Name: "list_labels"}}})
	if !strings.Contains(got, "give get_conversation comment_id") || !strings.Contains(got, "Tools: list_labels.") {
		t.Errorf("got %q", got)
	}
	for _, absent := range []string{"get_discussion_conversation", "get_mcp_tool_handbook", "search_issues", "After posting", "more."} {
		if strings.Contains(got, absent) {
			t.Errorf("%q is in %q", absent, got)
		}
	}
}

func TestInstructionsOfAnotherServer(t *testing.T) {
	got := Instructions(InstructionsInput{
		Product: "Weather", Repo: "o/r", Tools: tools(2),
		Advice: []Advice{{Text: "Ask {tools} first.", Tools: []string{"tool_001"}}, {Text: ""}, {Text: "Ask {tools}.", Tools: []string{"absent"}}},
	})
	if want := "Ask tool_001 first. Weather works on o/r unless repo says otherwise. Tools: tool_000."; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestARepositoryThatCannotBeIsNotNamed(t *testing.T) {
	got := Instructions(InstructionsInput{Product: "P", Repo: strings.Repeat("x", 141), Tools: tools(1)})
	if strings.Contains(got, "xxx") || !strings.Contains(got, "P needs repo (owner/name) in each call.") {
		t.Errorf("got %q", got)
	}
}
