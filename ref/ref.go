// Package ref reads the ways people and agents name a repository, a thread or
// a comment, and says what each spelling means. It promises to be pure and
// total: nothing is looked up, nothing is corrected, no input makes it panic,
// and what it does not understand is refused with the forms it would take.
package ref

import (
	"strconv"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// GitHub's own bounds on names, in characters.
const (
	maxOwner = 39
	maxName  = 100
)

// Repo is a repository's address. The zero value means that none is known; a
// Repo with an owner alone is an organization, as in the URL of its discussions.
type Repo struct{ Owner, Name string }

// String is the address as owner/name.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// IsZero reports whether neither owner nor name is known.
func (r Repo) IsZero() bool { return r == Repo{} }

// Equal compares as GitHub does, without regard to letter case.
func (r Repo) Equal(other Repo) bool {
	return strings.EqualFold(r.Owner, other.Owner) && strings.EqualFold(r.Name, other.Name)
}

// ParseRepo reads a repo argument: "name" is a repository of home's owner,
// "owner/name" is exactly that one. The value is never trimmed or corrected.
// Anything else fails with REPOSITORY_TARGET_INVALID and the detail
// rejectedRepo, the value cut at 200 runes.
func ParseRepo(value string, home Repo) (Repo, error) {
	owner, name, exact := strings.Cut(value, "/")
	if !exact {
		owner, name = home.Owner, value
	}
	if !validName(name) || exact && !validOwner(owner) {
		return Repo{}, rejectRepo(value, "is neither a repository's name nor owner/name").
			WithFix(`Give repo as "owner/name" or "name", exactly as GitHub spells it, without blanks around it and .git at its end, or leave it out for the home repository.`)
	}
	if owner == "" {
		return Repo{}, rejectRepo(value, "has no owner, and no home repository is configured to take it from").
			WithFix(`Write the owner too, as in "owner/%s".`, name)
	}
	return Repo{Owner: owner, Name: name}, nil
}

func rejectRepo(value, reason string) *fault.Error {
	return fault.New(fault.RepositoryTargetInvalid, "repo %s %s", quote(value, 80), reason).
		With("rejectedRepo", cut(strings.ToValidUTF8(value, "\uFFFD"), 200))
}

func validOwner(s string) bool {
	return len(s) <= maxOwner && consistsOf(s, func(c byte) bool { return isAlphanumeric(c) || c == '-' || c == '_' })
}

// validName: an address for git ends in .git, a name on GitHub never does.
func validName(s string) bool {
	return len(s) <= maxName && s != "." && s != ".." && !strings.HasSuffix(strings.ToLower(s), ".git") &&
		consistsOf(s, func(c byte) bool { return isAlphanumeric(c) || c == '-' || c == '_' || c == '.' })
}

// Kind is what a thread hangs on.
type Kind string

// The kinds of threads.
const (
	Discussion  Kind = "discussion"
	Issue       Kind = "issue"
	PullRequest Kind = "pull_request"
)

// Thread is a conversation's address. GitHub forwards between issue and pull
// request URLs, so a Kind of issue read from a URL may turn out to be a pull
// request. Repo.Name is "" when a URL names an organization's discussion.
type Thread struct {
	Repo   Repo
	Kind   Kind
	Number int
}

// String is the thread's address as owner/name#number.
func (t Thread) String() string { return t.Repo.String() + "#" + strconv.Itoa(t.Number) }

// consistsOf reports whether s is not empty and every byte of it passes.
func consistsOf(s string, pass func(byte) bool) bool {
	for i := range len(s) {
		if !pass(s[i]) {
			return false
		}
	}
	return s != ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isAlphanumeric(c byte) bool { return isDigit(c) || isUpper(c) || 'a' <= c && c <= 'z' }

// number reads a positive decimal of at most the given bits, sign included. A
// sign, a leading zero or anything but digits is refused.
func number(s string, bits int) (int64, bool) {
	if !consistsOf(s, isDigit) || s[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, bits)
	return n, err == nil
}

// quote shows a caller's value in a message: cut, and with everything
// invisible escaped.
func quote(value string, runes int) string { return strconv.Quote(cut(value, runes)) }

func cut(value string, runes int) string {
	count := 0
	for i := range value {
		if count == runes {
			return value[:i] + "…"
		}
		count++
	}
	return value
}
