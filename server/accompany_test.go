package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// slowGitHub answers every request after a while, with what a test needs.
type slowGitHub struct {
	takes  time.Duration
	before func(request int) // nil does nothing
	status int

	mu    sync.Mutex
	asked []http.Header
}

func (g *slowGitHub) RoundTrip(r *http.Request) (*http.Response, error) {
	g.mu.Lock()
	g.asked = append(g.asked, r.Header)
	request := len(g.asked)
	g.mu.Unlock()
	if g.before != nil {
		g.before(request)
	}
	select {
	case <-time.After(g.takes):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{
		StatusCode: g.status, Header: http.Header{"X-Github-Request-Id": {"A:1"}},
		Body: io.NopCloser(strings.NewReader(`{}`)), Request: r,
	}, nil
}

// fetching are options whose healthcheck makes so many requests to GitHub, one
// after the other, with their lines in log.
func fetching(t *testing.T, g *slowGitHub, requests int, log io.Writer) server.Options {
	t.Helper()
	o := options(t)
	o.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: transport.New(transport.Options{
		Base: g, Endpoints: endpoints, Logger: o.Logger, Retries: -1,
		Token: func(context.Context) (string, error) { return "none-of-your-business", nil },
	})}
	o.Handlers["healthcheck"] = func(ctx context.Context, _ json.RawMessage) (any, error) {
		for range requests {
			if err := fetch(transport.WithRead(ctx, "Page"), client, endpoints.REST); err != nil {
				return nil, err
			}
		}
		return map[string]string{"status": "healthy"}, nil
	}
	return o
}

func fetch(ctx context.Context, client *http.Client, from *url.URL) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// modern marks a request of 2026-07-28.
const modern = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

// metaLine is a call of healthcheck with members of _meta.
func metaLine(meta string) string {
	return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"healthcheck","arguments":{},"_meta":{` + meta + `}}}`
}

// TestProgress: a call that makes several requests tells its client so, if the
// client asked, in both eras, under the client's own token to the last digit,
// now and then, and never after the answer.
func TestProgress(t *testing.T) {
	told := func(token string, requests ...int) (lines []string) {
		for _, n := range requests {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress",`+
				`"params":{"message":"request %d to GitHub: Page","progress":%d,"progressToken":%s}}`, n, n, token))
		}
		return lines
	}
	for name, test := range map[string]struct {
		first    string // a line before the call
		meta     string
		requests int
		want     []string
	}{
		"a session":                  {handshake, `"progressToken":"p"`, 20, told(`"p"`, 2, 5, 8, 11, 14, 17, 20)},
		"no session":                 {"", modern + `,"progressToken":"p"`, 4, told(`"p"`, 2)},
		"a long number as the token": {handshake, `"progressToken":9007199254740993`, 2, told(`9007199254740993`, 2)},
		"nobody asked":               {handshake, ``, 20, nil},
		"null as the token":          {handshake, `"progressToken":null`, 20, nil},
		"an object as the token":     {handshake, `"progressToken":{}`, 20, nil},
		"one request":                {handshake, `"progressToken":"p"`, 1, nil},
		"before the handshake":       {"", `"progressToken":"p"`, 20, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := fetching(t, &slowGitHub{takes: 80 * time.Millisecond, status: 200}, test.requests, io.Discard)
				said := talk(t, newServer(t, o), test.first, metaLine(test.meta))
				if test.first != "" {
					said = said[1:]
				}
				answer := len(said) - 1
				if !strings.Contains(said[answer], `"id":2`) || !strings.Contains(said[answer], "healthy") {
					t.Errorf("the last line is not the answer: %s", said[answer])
				}
				if diff := cmp.Diff(test.want, said[:answer], cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("notifications (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestProgressOverHTTP comes on the stream of the answer while the call runs:
// GitHub holds its third answer back until the client has heard of the second
// request.
func TestProgressOverHTTP(t *testing.T) {
	const news = `"progressToken":9007199254740993`
	for name, test := range map[string]struct {
		meta    string
		headers []string
	}{
		"a session":  {news, nil},
		"no session": {modern + "," + news, []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: healthcheck"}},
	} {
		t.Run(name, func(t *testing.T) {
			heard := make(chan struct{})
			g := &slowGitHub{status: 200, before: func(request int) {
				if request == 3 {
					<-heard
				}
			}}
			s := open(t, newServer(t, fetching(t, g, 3, io.Discard)), server.HTTPOptions{Loopback: true})
			headers := test.headers
			if headers == nil {
				headers = []string{"Mcp-Session-Id: " + s.send("POST", "/mcp", handshake).header.Get("Mcp-Session-Id")}
			}
			stream := bufio.NewReader(s.stream(metaLine(test.meta), headers...))
			readUntil(t, stream, news)
			close(heard)
			readUntil(t, stream, `"result"`)
		})
	}
}

// stream posts a request and returns the answer as it comes.
func (s *site) stream(body string, headers ...string) io.Reader {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream") {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { answer.Body.Close() })
	return answer.Body
}

// readUntil reads lines until one contains text.
func readUntil(t *testing.T, stream *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := stream.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("%v before %s came", err, text)
		}
	}
}

// TestNoProgressAfterTheCall: a request that a tool leaves behind is not told
// of once the call is answered, nor one of a cancelled call.
func TestNoProgressAfterTheCall(t *testing.T) {
	for name, cancel := range map[string]bool{"answered": false, "cancelled": true} {
		t.Run(name, func(t *testing.T) {
			var leftBehind transport.Call
			started := make(chan struct{})
			o := options(t)
			o.Handlers["healthcheck"] = func(ctx context.Context, _ json.RawMessage) (any, error) {
				leftBehind = transport.CallOf(ctx)
				leftBehind.OnRequest("First")
				close(started)
				if cancel {
					<-ctx.Done()
					leftBehind.OnRequest("Second")
				}
				return map[string]string{"status": "healthy"}, nil
			}
			c := dial(t.Context(), t, newServer(t, o))
			c.send(handshake)
			c.receive()
			c.send(metaLine(`"progressToken":"p"`))
			<-started
			if cancel {
				c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
			} else if answer := c.receive(); !strings.Contains(answer, "healthy") {
				t.Fatalf("the answer is %s", answer)
			}
			c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
			if answer := c.receive(); !strings.Contains(answer, `"id":3`) {
				t.Errorf("instead of the ping's answer came %s", answer)
			}
			if !cancel {
				leftBehind.OnRequest("Second")
			}
			if rest := c.end(); rest != "" {
				t.Errorf("afterwards came %s", rest)
			}
		})
	}
}

// TestOneIDFromTheFaultToGitHub: what a call logs, here and in package
// transport, has one id, and the fault names it; the caller's trace goes on to
// GitHub.
func TestOneIDFromTheFaultToGitHub(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	var log bytes.Buffer
	g := &slowGitHub{status: 500}
	s := newServer(t, fetching(t, g, 1, &log))
	answer := talk(t, s, metaLine(`"traceparent":"`+trace+`","tracestate":"a=1"`))[0]
	var public struct{ Code, CallID, RequestID string }
	if err := json.Unmarshal([]byte(textOf(t, answer)), &public); err != nil {
		t.Fatal(err)
	}
	if public.Code != string(fault.UpstreamError) || public.RequestID != "A:1" || len(public.CallID) != 16 {
		t.Errorf("the fault is %+v, want UPSTREAM_ERROR with GitHub's id and the call's", public)
	}
	if got := []string{g.asked[0].Get("Traceparent"), g.asked[0].Get("Tracestate")}; got[0] != trace || got[1] != "a=1" {
		t.Errorf("GitHub was told the trace %q", got)
	}
	var messages []string
	for text := range strings.Lines(log.String()) {
		var line struct {
			Msg, Level, Call string
			TraceID          string `json:"trace_id"`
			GitHub           string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, line.Level+" "+line.Msg)
		if line.Call != public.CallID || line.TraceID != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("a line of another call or trace: %s", text)
		}
		if line.Msg == "call failed" && line.GitHub != "A:1" {
			t.Errorf("the line does not name GitHub's request: %s", text)
		}
	}
	if diff := cmp.Diff([]string{"DEBUG github request", "WARN call failed"}, messages); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// textOf is the text of a call's result.
func textOf(t *testing.T, answer string) string {
	t.Helper()
	var line struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(answer), &line); err != nil || len(line.Result.Content) != 1 {
		t.Fatalf("%v: no text in %s", err, answer)
	}
	return line.Result.Content[0].Text
}

// TestCallsHaveDifferentIDs, and only a fault whose cause is in the log has
// one.
func TestCallsHaveDifferentIDs(t *testing.T) {
	s := newServer(t, options(t))
	seen := map[string]bool{}
	for _, how := range []string{"panic", "error", "fault"} {
		result, err := s.Call(t.Context(), "fail", map[string]any{"how": how})
		if err != nil {
			t.Fatal(err)
		}
		var public struct{ CallID string }
		if err := json.Unmarshal(result.JSON, &public); err != nil {
			t.Fatal(err)
		}
		if (public.CallID != "") != (how != "fault") || seen[public.CallID] {
			t.Errorf("%s: call id %q", how, public.CallID)
		}
		seen[public.CallID] = true
	}
}

// endless is a result whose texts end the call that they are shown to.
type endless struct {
	letters
	end   func()
	shown int
}

func (e *endless) VisitTexts(visit func(trust.Text)) {
	e.letters.VisitTexts(func(text trust.Text) {
		e.shown++
		if e.shown == 2 {
			e.end()
		}
		visit(text)
	})
}

// TestResultsAreFinishedInTime: bringing a read's result into its form ends
// with the call; what was written is told all the same.
func TestResultsAreFinishedInTime(t *testing.T) {
	for tool, wantFault := range map[string]bool{"echo": true, "add_note": false} {
		ctx, cancel := context.WithCancel(t.Context())
		result := &endless{letters: letters{Texts: []*letter{{}, {}, {}}}, end: cancel}
		o := options(t)
		o.CheckResults = false
		o.Handlers[tool] = func(context.Context, json.RawMessage) (any, error) { return result, nil }
		got, err := newServer(t, o).Call(ctx, tool, map[string]any{"text": "x"})
		if err != nil || got.Failed != wantFault || result.shown < 2 {
			t.Errorf("%s: %v, %s", tool, err, got.JSON)
		}
		if stopped := result.Texts[2].AuthorTrust == ""; stopped != wantFault {
			t.Errorf("%s: looking through the texts stopped: %t, want %t", tool, stopped, wantFault)
		}
	}
}
