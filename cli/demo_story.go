package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// story tells what happens, for people; what a line has to say fits in 96
// columns. Its first error ends it.
type story struct {
	w        io.Writer
	colour   bool
	chapters int
	err      error
}

func (s *story) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

// The styles of a terminal.
const (
	bold  = "1"
	dim   = "2"
	green = "32"
	cyan  = "36"
)

// styled is text in a style, where there is colour.
func (s *story) styled(style, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// title begins the story.
func (s *story) title(text, below string) {
	s.printf("%s\n%s\n", s.styled(bold, text), s.styled(dim, below))
}

// chapter begins a numbered part.
func (s *story) chapter(format string, args ...any) {
	s.chapters++
	s.printf("\n%s\n", s.styled(bold, fmt.Sprintf("%d  %s", s.chapters, fmt.Sprintf(format, args...))))
}

func (s *story) say(format string, args ...any) {
	s.printf("   %s\n", fmt.Sprintf(format, args...))
}

// quote shows something verbatim.
func (s *story) quote(text string) {
	for line := range strings.Lines(text) {
		s.printf("     %s\n", s.styled(cyan, printableLine(strings.TrimRight(line, "\n"))))
	}
}

// labelWidth is the room for what a row of figures is about, rowWidth that of
// all of it.
const (
	labelWidth = 44
	rowWidth   = labelWidth + 10 + 14 + 14 + 11
)

// heads are the columns of figures.
func (s *story) heads() {
	s.printf("   %s\n", s.styled(dim, fmt.Sprintf("%-*s%10s%14s%14s%11s", labelWidth, "", "requests", "from GitHub", "to the agent", "tokens")))
}

// row is a line of figures.
func (s *story) row(label string, cost DemoCost) { s.styledRow("", label, cost) }

func (s *story) styledRow(style, label string, cost DemoCost) {
	row := fmt.Sprintf("%-*s%10s%14s%14s%11s", labelWidth, label,
		grouped(cost.Requests), size(cost.UpstreamBytes), size(cost.ResultBytes), about(cost.Tokens))
	if style != "" {
		row = s.styled(style, row)
	}
	s.printf("   %s\n", row)
}

// readerHeads are the columns of readers.
func (s *story) readerHeads() {
	s.printf("   %s\n", s.styled(dim, fmt.Sprintf("%-24s%7s%10s%13s%14s%10s%8s%9s",
		"reader", "texts", "requests", "from GitHub", "to the agent", "tokens", "missed", "re-read")))
}

// reader is a line about what an agent has read in all.
func (s *story) reader(r DemoReader) {
	row := fmt.Sprintf("%-24s%7s%10s%13s%14s%10s%8s%9s", r.Agent+", "+r.Way, grouped(r.Texts), grouped(r.Requests),
		size(r.UpstreamBytes), size(r.ResultBytes), about(r.Tokens), grouped(r.Missed), grouped(r.ReRead))
	if r.Missed == 0 && r.ReRead == 0 {
		row = s.styled(green, row)
	}
	s.printf("   %s\n", row)
}

// versus shows two ways to the same, and how much cheaper the first is.
func (s *story) versus(way, other DemoTotal) {
	s.printf("   %s\n", s.styled(bold, capital(way.Job)))
	s.styledRow(green, "  "+way.Way, way.DemoCost)
	s.row("  "+other.Way, other.DemoCost)
	fewer := "= " + times(other.Tokens, way.Tokens) + " times fewer tokens"
	s.printf("   %s\n", s.styled(bold, fmt.Sprintf("%*s", rowWidth, fewer)))
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// times is how many times b fits in a.
func times(a, b int) string {
	ratio := float64(a) / float64(max(b, 1))
	if ratio < 10 {
		return fmt.Sprintf("%.1f", ratio)
	}
	return grouped(int(ratio + 0.5))
}

// size is a number of bytes for people.
func size(bytes int) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 99_950:
		return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
	}
	return grouped((bytes+500)/1000) + " KB"
}

// about is an estimate, in as many digits as it deserves.
func about(tokens int) string {
	step := 1
	for tokens/step >= 1000 {
		step *= 10
	}
	return "~" + grouped((tokens+step/2)/step*step)
}

// grouped is a number with its thousands apart.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// count is a number of things.
func count(n int, thing, things string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + things
}
