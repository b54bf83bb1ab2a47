package conversation_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

const (
	budget    = 65536
	unlimited = 64 << 20
)

// house is a Service on a sandbox, over real HTTP, with a ledger.
type house struct {
	*conversation.Service
	t       *testing.T
	sandbox *sandbox.Running
	client  *graphql.Client
	token   string

	mu     sync.Mutex
	ledger []transport.Exchange
}

func enter(t *testing.T) *house {
	return enterAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.AdminToken)
}

func enterAs(t *testing.T, running *sandbox.Running, token string) *house {
	return enterThrough(t, running, token, nil)
}

// enterThrough puts base between the Service and the sandbox.
func enterThrough(t *testing.T, running *sandbox.Running, token string, base http.RoundTripper) *house {
	t.Helper()
	h := &house{t: t, sandbox: running, token: token}
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: running.RESTURL(), GraphQLURL: running.GraphQLURL()})
	if err != nil {
		t.Fatal(err)
	}
	chain := transport.New(transport.Options{
		Base:      base,
		Endpoints: endpoints,
		Token:     func(context.Context) (string, error) { return token, nil },
		Observe: func(exchange transport.Exchange) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.ledger = append(h.ledger, exchange)
		},
	})
	h.client = graphql.New(graphql.Options{URL: endpoints.GraphQL.String(), HTTP: &http.Client{Transport: chain}})
	h.forget()
	return h
}

// forget starts a new Service, which has met no repository yet.
func (h *house) forget() {
	web := ref.Web{AnyHost: true}
	h.Service = conversation.New(conversation.Options{
		GraphQL: h.client, Resolver: resolve.New(h.client, web), Home: ref.Repo{Owner: "octo-org", Name: "hello"}, Web: web,
	})
}

// cost is the requests and upstream bytes of f.
func (h *house) cost(f func()) (requests, bytes int) {
	h.mu.Lock()
	before := len(h.ledger)
	h.mu.Unlock()
	f()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, exchange := range h.ledger[before:] {
		requests++
		bytes += exchange.ResponseBytes
	}
	return requests, bytes
}

// read reads, projects and fits as the server does.
func (h *house) read(req conversation.Request) *conversation.Conversation {
	h.t.Helper()
	got, err := h.tryRead(req, budget)
	if err != nil {
		h.t.Fatalf("Read(%s): %v", show(req), err)
	}
	return got
}

func (h *house) tryRead(req conversation.Request, max int) (*conversation.Conversation, error) {
	result, err := h.Read(context.Background(), req)
	if err != nil {
		return nil, err
	}
	projection := trust.Policy{}.Project(result)
	data, err := page.Fit(result, max, func(cut any) {
		if carrier, ok := cut.(trust.Carrier); ok {
			projection.Summarize(carrier)
		}
	})
	if err != nil {
		return nil, err
	}
	if len(data) > max {
		h.t.Errorf("Read(%s): %d bytes, over the budget of %d", show(req), len(data), max)
	}
	var got conversation.Conversation
	if err := json.Unmarshal(data, &got); err != nil {
		h.t.Fatal(err)
	}
	return &got, nil
}

// readAll follows next to the end.
func (h *house) readAll(req conversation.Request, max int) []*conversation.Conversation {
	h.t.Helper()
	var pages []*conversation.Conversation
	for {
		got, err := h.tryRead(req, max)
		if err != nil {
			h.t.Fatalf("page %d of Read(%s): %v", len(pages)+1, show(req), err)
		}
		pages = append(pages, got)
		if got.Truncated != (got.EndCursor != nil) || got.Truncated != (got.Next != nil) {
			h.t.Fatalf("truncated %v, endCursor %v, next %v disagree", got.Truncated, got.EndCursor, got.Next)
		}
		if !got.Truncated {
			return pages
		}
		if len(pages) > 2000 {
			h.t.Fatalf("Read(%s) does not end", show(req))
		}
		req = nextOf(h.t, got)
	}
}

func nextOf(t *testing.T, got *conversation.Conversation) conversation.Request {
	t.Helper()
	data, err := json.Marshal(got.Next)
	if err != nil {
		t.Fatal(err)
	}
	var req conversation.Request
	if err := json.Unmarshal(data, &req); err != nil {
		t.Fatal(err)
	}
	return req
}

// said is every remark of pages, in order of delivery, with bodies that came in
// slices joined.
type said struct {
	ids    []string
	bodies map[string]string
}

func collect(pages []*conversation.Conversation) said {
	all := said{ids: []string{}, bodies: map[string]string{}}
	add := func(id, body string, offset int) {
		if offset == 0 {
			all.ids = append(all.ids, id)
		}
		all.bodies[id] += body
	}
	for _, page := range pages {
		if page.Body != nil {
			add("root", *page.Body, page.BodyOffset)
		}
		for _, comment := range page.Comments.Nodes {
			add(comment.ID, comment.Body, comment.BodyOffset)
		}
	}
	return all
}

func ptr[T any](value T) *T { return &value }
