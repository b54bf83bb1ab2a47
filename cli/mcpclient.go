package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/awareness"
)

// askServer connects to one server and lists all its tools. An error is one
// line for people and holds no secret.
func askServer(ctx context.Context, config serverConfig, env func(string) string, timeout time.Duration) ([]awareness.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	fill := &filling{env: env}
	tools, err := listServer(ctx, config, fill, timeout)
	switch {
	case err == nil:
		return tools, nil
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("no answer within %s", timeout)
	case errors.Is(err, context.Canceled):
		return nil, errors.New("cancelled")
	}
	return nil, errors.New(cutLine(fill.redact(plainly(err)), 300))
}

func listServer(ctx context.Context, config serverConfig, fill *filling, timeout time.Duration) ([]awareness.Tool, error) {
	if config.broken != nil {
		return nil, config.broken
	}
	config, err := fill.filled(config)
	if err != nil {
		return nil, err
	}
	link, err := dialServer(config, fill)
	if err != nil {
		return nil, err
	}
	tools, err := listTools(ctx, link.transport, timeout)
	ended := ctx.Err() // now: ending the server takes time too
	link.close()
	switch {
	case err == nil:
		return tools, nil
	case ended != nil:
		return nil, ended
	case link.child != nil:
		return nil, link.child.explain(err)
	}
	return nil, err
}

// mcpLink is a way to a server and what has to be ended with it.
type mcpLink struct {
	transport transport.Interface
	child     *mcpChild // nil over HTTP
}

func (l mcpLink) close() {
	if l.child != nil {
		l.child.end(l.transport.Close)
		return
	}
	_ = l.transport.Close() // nothing is owed to a server that only listed its tools
}

func dialServer(config serverConfig, fill *filling) (mcpLink, error) {
	switch kind := strings.ToLower(config.Type); {
	case kind == "stdio" || kind == "" && config.Command != "":
		return dialStdio(config, fill)
	case kind == "http" || kind == "streamable-http" || kind == "streamablehttp" || kind == "" && config.URL != "":
		return dialHTTP(config, fill)
	case kind == "":
		return mcpLink{}, errors.New("the configuration has neither command nor url")
	case kind == "sse":
		return mcpLink{}, errors.New("type sse is not supported (MCP has replaced it): use http")
	default:
		return mcpLink{}, fmt.Errorf("unknown type %q: use stdio or http", config.Type)
	}
}

// listTools does what an MCP client does: initialize, then list page by page.
func listTools(ctx context.Context, over transport.Interface, timeout time.Duration) ([]awareness.Tool, error) {
	c := client.NewClient(over, client.WithDiscoverTimeout(min(5*time.Second, timeout/3)))
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "github-workflow-mcp awareness", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, err
	}
	listed, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if errors.Is(err, mcp.ErrMethodNotFound) { // a server of prompts or resources only
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return toolsOf(listed.Tools)
}

func toolsOf(listed []mcp.Tool) ([]awareness.Tool, error) {
	var out []awareness.Tool
	for _, t := range listed {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("the input schema of %s: %w", t.Name, err)
		}
		title := cmp.Or(t.Title, t.Annotations.Title)
		out = append(out, awareness.Tool{Name: t.Name, Title: title, Description: t.Description, InputSchema: schema})
	}
	return out, nil
}

func dialHTTP(config serverConfig, fill *filling) (mcpLink, error) {
	target, err := url.Parse(config.URL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return mcpLink{}, errors.New("its url is no http or https URL")
	}
	hideURL(target, fill)
	headers := map[string]string{}
	for name, value := range config.Headers {
		headers[name] = string(value)
	}
	over, err := transport.NewStreamableHTTP(config.URL,
		transport.WithHTTPHeaders(headers),
		transport.WithHTTPBasicClient(&http.Client{CheckRedirect: sameHost}),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return mcpLink{}, err
	}
	return mcpLink{transport: over}, nil
}

// hideURL makes secrets of the parts of a URL in which people put tokens.
func hideURL(target *url.URL, fill *filling) {
	if target.User != nil {
		password, _ := target.User.Password()
		fill.secrets = append(fill.secrets, target.User.String(), password)
	}
	fill.secrets = append(fill.secrets, target.RawQuery)
	for _, values := range target.Query() {
		fill.secrets = append(fill.secrets, values...)
	}
}

// sameHost keeps the configured headers away from hosts they are not meant for.
func sameHost(next *http.Request, via []*http.Request) error {
	if next.URL.Host != via[0].URL.Host || next.URL.Scheme != via[0].URL.Scheme {
		return errors.New("it redirects to another host")
	}
	if len(via) > 5 {
		return errors.New("it redirects without end")
	}
	return nil
}

// mcpChild is a server that runs as a process of ours, the leader of a process
// group so that what it starts (npx starts a shell, which starts node) ends too.
type mcpChild struct {
	cmd    *exec.Cmd
	stderr stderrTail
}

// childGrace is how long a server may take to end by itself once its input is
// closed, and again after it has been asked to.
const childGrace = time.Second

func dialStdio(config serverConfig, fill *filling) (mcpLink, error) {
	if config.Command == "" {
		return mcpLink{}, errors.New("the configuration has no command")
	}
	ch := &mcpChild{}
	environ := childEnv(config, fill.env)
	start := func(ctx context.Context, command string, _ []string, args []string) (*exec.Cmd, error) {
		ch.cmd = exec.CommandContext(ctx, command, args...)
		ch.cmd.Env, ch.cmd.Dir, ch.cmd.Stderr = environ, config.Cwd, &ch.stderr
		ch.cmd.WaitDelay = childGrace
		ownGroup(ch.cmd)
		return ch.cmd, nil
	}
	var args []string
	for _, arg := range config.Args {
		args = append(args, string(arg))
	}
	over := transport.NewStdioWithOptions(config.Command, nil, args,
		transport.WithCommandFunc(start), transport.WithCommandLogger(slog.New(slog.DiscardHandler)))
	return mcpLink{over, ch}, nil
}

// end closes the connection and sees to it that the whole group ends: by
// itself, else asked, else killed.
func (ch *mcpChild) end(closeTransport func() error) {
	if ch.cmd == nil || ch.cmd.Process == nil {
		return // it was never started
	}
	closed := make(chan struct{})
	go func() {
		_ = closeTransport() // reports how the child ended, which is nobody's concern now
		close(closed)
	}()
	for _, stop := range []func(*exec.Cmd){askGroup, killGroup} {
		select {
		case <-closed:
		case <-time.After(childGrace):
			stop(ch.cmd)
		}
	}
	<-closed
	killGroup(ch.cmd) // whatever has outlived its leader
}

// explain adds the child's last words to an error that only says that it ended.
func (ch *mcpChild) explain(err error) error {
	if ch.cmd == nil || ch.cmd.ProcessState == nil {
		return err
	}
	words := "it ended before it answered (" + ch.cmd.ProcessState.String() + ")"
	if last := ch.stderr.reason(); last != "" {
		words += ": " + last
	}
	if errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, os.ErrClosed) || isBrokenPipe(err) {
		return errors.New(words)
	}
	return err
}

// stderrTail keeps the end of what is written to it.
type stderrTail struct {
	mu   sync.Mutex
	kept []byte
}

const tailBytes = 4096

func (t *stderrTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - tailBytes; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

// complaint is a line that says what went wrong; runtimes and package managers
// print others after it.
var complaint = regexp.MustCompile(`(?i)(error|fatal|panic)(:| )`)

// reason is the first complaint, or else the last line.
func (t *stderrTail) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "")), "\n")
	at := slices.IndexFunc(lines, complaint.MatchString)
	if at < 0 {
		at = len(lines) - 1
	}
	return strings.TrimSpace(lines[at])
}

// inheritedEnv are the variables a server gets of ours: what programs need to run
// and to reach the network, and nothing that is named like a token.
var inheritedEnv = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR",
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "npm_config_registry", "NPM_CONFIG_REGISTRY",
	"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramFiles",
}

func childEnv(config serverConfig, env func(string) string) []string {
	out := []string{}
	for _, name := range inheritedEnv {
		if value := env(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	for name, value := range config.Env {
		out = append(out, name+"="+string(value)) // of two with one name exec takes the later
	}
	return out
}

// plainly says an error of the libraries in words for people.
func plainly(err error) string {
	var missing *exec.Error
	var refused *transport.AuthorizationRequiredError
	var unreachable *url.Error
	switch {
	case errors.As(err, &missing):
		return fmt.Sprintf("cannot start %q: %v", missing.Name, missing.Err)
	case errors.As(err, &refused):
		return "it asks for authorization: check its headers"
	case errors.Is(err, transport.ErrLegacySSEServer):
		return "its url does not speak MCP's streamable HTTP"
	case errors.As(err, &unreachable): // without its URL, which may hold a token
		return "cannot reach it: " + unreachable.Err.Error()
	case errors.Is(err, io.EOF):
		return "it closed the connection"
	}
	return err.Error()
}

// cutLine is text in at most limit runes.
func cutLine(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}
