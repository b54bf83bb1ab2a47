package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// carriers are the tools whose results hold texts that people wrote, each with
// the method that answers it.
func carriers() map[string]any {
	return map[string]any{
		"list_discussions":            (*discussion.Service).List,
		"list_discussion_categories":  (*discussion.Service).Categories,
		"get_discussion_conversation": (*discussion.Service).Read,
		"get_conversation":            (*conversation.Service).Read,
		"list_issues":                 (*issue.Service).List,
		"search_issues":               (*issue.Service).Search,
		"manage_issue_labels":         (*issue.Service).ManageLabels,
		"list_pull_requests":          (*pullrequest.Service).List,
		"get_pull_request":            (*pullrequest.Service).Get,
		"get_pull_request_diff":       (*pullrequest.Service).Diff,
		"list_labels":                 (*repository.Service).ListLabels,
		"manage_label":                (*repository.Service).ManageLabel,
	}
}

// TestEveryAuthoredTextIsShown: what the contract calls authored is what the
// results show to package trust, tool by tool, so that no text passes by it.
func TestEveryAuthoredTextIsShown(t *testing.T) {
	tools, err := contract.Load(contractText)
	if err != nil {
		t.Fatal(err)
	}
	methods := carriers()
	for _, tool := range tools.Tools() {
		want := authoredFields(tool)
		method, known := methods[tool.Name]
		delete(methods, tool.Name)
		if !known {
			if len(want) > 0 {
				t.Errorf("%s: the contract has authored texts, %q, and carriers lacks the tool", tool.Name, want)
			}
			continue
		}
		if diff := cmp.Diff(want, shownFields(t, method)); diff != "" {
			t.Errorf("%s: what the contract calls authored and what its result shows to trust differ (-contract +result):\n%s", tool.Name, diff)
		}
	}
	for name := range methods {
		t.Errorf("%s is no tool", name)
	}
}

// TestContractListsTheSignals: the kinds of findings are a closed set.
func TestContractListsTheSignals(t *testing.T) {
	tools, err := contract.Load(contractText)
	if err != nil {
		t.Fatal(err)
	}
	for name := range carriers() {
		tool, _ := tools.Tool(name)
		var schema struct {
			Defs struct {
				ContentTrust struct {
					Properties struct {
						Signals struct {
							Items struct {
								Properties struct {
									ID struct{ Enum []trust.Kind }
								}
							}
						}
					}
				}
			} `json:"$defs"`
		}
		if err := json.Unmarshal(tool.Details().OutputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(trust.Kinds(), schema.Defs.ContentTrust.Properties.Signals.Items.Properties.ID.Enum); diff != "" {
			t.Errorf("%s: the signals of package trust and those of the contract differ (-trust +contract):\n%s", name, diff)
		}
	}
}

// authoredFields are the authored places of a tool's result as a trust.Text
// names them. A reply has no replies of its own, although the contract's type
// could.
func authoredFields(tool *contract.Tool) []string {
	fields := map[string]bool{}
	for _, path := range tool.Authored() {
		field := strings.ReplaceAll(path, "[]", "")
		if strings.Count(field, "replies.") > 1 || strings.HasPrefix(field, "newReplies.replies.") {
			continue
		}
		fields[field] = true
	}
	return slices.Sorted(maps.Keys(fields))
}

// shownFields fills a method's result to the brim and looks at what it shows.
func shownFields(t *testing.T, method any) []string {
	t.Helper()
	result := reflect.New(reflect.TypeOf(method).Out(0).Elem())
	fill(result.Elem(), 0)
	carrier, ok := result.Interface().(trust.Carrier)
	if !ok {
		t.Fatalf("%s carries no texts", result.Type())
	}
	fields := map[string]bool{}
	carrier.VisitTexts(func(text trust.Text) {
		fields[text.Field] = true
		if text.Value == nil || text.At == "" {
			t.Errorf("%s has no value or no place", text.Field)
		}
		isTitle := text.Field == "title" || strings.HasSuffix(text.Field, ".title")
		if text.Author != nil && isTitle != (text.Form == trust.Line) && !strings.HasSuffix(text.Field, ".name") {
			t.Errorf("%s is shown in the form %v", text.Field, text.Form)
		}
	})
	return slices.Sorted(maps.Keys(fields))
}

// maxDepth is deeper than results nest: a comment, its replies, and theirs.
const maxDepth = 12

// fill gives every exported member a value, every list one element.
func fill(value reflect.Value, depth int) {
	if depth > maxDepth || !value.CanSet() {
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), depth+1)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(value.Index(0), depth+1)
	case reflect.Struct:
		for i := range value.NumField() {
			fill(value.Field(i), depth+1)
		}
	case reflect.String:
		value.SetString("x")
	}
}
