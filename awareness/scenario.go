package awareness

import "strings"

// scenario completes "Use when the user asks …".
type scenario struct {
	phrase string   // starts with "to" or "about"
	words  []string // words in a tool's name that speak for this phrase
}

// scenarios holds what well-known servers are for, in our own words: two or
// three phrases each, the most general one first. Our own server has one more,
// for the tools that are about itself.
var scenarios = map[string][]scenario{
	"filesystem": {
		{"to open, read or look into a file on this computer", []string{"read", "text", "media", "info"}},
		{"to save, write, change, rename or move a file or folder on disk", []string{"write", "edit", "create", "move", "delete"}},
		{"about what a folder on this computer holds, or where a file is", []string{"list", "directory", "directories", "tree", "search", "allowed"}},
	},
	"fetch": {
		{"to open a web page or link and say what it contains", []string{"fetch", "get", "html", "markdown", "txt"}},
		{"about something that a given web address answers", []string{"json", "url", "api"}},
	},
	"sequential-thinking": {
		{"to think a hard problem through, one step after the other", []string{"sequential", "thinking", "sequentialthinking"}},
		{"to plan something whose steps may have to be revised on the way", []string{"plan", "revise", "branch"}},
	},
	"memory": {
		{"to remember a person, a thing or a fact for later", []string{"create", "add", "store"}},
		{"about what was remembered or noted earlier", []string{"read", "search", "open", "graph", "nodes"}},
		{"to forget or correct something that was remembered", []string{"delete", "remove", "update"}},
	},
	"figma-desktop": {
		{"to turn what is selected in the Figma app into code", []string{"code", "design", "context", "rules"}},
		{"about how the design that is open in Figma looks", []string{"screenshot", "image", "metadata"}},
		{"about the colours, spacings and other variables of a design", []string{"variable", "defs"}},
	},
	"figma-remote": {
		{"to turn a Figma link into code", []string{"code", "design", "context", "connect"}},
		{"about how a design behind a Figma link looks", []string{"screenshot", "image", "metadata", "figjam"}},
		{"about the colours, spacings and other variables of a shared design", []string{"variable", "defs"}},
	},
	"sqlite": {
		{"about data in a SQLite database", []string{"read", "query", "select"}},
		{"to add, change or remove rows or tables in a SQLite database", []string{"write", "create", "insert", "update", "delete", "append"}},
		{"about which tables and columns a SQLite database has", []string{"list", "describe", "table", "tables", "schema"}},
	},
	"github": {
		{"to report, find, answer or close issues on GitHub", []string{"issue", "issues", "label", "comment", "sub"}},
		{"to open, review or merge a pull request on GitHub", []string{"pull", "pr", "review", "reviews", "merge", "request"}},
		{"to find or read code, branches and files in a GitHub repository", []string{"code", "repository", "repositories", "file", "files", "contents", "branch", "branches", "commit", "commits", "fork", "push"}},
	},
	"github-workflow": {
		{"to report, find, answer, sort or close bugs, tickets and issues on GitHub", []string{"issue", "issues", "labels", "label", "assignees", "projects"}},
		{"to open, check, review, answer or merge a pull request on GitHub", []string{"pull", "pr", "review", "reviewers", "merge", "checkout"}},
		{"about what is new in a GitHub thread, or to answer in it", []string{"discussion", "discussions", "conversation", "comment", "reaction"}},
		{"about what can be done on GitHub from here, or why it does not work", []string{"healthcheck", "handbook", "viewer", "permission"}},
	},
	"brave-search": {
		{"to look something up on the web", []string{"web", "summarizer"}},
		{"about news, or anything newer than the model", []string{"news", "video"}},
		{"about shops, restaurants and other places nearby", []string{"local", "place"}},
	},
	"git": {
		{"about what has changed in a local git repository", []string{"status", "diff", "unstaged", "staged"}},
		{"to stage, commit, branch or switch in a local git repository", []string{"add", "commit", "reset", "create", "checkout", "init"}},
		{"about the history of a local git repository", []string{"log", "show", "branch", "blame"}},
	},
	"postgres": {
		{"about data in a PostgreSQL database", []string{"query", "read", "select", "execute"}},
		{"about which tables and columns a PostgreSQL database has", []string{"list", "describe", "schema", "schemas", "tables", "objects"}},
	},
}

// idNoise are words of a server id that say that it is an MCP server, not which.
var idNoise = map[string]bool{"mcp": true, "server": true, "modelcontextprotocol": true, "official": true}

// idAliases are other names under which people configure well-known servers.
var idAliases = map[string]string{
	"fs": "filesystem", "file-system": "filesystem", "sequentialthinking": "sequential-thinking", "knowledge-graph": "memory",
	"figma": "figma-remote", "brave": "brave-search", "postgresql": "postgres", "sqlite3": "sqlite",
}

const idLimit = 40 // runes of a server id in a text

// scenarioFor is the phrase for one tool: of its server's phrases the one that
// shares most words with the tool's name, the first on a tie.
func scenarioFor(serverID, tool string) string {
	known := scenarios[canonicalID(serverID)]
	if len(known) == 0 {
		return "about " + domainOf(serverID)
	}
	best, most := 0, 0
	for i, s := range known {
		if n := shared(s.words, splitWords(tool)); n > most {
			best, most = i, n
		}
	}
	return known[best].phrase
}

// domainOf is the stand-in for a server nobody described.
func domainOf(serverID string) string {
	id := cutRunes(oneLine(serverID), idLimit)
	if id == "" {
		return "this server's domain"
	}
	return id + "'s domain"
}

// canonicalID is the name of the table's entry for an id as people write it:
// "server-filesystem", "mcp_filesystem" and "FileSystem" are "filesystem".
func canonicalID(serverID string) string {
	var words []string
	for _, word := range splitWords(serverID) {
		if !idNoise[word] {
			words = append(words, word)
		}
	}
	id := strings.Join(words, "-")
	if alias, ok := idAliases[id]; ok {
		return alias
	}
	return id
}

// shared counts the words of name that speak is made for.
func shared(speak, name []string) int {
	n := 0
	for _, word := range name {
		for _, s := range speak {
			if s == word {
				n++
			}
		}
	}
	return n
}
