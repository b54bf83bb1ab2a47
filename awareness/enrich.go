package awareness

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Enriched is a tool as a host shows it to its model.
type Enriched struct {
	Name        string `json:"name"`        // unique in a host, see ToolName
	Server      string `json:"server"`      // the server's id
	Tool        string `json:"tool"`        // the name under which the server knows it
	Description string `json:"description"` // the server's text and our suffix
	Guidance    string `json:"guidance"`    // one line on when to call it, for hosts that have a place for it
}

// Enrich describes one tool of one server. The description starts with the
// server's own text, byte for byte as far as it is UTF-8 (a stand-in when there
// is none), and ends with at most SuffixLimit runes of ours.
func Enrich(serverID string, tool Tool) Enriched {
	return enrichAs(ToolName(serverID, tool.Name), serverID, tool)
}

// EnrichAll describes all tools in order. Names that would come out the same,
// such as those of a-b and a_b, get a hash and stay apart.
func EnrichAll(servers []Server) []Enriched {
	var out []Enriched
	names := hostNames(servers)
	for i, server := range servers {
		for j, tool := range server.Tools {
			out = append(out, enrichAs(names[i][j], server.ID, tool))
		}
	}
	return out
}

func enrichAs(name, serverID string, tool Tool) Enriched {
	when := scenarioFor(serverID, tool.Name)
	own := strings.ToValidUTF8(tool.Description, "\uFFFD")
	if oneLine(own) == "" {
		own = standIn(tool)
	}
	return Enriched{
		Name:        name,
		Server:      serverID,
		Tool:        tool.Name,
		Description: own + suffix(when, serverID, tool),
		Guidance:    guidance(name, when, serverID),
	}
}

// suffix leaves out phrases of the schema sentence, the last one first, until it
// fits; the scenario and the marker alone always do.
func suffix(when, serverID string, tool Tool) string {
	marker := "(MCP: " + cutRunes(oneLine(serverID), idLimit) + "/" + cutRunes(oneLine(tool.Name), 64) + ")"
	phrases := schemaPhrases(tool.InputSchema)
	for {
		text := "\n\nUse when the user asks " + when + ". "
		if takes := takes(phrases); takes != "" {
			text += takes + " "
		}
		text += marker
		if len(phrases) == 0 || utf8.RuneCountInString(text) <= SuffixLimit {
			return text
		}
		phrases = phrases[:len(phrases)-1]
	}
}

func guidance(name, when, serverID string) string {
	text := "Call " + name + " when the user asks " + when + "; prefer it to a shell command or a guess"
	if source := cutRunes(oneLine(serverID), idLimit); source != "" {
		text += ": its answer comes from the MCP server " + source
	}
	return text + "."
}

// standIn speaks for a tool whose server says nothing of it.
func standIn(tool Tool) string {
	title := oneLine(tool.Title)
	if title == "" {
		title = capitalized(strings.Join(splitWords(tool.Name), " "))
	}
	if title == "" {
		return "(No description given.)"
	}
	return cutWords(title, ShortLimit) + " (no description given)."
}

// ToolName is a tool's name in a host that has several servers:
// mcp_<server>_<tool>, whatever is no ASCII letter, digit or underscore replaced
// by "_". A name over NameLimit bytes becomes its first 50 and a hash.
func ToolName(serverID, tool string) string {
	name := hostSafe("mcp_" + serverID + "_" + tool)
	if len(name) > NameLimit {
		return hashed(name, serverID, tool)
	}
	return name
}

func hostSafe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, s)
}

// hashed cuts name and adds eight digits that depend on the exact ids.
func hashed(name, serverID, tool string) string {
	sum := sha256.Sum256([]byte(serverID + "\x00" + tool))
	return name[:min(len(name), 50)] + "_" + hex.EncodeToString(sum[:4])
}

// hostNames are the names of all tools, by server and tool. The first tool that
// claims a name keeps it.
func hostNames(servers []Server) [][]string {
	taken := map[string]bool{}
	names := make([][]string, len(servers))
	for i, server := range servers {
		for _, tool := range server.Tools {
			name := ToolName(server.ID, tool.Name)
			if taken[name] {
				name = hashed(name, server.ID, tool.Name)
			}
			taken[name] = true
			names[i] = append(names[i], name)
		}
	}
	return names
}
