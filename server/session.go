package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

var errNoAnswer = errors.New("the client has ended its side before it answered")

// session is what the MCP library knows of a stdio client, and what the client
// is asked.
type session struct {
	notifications chan mcp.JSONRPCNotification
	initialized   atomic.Bool
	client        atomic.Pointer[mcp.Implementation]
	capabilities  atomic.Pointer[mcp.ClientCapabilities]
	send          func(line []byte)

	deaf chan struct{} // closed when no answer can come any more

	mu    sync.Mutex
	asked int                     // requests so far
	open  map[string]chan message // those without an answer, by id
}

var (
	_ mcpserver.SessionWithClientInfo  = (*session)(nil)
	_ mcpserver.SessionWithElicitation = (*session)(nil)
)

func newSession(send func(line []byte)) *session {
	return &session{
		notifications: make(chan mcp.JSONRPCNotification, 100), send: send,
		open: map[string]chan message{}, deaf: make(chan struct{}),
	}
}

// SessionID is the same for all: one process serves one stdio client.
func (s *session) SessionID() string { return "stdio" }

// NotificationChannel is where the library puts what the writer sends.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

// Initialize notes that the client may be sent notifications.
func (s *session) Initialize() { s.initialized.Store(true) }

// Initialized reports whether it may.
func (s *session) Initialized() bool { return s.initialized.Load() }

// SetClientInfo notes what the client calls itself.
func (s *session) SetClientInfo(client mcp.Implementation) { s.client.Store(&client) }

// GetClientInfo is what it called itself.
func (s *session) GetClientInfo() mcp.Implementation {
	if client := s.client.Load(); client != nil {
		return *client
	}
	return mcp.Implementation{}
}

// SetClientCapabilities notes what the client says it can do.
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) { s.capabilities.Store(&c) }

// GetClientCapabilities is what it said.
func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	if c := s.capabilities.Load(); c != nil {
		return *c
	}
	return mcp.ClientCapabilities{}
}

// RequestElicitation has the client ask its person, and waits for the answer
// until ctx ends or the client does. A question that is no longer of interest
// is taken back.
func (s *session) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	id, answer := s.ask()
	defer s.forget(id)
	line, err := requestLine(id, string(mcp.MethodElicitationCreate), request.Params)
	if err != nil {
		return nil, err
	}
	s.send(line)
	select {
	case m := <-answer:
		return elicited(m)
	case <-s.deaf:
		select {
		case m := <-answer: // the last thing the client said
			return elicited(m)
		default:
			return nil, errNoAnswer
		}
	case <-ctx.Done():
		s.takeBack(id)
		return nil, ctx.Err()
	}
}

// elicited is the answer to an elicitation.
func elicited(m message) (*mcp.ElicitationResult, error) {
	if m.Error != nil {
		return nil, fmt.Errorf("the client answered with an error: %s", cut(string(m.Error), 200))
	}
	var result mcp.ElicitationResult
	if err := json.Unmarshal(m.Result, &result); err != nil {
		return nil, fmt.Errorf("the client's answer: %w", err)
	}
	return &result, nil
}

// ask opens a request to the client.
func (s *session) ask() (id string, answer <-chan message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	id = strconv.Itoa(s.asked)
	ch := make(chan message, 1)
	s.open[id] = ch
	return id, ch
}

func (s *session) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
}

// take gives an answer to whoever waits for it. One that nobody waits for is
// dropped: its question may have been taken back while it was on the way.
func (s *session) take(answer message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := string(answer.ID)
	if waiting, ok := s.open[id]; ok {
		delete(s.open, id) // and so a second one finds nobody
		waiting <- answer
	}
}

// deafen ends all waiting for answers, now and later. It is called once.
func (s *session) deafen() { close(s.deaf) }

func (s *session) takeBack(id string) {
	line, err := requestLine("", methodCancelled, map[string]any{
		"requestId": json.RawMessage(id), "reason": "no longer of interest",
	})
	if err == nil { // a map of texts always encodes
		s.send(line)
	}
}

// requestLine is a request of ours, or a notification when it has no id.
func requestLine(id, method string, params any) ([]byte, error) {
	return json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  any             `json:"params"`
	}{mcp.JSONRPC_VERSION, json.RawMessage(id), method, params})
}
