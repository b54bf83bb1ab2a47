// Package graphql is the client for GitHub's GraphQL API: queries are Go
// structs as github.com/shurcooL/githubv4 writes them, errors are fault.Error.
//
// It promises that
//   - every request is marked as a read or a write and has a name;
//   - an answer without data is an error of the right code, and an answer with
//     data beside errors keeps both: the data in the struct, the errors in Notes;
//   - a query that GitHub finds too big is an error even when part of it was
//     answered, so that no hole passes for an empty thread; TooBig recognizes it;
//   - a field that this GitHub does not know is left out, with a note, instead
//     of failing the whole document.
//
// The Go type of a variable is its type in GraphQL: githubv4.String is String!,
// *githubv4.String is String, []graphql.ID is [ID!]!. A plain Go string would
// silently become ID! and a plain int the unknown type int!, so plain types are
// refused with INTERNAL. githubv4.ID is an interface, and a value of it arrives
// as a plain string: use this package's ID.
package graphql

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ID is a node id as a variable: ID is ID!, *ID is ID, []ID is [ID!]!.
type ID string

// Options says how New builds a client.
type Options struct {
	// URL is the exact address of the GraphQL API.
	URL string
	// HTTP sends the requests; nil means http.DefaultClient. Its transport is
	// expected to come from package transport.
	HTTP *http.Client
}

// Client talks to one GraphQL API. It is safe for concurrent use.
type Client struct {
	github *githubv4.Client
}

// New makes a client.
func New(o Options) *Client {
	var own http.Client
	if o.HTTP != nil {
		own = *o.HTTP
	}
	if own.Transport == nil {
		own.Transport = http.DefaultTransport
	}
	own.Transport = &envelopes{next: own.Transport, reductions: newReductions(), now: time.Now}
	return &Client{github: githubv4.NewEnterpriseClient(o.URL, &own)}
}

// Query runs the query that the struct behind q describes and fills it in. The
// error says that there is no answer; Notes say what is wrong beside an answer.
func (c *Client) Query(ctx context.Context, name string, q any, vars map[string]any) (Notes, error) {
	if err := checkVariables(vars); err != nil {
		return nil, fmt.Errorf("query %s: %w", name, err)
	}
	return run(transport.WithRead(ctx, name), &operation{name: name}, func(ctx context.Context) error {
		return c.github.Query(ctx, q, vars)
	})
}

// Mutate runs the mutation that the struct behind m describes, with input as
// its variable $input, and fills in the struct.
func (c *Client) Mutate(ctx context.Context, name string, m any, input githubv4.Input, vars map[string]any) (Notes, error) {
	all := maps.Clone(vars)
	if all == nil {
		all = map[string]any{}
	}
	all["input"] = input
	if err := checkVariables(all); err != nil {
		return nil, fmt.Errorf("mutation %s: %w", name, err)
	}
	return run(transport.WithWrite(ctx, name), &operation{name: name, mutation: true}, func(ctx context.Context) error {
		return c.github.Mutate(ctx, m, input, all)
	})
}

// run does one operation and judges what came back.
func run(ctx context.Context, op *operation, do func(context.Context) error) (Notes, error) {
	ctx, op.meta = transport.Capture(ctx)
	err := do(context.WithValue(ctx, operationKey{}, op))
	if op.answered {
		err = cmp.Or(op.failure(), op.misread(err))
	} else {
		err = op.unanswered(err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, err)
	}
	if organizations, partial := transport.PartialForSSO(op.meta.Header()); partial {
		op.notes = append(op.notes, partialForSSO(organizations))
	}
	return op.notes, nil
}

// checkVariables refuses variables whose Go type does not name a GraphQL type.
func checkVariables(vars map[string]any) error {
	for name, value := range vars {
		t := reflect.TypeOf(value)
		for t != nil && t.Name() == "" && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			t = t.Elem()
		}
		if t == nil || t.PkgPath() == "" {
			return fault.New(fault.Internal, "the GraphQL variable $%s has the Go type %T, which names no GraphQL type: use a type of githubv4, or graphql.ID", name, value)
		}
	}
	return nil
}
