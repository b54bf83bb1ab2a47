package trust

import (
	"cmp"
	"slices"
	"strings"
)

// unreadable stands for a text that cannot be made safe without changing its
// code: it was written so that it reads differently once its links are gone.
const unreadable = "[WITHHELD: links and code cannot be told apart]"

// maxPasses bounds how often a text is gone over until nothing is left.
const maxPasses = 4

// defang takes the working links out of a text and makes its invisible
// characters visible:
//
//	[label](target), ![label](target)   label [QUARANTINED_URL: host]
//	<https://host/path>, bare addresses   [QUARANTINED_URL: host]
//	[reference]: target                   [reference]: [QUARANTINED_URL: host]
//	<a href="target">                     <a href="[QUARANTINED_URL: host]">
//	U+200B, and a run of such             [U+200B], [U+200B,U+200C,+7]
//
// Links to paths and fragments, which stay on their host, stay. Code is never
// changed, and twice is once. It checks its own work with
// the parser that found the links; a text that resists is withheld whole.
func defang(form Form, text string) string {
	if form == Source || text == "" {
		return text
	}
	before := read(form, text)
	document := before
	for range maxPasses {
		if document == nil || !sameCode(before, document) {
			return unreadable
		}
		defanged := document.defang()
		if defanged == document.source {
			return defanged
		}
		document = read(form, defanged)
	}
	return unreadable
}

func sameCode(a, b *document) bool {
	return slices.EqualFunc(a.code, b.code, func(x, y span) bool { return x.of(a.source) == y.of(b.source) })
}

// edit replaces a part of the source.
type edit struct {
	span
	text string
}

// defang is one pass.
func (d *document) defang() string {
	var edits []edit
	for _, link := range d.links {
		if !staysHere(link.target) {
			edits = append(edits, d.disarm(link)...)
		}
	}
	for _, address := range d.outsideCode(bareAddresses) {
		edits = append(edits, edit{address, d.quoted(address, quarantined(address.of(d.source)))})
	}
	for _, run := range hiddenRuns(d.source) {
		if !d.inCode(run.start) {
			edits = append(edits, edit{run.span, run.marker()})
		}
	}
	return apply(d.source, edits)
}

// disarm is how one link loses its target.
func (d *document) disarm(link link) []edit {
	marker := quarantined(link.target)
	switch link.form {
	case attribute:
		return []edit{{link.span, d.quoted(link.span, marker)}}
	case autolink, definition:
		return []edit{{link.span, marker}}
	}
	label := link.label.of(d.source)
	opening, closing := "", ""
	if opensBlock(label) && startsLine(d.source[:link.start]) {
		opening, closing = `\[`, `\]`
	}
	if label != "" {
		closing += " "
	}
	return []edit{
		{span{link.start, link.label.start}, opening},
		{span{link.label.end, link.end}, closing + marker},
	}
}

// quoted puts a marker that replaces an unquoted attribute value, and has a
// blank, between quotes.
func (d *document) quoted(at span, marker string) string {
	if at.start == 0 || d.source[at.start-1] != '=' {
		return marker
	}
	for _, part := range d.html {
		if at.start >= part.start && at.end <= part.end {
			return `"` + marker + `"`
		}
	}
	return marker
}

// startsLine reports whether nothing but markers of blocks stands between the
// line's start and the end of text.
func startsLine(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.Trim(line, " \t\r>-+*#.)0123456789") == ""
}

// opensBlock reports whether a text that comes to stand first on its line
// might start a heading, list, quote, fence, rule, table, definition, piece of
// HTML or code block.
func opensBlock(text string) bool {
	if text == "" {
		return false
	}
	digits := strings.TrimLeft(text, "0123456789")
	switch text[0] {
	case '`':
		return strings.HasPrefix(text, "```")
	case '*':
		return len(text) == 1 || strings.IndexByte(" \t\r\n", text[1]) >= 0
	}
	return strings.IndexByte("#>-+=~<|:[ \t\r\n\\", text[0]) >= 0 || digits != text && strings.HasPrefix(strings.TrimLeft(digits, ".)"), " ")
}

// outsideCode searches the parts of the source that are not code.
func (d *document) outsideCode(find func(string) []span) []span {
	var found []span
	at := 0
	search := func(to int) {
		if to <= at {
			return
		}
		for _, part := range find(d.source[at:to]) {
			found = append(found, span{at + part.start, at + part.end})
		}
	}
	for _, code := range d.code {
		search(code.start)
		at = max(at, code.end)
	}
	search(len(d.source))
	return found
}

// inCode reports whether a byte is part of code.
func (d *document) inCode(at int) bool {
	next, _ := slices.BinarySearchFunc(d.code, at, func(code span, at int) int { return cmp.Compare(code.end, at+1) })
	return next < len(d.code) && d.code[next].start <= at
}

// apply makes the edits; of two that overlap the one that starts first stays.
// A bracket that was put in is kept from what would make it a link again.
func apply(source string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out strings.Builder
	closed := false
	write := func(text string, closes bool) {
		if text == "" {
			return
		}
		if closed && strings.IndexByte("([:", text[0]) >= 0 {
			out.WriteByte(' ')
		}
		out.WriteString(text)
		closed = closes
	}
	at := 0
	for _, edit := range edits {
		if edit.start < at {
			continue
		}
		write(source[at:edit.start], false)
		write(edit.text, strings.HasSuffix(edit.text, "]"))
		at = edit.end
	}
	write(source[at:], false)
	return out.String()
}
