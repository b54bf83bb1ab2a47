package awareness

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var hostName = regexp.MustCompile(`^mcp_[A-Za-z0-9_]+$`)

// checkEnriched fails when one tool's texts break a bound.
func checkEnriched(t *testing.T, serverID string, tool Tool) {
	t.Helper()
	got := Enrich(serverID, tool)
	if again := Enrich(serverID, tool); again != got {
		t.Fatalf("not deterministic:\n%+v\n%+v", got, again)
	}
	if len(got.Name) > NameLimit || !hostName.MatchString(got.Name) {
		t.Fatalf("name %q", got.Name)
	}
	for what, text := range map[string]string{"description": got.Description, "guidance": got.Guidance} {
		if !utf8.ValidString(text) {
			t.Fatalf("%s is no UTF-8: %q", what, text)
		}
	}
	if n := utf8.RuneCountInString(got.Guidance); n > GuidanceLimit || strings.ContainsAny(got.Guidance, "\n\r") {
		t.Fatalf("guidance of %d runes: %q", n, got.Guidance)
	}
	own := strings.ToValidUTF8(tool.Description, "\uFFFD")
	if oneLine(own) == "" {
		own = standIn(tool)
	}
	suffix, kept := strings.CutPrefix(got.Description, own)
	if !kept {
		t.Fatalf("the server's own text is changed: %q", got.Description)
	}
	if n := utf8.RuneCountInString(suffix); n > SuffixLimit {
		t.Fatalf("suffix of %d runes: %q", n, suffix)
	}
	if !strings.HasPrefix(suffix, "\n\nUse when the user asks ") || !strings.Contains(suffix, ". (MCP: ") || !strings.HasSuffix(suffix, ")") {
		t.Fatalf("suffix %q", suffix)
	}
	checkSentence(t, SchemaSentence(tool.InputSchema))
}

var takesSentence = regexp.MustCompile(`^Takes [A-Za-z ]+(, [A-Za-z ]+)?( or [A-Za-z ]+)?\.$`)

func checkSentence(t *testing.T, sentence string) {
	t.Helper()
	if sentence != "" && !takesSentence.MatchString(sentence) {
		t.Fatalf("schema sentence %q", sentence)
	}
}

// checkParagraph fails when a system prompt or instructions break a bound.
func checkParagraph(t *testing.T, text string, toolCount int) {
	t.Helper()
	if (text == "") != (toolCount == 0) {
		t.Fatalf("%d tools, but %q", toolCount, text)
	}
	if len(text) > PromptLimit || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r") {
		t.Fatalf("%d bytes: %q", len(text), text)
	}
	if text != "" && !strings.HasSuffix(text, ".") {
		t.Fatalf("no whole sentence at the end: %q", text)
	}
}

// checkRoster fails when a roster breaks a bound.
func checkRoster(t *testing.T, text string, toolCount int) {
	t.Helper()
	if toolCount == 0 {
		if text != "" {
			t.Fatalf("no tools, but %q", text)
		}
		return
	}
	lines := strings.Split(text, "\n")
	want := 1 + min(toolCount, RosterLines)
	if toolCount > RosterLines {
		want++
		if fold := fmt.Sprintf("+%d more", toolCount-RosterLines); lines[len(lines)-1] != fold {
			t.Fatalf("last line %q, want %q", lines[len(lines)-1], fold)
		}
	}
	if len(lines) != want || !utf8.ValidString(text) {
		t.Fatalf("%d lines, want %d: %q", len(lines), want, text)
	}
	for _, line := range lines[1:min(len(lines), 1+RosterLines)] {
		name, short, found := strings.Cut(line, ": ")
		if !found || len(name) > NameLimit || short == "" || utf8.RuneCountInString(short) > ShortLimit+len(" (no description given).") {
			t.Fatalf("line %q", line)
		}
	}
}

// many repeats a tool under n names over two servers.
func many(serverID string, tool Tool, n int) []Server {
	servers := []Server{{ID: serverID}, {ID: serverID + "2"}}
	for i := range n {
		one := tool
		one.Name = fmt.Sprint(tool.Name, i)
		servers[i%2].Tools = append(servers[i%2].Tools, one)
	}
	return servers
}

func checkServers(t *testing.T, servers []Server) {
	t.Helper()
	count := 0
	names := map[string]bool{}
	for _, e := range EnrichAll(servers) {
		count++
		names[e.Name] = true
		if len(e.Name) > NameLimit {
			t.Fatalf("name %q", e.Name)
		}
	}
	if len(names) != count {
		t.Fatalf("%d tools have %d names", count, len(names))
	}
	checkParagraph(t, SystemPrompt(servers), count)
	checkRoster(t, Roster(servers), count)
	first, second := SystemPrompt(servers)+Roster(servers), SystemPrompt(servers)+Roster(servers)
	if first != second {
		t.Fatal("not deterministic")
	}
}

var seeds = []struct {
	server, name, title, description, schema string
	count                                    uint8
}{
	{"filesystem", "read_file", "Read file", "Reads a file. As text.", `{"properties":{"path":{"type":"string"}}}`, 8},
	{"", "", "", "", "", 0},
	{"größe\n", strings.Repeat("x", 200), "\xff", "e.g. A\u2028b", `{"properties":{"URLs":{"type":"array"},"q":{"anyOf":[{}]}}}`, 9},
	{strings.Repeat("𝔰", 99), "a/b", "", strings.Repeat("。", 500), `{"properties":{"file":{"items":[1],"type":["array","null"]}}}`, 60},
	{"s", "n", "t", strings.Repeat("word ", 1000), `[]`, 255},
}

func FuzzEnrich(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.server, s.name, s.title, s.description, s.schema)
	}
	f.Fuzz(func(t *testing.T, server, name, title, description, schema string) {
		checkEnriched(t, server, Tool{Name: name, Title: title, Description: description, InputSchema: json.RawMessage(schema)})
	})
}

func FuzzSystemPrompt(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.server, s.name, s.title, s.count)
	}
	f.Fuzz(func(t *testing.T, server, name, product string, count uint8) {
		servers := many(server, Tool{Name: name}, int(count))
		checkServers(t, servers)
		for _, repo := range []string{"", server, strings.Repeat("o", 39) + "/" + strings.Repeat("n", 100)} {
			all := append(append([]Tool{}, servers[0].Tools...), servers[1].Tools...)
			checkParagraph(t, Instructions(InstructionsInput{Product: product, Repo: repo, Tools: all}), int(count))
		}
	})
}

func FuzzRoster(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.server, s.name, s.title, s.description, s.count)
	}
	f.Fuzz(func(t *testing.T, server, name, title, description string, count uint8) {
		checkServers(t, many(server, Tool{Name: name, Title: title, Description: description}, int(count)))
	})
}

// The bounds over tools put together at random from awkward parts.
func TestBoundsHoldForRandomTools(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"", "a", "_", "path", "URLs", "issue_number", "e.g. ", ". ", "! ", "\n\n", "…", "é", "\xf0\x28", "𝔵", "\u202e", "(MCP: a/b)", "+9 more", strings.Repeat("long ", 90)}
	text := func() string {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		return b.String()
	}
	types := []string{`"string"`, `"integer"`, `"boolean"`, `"array"`, `["string","null"]`, `7`, `"object"`}
	for range 300 {
		schema := fmt.Sprintf(`{"properties":{%q:{"type":%s},%q:{"type":%s}}}`,
			parts[random.IntN(6)], types[random.IntN(len(types))], "repo", types[random.IntN(len(types))])
		tool := Tool{Name: text(), Title: text(), Description: text(), InputSchema: json.RawMessage(schema)}
		server := text()
		checkEnriched(t, server, tool)
		checkServers(t, many(server, tool, random.IntN(30)))
	}
}

// The order of a schema's keys is no information.
func TestKeyOrderDoesNotMatter(t *testing.T) {
	names := []string{"path", "url", "query", "owner", "repo", "limit", "since", "labels"}
	want := SchemaSentence(properties(names...))
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		random.Shuffle(len(names), reflect.Swapper(names))
		if got := SchemaSentence(properties(names...)); got != want {
			t.Fatalf("%v: %q, want %q", names, got, want)
		}
	}
}
