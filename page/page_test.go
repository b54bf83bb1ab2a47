package page_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
)

type position struct {
	After  string `json:"a"`
	Offset int    `json:"o,omitempty"`
}

func TestCursorOpensOnlyWhereItWasSealed(t *testing.T) {
	here := page.Bind("list_discussions", "octo-org/hello", "open")
	want := position{After: "Y3Vyc29y", Offset: 7}
	cursor := here.Seal(want)

	var got position
	if err := here.Open(cursor, &got); err != nil || got != want {
		t.Fatalf("Open(Seal(%v)) = %v, %v", want, got, err)
	}
	elsewhere := map[string]page.Binding{
		"another tool":       page.Bind("list_labels", "octo-org/hello", "open"),
		"another repository": page.Bind("list_discussions", "octo-org/other", "open"),
		"another filter":     page.Bind("list_discussions", "octo-org/hello", "closed"),
		"joined parts":       page.Bind("list_discussions", "octo-org/hello\x00open"),
	}
	for name, binding := range elsewhere {
		if err := binding.Open(cursor, &got); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: Open = %v, want INVALID_ARGUMENTS", name, err)
		}
	}
}

func TestAlteredCursorsAreRefused(t *testing.T) {
	binding := page.Bind("tool")
	cursor := binding.Seal(position{After: "abc"})
	for i := range cursor {
		altered := []byte(cursor)
		altered[i] = 'A' + (altered[i]+1)%26
		if string(altered) == cursor {
			continue
		}
		var got position
		if err := binding.Open(string(altered), &got); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("character %d changed: Open = %v, want INVALID_ARGUMENTS", i, err)
		}
	}
	for _, foreign := range []string{"", "x", "Y3Vyc29yOnYyOpHOAA==", strings.Repeat("A", 5000), cursor + "A"} {
		var got position
		if err := binding.Open(foreign, &got); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("Open(%.20q) = %v, want INVALID_ARGUMENTS", foreign, err)
		}
	}
}

// words is an answer of texts, the smallest Bounded there can be.
type words struct {
	page.Head
	Words  []string `json:"words"`
	Offset int      `json:"offset,omitempty"`
	Sum    int      `json:"sum"` // set by finish
}

func (w *words) Items() int { return len(w.Words) }

func (w *words) Keep(n int) any {
	cut := *w
	cut.Words = w.Words[:n]
	cut.Count = n
	if n < len(w.Words) {
		cut.Continues("after "+string(rune('0'+n)), nil)
	}
	return &cut
}

func (w *words) Slice(n int) any {
	text := page.CutText(w.Words[0], n)
	if text == "" {
		return nil
	}
	cut := *w
	cut.Words = []string{text}
	cut.Continues("inside", nil)
	return &cut
}

func count(answer any) {
	w := answer.(*words)
	w.Sum = len(w.Words)
}

func TestFitKeepsWholeItems(t *testing.T) {
	answer := &words{Words: []string{strings.Repeat("a", 50), strings.Repeat("b", 50), strings.Repeat("<", 50)}}
	whole, err := page.Fit(answer, 1000, count)
	if err != nil || !strings.Contains(string(whole), "<<<") {
		t.Fatalf("Fit = %s, %v; want everything, unescaped", whole, err)
	}
	for max := len(whole); max >= 150; max-- {
		data, err := page.Fit(answer, max, count)
		if err != nil {
			t.Fatalf("Fit(%d): %v", max, err)
		}
		var got words
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if len(data) > max {
			t.Fatalf("Fit(%d) gave %d bytes", max, len(data))
		}
		if got.Sum != len(got.Words) || got.Truncated != (len(got.Words) < 3) {
			t.Fatalf("Fit(%d): head and items disagree: %s", max, data)
		}
	}
}

func TestFitSlicesOneLargeItemBetweenCharacters(t *testing.T) {
	answer := &words{Words: []string{strings.Repeat("é", 500), "next"}}
	for max := 140; max < 200; max++ {
		data, err := page.Fit(answer, max, count)
		if err != nil {
			t.Fatalf("Fit(%d): %v", max, err)
		}
		var got words
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		slice := got.Words[0]
		if len(data) > max || len(data) < max-3 || !utf8.ValidString(slice) || !strings.HasPrefix(answer.Words[0], slice) {
			t.Errorf("Fit(%d) = %d bytes %q", max, len(data), slice)
		}
	}
}

func TestFitSaysWhenNothingFits(t *testing.T) {
	answer := &words{Words: []string{"aaaa", "bbbb"}}
	for _, answer := range []any{answer, map[string]string{"a": "bbbb"}} {
		if _, err := page.Fit(answer, 5, func(any) {}); !fault.Is(err, fault.TooLarge) {
			t.Errorf("Fit(%T, 5) = %v, want TOO_LARGE", answer, err)
		}
	}
}

func TestCutText(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"héllo", 1, "h"}, {"héllo", 2, "h"}, {"héllo", 3, "hé"}, {"héllo", 99, "héllo"},
		{"é", 1, ""}, {"é", 0, ""}, {"é", -1, ""}, {"", 3, ""},
	} {
		if got := page.CutText(test.text, test.n); got != test.want {
			t.Errorf("CutText(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}
