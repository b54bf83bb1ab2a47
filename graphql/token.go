package graphql

import "strings"

// tokenKind is what a token is.
type tokenKind int

const (
	atEnd tokenKind = iota
	punctuator
	name
	literal // a number or a string
)

// token is a lexical token; text is as written.
type token struct {
	kind tokenKind
	text string
	span
}

// tokenize splits a document into tokens; the last one is atEnd. Blanks,
// commas, comments and the byte order mark separate tokens and are left out.
func tokenize(text string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(text); {
		length, kind := measure(text[at:])
		if length == 0 {
			return nil, errSyntax
		}
		if kind != atEnd {
			tokens = append(tokens, token{kind, text[at : at+length], span{at, at + length}})
		}
		at += length
	}
	return append(tokens, token{span: span{len(text), len(text)}}), nil
}

// measure is the length and kind of the token that text begins with; atEnd is
// the kind of what is left out, and length 0 means that there is no token.
func measure(text string) (int, tokenKind) {
	switch c := text[0]; {
	case strings.HasPrefix(text, "\uFEFF"):
		return len("\uFEFF"), atEnd
	case strings.IndexByte(" \t\n\r,", c) >= 0:
		return 1, atEnd
	case c == '#':
		return lengthUntil(text, "\n\r"), atEnd
	case strings.HasPrefix(text, "..."):
		return 3, punctuator
	case strings.IndexByte("!$&():=@[]{|}", c) >= 0:
		return 1, punctuator
	case c == '"':
		return measureString(text), literal
	case letter(c):
		return lengthOf(text, func(c byte) bool { return letter(c) || digit(c) }), name
	case c == '-' && len(text) > 1 && digit(text[1]), digit(c):
		return 1 + lengthOf(text[1:], func(c byte) bool { return letter(c) || digit(c) || strings.IndexByte("+-.", c) >= 0 }), literal
	}
	return 0, atEnd
}

// measureString is the length of the string or block string that text begins
// with; 0 when it does not end.
func measureString(text string) int {
	if strings.HasPrefix(text, `"""`) {
		for at := 3; at < len(text); at++ {
			switch {
			case strings.HasPrefix(text[at:], `\"""`):
				at += 3
			case strings.HasPrefix(text[at:], `"""`):
				return at + 3
			}
		}
		return 0
	}
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		case '\n', '\r':
			return 0
		}
	}
	return 0
}

func lengthUntil(text, stop string) int {
	if i := strings.IndexAny(text, stop); i >= 0 {
		return i
	}
	return len(text)
}

func lengthOf(text string, belongs func(byte) bool) int {
	for i := range len(text) {
		if !belongs(text[i]) {
			return i
		}
	}
	return len(text)
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }
