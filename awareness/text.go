package awareness

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// oneLine is s as valid UTF-8 without control characters, every run of white
// space one blank. A tool's text can then never start a line of its own.
func oneLine(s string) string {
	var out strings.Builder
	blank := false
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			blank = out.Len() > 0
			continue
		}
		if blank {
			out.WriteByte(' ')
			blank = false
		}
		out.WriteRune(r)
	}
	return out.String()
}

// cutRunes is s in at most limit runes, an ellipsis standing for what is gone.
func cutRunes(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + ellipsis
}

// cutWords is cutRunes that ends on a whole word where there is one.
func cutWords(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	head := []rune(s)[:limit] // one more than may stay: a blank there means the word before is whole
	kept := string(head[:limit-1])
	if i := strings.LastIndexByte(string(head), ' '); i > 0 {
		kept = string(head)[:i]
	}
	return strings.TrimRight(kept, " ,;:.–—-") + ellipsis
}

// abbreviations end in a dot that ends no sentence.
var abbreviations = map[string]bool{
	"e.g.": true, "i.e.": true, "eg.": true, "ie.": true, "vs.": true, "cf.": true, "approx.": true, "incl.": true,
	"excl.": true, "resp.": true, "no.": true, "nr.": true, "fig.": true, "max.": true, "min.": true, "mr.": true,
	"mrs.": true, "dr.": true, "st.": true, "viz.": true, "esp.": true, "ca.": true,
}

// sentenceEnd is the byte offset just after the first sentence of s, len(s)
// when there is only one. s is one line.
func sentenceEnd(s string) int {
	for i, r := range s {
		after := i + utf8.RuneLen(r)
		switch {
		case r == '。' || r == '！' || r == '？':
			return after
		case r != '.' && r != '!' && r != '?':
			continue
		}
		after += len(s[after:]) - len(strings.TrimLeft(s[after:], `"'”’)]`+"`"))
		if endsHere(s[:i+1], s[after:]) {
			return after
		}
	}
	return len(s)
}

// endsHere reports whether the mark that ends head also ends a sentence, given
// what follows it.
func endsHere(head, rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] != ' ' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[1:])
	if unicode.IsLower(next) {
		return false
	}
	last := head[strings.LastIndexByte(head, ' ')+1:]
	last = strings.ToLower(strings.TrimLeft(last, `"'“‘([`+"`"))
	numbering := last == head && strings.Trim(last, "0123456789.") == "" // "1. First"
	return !abbreviations[last] && !numbering
}

// shortText is what a roster says of a tool: the first sentence of its text, or
// the first two where both fit into limit runes; a longer one is cut on a word.
func shortText(text string, limit int) string {
	paragraph, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n\n")
	line := withoutMarks(oneLine(paragraph))
	end := sentenceEnd(line)
	if rest := strings.TrimLeft(line[end:], " "); rest != "" {
		second := len(line) - len(rest) + sentenceEnd(rest)
		if utf8.RuneCountInString(line[:second]) <= limit {
			end = second
		}
	}
	return cutWords(line[:end], limit)
}

// withoutMarks drops the Markdown marks of a heading, list or quotation that
// line starts with.
func withoutMarks(line string) string {
	for {
		first, rest, found := strings.Cut(line, " ")
		if !found || strings.Trim(first, "#*->•") != "" {
			return line
		}
		line = rest
	}
}

// capitalized is s with its first letter in upper case.
func capitalized(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// listed joins items as English does: "a", "a or b", "a, b or c".
func listed(items []string, conjunction string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " " + conjunction + " " + items[last]
}
