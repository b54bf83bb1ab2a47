package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// guide is where the error codes are explained.
const guide = "docs/GitHubWorkflow.md"

func TestNothingPrivateInTheFiles(t *testing.T) {
	report(t, leaks(os.DirFS(".")))
}

func TestDocumentsNameWhatExists(t *testing.T) {
	report(t, unknownNames(os.DirFS(".")))
}

func TestDocumentsExplainEveryErrorCode(t *testing.T) {
	report(t, wrongCodes(os.DirFS(".")))
}

func TestDocumentsLinkToFiles(t *testing.T) {
	report(t, brokenLinks(os.DirFS(".")))
}

func TestDocumentsHoldValidJSON(t *testing.T) {
	report(t, brokenJSON(os.DirFS(".")))
}

// TestDocumentsListTheSettings asks the program itself; TestMain has put it on
// the PATH.
func TestDocumentsListTheSettings(t *testing.T) {
	for _, test := range []struct {
		document string
		command  []string
	}{
		{"README.md", nil}, {"docs/HTTP.md", []string{"http"}},
	} {
		help, err := exec.CommandContext(t.Context(), "github-workflow-mcp", append(test.command, "--help")...).Output()
		if err != nil {
			t.Fatal(err)
		}
		own := string(help)
		if len(test.command) > 0 {
			own, _, _ = strings.Cut(own, "Global Flags:")
		}
		text, err := os.ReadFile(test.document)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(helpSettings(own), listedSettings(string(text))); diff != "" {
			t.Errorf("settings of %s differ from those of --help (-help +document):\n%s", test.document, diff)
		}
	}
}

var (
	helpSetting   = regexp.MustCompile(`(?m)^ +--([a-z-]+) .*\[([A-Z_, ]+)\]`)
	listedSetting = regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| ([^|]+) \\|")
)

// helpSettings are the variables of each flag, as --help gives them.
func helpSettings(help string) map[string][]string {
	found := map[string][]string{}
	for _, match := range helpSetting.FindAllStringSubmatch(help, -1) {
		found[match[1]] = strings.Split(match[2], ", ")
	}
	return found
}

// listedSettings are the variables of each flag, as the table of a document
// gives them.
func listedSettings(readme string) map[string][]string {
	found := map[string][]string{}
	for _, match := range listedSetting.FindAllStringSubmatch(readme, -1) {
		found[match[1]] = strings.Split(strings.ReplaceAll(match[2], "`", ""), ", ")
	}
	return found
}

func TestCONTRIBUTINGShowsTheFloors(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(floors, shownFloors(string(text))); diff != "" {
		t.Errorf("floors of CONTRIBUTING.md differ from the rules (-rules +CONTRIBUTING):\n%s", diff)
	}
}

var (
	floorRow    = regexp.MustCompile("(?m)^\\| (\\d) \\| ((?:`[a-z]+` ?)+)\\|")
	packageName = regexp.MustCompile("`([a-z]+)`")
)

// shownFloors are the packages of the table of floors.
func shownFloors(text string) map[string]int {
	shown := map[string]int{}
	for _, row := range floorRow.FindAllStringSubmatch(text, -1) {
		floor, _ := strconv.Atoi(row[1]) // one digit
		for _, match := range packageName.FindAllStringSubmatch(row[2], -1) {
			name := match[1]
			if name == "main" {
				name = "."
			}
			shown[name] = floor
		}
	}
	return shown
}

func TestSettingsAreRead(t *testing.T) {
	want := map[string][]string{"host": {"GITHUB_HOST", "GH_HOST"}, "repo": {"GITHUB_REPOSITORY"}}
	help := "Flags:\n  -h, --help   help for x\n      --host host   the host [GITHUB_HOST, GH_HOST]\n      --repo owner/name   home (default [x]) [GITHUB_REPOSITORY]\n"
	if diff := cmp.Diff(want, helpSettings(help)); diff != "" {
		t.Errorf("from --help (-want +got):\n%s", diff)
	}
	readme := "| `--host` | `GITHUB_HOST`, `GH_HOST` | the host |\n| `--repo` | `GITHUB_REPOSITORY` | home |\n| `CODE` | x |\n"
	if diff := cmp.Diff(want, listedSettings(readme)); diff != "" {
		t.Errorf("from the README (-want +got):\n%s", diff)
	}
}

// private are the texts that no file of the project may hold. They are written
// so that this file does not hold them either.
var private = map[string]*regexp.Regexp{
	"a path outside of the repository": regexp.MustCompile(`\.\./shared`),
	"a path of somebody's machine":     regexp.MustCompile(`(/home/\w|/Users/\w|/root/\w|/wor[k]/\w)`),
	"the host of a package registry":   regexp.MustCompile(`(registry\.npmjs|proxy\.golang\.org|"resolved":\s*"http)`),
	"a GitHub token":                   regexp.MustCompile(`(gh[oprsu]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{30,})`),
}

// nobody is the home directory that examples use.
const nobody = "/home/me"

// leaks lists the lines of text files that hold something private.
func leaks(tree fs.FS) []string {
	var found []string
	err := walkFiles(tree, func(name string) error {
		text, err := fs.ReadFile(tree, name)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		for number, line := range strings.Split(string(text), "\n") {
			for what, pattern := range private {
				if pattern.MatchString(strings.ReplaceAll(line, nobody, "")) {
					found = append(found, fmt.Sprintf("%s:%d holds %s", name, number+1, what))
				}
			}
		}
		return nil
	})
	if err != nil {
		found = append(found, err.Error())
	}
	return found
}

// documents reads the project's prose: every markdown file at the root and
// below docs.
func documents(tree fs.FS) (map[string]string, error) {
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		names, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				return nil, err
			}
			texts[name] = string(text)
		}
	}
	return texts, nil
}

// eachDocument collects what check complains about in each document.
func eachDocument(tree fs.FS, check func(name, text string) []string) []string {
	texts, err := documents(tree)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for name, text := range texts {
		wrong = append(wrong, check(name, text)...)
	}
	slices.Sort(wrong)
	return wrong
}

var (
	codeWord = regexp.MustCompile("`([a-z]+(?:_[a-z0-9]+)+)`")
	toolCall = regexp.MustCompile(`(?:\b(?:call|handbook) |"(?:tool|toolId)": *")([a-z]+(?:_[a-z0-9]+)+)`)
)

// unknownNames lists the tools, arguments and values that a document names
// and the contract does not know.
func unknownNames(tree fs.FS) []string {
	tools, words, err := contractNames(tree)
	if err != nil {
		return []string{err.Error()}
	}
	return eachDocument(tree, func(name, text string) []string {
		var wrong []string
		for _, match := range codeWord.FindAllStringSubmatch(text, -1) {
			if !words[match[1]] && !tools[match[1]] {
				wrong = append(wrong, fmt.Sprintf("%s: %s is not in openapi.yaml", name, match[1]))
			}
		}
		for _, match := range toolCall.FindAllStringSubmatch(text, -1) {
			if !tools[match[1]] {
				wrong = append(wrong, fmt.Sprintf("%s: there is no tool %s", name, match[1]))
			}
		}
		return wrong
	})
}

// contractNames are the tools of openapi.yaml, and its other words: arguments,
// properties and enum values.
func contractNames(tree fs.FS) (tools, words map[string]bool, err error) {
	text, err := fs.ReadFile(tree, "openapi.yaml")
	if err != nil {
		return nil, nil, err
	}
	var contract any
	if err := yaml.Unmarshal(text, &contract); err != nil {
		return nil, nil, err
	}
	tools, words = map[string]bool{}, map[string]bool{}
	collectNames(contract, tools, words)
	return tools, words, nil
}

func collectNames(node any, tools, words map[string]bool) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			collectNames(item, tools, words)
		}
	case map[string]any:
		if id, ok := node["operationId"].(string); ok {
			tools[id] = true
		}
		if name, ok := node["name"].(string); ok {
			words[name] = true
		}
		if properties, ok := node["properties"].(map[string]any); ok {
			for name := range properties {
				words[name] = true
			}
		}
		if values, ok := node["enum"].([]any); ok {
			for _, value := range values {
				words[fmt.Sprint(value)] = true
			}
		}
		for _, child := range node {
			collectNames(child, tools, words)
		}
	}
}

var codeRow = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| ([^|]+?) \\|$")

// wrongCodes compares the guide's table of error codes with package fault: the
// same codes, each with the meaning that its comment gives.
func wrongCodes(tree fs.FS) []string {
	meanings, err := faultCodes(tree)
	if err != nil {
		return []string{err.Error()}
	}
	text, err := fs.ReadFile(tree, guide)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	seen := map[string]bool{}
	for _, row := range codeRow.FindAllStringSubmatch(string(text), -1) {
		code, meaning := row[1], row[2]
		seen[code] = true
		switch want, known := meanings[code]; {
		case !known:
			wrong = append(wrong, fmt.Sprintf("%s: there is no code %s", guide, code))
		case meaning != want:
			wrong = append(wrong, fmt.Sprintf("%s: %s means %q, want %q", guide, code, meaning, want))
		}
	}
	for code, meaning := range meanings {
		if !seen[code] {
			wrong = append(wrong, fmt.Sprintf("%s lacks the row | `%s` | %s |", guide, code, meaning))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// faultCodes reads the constants of type Code in package fault, with the
// comment that stands behind each.
func faultCodes(tree fs.FS) (map[string]string, error) {
	text, err := fs.ReadFile(tree, "fault/code.go")
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	meanings := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || fmt.Sprint(spec.Type) != "Code" || len(spec.Values) != 1 {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
			code, _ := strconv.Unquote(literal.Value) // the parser accepted it
			meanings[code] = strings.TrimSpace(spec.Comment.Text())
		}
		return true
	})
	return meanings, nil
}

var link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)

// brokenLinks lists the relative links of documents that lead to no file.
func brokenLinks(tree fs.FS) []string {
	return eachDocument(tree, func(name, text string) []string {
		var wrong []string
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target := path.Join(path.Dir(name), match[1])
			if _, err := fs.Stat(tree, target); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s links to %s, which is not there", name, match[1]))
			}
		}
		return wrong
	})
}

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// brokenJSON lists the JSON examples that are none.
func brokenJSON(tree fs.FS) []string {
	return eachDocument(tree, func(name, text string) []string {
		var wrong []string
		for number, match := range jsonBlock.FindAllStringSubmatch(text, -1) {
			if !json.Valid([]byte(match[1])) {
				wrong = append(wrong, fmt.Sprintf("%s: JSON example %d is not valid", name, number+1))
			}
		}
		return wrong
	})
}

func TestLeaksAreFound(t *testing.T) {
	letters := strings.Repeat("a1", 18)
	tests := map[string]string{
		"../" + "shared/notes":                      "a path outside of the repository",
		"cd /home" + "/alice/src":                   "a path of somebody's machine",
		"cd /Users" + "/alice/src":                  "a path of somebody's machine",
		"https://registry" + ".npmjs.org/x":         "the host of a package registry",
		`"resolved"` + `: "https://mirror/x.tgz"`:   "the host of a package registry",
		"GOPROXY=https://proxy" + ".golang.org":     "the host of a package registry",
		"token: gh" + "p_" + letters:                "a GitHub token",
		"token: github" + "_pat_" + letters + "_aa": "a GitHub token",
		"ghp_short, sandbox-admin, ./shared/home/":  "",
		nobody + "/src":                             "",
		"binary\x00 gh" + "p_" + letters:            "",
	}
	for text, want := range tests {
		got := leaks(fstest.MapFS{"a.txt": source("%s", "one\n"+text+"\n"), ".git/a.txt": source("../" + "shared")})
		if want != "" && !slices.Equal(got, []string{"a.txt:2 holds " + want}) || want == "" && len(got) > 0 {
			t.Errorf("leaks in %q = %q, want %q", text, got, want)
		}
	}
}

func TestWrongDocumentsAreFound(t *testing.T) {
	tree := fstest.MapFS{
		"openapi.yaml": source("paths: {/a: {get: {operationId: list_things, parameters: [{name: last_n}, {schema: {enum: [not_planned]}}]}}}"),
		"fault/code.go": source("package fault\nconst (\n" +
			"NotFound Code = \"NOT_FOUND\" // it is not there\nInternal Code = \"INTERNAL\" // a defect\nOther Code = \"OTHER\" // more\n)"),
		"README.md": source("%s", "`list_things` `last_n` `not_planned` `made_up` [a](docs/a.md) [b](docs/none.md#x) [web](https://example.com/x)\n"+
			"call list_things; call last_n\n```json\n{\"tool\": \"no_tool\"}\n```\n```json\n{,}\n```\n"),
		"docs/a.md": source("[up](../README.md) [here](README.md)"),
		guide:       source("%s", "| `NOT_FOUND` | it is not there |\n| `INTERNAL` | fine |\n| `INVENTED` | x |\n"),
	}
	tests := []struct {
		name  string
		check func(fs.FS) []string
		want  []string
	}{
		{"names", unknownNames, []string{
			"README.md: made_up is not in openapi.yaml", "README.md: there is no tool last_n", "README.md: there is no tool no_tool",
		}},
		{"codes", wrongCodes, []string{
			guide + ` lacks the row | ` + "`OTHER`" + ` | more |`,
			guide + `: INTERNAL means "fine", want "a defect"`,
			guide + ": there is no code INVENTED",
		}},
		{"links", brokenLinks, []string{
			"README.md links to docs/none.md, which is not there", "docs/a.md links to README.md, which is not there",
		}},
		{"JSON", brokenJSON, []string{"README.md: JSON example 2 is not valid"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.check(tree)); diff != "" {
				t.Errorf("complaints (-want +got):\n%s", diff)
			}
			if got := tt.check(fstest.MapFS{guide: source("`made_up`")}); tt.name != "links" && tt.name != "JSON" && len(got) == 0 {
				t.Error("no complaint about a tree without the files that the check reads")
			}
		})
	}
}
