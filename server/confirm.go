package server

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// A tool that meets something destructive and unconfirmed answers
// CONFIRMATION_REQUIRED, and in the detail "call" the call that carries it out:
// {tool, arguments}. That is all this file knows of tools. Where the client can
// ask the person who uses it, the question is put and, on a yes, that call is
// run in place of the first; elsewhere the fault goes out, and whoever reads it
// has the call.
//
// Clients with a handshake are asked while their call is open. The time a
// person takes is not the call's: both runs have a CallTimeout of their own.
// Clients of 2026-07-28 get the question as the call's result and repeat the
// call with the answer. Their first run is repeated too, which shows that the
// question is still the same one; the server keeps nothing in between.

// confirmer asks people.
type confirmer struct {
	wait time.Duration // how long an answer may take
	key  [sha256.Size]byte
	now  func() time.Time
}

// newConfirmer has the shared key, or one of its own: what another process
// asked is then not answered here.
func newConfirmer(wait time.Duration, shared string) confirmer {
	c := confirmer{wait: cmp.Or(wait, DefaultConfirmationWait), now: time.Now}
	if shared != "" {
		c.key = sha256.Sum256([]byte(shared))
	} else {
		rand.Read(c.key[:]) // never fails
	}
	return c
}

// question is what a person is asked, and what a yes sets going.
type question struct {
	fault *fault.Error
	tool  string
	asked map[string]any // the arguments of the call that led to it
	call  map[string]any // those of the call that carries it out
}

// questionOf finds the question in what a call ended with.
func questionOf(tool string, args map[string]any, err error) (question, bool) {
	if !fault.Is(err, fault.ConfirmationRequired) {
		return question{}, false
	}
	f := fault.From(err)
	text, err := page.Encode(f.Details["call"])
	if err != nil {
		return question{}, false
	}
	var call struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(text, &call) != nil || call.Tool != tool {
		return question{}, false // no call, or one that nobody made
	}
	arguments, err := decodeArguments(call.Arguments)
	if err != nil {
		return question{}, false
	}
	return question{fault: f, tool: tool, asked: args, call: arguments}, true
}

// confirmed puts the question and answers the call.
func (s *Server) confirmed(ctx context.Context, request mcp.CallToolRequest, q question) (*mcp.CallToolResult, error) {
	switch {
	case !canAsk(ctx):
		return wire(resultOf(nil, q.fault)), nil
	case !mcpserver.IsModernRequest(ctx):
		return s.carryOut(ctx, q, s.askNow(ctx, q))
	case len(request.Params.InputResponses) == 0:
		return s.confirm.inputRequired(ctx, q), nil
	}
	err := s.confirm.checkState(ctx, request.Params.RequestState, q)
	if err == nil {
		err = verdict(q, mcpserver.ElicitationResponse(request.Params.InputResponses, confirmField))
	}
	return s.carryOut(ctx, q, err)
}

// carryOut runs the confirmed call, unless something spoke against it. A tool
// that still wants to be confirmed is not asked about twice.
func (s *Server) carryOut(ctx context.Context, q question, against error) (*mcp.CallToolResult, error) {
	if against != nil {
		return wire(resultOf(nil, against)), nil
	}
	tool, err := s.find(q.tool)
	if err != nil {
		return nil, err
	}
	return wire(resultOf(s.run(ctx, tool, q.call))), nil
}

// canAsk reports whether the client said that it can ask its person to fill in
// a form: with this request, or in its handshake.
func canAsk(ctx context.Context) bool {
	if info := mcpserver.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities != nil && hasForms(info.ClientCapabilities.Elicitation)
	}
	session, ok := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo)
	return ok && hasForms(session.GetClientCapabilities().Elicitation)
}

// hasForms: a client that names no way of asking means the form, the first
// that there was.
func hasForms(c *mcp.ElicitationCapability) bool {
	return c != nil && (c.Form != nil || c.URL == nil)
}

// confirmField names the question, and the one field of its form.
const confirmField = "confirm"

// form is the question as the client gets it.
func (q question) form() mcp.ElicitationParams {
	return mcp.ElicitationParams{
		Message: q.fault.Message,
		RequestedSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{
				confirmField: map[string]any{"type": "boolean", "title": "Do it", "description": "Whether this is really wanted", "default": false},
			},
			"required": []string{confirmField},
		},
	}
}

// askNow asks a client with a session and waits for the answer. Its error is
// what speaks against carrying out the call.
func (s *Server) askNow(ctx context.Context, q question) error {
	limited, cancel := context.WithTimeout(ctx, s.confirm.wait)
	defer cancel()
	answer, err := s.protocol.RequestElicitation(limited, mcp.ElicitationRequest{Params: q.form()})
	switch {
	case err == nil:
		return verdict(q, answer)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return refused(q, "nobody confirmed it within "+s.confirm.wait.String()).WithCause(err)
	default: // asking failed, as it may with a client that promised too much
		s.log.InfoContext(ctx, "asking for a confirmation failed", "tool", q.tool, "err", err)
		return q.fault
	}
}

// verdict is what the person said: nil is a yes.
func verdict(q question, answer *mcp.ElicitationResult) error {
	if answer != nil && answer.Action == mcp.ElicitationResponseActionAccept {
		if content, ok := answer.Content.(map[string]any); ok && content[confirmField] == true {
			return nil
		}
	}
	return refused(q, "the person who was asked declined it")
}

// refused is the fault of a question that got no yes. It carries no call: what
// a person has declined is not to be handed on as the next step.
func refused(q question, why string) *fault.Error {
	return fault.New(fault.ConfirmationRequired, "%s; nothing was done: %s", why, q.fault.Message).
		WithFix("Do not repeat the call; find out what the person wants instead.")
}

// inputRequired is the question as the result of a call.
func (c confirmer) inputRequired(ctx context.Context, q question) *mcp.CallToolResult {
	state := c.sign(ctx, c.now().Add(c.wait), q)
	return mcpserver.NewInputRequestBuilder(state).Elicit(confirmField, q.form()).ToolResult()
}

// sign makes the state that a client carries from the question to the answer:
// when it expires, and a seal over that, over who was asked and over everything
// that was.
func (c confirmer) sign(ctx context.Context, until time.Time, q question) string {
	expiry := binary.BigEndian.AppendUint64(nil, uint64(until.UnixNano()))
	return base64.RawURLEncoding.EncodeToString(append(expiry, c.seal(ctx, expiry, q)...))
}

func (c confirmer) seal(ctx context.Context, expiry []byte, q question) []byte {
	mac := hmac.New(sha256.New, c.key[:])
	mac.Write(expiry)
	who := keyOfCaller(transport.CallerToken(ctx))
	mac.Write(who[:])
	for _, part := range []any{q.tool, q.asked, q.call, q.fault.Message} {
		text, err := json.Marshal(part) // sorts the members
		if err != nil {
			continue // cannot be: all of it was parsed as JSON
		}
		mac.Write(text)
		mac.Write([]byte{'\n'}) // which JSON without indents does not contain
	}
	return mac.Sum(nil)
}

// checkState refuses a state that is not of this process, of another question,
// of another user, or too old.
func (c confirmer) checkState(ctx context.Context, state string, q question) error {
	const head = 8 // bytes of the expiry
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(raw) < head || !hmac.Equal(raw[head:], c.seal(ctx, raw[:head], q)) {
		return stale(q, "the confirmation was given for another call, by another user, or to another process")
	}
	if c.now().UnixNano() >= int64(binary.BigEndian.Uint64(raw)) {
		return stale(q, "the confirmation came too late")
	}
	return nil
}

func stale(q question, why string) *fault.Error {
	return fault.New(fault.ConfirmationRequired, "%s; nothing was done: %s", why, q.fault.Message).
		WithFix("Make the call again without inputResponses and requestState, so that the person is asked anew.")
}
