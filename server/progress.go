package server

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/page"
)

// progressPause is the least time between two notifications of one call.
const progressPause = 200 * time.Millisecond

// progress tells a client how many requests its call has made. A call that
// makes one is over before there is something to tell.
type progress struct {
	notify func(map[string]any) // nil: nobody asked

	mu       sync.Mutex
	requests int
	told     time.Time
	ended    bool
}

// newProgress tells the client of ctx, if its request had a progress token.
func (s *Server) newProgress(ctx context.Context, meta *mcp.Meta) *progress {
	token := progressTokenOf(ctx, meta)
	if token == nil {
		return &progress{}
	}
	return &progress{notify: func(params map[string]any) {
		params["progressToken"] = token
		if ctx.Err() != nil {
			return // nothing follows a cancelled call
		}
		// It fails for a client that takes no notifications or does not read
		// them. The call does not depend on it.
		_ = s.protocol.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), params)
	}}
}

// request counts one request to GitHub.
func (p *progress) request(name string) {
	if p.notify == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	if p.ended || p.requests < 2 || time.Since(p.told) < progressPause {
		return
	}
	p.told = time.Now()
	p.notify(map[string]any{
		"progress": p.requests, "message": "request " + strconv.Itoa(p.requests) + " to GitHub: " + name,
	})
}

// end is the last word: whatever still runs is not told of.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

type progressTokenKey struct{}

// withProgressToken carries a request's progress token past the MCP library,
// which bends long integers.
func withProgressToken(ctx context.Context, params json.RawMessage) context.Context {
	var request struct {
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if json.Unmarshal(params, &request) != nil || request.Meta.ProgressToken == nil {
		return ctx
	}
	return context.WithValue(ctx, progressTokenKey{}, request.Meta.ProgressToken)
}

// progressTokenOf is what withProgressToken carried, or what the library kept;
// nil when there is none that MCP allows: a text or an integer.
func progressTokenOf(ctx context.Context, meta *mcp.Meta) json.RawMessage {
	token, carried := ctx.Value(progressTokenKey{}).(json.RawMessage)
	if !carried && meta != nil {
		token, _ = page.Encode(meta.ProgressToken) // came as JSON, and goes as JSON
	}
	if len(token) == 0 || !isID(token) {
		return nil
	}
	return token
}
