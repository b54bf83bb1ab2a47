package discussion_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

const budget = 65536

// house is a Service on a sandbox of its own, over real HTTP, with a ledger.
type house struct {
	*discussion.Service
	t       *testing.T
	sandbox *sandbox.Running
	client  *graphql.Client

	mu     sync.Mutex
	ledger []transport.Exchange
}

func open(t *testing.T) *house {
	return openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.AdminToken)
}

func openAs(t *testing.T, running *sandbox.Running, token string) *house {
	return openThrough(t, running, token, nil)
}

// openThrough puts base between the Service and the sandbox.
func openThrough(t *testing.T, running *sandbox.Running, token string, base http.RoundTripper) *house {
	t.Helper()
	h := &house{t: t, sandbox: running}
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
	h.Service = discussion.New(discussion.Options{
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
func (h *house) read(req discussion.ConversationRequest) *discussion.Conversation {
	h.t.Helper()
	got, err := h.tryRead(req, budget)
	if err != nil {
		h.t.Fatalf("Read(%s): %v", show(req), err)
	}
	return got
}

func (h *house) tryRead(req discussion.ConversationRequest, max int) (*discussion.Conversation, error) {
	result, err := h.Read(context.Background(), req)
	if err != nil {
		return nil, err
	}
	projection := trust.Policy{}.Project(result)
	data, err := page.Fit(result, max, func(cut any) { projection.Summarize(cut.(trust.Carrier)) })
	if err != nil {
		return nil, err
	}
	if len(data) > max {
		h.t.Errorf("Read(%s): %d bytes, over the budget of %d", show(req), len(data), max)
	}
	var got discussion.Conversation
	if err := json.Unmarshal(data, &got); err != nil {
		h.t.Fatal(err)
	}
	return &got, nil
}

// readAll follows next to the end.
func (h *house) readAll(req discussion.ConversationRequest, max int) []*discussion.Conversation {
	h.t.Helper()
	var pages []*discussion.Conversation
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

func nextOf(t *testing.T, got *discussion.Conversation) discussion.ConversationRequest {
	t.Helper()
	data, err := json.Marshal(got.Next)
	if err != nil {
		t.Fatal(err)
	}
	var req discussion.ConversationRequest
	if err := json.Unmarshal(data, &req); err != nil {
		t.Fatal(err)
	}
	return req
}

// post posts a comment, or a reply when to is not "".
func (h *house) post(number int, to, body string) *discussion.CommentResult {
	h.t.Helper()
	req := discussion.CommentRequest{Action: "create", DiscussionNumber: number, Body: body}
	if to != "" {
		req.ReplyToID = &to
	}
	got, err := h.ManageComment(context.Background(), req)
	if err != nil {
		h.t.Fatalf("posting %q: %v", body, err)
	}
	return got
}

// said is every comment and reply of pages, in order of delivery, with bodies
// that came in slices joined.
type said struct {
	ids    []string
	bodies map[string]string
}

func collect(pages []*discussion.Conversation) said {
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
		for _, reply := range page.NewReplies {
			add(reply.ID, reply.Body, reply.BodyOffset)
		}
		for _, comment := range page.Comments.Nodes {
			add(comment.ID, comment.Body, comment.BodyOffset)
			for _, reply := range comment.Replies.Nodes {
				add(reply.ID, reply.Body, reply.BodyOffset)
			}
		}
	}
	return all
}

func show(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}

func ptr[T any](value T) *T { return &value }
