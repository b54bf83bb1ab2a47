package issue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

const budget = 65536

// desk is a Service on a sandbox, over real HTTP.
type desk struct {
	*issue.Service
	t      *testing.T
	github *sandbox.Running
	client *graphql.Client
}

func open(t *testing.T) *desk {
	return openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.AdminToken)
}

func openAs(t *testing.T, github *sandbox.Running, token string) *desk {
	t.Helper()
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: github.RESTURL(), GraphQLURL: github.GraphQLURL()})
	if err != nil {
		t.Fatal(err)
	}
	chain := transport.New(transport.Options{Endpoints: endpoints, Token: func(context.Context) (string, error) { return token, nil }})
	d := &desk{t: t, github: github, client: graphql.New(graphql.Options{URL: endpoints.GraphQL.String(), HTTP: &http.Client{Transport: chain}})}
	d.Service = issue.New(issue.Options{
		GraphQL: d.client, Resolver: resolve.New(d.client, ref.Web{AnyHost: true}), Home: ref.Repo{Owner: "octo-org", Name: "hello"},
	})
	return d
}

// sample is a copy of the public sample repository that a test may change.
func sample(t *testing.T) *fixtures.Repository {
	t.Helper()
	repository, err := fixtures.Load()
	if err != nil {
		t.Fatal(err)
	}
	return repository
}

// openOn is a desk on a repository whose issues are the given ones only.
func openOn(t *testing.T, issues []*fixtures.Issue) *desk {
	t.Helper()
	repository := sample(t)
	repository.Issues, repository.Projects = issues, nil
	return openAs(t, sandbox.StartTest(t, sandbox.Options{Repositories: []*fixtures.Repository{repository}}), sandbox.AdminToken)
}

// made are n open issues, numbered from 1 on, each an hour older than the one
// before; change makes them what the test needs.
func made(n int, change func(i *fixtures.Issue)) []*fixtures.Issue {
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	issues := make([]*fixtures.Issue, n)
	for at := range n {
		one := &fixtures.Issue{}
		one.ID, one.Number, one.Title = int64(8_000_000+at), at+1, fmt.Sprintf("Issue %d", at+1)
		one.Author, one.Body = "ada-mensah", "A body."
		one.Created = start.Add(-time.Duration(at) * time.Hour)
		one.Updated = one.Created
		change(one)
		issues[at] = one
	}
	slices.Reverse(issues) // the oldest first, as in a file
	return issues
}

func (d *desk) writes() int {
	n := 0
	for _, request := range d.github.Requests() {
		if request.Mutation {
			n++
		}
	}
	return n
}

// cost holds what f does to the requests it may take, and the writes among
// them.
func (d *desk) cost(name string, requests, writes int, f func()) {
	d.t.Helper()
	before, wrote := len(d.github.Requests()), d.writes()
	f()
	if got, w := len(d.github.Requests())-before, d.writes()-wrote; got != requests || w != writes {
		d.t.Errorf("%s: %d requests, %d of them writes, want %d and %d", name, got, w, requests, writes)
	}
}

// expectRefusal fails unless err is a fault with the code and each of the
// words, and nothing was written since before.
func (d *desk) expectRefusal(err error, before int, code fault.Code, words ...string) {
	d.t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != code {
		d.t.Errorf("error is %v, want %s", err, code)
		return
	}
	said := show(refusal.Public())
	for _, word := range words {
		if !strings.Contains(said, word) {
			d.t.Errorf("the refusal lacks %q: %s", word, said)
		}
	}
	if n := d.writes() - before; n != 0 {
		d.t.Errorf("%d writes went out with a refusal", n)
	}
}

// fit projects and fits a result as the server does, and decodes what a
// client gets.
func fit[Result any](t *testing.T, result *Result, max int) *Result {
	t.Helper()
	carrier, ok := any(result).(trust.Carrier)
	if !ok {
		t.Fatalf("%T carries no texts", result)
	}
	projection := trust.Policy{}.Project(carrier)
	data, err := page.Fit(result, max, func(cut any) { projection.Summarize(cut.(trust.Carrier)) })
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > max {
		t.Errorf("%d bytes, over the budget of %d", len(data), max)
	}
	got := new(Result)
	if err := json.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	return got
}

func show(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}

func ptr[T any](value T) *T { return &value }
