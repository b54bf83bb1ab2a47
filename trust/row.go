package trust

// Row is one row of a list: an authored title, and the body when it is there.
type Row struct {
	List   string // the property that holds the rows
	At     string
	Author *Author
	Level  *string // where the author's level is written; may be nil
	Title  *string
	Body   *string // nil: not asked for
}

// Visit shows the row's title and body.
func (r Row) Visit(visit func(Text)) {
	text := Text{At: r.At, Author: r.Author, Level: r.Level}
	text.Field, text.Form, text.Value = r.List+".title", Line, r.Title
	visit(text)
	if r.Body != nil {
		text.Field, text.Form, text.Value = r.List+".body", Markdown, r.Body
		visit(text)
	}
}

// VisitNames shows names in the row that the repository maintains.
func (r Row) VisitNames(visit func(Text), field string, names []string) {
	for i := range names {
		r.VisitName(visit, field, &names[i])
	}
}

// VisitName shows one such name.
func (r Row) VisitName(visit func(Text), field string, name *string) {
	visit(Text{Field: r.List + "." + field, At: r.At, Value: name})
}
