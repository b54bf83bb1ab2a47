package trust

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hiddenRun is a run of characters of one kind that a page does not show.
type hiddenRun struct {
	span
	kind  Kind
	count int
	first []rune // the first few different ones
}

const shownPoints = 4

// hiddenRuns finds the characters that a page does not show. Joiners and
// variation selectors that belong to the character before them, as in an
// emoji or in Persian, are not among them.
func hiddenRuns(text string) []hiddenRun {
	var runs []hiddenRun
	previous := rune(0)
	for at := 0; at < len(text); {
		if c := text[at]; c >= ' ' && c < 0x7F {
			previous = rune(c)
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		kind := hiddenKind(r)
		if kind == "" || belongs(previous, r, text[at+size:]) {
			previous = r
			at += size + flagTags(r, text[at+size:])
			continue
		}
		previous = 0
		if last := len(runs) - 1; last >= 0 && runs[last].end == at && runs[last].kind == kind {
			runs[last].add(r, size)
		} else {
			runs = append(runs, hiddenRun{span: span{at, at + size}, kind: kind, count: 1, first: []rune{r}})
		}
		at += size
	}
	return runs
}

func (h *hiddenRun) add(r rune, size int) {
	h.end += size
	h.count++
	if len(h.first) < shownPoints && !slices.Contains(h.first, r) {
		h.first = append(h.first, r)
	}
}

// marker makes a run visible. It holds no blank, so that it stays one word
// wherever it stands.
func (h *hiddenRun) marker() string {
	more := ""
	if rest := h.count - len(h.first); rest > 0 {
		more = fmt.Sprintf(",+%d", rest)
	}
	return "[" + codePoints(h.first, ",") + more + "]"
}

func codePoints(runes []rune, between string) string {
	names := make([]string, len(runes))
	for i, r := range runes {
		names[i] = fmt.Sprintf("%U", r)
	}
	return strings.Join(names, between)
}

// hiddenKind is the kind of finding that a character is, "" for one that can
// be seen.
func hiddenKind(r rune) Kind {
	switch {
	case strings.ContainsRune("\t\n\v\f\r", r):
		return ""
	case r >= 0xE0000 && r <= 0xE007F:
		return TagCharacters
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		return Bidi
	case unicode.IsControl(r), isSelector(r), isBlankLetter(r):
		return ZeroWidth
	case unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return ZeroWidth
	}
	return ""
}

// isBlankLetter reports characters that count as letters or marks and show
// nothing.
func isBlankLetter(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2065:
		return true
	}
	return false
}

func isSelector(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF }

const (
	nonJoiner = 0x200C
	joiner    = 0x200D
)

// belongs reports whether a hidden character does its work there: one selector
// behind a character that has variants, one joiner between two that join.
func belongs(previous, r rune, rest string) bool {
	switch {
	case r == joiner || r == nonJoiner:
		next, _ := utf8.DecodeRuneInString(rest)
		return previous >= 0x80 && next >= 0x80 && next != utf8.RuneError && hiddenKind(next) == ""
	case r >= 0xE0100 && r <= 0xE01EF:
		return unicode.Is(unicode.Han, previous)
	case r == 0xFE0E || r == 0xFE0F:
		return strings.ContainsRune("0123456789#*", previous) && previous != 0 || hasVariants(previous)
	case isSelector(r):
		return hasVariants(previous)
	}
	return false
}

func hasVariants(r rune) bool { return r >= 0x80 && hiddenKind(r) == "" }

// flagTags is how many bytes of tags belong to a flag: those of England,
// Scotland and Wales are spelled with them.
func flagTags(r rune, rest string) int {
	if r != 0x1F3F4 {
		return 0
	}
	for _, region := range []string{"gbeng", "gbsct", "gbwls"} {
		if tags := tagged(region) + string(rune(0xE007F)); strings.HasPrefix(rest, tags) {
			return len(tags)
		}
	}
	return 0
}

// tagged spells text in tag characters.
func tagged(text string) string {
	return strings.Map(func(r rune) rune { return 0xE0000 + r }, text)
}

// withoutHidden is text as a page shows it.
func withoutHidden(text string) string {
	runs := hiddenRuns(text)
	if len(runs) == 0 {
		return text
	}
	var shown strings.Builder
	at := 0
	for _, run := range runs {
		shown.WriteString(text[at:run.start])
		at = run.end
	}
	shown.WriteString(text[at:])
	return shown.String()
}
