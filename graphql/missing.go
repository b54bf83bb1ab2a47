package graphql

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// UnknownField is the Type of the note about a field that was left out of the
// document because this GitHub does not know it.
const UnknownField = "UNKNOWN_FIELD"

// maxRounds bounds how often one operation is sent.
const maxRounds = 12

// request is the body of a GraphQL request.
type request struct {
	Query     string                     `json:"query"`
	Variables map[string]json.RawMessage `json:"variables,omitempty"`
}

// converse sends the document, and sends it again without the fields that
// GitHub says it does not know. A document that is refused that way was not
// executed, so this repeats no write.
func (t *envelopes) converse(req *http.Request, body []byte) (*http.Response, envelope, error) {
	var sent request
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, envelope{}, fault.New(fault.Internal, "the GraphQL request is not JSON").WithCause(err)
	}
	whole := sent.Query
	now := t.reductions.of(whole)
	for round := 1; ; round++ {
		if now.query != whole {
			var err error
			if body, err = now.apply(sent); err != nil {
				return nil, envelope{}, err
			}
		}
		resp, env, err := t.post(req, body)
		if err != nil {
			return nil, envelope{}, err
		}
		smaller, ok := now.without(env)
		if !ok || round == maxRounds {
			if !ok && now.query != whole && env.executed() {
				t.reductions.keep(whole, now)
			}
			env.Errors = append(env.Errors, now.notes...)
			return resp, env, nil
		}
		now = smaller
	}
}

// executed reports whether the document passed validation.
func (e envelope) executed() bool { return len(e.Data) > 0 }

// reduction is a document without the fields that GitHub does not know, and a
// note about each.
type reduction struct {
	query string
	notes []wireError
}

// apply is the body of the request with the document reduced, and without the
// variables that it no longer declares.
func (r reduction) apply(sent request) ([]byte, error) {
	d, err := parse(r.query)
	if err != nil {
		return nil, fault.New(fault.Internal, "the reduced GraphQL document is broken").WithCause(err)
	}
	reduced := request{Query: r.query, Variables: map[string]json.RawMessage{}}
	for _, v := range d.variables {
		if value, given := sent.Variables[v.name]; given {
			reduced.Variables[v.name] = value
		}
	}
	return json.Marshal(reduced)
}

// without is r less the fields that the envelope's errors name. It is false
// when there is nothing to take out, or when that would leave a hole: an object
// without fields, or a mutation that is not done.
func (r reduction) without(env envelope) (reduction, bool) {
	if isObject, _ := look(env.Data); isObject {
		return r, false
	}
	d, err := parse(r.query)
	if err != nil || d.mutation && env.executed() {
		return r, false
	}
	gone := map[*selection]bool{}
	notes := slices.Clone(r.notes)
	for _, e := range env.Errors {
		unknown, is := unknownFieldOf(e)
		if !is {
			continue
		}
		for _, s := range d.meant(unknown, e) {
			if !gone[s] {
				gone[s] = true
				notes = append(notes, unknown.note(s))
			}
		}
	}
	query, ok := d.reduce(gone)
	return reduction{query, notes}, ok
}

// unknownField is a field that a type of this GitHub's does not have.
type unknownField struct{ typeName, field string }

var unknownFieldTexts = []*regexp.Regexp{
	regexp.MustCompile(`^Field '(?<field>\w+)' doesn't exist on type '(?<type>\w+)'`),
	regexp.MustCompile(`^Cannot query field "(?<field>\w+)" on type "(?<type>\w+)"`),
}

// unknownFieldOf reads the validation errors of GitHub and of other engines.
// Errors of an execution have a type, and are none.
func unknownFieldOf(e wireError) (unknownField, bool) {
	if e.Type != "" {
		return unknownField{}, false
	}
	for _, text := range unknownFieldTexts {
		if found := text.FindStringSubmatch(e.Message); found != nil {
			return unknownField{found[text.SubexpIndex("type")], found[text.SubexpIndex("field")]}, true
		}
	}
	return unknownField{}, false
}

func (u unknownField) note(s *selection) wireError {
	return wireError{ResponseError: ResponseError{
		Type:    UnknownField,
		Message: fmt.Sprintf("GitHub here does not know %s.%s; it was left out", u.typeName, u.field),
		Path:    s.path(),
	}}
}

// meant are the selections that the error is about: those at its locations,
// else at its path, else, when it says neither, all of that name whose type is
// not known to be another.
func (d *document) meant(u unknownField, e wireError) []*selection {
	var all, located, onPath []*selection
	for _, s := range d.root.fields() {
		if s.name != u.field || s.parent.on != "" && s.parent.on != u.typeName {
			continue
		}
		all = append(all, s)
		if slices.ContainsFunc(e.Locations, func(l location) bool { return d.points(l, s) }) {
			located = append(located, s)
		}
		if slices.Equal(fieldsOf(e.Path), stepsOf(s.path())) {
			onPath = append(onPath, s)
		}
	}
	switch {
	case len(located) > 0:
		return located
	case len(e.Path) > 0:
		return onPath
	case len(e.Locations) > 0:
		return nil
	}
	return all
}

// points reports whether the location is in the field's alias or name.
func (d *document) points(l location, s *selection) bool {
	for _, offset := range d.offsets(l) {
		if s.head.start <= offset && offset < s.head.end {
			return true
		}
	}
	return false
}

// fieldsOf is a validation error's path without the operation it begins with
// and without its fragments.
func fieldsOf(path []any) []string {
	steps := stepsOf(path)
	if len(steps) > 0 {
		if operation, _, _ := strings.Cut(steps[0], " "); operation == "query" || operation == "mutation" {
			steps = steps[1:]
		}
	}
	return slices.DeleteFunc(steps, func(step string) bool { return strings.HasPrefix(step, "...") })
}

func stepsOf(path []any) []string {
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = fmt.Sprint(step)
	}
	return steps
}

// reduce is the document's text without the selections that are gone and
// without the variables that nothing uses any more.
func (d *document) reduce(gone map[*selection]bool) (string, bool) {
	if len(gone) == 0 || d.mutation && slices.ContainsFunc(d.root.children, func(s *selection) bool { return gone[s] }) {
		return "", false
	}
	if !d.root.settle(gone) {
		return "", false
	}
	cuts := d.root.cuts(gone)
	cuts = append(cuts, d.unused(cuts)...)
	slices.SortFunc(cuts, func(a, b span) int { return a.start - b.start })
	var text strings.Builder
	at := 0
	for _, cut := range cuts {
		text.WriteString(d.text[at:cut.start])
		text.WriteByte(' ') // what stood on both sides must not run together
		at = cut.end
	}
	text.WriteString(d.text[at:])
	return text.String(), true
}

// settle adds to gone the fragments below s, and s if it is one, of which
// nothing is left. It is false when a field would be left without a selection.
func (s *selection) settle(gone map[*selection]bool) bool {
	left := 0
	for _, child := range s.children {
		if !gone[child] && !child.settle(gone) {
			return false
		}
		if !gone[child] {
			left++
		}
	}
	if left > 0 || len(s.children) == 0 {
		return true
	}
	gone[s] = s.fragment
	return s.fragment
}

// cuts are the spans to take out below s.
func (s *selection) cuts(gone map[*selection]bool) []span {
	var cuts []span
	for _, child := range s.children {
		if gone[child] {
			cuts = append(cuts, child.span)
		} else {
			cuts = append(cuts, child.cuts(gone)...)
		}
	}
	return cuts
}

// unused are the spans of the variable definitions that nothing outside of the
// cuts uses; the whole header when none is left.
func (d *document) unused(cuts []span) []span {
	used := d.usedVariables(cuts)
	var spans []span
	for _, v := range d.variables {
		if !used[v.name] {
			spans = append(spans, v.span)
		}
	}
	if len(spans) == len(d.variables) && len(spans) > 0 {
		return []span{d.header}
	}
	return spans
}

func (d *document) usedVariables(cuts []span) map[string]bool {
	used := map[string]bool{}
	tokens, err := tokenize(d.text)
	if err != nil {
		return used // parse has read the same text
	}
	for i := 1; i < len(tokens); i++ {
		at := tokens[i].start
		declared := d.header.start <= at && at < d.header.end
		cut := slices.ContainsFunc(cuts, func(s span) bool { return s.start <= at && at < s.end })
		if tokens[i-1].text == "$" && !declared && !cut {
			used[tokens[i].text] = true
		}
	}
	return used
}

// reductions remembers, for the client's life, how documents had to be reduced.
// A document stands for its (type, field) pairs: githubv4 writes the same text
// for the same struct, and only there the types of its fields are known.
type reductions struct {
	mu    sync.Mutex
	known map[string]reduction
}

// maxReductions bounds the memory; a client has far fewer documents.
const maxReductions = 512

func newReductions() *reductions { return &reductions{known: map[string]reduction{}} }

// of is the known reduction of a document, else the document itself.
func (r *reductions) of(query string) reduction {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.known[query]; ok {
		return known
	}
	return reduction{query: query}
}

func (r *reductions) keep(query string, reduced reduction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) < maxReductions {
		r.known[query] = reduced
	}
}
