package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/handbook"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
)

// methods are the methods behind the tools; their parameter and result types
// are held against the contract.
func methods() map[string]any {
	return map[string]any{
		"list_discussions":            (*discussion.Service).List,
		"list_discussion_categories":  (*discussion.Service).Categories,
		"get_discussion_conversation": (*discussion.Service).Read,
		"create_discussion":           (*discussion.Service).Create,
		"manage_discussion":           (*discussion.Service).Manage,
		"manage_discussion_comment":   (*discussion.Service).ManageComment,
		"list_issues":                 (*issue.Service).List,
		"get_conversation":            (*conversation.Service).Read,
		"manage_issue_comment":        (*conversation.Service).ManageComment,
		"moderate_comment":            (*conversation.Service).Moderate,
		"manage_issue_labels":         (*issue.Service).ManageLabels,
		"search_issues":               (*issue.Service).Search,
		"create_issue":                (*issue.Service).Create,
		"update_issue":                (*issue.Service).Update,
		"manage_issue_assignees":      (*issue.Service).ManageAssignees,
		"update_issue_relationship":   (*issue.Service).Relate,
		"manage_issue_projects":       (*issue.Service).ManageProjects,
		"manage_reaction":             (*issue.Service).React,
		"list_pull_requests":          (*pullrequest.Service).List,
		"get_pull_request":            (*pullrequest.Service).Get,
		"get_pull_request_diff":       (*pullrequest.Service).Diff,
		"checkout_pull_request":       (*pullrequest.Service).Checkout,
		"create_pull_request":         (*pullrequest.Service).Create,
		"update_pull_request":         (*pullrequest.Service).Update,
		"merge_pull_request":          (*pullrequest.Service).Merge,
		"manage_pr_review":            (*pullrequest.Service).ManageReview,
		"manage_pr_reviewers":         (*pullrequest.Service).ManageReviewers,
		"manage_review_thread":        (*pullrequest.Service).ManageThread,
		"list_labels":                 (*repository.Service).ListLabels,
		"manage_label":                (*repository.Service).ManageLabel,
		"get_viewer_permission":       (*repository.Service).ViewerPermission,
		"healthcheck":                 (*repository.Service).Health,
		"get_mcp_tool_handbook":       (*handbook.Book).Get,
	}
}

// TestTypesAreTheContract: an argument that no Request has would be taken and
// forgotten, and a member that no schema has would reach nobody who reads it.
func TestTypesAreTheContract(t *testing.T) {
	tools, err := contract.Load(contractText)
	if err != nil {
		t.Fatal(err)
	}
	all, shapes := methods(), &shapes{members: map[string]string{}}
	for _, tool := range tools.Tools() {
		method := reflect.TypeOf(all[tool.Name])
		if method == nil {
			t.Errorf("%s: add its method to methods", tool.Name)
			continue
		}
		delete(all, tool.Name)
		for name, side := range map[string]struct {
			schema json.RawMessage
			typ    reflect.Type
		}{"arguments": {tool.Details().InputSchema, method.In(2)}, "result": {tool.Details().OutputSchema, method.Out(0)}} {
			var schema map[string]any
			if err := json.Unmarshal(side.schema, &schema); err != nil {
				t.Fatal(err)
			}
			shapes.compare(schema, schema, side.typ, tool.Name+" "+name, nil)
		}
	}
	for name := range all {
		t.Errorf("%s is no tool of the contract", name)
	}
	for member, nowhere := range shapes.members {
		if nowhere != "" {
			t.Errorf("%s: the contract lacks it at %s", member, nowhere)
		}
	}
	for _, missing := range shapes.missing {
		t.Error(missing)
	}
}

// shapes collects what differs. A type may stand for several schemas, such as
// the comments of every kind of thread: each of its members has to be in one.
type shapes struct {
	members map[string]string // type.member → where it was missed; "" once it was found
	missing []string          // properties that a type lacks
}

// compare holds the properties of a schema against the members that a type has
// in JSON, and what is below them.
func (s *shapes) compare(root, schema map[string]any, typ reflect.Type, at string, seen []reflect.Type) {
	if ref, ok := schema["$ref"].(string); ok {
		defs, _ := root["$defs"].(map[string]any)
		schema, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	switch items, isList := schema["items"].(map[string]any); {
	case typ.Kind() == reflect.Pointer:
		s.compare(root, schema, typ.Elem(), at, seen)
		return
	case typ.Kind() == reflect.Slice && isList:
		s.compare(root, items, typ.Elem(), at, seen)
		return
	}
	properties, _ := schema["properties"].(map[string]any)
	if typ.Kind() != reflect.Struct || properties == nil || slices.Contains(seen, typ) {
		return
	}
	members := map[string]reflect.Type{}
	jsonMembers(typ, members)
	for name, property := range properties {
		if members[name] == nil {
			s.missing = append(s.missing, fmt.Sprintf("%s.%s is in the contract, and %s lacks it", at, name, typ))
			continue
		}
		property, _ := property.(map[string]any)
		s.compare(root, property, members[name], at+"."+name, append(seen, typ))
	}
	for name := range members {
		member := typ.String() + "." + name
		if before, met := s.members[member]; properties[name] != nil {
			s.members[member] = ""
		} else if !met || before != "" {
			s.members[member] = at
		}
	}
}

// jsonMembers are the members of a struct in JSON, those of embedded ones
// among them.
func jsonMembers(typ reflect.Type, members map[string]reflect.Type) {
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		embedded := field.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
		case field.Anonymous && name == "" && embedded.Kind() == reflect.Struct:
			jsonMembers(embedded, members)
		default:
			members[name] = field.Type
		}
	}
}
