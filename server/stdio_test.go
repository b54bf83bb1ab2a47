package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// TestSessions plays every session in testdata, with and without a newline at
// its very end. Answers may come in any order.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("the session does not say why it exists")
			}
			s := newServer(t, sessionOptions(t, part(archive, "options")))
			client := part(archive, "client")
			want := canonical(t, part(archive, "server"))
			for name, input := range map[string]string{"whole": client, "without a last newline": strings.TrimRight(client, "\n")} {
				if diff := cmp.Diff(want, canonical(t, converse(t, s, input))); diff != "" {
					t.Errorf("%s: answers (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func part(archive *txtar.Archive, name string) string {
	for _, file := range archive.Files {
		if file.Name == name {
			return string(file.Data)
		}
	}
	return ""
}

// sessionOptions reads lines such as "read-only" and "toolsets a,b".
func sessionOptions(t *testing.T, text string) server.Options {
	t.Helper()
	o := options(t)
	for line := range strings.Lines(text) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name {
		case "read-only":
			o.ReadOnly = true
		case "toolsets":
			o.Toolsets = strings.Split(value, ",")
		case "confirmation-wait":
			wait, err := time.ParseDuration(value)
			if err != nil {
				t.Fatal(err)
			}
			o.ConfirmationWait = wait
		default:
			t.Fatalf("unknown option %q", name)
		}
	}
	return o
}

// state is what the server gives a client to bring back; in a session file it
// is STATE, the one given last.
var state = regexp.MustCompile(`"requestState":"[\w-]{40,}"`)

// callID is the id of a call in a fault, quoted or not; in a session file it is
// CALL.
var callID = regexp.MustCompile(`(callId\\?":\\?")[0-9a-f]{16}`)

const stateInFile = `"requestState":"STATE"`

// converse plays a session in which the client may answer questions: a line
// after "? " waits until the server has asked, or taken back, one more.
func converse(t *testing.T, s *server.Server, input string) string {
	t.Helper()
	heard := &listener{questions: make(chan string, 10)}
	serverIn, in := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(t.Context(), serverIn, heard) }()
	for line := range strings.Lines(input) {
		if answer, ok := strings.CutPrefix(line, "? "); ok {
			line = strings.Replace(answer, stateInFile, <-heard.questions, 1)
		}
		if _, err := io.WriteString(in, line); err != nil {
			t.Fatal(err)
		}
	}
	in.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return heard.said.String()
}

// listener keeps what the server says and tells of every question in it, with
// its state if it has one, and of every question that is taken back.
type listener struct {
	said      bytes.Buffer
	questions chan string
}

func (l *listener) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("elicitation/create")) || bytes.Contains(line, []byte("notifications/cancelled")) {
		l.questions <- string(state.Find(line))
	}
	return l.said.Write(line)
}

// canonical are the lines with their members in one order, sorted.
func canonical(t *testing.T, text string) []string {
	t.Helper()
	text = state.ReplaceAllLiteralString(text, stateInFile)
	text = callID.ReplaceAllString(text, "${1}CALL")
	var lines []string
	for line := range strings.Lines(text) {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var value any
		if err := d.Decode(&value); err != nil {
			t.Fatalf("%q is no JSON: %v", line, err)
		}
		ordered, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(ordered))
	}
	slices.Sort(lines)
	return lines
}

func play(t testing.TB, s *server.Server, input string) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func callLine(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// TestNothingIsLostAtTheEnd pipes a session in whole, a hundred times.
func TestNothingIsLostAtTheEnd(t *testing.T) {
	s := newServer(t, options(t))
	var lines []string
	for id := range 8 {
		lines = append(lines, callLine(id, "echo", `{"text":"x"}`))
	}
	for range 100 {
		if answers := talk(t, s, lines...); len(answers) != len(lines) {
			t.Fatalf("%d answers to %d calls", len(answers), len(lines))
		}
	}
}

// TestManyCallsAtOnce holds 200 calls open until all that may run do, and
// lets the input end before any is answered.
func TestManyCallsAtOnce(t *testing.T) {
	const calls, running = 200, 100
	started, release := make(chan struct{}, calls), make(chan struct{})
	o := options(t)
	o.Handlers["echo"] = server.Typed(func(ctx context.Context, r echoRequest) (*echoResult, error) {
		started <- struct{}{}
		<-release
		return echo(ctx, r)
	})
	go func() {
		for range running {
			<-started
		}
		close(release)
	}()
	var lines []string
	for id := range calls {
		lines = append(lines, callLine(id, "echo", `{"text":"x"}`))
	}
	answers := talk(t, newServer(t, o), lines...)
	if len(answers) != calls {
		t.Errorf("%d answers to %d calls", len(answers), calls)
	}
	for _, answer := range answers {
		if strings.Contains(answer, "error") {
			t.Fatalf("a call failed: %s", answer)
		}
	}
}

// client is the other end of a session over pipes.
type client struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	done chan error
}

func dial(ctx context.Context, t *testing.T, s *server.Server) *client {
	t.Helper()
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	c := &client{t: t, in: in, out: bufio.NewReader(out), done: make(chan error, 1)}
	go func() {
		c.done <- s.ServeStdio(ctx, serverIn, serverOut)
		serverOut.Close()
	}()
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return line
}

// end closes the input and gives what came after it.
func (c *client) end() string {
	c.t.Helper()
	c.in.Close()
	rest, err := io.ReadAll(c.out)
	if err := errors.Join(err, <-c.done); err != nil {
		c.t.Error(err)
	}
	return string(rest)
}

// TestCancel is A61: a cancelled call ends upstream and is not answered, with
// number and text ids, and the next call works.
func TestCancel(t *testing.T) {
	for _, id := range []string{`9`, `"nine"`} {
		t.Run(id, func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan error, 1)
			o := options(t)
			o.Handlers["fail"] = func(ctx context.Context, _ json.RawMessage) (any, error) {
				close(started)
				<-ctx.Done()
				ended <- ctx.Err()
				return nil, ctx.Err()
			}
			c := dial(t.Context(), t, newServer(t, o))
			c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"fail","arguments":{"how":"wait"}}}`)
			<-started
			c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"changed my mind"}}`)
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the handler's context ended with %v", err)
			}
			c.send(callLine(10, "echo", `{"text":"next"}`))
			if answer := c.receive(); !strings.Contains(answer, `"id":10`) || !strings.Contains(answer, "next") {
				t.Errorf("the next answer is %s", answer)
			}
			if rest := c.end(); rest != "" {
				t.Errorf("the cancelled call was answered: %s", rest)
			}
		})
	}
}

// TestCancelWhileWaiting cancels a call that has not begun, because as many as
// may run at once already do.
func TestCancelWhileWaiting(t *testing.T) {
	const running = 100
	started, release := make(chan string, running+1), make(chan struct{})
	o := options(t)
	o.Handlers["echo"] = server.Typed(func(ctx context.Context, r echoRequest) (*echoResult, error) {
		started <- r.Text
		<-release
		return echo(ctx, r)
	})
	c := dial(t.Context(), t, newServer(t, o))
	for id := range running {
		c.send(callLine(id, "echo", `{"text":"early"}`))
	}
	for range running {
		<-started
	}
	c.send(callLine(running, "echo", `{"text":"late"}`))
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, running))
	c.send(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
	if answer := c.receive(); !strings.Contains(answer, `"after"`) {
		t.Errorf("a ping behind waiting calls is answered with %s", answer)
	}
	close(release)
	if answers := strings.Count(c.end(), "\n"); answers != running {
		t.Errorf("%d answers to %d calls that were not cancelled", answers, running)
	}
	if len(started) != 0 {
		t.Error("the cancelled call was begun all the same")
	}
}

// TestNotificationsComeFirst: what a call notifies is out before its answer,
// also what it notifies last.
func TestNotificationsComeFirst(t *testing.T) {
	o := options(t)
	o.Handlers["healthcheck"] = func(ctx context.Context, _ json.RawMessage) (any, error) {
		for step := range 5 {
			err := mcpserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress",
				map[string]any{"progressToken": "p", "progress": step})
			if err != nil {
				return nil, err
			}
		}
		return map[string]string{"status": "healthy"}, nil
	}
	said := talk(t, newServer(t, o),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`,
		callLine(2, "healthcheck", `{}`))
	if len(said) != 7 {
		t.Fatalf("%d lines, want the handshake, 5 notifications and the answer:\n%s", len(said), strings.Join(said, "\n"))
	}
	for step, line := range said[1:6] {
		if !strings.Contains(line, fmt.Sprintf(`"progress":%d`, step)) {
			t.Errorf("line %d is %s", step+1, line)
		}
	}
}

// TestStop ends the context in the middle of calls: one ends in
// time, the other is cancelled. Both are answered, and that is no error.
func TestStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	started := make(chan struct{}, 2)
	o := options(t)
	o.Handlers["echo"] = server.Typed(func(_ context.Context, r echoRequest) (*echoResult, error) {
		started <- struct{}{}
		<-ctx.Done()
		return echo(context.WithoutCancel(ctx), r)
	})
	o.Handlers["fail"] = func(ctx context.Context, _ json.RawMessage) (any, error) {
		started <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	c := dial(ctx, t, newServer(t, o))
	c.send(callLine(1, "fail", `{"how":"wait"}`))
	c.send(callLine(2, "echo", `{"text":"in time"}`))
	<-started
	<-started
	stop()
	for _, want := range []string{"in time", "this server is stopping"} {
		if line := c.receive(); !strings.Contains(line, want) {
			t.Errorf("an answer is %s, want %q", line, want)
		}
	}
	rest, _ := io.ReadAll(c.out)
	if err := <-c.done; err != nil || len(rest) > 0 {
		t.Errorf("a stopped session ends with %v and says %q", err, rest)
	}
}

// TestStopWithoutAReader: a client that does not read holds nothing up.
func TestStopWithoutAReader(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	o := options(t)
	o.Handlers["fail"] = func(context.Context, json.RawMessage) (any, error) {
		stop()
		return map[string]string{"text": "done"}, nil
	}
	c := dial(ctx, t, newServer(t, o))
	c.send(callLine(1, "fail", `{"how":"wait"}`))
	if err := <-c.done; err != nil {
		t.Errorf("a stopped session ends with %v", err)
	}
}

// TestBrokenOutput ends the session when the client is gone.
func TestBrokenOutput(t *testing.T) {
	in, _ := io.Pipe()
	defer in.Close()
	gone, out := io.Pipe()
	gone.Close()
	input := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), in)
	if err := newServer(t, options(t)).ServeStdio(t.Context(), input, out); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the session ends with %v, want that of the pipe", err)
	}
}

// TestBigLines is A60: 5 MB go both ways, and a line over the bound is refused
// without ending the session.
func TestBigLines(t *testing.T) {
	const big = 5 << 20
	o := options(t)
	o.MaxResultBytes = 2 * big
	s := newServer(t, o)
	answers := talk(t, s,
		callLine(1, "echo", `{"text":"`+strings.Repeat("y", big)+`"}`),
		strings.Repeat("z", server.MaxLineBytes+1),
		callLine(2, "fill", fmt.Sprintf(`{"bytes":%d}`, big)),
		`{"jsonrpc":"2.0","id":3,"method":"ping"}`,
	)
	if len(answers) != 4 {
		t.Fatalf("%d answers to 4 lines", len(answers))
	}
	slices.SortFunc(answers, func(a, b string) int { return len(a) - len(b) })
	if answers[0] != `{"jsonrpc":"2.0","id":3,"result":{}}` {
		t.Errorf("the ping is answered with %s", answers[0])
	}
	if !strings.Contains(answers[1], `"code":-32600`) || !strings.Contains(answers[1], "16777216 bytes") {
		t.Errorf("the line over the bound is answered with %s", answers[1])
	}
	for _, answer := range answers[2:] {
		if len(answer) < 2*big || !json.Valid([]byte(answer)) {
			t.Errorf("an answer of 5 MB has %d bytes", len(answer))
		}
	}
}

// TestNumbersOutOfRange is the far end of A24: the line is good JSON, and the
// field that does not fit is named.
func TestNumbersOutOfRange(t *testing.T) {
	s := newServer(t, options(t))
	for _, count := range []string{"1e400", "-1", "0", "12.5", `""`, `"NaN"`, "5301580683123456789"} {
		answer := talk(t, s, callLine(1, "echo", `{"text":"x","count":`+count+`}`))[0]
		if !strings.Contains(answer, "INVALID_ARGUMENTS") || !strings.Contains(answer, "count") {
			t.Errorf("count %s is answered with %s", count, answer)
		}
	}
}

// FuzzServeLine feeds any bytes: the session answers a ping after them, and
// all it says is JSON-RPC.
func FuzzServeLine(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{}", "[]", "null", "\xff\xfe", "\ufeff{}", `{"jsonrpc":"2.0","id":1}`,
		callLine(1, "echo", `{"text":"x"}`), callLine(1, "echo", `null`), callLine(1, "fail", `{"how":"panic"}`),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":1e999,"method":"tools/list","params":{"cursor":3}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":"x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true}}}`,
		strings.Repeat("[", 20_000),
	} {
		f.Add([]byte(seed))
	}
	o := options(f)
	o.CallTimeout = 5 * time.Millisecond // some input may well call a tool that waits
	s := newServer(f, o)
	f.Fuzz(func(t *testing.T, data []byte) {
		const ping = `{"jsonrpc":"2.0","id":"the ping after","method":"ping"}`
		answers := play(t, s, string(data)+"\n"+ping)
		if strings.Count(answers, `"id":"the ping after"`) != 1 {
			t.Errorf("the ping was not answered once: %q", answers)
		}
		for line := range strings.Lines(answers) {
			var message struct{ JSONRPC string }
			if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
				t.Errorf("not JSON-RPC: %q", line)
			}
		}
	})
}
