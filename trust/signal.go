package trust

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is a kind of finding; the set is closed.
type Kind string

// The kinds. The first four are text that a page does not show; they are
// reported for every author, because colleagues paste what strangers wrote.
// The others are reported for authors who are not trusted.
const (
	ZeroWidth         Kind = "zero_width"         // characters that show nothing
	Bidi              Kind = "bidi"               // characters that change the direction of reading
	TagCharacters     Kind = "tag_characters"     // a second, invisible alphabet
	HTMLComment       Kind = "html_comment"       // text that a page leaves out
	LookalikeLink     Kind = "lookalike_link"     // the text names one host, the target is another
	DataImage         Kind = "data_image"         // an image whose address carries data
	AgentInstructions Kind = "agent_instructions" // a phrase aimed at a model that reads along
	Unreadable        Kind = "unreadable"         // markup so tangled that nobody would parse it
)

// Kinds are all kinds there are.
func Kinds() []Kind {
	return []Kind{ZeroWidth, Bidi, TagCharacters, HTMLComment, LookalikeLink, DataImage, AgentInstructions, Unreadable}
}

// hides reports whether the kind is text that a page does not show.
func (k Kind) hides() bool {
	switch k {
	case ZeroWidth, Bidi, TagCharacters, HTMLComment:
		return true
	}
	return false
}

// finding is a Signal without its place.
type finding struct {
	kind Kind
	note string
}

// inspect finds what is suspicious about a text, at most one finding of each
// kind. A note never repeats what is hidden.
func inspect(form Form, text string) []finding {
	found := inspectHidden(text)
	if form != Source && mayHaveMarkup(text) {
		found = append(found, inspectMarkup(read(form, text))...)
	}
	if phrase := agentPhrase(text); phrase != "" {
		found = append(found, finding{AgentInstructions, fmt.Sprintf("words for a model that reads along, such as %q", phrase)})
	}
	return found
}

func inspectHidden(text string) []finding {
	total := map[Kind]*hiddenRun{}
	for _, run := range hiddenRuns(text) {
		sum := total[run.kind]
		if sum == nil {
			total[run.kind] = &run
			continue
		}
		sum.count += run.count
		for _, r := range run.first {
			if len(sum.first) < shownPoints && !slices.Contains(sum.first, r) {
				sum.first = append(sum.first, r)
			}
		}
	}
	var found []finding
	for _, kind := range []Kind{ZeroWidth, Bidi, TagCharacters} {
		if sum := total[kind]; sum != nil {
			found = append(found, finding{kind, hiddenNote(kind, sum)})
		}
	}
	return found
}

func hiddenNote(kind Kind, sum *hiddenRun) string {
	points := codePoints(sum.first, ", ")
	switch kind {
	case Bidi:
		return fmt.Sprintf("%s of reading direction: %s", plural(sum.count, "control"), points)
	case TagCharacters:
		return fmt.Sprintf("%s, which spell out text that nobody sees", plural(sum.count, "tag character"))
	}
	return fmt.Sprintf("%s without anything to see: %s", plural(sum.count, "character"), points)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mayHaveMarkup spares plain texts the parser.
func mayHaveMarkup(text string) bool {
	for _, sign := range []string{"<", "](", "]:", "://", "www."} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// inspectMarkup finds what is in a document; nil is one that was not read.
func inspectMarkup(d *document) []finding {
	if d == nil {
		return []finding{{Unreadable, "markup so tangled that links and comments were not looked for"}}
	}
	var found []finding
	if comments := d.comments(); len(comments) > 0 {
		size := 0
		for _, comment := range comments {
			size += utf8.RuneCountInString(comment.of(d.source))
		}
		found = append(found, finding{HTMLComment, fmt.Sprintf("%s that a page leaves out: %s", plural(len(comments), "HTML comment"), plural(size, "character"))})
	}
	if note := lookalikes(d); note != "" {
		found = append(found, finding{LookalikeLink, note})
	}
	if note := dataImages(d); note != "" {
		found = append(found, finding{DataImage, note})
	}
	return found
}

// lookalikes describes the links that show one host and lead to another.
func lookalikes(d *document) string {
	count, first := 0, ""
	note := func(text string) {
		if count++; count == 1 {
			first = text
		}
	}
	for _, link := range d.links {
		if why := disguise(link.label.of(d.source), link.target); why != "" {
			note(why)
		}
	}
	for _, address := range d.outsideCode(bareAddresses) {
		if !inLink(d.links, address) {
			if why := disguise("", address.of(d.source)); why != "" {
				note(why)
			}
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", plural(count, "misleading link"), first)
}

// inLink reports whether an address is the target of a link that was looked at.
func inLink(links []link, address span) bool {
	for _, link := range links {
		if link.start > address.start {
			return false
		}
		shown := address.start >= link.label.start && address.end <= link.label.end
		if address.end <= link.end && !shown {
			return true
		}
	}
	return false
}

// disguise says how a link hides where it leads, or "".
func disguise(label, target string) string {
	to := withoutPort(host(target))
	if to == "" {
		return ""
	}
	if named := namedHost(label); named != "" && !sameSite(named, to) {
		return fmt.Sprintf("the text names %s, the target is %s", shownHost(named), shownHost(to))
	}
	if user := userPart(target); strings.Contains(user, ".") && !sameSite(user, to) {
		return fmt.Sprintf("the address starts with %s, the host is %s", shownHost(user), shownHost(to))
	}
	if mixesAlphabets(to) {
		return fmt.Sprintf("%s mixes Latin letters with others that look like them", shownHost(to))
	}
	return ""
}

func shownHost(host string) string { return cut(strings.Map(hostRune, host), 60) }

// sameSite reports whether two hosts are one, or one is below the other.
func sameSite(a, b string) bool {
	a, b = strings.TrimPrefix(a, "www."), strings.TrimPrefix(b, "www.")
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

// namedHost is the host that a link's text names, "" when it names none.
func namedHost(label string) string {
	label = withoutHidden(plainTarget([]byte(label)))
	for _, word := range strings.FieldsFunc(label, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>()[]\"'`*,", r) }) {
		word = strings.TrimRight(word, ".:;!?")
		if at := bareAddresses(word); len(at) > 0 {
			return withoutPort(host(at[0].of(word)))
		}
		name, _, _ := strings.Cut(word, "/")
		name = withoutPort(strings.ToLower(name))
		if looksLikeHost(name) {
			return name
		}
	}
	return ""
}

// looksLikeHost goes by the ending: main.go and README.md are files, and the
// endings of files are left out although some are domains, too.
func looksLikeHost(word string) bool {
	name, ending, found := cutLast(word, '.')
	if !found || name == "" || strings.ContainsFunc(word, func(r rune) bool { return !isHostRune(r) || r == '?' || r == '…' || r == ':' }) {
		return false
	}
	switch word {
	case "asp.net", "ado.net", "vb.net": // products
		return false
	}
	switch ending {
	case "com", "org", "net", "edu", "gov", "mil", "int", "io", "dev", "app", "co", "ai", "info", "biz", "xyz", "test", "example":
		return true
	}
	return false
}

func cutLast(text string, separator byte) (before, after string, found bool) {
	at := strings.LastIndexByte(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

// userPart is what stands before an @ in an address, in lower case.
func userPart(target string) string {
	_, rest, found := strings.Cut(target, "://")
	if !found {
		return ""
	}
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	user, _, found := cutLast(rest, '@')
	if !found {
		return ""
	}
	user, _, _ = strings.Cut(user, ":")
	return strings.ToLower(user)
}

// mixesAlphabets reports whether one label of a host has Latin letters beside
// Cyrillic or Greek ones.
func mixesAlphabets(host string) bool {
	for _, label := range strings.Split(host, ".") {
		latin, other := false, false
		for _, r := range label {
			latin = latin || unicode.Is(unicode.Latin, r)
			other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek)
		}
		if latin && other {
			return true
		}
	}
	return false
}

// longQuery is how long the query of an image's address is when it carries
// more than the picture's own settings.
const longQuery = 100

// dataImages describes the images whose address carries data: fetching one
// tells its server what is in it.
func dataImages(d *document) string {
	count, first := 0, ""
	for _, link := range d.links {
		if !link.image {
			continue
		}
		why := ""
		_, query, _ := strings.Cut(link.target, "?")
		if len(query) >= longQuery {
			why = fmt.Sprintf("%d bytes in the query, to %s", len(query), shownHost(host(link.target)))
		}
		if len(link.target) > 5 && strings.EqualFold(link.target[:5], "data:") {
			why = fmt.Sprintf("a data: address of %d bytes", len(link.target))
		}
		if why != "" {
			if count++; count == 1 {
				first = why
			}
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%s whose address carries data: %s", plural(count, "image"), first)
}
