package awareness

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func loadServer(t testing.TB, file string) Server {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var server Server
	if err := json.Unmarshal(data, &server); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(server.Tools) == 0 {
		t.Fatalf("%s holds no tool", file)
	}
	return server
}

func loadServers(t testing.TB) []Server {
	return []Server{loadServer(t, "github_workflow.json"), loadServer(t, "filesystem.json"), loadServer(t, "memory.json")}
}

func TestEnrich(t *testing.T) {
	got := Enrich("filesystem", Tool{
		Name: "write_file", Description: "Creates a file.\n\nOverwrites.  ",
		InputSchema: properties("path", "content"),
	})
	want := Enriched{
		Name: "mcp_filesystem_write_file", Server: "filesystem", Tool: "write_file",
		Description: "Creates a file.\n\nOverwrites.  \n\n" +
			"Use when the user asks to save, write, change, rename or move a file or folder on disk. " +
			"Takes a path or text. (MCP: filesystem/write_file)",
		Guidance: "Call mcp_filesystem_write_file when the user asks to save, write, change, rename or move a file or folder on disk; " +
			"prefer it to a shell command or a guess: its answer comes from the MCP server filesystem.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEnrichAnUnknownServer(t *testing.T) {
	got := Enrich("weather\nnow", Tool{Name: "getForecast", InputSchema: properties("foo")})
	want := "Get forecast (no description given).\n\nUse when the user asks about weather now's domain. (MCP: weather now/getForecast)"
	if got.Description != want {
		t.Errorf("got  %q\nwant %q", got.Description, want)
	}
}

func TestStandIns(t *testing.T) {
	for want, tool := range map[string]Tool{
		"Read a file (no description given).":  {Name: "rf", Title: "Read a file", Description: " \n"},
		"List issues (no description given).":  {Name: "list_issues"},
		"(No description given.)":              {},
		"Plain (no description given).":        {Name: "x", Title: "Plain\n"},
		"Get URL here (no description given).": {Title: "Get URL here"},
	} {
		if got := Enrich("s", tool).Description; !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %q, want %q first", tool, got, want)
		}
	}
}

func TestTheElevenWellKnownServers(t *testing.T) {
	for _, id := range []string{
		"filesystem", "fetch", "sequential-thinking", "memory", "figma-desktop", "figma-remote",
		"sqlite", "github", "brave-search", "git", "postgres",
	} {
		if n := len(scenarios[id]); n < 2 || n > 3 {
			t.Errorf("%s has %d phrases, want 2 or 3", id, n)
		}
		if got := Enrich(id, Tool{Name: "x"}).Description; strings.Contains(got, "domain") || !strings.Contains(got, "se when the user asks ") {
			t.Errorf("%s: %q", id, got)
		}
	}
}

// What a tool does decides, not what it does it to.
func TestTheVerbChoosesThePhrase(t *testing.T) {
	for _, tt := range [][3]string{
		{"memory", "delete_entities", "to forget"}, {"memory", "add_observations", "to remember"}, {"memory", "open_nodes", "about what was"},
		{"filesystem", "read_multiple_files", "to open"}, {"filesystem", "create_directory", "to save"}, {"filesystem", "list_directory", "about what a folder"},
		{"git", "git_commit", "to stage"}, {"git", "git_log", "about the history"}, {"sqlite", "list_tables", "about which tables"},
		{"brave-search", "brave_local_search", "about shops"}, {"github", "merge_pull_request", "to open, review"}, {"postgres", "query", "about data"},
	} {
		if got := scenarioFor(tt[0], tt[1]); !strings.HasPrefix(got, tt[2]) {
			t.Errorf("%s %s: %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestScenarioTable(t *testing.T) {
	for id, phrases := range scenarios {
		if canonicalID(id) != id {
			t.Errorf("%s cannot be found", id)
		}
		for _, s := range phrases {
			if n := utf8.RuneCountInString(s.phrase); n > 90 {
				t.Errorf("%q has %d runes", s.phrase, n)
			}
			if !strings.HasPrefix(s.phrase, "to ") && !strings.HasPrefix(s.phrase, "about ") {
				t.Errorf("%q does not follow “asks”", s.phrase)
			}
			if len(s.words) == 0 {
				t.Errorf("%q can never be chosen", s.phrase)
			}
		}
	}
	for alias, id := range idAliases {
		if scenarios[id] == nil {
			t.Errorf("alias %s leads to nothing", alias)
		}
	}
}

func TestServerIDsAsPeopleWriteThem(t *testing.T) {
	for id, want := range map[string]string{
		"server-filesystem": "filesystem", "mcp_memory": "memory", "@modelcontextprotocol/server-git": "git", "BraveSearch": "brave-search",
		"figmaDesktop": "figma-desktop", "postgresql": "postgres", "my-github": "my-github", "mcp": "",
	} {
		if got := canonicalID(id); got != want {
			t.Errorf("canonicalID(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestToolName(t *testing.T) {
	for want, ids := range map[string][2]string{
		"mcp_filesystem_read_file":         {"filesystem", "read_file"},
		"mcp_brave_search_web":             {"brave-search", "web"},
		"mcp_a_b_c_d":                      {"a.b", "c/d"},
		"mcp_s_gr__e":                      {"s", "größe"},
		"mcp__":                            {"", ""},
		"mcp_s_" + strings.Repeat("x", 54): {"s", strings.Repeat("x", 54)},
	} {
		if got := ToolName(ids[0], ids[1]); got != want {
			t.Errorf("ToolName(%q) = %q, want %q", ids, got, want)
		}
	}
	long, other := ToolName("s", strings.Repeat("x", 55)), ToolName("s", strings.Repeat("x", 56))
	if !strings.HasPrefix(long, "mcp_s_"+strings.Repeat("x", 44)+"_") || len(long) > NameLimit || long == other {
		t.Errorf("over-long names: %q and %q", long, other)
	}
}

func TestNamesThatCollideStayApart(t *testing.T) {
	servers := []Server{{ID: "a-b", Tools: []Tool{{Name: "c"}}}, {ID: "a_b", Tools: []Tool{{Name: "c"}}}, {ID: "a", Tools: []Tool{{Name: "b_c"}}}}
	seen := map[string]bool{}
	for _, e := range EnrichAll(servers) {
		seen[e.Name] = true
	}
	if len(seen) != 3 || !seen["mcp_a_b_c"] {
		t.Errorf("names: %v", seen)
	}
}

func TestTheSuffixDropsPhrasesToFit(t *testing.T) {
	server, name := strings.Repeat("s", 60), strings.Repeat("t", 100)
	schema := properties("pr_number"+integer, "discussion_number"+integer, "issue_number"+integer)
	got := Enrich(server, Tool{Name: name, Description: "D.", InputSchema: schema}).Description
	if n := utf8.RuneCountInString(got) - 2; n > SuffixLimit || !strings.HasSuffix(got, "…)") || !strings.Contains(got, "Takes a discussion number") {
		t.Errorf("suffix of %d runes: %q", n, got)
	}
}
