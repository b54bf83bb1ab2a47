package trust

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/util"
)

// staysHere reports whether a link's target leads nowhere else: a path or a
// fragment on the page's own host. What a browser might take for more than
// that does not stay. A marker is where a target has been.
func staysHere(target string) bool {
	if length := markerLength(target); length > 0 && length == len(target) {
		return true
	}
	first, _, _ := strings.Cut(target, "?")
	first, _, _ = strings.Cut(first, "#")
	segment, _, _ := strings.Cut(first, "/")
	return !strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r == 0x7F || hiddenKind(r) != "" }) &&
		!strings.Contains(segment, ":") && !strings.Contains(target, "://") &&
		!strings.Contains(first, `\`) && !strings.HasPrefix(first, "//")
}

// plainTarget is a target with Markdown's escapes and entities resolved.
func plainTarget(raw []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(bytes.Clone(raw)))))
}

// maxHost is the longest host that is shown; DNS allows 253 characters, but a
// name of that length is there to be cut.
const maxHost = 100

// host is the host that a target leads to, in lower case, "" when it names
// none. It reads an address as browsers do, who forgive much.
func host(target string) string {
	target = strings.ReplaceAll(strings.Map(dropControls, target), `\`, "/")
	scheme, rest, found := strings.Cut(target, ":")
	switch {
	case found && isWebScheme(scheme):
		rest = strings.TrimLeft(rest, "/")
	case strings.HasPrefix(target, "//"):
		rest = strings.TrimLeft(target, "/")
	case found && strings.HasPrefix(rest, "//"):
		rest = rest[2:]
	case len(target) > 4 && strings.EqualFold(target[:4], "www."):
		rest = target
	default:
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	return strings.ToLower(strings.TrimSuffix(withoutHidden(rest), "."))
}

func isWebScheme(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "ftp")
}

// dropControls drops what browsers drop from an address.
func dropControls(r rune) rune {
	if r <= ' ' || r == 0x7F {
		return -1
	}
	return r
}

// withoutPort is a host without its port.
func withoutPort(host string) string {
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		return host[:colon]
	}
	return host
}

const quarantineStart = "[QUARANTINED_URL: "

// quarantined is what stands for a link to a target: the host, or for a
// target without one its scheme. Only characters that mean nothing in
// Markdown and HTML are let through.
func quarantined(target string) string {
	name := host(target)
	if name == "" {
		scheme, _, found := strings.Cut(strings.Map(dropControls, target), ":")
		if found && len(scheme) <= 20 && scheme != "" {
			name = strings.ToLower(scheme) + ":"
		}
	}
	name = cut(strings.Map(hostRune, name), maxHost)
	if name == "" {
		name = "unknown"
	}
	return quarantineStart + name + "]"
}

func hostRune(r rune) rune {
	switch {
	case isHostRune(r):
		return r
	case r == '[' || r == ']': // around IPv6
		return -1
	}
	return '?'
}

func isHostRune(r rune) bool {
	return r == '.' || r == '-' || r == ':' || r == '?' || r == '…' || r < 0x80 && isAlphanumeric(byte(r)) ||
		r >= 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) && hiddenKind(r) == ""
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// markerLength is the length of the marker that text starts with, 0 when it
// starts with none.
func markerLength(text string) int {
	rest, found := strings.CutPrefix(text, quarantineStart)
	if !found {
		return 0
	}
	end := strings.IndexByte(rest, ']')
	if end <= 0 || end > 4*maxHost || strings.ContainsFunc(rest[:end], func(r rune) bool { return !isHostRune(r) }) {
		return 0
	}
	return len(quarantineStart) + end + 1
}

// bareAddresses finds the addresses that stand in a text as they are. They
// become links on a page without any markup.
func bareAddresses(text string) []span {
	var found []span
	for at := 0; at < len(text); {
		if skip := markerLength(text[at:]); skip > 0 {
			at += skip
			continue
		}
		size := addressStart(text, at)
		if size == 0 {
			at++
			continue
		}
		end := addressEnd(text, at+size)
		found = append(found, span{at, end})
		at = end
	}
	return found
}

// addressStart is the length of the scheme, or of www., that starts there.
func addressStart(text string, at int) int {
	switch text[at] {
	case 'h', 'H', 'f', 'F', 'w', 'W':
	default:
		return 0
	}
	for _, start := range []string{"https://", "http://", "ftp://"} {
		if len(text)-at >= len(start) && strings.EqualFold(text[at:at+len(start)], start) {
			return len(start)
		}
	}
	const www = "www."
	inWord := at > 0 && isAlphanumeric(text[at-1])
	if !inWord && len(text)-at > len(www) && strings.EqualFold(text[at:at+len(www)], www) && isAlphanumeric(text[at+len(www)]) {
		return len(www)
	}
	return 0
}

// addressEnd is where an address ends whose scheme ends at from. It stops at
// everything that means something in Markdown or HTML, and leaves a
// sentence's own punctuation to the sentence.
func addressEnd(text string, from int) int {
	from += literalIPv6(text[from:])
	rest, open := text[from:], 0
	length := strings.IndexFunc(rest, func(r rune) bool {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		return open < 0 || r <= ' ' || strings.ContainsRune("<>\"`[]\\|", r) || unicode.IsSpace(r) || hiddenKind(r) != ""
	})
	if length < 0 {
		length = len(rest)
	}
	return trimSentence(text, from, from+length)
}

func literalIPv6(text string) int {
	if end := strings.IndexByte(text, ']'); strings.HasPrefix(text, "[") && end > 0 && end < 64 && strings.Trim(text[1:end], "0123456789abcdefABCDEF:.") == "" {
		return end + 1
	}
	return 0
}

func trimSentence(text string, from, end int) int {
	for end > from && strings.IndexByte(".,;:!?*_~'&", text[end-1]) >= 0 {
		end--
	}
	return end
}

// cut shortens text to n runes.
func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i] + "…"
		}
		n--
	}
	return text
}
