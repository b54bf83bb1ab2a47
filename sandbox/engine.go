package sandbox

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	graphql "github.com/graph-gophers/graphql-go"
	gophererrors "github.com/graph-gophers/graphql-go/errors"
)

//go:embed schema.graphql
var schemaSDL string

// SDL is the schema that the sandbox speaks: a part of GitHub's own.
func SDL() string { return schemaSDL }

// schema is parsed by the first request that needs it and then shared: it
// holds no state, and parsing it costs more than all the rest of New.
var schema = sync.OnceValues(func() (*graphql.Schema, error) {
	return graphql.ParseSchema(schemaSDL, &root{}, graphql.UseFieldResolvers(), graphql.MaxDepth(30))
})

// graphqlRequest is the body of a POST to the GraphQL endpoint.
type graphqlRequest struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// graphqlResponse is GitHub's answer; Data is absent when the query was
// refused before it ran.
type graphqlResponse struct {
	Data   json.RawMessage `json:"data,omitempty"`
	Errors []responseError `json:"errors,omitempty"`
}

type responseError struct {
	Type       string         `json:"type,omitempty"`
	Path       []any          `json:"path,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
	Locations  []location     `json:"locations,omitempty"`
	Message    string         `json:"message"`
}

type location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// report adds an error that no resolver can return, at a path.
func (s *session) report(err error, path ...any) {
	s.extra = append(s.extra, toResponseError(err, path))
}

func toResponseError(err error, path []any) responseError {
	out := responseError{Message: err.Error(), Path: path}
	var typed *apiError
	if errors.As(err, &typed) {
		out.Type = typed.kind
	}
	return out
}

// execute runs a query for a session. The store is locked for the whole of it,
// so that a query sees one state and a mutation is one step.
func (s *session) execute(ctx context.Context, schema *graphql.Schema, request graphqlRequest) graphqlResponse {
	if len(s.query.errors) > 0 {
		return graphqlResponse{Errors: s.query.errors}
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	variables := map[string]any{}
	maps.Copy(variables, request.Variables)
	maps.Copy(variables, s.query.defaults)
	result := schema.Exec(withSession(ctx, s), request.Query, request.OperationName, variables)
	response := graphqlResponse{Data: result.Data, Errors: s.extra}
	for _, err := range result.Errors {
		response.Errors = append(response.Errors, translate(err))
	}
	s.query.arrange(response.Errors)
	if len(result.Errors) > 0 && string(result.Data) == "{}" {
		response.Data = nil
	}
	return response
}

// arrange says where in the query errors belong, and sorts them by that: the
// engine, which runs fields side by side, finds them in any order.
func (a *analysis) arrange(found []responseError) {
	for i, err := range found {
		if at, known := a.positions[answerPath(err.Path)]; known && err.Locations == nil {
			found[i].Locations = []location{at}
		}
	}
	slices.SortStableFunc(found, func(a, b responseError) int {
		return cmp.Or(slices.CompareFunc(a.Locations, b.Locations, location.compare), strings.Compare(fmt.Sprintf("%9v", a.Path), fmt.Sprintf("%9v", b.Path)))
	})
}

func (l location) compare(other location) int {
	return cmp.Or(cmp.Compare(l.Line, other.Line), cmp.Compare(l.Column, other.Column))
}

// translate gives an error of the engine GitHub's shape, and, where the two
// word the same thing in different ways, GitHub's words.
func translate(err *gophererrors.QueryError) responseError {
	out := responseError{Message: err.Message, Path: err.Path}
	for _, at := range err.Locations {
		out.Locations = append(out.Locations, location{Line: at.Line, Column: at.Column})
	}
	var typed *apiError
	if errors.As(err.ResolverError, &typed) {
		out.Type, out.Message = typed.kind, typed.message
		return out
	}
	for _, rule := range wordings {
		if match := rule.engine.FindStringSubmatch(err.Message); match != nil {
			out.Message = rule.engine.ReplaceAllString(match[0], rule.github)
			out.Extensions = map[string]any{"code": rule.code}
			return out
		}
	}
	return out
}

var wordings = []struct {
	engine       *regexp.Regexp
	github, code string
}{
	{regexp.MustCompile(`^Variable "\$?([^"]+)" of type "([^"]+)" used in position expecting type "([^"]+)"\.$`), "Type mismatch on variable $$$1 ($2 / $3)", "variableMismatch"},
	{regexp.MustCompile(`^Variable "\$([^"]+)" is never used.*$`), "Variable $$$1 is declared by anonymous query but not used", "variableNotUsed"},
	{regexp.MustCompile(`^syntax error: (.*)$`), "Parse error: $1", "parseError"},
}
