package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

type operationKey struct{}

// operation is one Query or Mutate; the envelopes fill it in.
type operation struct {
	name     string
	mutation bool
	meta     *transport.Meta
	now      time.Time

	answered bool // GitHub's envelope arrived and could be read
	isObject bool // and its data is an object
	hasData  bool // and some root field of that is not null
	notes    Notes
}

func operationOf(ctx context.Context) *operation {
	op, _ := ctx.Value(operationKey{}).(*operation)
	return op
}

// envelope is a GraphQL response.
type envelope struct {
	Data   json.RawMessage `json:"data"`
	Errors []wireError     `json:"errors"`
}

// wireError is an error as GitHub sends it.
type wireError struct {
	ResponseError
	Locations []location `json:"locations"`
}

type location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// envelopes is the RoundTripper below githubv4. It opens the response, keeps
// what githubv4 would drop, and hands up the data alone, so that an error of
// githubv4 is always about data that does not fit the struct. Above it sits a
// loop that sends the document again without the fields that GitHub does not
// know.
type envelopes struct {
	next       http.RoundTripper
	reductions *reductions
	now        func() time.Time
}

func (t *envelopes) RoundTrip(req *http.Request) (*http.Response, error) {
	op := operationOf(req.Context())
	if op == nil || req.Body == nil {
		return t.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	resp, env, err := t.converse(req, body)
	if err != nil {
		return nil, err
	}
	op.now = t.now()
	op.take(env)
	return dataOnly(resp, env.Data), nil
}

// post sends one document and reads the whole answer.
func (t *envelopes) post(req *http.Request, body []byte) (*http.Response, envelope, error) {
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	again.ContentLength = int64(len(body))
	resp, err := t.next.RoundTrip(again)
	if err != nil {
		return nil, envelope{}, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, envelope{}, err
	}
	var env envelope
	if err := json.Unmarshal(answer, &env); err != nil || resp.StatusCode != http.StatusOK && len(env.Errors) == 0 {
		return nil, envelope{}, notGraphQL(req, resp.StatusCode)
	}
	return resp, env, nil
}

// notGraphQL is the fault for an answer that is none of a GraphQL API's. After
// a success, a write may have been done all the same.
func notGraphQL(req *http.Request, status int) error {
	if op := operationOf(req.Context()); op != nil && op.mutation && status < 300 {
		return op.misread(errors.New("not a GraphQL response"))
	}
	return fault.New(fault.UpstreamError, "%s%s did not answer as a GraphQL API (HTTP %d)", req.URL.Host, req.URL.Path, status).
		WithFix("Check GITHUB_API_URL, GITHUB_GRAPHQL_URL and GITHUB_HOST.")
}

// dataOnly is resp with {"data": …} as its body.
func dataOnly(resp *http.Response, data json.RawMessage) *http.Response {
	if len(data) == 0 {
		data = json.RawMessage("null")
	}
	body := slices.Concat([]byte(`{"data":`), data, []byte("}"))
	only := *resp
	only.StatusCode, only.Status = http.StatusOK, "200 OK"
	only.Body, only.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return &only
}

// take keeps what the envelope says beside the data.
func (op *operation) take(env envelope) {
	op.answered = true
	op.isObject, op.hasData = look(env.Data)
	for _, e := range env.Errors {
		note := e.ResponseError
		note.Message = transport.Excerpt(op.meta.Redact(note.Message))
		note.mapped = op.fault(note)
		op.notes = append(op.notes, note)
	}
}

// look reports whether the data is an object, and whether any of its roots is
// not null.
func look(data json.RawMessage) (isObject, anyValue bool) {
	var roots map[string]json.RawMessage
	if json.Unmarshal(data, &roots) != nil || roots == nil {
		return false, false
	}
	for _, value := range roots {
		anyValue = anyValue || string(value) != "null"
	}
	return true, anyValue
}

// failure is the fault for an envelope that is no answer; nil when it is one.
func (op *operation) failure() error {
	errs := op.notes.ofGitHub()
	for _, note := range errs {
		if note.incomplete() && !(op.mutation && op.hasData) {
			return note.Fault()
		}
	}
	switch {
	case op.hasData:
		return nil
	case len(errs) > 0:
		return errs.worst().Fault()
	case !op.isObject:
		return op.misread(errors.New("neither data nor errors"))
	case op.mutation:
		return transport.OutcomeUnknown("GitHub's answer says nothing of the write")
	}
	return nil // all is null, and GitHub finds nothing wrong with that
}

// unanswered is the error for a request without an envelope. Package transport
// has told already what happened; other transports have not.
func (op *operation) unanswered(err error) error {
	var known *fault.Error
	switch {
	case err == nil:
		return fault.New(fault.Internal, "the GraphQL request was not sent")
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case op.mutation:
		return transport.OutcomeUnknown("the request to GitHub failed on the way").WithCause(err)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.UpstreamTimeout, "GitHub did not answer in time").WithFix("Try again.").RetryAfter(0).WithCause(err)
	}
	return fault.New(fault.UpstreamError, "the request to GitHub failed").WithFix("Try again.").RetryAfter(0).WithCause(err)
}

// misread is the fault for data that does not answer the question; nil for a
// nil cause.
func (op *operation) misread(cause error) error {
	const what = "GitHub's answer could not be read"
	switch {
	case cause == nil:
		return nil
	case op.mutation:
		return transport.OutcomeUnknown(what).WithCause(cause)
	}
	return fault.New(fault.UpstreamError, what).
		WithFix("Try again; if it stays, this GitHub is of a version that the server does not know.").WithCause(cause)
}
