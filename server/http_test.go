package server_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// site is an endpoint on a port of this machine.
type site struct {
	t    testing.TB
	http *server.HTTP
	url  string // of /mcp
}

// open serves s until the test ends.
func open(t testing.TB, s *server.Server, o server.HTTPOptions) *site {
	t.Helper()
	endpoint, err := server.NewHTTP(s, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- endpoint.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &site{t, endpoint, "http://" + l.Addr().String() + "/mcp"}
}

// heard is an answer.
type heard struct {
	status int
	header http.Header
	body   string
}

// send makes one request; a body makes it a POST. Headers are "Name: value".
func (s *site) send(method, path, body string, headers ...string) heard {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, strings.TrimSuffix(s.url, "/mcp")+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return heard{resp.StatusCode, resp.Header, string(text)}
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// TestHTTPKeepsDigits: ids and arguments come through as they were sent, and an
// unknown tool is answered with the nearest, as over stdio.
func TestHTTPKeepsDigits(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	got := s.send("POST", "/mcp", handshake)
	session := "Mcp-Session-Id: " + got.header.Get("Mcp-Session-Id")
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","comment_id":9007199254740995}}}`: `"id":9007199254740993,"result":{"content":[{"type":"text","text":"{\"text\":\"a\",\"count\":1,\"commentId\":\"9007199254740995\"}"`,
		`{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"eco","arguments":{"text":1e400}}}`:                                            `{"jsonrpc":"2.0","id":"7","error":{"code":-32602,"message":"unknown tool \"eco\": did you mean \"echo\"?"}}`,
	} {
		if got := s.send("POST", "/mcp", body, session); got.status != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("%s\nanswers %d %s\nwant %s", body, got.status, got.body, want)
		}
	}
}
