package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	mcpclient "github.com/mark3labs/mcp-go/client"
	clienttransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// gated are options whose tool fail runs until it is released or cancelled.
type gated struct {
	server.Options
	started chan struct{}
	release chan struct{}
	ended   chan error // nil: it ran to its end
}

func gatedOptions(t *testing.T) *gated {
	g := &gated{Options: options(t), started: make(chan struct{}, 100), release: make(chan struct{}), ended: make(chan error, 100)}
	g.Handlers["fail"] = func(ctx context.Context, _ json.RawMessage) (any, error) {
		g.started <- struct{}{}
		select {
		case <-g.release:
			g.ended <- nil
			return map[string]string{"text": "done"}, nil
		case <-ctx.Done():
			g.ended <- ctx.Err()
			return nil, ctx.Err()
		}
	}
	return g
}

// later sends a request and gives the answer when there is one.
func (s *site) later(body string, headers ...string) <-chan heard {
	answer := make(chan heard, 1)
	go func() { answer <- s.send("POST", "/mcp", body, headers...) }()
	return answer
}

// TestCancelIsTheOwners: a call ends when its own session says so, and for
// nobody else who knows its id.
func TestCancelIsTheOwners(t *testing.T) {
	g := gatedOptions(t)
	s := open(t, newServer(t, g.Options), server.HTTPOptions{Loopback: true})
	const a, b = "Authorization: Bearer token-a", "Authorization: Bearer token-b"
	owner, other, stranger := s.begin(a), s.begin(a), s.begin(b)
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":42}}`
	answer := s.later(callLine(42, "fail", `{"how":"wait"}`), owner, a)
	<-g.started
	for name, headers := range map[string][]string{
		"without a session":               {a},
		"another session of the user":     {a, other},
		"another user":                    {b, stranger},
		"another user, with this session": {b, owner},
		"of 2026-07-28":                   {a, owner, "MCP-Protocol-Version: 2026-07-28"},
	} {
		s.send("POST", "/mcp", cancel, headers...)
		select {
		case err := <-g.ended:
			t.Fatalf("%s: the call was cancelled: %v", name, err)
		default:
		}
	}
	if got := s.send("POST", "/mcp", cancel, owner, a); got.status != http.StatusAccepted {
		t.Errorf("its owner cancels: %d %s", got.status, got.body)
	}
	if err := <-g.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context ended with %v", err)
	}
	if got := <-answer; got.body != "" || !strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("the cancelled call is answered with %d %v %s", got.status, got.header, got.body)
	}
	if text := s.send("GET", "/metrics", "").body; !strings.Contains(text, `calls_total{code="cancelled",tool="fail"} 1`) || strings.Contains(text, "INTERNAL") {
		t.Errorf("the metrics:\n%s", text)
	}
}

// TestSessionlessCallsWithOneID: two clients without sessions use the same id,
// and each gets its own answer.
func TestSessionlessCallsWithOneID(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			text := fmt.Sprint("from ", i)
			body, headers := stateless(1, "tools/call", fmt.Sprintf(`"name":"echo","arguments":{"text":%q}`, text))
			if i%2 == 0 {
				body, headers = callLine(1, "echo", fmt.Sprintf(`{"text":%q}`, text)), nil
			}
			if got := s.send("POST", "/mcp", body, headers...); !strings.Contains(got.body, text+`\"`) {
				t.Errorf("%s is answered with %s", text, got.body)
			}
		})
	}
	all.Wait()
}

// TestHangingUp: a client of 2026-07-28 cancels by it, an older one does not.
func TestHangingUp(t *testing.T) {
	modernBody, modernHeaders := stateless(1, "tools/call", `"name":"fail","arguments":{"how":"wait"}`)
	for name, test := range map[string]struct {
		body    string
		headers []string
		want    error
	}{
		"modern": {modernBody, modernHeaders, context.Canceled},
		"legacy": {callLine(1, "fail", `{"how":"wait"}`), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := gatedOptions(t)
			s := open(t, newServer(t, g.Options), server.HTTPOptions{Loopback: true})
			c := s.dial()
			c.post(test.body, test.headers...)
			<-g.started
			c.Close()
			if test.want == nil {
				close(g.release)
			}
			if err := <-g.ended; !errors.Is(err, test.want) {
				t.Errorf("the call ended with %v, want %v", err, test.want)
			}
		})
	}
}

// raw is a connection whose bytes the test writes itself.
type raw struct {
	net.Conn
	t   *testing.T
	out *bufio.Reader
}

func (s *site) dial() *raw {
	s.t.Helper()
	host := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
	c, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", host)
	if err != nil {
		s.t.Fatal(err)
	}
	t, _ := s.t.(*testing.T)
	t.Cleanup(func() { c.Close() })
	return &raw{c, t, bufio.NewReader(c)}
}

func (c *raw) write(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *raw) post(body string, headers ...string) {
	c.t.Helper()
	c.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
		strings.Join(append(headers, fmt.Sprint("Content-Length: ", len(body))), "\r\n") + "\r\n\r\n" + body)
}

// TestSlowClientsAreDropped: headers or a body that do not come hold nothing
// for long.
func TestSlowClientsAreDropped(t *testing.T) {
	for name, begin := range map[string]string{
		"headers":                  "POST /mcp HTTP/1.1\r\nHost: localhost\r\n",
		"a body":                   "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"a body of a stream":       "GET /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
		"chunks of an end":         "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: x\r\nTransfer-Encoding: chunked\r\n\r\n",
		"a body that nobody reads": "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true, TransferTime: 50 * time.Millisecond})
			c := s.dial()
			c.write(begin)
			_, err := io.ReadAll(c.out) // until the server hangs up, however it does that
			if err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Error(err)
			}
		})
	}
}

// TestArrivalsAreFew: messages that do not end are few of a user, and the long
// ones among them few of all users; what comes beyond is turned away at once.
func TestArrivalsAreFew(t *testing.T) {
	const length = 4 << 20
	begin := func(s *site, token, body string) *raw {
		c := s.dial()
		c.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " + token +
			fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", length) + body)
		return c
	}
	for name, test := range map[string]struct {
		many  int
		token func(i int) string
		body  string
		want  string
	}{
		"of one user": {30, func(int) string { return "a" }, "{", "429"},
		"long ones":   {30, func(i int) string { return fmt.Sprint("user-", i) }, strings.Repeat(" ", 1<<20), "503"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true, MaxConcurrent: 1})
			refused := make(chan string, test.many)
			for i := range test.many {
				c := begin(s, test.token(i), test.body)
				go func() {
					status, _ := c.out.ReadString('\n') // "": the server has hung up
					refused <- status
				}()
			}
			if status := <-refused; !strings.Contains(status, test.want) {
				t.Errorf("the first answer is %q, want %s", status, test.want)
			}
			if got := s.send("POST", "/mcp", callLine(1, "echo", `{"text":"next"}`), "Authorization: Bearer b"); got.status != http.StatusOK {
				t.Errorf("a short call of another user: %d %s", got.status, got.body)
			}
		})
	}
}

// TestReadersThatDoNotRead: an answer that the client does not take ends the
// connection, and the user may call again.
func TestReadersThatDoNotRead(t *testing.T) {
	o := options(t)
	o.MaxResultBytes = 32 << 20
	s := open(t, newServer(t, o), server.HTTPOptions{Loopback: true, TransferTime: 100 * time.Millisecond, MaxConcurrent: 1})
	c := s.dial()
	c.post(callLine(1, "fill", `{"bytes":10000000}`))
	for {
		got := s.send("POST", "/mcp", callLine(2, "echo", `{"text":"next"}`))
		if strings.Contains(got.body, "next") {
			return
		}
		if !strings.Contains(got.body, "RATE_LIMITED") {
			t.Fatalf("%d %s", got.status, got.body)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestUserLimits: over a limit a call is answered with a result that a model
// reads, everything else with a status that programs know; other users notice
// nothing.
func TestUserLimits(t *testing.T) {
	const a, b = "Authorization: Bearer token-a", "Authorization: Bearer token-b"
	check := func(t *testing.T, s *site, what string) {
		t.Helper()
		var fault struct {
			Code              string
			Message           string
			RetryAfterSeconds int
		}
		body, headers := stateless(7, "tools/call", `"name":"echo","arguments":{"text":"x"}`)
		for name, got := range map[string]heard{
			"legacy": s.send("POST", "/mcp", callLine(7, "echo", `{"text":"x"}`), a),
			"modern": s.send("POST", "/mcp", body, append(headers, a)...),
		} {
			var answer struct {
				Result struct {
					IsError bool
					Content []struct{ Text string }
				}
			}
			err := json.Unmarshal([]byte(got.body), &answer)
			if err != nil || len(answer.Result.Content) != 1 || json.Unmarshal([]byte(answer.Result.Content[0].Text), &fault) != nil {
				t.Fatalf("%s: %d %s", name, got.status, got.body)
			}
			if got.status != http.StatusOK || !answer.Result.IsError || fault.Code != "RATE_LIMITED" || fault.RetryAfterSeconds < 1 ||
				!strings.Contains(fault.Message, what) || !strings.Contains(fault.Message, "server's own") {
				t.Errorf("%s: a call over the limit is answered with %d %s", name, got.status, got.body)
			}
		}
		got := s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":8,"method":"tools/list"}`, a)
		if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, `"id":8`) {
			t.Errorf("a list over the limit: %d %s", got.status, got.body)
		}
		if got := s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, b); got.status != http.StatusOK {
			t.Errorf("another user: %d %s", got.status, got.body)
		}
	}
	t.Run("at a time", func(t *testing.T) {
		g := gatedOptions(t)
		s := open(t, newServer(t, g.Options), server.HTTPOptions{Loopback: true, MaxConcurrent: 2})
		first, second := s.later(callLine(1, "fail", `{"how":"wait"}`), a), s.later(callLine(2, "fail", `{"how":"wait"}`), a)
		<-g.started
		<-g.started
		check(t, s, "at most 2 requests of one user at a time")
		if text := s.send("GET", "/metrics", "").body; !strings.Contains(text, `calls_total{code="RATE_LIMITED",tool="echo"} 2`) {
			t.Error("the metrics do not count the refused calls")
		}
		close(g.release)
		<-first
		<-second
		if got := s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, a); got.status != http.StatusOK {
			t.Errorf("when they have ended: %d %s", got.status, got.body)
		}
	})
	t.Run("a minute", func(t *testing.T) {
		s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true, MaxPerMinute: 3})
		for range 3 {
			s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":9,"method":"ping"}`, a)
		}
		check(t, s, "at most 3 requests of one user a minute")
	})
}

// TestLimitsAreNotForgotten: a user who has spent the minute does not get
// another one by coming in between as ten thousand others; those are turned away
// when there are too many.
func TestLimitsAreNotForgotten(t *testing.T) {
	o := options(t)
	s := open(t, newServer(t, o), server.HTTPOptions{Loopback: true, MaxPerMinute: 1})
	const spent = "Authorization: Bearer spent"
	ping := func(headers ...string) int {
		return s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headers...).status
	}
	ping(spent)
	for i := range 10_100 {
		if got := ping(fmt.Sprint("Authorization: Bearer token-", i)); got == http.StatusTooManyRequests {
			break // as far as it gets
		} else if got != http.StatusOK {
			t.Fatalf("user %d: %d", i, got)
		}
	}
	if got := ping(spent); got != http.StatusTooManyRequests {
		t.Errorf("the spent user: %d", got)
	}
	if got := ping(); got != http.StatusOK {
		t.Errorf("the process itself: %d", got)
	}
}

// TestRefusedToken: a token that GitHub has refused is refused here, so that a
// client that can get another does.
func TestRefusedToken(t *testing.T) {
	o := options(t)
	o.Handlers["fail"] = func(context.Context, json.RawMessage) (any, error) {
		return nil, fault.New(fault.AuthFailed, "GitHub does not accept the token")
	}
	s := open(t, newServer(t, o), server.HTTPOptions{})
	const a, b = "Authorization: Bearer token-a", "Authorization: Bearer token-b"
	if got := s.send("POST", "/mcp", callLine(1, "fail", `{"how":"error"}`), a); !strings.Contains(got.body, "AUTH_FAILED") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	got := s.send("POST", "/mcp", callLine(2, "echo", `{"text":"x"}`), a)
	if got.status != http.StatusUnauthorized || !strings.Contains(got.header.Get("WWW-Authenticate"), `error="invalid_token"`) {
		t.Errorf("then: %d %s", got.status, got.header)
	}
	if got := s.send("POST", "/mcp", callLine(3, "echo", `{"text":"x"}`), b); got.status != http.StatusOK {
		t.Errorf("another user: %d %s", got.status, got.body)
	}
}

// TestConfirmationOverHTTP: a client of the library asks its person, in both
// protocols, over the stream of the call.
func TestConfirmationOverHTTP(t *testing.T) {
	for era, how := range map[string][]mcpclient.ClientOption{
		mcp.LATEST_LEGACY_PROTOCOL_VERSION: {mcpclient.WithLegacyProtocolOnly()},
		mcp.LATEST_PROTOCOL_VERSION:        {mcpclient.WithProtocolVersion(mcp.LATEST_PROTOCOL_VERSION)},
	} {
		for action, want := range map[mcp.ElicitationResponseAction]string{
			mcp.ElicitationResponseActionAccept: "erased it", mcp.ElicitationResponseActionDecline: "declined",
		} {
			t.Run(era+"/"+string(action), func(t *testing.T) {
				s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
				someone := person{action: action, content: map[string]any{"confirm": true}}
				c := s.connect(append(how, mcpclient.WithElicitationHandler(&someone))...)
				if c.ProtocolVersion() != era {
					t.Fatalf("the session is of %s", c.ProtocolVersion())
				}
				result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
					Name: "erase", Arguments: map[string]any{"what": "it"},
				}})
				if err != nil {
					t.Fatal(err)
				}
				if text := mcp.GetTextFromContent(result.Content[0]); !strings.Contains(text, want) || len(someone.asked) != 1 {
					t.Errorf("the call answers %s, the person was asked %q", text, someone.asked)
				}
			})
		}
	}
}

// connect has a client of the MCP library talk to the site.
func (s *site) connect(how ...mcpclient.ClientOption) *mcpclient.Client {
	s.t.Helper()
	way, err := clienttransport.NewStreamableHTTP(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	c := mcpclient.NewClient(way, how...)
	s.t.Cleanup(func() { c.Close() })
	if err := c.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if _, err := c.Initialize(s.t.Context(), mcp.InitializeRequest{}); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// TestNobodyToAsk: a session that cannot be asked gets the fault at once.
func TestNobodyToAsk(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	for name, headers := range map[string][]string{"without a session": nil, "a session that promised nothing": {s.begin()}} {
		if got := s.send("POST", "/mcp", callLine(1, "erase", `{"what":"it"}`), headers...); !strings.Contains(got.body, "CONFIRMATION_REQUIRED") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// TestConfirmedByAnotherReplica: with a shared key, the answer to what one
// process asked may come to another.
func TestConfirmedByAnotherReplica(t *testing.T) {
	const caps = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	for name, test := range map[string]struct{ keys, want string }{
		"a shared key":    {"same same", "erased it"},
		"different keys":  {"one other", "another process"},
		"keys of its own": {" ", "another process"},
	} {
		t.Run(name, func(t *testing.T) {
			var sites []*site
			first, second, _ := strings.Cut(test.keys, " ")
			for _, key := range []string{first, second} {
				o := options(t)
				o.ConfirmationKey = key
				sites = append(sites, open(t, newServer(t, o), server.HTTPOptions{Loopback: true}))
			}
			call := func(s *site, more string) string {
				body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"erase","arguments":{"what":"it"},` + more + caps + `}}`
				return s.send("POST", "/mcp", body, modernHeaders(body)...).body
			}
			asked := state.FindString(call(sites[0], ""))
			if asked == "" {
				t.Fatal("nobody was asked")
			}
			if got := call(sites[1], asked+`,"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}},`); !strings.Contains(got, test.want) {
				t.Errorf("the answer is %s, want %q", got, test.want)
			}
		})
	}
}

// TestConfirmedByItsUser: the answer counts of the user who was asked, and of
// nobody else who has got hold of the question.
func TestConfirmedByItsUser(t *testing.T) {
	const caps = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	const a, b = "Authorization: Bearer token-a", "Authorization: Bearer token-b"
	call := func(more string, who ...string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"erase","arguments":{"what":"it"},` + more + caps + `}}`
		return s.send("POST", "/mcp", body, append(modernHeaders(body), who...)...).body
	}
	for name, test := range map[string]struct {
		asked, answers []string
		want           string
	}{
		"the user":                  {[]string{a}, []string{a}, "erased it"},
		"another user":              {[]string{a}, []string{b}, "by another user"},
		"the process":               {nil, nil, "erased it"},
		"a user for the process":    {nil, []string{a}, "by another user"},
		"the process, for the user": {[]string{a}, nil, "by another user"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := state.FindString(call("", test.asked...))
			if asked == "" {
				t.Fatal("nobody was asked")
			}
			if got := call(asked+`,"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}},`, test.answers...); !strings.Contains(got, test.want) {
				t.Errorf("the answer is %s, want %q", got, test.want)
			}
		})
	}
}

// TestDrain: at the end running calls are finished, streams are ended, and what
// comes new is turned away.
func TestDrain(t *testing.T) {
	g := gatedOptions(t)
	endpoint, err := server.NewHTTP(newServer(t, g.Options), server.HTTPOptions{Loopback: true})
	if err != nil {
		t.Fatal(err)
	}
	s, stop, done := serve(t, endpoint)
	session := s.begin()
	stream := s.dial()
	stream.write("GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + session + "\r\n\r\n")
	if status, err := stream.out.ReadString('\n'); err != nil || !strings.Contains(status, "200") {
		t.Fatalf("the stream: %q, %v", status, err)
	}
	answer := s.later(callLine(5, "fail", `{"how":"wait"}`), session)
	<-g.started
	if got := s.send("GET", "/readyz", ""); got.status != http.StatusOK {
		t.Errorf("before: %d %s", got.status, got.body)
	}
	stop()
	if _, err := io.ReadAll(stream.out); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
	if got := s.send("GET", "/readyz", ""); got.status != http.StatusServiceUnavailable {
		t.Errorf("readyz while it ends: %d %s", got.status, got.body)
	}
	if got := s.send("GET", "/healthz", ""); got.status != http.StatusOK {
		t.Errorf("healthz while it ends: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/mcp", callLine(6, "echo", `{"text":"late"}`)); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("a call while it ends: %d %s", got.status, got.body)
	}
	close(g.release)
	if got := <-answer; !strings.Contains(got.body, "done") {
		t.Errorf("the running call: %d %s", got.status, got.body)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestDrainIsBounded: a call that does not end is cancelled, and answered with
// what is known of it, whoever made it.
func TestDrainIsBounded(t *testing.T) {
	g := gatedOptions(t)
	wait := g.Handlers["fail"]
	g.Handlers["add_note"] = func(ctx context.Context, args json.RawMessage) (any, error) {
		_, err := wait(ctx, args)
		return nil, transport.OutcomeUnknown("nobody waited").WithCause(err)
	}
	endpoint, err := server.NewHTTP(newServer(t, g.Options), server.HTTPOptions{Loopback: true, DrainTimeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s, stop, done := serve(t, endpoint)
	modern, modernHeaders := stateless(1, "tools/call", `"name":"fail","arguments":{"how":"wait"}`)
	calls := map[string]struct {
		answer <-chan heard
		want   string
	}{
		"without a session":    {s.later(callLine(1, "fail", `{"how":"wait"}`)), "UPSTREAM_TIMEOUT"},
		"in a session":         {s.later(callLine(1, "fail", `{"how":"wait"}`), s.begin()), "UPSTREAM_TIMEOUT"},
		"of 2026-07-28":        {s.later(modern, modernHeaders...), "UPSTREAM_TIMEOUT"},
		"a write":              {s.later(callLine(1, "add_note", `{"text":"x"}`)), "OUTCOME_UNKNOWN"},
		"a write in a session": {s.later(callLine(1, "add_note", `{"text":"x"}`), s.begin()), "OUTCOME_UNKNOWN"},
	}
	for range calls {
		<-g.started
	}
	stop()
	for name, call := range calls {
		if err := <-g.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a call ended with %v", err)
		}
		if got := <-call.answer; got.status != http.StatusOK || !strings.Contains(got.body, call.want) {
			t.Errorf("%s: %d %q, want %s", name, got.status, got.body, call.want)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestDrainWithAQuestion: a call whose person does not answer is not left
// without an end.
func TestDrainWithAQuestion(t *testing.T) {
	endpoint, err := server.NewHTTP(newServer(t, options(t)), server.HTTPOptions{Loopback: true, DrainTimeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s, stop, done := serve(t, endpoint)
	opened := s.send("POST", "/mcp", strings.Replace(handshake, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	call := s.dial()
	call.post(callLine(1, "erase", `{"what":"it"}`), "Connection: close", "Mcp-Session-Id: "+opened.header.Get("Mcp-Session-Id"))
	for line := ""; !strings.Contains(line, "elicitation/create"); {
		if line, err = call.out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	rest, err := io.ReadAll(call.out)
	if err != nil || !strings.Contains(string(rest), "CONFIRMATION_REQUIRED") {
		t.Errorf("the call ends with %q, %v", rest, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// serve serves until stop is called; done then gets Serve's error.
func serve(t testing.TB, endpoint *server.HTTP) (s *site, stop func(), done <-chan error) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(stop)
	ended := make(chan error, 1)
	go func() { ended <- endpoint.Serve(ctx, l) }()
	return &site{t, endpoint, "http://" + l.Addr().String() + "/mcp"}, stop, ended
}

// sessions asks the metrics how many there are.
func (s *site) sessions() string {
	s.t.Helper()
	for line := range strings.Lines(s.send("GET", "/metrics", "").body) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "github_workflow_mcp_sessions "); ok {
			return n
		}
	}
	s.t.Fatal("the metrics do not tell the sessions")
	return ""
}

// TestAbandonedSessionsAreFreed is A62: sessions that nobody ends take memory
// only until they are idle for too long.
func TestAbandonedSessionsAreFreed(t *testing.T) {
	const abandoned = 10_000
	s := open(t, newServer(t, options(t)), server.HTTPOptions{
		Loopback: true, MaxPerMinute: 1_000_000, MaxSessions: abandoned, SessionIdle: 2 * time.Second,
	})
	s.begin()
	before := heap()
	for range abandoned - 1 {
		s.begin()
	}
	full := heap()
	for s.sessions() != "0" {
		time.Sleep(50 * time.Millisecond)
	}
	after := heap()
	t.Logf("heap: %d KB before, %d KB with %s sessions, %d KB after", before>>10, full>>10, "10,000", after>>10)
	if grown := int64(after) - int64(before); grown > 4<<20 {
		t.Errorf("%d KB stay in memory", grown>>10)
	}
}

// TestSessionsKeepLittle: whatever a client tells of itself, a session keeps
// only what is used, and an introduction without end is refused.
func TestSessionsKeepLittle(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	told := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}},"experimental":{"a":[` +
			strings.Repeat("{},", 3_000) + `0]}},"clientInfo":{"name":"` + strings.Repeat("n", n) + `","version":"0"}}}`
	}
	s.begin()
	before := heap()
	for range 50 {
		if got := s.send("POST", "/mcp", told(200_000)); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	after := heap()
	t.Logf("heap: %d KB before, %d KB with 50 sessions", before>>10, after>>10)
	if grown := int64(after) - int64(before); grown > 2<<20 {
		t.Errorf("50 sessions keep %d KB", grown>>10)
	}
	if got := s.send("POST", "/mcp", told(300_000)); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("300 KB: %d %s", got.status, got.body)
	}
}

// TestLongCallsLeaveRoom: a long message counts as one only until its arguments
// were looked at, not while the call runs.
func TestLongCallsLeaveRoom(t *testing.T) {
	g := gatedOptions(t)
	s := open(t, newServer(t, g.Options), server.HTTPOptions{Loopback: true})
	long := callLine(1, "fail", `{"how":"wait"}`) + strings.Repeat(" ", 2<<20)
	var answers []<-chan heard
	for range 5 {
		answers = append(answers, s.later(long))
		<-g.started
	}
	close(g.release)
	for _, answer := range answers {
		if got := <-answer; !strings.Contains(got.body, "done") {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestTooManySessions: the user who has most loses the oldest; others keep
// theirs, and a session that is in use stays.
func TestTooManySessions(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true, MaxSessions: 4})
	const modest, greedy = "Authorization: Bearer modest", "Authorization: Bearer greedy"
	mine := s.begin(modest)
	var theirs []string
	for range 10 {
		theirs = append(theirs, s.begin(greedy))
	}
	if n := s.sessions(); n != "4" {
		t.Errorf("there are %s sessions", n)
	}
	ping := func(headers ...string) int {
		return s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headers...).status
	}
	if got := ping(mine, modest); got != http.StatusOK {
		t.Errorf("the session of the modest user: %d", got)
	}
	for i, session := range theirs {
		want := http.StatusNotFound
		if i >= len(theirs)-3 {
			want = http.StatusOK
		}
		if got := ping(session, greedy); got != want {
			t.Errorf("session %d of the greedy user: %d, want %d", i, got, want)
		}
	}
}

// TestLongBodyIsNotKept: 200 MB are turned away without being read into
// memory, whether their length is told or not.
func TestLongBodyIsNotKept(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	for name, told := range map[string]bool{"its length is told": true, "in chunks": false} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, io.LimitReader(zeros{}, 200<<20))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if told {
			r.ContentLength = 200 << 20
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil { // the server has hung up while we wrote on
			t.Logf("%s: %v", name, err)
		} else {
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: %s", name, resp.Status)
			}
		}
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d MB allocated", name, allocated>>20)
		if allocated > 190<<20 { // less than the body itself, all that was ever allocated counted
			t.Errorf("%s: %d MB were allocated", name, allocated>>20)
		}
	}
	if got := s.send("POST", "/mcp", callLine(1, "echo", `{"text":"next"}`)); got.status != http.StatusOK {
		t.Errorf("the next call: %d %s", got.status, got.body)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestMetrics: what happened can be counted, and no client names a label.
func TestMetrics(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	const token = "Authorization: Bearer a-secret-token"
	s.send("POST", "/mcp", callLine(1, "echo", `{"text":"x"}`), token)
	s.send("POST", "/mcp", callLine(2, "fail", `{"how":"fault"}`), token)
	s.send("POST", "/mcp", callLine(3, "no_such_tool", `{}`), token)
	s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Host: evil.example")
	text := s.send("GET", "/metrics", "").body
	for _, want := range []string{
		`github_workflow_mcp_calls_total{code="OK",tool="echo"} 1`,
		`github_workflow_mcp_calls_total{code="NOT_FOUND",tool="fail"} 1`,
		`github_workflow_mcp_call_duration_seconds_count{tool="echo"} 1`,
		`github_workflow_mcp_http_requests_total{status="200"} 3`,
		`github_workflow_mcp_http_requests_total{status="403"} 1`,
		`github_workflow_mcp_requests_in_flight 0`,
		`github_workflow_mcp_sessions 0`,
		`go_goroutines`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, "no_such_tool") || strings.Contains(text, "secret") {
		t.Error("the metrics show what a client sent")
	}
}

// TestSubscriptionsAreAcknowledged: also one that ends at once, because nothing
// here ever changes. It takes many to meet the moment in which the library
// would lose the first message.
func TestSubscriptionsAreAcknowledged(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true, MaxPerMinute: 100_000, MaxConcurrent: 100})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 50 {
				body, headers := stateless(i+1, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
				got := s.send("POST", "/mcp", body, append(headers, "Accept: application/json, text/event-stream")...)
				first, rest, _ := strings.Cut(got.body, "\n\n")
				if !strings.Contains(first, "notifications/subscriptions/acknowledged") || !strings.Contains(rest, `"result"`) {
					t.Errorf("listening is answered with %q", got.body)
					return
				}
			}
		})
	}
	all.Wait()
}
