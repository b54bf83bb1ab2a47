package repository_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func TestOwners(t *testing.T) {
	service, github := open(t, sandbox.ReadToken)
	for typed, want := range map[string][]string{
		"":               {"octo-org", "octo-read"},
		"octo-a":         {"octo-org", "octo-read", "octo-admin"},
		"x user:someone": nil, // a qualifier is no login
	} {
		github.ResetRequests()
		got, err := service.Owners(t.Context(), typed)
		if err != nil {
			t.Errorf("%q: %v", typed, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
		if n := len(github.Requests()); n != min(1, len(want)) {
			t.Errorf("%q made %d requests", typed, n)
		}
	}
	homeless := connect(t, github.URL, settings{token: "", adjust: func(o *repository.Options) { o.Home.Owner, o.Home.Name = "", "" }})
	if _, err := homeless.Owners(t.Context(), ""); !fault.Is(err, fault.AuthRequired) {
		t.Errorf("without a token: %v", err)
	}
}

func TestNames(t *testing.T) {
	service, github := open(t, sandbox.AdminToken)
	for name, test := range map[string]struct {
		owner, typed string
		has          string
		none         bool
	}{
		"of the home's owner":     {"", "", "hello", false},
		"of an owner":             {"octo-org", "hel", "hello", false},
		"of an owner without any": {"octo-admin", "", "", true},
		"no such name":            {"octo-org", "zzz", "", true},
		"no login":                {"octo-org org:x", "", "", true},
		"no name":                 {"octo-org", "a b", "", true},
	} {
		got, err := service.Names(t.Context(), test.owner, test.typed)
		if err != nil || test.none && len(got) > 0 || !test.none && !slices.Contains(got, test.has) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	homeless := connect(t, github.URL, settings{token: sandbox.AdminToken, adjust: func(o *repository.Options) { o.Home.Owner, o.Home.Name = "", "" }})
	if got, err := homeless.Names(t.Context(), "", ""); err != nil || got != nil {
		t.Errorf("of nobody: %q, %v", got, err)
	}
}
