package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/handbook"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// bench is the whole server, from the contract to a sandbox over HTTP, as one
// user has it.
type bench struct {
	t      testing.TB
	github *sandbox.Running
	server *server.Server
}

var loadContract = sync.OnceValues(func() (*contract.Contract, error) {
	return contract.LoadCompiled(contractText, contractCompiled)
})

func theContract(t testing.TB) *contract.Contract {
	t.Helper()
	tools, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// seat is who sits at a bench, and how.
type seat struct {
	token    string            // of the sandbox
	patience time.Duration     // for one request; 0 is as long as in production
	pause    time.Duration     // before a read is repeated; 0 is as long as in production
	budget   int               // of bytes for a result; 0 is as in production
	front    string            // what stands before the sandbox, if anything: its address
	log      io.Writer         // gets all that can be logged; nil is no log
	way      http.RoundTripper // to the sandbox; nil is the usual one
}

// newBench assembles a server.
func newBench(t testing.TB, github *sandbox.Running, who seat) *bench {
	t.Helper()
	root := cmp.Or(who.front, github.URL)
	to, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: root + "/api/v3", GraphQLURL: root + "/api/graphql"})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	if who.log != nil {
		log = slog.New(slog.NewTextHandler(who.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	client := &http.Client{Transport: transport.New(transport.Options{
		Base: who.way, Endpoints: to, RequestTimeout: who.patience, RetryInterval: who.pause, Logger: log,
		Token: func(context.Context) (string, error) { return who.token, nil },
	})}
	api, web := graphql.New(graphql.Options{URL: to.GraphQL.String(), HTTP: client}), ref.Web{Host: to.WebHost, AnyHost: true}
	way := &connection{
		graphQL: api, rest: rest.New(rest.Options{URL: to.REST, HTTP: client}), resolver: resolve.New(api, web),
		home: ref.Repo{Owner: "octo-org", Name: "hello"}, web: web,
	}
	b := &bench{t: t, github: github}
	tools := theContract(t)
	set := &config{env: func(string) string { return "" }, stderr: io.Discard}
	self := func(ctx context.Context, to *connection) repository.Server {
		return set.selfDescription(ctx, tools, to, b.server)
	}
	h := &house{book: handbook.New(tools), own: newRooms(set, self, func() (*connection, error) { return way, nil })}
	b.server, err = server.New(server.Options{
		Contract: tools, Handlers: h.handlers(), MaxResultBytes: who.budget,
		CheckResults: true, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answer is what a call brought: the members of the result, or of the error.
type answer struct {
	raw     json.RawMessage
	members map[string]any
	code    string // "" for a result
}

// text is a member that is text; "" when it is something else, or absent.
func (a answer) text(name string) string {
	text, _ := a.members[name].(string)
	return text
}

func (a answer) warnings() string {
	list, _ := a.members["warnings"].([]any)
	var texts []string
	for _, one := range list {
		text, _ := one.(string)
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

// call calls a tool with JSON arguments.
func (b *bench) call(tool, arguments string) answer {
	b.t.Helper()
	return b.callUnder(b.t.Context(), tool, arguments)
}

// callUnder is call for somebody who may lose interest.
func (b *bench) callUnder(ctx context.Context, tool, arguments string) answer {
	b.t.Helper()
	var args map[string]any
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		b.t.Fatalf("the arguments %s: %v", arguments, err)
	}
	result, err := b.server.Call(ctx, tool, args)
	if err != nil {
		b.t.Fatal(err)
	}
	got := answer{raw: result.JSON}
	if err := json.Unmarshal(result.JSON, &got.members); err != nil {
		b.t.Fatal(err)
	}
	if result.Failed {
		got.code = got.text("code")
	}
	return got
}

// must is call for what has to succeed.
func (b *bench) must(tool, arguments string) answer {
	b.t.Helper()
	got := b.call(tool, arguments)
	if got.code != "" {
		b.t.Fatalf("%s %s: %s", tool, arguments, got.raw)
	}
	return got
}

// requests are those that have reached the sandbox since the ledger was
// emptied, and how many of them were writes.
func (b *bench) requests() (all, writes int) {
	for _, request := range b.github.Requests() {
		all++
		if isWrite(request) {
			writes++
		}
	}
	return all, writes
}

// isWrite reports whether a request changes something.
func isWrite(r sandbox.Request) bool {
	return r.Mutation || r.Method != http.MethodGet && !strings.HasSuffix(r.Path, "/graphql")
}

// actions are every write tool of the contract with each of its actions, as
// "tool action"; the tool alone where it has none.
func actions(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, tool := range theContract(t).Tools() {
		if tool.Annotations.ReadOnlyHint {
			continue
		}
		var schema struct {
			Properties struct{ Action struct{ Enum []string } }
		}
		if err := json.Unmarshal(tool.Details().InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		if len(schema.Properties.Action.Enum) == 0 {
			all = append(all, tool.Name)
		}
		for _, action := range schema.Properties.Action.Enum {
			all = append(all, tool.Name+" "+action)
		}
	}
	slices.Sort(all)
	return all
}
