// Package trust says whose text an answer holds and what is suspicious about
// it. What strangers write is data: the projection marks it, in one place, for
// every answer.
//
// It promises to be a pure function that fails closed: an author it cannot
// place is unknown, and unknown is not trusted.
package trust

import "strings"

// Mode says what happens to texts of authors who are not trusted.
type Mode string

// Mark leaves every text byte-identical and reports what is suspicious.
const Mark Mode = "mark"

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
	Field  string  // the property in the contract, as comments.nodes.body
	At     string  // where it stands, as comment:ID
	Author *Author // nil: maintained by the repository, as a label's name
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

// Projection is what was found in one answer. It outlives the cutting of the
// answer: Summarize counts only what stayed.
type Projection struct {
	mode Mode
}

// Project sets the level of every author of the answer.
func (p Policy) Project(answer Carrier) Projection {
	answer.VisitTexts(func(text Text) {
		if text.Author != nil && text.Level != nil {
			*text.Level = string(p.LevelOf(*text.Author))
		}
	})
	return Projection{mode: p.mode()}
}

// Summarize puts the summary over the texts that the answer now holds into it.
func (p Projection) Summarize(answer Carrier) {
	answer.SetContentTrust(ContentTrust{Mode: p.mode, Projected: true, Signals: []Signal{}})
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
