package listing

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

// description is the listed line of a tool, of at most limit runes: what was
// written for the list, else what the contract says about it, cut to fit. The
// scenario follows only where all of it fits.
func description(tool *contract.Tool, limit int) string {
	details := tool.Details()
	line := fold(details.Summary)
	if line == "" {
		line = shorten(derived(tool), limit)
	}
	if scenario := fold(details.Scenario); scenario != "" {
		if longer := sentence(line) + " " + scenario; utf8.RuneCountInString(longer) <= limit {
			return longer
		}
	}
	return line
}

func derived(tool *contract.Tool) string {
	if tool.Title != tool.Name {
		return tool.Title
	}
	return cmp.Or(tool.Details().Description, tool.Title)
}

// sentence ends a text with a mark, so that another can follow.
func sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// shorten cuts a text to at most limit runes: after the last sentence that
// fits, else after the last word that can stand at an end. There is no
// ellipsis: what is missing stands in the handbook, for every tool.
func shorten(text string, limit int) string {
	text = withoutEllipsis(fold(text))
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	head := string([]rune(text)[:limit])
	if end := lastSentence(text, len(head)); end > 0 {
		return withoutEllipsis(text[:end])
	}
	return tidy(wholeWords(text, head))
}

// withoutEllipsis takes trailing dots away, but for the one that ends a
// sentence.
func withoutEllipsis(text string) string {
	bare := strings.TrimRight(text, ".… ")
	if text == bare+"." {
		return text
	}
	return bare
}

// lastSentence is where the last whole sentence within size bytes ends, 0
// when it would leave less than half of what fits.
func lastSentence(text string, size int) int {
	for end := size; end > size/2; end-- {
		if text[end] == ' ' && strings.ContainsAny(text[end-1:end], ".!?") && !isAbbreviation(lastWord(text[:end])) {
			return end
		}
	}
	return 0
}

// isAbbreviation reports a stop that ends no sentence, as in "e.g.".
func isAbbreviation(word string) bool {
	return strings.Contains(strings.TrimRight(word, ".!?"), ".") || slices.Contains([]string{"vs.", "etc.", "no."}, word)
}

// wholeWords drops a word that head has only a part of. A text without blanks
// is cut inside, but not between a letter and the marks that belong to it.
func wholeWords(text, head string) string {
	if text[len(head)] == ' ' {
		return head
	}
	if i := strings.LastIndexByte(head, ' '); i > 0 {
		return head[:i]
	}
	for rest := text[len(head):]; head != ""; rest = text[len(head):] {
		next, _ := utf8.DecodeRuneInString(rest)
		last, size := utf8.DecodeLastRuneInString(head)
		if !joins(next) && last != joiner {
			break
		}
		head = head[:len(head)-size]
	}
	return head
}

const joiner = '\u200d' // makes one sign of two, as in family emoji

// joins reports whether r belongs to the sign before it.
func joins(r rune) bool {
	return r == joiner || unicode.Is(unicode.M, r) || r >= 0x1F3FB && r <= 0x1F3FF
}

// tidy takes away what cannot stand at an end: punctuation, an opened bracket
// or quotation, and words that only lead to the next one.
func tidy(text string) string {
	for {
		shorter := withoutEllipsis(strings.TrimRightFunc(text, dangles))
		shorter = closeBrackets(shorter)
		if last := lastWord(shorter); slices.Contains(leading(), strings.ToLower(last)) && last != shorter {
			shorter = shorter[:len(shorter)-len(last)]
		}
		if shorter == text {
			return text
		}
		text = shorter
	}
}

func dangles(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(",;:–—-([{/&+=<>…", r)
}

// closeBrackets cuts before a bracket or quotation that is opened last and not
// closed.
func closeBrackets(text string) string {
	for _, pair := range []string{"()", "[]", "{}"} {
		if open := strings.LastIndexByte(text, pair[0]); open > strings.LastIndexByte(text, pair[1]) && open > 0 {
			text = text[:open]
		}
	}
	for _, mark := range []string{"`", `"`} {
		if i := strings.LastIndex(text, mark); i > 0 && strings.Count(text, mark)%2 == 1 {
			text = text[:i]
		}
	}
	return text
}

func lastWord(text string) string { return text[strings.LastIndexByte(text, ' ')+1:] }

// leading are the words that promise another one.
func leading() []string {
	return []string{"a", "an", "the", "and", "or", "nor", "but", "of", "to", "in", "on", "at", "by", "for", "from", "with",
		"without", "as", "if", "is", "are", "not", "no", "its", "that", "which", "when", "than", "per", "via", "only", "each",
		"has", "have", "can", "may", "will", "this", "into", "under", "after", "before", "between", "every", "all", "any", "so", "then", "where", "whose", "be"}
}
