package trust_test

import (
	"fmt"
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

func TestParseMode(t *testing.T) {
	for value, want := range map[string]trust.Mode{"": trust.Mark, "mark": trust.Mark, "defang": trust.Defang, "lockdown": trust.Lockdown} {
		if got, err := trust.ParseMode(value); got != want || err != nil {
			t.Errorf("%q is %q, %v", value, got, err)
		}
	}
	if got, err := trust.ParseMode("Defang"); err == nil {
		t.Errorf("an unknown mode is %q", got)
	}
}

// post is a text with its author.
type post struct {
	Field, At, Level, Text string

	form   trust.Form
	author *trust.Author
}

type answer struct {
	posts   []*post
	summary trust.ContentTrust
}

func (a *answer) VisitTexts(visit func(trust.Text)) {
	for _, p := range a.posts {
		visit(trust.Text{Field: p.Field, At: p.At, Form: p.form, Author: p.author, Level: &p.Level, Value: &p.Text})
	}
}

func (a *answer) SetContentTrust(summary trust.ContentTrust) { a.summary = summary }

const hostile = "see <!-- x --> [github.com](https://evil.test)\u200b `https://code.test`"

// newAnswer is a stranger's title and body, the same by a member, a stranger's
// program text, and a label.
func newAnswer() *answer {
	stranger := &trust.Author{Login: "s", Association: "NONE"}
	member := &trust.Author{Login: "m", Association: "MEMBER"}
	return &answer{posts: []*post{
		{Field: "title", At: "title", Text: hostile, form: trust.Line, author: stranger},
		{Field: "body", At: "body", Text: hostile, author: stranger},
		{Field: "comments.body", At: "comment:1", Text: hostile, author: member},
		{Field: "diff", At: "file:a.go", Text: hostile, form: trust.Source, author: stranger},
		{Field: "labels", At: "labels", Text: hostile},
		{Field: "body", At: "comment:2", Text: "", author: stranger},
	}}
}

func TestModes(t *testing.T) {
	const defanged = "see <!-- x --> github.com [QUARANTINED_URL: evil.test] [U+200B] `https://code.test`"
	const withheld = "[WITHHELD: external author]"
	for mode, want := range map[trust.Mode]struct {
		texts       []string
		quarantined int
	}{
		"":             {[]string{hostile, hostile, hostile, hostile, hostile, ""}, 0},
		trust.Mark:     {[]string{hostile, hostile, hostile, hostile, hostile, ""}, 0},
		trust.Defang:   {[]string{defanged, defanged, hostile, hostile, hostile, ""}, 2},
		trust.Lockdown: {[]string{defanged, withheld, hostile, withheld, hostile, ""}, 3},
		"typo":         {[]string{defanged, withheld, hostile, withheld, hostile, ""}, 3}, // fails closed
	} {
		t.Run(string(mode), func(t *testing.T) {
			a := newAnswer()
			trust.Policy{Mode: mode}.Project(a).Summarize(a)
			var texts, levels []string
			for _, p := range a.posts {
				texts, levels = append(texts, p.Text), append(levels, p.Level)
			}
			if diff := cmp.Diff(want.texts, texts); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"external", "external", "member", "external", "", "external"}, levels); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
			if a.summary.Quarantined != want.quarantined {
				t.Errorf("%d texts quarantined, want %d", a.summary.Quarantined, want.quarantined)
			}
		})
	}
}

// TestRowsWithoutLevel: a list of titles shows no levels, and its authors are
// not more trusted for that.
func TestRowsWithoutLevel(t *testing.T) {
	text := "http://evil.test"
	row := row{text: trust.Text{Field: "title", At: "discussion:1", Form: trust.Line, Author: &trust.Author{Login: "s"}, Value: &text}}
	trust.Policy{Mode: trust.Lockdown}.Project(row)
	if text != "[QUARANTINED_URL: evil.test]" {
		t.Errorf("the title is %q", text)
	}
}

type row struct{ text trust.Text }

func (r row) VisitTexts(visit func(trust.Text)) { visit(r.text) }

func (row) SetContentTrust(trust.ContentTrust) {}

// TestSignals: what hides is reported for everybody, what misleads for those
// who are not trusted.
func TestSignals(t *testing.T) {
	a := newAnswer()
	trust.Policy{}.Project(a).Summarize(a)
	var got []string
	for _, s := range a.summary.Signals {
		got = append(got, s.At+" "+s.ID)
	}
	want := []string{
		"title zero_width", "title html_comment", "title lookalike_link",
		"body zero_width", "body html_comment", "body lookalike_link",
		"comment:1 zero_width", "comment:1 html_comment",
		"file:a.go zero_width",
		"labels zero_width", "labels html_comment",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("signals (-want +got):\n%s", diff)
	}
	if a.summary.SignalsTotal != len(want) || !a.summary.Projected || a.summary.Mode != trust.Mark {
		t.Errorf("the summary is %+v", a.summary)
	}
}

// TestSummaryIsOverWhatStayed: the answer is cut after it was projected, and a
// slice keeps what the whole text had.
func TestSummaryIsOverWhatStayed(t *testing.T) {
	a := newAnswer()
	projection := trust.Policy{Mode: trust.Lockdown}.Project(a)
	cut := &answer{posts: []*post{{Field: "body", At: "body", Text: "[WITH"}}}
	projection.Summarize(cut)
	if cut.summary.Quarantined != 1 || cut.summary.SignalsTotal != 3 {
		t.Errorf("the summary of the cut answer is %+v", cut.summary)
	}
	clean := &answer{}
	projection.Summarize(clean)
	want := trust.ContentTrust{Mode: trust.Lockdown, Projected: true, Signals: []trust.Signal{}}
	if diff := cmp.Diff(want, clean.summary); diff != "" {
		t.Errorf("the summary of nothing (-want +got):\n%s", diff)
	}
}

func TestSignalsAreBounded(t *testing.T) {
	a := &answer{}
	for i := range 30 {
		a.posts = append(a.posts, &post{Field: "body", At: fmt.Sprintf("comment:%d", i), Text: "\u200b"})
	}
	a.posts = append(a.posts, a.posts[0])
	trust.Policy{}.Project(a).Summarize(a)
	if len(a.summary.Signals) != trust.MaxSignals || a.summary.SignalsTotal != 31 {
		t.Errorf("%d signals of %d; a text that is shown twice counts by what was found in it", len(a.summary.Signals), a.summary.SignalsTotal)
	}
}
