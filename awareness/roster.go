package awareness

import (
	"fmt"
	"strings"
)

// Roster is the warm-up text of a host: a title line, at most RosterLines lines
// "tool: short text" with the host's names, and "+N more" for the rest. It is
// "" when no tool is active.
func Roster(servers []Server) string {
	return roster("MCP tools in this session:", servers, hostNames(servers))
}

// ToolRoster is the roster of a server that presents itself, with its own names
// and in its own order.
func ToolRoster(title string, tools []Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = cutRunes(oneLine(t.Name), 128) // the longest name MCP allows
	}
	return roster(cutWords(oneLine(title), ShortLimit), []Server{{Tools: tools}}, [][]string{names})
}

func roster(title string, servers []Server, names [][]string) string {
	picked, left := pick(servers, RosterLines)
	if len(picked) == 0 {
		return ""
	}
	lines := []string{title}
	for _, p := range picked {
		tool := servers[p.server].Tools[p.tool]
		lines = append(lines, names[p.server][p.tool]+": "+rosterText(tool))
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("+%d more", left))
	}
	return strings.Join(lines, "\n")
}

func rosterText(tool Tool) string {
	if text := shortText(tool.Description, ShortLimit); text != "" {
		return text
	}
	return standIn(tool)
}
