package awareness

import (
	"strings"
	"unicode"
)

// splitWords splits an identifier into lower-case words, whatever its style:
// since_comment_id, per-page, requireUnassigned, HTTPServerURL, issueIDs.
func splitWords(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(strings.ToValidUTF8(name, "_"))
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if i > 0 && startsWord(runes, i) {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// startsWord reports whether the letter case at i begins a new word: pageSize,
// HTTPServer (at the S), but not the plural s of URLs.
func startsWord(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	if i+1 >= len(runes) || !unicode.IsLower(runes[i+1]) {
		return false
	}
	pluralOfCapitals := runes[i+1] == 's' && (i+2 >= len(runes) || !unicode.IsLower(runes[i+2]))
	return !pluralOfCapitals
}

// singular is the singular of an English plural, good enough for parameter
// names; the second result says whether word was a plural.
func singular(word string) (string, bool) {
	stem, isPlural := strings.CutSuffix(word, "s")
	switch {
	case !isPlural || len(word) < 3 || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "u") || strings.HasSuffix(stem, "i"):
		return word, false
	case strings.HasSuffix(stem, "ie"):
		return stem[:len(stem)-2] + "y", true
	case strings.HasSuffix(stem, "che") || strings.HasSuffix(stem, "she") || strings.HasSuffix(stem, "xe"):
		return stem[:len(stem)-1], true
	}
	return stem, true
}
