package trust

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// span is a part of a text, in bytes.
type span struct{ start, end int }

func (s span) of(text string) string { return text[s.start:s.end] }

// linkForm is how a link is written.
type linkForm int

const (
	labelled   linkForm = iota // [label](target), [label][reference], and images
	autolink                   // <target>
	definition                 // [reference]: target; the span is the target's
	attribute                  // href="target" in HTML; the span is the value's
)

// link is a link as it stands in the source.
type link struct {
	span
	form   linkForm
	label  span   // what a reader sees; empty when that is the target
	target string // with escapes and entities resolved
	image  bool
}

// document is what matters of a Markdown text. The parser knows what is code
// and what is a link; this package never guesses.
type document struct {
	source string
	code   []span // contents of code spans and blocks, in order
	links  []link // in the order of their starts
	html   []span
}

// newParsers makes the parsers of texts and of titles. Emphasis decides nothing
// about links and code, so it is not parsed. GitHub shows a title as
// one paragraph.
var newParsers = sync.OnceValue(func() map[Form]parser.Parser {
	inline := parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(locator{parser.NewLinkParser()}, 200),
		util.Prioritized(locator{parser.NewAutoLinkParser()}, 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
	)
	return map[Form]parser.Parser{
		Markdown: parser.NewParser(inline, parser.WithBlockParsers(parser.DefaultBlockParsers()...),
			parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
				util.Prioritized(extension.NewTableParagraphTransformer(), 200))...)),
		Line: parser.NewParser(inline, parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 100))),
	}
})

// parse reads a text in its form, which is Markdown or Line.
func parse(form Form, source string) *document {
	d := &document{source: source}
	bytes := []byte(source)
	root := newParsers()[form].Parse(text.NewReader(bytes))
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // no visit fails
		if entering {
			d.visit(node)
		}
		return ast.WalkContinue, nil
	})
	for _, part := range d.html {
		d.links = append(d.links, attributeLinks(source, part)...)
	}
	slices.SortFunc(d.code, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	slices.SortStableFunc(d.links, func(a, b link) int { return cmp.Compare(a.start, b.start) })
	return d
}

func (d *document) visit(node ast.Node) {
	switch node := node.(type) {
	case *located:
		d.links = append(d.links, node.link)
	case *ast.LinkReferenceDefinition:
		d.define(node)
	case *ast.CodeBlock:
		d.addCode(node.Lines())
	case *ast.FencedCodeBlock:
		if node.Info != nil {
			d.code = append(d.code, span{node.Info.Segment.Start, node.Info.Segment.Stop})
		}
		d.addCode(node.Lines())
	case *ast.CodeSpan:
		for child := node.FirstChild(); child != nil; child = child.NextSibling() {
			if part, ok := child.(*ast.Text); ok {
				d.code = append(d.code, span{part.Segment.Start, part.Segment.Stop})
			}
		}
	case *ast.RawHTML:
		d.addHTML(node.Segments)
	case *ast.HTMLBlock:
		lines := node.Lines()
		if node.HasClosure() {
			lines = text.NewSegments()
			lines.AppendAll(node.Lines().Sliced(0, node.Lines().Len()))
			lines.Append(node.ClosureLine)
		}
		d.addHTML(lines)
	}
}

func (d *document) addCode(lines *text.Segments) {
	for i := range lines.Len() {
		line := lines.At(i)
		d.code = append(d.code, span{line.Start, line.Stop})
	}
}

func (d *document) addHTML(parts *text.Segments) {
	if parts.Len() > 0 {
		d.html = append(d.html, span{parts.At(0).Start, parts.At(parts.Len() - 1).Stop})
	}
}

// define adds the target of a reference definition. The parser gives its text
// and where the definition starts; between the two stand the name and blanks.
func (d *document) define(node *ast.LinkReferenceDefinition) {
	from := node.Pos()
	colon := closingBracket(d.source[from:])
	offset := strings.Index(d.source[from+colon:], string(node.Destination))
	if offset < 0 || len(node.Destination) == 0 {
		return
	}
	start := from + colon + offset
	at := span{start, start + len(node.Destination)}
	if start > 0 && d.source[start-1] == '<' && at.end < len(d.source) && d.source[at.end] == '>' {
		at = span{at.start - 1, at.end + 1}
	}
	d.links = append(d.links, link{span: at, form: definition, target: plainTarget(node.Destination)})
}

// closingBracket is where ]: stands, with no backslash before it.
func closingBracket(text string) int {
	for i := 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == ']' && text[i+1] == ':':
			return i + 2
		}
	}
	return 0
}

// located is a link with its place. It is no ast.Link: the parser refuses a
// link around a link, and that rule must not hide the outer one, which
// becomes a link when the inner one is taken away.
type located struct {
	ast.BaseInline
	link
}

var kindLocated = ast.NewNodeKind("LocatedLink")

// Kind and Dump make it a node.
func (*located) Kind() ast.NodeKind { return kindLocated }

// Dump prints the node for debugging.
func (l *located) Dump(source []byte, level int) { ast.DumpHelper(l, source, level, nil, nil) }

// locator notes where the links that its parser finds start and end.
type locator struct{ parser.InlineParser }

// Parse parses one link.
func (l locator) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, before := block.Position()
	node := l.InlineParser.Parse(parent, block, pc)
	_, after := block.Position()
	found := &located{link: link{form: labelled}}
	source := block.Source()
	switch node := node.(type) {
	case *ast.Link:
		found.label = span{node.Pos() + len("["), before.Start}
		found.target = plainTarget(node.Destination)
	case *ast.Image:
		found.image = true
		found.label = span{node.Pos() + len("!["), before.Start}
		found.target = plainTarget(node.Destination)
	case *ast.AutoLink:
		found.form = autolink
		found.target = string(node.URL(source))
		found.span = span{before.Start, before.Start + len("<>") + len(node.Label(source))}
		return found
	default:
		return node
	}
	found.span = span{node.Pos(), after.Start}
	adopt(found, node)
	return found
}

// CloseBlock ends a paragraph.
func (l locator) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := l.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}

func adopt(parent, from ast.Node) {
	for child := from.FirstChild(); child != nil; {
		next := child.NextSibling()
		from.RemoveChild(from, child)
		parent.AppendChild(parent, child)
		child = next
	}
}
