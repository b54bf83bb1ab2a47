package handbook_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/handbook"
)

func load(t *testing.T, name string) *contract.Contract {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := contract.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func get(t *testing.T, toolID string) *handbook.Entry {
	t.Helper()
	entry, err := handbook.New(load(t, "testdata/three.yaml")).Get(context.Background(), handbook.Request{ToolID: toolID})
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

func text(t *testing.T, entry *handbook.Entry) string {
	t.Helper()
	raw, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestEntries(t *testing.T) {
	const none = `{"type":"object","properties":{},"additionalProperties":false}`
	tests := map[string]string{
		"list_issues": `{"toolId":"list_issues","found":true,"title":"List issues","description":"Lists issues, newest first.",` +
			`"handbook":"Ask for one page at a time.\n\nPass ` + "`next` on until `truncated`" + ` is false.","source":"x-tool-handbook","derived":false,` +
			`"inputSchema":{"type":"object","properties":{"labels":{"type":"array","items":{"type":"string","minLength":1},"description":"All of these"}},"additionalProperties":false},` +
			`"outputSchema":{"type":"object","description":"A page of issues.","properties":{"count":{"type":"integer","description":"How many"}}},` +
			`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true},"scopes":["repo"],` +
			`"examples":[{"description":"The bugs","arguments":{"labels":["bug"]}}],"errors":["NOT_FOUND","RATE_LIMITED"]}`,
		"close_issue": `{"toolId":"close_issue","found":true,"title":"Close an issue","description":"Closes an issue that is open.",` +
			`"handbook":"Closes an issue that is open.","source":"description","derived":true,"inputSchema":` + none + `,"outputSchema":{"type":"object","properties":{}},` +
			`"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true},"scopes":[],"examples":[],"errors":[]}`,
		"issues": `{"toolId":"issues","found":true,"title":"Count issues","description":"Count issues",` +
			`"handbook":"Count issues","source":"summary","derived":true,"inputSchema":` + none + `,"outputSchema":{"type":"object","properties":{}},` +
			`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true},"scopes":[],"examples":[],"errors":[]}`,
	}
	for name, want := range tests {
		if diff := cmp.Diff(want, text(t, get(t, name))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestClientPrefixes(t *testing.T) {
	want := text(t, get(t, "list_issues"))
	for _, name := range []string{"mcp__github_workflow__list_issues", "github-workflow.list_issues", "mcp_github_workflow_list_issues",
		"server/list_issues", "server:list_issues", " list_issues\n"} {
		if diff := cmp.Diff(want, text(t, get(t, name))); diff != "" {
			t.Errorf("%q (-list_issues +got):\n%s", name, diff)
		}
	}
	if got := get(t, "mcp__x__issues").ToolID; got != "issues" {
		t.Errorf("mcp__x__issues gives %q", got)
	}
}

func TestUnknownNameIsAnAnswer(t *testing.T) {
	tests := map[string]string{
		"list_isues":             `{"toolId":"list_isues","found":false,"code":"TOOL_NOT_FOUND","message":"No tool has this name. Did you mean list_issues?","suggestions":["list_issues"]}`,
		"mcp__x__closeIssue":     `{"toolId":"mcp__x__closeIssue","found":false,"code":"TOOL_NOT_FOUND","message":"No tool has this name. Did you mean close_issue?","suggestions":["close_issue"]}`,
		"merge_issues_of_others": `{"toolId":"merge_issues_of_others","found":false,"code":"TOOL_NOT_FOUND","message":"No tool has this name. Did you mean issues or list_issues?","suggestions":["issues","list_issues"]}`,
		"nope":                   `{"toolId":"nope","found":false,"code":"TOOL_NOT_FOUND","message":"No tool has this name. The names are those of the tool list.","suggestions":[]}`,
		"":                       `{"toolId":"","found":false,"code":"TOOL_NOT_FOUND","message":"No tool has this name. The names are those of the tool list.","suggestions":[]}`,
		"xissues":                `{"toolId":"xissues","found":false,"code":"TOOL_NOT_FOUND","message":"No tool has this name. Did you mean issues?","suggestions":["issues"]}`,
	}
	for name, want := range tests {
		if diff := cmp.Diff(want, text(t, get(t, name))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

// Every tool of the product has its full text here: words for each argument,
// and an example to copy wherever something has to be given.
func TestProductEntriesAreComplete(t *testing.T) {
	loaded := load(t, "../openapi.yaml")
	book := handbook.New(loaded)
	for _, tool := range loaded.Tools() {
		entry, err := book.Get(context.Background(), handbook.Request{ToolID: "mcp__github_workflow__" + tool.Name})
		if err != nil || !entry.Found || entry.ToolID != tool.Name {
			t.Fatalf("%s: %+v, %v", tool.Name, entry, err)
		}
		var input struct {
			Properties map[string]struct{ Description string }
			Required   []string
		}
		if err := json.Unmarshal(entry.InputSchema, &input); err != nil {
			t.Fatal(err)
		}
		for name, property := range input.Properties {
			if property.Description == "" {
				t.Errorf("%s: no words for %s", tool.Name, name)
			}
		}
		if len(input.Required) > 0 && len(entry.Examples) == 0 {
			t.Errorf("%s: no example", tool.Name)
		}
	}
}

func TestProductAnswersConform(t *testing.T) {
	loaded := load(t, "../openapi.yaml")
	own, found := loaded.Tool("get_mcp_tool_handbook")
	if !found {
		t.Fatal("the product has no handbook tool")
	}
	for _, name := range []string{"get_mcp_tool_handbook", "list_labels", "nope"} {
		entry, _ := handbook.New(loaded).Get(context.Background(), handbook.Request{ToolID: name})
		if err := own.CheckResult([]byte(text(t, entry))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
