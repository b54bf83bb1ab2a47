package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// visit is a request that was let in: who it acts for, and what of the server
// it sees.
type visit struct {
	who   caller
	guest *guest
	face  *face
}

// endpoint answers the requests of MCP clients.
func (h *HTTP) endpoint(w http.ResponseWriter, r *http.Request) {
	who, ok := h.door.caller(r)
	if !ok {
		h.door.challenge(w, r)
		return
	}
	guest, refused := h.guests.of(who.key)
	if refused != nil {
		tooMany(w, nil, refused)
		return
	}
	if who.token != "" && guest.isRejected() {
		h.door.challenge(w, r)
		return
	}
	at, err := h.faces.of(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	v := visit{who: who, guest: guest, face: at}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, v)
	case http.MethodGet, http.MethodDelete:
		h.sessionOnly(w, r, v)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "there is GET, POST and DELETE", http.StatusMethodNotAllowed)
	}
}

// sessionOnly has the library answer GET, which opens the stream of a session,
// and DELETE, which ends the session.
func (h *HTTP) sessionOnly(w http.ResponseWriter, r *http.Request, v visit) {
	if r.ContentLength != 0 {
		// Its end would have to be awaited, for as long as the stream is open.
		w.Header().Set("Connection", "close")
		http.Error(w, r.Method+" has no body", http.StatusBadRequest)
		return
	}
	bodyIsHere(w)
	if isModern(r.Header, nil) {
		v.face.protocol.ServeHTTP(w, r) // says that there is no such thing any more
		return
	}
	id := r.Header.Get(mcpserver.HeaderKeySessionID)
	if id == "" {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, r.Method+" is for sessions: send the Mcp-Session-Id that initialize has given", http.StatusMethodNotAllowed)
		return
	}
	at := h.sessions.use(id, v.who.key, v.face)
	if at == nil {
		noSession(w)
		return
	}
	defer h.sessions.release(at)
	how := light
	if r.Method == http.MethodGet {
		how = stream
	}
	done, refused := v.guest.admit(how)
	if refused != nil {
		tooMany(w, nil, refused)
		return
	}
	defer done()
	h.within(r.Context(), w, how == stream, func(ctx context.Context) {
		ctx, stop := until(ctx, at.ended)
		defer stop()
		h.forward(ctx, w, r, v, at, nil)
	})
}

// until is a context that also ends when ended is closed.
func until(ctx context.Context, ended <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// post answers one message.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request, v visit) {
	arrived, refused := v.guest.arrive()
	if refused != nil {
		tooMany(w, nil, refused)
		return
	}
	body, release, ok := h.takeBody(w, r)
	arrived()
	if !ok {
		return
	}
	defer release()
	m, bad := parse(body)
	if bad != nil {
		writeRPC(w, http.StatusBadRequest, errorLine(m.ID, bad))
		return
	}
	if bad := m.tooLong(body); bad != nil {
		writeRPC(w, http.StatusRequestEntityTooLarge, errorLine(m.ID, bad))
		return
	}
	modern := isModern(r.Header, m.Params)
	if !modern {
		m.Params = m.introduction()
	}
	at, ok := h.seatOf(r, m, modern, v)
	if !ok {
		noSession(w)
		return
	}
	if at != nil {
		defer h.sessions.release(at)
	}
	if m.method == methodCancelled && at == nil {
		// The library would look for the id among everybody's requests. Without
		// a session, a client cancels by hanging up.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	r = r.WithContext(withSettled(r.Context(), release))
	h.answer(w, r, v, delivery{message: m, body: body, modern: modern, seat: at})
}

// delivery is a message that has arrived.
type delivery struct {
	message
	body   []byte
	modern bool
	seat   *seat // nil without a session
}

// seatOf is the session that the message belongs to, made busy; false when it
// names one that does not exist.
func (h *HTTP) seatOf(r *http.Request, m message, modern bool, v visit) (*seat, bool) {
	id := r.Header.Get(mcpserver.HeaderKeySessionID)
	if modern || id == "" || m.method == methodStart {
		return nil, true
	}
	at := h.sessions.use(id, v.who.key, v.face)
	return at, at != nil
}

// answer has the message answered within the user's limits. A tool call that is
// over one gets to know it as a result, which models read.
func (h *HTTP) answer(w http.ResponseWriter, r *http.Request, v visit, d delivery) {
	done, refused := v.guest.admit(d.weight())
	switch {
	case d.isResponse(): // somebody waits for it
	case refused != nil && d.method != methodCallTool:
		tooMany(w, d.ID, refused)
		return
	}
	if done != nil {
		defer done()
	}
	ctx := r.Context()
	if !d.modern {
		// Before 2026-07-28 a broken connection is not the client's wish to
		// cancel.
		ctx = context.WithoutCancel(ctx)
	}
	h.within(ctx, w, d.weight() == stream, func(running context.Context) {
		ctx := withStop(ctx, running)
		if d.weight() == stream {
			ctx = running // nothing else ends it
		}
		if refused != nil {
			ctx = withRefusal(ctx, refused)
		}
		h.forward(ctx, w, r, v, d.seat, &d)
	})
}

// weight is what the message costs.
func (d delivery) weight() weight {
	switch {
	case d.isNotification(), d.isResponse():
		return light
	case d.method == methodListen:
		return stream
	default:
		return work
	}
}

// within runs what the end of the server has to wait for, or says that it has
// come.
func (h *HTTP) within(ctx context.Context, w http.ResponseWriter, stream bool, run func(context.Context)) {
	ctx, leave, ok := h.gate.enter(ctx, stream)
	if !ok {
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Connection", "close")
		http.Error(w, "the server is stopping", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	run(ctx)
}

// forward has the library answer the request; d is nil where there is no
// message.
func (h *HTTP) forward(ctx context.Context, w http.ResponseWriter, r *http.Request, v visit, at *seat, d *delivery) {
	if v.who.token != "" {
		ctx = transport.WithCallerToken(ctx, v.who.token)
	}
	pass := &ticket{http: h, visit: v, seat: at}
	defer pass.release()
	ctx = context.WithValue(ctx, ticketKey{}, pass)
	out := &reply{ResponseWriter: w, gone: r.Context().Done(), begun: newBegun()}
	ctx = context.WithValue(ctx, begunKey{}, out.begun)
	var raw json.RawMessage
	if d != nil {
		ctx, raw, out.way = v.face.server.pass(ctx, d.message)
		out.id, out.modern = d.ID, d.modern
		if d.isResponse() {
			raw = d.body
		}
	}
	shown := r.WithContext(ctx)
	shown.Header = r.Header.Clone()
	shown.Header.Del("Authorization") // it has done its work
	shown.Body = io.NopCloser(bytes.NewReader(raw))
	v.face.protocol.ServeHTTP(out, shown)
	out.finish()
}

// isModern reports whether the library will treat the message as one of
// 2026-07-28 or later, which knows no sessions.
func isModern(h http.Header, params json.RawMessage) bool {
	if mcp.IsModernProtocol(h.Get(mcp.HeaderProtocolVersion)) {
		return true
	}
	var with struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	return json.Unmarshal(params, &with) == nil && mcp.IsModernProtocol(with.Meta.ProtocolVersion())
}

// takeBody reads the message, or says why it does not. After a long one,
// release is to be called, as often as one likes, when its arguments have been
// looked at, and at the latest when it has been answered.
func (h *HTTP) takeBody(w http.ResponseWriter, r *http.Request) (body []byte, release func(), ok bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		http.Error(w, "the Content-Type of a message is application/json", http.StatusUnsupportedMediaType)
		return nil, nil, false
	}
	if r.ContentLength > MaxBodyBytes {
		tooLarge(w)
		return nil, nil, false
	}
	body, release, err = h.readBody(w, http.MaxBytesReader(w, r.Body, MaxBodyBytes), int(r.ContentLength))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		tooLarge(w)
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Connection", "close")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, "the message did not arrive", http.StatusRequestTimeout)
	default:
		bodyIsHere(w)
		return body, release, true
	}
	return nil, nil, false
}

// readBody reads the beginning, and the rest of a long message once there are
// few others. Its length is what the client has told, -1 for nothing.
func (h *HTTP) readBody(w http.ResponseWriter, from io.Reader, length int) (body []byte, release func(), err error) {
	body, err = io.ReadAll(io.LimitReader(from, heavyBytes))
	if err != nil || len(body) < heavyBytes {
		return body, func() {}, err
	}
	if release, err = h.heavy.enter(h.options.TransferTime); err != nil {
		return nil, nil, err
	}
	expectBody(w, h.options.TransferTime) // waiting was not the client's doing
	whole := bytes.NewBuffer(body)
	whole.Grow(max(length-len(body), 0) + bytes.MinRead)
	if _, err := whole.ReadFrom(from); err != nil {
		release()
		return nil, nil, err
	}
	return whole.Bytes(), release, nil
}

func tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.Error(w, "a message is at most "+strconv.Itoa(MaxBodyBytes)+" bytes", http.StatusRequestEntityTooLarge)
}

func noSession(w http.ResponseWriter) {
	http.Error(w, "there is no such session, or not for this user and these tools: begin with initialize", http.StatusNotFound)
}

// tooMany answers what is over a limit.
func tooMany(w http.ResponseWriter, id json.RawMessage, refused *fault.Error) {
	w.Header().Set("Retry-After", strconv.Itoa(max(refused.RetryAfterSeconds, 1)))
	writeRPC(w, http.StatusTooManyRequests, errorLine(id, &mcp.JSONRPCErrorDetails{
		Code: mcp.INTERNAL_ERROR, Message: refused.Message, Data: encodeFault(refused),
	}))
}

func writeRPC(w http.ResponseWriter, status int, line []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(slices.Concat(line, []byte{'\n'}))
}
