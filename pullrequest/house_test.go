package pullrequest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

const budget = 65536

// house is a Service in front of some GitHub, over real HTTP, with a ledger.
type house struct {
	*pullrequest.Service
	t *testing.T

	mu     sync.Mutex
	ledger []transport.Exchange
}

// openAt opens a Service on the GitHub at the given addresses.
func openAt(t *testing.T, restURL, graphQLURL, token string) *house {
	t.Helper()
	h := &house{t: t}
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: restURL, GraphQLURL: graphQLURL})
	if err != nil {
		t.Fatal(err)
	}
	chain := &http.Client{Transport: transport.New(transport.Options{
		Endpoints: endpoints, RetryInterval: time.Microsecond,
		Token: func(context.Context) (string, error) { return token, nil },
		Observe: func(exchange transport.Exchange) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.ledger = append(h.ledger, exchange)
		},
	})}
	client, web := graphql.New(graphql.Options{URL: endpoints.GraphQL.String(), HTTP: chain}), ref.Web{AnyHost: true}
	h.Service = pullrequest.New(pullrequest.Options{
		GraphQL: client, REST: rest.New(rest.Options{URL: endpoints.REST, HTTP: chain}), Resolver: resolve.New(client, web),
		Home: ref.Repo{Owner: "octo-org", Name: "hello"}, Web: web,
	})
	return h
}

// requests is how many requests f makes.
func (h *house) requests(f func()) int {
	h.mu.Lock()
	before := len(h.ledger)
	h.mu.Unlock()
	f()
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ledger) - before
}

// play is a GitHub that answers as the test says: what the sandbox does not
// play, such as a refused diff or an account that is gone.
type play struct {
	t    *testing.T
	mux  *http.ServeMux
	mu   sync.Mutex
	sent []string // the queries and the REST calls, in order

	turn  sync.Mutex                           // one answer at a time, since answers change
	then  map[string]func()                    // what a query with that word changes
	pages map[string]func(http.ResponseWriter) // of the list of files, by number
}

// onPlay opens a Service on a GitHub that answers GraphQL by the first word of
// answers that the query holds, the longest first.
func onPlay(t *testing.T, answers map[string]string) (*house, *play) {
	t.Helper()
	p := &play{t: t, mux: http.NewServeMux()}
	p.mux.HandleFunc("POST /api/graphql", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		answer := p.answer(string(body), answers)
		w.Header().Set("Content-Type", "application/json")
		if answer == "LOST" { // it is written, and the connection breaks
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, answer)
	})
	server := httptest.NewServer(p.mux)
	t.Cleanup(server.Close)
	return openAt(t, server.URL+"/api/v3", server.URL+"/api/graphql", "ghp_test"), p
}

// answer chooses the answer to a query, and does what the query changes.
func (p *play) answer(query string, answers map[string]string) string {
	p.note(query)
	p.turn.Lock()
	defer p.turn.Unlock()
	best := ""
	for word := range answers {
		if strings.Contains(query, word) && len(word) > len(best) {
			best = word
		}
	}
	if best == "" {
		p.t.Errorf("no answer to %s", query)
	}
	answer := answers[best]
	for word, then := range p.then {
		if strings.Contains(query, word) {
			then()
		}
	}
	return answer
}

func (p *play) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, what)
}

// after runs then when a query with that word comes.
func (p *play) after(word string, then func()) {
	p.then = map[string]func(){word: then}
}

// count is how many requests held the word.
func (p *play) count(word string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, sent := range p.sent {
		if strings.Contains(sent, word) {
			n++
		}
	}
	return n
}

// rest answers a REST call.
func (p *play) rest(pattern string, status int, header map[string]string, body string) {
	p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		p.note(r.Method + " " + r.URL.RequestURI())
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

var theContract = sync.OnceValues(func() (*contract.Contract, error) {
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		return nil, err
	}
	return contract.Load(text)
})

// delivered is what a client gets of a result within max bytes: projected, cut,
// held against the contract of the tool, and decoded again.
func delivered[Result any](t *testing.T, tool string, result *Result, max int) *Result {
	t.Helper()
	var data []byte
	var err error
	if carrier, ok := any(result).(trust.Carrier); ok {
		projection := trust.Policy{}.Project(carrier)
		data, err = page.Fit(result, max, func(cut any) { projection.Summarize(cut.(trust.Carrier)) })
	} else {
		data, err = page.Encode(result)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > max {
		t.Errorf("%s: %d bytes, over the budget of %d", tool, len(data), max)
	}
	all, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	known, ok := all.Tool(tool)
	if !ok {
		t.Fatalf("the contract has no tool %s", tool)
	}
	if err := known.CheckResult(data); err != nil {
		t.Errorf("%s breaks its contract: %v\n%.2000s", tool, err, data)
	}
	var got Result
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	return &got
}

// following is the call that next stands for.
func following[Request any](t *testing.T, next any) (req Request) {
	t.Helper()
	data, err := json.Marshal(next)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &req); err != nil {
		t.Fatal(err)
	}
	return req
}

// refused fails the test unless err has the code; it returns the fault.
func refused(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("got error %v, want %s", err, code)
	}
	return fault.From(err)
}

// pageOfFiles answers one page of the list of files of pull request 7.
func (p *play) pageOfFiles(number int, header map[string]string, body string) {
	if p.pages == nil {
		p.pages = map[string]func(http.ResponseWriter){}
		p.mux.HandleFunc("GET /api/v3/repos/octo-org/hello/pulls/7/files", func(w http.ResponseWriter, r *http.Request) {
			p.note(r.Method + " " + r.URL.RequestURI())
			p.pages[r.URL.Query().Get("page")](w)
		})
	}
	p.pages[strconv.Itoa(number)] = func(w http.ResponseWriter) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		_, _ = io.WriteString(w, body)
	}
}
