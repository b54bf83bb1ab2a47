package sandbox

import (
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Request is one line of the ledger: a request as it came in and what went
// out for it.
type Request struct {
	Number    int    `json:"number"` // 1, 2, …, in order of arrival
	Method    string `json:"method"`
	Path      string `json:"path"`
	Login     string `json:"login,omitempty"`     // whose token it was
	Operation string `json:"operation,omitempty"` // GraphQL: the operation's name
	Mutation  bool   `json:"mutation,omitempty"`  // GraphQL: it is a mutation

	// Fields are the GraphQL root fields, such as "repository".
	Fields    []string        `json:"fields,omitempty"`
	Query     string          `json:"query,omitempty"`
	Variables json.RawMessage `json:"variables,omitempty"`

	Status        int           `json:"status"`        // 0: the connection was dropped
	RequestBytes  int           `json:"requestBytes"`  // of the body
	ResponseBytes int           `json:"responseBytes"` // of the body
	Took          time.Duration `json:"took"`          // inside the sandbox, delays included
	Aborted       bool          `json:"aborted,omitempty"`
}

// maxLedger is how many requests the ledger keeps: the newest.
const maxLedger = 10_000

// ledger is safe for concurrent use.
type ledger struct {
	mu       sync.Mutex
	count    int
	requests []Request
}

// open numbers a request.
func (l *ledger) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	return l.count
}

func (l *ledger) add(request Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, request)
	if over := len(l.requests) - maxLedger; over > 0 {
		l.requests = slices.Delete(l.requests, 0, over)
	}
}

func (l *ledger) all() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(slices.Values(l.requests), func(a, b Request) int { return a.Number - b.Number })
}

func (l *ledger) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count, l.requests = 0, nil
}
