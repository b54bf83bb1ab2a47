package trust

import "strings"

// The bounds of what is parsed. The parser's time grows with the square of
// these in texts that were made for it; what people write stays far below.
const (
	maxNesting  = 40          // quotes and lists inside each other
	maxBrackets = 500         // brackets inside each other
	maxScanning = 100_000_000 // bytes that it may look at more than once
)

// read parses a text in its form, which is Markdown or Line. It is nil for a
// text that takes too long, or that the parser breaks on: one comment must not
// make a whole thread unreadable.
func read(form Form, text string) *document {
	if !parsable(text) {
		return nil
	}
	return guarded(func() *document { return parse(form, text) })
}

func guarded(parse func() *document) (d *document) {
	defer func() {
		if recover() != nil {
			d = nil
		}
	}()
	return parse()
}

// parsable reports whether a text can be parsed in time that grows with its
// length. One that cannot was not written to be read.
func parsable(text string) bool {
	depth, scanning := 0, 0
	for _, opening := range []string{"]:", "<!", "<?"} { // what may go on to the end of a paragraph
		scanning += strings.Count(text, opening) * len(text)
	}
	for line := range strings.Lines(text) {
		if nesting(line) > maxNesting {
			return false
		}
		scanning += strings.Count(line, "](") * len(line)
		for i := range len(line) {
			switch line[i] {
			case '[':
				depth++
			case ']':
				depth = max(0, depth-1)
			}
			if depth > maxBrackets {
				return false
			}
		}
		if strings.TrimSpace(line) == "" {
			depth = 0 // no link goes beyond its paragraph
		}
	}
	return scanning <= maxScanning
}

// nesting counts the quote and list markers that a line starts with.
func nesting(line string) int {
	count := 0
	for {
		line = strings.TrimLeft(line, " \t")
		size := containerMarker(line)
		if size == 0 {
			return count
		}
		count++
		line = line[size:]
	}
}

// containerMarker is the length of the quote or list marker that a line starts
// with, 0 when it starts with none.
func containerMarker(line string) int {
	if strings.HasPrefix(line, ">") {
		return 1
	}
	size := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if size == len(line) || size > 9 {
		return 0
	}
	switch {
	case size > 0 && line[size] != '.' && line[size] != ')':
		return 0
	case size == 0 && strings.IndexByte("-+*", line[0]) < 0:
		return 0
	}
	size++
	if size < len(line) && strings.IndexByte(" \t\r\n", line[size]) < 0 {
		return 0
	}
	return size
}
