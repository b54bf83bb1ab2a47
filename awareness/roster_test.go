package awareness

import (
	"strings"
	"testing"
)

func TestRoster(t *testing.T) {
	got := Roster([]Server{{ID: "a", Tools: []Tool{{Name: "x", Description: "Does x. Fully. Always."}, {Name: "y"}}}})
	want := "MCP tools in this session:\nmcp_a_x: Does x. Fully.\nmcp_a_y: Y (no description given)."
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRosterFolds(t *testing.T) {
	for n, last := range map[int]string{8: "mcp_a_tool_007: Does it. Well.", 9: "+1 more", 40: "+32 more"} {
		lines := strings.Split(Roster([]Server{{ID: "a", Tools: tools(n)}}), "\n")
		if want := 1 + min(n, 8) + min(max(n-8, 0), 1); len(lines) != want || lines[len(lines)-1] != last {
			t.Errorf("%d tools: %d lines, the last is %q; want %d and %q", n, len(lines), lines[len(lines)-1], want, last)
		}
	}
	if got := Roster(nil) + Roster([]Server{{ID: "a"}}) + ToolRoster("Title", nil); got != "" {
		t.Errorf("no tools, but %q", got)
	}
}

func TestRosterShowsEveryServer(t *testing.T) {
	got := Roster([]Server{{ID: "big", Tools: tools(50)}, {ID: "small", Tools: tools(1)}})
	if !strings.Contains(got, "mcp_small_tool_000") || !strings.HasSuffix(got, "+43 more") {
		t.Errorf("got %q", got)
	}
}

func TestToolRosterUsesTheServersOwnNames(t *testing.T) {
	got := ToolRoster("What this server\ncan do:", []Tool{{Name: "list_issues", Description: "List issues."}})
	if want := "What this server can do:\nlist_issues: List issues."; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAToolCannotAddLines(t *testing.T) {
	got := Roster([]Server{{ID: "a\nb", Tools: []Tool{{Name: "x\n+9 more", Description: "One\u2028two\u0085three"}}}})
	if want := "MCP tools in this session:\nmcp_a_b_x__9_more: One two three"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
