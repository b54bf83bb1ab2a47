package ref

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// defaultHost is where GitHub's pages are unless a Web says otherwise.
const defaultHost = "github.com"

// Web says which host pasted URLs may have. The zero value is github.com.
type Web struct {
	Host    string // a host, with or without port; "" is github.com
	AnyHost bool   // accept every host, as with a sandbox or a tunnel
}

// ParseThreadURL reads the URL of an issue, a pull request or a discussion,
// with or without an anchor. Blanks around it do not count.
func (w Web) ParseThreadURL(value string) (Thread, bool) {
	value = strings.TrimSpace(value)
	if !isURL(value) {
		return Thread{}, false
	}
	thread, _, err := w.parseURL(value)
	return thread, err == nil
}

// isURL reports whether the value means to be a web address.
func isURL(value string) bool {
	scheme, _, found := strings.Cut(value, "://")
	return found && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// parseURL splits a URL into the thread its path names and its fragment, less
// any query that was appended behind the fragment.
func (w Web) parseURL(value string) (Thread, string, error) {
	u, err := url.Parse(value)
	if err != nil || u.User != nil || u.Hostname() == "" {
		return Thread{}, "", errors.New("the URL is not well-formed")
	}
	if host := w.hostname(); !w.AnyHost && !strings.EqualFold(u.Hostname(), host) {
		return Thread{}, "", fmt.Errorf("the URL's host is not %s", host)
	}
	// The escaped path: an encoded slash is no separator, and no name needs one.
	thread, ok := parsePath(u.EscapedPath())
	if !ok {
		return Thread{}, "", errors.New("the URL's path is not that of an issue, a pull request or a discussion")
	}
	fragment, _, _ := strings.Cut(u.Fragment, "?")
	return thread, fragment, nil
}

// hostname is the expected host without its port: a port tells how a page was
// reached, not which site it belongs to.
func (w Web) hostname() string {
	if w.Host == "" {
		return defaultHost
	}
	return (&url.URL{Host: w.Host}).Hostname()
}

// parsePath reads /OWNER/REPO/KIND/N and /orgs/ORG/discussions/N, and below a
// pull request's number the pages that show comments.
func parsePath(path string) (Thread, bool) {
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
	if len(parts) < 4 {
		return Thread{}, false
	}
	repo, repoOK := pathRepo(parts[0], parts[1])
	kind, kindOK := pathKinds[parts[2]]
	n, numberOK := number(parts[3], 32)
	if !repoOK || !kindOK || !numberOK || repo.Name == "" && kind != Discussion || !validTail(kind, parts[4:]) {
		return Thread{}, false
	}
	return Thread{Repo: repo, Kind: kind, Number: int(n)}, true
}

var pathKinds = map[string]Kind{"discussions": Discussion, "issues": Issue, "pull": PullRequest}

func pathRepo(owner, name string) (Repo, bool) {
	if owner == "orgs" {
		return Repo{Owner: name}, validOwner(name)
	}
	return Repo{Owner: owner, Name: name}, validOwner(owner) && validName(name)
}

// validTail reports whether what follows the number is one of a pull request's
// tabs: files, changes or commits, each with an optional commit or range.
func validTail(kind Kind, tail []string) bool {
	if len(tail) == 0 {
		return true
	}
	if kind != PullRequest || len(tail) > 2 {
		return false
	}
	switch tail[0] {
	case "files", "changes", "commits":
	default:
		return false
	}
	return len(tail) == 1 || validRange(tail[1])
}

func validRange(s string) bool {
	from, to, ranged := strings.Cut(s, "..")
	return consistsOf(from, isHex) && (!ranged || consistsOf(to, isHex))
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
