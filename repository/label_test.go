package repository_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func ptr[T any](value T) *T { return &value }

// writes counts the mutations that have reached GitHub.
func writes(github *sandbox.Running) int {
	n := 0
	for _, request := range github.Requests() {
		if request.Mutation {
			n++
		}
	}
	return n
}

// TestALabelsLife, step by step: each answer is what list_labels says then,
// and an update keeps what it does not name.
func TestALabelsLife(t *testing.T) {
	service, github := open(t, sandbox.WriteToken)
	for _, step := range []struct {
		req    repository.LabelRequest
		want   string // name, colour, description; "" when it is gone
		writes int
	}{
		{repository.LabelRequest{Action: "create", Name: "Needs <triage>"}, "Needs <triage>|ededed|", 1},
		{repository.LabelRequest{Action: "update", Name: "needs <TRIAGE>", Color: "#FBCA04"}, "Needs <triage>|fbca04|", 1},
		{repository.LabelRequest{Action: "update", Name: "needs <triage>", Description: ptr("Nobody has")}, "Needs <triage>|fbca04|Nobody has", 1},
		{repository.LabelRequest{Action: "update", Name: "needs <triage>", NewName: "NEEDS <triage>"}, "NEEDS <triage>|fbca04|Nobody has", 1},
		{repository.LabelRequest{Action: "update", Name: "needs <triage>", NewName: "triage", Color: "000000"}, "triage|000000|Nobody has", 1},
		{repository.LabelRequest{Action: "update", Name: "triage", Color: "000000"}, "triage|000000|Nobody has", 0},
		{repository.LabelRequest{Action: "update", Name: "triage", Description: ptr("")}, "triage|000000|", 1},
		{repository.LabelRequest{Action: "delete", Name: "Triage", Confirm: true}, "", 1},
	} {
		before := writes(github)
		got, err := service.ManageLabel(t.Context(), step.req)
		if err != nil {
			t.Fatalf("%+v: %v", step.req, err)
		}
		keepsContract(t, "manage_label", got)
		labels := list(t, service, repository.LabelsRequest{Limit: 100}).Labels
		at := slices.IndexFunc(labels, func(label repository.Label) bool { return strings.EqualFold(label.Name, got.Name) })
		if step.want == "" {
			if at >= 0 || got.Name != "triage" || got.Color != "000000" {
				t.Errorf("%+v: answer %+v", step.req, got)
			}
		} else if label := labels[at]; label.Name+"|"+label.Color+"|"+label.Description != step.want || got.Name+"|"+got.Color+"|"+got.Description != step.want {
			t.Errorf("%+v: answer %+v, GitHub has %+v", step.req, got, label)
		}
		if n := writes(github) - before; n != step.writes || strings.Contains(got.Message, "Nothing to do") != (n == 0) {
			t.Errorf("%+v: %d writes, want %d; %q", step.req, n, step.writes, got.Message)
		}
	}
}

func TestLabelsAreRefusedWithTheWayOut(t *testing.T) {
	service, github := open(t, sandbox.AdminToken)
	for name, test := range map[string]struct {
		req   repository.LabelRequest
		code  fault.Code
		words []string
	}{
		"one that exists":        {repository.LabelRequest{Action: "create", Name: "BUG"}, fault.ValidationFailed, []string{`\"bug\"`, "update"}},
		"a name that is taken":   {repository.LabelRequest{Action: "update", Name: "bug", NewName: "Design"}, fault.ValidationFailed, []string{`\"design\"`}},
		"an unknown one":         {repository.LabelRequest{Action: "update", Name: "secruity", Color: "000000"}, fault.NotFound, []string{`\"security\"`, "list_labels"}},
		"one to delete":          {repository.LabelRequest{Action: "delete", Name: "no such label anywhere", Confirm: true}, fault.NotFound, []string{"list_labels"}},
		"no colour":              {repository.LabelRequest{Action: "create", Name: "x", Color: "red"}, fault.InvalidArguments, []string{"color", "fbca04"}},
		"a short colour":         {repository.LabelRequest{Action: "create", Name: "x", Color: "#fff"}, fault.InvalidArguments, []string{"color"}},
		"a blank name":           {repository.LabelRequest{Action: "create", Name: " "}, fault.InvalidArguments, []string{"name"}},
		"nothing to change":      {repository.LabelRequest{Action: "update", Name: "bug"}, fault.MissingArguments, []string{"new_name"}},
		"a new name to create":   {repository.LabelRequest{Action: "create", Name: "x", NewName: "y"}, fault.InvalidArguments, []string{"new_name"}},
		"a colour to delete":     {repository.LabelRequest{Action: "delete", Name: "bug", Color: "000000"}, fault.InvalidArguments, nil},
		"too long a name":        {repository.LabelRequest{Action: "create", Name: strings.Repeat("x", 51)}, fault.ValidationFailed, []string{"50"}},
		"an unknown repository":  {repository.LabelRequest{Repo: ptr("octo-org/none"), Action: "create", Name: "x"}, fault.NotFoundOrNoAccess, nil},
		"a deletion unconfirmed": {repository.LabelRequest{Action: "delete", Name: "Bug"}, fault.ConfirmationRequired, []string{`"tool":"manage_label"`, `"confirm":true`, `"repo":"octo-org/hello"`, "open issues"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(list(t, service, repository.LabelsRequest{Limit: 100}).Labels)
			_, err := service.ManageLabel(t.Context(), test.req)
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Code != test.code {
				t.Fatalf("error is %v, want %s", err, test.code)
			}
			said, _ := json.Marshal(refusal.Public())
			for _, word := range test.words {
				if !strings.Contains(string(said), word) {
					t.Errorf("the refusal lacks %q: %s", word, said)
				}
			}
			if after := len(list(t, service, repository.LabelsRequest{Limit: 100}).Labels); after != before {
				t.Errorf("%d labels, were %d", after, before)
			}
		})
	}
	if n := writes(github); n != 1 { // the name that only GitHub finds too long
		t.Errorf("%d writes went out with refusals, want 1", n)
	}
}
