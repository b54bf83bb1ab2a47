package trust_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

func TestLevelOf(t *testing.T) {
	policy := trust.Policy{TrustedLogins: []string{"@Octo-Agent[bot]", " helper "}}
	for _, test := range []struct {
		name   string
		author trust.Author
		want   trust.Level
	}{
		{"the owner", trust.Author{Login: "octo-admin", Association: "OWNER"}, trust.Owner},
		{"a member", trust.Author{Login: "octo-a", Association: "MEMBER"}, trust.Member},
		{"a collaborator", trust.Author{Login: "octo-a", Association: "COLLABORATOR"}, trust.Collaborator},
		{"the viewer", trust.Author{Login: "me", Association: "NONE", IsViewer: true}, trust.Self},
		{"an app the operator named", trust.Author{Login: "octo-agent[bot]", Association: "NONE"}, trust.Trusted},
		{"a login the operator named, in another case", trust.Author{Login: "HELPER", Association: "NONE"}, trust.Trusted},
		{"a contributor", trust.Author{Login: "c", Association: "CONTRIBUTOR"}, trust.Contributor},
		{"a first-timer", trust.Author{Login: "f", Association: "FIRST_TIME_CONTRIBUTOR"}, trust.External},
		{"a stranger", trust.Author{Login: "s", Association: "NONE"}, trust.External},
		{"an association that is not known", trust.Author{Login: "s", Association: "EMPEROR"}, trust.External},
		{"a deleted account", trust.Author{Association: "OWNER"}, trust.Unknown},
		{"the ghost", trust.Author{Login: "ghost", Association: "OWNER"}, trust.Unknown},
		{"GitHub did not say", trust.Author{Login: "s"}, trust.Unknown},
	} {
		if got := policy.LevelOf(test.author); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestUnknownLevelsAreNotTrusted(t *testing.T) {
	for _, level := range []trust.Level{trust.Contributor, trust.External, trust.Unknown, "", "root"} {
		if level.IsTrusted() {
			t.Errorf("%q is trusted", level)
		}
	}
	if !trust.Self.IsTrusted() || !trust.Owner.IsTrusted() {
		t.Error("self and owner have to be trusted")
	}
}

type answer struct {
	author, level, text string
	summary             trust.ContentTrust
}

func (a *answer) VisitTexts(visit func(trust.Text)) {
	visit(trust.Text{At: "body", Author: &trust.Author{Login: a.author, Association: "MEMBER"}, Level: &a.level, Value: &a.text})
}

func (a *answer) SetContentTrust(summary trust.ContentTrust) { a.summary = summary }

func TestProjectMarksAndLeavesTheTextAlone(t *testing.T) {
	a := &answer{author: "octo-a", text: "if a<b && c>d"}
	trust.Policy{}.Project(a).Summarize(a)
	want := &answer{author: "octo-a", level: "member", text: "if a<b && c>d",
		summary: trust.ContentTrust{Mode: trust.Mark, Projected: true, Signals: []trust.Signal{}}}
	if diff := cmp.Diff(want, a, cmp.AllowUnexported(answer{})); diff != "" {
		t.Errorf("projected answer (-want +got):\n%s", diff)
	}
}
