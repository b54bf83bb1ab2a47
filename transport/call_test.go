package transport_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

const (
	traceID  = "0af7651916cd43dd8448eb211c80319c"
	goodSpan = "00-" + traceID + "-b7ad6b7169203331-01"
)

// TestTrace: a trace context of the W3C form reaches GitHub as it came, and
// anything else is no trace context.
func TestTrace(t *testing.T) {
	long := strings.Repeat("x", 600)
	for name, test := range map[string]struct{ parent, state, wantParent, wantState string }{
		"none":                     {},
		"version 00":               {goodSpan, "", goodSpan, ""},
		"with a state":             {goodSpan, "a@b=1, c=00f067aa0ba902b7", goodSpan, "a@b=1, c=00f067aa0ba902b7"},
		"a later version":          {"cc" + goodSpan[2:] + "-more", "", "cc" + goodSpan[2:] + "-more", ""},
		"a state alone":            {"", "a=1", "", ""},
		"a state of another form":  {goodSpan, "no pairs here", goodSpan, ""},
		"a state with a new line":  {goodSpan, "a=1\r\nAuthorization: x", goodSpan, ""},
		"a state too long":         {goodSpan, "a=" + long, goodSpan, ""},
		"version ff":               {"ff" + goodSpan[2:], "a=1", "", ""},
		"version 00 with more":     {goodSpan + "-more", "", "", ""},
		"a later version too long": {"cc" + goodSpan[2:] + "-" + long, "", "", ""},
		"upper case":               {strings.ToUpper(goodSpan), "", "", ""},
		"a trace of zeros":         {"00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", "", "", ""},
		"a parent of zeros":        {"00-" + traceID + "-0000000000000000-01", "", "", ""},
		"too short":                {goodSpan[:54], "", "", ""},
		"a new line":               {goodSpan + "\n", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := serve(t, answer(200, `{"data":{}}`))
			trace := transport.ParseTrace(test.parent, test.state)
			ctx := transport.WithCall(transport.WithRead(t.Context(), "read"), transport.Call{Trace: trace})
			if _, _, err := g.do(ctx, "POST", "/graphql", `{"query":"{a}"}`); err != nil {
				t.Fatal(err)
			}
			got := []string{strings.Join(g.requests[0].Header["Traceparent"], "|"), strings.Join(g.requests[0].Header["Tracestate"], "|")}
			if diff := cmp.Diff([]string{test.wantParent, test.wantState}, got); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if (trace.ID() == "") != (test.wantParent == "") || trace.ID() != "" && trace.ID() != traceID {
				t.Errorf("the trace's id is %q", trace.ID())
			}
		})
	}
}

// TestTraceStaysWithGitHub: who GitHub redirects to is not told of it.
func TestTraceStaysWithGitHub(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			t.Error("the trace left GitHub")
		}
	}))
	defer elsewhere.Close()
	g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusFound)
	})
	ctx := transport.WithCall(t.Context(), transport.Call{Trace: transport.ParseTrace(goodSpan, "")})
	if status, _, err := g.do(ctx, "GET", "/archive", ""); err != nil || status != 200 {
		t.Fatalf("status %d, %v", status, err)
	}
	if g.requests[0].Header.Get("Traceparent") != goodSpan {
		t.Error("GitHub was not told of the trace")
	}
}

// TestCallHearsOfItsRequests, of repeated ones too.
func TestCallHearsOfItsRequests(t *testing.T) {
	g := serve(t, inTurn(answer(502, "no"), answer(200, `{"data":{}}`)))
	var heard []string
	ctx := transport.WithCall(t.Context(), transport.Call{OnRequest: func(name string) { heard = append(heard, name) }})
	if _, _, err := g.do(transport.WithRead(ctx, "Tail"), "POST", "/graphql", `{"query":"{a}"}`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Tail", "Tail"}, heard); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}

// TestLogNamesTheCall in every line under its context and in no other,
// whatever was made of the logger since.
func TestLogNamesTheCall(t *testing.T) {
	var out lockedBuffer
	log := transport.LogCalls(slog.New(slog.NewJSONHandler(&out, nil)))
	ctx := transport.WithCall(t.Context(), transport.Call{ID: "c1", Trace: transport.ParseTrace(goodSpan, "")})
	log.InfoContext(ctx, "plain")
	log.With("a", 1).InfoContext(ctx, "with an attribute")
	log.InfoContext(t.Context(), "of no call")
	log.WithGroup("g").InfoContext(ctx, "in a group")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []map[string]any{
		{"call": "c1", "trace_id": traceID}, {"a": 1.0, "call": "c1", "trace_id": traceID}, {},
		{"g": map[string]any{"call": "c1", "trace_id": traceID}},
	} {
		var line map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"time", "level", "msg"} {
			delete(line, name)
		}
		if diff := cmp.Diff(want, line); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", i, diff)
		}
	}
	g := serve(t, answer(200, `{"data":{}}`))
	if _, _, err := g.do(ctx, "POST", "/graphql", `{}`); err != nil || !strings.Contains(g.log.String(), "call=c1 trace_id="+traceID) {
		t.Errorf("%v, and the line of the exchange does not name the call: %s", err, g.log)
	}
}

// TestFaultsNameGitHubsRequest: where GitHub failed, its own id of the
// exchange goes out; where it refused, the reason is enough.
func TestFaultsNameGitHubsRequest(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		want   any
	}{
		"a failure":              {500, "{}", "A:1"},
		"a web page":             {200, "<html>", "A:1"},
		"a query that takes too": {502, `{"message":"We couldn't respond to your request in time."}`, "A:1"},
		"a refusal":              {403, `{"message":"no"}`, nil},
		"a limit":                {429, `{}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := serve(t, answer(test.status, test.body, "X-Github-Request-Id", "A:1"))
			if err := g.read(t); err == nil || fault.From(err).Details["requestId"] != test.want {
				t.Errorf("%v with details %v, want requestId %v", err, fault.From(err).Details, test.want)
			}
		})
	}
}
