package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// patientWriter waits a while for a client to take what is written, but not
// for ever.
type patientWriter struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	status   int // 0 until there is one
}

// Unwrap is for http.ResponseController.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// expectBody gives the body of the request its time to come in, whether it is
// read by us or thrown away by net/http.
func expectBody(w http.ResponseWriter, patience time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience)) // a writer without a connection has no deadlines
}

// bodyIsHere lifts the deadline: from here on, reading only notices that the
// client hangs up.
func bodyIsHere(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// WriteHeader implements http.ResponseWriter.
func (p *patientWriter) WriteHeader(status int) {
	p.status = status
	p.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (p *patientWriter) Write(text []byte) (int, error) {
	if p.status == 0 {
		p.status = http.StatusOK
	}
	_ = p.control.SetWriteDeadline(time.Now().Add(p.patience))
	return p.ResponseWriter.Write(text)
}

// Flush implements http.Flusher.
func (p *patientWriter) Flush() {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.patience))
	_ = p.control.Flush() // the next write will say what is wrong
}

// reply is the library's answer to a message on its way to the client. Two
// things are put right in it: an id that the library has bent, because it reads
// numbers as float64, and an error of which we know more. The answer to a call
// that the client has cancelled is kept back.
type reply struct {
	http.ResponseWriter
	way    passage
	id     json.RawMessage // nil where nothing is put right
	modern bool
	status int             // not sent yet; 0 when it was, or there is none
	gone   <-chan struct{} // closed when the client has hung up
	begun  *begun          // told of the first event
}

// begun is whether the first event of an answer is on its way.
type begun struct {
	once sync.Once
	yes  chan struct{}
}

func newBegun() *begun { return &begun{yes: make(chan struct{})} }

func (b *begun) tell() { b.once.Do(func() { close(b.yes) }) }

type begunKey struct{}

// ackPatience is how long the end of a subscription waits for its beginning.
const ackPatience = time.Second

// afterAck lets a subscription that ends at once, because there is nothing to
// subscribe to, wait until it was acknowledged: the library drops what it has
// taken off a stream's queue and not written yet when the answer is there.
func afterAck(ctx context.Context) {
	b, ok := ctx.Value(begunKey{}).(*begun)
	if !ok {
		return
	}
	limited, cancel := context.WithTimeout(ctx, ackPatience)
	defer cancel()
	select {
	case <-b.yes:
	case <-limited.Done():
	}
}

// Unwrap is for http.ResponseController.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter. The status waits until it is
// known what the answer is.
func (r *reply) WriteHeader(status int) { r.status = status }

// finish sends the status of an answer without a body.
func (r *reply) finish() {
	if r.status != 0 {
		r.ResponseWriter.WriteHeader(r.status)
		r.status = 0
	}
}

// Flush implements http.Flusher.
func (r *reply) Flush() {
	r.finish()
	if f, ok := r.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// event is how the library begins an event of a stream. It writes each event,
// and each answer that is none, in one piece.
const event = "event: message\ndata: "

// Write implements io.Writer.
func (r *reply) Write(text []byte) (int, error) {
	if r.way.isCancelled() {
		// A stream that ends is how not to answer.
		r.Header().Set("Content-Type", "text/event-stream")
		return len(text), nil
	}
	if bytes.HasPrefix(text, []byte(event)) {
		defer r.begun.tell()
	}
	sent := text
	if r.id != nil && r.needsMending() {
		if body, isEvent := bytes.CutPrefix(text, []byte(event)); isEvent {
			sent = append(append([]byte(event), r.mended(bytes.TrimSpace(body))...), "\n\n"...)
		} else {
			sent = append(r.mended(text), '\n')
		}
	}
	r.finish()
	if _, err := r.ResponseWriter.Write(sent); err != nil && !r.isGone() {
		return 0, err
	}
	return len(text), nil
}

// isGone: that nobody is left to hear the answer is no error.
func (r *reply) isGone() bool {
	select {
	case <-r.gone:
		return true
	default:
		return false
	}
}

func (r *reply) needsMending() bool {
	return r.way.failure.details != nil || r.way.isCall && !r.way.server.enabled[r.way.tool] || r.way.uri != "" || !survives(r.id)
}

// survives reports whether the id comes out of the library as it went in.
func survives(id json.RawMessage) bool {
	var value any
	if json.Unmarshal(id, &value) != nil {
		return false
	}
	again, err := json.Marshal(value)
	return err == nil && bytes.Equal(id, again)
}

// mended is a message of the library's, put right if it is the answer.
func (r *reply) mended(text []byte) []byte {
	m, bad := parse(text)
	if bad != nil || !m.isResponse() {
		return text
	}
	if m.Error != nil {
		return r.mendedError(text, m)
	}
	out, err := json.Marshal(struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
	}{m.Version, r.id, m.Result})
	if err != nil {
		return text // cannot be: every part was parsed as JSON
	}
	return out
}

func (r *reply) mendedError(text []byte, m message) []byte {
	var said mcp.JSONRPCErrorDetails
	if json.Unmarshal(m.Error, &said) != nil {
		return text
	}
	details := r.way.mend(&said)
	if r.modern && r.status == http.StatusOK && isBadRequest(details.Code) {
		r.status = http.StatusBadRequest // as the library has it, where it knows
	}
	return errorLine(r.id, details)
}

// isBadRequest reports whether MCP wants the status 400 for an error that a
// handler made itself.
func isBadRequest(code int) bool {
	return code == mcp.INVALID_PARAMS || code == mcp.MISSING_REQUIRED_CLIENT_CAPABILITY
}
