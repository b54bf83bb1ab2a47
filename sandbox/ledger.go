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

	Status        int           `json:"status"`            // 0: not answered, or not yet
	RequestBytes  int           `json:"requestBytes"`      // of the body
	ResponseBytes int           `json:"responseBytes"`     // of the body
	Took          time.Duration `json:"took"`              // inside the sandbox, delays included
	Aborted       bool          `json:"aborted,omitempty"` // the client went away first
}

// maxLedger is how many requests the ledger keeps: the newest.
const maxLedger = 10_000

// ledger is safe for concurrent use.
type ledger struct {
	mu       sync.Mutex
	count    int
	requests []*Request // in order of arrival
}

// open makes the line of a new request.
func (l *ledger) open(method, path string) *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	line := &Request{Number: l.count, Method: method, Path: path}
	l.requests = append(l.requests, line)
	if over := len(l.requests) - maxLedger; over > 0 {
		l.requests = slices.Delete(l.requests, 0, over)
	}
	return line
}

// write changes a line that open made. What a client has seen is in the
// ledger: write comes before the bytes go out.
func (l *ledger) write(line *Request, value Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*line = value
}

func (l *ledger) all() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Request, len(l.requests))
	for i, line := range l.requests {
		all[i] = *line
	}
	return all
}

func (l *ledger) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count, l.requests = 0, nil
}
