package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

const demoRepository = "octo-org/hello"

// How many bytes of a text make a token, on average. Results hold many ids and
// times, which models read in small pieces; the list of tools is mostly words.
const (
	bytesPerTokenOfResults = 3.1
	bytesPerTokenOfLists   = 4.3
)

// stage is where a scenario plays: a GitHub, agents with a server process each,
// and the ledger of what they do.
type stage struct {
	opts    DemoOptions
	command []string
	github  *sandbox.Running
	agents  []*agent
	cycle   int // from 1
	report  DemoReport
	story   *story
}

func openStage(ctx context.Context, opts DemoOptions) (*stage, error) {
	if opts.Env == nil {
		opts.Env = os.Getenv
	}
	command := opts.Command
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("finding this program, to run it as a server: %w", err)
		}
		command = []string{self, "stdio"}
	}
	github, err := sandbox.Start(ctx, sandbox.Options{}, "")
	if err != nil {
		return nil, fmt.Errorf("starting the embedded GitHub: %w", err)
	}
	told := opts.Out
	if opts.Format == "json" {
		told = io.Discard
	}
	return &stage{
		opts: opts, command: command, github: github, story: &story{w: told, colour: opts.Colour},
		report: DemoReport{Scenario: orDefault(opts.Scenario, "handoff"), Repository: demoRepository},
	}, nil
}

// close ends the agents' servers, then GitHub.
func (s *stage) close() {
	for _, a := range s.agents {
		a.leave()
	}
	_ = s.github.Close() // nobody is left whom it could answer
}

// agent is an MCP client with a server process of its own, which works on the
// stage's GitHub under a login of its own.
type agent struct {
	name   string
	stage  *stage
	link   mcpLink
	client *client.Client
	wire   *lastResult
	memory *memory
}

// hire starts an agent. The token goes through the environment: everybody can
// see the arguments of a process.
func (s *stage) hire(ctx context.Context, name, token string, flags ...string) (*agent, error) {
	a, err := s.start(ctx, name, token, flags)
	if err != nil {
		return nil, fmt.Errorf("starting the server of agent %s (%s): %w", name, strings.Join(s.command, " "), err)
	}
	return a, nil
}

func (s *stage) start(ctx context.Context, name, token string, flags []string) (*agent, error) {
	config := serverConfig{ID: name, Command: s.command[0], Env: map[string]configScalar{
		"GITHUB_API_URL":     configScalar(s.github.RESTURL()),
		"GITHUB_GRAPHQL_URL": configScalar(s.github.GraphQLURL()),
		"GITHUB_TOKEN":       configScalar(token),
		"GITHUB_REPOSITORY":  demoRepository,
	}}
	for _, arg := range append(s.command[1:len(s.command):len(s.command)], flags...) {
		config.Args = append(config.Args, configScalar(arg))
	}
	link, err := dialStdio(config, &filling{env: s.opts.Env})
	if err != nil {
		return nil, err
	}
	a := &agent{name: name, stage: s, link: link, wire: &lastResult{Interface: link.transport}, memory: newMemory()}
	s.agents = append(s.agents, a)
	a.client = client.NewClient(a.wire, client.WithDiscoverTimeout(5*time.Second))
	if err := a.client.Start(ctx); err != nil {
		return nil, a.explain(err)
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "github-workflow-mcp demo, agent " + name, Version: "1"}
	_, err = a.client.Initialize(ctx, hello)
	return a, a.explain(err)
}

func (a *agent) explain(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(plainly(a.link.child.explain(err)))
}

// leave ends the agent's server; a second call does nothing.
func (a *agent) leave() {
	if a.link.child != nil {
		a.link.close()
		a.link = mcpLink{}
	}
}

// lastResult remembers the bytes of the last result, which are lost when the
// client has decoded them.
type lastResult struct {
	transport.Interface
	raw json.RawMessage
}

// SendRequest passes the request on.
func (l *lastResult) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	answer, err := l.Interface.SendRequest(ctx, request)
	if err == nil {
		l.raw = answer.Result
	}
	return answer, err
}

// call calls a tool, decodes its result, and says what that took.
func (a *agent) call(ctx context.Context, tool string, arguments, result any) (DemoCost, error) {
	seen := a.stage.lastRequest()
	answer, err := a.client.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: arguments}})
	if err != nil {
		return DemoCost{}, fmt.Errorf("agent %s, %s: %w", a.name, tool, a.explain(err))
	}
	if answer.IsError {
		return DemoCost{}, fmt.Errorf("agent %s, %s: %s", a.name, tool, textOf(answer))
	}
	cost := a.stage.upstreamSince(seen)
	text := textOf(answer) // the structured content as JSON, which the wire may spell in more bytes
	cost.Calls, cost.ResultBytes, cost.Tokens = 1, len(text), a.stage.tokens("result", text, bytesPerTokenOfResults)
	if err := json.Unmarshal([]byte(text), result); err != nil {
		return DemoCost{}, fmt.Errorf("agent %s: the result of %s: %w", a.name, tool, err)
	}
	return cost, nil
}

func textOf(answer *mcp.CallToolResult) string {
	var texts []string
	for _, content := range answer.Content {
		if text, ok := content.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// listing lists the tools, and weighs the list.
func (a *agent) listing(ctx context.Context, form string) (DemoListing, error) {
	if _, err := a.client.ListToolsByPage(ctx, mcp.ListToolsRequest{}); err != nil {
		return DemoListing{}, fmt.Errorf("agent %s, listing the tools: %w", a.name, a.explain(err))
	}
	var list struct{ Tools json.RawMessage }
	var tools []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	err := json.Unmarshal(a.wire.raw, &list)
	if err == nil {
		err = json.Unmarshal(list.Tools, &tools)
	}
	if err != nil {
		return DemoListing{}, fmt.Errorf("agent %s, the list of tools: %w", a.name, err)
	}
	read := ""
	for _, tool := range tools {
		read += tool.Name + "\n" + tool.Description + "\n" + string(tool.InputSchema) + "\n"
	}
	return DemoListing{
		Form: form, Tools: len(tools), Bytes: len(list.Tools),
		ModelBytes: len(read), Tokens: a.stage.tokens("list", read, bytesPerTokenOfLists),
	}, nil
}

// tokens is about how many tokens a text has.
func (s *stage) tokens(kind, text string, bytesPerToken float64) int {
	estimate := int(math.Round(float64(len(text)) / bytesPerToken))
	if s.opts.Observe != nil {
		s.opts.Observe(kind, text, estimate)
	}
	return estimate
}

func (s *stage) lastRequest() int {
	requests := s.github.Requests()
	if len(requests) == 0 {
		return 0
	}
	return requests[len(requests)-1].Number
}

// upstreamSince is what has reached GitHub after a request.
func (s *stage) upstreamSince(number int) DemoCost {
	var cost DemoCost
	for _, request := range s.github.Requests() {
		if request.Number > number {
			cost.Requests++
			cost.UpstreamBytes += request.ResponseBytes
		}
	}
	return cost
}
