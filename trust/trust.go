// Package trust says whose text an answer holds and what is suspicious about
// it. What strangers write is data: the projection marks it, in one place, for
// every answer.
//
// It promises to be a pure function that fails closed: an author it cannot
// place is unknown, and unknown is not trusted. The text of a trusted author
// and code are the same bytes before and after, in every mode. What it says
// about a text it finds with a Markdown parser, in time that grows with the
// text's length, whatever a stranger wrote.
package trust

import (
	"fmt"
	"strings"
)

// Mode says what happens to texts of authors who are not trusted.
type Mode string

// The modes, from the mildest. In all of them what is suspicious is reported.
const (
	Mark     Mode = "mark"     // every text is byte-identical
	Defang   Mode = "defang"   // links lose their targets, hidden characters become visible
	Lockdown Mode = "lockdown" // texts are withheld, and titles defanged
)

// ParseMode reads a mode; "" is Mark.
func ParseMode(value string) (Mode, error) {
	switch mode := Mode(value); mode {
	case "":
		return Mark, nil
	case Mark, Defang, Lockdown:
		return mode, nil
	}
	return "", fmt.Errorf("unknown trust mode %q; there are mark, defang and lockdown", value)
}

// Form is how a text is written.
type Form int

// The forms. A title is read as GitHub shows it, as one line without blocks:
// blanks before it make no code of it.
const (
	Markdown Form = iota // a body
	Line                 // a title; metadata, so that lockdown does not withhold it
	Source               // program text, as a diff: code as a whole
)

// Level is how far an author is trusted in a repository.
type Level string

// The levels. Contributor, External and Unknown are not trusted.
const (
	Owner        Level = "owner"
	Member       Level = "member"
	Collaborator Level = "collaborator"
	Self         Level = "self"        // the viewer's own text
	Trusted      Level = "trusted"     // named by the operator
	Contributor  Level = "contributor" // has contributed before
	External     Level = "external"
	Unknown      Level = "unknown" // a deleted account, or GitHub did not say
)

// IsTrusted reports whether texts of that level are taken as a colleague's.
func (l Level) IsTrusted() bool {
	switch l {
	case Owner, Member, Collaborator, Self, Trusted:
		return true
	}
	return false
}

// Author is who wrote a text, as GitHub tells it.
type Author struct {
	Login       string // "" or ghost: a deleted account
	Association string // GitHub's authorAssociation
	IsViewer    bool   // the token's own account
}

// Text is one authored text of an answer.
type Text struct {
	Field  string // the property in the contract, as comments.nodes.body
	At     string // where it stands, as comment:ID
	Form   Form
	Author *Author // nil: maintained by the repository, as a label's name; never altered
	Level  *string // where the author's level is written; may be nil
	Value  *string // the text, projected in place
}

// Carrier is an answer that holds authored texts.
type Carrier interface {
	// VisitTexts shows every authored text of the answer.
	VisitTexts(visit func(Text))
	// SetContentTrust puts the summary into the answer.
	SetContentTrust(ContentTrust)
}

// Signal is one finding.
type Signal struct {
	At   string `json:"at"`
	ID   string `json:"id"`
	Note string `json:"note"`
}

// ContentTrust is the summary over exactly the texts of one answer.
type ContentTrust struct {
	Mode         Mode     `json:"mode"`
	Projected    bool     `json:"projected"` // always true: "clean" is not "not looked at"
	Quarantined  int      `json:"quarantined"`
	Signals      []Signal `json:"signals"`
	SignalsTotal int      `json:"signalsTotal"`
}

// Policy is whom to trust and what to do with the others.
type Policy struct {
	Mode          Mode
	TrustedLogins []string
}

// MaxSignals is how many findings a summary lists.
const MaxSignals = 20

// Projection is what was found in one answer. It outlives the cutting of the
// answer: Summarize counts only what stayed.
type Projection struct {
	mode  Mode
	texts map[place]*record
}

// place tells the texts of an answer apart. Texts that share one, as the names
// of labels do, share a record.
type place struct{ field, at string }

// record is what the projection knows of the texts in one place.
type record struct {
	findings    []finding
	quarantined int
}

// Project sets the level of every author of the answer, reports what is
// suspicious in every text, and alters the texts of authors who are not
// trusted as the mode says.
func (p Policy) Project(answer Carrier) Projection {
	projection := Projection{mode: p.mode(), texts: map[place]*record{}}
	answer.VisitTexts(func(text Text) {
		at := place{text.Field, text.At}
		if projection.texts[at] == nil {
			projection.texts[at] = &record{}
		}
		p.project(text, projection.texts[at])
	})
	return projection
}

func (p Policy) project(text Text, into *record) {
	level, trusted := Level(""), true
	if text.Author != nil {
		level = p.LevelOf(*text.Author)
		trusted = level.IsTrusted()
		if text.Level != nil {
			*text.Level = string(level)
		}
	}
	for _, found := range inspect(text.Form, *text.Value) {
		if found.kind.hides() || !trusted {
			into.findings = append(into.findings, found)
		}
	}
	if trusted {
		return
	}
	if altered := p.mode().alter(text.Form, level, *text.Value); altered != *text.Value {
		*text.Value = altered
		into.quarantined++
	}
}

// alter is what the mode makes of an untrusted text. A mode that does not
// exist withholds.
func (m Mode) alter(form Form, level Level, text string) string {
	switch {
	case m == Mark || text == "":
		return text
	case m == Defang || form == Line:
		return defang(form, text)
	}
	return fmt.Sprintf("[WITHHELD: %s author]", level)
}

// Summarize puts the summary over the texts that the answer now holds into it.
// A slice of a text keeps the findings of the whole.
func (p Projection) Summarize(answer Carrier) {
	summary := ContentTrust{Mode: p.mode, Projected: true, Signals: []Signal{}}
	seen := map[place]bool{}
	answer.VisitTexts(func(text Text) {
		at := place{text.Field, text.At}
		record := p.texts[at]
		if seen[at] || record == nil {
			return
		}
		seen[at] = true
		summary.Quarantined += record.quarantined
		summary.SignalsTotal += len(record.findings)
		for _, found := range record.findings {
			if len(summary.Signals) < MaxSignals {
				summary.Signals = append(summary.Signals, Signal{At: text.At, ID: string(found.kind), Note: found.note})
			}
		}
	})
	answer.SetContentTrust(summary)
}

// LevelOf places an author.
func (p Policy) LevelOf(author Author) Level {
	login := strings.ToLower(strings.TrimSpace(author.Login))
	switch {
	case login == "" || login == "ghost":
		return Unknown
	case author.Association == "OWNER":
		return Owner
	case author.Association == "MEMBER":
		return Member
	case author.Association == "COLLABORATOR":
		return Collaborator
	case author.IsViewer:
		return Self
	case p.names(login):
		return Trusted
	case author.Association == "CONTRIBUTOR":
		return Contributor
	case author.Association == "":
		return Unknown
	}
	return External
}

func (p Policy) names(login string) bool {
	for _, trusted := range p.TrustedLogins {
		if strings.EqualFold(strings.TrimPrefix(strings.TrimSpace(trusted), "@"), login) {
			return true
		}
	}
	return false
}

func (p Policy) mode() Mode {
	if p.Mode == "" {
		return Mark
	}
	return p.Mode
}
