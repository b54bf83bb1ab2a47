package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

// ask has one request answered by the program on the sandbox.
func ask(t *testing.T, flags []string, method, params string, result any) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	code := run(t.Context(), append([]string{"stdio", "--sandbox"}, flags...), func(string) string { return "" }, strings.NewReader(line), &stdout, &stderr)
	if code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr.String())
	}
	answer := struct {
		Result any
		Error  json.RawMessage
	}{Result: result}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil || answer.Error != nil {
		t.Fatalf("%s %s: %v, %s", method, params, err, answer.Error)
	}
}

type promptList struct {
	Prompts []struct {
		Name      string
		Arguments []struct {
			Name     string
			Required bool
		}
	}
}

type promptText struct {
	Messages []struct{ Content struct{ Text string } }
}

// TestPromptsNameListedTools: whatever is switched off, no prompt that is
// offered names a tool that is not listed, with and without its optional
// arguments.
func TestPromptsNameListedTools(t *testing.T) {
	all, err := contract.LoadCompiled(contractText, contractCompiled)
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`[a-z0-9_]+`)
	for name, test := range map[string]struct {
		flags   []string
		prompts []string
	}{
		"everything":   {nil, []string{"capabilities", "handoff", "ideation_review", "triage"}},
		"read-only":    {[]string{"--read-only"}, []string{"capabilities", "handoff", "ideation_review", "triage"}},
		"a toolset":    {[]string{"--toolsets", "repository"}, []string{"capabilities"}},
		"a tool":       {[]string{"--tools", "get_discussion_conversation"}, []string{"capabilities", "handoff", "ideation_review"}},
		"without some": {[]string{"--exclude-tools", "list_labels,manage_discussion_comment"}, []string{"capabilities", "handoff", "ideation_review", "triage"}},
	} {
		t.Run(name, func(t *testing.T) {
			var list struct{ Tools []struct{ Name string } }
			ask(t, test.flags, "tools/list", "{}", &list)
			var prompts promptList
			ask(t, test.flags, "prompts/list", "{}", &prompts)
			var names []string
			for _, p := range prompts.Prompts {
				names = append(names, p.Name)
				required, every := map[string]string{}, map[string]string{}
				for _, a := range p.Arguments {
					every[a.Name] = "12"
					if a.Required {
						required[a.Name] = "12"
					}
				}
				for _, arguments := range []map[string]string{required, every} {
					params, _ := json.Marshal(map[string]any{"name": p.Name, "arguments": arguments})
					var text promptText
					ask(t, test.flags, "prompts/get", string(params), &text)
					for _, named := range word.FindAllString(text.Messages[0].Content.Text, -1) {
						_, isTool := all.Tool(named)
						if isTool && !slices.ContainsFunc(list.Tools, func(t struct{ Name string }) bool { return t.Name == named }) {
							t.Errorf("%s names %s, which is not listed", p.Name, named)
						}
					}
				}
			}
			if diff := cmp.Diff(test.prompts, names); diff != "" {
				t.Errorf("prompts (-want +got):\n%s", diff)
			}
		})
	}
}

type resourceText struct {
	Contents []struct{ URI, MIMEType, Text string }
}

// TestResources: the roster is the same as prompt and as resource, and a
// template answers what its tool answers.
func TestResources(t *testing.T) {
	var roster promptText
	ask(t, nil, "prompts/get", `{"name":"capabilities"}`, &roster)
	var capabilities resourceText
	ask(t, nil, "resources/read", `{"uri":"github-workflow://capabilities"}`, &capabilities)
	text := roster.Messages[0].Content.Text
	if capabilities.Contents[0].Text != text {
		t.Errorf("the prompt says\n%s\nthe resource\n%s", text, capabilities.Contents[0].Text)
	}
	if lines := strings.Split(text, "\n"); len(lines) != 10 || !strings.HasPrefix(lines[1], "get_discussion_conversation: ") || !strings.HasPrefix(lines[9], "+") {
		t.Errorf("the roster is no title, 8 tools and a fold:\n%s", text)
	}
	for uri, call := range map[string][]string{
		"github-workflow://octo-org/hello/discussions/12": {"get_discussion_conversation", "repo=octo-org/hello", "discussion_number=12"},
		"github-workflow://octo-org/hello/issues/161":     {"get_conversation", "repo=octo-org/hello", "issue_number=161"},
		"github-workflow://octo-org/hello/pulls/214":      {"get_conversation", "repo=octo-org/hello", "pr_number=214"},
	} {
		var read resourceText
		ask(t, nil, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri), &read)
		stdout, _, _ := tryRun(t, nil, append([]string{"call", "--sandbox"}, call...)...)
		if diff := cmp.Diff(strings.TrimSpace(stdout), read.Contents[0].Text); diff != "" || len(stdout) > 65_600 {
			t.Errorf("%s, %d bytes (-tool +resource):\n%s", uri, len(stdout), diff)
		}
	}
}

// TestCompletions has every kind of completion on the sandbox.
func TestCompletions(t *testing.T) {
	discussionRef := `{"type":"ref/resource","uri":"github-workflow://{owner}/{repo}/discussions/{number}"}`
	promptRef := `{"type":"ref/prompt","name":"ideation_review"}`
	hello := `{"owner":"octo-org","repo":"hello"}`
	for name, test := range map[string]struct {
		ref, argument, value, known string
		want                        string // one of the values; "" for none at all
	}{
		"an owner":             {discussionRef, "owner", "octo-a", `{}`, "octo-admin"},
		"a repository":         {discussionRef, "repo", "", `{"owner":"octo-org"}`, "hello"},
		"a discussion":         {discussionRef, "number", "1", hello, "12"},
		"an issue":             {strings.Replace(discussionRef, "discussions", "issues", 1), "number", "", hello, "161"},
		"a pull request":       {strings.Replace(discussionRef, "discussions", "pulls", 1), "number", "2", hello, "214"},
		"a discussion at home": {promptRef, "discussion_number", "", `{}`, "12"},
		"a category":           {promptRef, "category", "ide", `{}`, "Ideas"},
		"a label":              {promptRef, "label", "area", hello, "area: reader"},
		"a word":               {promptRef, "since_comment_id", "", `{}`, ""},
		"nothing that is":      {discussionRef, "number", "", `{"owner":"octo-org","repo":"nowhere"}`, ""},
		"no name":              {discussionRef, "number", "", `{"owner":"..","repo":"a b"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got struct {
				Completion struct{ Values []string }
			}
			ask(t, nil, "completion/complete", fmt.Sprintf(`{"ref":%s,"argument":{"name":%q,"value":%q},"context":{"arguments":%s}}`,
				test.ref, test.argument, test.value, test.known), &got)
			values := got.Completion.Values
			if test.want == "" && len(values) > 0 || test.want != "" && !slices.Contains(values, test.want) {
				t.Errorf("completions are %q, want %q among them", values, test.want)
			}
		})
	}
}
