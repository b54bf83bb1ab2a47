package listing

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"what fits stays":              {"Lists issues.", 13, "Lists issues."},
		"white space is folded":        {" Lists\n\t issues. ", 20, "Lists issues."},
		"an ellipsis goes":             {"Lists issues and more...", 40, "Lists issues and more"},
		"a whole sentence":             {"Lists the issues. Filters are many.", 25, "Lists the issues."},
		"not after a short sentence":   {"Go. Lists the issues of a repository.", 21, "Go. Lists the issues"},
		"not after an abbreviation":    {"Lists many kinds, e.g. issues and pulls.", 29, "Lists many kinds, e.g. issues"},
		"an ellipsis within goes too":  {"Lists issues... and much more of it", 16, "Lists issues"},
		"between words":                {"Lists issues newest first", 20, "Lists issues newest"},
		"at the end of a word":         {"Lists issues newest first", 19, "Lists issues newest"},
		"no comma at the end":          {"Lists issues, newest first", 15, "Lists issues"},
		"no leading word at the end":   {"Lists issues of the repository", 20, "Lists issues"},
		"no denial at the end":         {"Writes an issue, not a comment", 21, "Writes an issue"},
		"no opened bracket":            {"Lists issues (open ones, that is) first", 23, "Lists issues"},
		"closed brackets stay":         {"Lists (open) issues of everybody", 20, "Lists (open) issues"},
		"no opened quotation":          {"Sets the `state of` an issue", 18, "Sets"},
		"no blanks at all":             {strings.Repeat("é", 30), 10, strings.Repeat("é", 10)},
		"marks stay with their letter": {strings.Repeat("e\u0301", 30), 5, "e\u0301e\u0301"},
		"joined signs stay whole":      {strings.Repeat("👩\u200d💻", 10), 4, "👩\u200d💻"},
		"skin tones stay":              {strings.Repeat("👍🏽", 10), 3, "👍🏽"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := shorten(test.text, test.limit)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("Lists issues, newest first (open ones). And more...", 20)
	f.Add(strings.Repeat("👩\u200d💻é", 60), 160)
	f.Add("a `b", 2)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 1 || limit > 300 || !utf8.ValidString(text) {
			return
		}
		got := shorten(text, limit)
		if n := utf8.RuneCountInString(got); n > limit || !utf8.ValidString(got) {
			t.Errorf("%q cut to %d is %q, %d runes", text, limit, got, n)
		}
		if strings.HasSuffix(got, "...") || strings.HasSuffix(got, "…") {
			t.Errorf("%q cut to %d ends in an ellipsis: %q", text, limit, got)
		}
	})
}
