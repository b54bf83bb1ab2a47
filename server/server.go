// Package server turns the contract and a map of handlers into an MCP server.
//
// It promises that every call takes one path: look the tool up, check the
// arguments against the contract, run the handler, project trust, fit the
// result into its budget, and answer with a result that the contract
// describes or with a fault. Handlers never see JSON-RPC, and nothing a
// handler or a client does ends the process or loses another call's answer.
package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// Name is how the server introduces itself. Hosts put it before a tool's
// name and limit the sum to about 60 characters, so it is short.
const Name = "github-workflow"

// Defaults and bounds of Options.
const (
	DefaultMaxResultBytes   = 65_536
	MinMaxResultBytes       = 2_048
	DefaultCallTimeout      = 50 * time.Second
	DefaultConfirmationWait = 5 * time.Minute
)

// Options configures a Server. Contract and Handlers are required; the zero
// value of everything else is its default.
type Options struct {
	Contract *contract.Contract
	Handlers map[string]Handler // by tool name; exactly the contract's tools

	Version string // of the binary; "" is the contract's
	// Instructions makes the text for the model, sent once per session, from
	// the names of the tools that are listed; nil, or no text, sends none.
	Instructions func(tools []string) string
	// Roster makes the text that prompts show as the list of tools; nil is
	// none.
	Roster func(tools []listing.Tool) string
	// Complete gives the values that an argument of a prompt or resource may
	// have, the likely ones first; it need not look at what has been typed.
	// Nil completes nothing.
	Complete func(context.Context, CompletionRequest) ([]string, error)

	Selection
	FullListing bool // list tools uncompacted

	// MaxResultBytes bounds the compact JSON of a result; 0 is
	// DefaultMaxResultBytes.
	MaxResultBytes int
	// CallTimeout bounds one call from its start; 0 is DefaultCallTimeout.
	CallTimeout time.Duration
	// ConfirmationWait is how long a person may take to confirm a call, beside
	// CallTimeout; 0 is DefaultConfirmationWait.
	ConfirmationWait time.Duration
	// ConfirmationKey seals the questions that clients of 2026-07-28 carry to
	// the repeated call. Replicas that share it answer each other's; "" makes
	// one for this process alone.
	ConfirmationKey string

	// BeforeWrite is asked before every call of a tool that is not read-only,
	// within its CallTimeout; its error is the call's, and the tool does not
	// run. Nil has no objection to anything.
	BeforeWrite func(context.Context) error

	Trust trust.Policy // whom to trust, and what to do with the texts of others
	// CheckResults makes a result that breaks its own output schema an
	// INTERNAL fault. It costs a validation per call.
	CheckResults bool

	Logger *slog.Logger // nil is slog.Default()
}

// Server answers tool calls. It is safe for concurrent use.
type Server struct {
	options      Options
	contract     *contract.Contract
	handlers     map[string]Handler
	maxResult    int
	callTimeout  time.Duration
	beforeWrite  func(context.Context) error
	confirm      confirmer
	trust        trust.Policy
	checkResults bool
	log          *slog.Logger
	observe      func(ctx context.Context, tool string, took time.Duration, err error) // nil: nobody wants to know

	// What differs between a server and those narrowed from it.
	enabled     map[string]bool   // may be called
	off         map[string]string // why a tool may not, where there is more to say
	toolsets    []string          // on as a whole
	readOnly    bool
	names       []string              // of the listed tools, in the order of the list
	tools       func() []listing.Tool // as listed; made when first asked for, which a start is not
	roster      func() string
	completions func(context.Context, CompletionRequest) ([]string, error)
	protocol    *mcpserver.MCPServer
}

// New makes a Server. It refuses a contract and handlers that differ in
// either direction, names of tools and toolsets it does not know, and bounds
// out of range.
func New(o Options) (*Server, error) {
	if err := sameTools(o.Contract, o.Handlers); err != nil {
		return nil, err
	}
	enabled, err := o.enabled(o.Contract)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, contract: o.Contract, handlers: o.Handlers,
		maxResult: o.MaxResultBytes, callTimeout: o.CallTimeout, beforeWrite: o.BeforeWrite,
		confirm: newConfirmer(o.ConfirmationWait, o.ConfirmationKey),
		trust:   o.Trust, checkResults: o.CheckResults, log: o.Logger, completions: o.Complete,
		enabled: enabled, toolsets: o.ToolsetsOn(o.Contract), readOnly: o.ReadOnly,
	}
	if err := s.setDefaults(); err != nil {
		return nil, err
	}
	s.assemble()
	return s, nil
}

// assemble makes everything that follows from the tools that are on.
func (s *Server) assemble() {
	s.names = listedNames(s.contract, s.enabled, s.readOnly)
	s.tools = sync.OnceValue(func() []listing.Tool { return listTools(s.contract, s.names, s.options.FullListing) })
	s.roster = sync.OnceValue(func() string {
		if s.options.Roster == nil {
			return ""
		}
		return s.options.Roster(s.Tools())
	})
	s.protocol = s.newProtocol()
	s.addPrompts()
	s.addResources()
}

// Narrowed is a server with the tools that this one and all the selections
// offer, read-only when one of them is. Calls of both take the same path. Its
// error names a tool or toolset that does not exist.
func (s *Server) Narrowed(to ...Selection) (*Server, error) {
	for _, selection := range to {
		if err := selection.check(s.contract); err != nil {
			return nil, err
		}
	}
	return s.sibling(func(n *Server) {
		for _, selection := range to {
			n.narrow(selection)
		}
	}), nil
}

// narrow takes away what the selection does not offer.
func (s *Server) narrow(to Selection) {
	chosen, sets := to.chosen(s.contract), to.ToolsetsOn(s.contract)
	maps.DeleteFunc(s.enabled, func(tool string, _ bool) bool { return !chosen[tool] })
	s.toolsets = slices.DeleteFunc(s.toolsets, func(set string) bool { return !slices.Contains(sets, set) })
	s.readOnly = s.readOnly || to.ReadOnly
}

// turnOff takes tools away; off says of each why.
func (s *Server) turnOff(off map[string]string) {
	maps.DeleteFunc(s.enabled, func(tool string, _ bool) bool { return off[tool] != "" })
	s.off = off
	s.toolsets = slices.DeleteFunc(s.toolsets, func(set string) bool { return !s.offers(set) })
}

// offers reports whether any tool of the set may be called.
func (s *Server) offers(set string) bool {
	return slices.ContainsFunc(s.contract.Tools(), func(t *contract.Tool) bool { return t.Toolset == set && s.enabled[t.Name] })
}

// sibling is a copy that may be changed, assembled anew.
func (s *Server) sibling(change func(*Server)) *Server {
	n := *s
	n.enabled, n.toolsets = maps.Clone(s.enabled), slices.Clone(s.toolsets)
	change(&n)
	n.assemble()
	return &n
}

func (s *Server) setDefaults() error {
	if s.maxResult == 0 {
		s.maxResult = DefaultMaxResultBytes
	}
	if s.maxResult < MinMaxResultBytes {
		return fmt.Errorf("a result budget of %d bytes is too small: the least is %d", s.maxResult, MinMaxResultBytes)
	}
	if s.callTimeout == 0 {
		s.callTimeout = DefaultCallTimeout
	}
	if s.callTimeout < 0 {
		return fmt.Errorf("a call time-out of %s is no time at all", s.callTimeout)
	}
	if s.confirm.wait < 0 {
		return fmt.Errorf("%s to confirm a call is no time at all", s.confirm.wait)
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.log = transport.LogCalls(s.log)
	return nil
}

// sameTools says how contract and handlers differ, or nil.
func sameTools(c *contract.Contract, handlers map[string]Handler) error {
	var faults []string
	for _, tool := range c.Tools() {
		if handlers[tool.Name] == nil {
			faults = append(faults, tool.Name+": in the contract, without a handler")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		if _, ok := c.Tool(name); !ok {
			faults = append(faults, name+": has a handler, but is not in the contract")
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("contract and handlers differ:\n  %s", strings.Join(faults, "\n  "))
	}
	return nil
}

// Tools is the list as clients see it, in its order.
func (s *Server) Tools() []listing.Tool { return slices.Clone(s.tools()) }

// Surface is the digest over the listed tools: a client whose cached list has
// another one is looking at another server.
func (s *Server) Surface() (digest string, tools int) {
	return listing.Digest(s.tools()), len(s.names)
}

// Mode is how the server works: whether it refuses writes, and the toolsets
// that are on as a whole.
func (s *Server) Mode() (readOnly bool, toolsets []string) {
	return s.readOnly, slices.Clone(s.toolsets)
}

// newProtocol is the MCP side: identity, tools and their order.
func (s *Server) newProtocol() *mcpserver.MCPServer {
	version := cmp.Or(s.options.Version, s.contract.Version())
	instructions := ""
	if s.options.Instructions != nil {
		instructions = s.options.Instructions(slices.Clone(s.names))
	}
	listed := sync.OnceValue(s.protocolTools)
	hooks := &mcpserver.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		// A read-only server knows its write tools, to answer READ_ONLY, but
		// does not list them.
		result.Tools = listed()
	})
	hooks.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		afterAck(ctx)
	})
	options := []mcpserver.ServerOption{
		mcpserver.WithTitle(s.contract.Title()),
		mcpserver.WithInstructions(instructions),
		mcpserver.WithToolCapabilities(false),
		mcpserver.WithHooks(hooks),
	}
	p := mcpserver.NewMCPServer(Name, version, append(options, s.furtherCapabilities()...)...)
	for name := range s.enabled {
		p.AddTool(mcp.NewToolWithRawSchema(name, "", []byte(`{"type":"object"}`)), s.callTool)
	}
	return p
}

// furtherCapabilities are those of what the contract has beside its tools.
func (s *Server) furtherCapabilities() []mcpserver.ServerOption {
	var options []mcpserver.ServerOption
	if len(s.contract.Prompts()) > 0 {
		options = append(options, mcpserver.WithPromptCapabilities(false))
	}
	if len(s.contract.Resources()) > 0 {
		options = append(options, mcpserver.WithResourceCapabilities(false, false))
	}
	if s.completions != nil {
		options = append(options, mcpserver.WithCompletions(),
			mcpserver.WithPromptCompletionProvider(completer{s}), mcpserver.WithResourceCompletionProvider(completer{s}))
	}
	return options
}

func (s *Server) protocolTools() []mcp.Tool {
	tools := make([]mcp.Tool, len(s.names))
	for i, t := range s.tools() {
		tools[i] = mcp.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema)
		tools[i].Title = t.Title
		tools[i].RawOutputSchema = t.OutputSchema
		tools[i].Annotations = mcp.ToolAnnotation{
			ReadOnlyHint:    &t.Annotations.ReadOnlyHint,
			DestructiveHint: &t.Annotations.DestructiveHint,
			IdempotentHint:  &t.Annotations.IdempotentHint,
			OpenWorldHint:   &t.Annotations.OpenWorldHint,
		}
	}
	return tools
}
