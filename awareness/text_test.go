package awareness

import (
	"strings"
	"testing"
)

func TestShortText(t *testing.T) {
	long := strings.Repeat("word ", 60)
	tests := []struct{ name, text, want string }{
		{"one sentence", "Reads a file.", "Reads a file."},
		{"first two sentences", "Reads a file. As text. And more.", "Reads a file. As text."},
		{"the second does not fit", "Reads a file. W" + long + ".", "Reads a file."},
		{"an abbreviation is no end", "Reads a file, e.g. A text. Then stops. Never more.", "Reads a file, e.g. A text. Then stops."},
		{"an abbreviation in brackets", "Cuts (i.e. Shortens) it. Really. So.", "Cuts (i.e. Shortens) it. Really."},
		{"lower case goes on", "Takes .md files etc. and reads them. Good. Bad.", "Takes .md files etc. and reads them. Good."},
		{"no blank, no end", "Uses v1.2 of api.example. Fine. Third.", "Uses v1.2 of api.example. Fine."},
		{"a numbered start", "1. Read it. Then go. Stop.", "1. Read it. Then go."},
		{"question and quotation", `Asks "why?" Answers. Third.`, `Asks "why?" Answers.`},
		{"no full stop stays so", "Reads a file", "Reads a file"},
		{"no double dot", "Reads...", "Reads..."},
		{"first paragraph only", "Reads a file\n\nArguments:\n- path", "Reads a file"},
		{"Markdown marks go", "## Reads a file.\n", "Reads a file."},
		{"a glob stays", "*.go files are read.", "*.go files are read."},
		{"lines are folded", "Reads\n\ta   file.", "Reads a file."},
		{"full-width stops", "ファイルを読む。次に書く。終わり。", "ファイルを読む。次に書く。"},
		{"cut on a word", long, strings.TrimSpace(strings.Repeat("word ", 24)) + "…"},
		{"one endless word", strings.Repeat("x", 300), strings.Repeat("x", 119) + "…"},
		{"nothing", " \n ", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := shortText(test.text, ShortLimit); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestCutWordsKeepsAWordThatJustFits(t *testing.T) {
	if got := cutWords("alpha beta gamma", 11); got != "alpha beta…" {
		t.Errorf("got %q", got)
	}
	if got := cutWords("alpha, beta", 7); got != "alpha…" {
		t.Errorf("a comma before the ellipsis stays: %q", got)
	}
}

func TestOneLine(t *testing.T) {
	if got := oneLine(" a\x00b\u2028c\r\n\xffd "); got != "a b c \uFFFDd" {
		t.Errorf("got %q", got)
	}
}
