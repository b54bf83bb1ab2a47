package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// maxRunning is how many tool calls run at once: GitHub's own limit for
	// concurrent requests.
	maxRunning = 100
	// maxPending is how many requests are taken in before reading pauses.
	maxPending = 1_000
	// stopPatience is what running calls get to finish once the session is told
	// to stop. Hosts that stop a server kill it after 2 seconds.
	stopPatience = 1500 * time.Millisecond
	// writeGrace is how long a stopped session waits for a client that has
	// stopped reading.
	writeGrace = time.Second
)

// ServeStdio serves one client over lines of JSON-RPC until in ends or ctx
// does. Every request read so far is still answered: at the end of in, however
// long it takes; at the end of ctx within a moment, after which the running
// calls are cancelled and answered with what is known of them. Both are a nil
// error. in is closed at the end when it can be.
//
// Blank lines are skipped, a last line needs no newline, and a line over
// MaxLineBytes is answered with an error. Nothing but protocol is written to
// out.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	session, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	reading, endReading := context.WithCancel(ctx)
	context.AfterFunc(session, endReading)
	if closer, ok := in.(io.Closer); ok {
		context.AfterFunc(reading, func() { closer.Close() }) // frees the reader
	}
	c := &conn{
		server: s, stop: stop, stopped: session.Done(), ending: reading.Done(), responses: make(chan response),
		running: make(chan struct{}, maxRunning), pending: make(chan struct{}, maxPending),
		calls: map[*call]bool{},
	}
	c.session = newSession(c.send)
	written := make(chan struct{})
	go func() { defer close(written); c.write(out) }()
	defer context.AfterFunc(ctx, c.windUp)()
	err := c.read(session, in)
	c.end(written)
	if cause := context.Cause(session); errors.Is(cause, errWrite) {
		return cause
	}
	if ctx.Err() != nil {
		return nil // told to stop: however reading ended is of no interest
	}
	return err
}

var (
	errWrite     = errors.New("writing to the client failed")
	errCancelled = errors.New("cancelled by the client")
)

// conn is one stdio session.
type conn struct {
	server    *Server
	session   *session
	stop      context.CancelCauseFunc
	stopped   <-chan struct{} // the session is over
	ending    <-chan struct{} // nothing more is read
	responses chan response   // to the writer
	running   chan struct{}   // one token per running tool call
	pending   chan struct{}   // one token per unanswered request
	inFlight  sync.WaitGroup

	mu    sync.Mutex
	calls map[*call]bool // unanswered requests
}

// response is a line for the client, and how many notifications were waiting
// when it was made: those come first.
type response struct {
	text          []byte
	notifications int
}

// call is a request that has not been answered.
type call struct {
	message
	key       string
	cancel    context.CancelCauseFunc
	cancelled bool // under conn.mu
}

// read takes messages in until the input ends or the session is to.
func (c *conn) read(ctx context.Context, in io.Reader) error {
	ctx = c.server.protocol.WithContext(ctx, c.session)
	lines, failed := newLineReader(in, MaxLineBytes).pump(ctx)
	for {
		select {
		case <-c.ending:
			return nil
		case got, ok := <-lines:
			if !ok {
				return failed()
			}
			c.take(ctx, got)
		}
	}
}

// end lets the requests in flight finish, then the writer. A subscription
// never finishes by itself; without input nobody can end it either, or answer
// a question.
func (c *conn) end(written <-chan struct{}) {
	c.session.deafen()
	c.cancelWhere(func(open *call) bool { return open.method == methodListen }, io.EOF)
	c.inFlight.Wait()
	close(c.responses)
	select {
	case <-written:
		return
	case <-c.stopped:
	}
	select {
	case <-written:
	case <-time.After(writeGrace):
	}
}

// windUp ends a session that is told to stop, unless it ends by itself in time:
// it cancels the calls, and then leaves a client that does not read.
func (c *conn) windUp() {
	if !c.outlasts(stopPatience) {
		return
	}
	c.cancelWhere(func(*call) bool { return true }, errStopped)
	if c.outlasts(writeGrace) {
		c.stop(errStopped)
	}
}

// outlasts waits that long, or until the session is over.
func (c *conn) outlasts(d time.Duration) bool {
	select {
	case <-c.stopped:
		return false
	case <-time.After(d):
		return true
	}
}

// take handles one line.
func (c *conn) take(ctx context.Context, got line) {
	if got.tooLong {
		c.send(errorLine(nil, rpcError(mcp.INVALID_REQUEST, fmt.Sprintf("the line is longer than %d bytes", MaxLineBytes))))
		return
	}
	m, bad := parse(got.text)
	switch {
	case bad != nil:
		c.send(errorLine(m.ID, bad))
	case m.isResponse():
		c.session.take(m)
	case m.isNotification():
		c.notify(ctx, m)
	default:
		c.request(ctx, m)
	}
}

func (c *conn) notify(ctx context.Context, m message) {
	if m.method == methodCancelled {
		c.cancelRequest(m)
		return
	}
	c.dispatch(ctx, m)
}

// request starts one request. The handshake is answered before the next line
// is looked at; everything else runs beside it.
func (c *conn) request(ctx context.Context, m message) {
	select {
	case c.pending <- struct{}{}:
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	started := &call{message: m, key: key(m.ID), cancel: cancel}
	c.mu.Lock()
	c.calls[started] = true
	c.mu.Unlock()
	if m.method == methodStart {
		c.run(ctx, started)
		return
	}
	c.inFlight.Go(func() { c.run(ctx, started) })
}

func (c *conn) run(ctx context.Context, started *call) {
	defer func() { <-c.pending }()
	defer started.cancel(nil)
	if started.method == methodCallTool {
		select {
		case c.running <- struct{}{}:
			defer func() { <-c.running }()
		case <-ctx.Done():
		}
	}
	var text []byte
	if !isCancelled(ctx) {
		text = c.dispatch(ctx, started.message)
	}
	if c.finish(started) {
		c.send(text)
	}
}

// finish takes the call out of the open ones and reports whether it is to be
// answered.
func (c *conn) finish(done *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, done)
	return !done.cancelled
}

// cancelRequest ends a request at the client's wish, whether it runs or
// waits. It is not answered.
func (c *conn) cancelRequest(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	if json.Unmarshal(m.Params, &params) != nil || params.RequestID == nil {
		return
	}
	wanted := key(params.RequestID)
	if c.cancelWhere(func(open *call) bool { return open.key == wanted }, errCancelled) > 0 {
		c.server.log.Info("cancelled by the client", "id", string(params.RequestID), "reason", cut(params.Reason, 200))
	}
}

func (c *conn) cancelWhere(chosen func(*call) bool, cause error) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for open := range c.calls {
		if chosen(open) {
			open.cancelled = errors.Is(cause, errCancelled)
			open.cancel(cause)
			n++
		}
	}
	return n
}

// dispatch has one message answered; nil for a notification. A panic is this
// message's fault and nobody else's.
func (c *conn) dispatch(ctx context.Context, m message) (text []byte) {
	defer func() {
		if p := recover(); p != nil {
			c.server.log.Error("panic in the protocol", "method", m.method, "panic", p, "stack", string(debug.Stack()))
			text = errorLine(m.ID, rpcError(mcp.INTERNAL_ERROR, "internal error"))
		}
	}()
	ctx, raw, way := c.server.pass(ctx, m)
	switch answer := c.server.protocol.HandleMessage(ctx, raw).(type) {
	case mcp.JSONRPCResponse:
		return c.resultLine(m.ID, answer)
	case mcp.JSONRPCError:
		return errorLine(m.ID, way.mend(&answer.Error))
	default:
		return nil
	}
}

func (c *conn) resultLine(id json.RawMessage, answer mcp.JSONRPCResponse) []byte {
	answer.ID = mcp.NewRequestId(id)
	out, err := json.Marshal(answer)
	if err != nil {
		c.server.log.Error("encoding an answer", "err", err)
		return errorLine(id, rpcError(mcp.INTERNAL_ERROR, "internal error"))
	}
	return out
}

// errorLine is a JSON-RPC error; its id is null when the request's is not
// known.
func errorLine(id json.RawMessage, details *mcp.JSONRPCErrorDetails) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	out, err := json.Marshal(mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Error: *details})
	if err != nil { // data of the library's that is no JSON
		return errorLine(id, rpcError(details.Code, details.Message))
	}
	return out
}

// send gives a line to the writer; after the session's end, to nobody.
func (c *conn) send(text []byte) {
	select {
	case <-c.stopped:
		return
	default:
	}
	if text == nil {
		return
	}
	select {
	case c.responses <- response{text, len(c.session.notifications)}:
	case <-c.stopped:
	}
}

// write puts out what the session says, one message a line.
func (c *conn) write(out io.Writer) {
	for {
		select {
		case n := <-c.session.notifications:
			c.writeNotification(out, n)
		case r, ok := <-c.responses:
			if !ok {
				return
			}
			c.writeNotifications(out, r.notifications)
			c.writeLine(out, r.text)
		}
	}
}

// writeNotifications puts out up to n notifications that wait.
func (c *conn) writeNotifications(out io.Writer, n int) {
	for range n {
		select {
		case n := <-c.session.notifications:
			c.writeNotification(out, n)
		default:
			return
		}
	}
}

func (c *conn) writeNotification(out io.Writer, n mcp.JSONRPCNotification) {
	text, err := json.Marshal(n)
	if err != nil {
		c.server.log.Error("encoding a notification", "method", n.Method, "err", err)
		return
	}
	c.writeLine(out, text)
}

func (c *conn) writeLine(out io.Writer, text []byte) {
	if _, err := out.Write(append(text, '\n')); err != nil {
		c.stop(fmt.Errorf("%w: %w", errWrite, err))
	}
}
