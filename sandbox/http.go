package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(text string) (int, error) { return strconv.Atoi(text) }

func escapePath(name string) string { return url.PathEscape(name) }

// maxRequest is the longest request body taken, in bytes.
const maxRequest = 8 << 20

// exchange is one request on its way through the sandbox.
type exchange struct {
	sandbox *Sandbox
	request *http.Request
	body    []byte
	line    *Request // in the ledger
	entry   Request  // what the line will say
	limit   limit
	graphql graphqlRequest
	query   *analysis // of graphql; nil for anything else
	viewer  *account
}

// answer is what goes out.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (s *Sandbox) serve(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	line := s.ledger.open(r.Method, r.URL.Path)
	x := &exchange{sandbox: s, request: r, line: line, entry: *line}
	defer func() {
		x.entry.Took = time.Since(start)
		x.entry.Aborted = r.Context().Err() != nil
		s.ledger.write(line, x.entry)
		s.log.DebugContext(context.WithoutCancel(r.Context()), "request", "method", r.Method, "path", r.URL.Path, "status", x.entry.Status, "bytes", x.entry.ResponseBytes)
	}()
	if err := x.read(w); err != nil {
		x.write(w, problem(http.StatusBadRequest, err.Error()), Failure{})
		return
	}
	s.ledger.write(line, x.entry)
	failure, _ := s.failures.strike(r.Method, r.URL.Path, x.searched())
	x.play(w, failure)
}

// read takes in the body and notes what is asked.
func (x *exchange) read(w http.ResponseWriter) (err error) {
	x.body, err = io.ReadAll(http.MaxBytesReader(w, x.request.Body, maxRequest))
	x.entry.RequestBytes = len(x.body)
	x.viewer = x.sandbox.viewer(x.request)
	if x.viewer != nil {
		x.entry.Login = x.viewer.login
	}
	if err == nil && isGraphQL(x.request) && json.Unmarshal(x.body, &x.graphql) == nil {
		err = x.readQuery()
	}
	return err
}

func (x *exchange) readQuery() error {
	engine, err := schema()
	if err != nil {
		return err
	}
	x.query = analyse(engine.AST(), x.graphql.Query, x.graphql.OperationName, x.graphql.Variables)
	x.entry.Query, x.entry.Operation, x.entry.Mutation = x.graphql.Query, x.query.operation, x.query.mutation
	for _, root := range x.query.roots {
		x.entry.Fields = append(x.entry.Fields, root.name)
	}
	x.entry.Variables, err = encode(x.graphql.Variables)
	return err
}

// searched is the text in which a rule looks for its Query.
func (x *exchange) searched() string {
	return x.graphql.Query + "\n" + string(x.entry.Variables) + "\n" + string(x.body)
}

func isGraphQL(r *http.Request) bool {
	return r.URL.Path == "/graphql" || r.URL.Path == "/api/graphql"
}

// play answers, with the failure's effects in the order they would have.
func (x *exchange) play(w http.ResponseWriter, failure Failure) {
	if !sleep(x.request.Context(), failure.delay()) {
		return
	}
	if failure.Drop == "before" {
		drop(w)
		return
	}
	var out answer
	if failure.executes() {
		out = x.answer()
	} else {
		out = answer{header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}}
		x.limit = x.sandbox.limits.use(x.viewer, "core")
	}
	if failure.Drop == "after" {
		drop(w)
		return
	}
	body, err := failure.rewrite(out.body)
	if err != nil {
		out = problem(http.StatusInternalServerError, "sandbox: "+err.Error())
		body = out.body
	}
	out.body = body
	out.status = cmp.Or(failure.Status, out.status, http.StatusOK)
	x.write(w, out, failure)
}

// answer is GitHub's own.
func (x *exchange) answer() answer {
	if x.viewer == nil {
		x.limit = x.sandbox.limits.use(nil, "core")
		if x.request.Header.Get("Authorization") == "" {
			return problem(http.StatusUnauthorized, "Requires authentication")
		}
		return problem(http.StatusUnauthorized, "Bad credentials")
	}
	if isGraphQL(x.request) {
		return x.answerGraphQL()
	}
	if strings.HasSuffix(x.request.URL.Path, "/rate_limit") { // asking is free
		x.limit = x.sandbox.limits.look(x.viewer, "core")
	} else {
		x.limit = x.sandbox.limits.use(x.viewer, "core")
	}
	return x.conditional(x.answerREST())
}

func (x *exchange) answerGraphQL() answer {
	x.limit = x.sandbox.limits.use(x.viewer, "graphql")
	if x.request.Method != http.MethodPost {
		return problem(http.StatusNotFound, "Not Found")
	}
	if x.query == nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	if x.graphql.Query == "" {
		return object200(graphqlResponse{Errors: []responseError{{Message: "A query attribute must be specified and must be a string."}}})
	}
	engine, err := schema()
	if err != nil {
		return problem(http.StatusInternalServerError, "schema.graphql: "+err.Error())
	}
	s := &session{
		store: x.sandbox.store, viewer: x.viewer, limit: x.limit, query: x.query,
		nextIDs: x.request.Header.Get("X-Github-Next-Global-Id") == "1",
	}
	return object200(s.execute(x.request.Context(), engine, x.graphql))
}

func (x *exchange) write(w http.ResponseWriter, out answer, failure Failure) {
	header := w.Header()
	x.standardHeaders(header)
	for name, values := range out.header {
		header[name] = values
	}
	for name, value := range failure.Headers {
		header.Set(name, value)
	}
	body := out.body
	if out.status != http.StatusNotModified {
		header.Set("Content-Length", itoa(len(body)))
	}
	x.entry.Status, x.entry.ResponseBytes = out.status, len(body)
	x.sandbox.ledger.write(x.line, x.entry)
	w.WriteHeader(out.status)
	if failure.BodyDelayMillis > 0 {
		_ = http.NewResponseController(w).Flush()
		if !sleep(x.request.Context(), failure.bodyDelay()) {
			return
		}
	}
	if failure.TruncateAt > 0 && failure.TruncateAt < len(body) {
		body = body[:failure.TruncateAt]
		defer drop(w)
	}
	x.entry.ResponseBytes, _ = w.Write(body)
	if len(body) < len(out.body) {
		_ = http.NewResponseController(w).Flush()
	}
}

func (x *exchange) standardHeaders(h http.Header) {
	if x.sandbox.clock != nil {
		h.Set("Date", x.sandbox.clock().UTC().Format(http.TimeFormat))
	}
	h.Set("Server", "github-workflow-mcp sandbox")
	h.Set("X-GitHub-Request-Id", fmt.Sprintf("5A4D:B0X:%06X", x.entry.Number))
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("X-OAuth-Scopes", tokenScopes)
	h.Set("X-Accepted-OAuth-Scopes", "repo")
	h.Set("X-RateLimit-Limit", itoa(x.limit.limit))
	h.Set("X-RateLimit-Remaining", itoa(x.limit.remaining()))
	h.Set("X-RateLimit-Used", itoa(x.limit.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(x.limit.reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", x.limit.resource)
}

// conditional adds an ETag to a REST answer and honours If-None-Match.
func (x *exchange) conditional(out answer) answer {
	if x.request.Method != http.MethodGet || out.status != http.StatusOK {
		return out
	}
	sum := sha256.Sum256(out.body)
	tag := `W/"` + hex.EncodeToString(sum[:16]) + `"`
	out.header.Set("ETag", tag)
	out.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	out.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With")
	for given := range strings.SplitSeq(x.request.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(given), "W/") == strings.TrimPrefix(tag, "W/") {
			out.status, out.body = http.StatusNotModified, nil
		}
	}
	return out
}

// object200 is a JSON answer.
func object200(value any) answer {
	body, err := encode(value)
	if err != nil {
		return problem(http.StatusInternalServerError, err.Error())
	}
	return answer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, body: body}
}

// problem is an error in the form of GitHub's REST API.
func problem(status int, message string) answer {
	out := object200(map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": itoa(status)})
	out.status = status
	return out
}

// encode writes compact JSON and leaves <, > and & as they are.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// sleep waits and reports whether the request is still wanted.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// drop closes the connection without an answer.
func drop(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}
