package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// TestMain runs the tests; or, with SERVE_CONFORMANCE_FIXTURE set, the server
// that MCP's conformance suites want to meet. The tests in peers have the
// suites, and run it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("SERVE_CONFORMANCE_FIXTURE") == "" {
		os.Exit(m.Run())
	}
	if err := serveFixture(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveFixture says where it listens, and serves until it is told to stop.
func serveFixture() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	h, err := newFixture()
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening http://%s/mcp\n", l.Addr())
	return h.Serve(ctx, l)
}

// newFixture is an HTTP as the product has it, with what the suites look for
// beside our own tools, prompts and resources. The suites read none of the
// protocol's optional parts as a fault of the server; the fixture has them all,
// so that they are judged.
func newFixture() (*server.HTTP, error) {
	text, err := os.ReadFile("testdata/contract.yaml")
	if err != nil {
		return nil, err
	}
	c, err := contract.Load(text)
	if err != nil {
		return nil, err
	}
	s, err := server.New(server.Options{
		Contract: c, Handlers: handlers(), Logger: slog.New(slog.DiscardHandler),
		Complete: func(context.Context, server.CompletionRequest) ([]string, error) { return []string{"testing"}, nil },
	})
	if err != nil {
		return nil, err
	}
	h, err := server.NewHTTP(s, server.HTTPOptions{Loopback: true})
	if err != nil {
		return nil, err
	}
	protocol, err := h.Extend(suiteTools(),
		mcpserver.WithLogging(), mcpserver.WithResourceCapabilities(true, true), mcpserver.WithPromptCapabilities(true),
		mcpserver.WithToolCapabilities(true))
	if err != nil {
		return nil, err
	}
	protocol.AddPrompts(suitePrompts()...)
	protocol.AddResources(suiteResources()...)
	protocol.AddResourceTemplates(suiteTemplates()...)
	return h, nil
}
