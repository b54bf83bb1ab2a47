package graphql

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// document is an executable document of one operation, read just far enough to
// take selections out of it. Positions are byte offsets into text.
type document struct {
	text      string
	mutation  bool
	variables []variable
	header    span // the parentheses around the variables; empty without any
	root      selection
}

// span is the half-open range of text from start to end.
type span struct{ start, end int }

// variable is the definition of one variable.
type variable struct {
	name string
	span
}

// selection is a field or an inline fragment, or the operation itself.
type selection struct {
	span          // from the alias or the name to the end of the selection set
	head     span // of a field: alias and name
	parent   *selection
	children []*selection

	name     string // of a field
	key      string // its alias, else its name
	fragment bool
	on       string // the type it is known to be: of the operation, or of a fragment's condition
}

var errSyntax = errors.New("not a document of one operation")

// maxDepth bounds the nesting that is read.
const maxDepth = 100

// parse reads a document.
func parse(text string) (*document, error) {
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	d := &document{text: text}
	if p.operation(d); !p.failed && p.peek().kind == atEnd {
		return d, nil
	}
	return nil, errSyntax
}

// parser is a recursive descent over the tokens. After a syntax error it only
// sees the end.
type parser struct {
	tokens []token // the last one is atEnd
	at     int
	failed bool
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != atEnd {
		p.at++
	}
	return t
}

func (p *parser) fail() {
	p.failed = true
	p.at = len(p.tokens) - 1
}

// accept takes the next token if it is the punctuator or keyword text.
func (p *parser) accept(text string) bool {
	if t := p.peek(); t.kind != atEnd && t.kind != literal && t.text == text {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail()
	}
}

func (p *parser) name() token {
	t := p.next()
	if t.kind != name {
		p.fail()
	}
	return t
}

// end is where the token before the next one ends.
func (p *parser) end() int {
	if p.at == 0 {
		return 0
	}
	return p.tokens[p.at-1].end
}

func (p *parser) operation(d *document) {
	d.root.on = "Query"
	if p.peek().kind == name {
		switch p.next().text {
		case "query":
		case "mutation":
			d.mutation, d.root.on = true, "Mutation"
		default:
			p.fail()
			return
		}
		if p.peek().kind == name {
			p.next()
		}
		p.variableDefinitions(d)
		p.directives()
	}
	p.selectionSet(&d.root, 0)
}

func (p *parser) variableDefinitions(d *document) {
	start := p.peek().start
	if !p.accept("(") {
		return
	}
	for !p.failed && !p.accept(")") {
		v := variable{span: span{start: p.peek().start}}
		p.expect("$")
		v.name = p.name().text
		p.expect(":")
		p.typeRef(0)
		if p.accept("=") {
			p.value(0)
		}
		p.directives()
		v.end = p.end()
		d.variables = append(d.variables, v)
	}
	d.header = span{start, p.end()}
}

func (p *parser) typeRef(depth int) {
	if depth > maxDepth {
		p.fail()
		return
	}
	if p.accept("[") {
		p.typeRef(depth + 1)
		p.expect("]")
	} else {
		p.name()
	}
	p.accept("!")
}

// value skips one value.
func (p *parser) value(depth int) {
	if depth > maxDepth {
		p.fail()
		return
	}
	switch {
	case p.accept("$"):
		p.name()
	case p.accept("["):
		for !p.failed && !p.accept("]") {
			p.value(depth + 1)
		}
	case p.accept("{"):
		for !p.failed && !p.accept("}") {
			p.name()
			p.expect(":")
			p.value(depth + 1)
		}
	case p.peek().kind == name, p.peek().kind == literal:
		p.next()
	default:
		p.fail()
	}
}

func (p *parser) arguments() {
	if !p.accept("(") {
		return
	}
	for !p.failed && !p.accept(")") {
		p.name()
		p.expect(":")
		p.value(0)
	}
}

func (p *parser) directives() {
	for p.accept("@") {
		p.name()
		p.arguments()
	}
}

func (p *parser) selectionSet(parent *selection, depth int) {
	p.expect("{")
	if depth > maxDepth {
		p.fail()
	}
	for !p.failed && !p.accept("}") {
		s := &selection{parent: parent, span: span{start: p.peek().start}}
		if p.accept("...") {
			p.inlineFragment(s, depth)
		} else {
			p.field(s, depth)
		}
		s.end = p.end()
		parent.children = append(parent.children, s)
	}
	if len(parent.children) == 0 {
		p.fail()
	}
}

// inlineFragment reads what follows the dots. Named fragments are not read,
// because githubv4 writes none.
func (p *parser) inlineFragment(s *selection, depth int) {
	s.fragment = true
	s.on = s.parent.on
	if p.accept("on") {
		s.on = p.name().text
	}
	p.directives()
	p.selectionSet(s, depth+1)
}

func (p *parser) field(s *selection, depth int) {
	s.name = p.name().text
	s.key = s.name
	if p.accept(":") {
		s.name = p.name().text
	}
	s.head = span{s.start, p.end()}
	p.arguments()
	p.directives()
	if p.peek().kind == punctuator && p.peek().text == "{" {
		p.selectionSet(s, depth+1)
	}
}

// fields are all fields below s, in document order.
func (s *selection) fields() []*selection {
	var all []*selection
	for _, child := range s.children {
		if !child.fragment {
			all = append(all, child)
		}
		all = append(all, child.fields()...)
	}
	return all
}

// path is where the field's value is in a response, indexes left out.
func (s *selection) path() []any {
	if s.parent == nil {
		return nil
	}
	path := s.parent.path()
	if !s.fragment {
		path = append(path, s.key)
	}
	return path
}

// offsets are the byte offsets that a location may mean: engines count columns
// in bytes or in characters.
func (d *document) offsets(l location) [2]int {
	start, text := 0, strings.ReplaceAll(d.text, "\r\n", " \n")
	for line := 1; line < l.Line; line++ {
		i := strings.IndexAny(text[start:], "\n\r")
		if i < 0 {
			return [2]int{-1, -1}
		}
		start += i + 1
	}
	bytes, runes := start+l.Column-1, start
	for column := 1; column < l.Column && runes < len(d.text); column++ {
		_, size := utf8.DecodeRuneInString(d.text[runes:])
		runes += size
	}
	return [2]int{bytes, runes}
}
