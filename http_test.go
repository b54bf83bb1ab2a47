package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// endpoint is a program that serves HTTP.
type endpoint struct {
	t      testing.TB
	url    string // of /mcp
	line   string // that said so
	stderr func() string
	client *http.Client
}

// startHTTP runs the http command on a free port until the test ends.
func startHTTP(t testing.TB, env map[string]string, args ...string) *endpoint {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	out, in := io.Pipe()
	var warned strings.Builder
	done := make(chan int, 1)
	go func() {
		args := append([]string{"http", "--listen", "127.0.0.1:0"}, args...)
		done <- run(ctx, args, func(name string) string { return env[name] }, strings.NewReader(""), in, &warned)
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	e := &endpoint{t: t, line: strings.TrimSpace(line), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 300}}}
	ended := false
	e.stderr = func() string {
		if !ended {
			ended = true
			stop()
			if code := <-done; code != 0 {
				t.Errorf("exit code %d: %s", code, warned.String())
			}
		}
		return warned.String()
	}
	t.Cleanup(func() { e.client.CloseIdleConnections(); e.stderr() })
	fields := strings.Fields(line)
	if err != nil || len(fields) < 2 || fields[0] != "listening" {
		t.Fatalf("the program says %q, %v", line, err)
	}
	e.url = fields[1]
	return e
}

// post sends a message and gives status and body.
func (e *endpoint) post(path, body string, headers ...string) (int, string) {
	e.t.Helper()
	r, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, e.url+path, strings.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := e.client.Do(r)
	if err != nil {
		e.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// call calls a tool as a client of 2026-07-28 and gives the members of its
// result or error.
func (e *endpoint) call(path, tool, arguments string, headers ...string) map[string]any {
	e.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, tool, arguments)
	headers = append([]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: " + tool}, headers...)
	status, text := e.post(path, body, headers...)
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	members := map[string]any{}
	if json.Unmarshal([]byte(text), &answer) != nil || len(answer.Result.Content) != 1 || json.Unmarshal([]byte(answer.Result.Content[0].Text), &members) != nil {
		e.t.Fatalf("%s answers %d %s", tool, status, text)
	}
	return members
}

// TestHTTPUsersAreSeparate: each request acts as its user and learns nothing
// from what another one has read.
func TestHTTPUsersAreSeparate(t *testing.T) {
	e := startHTTP(t, nil, "--sandbox", "--log-level", "debug")
	const secret = `{"repo":"octo-org/private","discussion_number":1}`
	for range 2 { // the second time, everything that is remembered is
		for token, want := range map[string]string{sandbox.AdminToken: "The secret plan", sandbox.ReadToken: "", sandbox.WriteToken: "The secret plan"} {
			got := e.call("", "get_discussion_conversation", secret, "Authorization: Bearer "+token)
			if title, _ := got["title"].(string); title != want {
				t.Errorf("%s reads %v", token, got)
			}
			who := e.call("", "get_viewer_permission", `{}`, "Authorization: Bearer "+token)
			if login := "octo-" + strings.TrimPrefix(token, "sandbox-"); who["login"] != login {
				t.Errorf("%s is %v, want %s", token, who["login"], login)
			}
		}
	}
	if who := e.call("", "get_viewer_permission", `{}`); who["login"] != "octo-admin" {
		t.Errorf("without a token, the process acts as %v", who["login"])
	}
	if got := e.call("", "list_labels", `{}`, "Authorization: Bearer nobodys"); got["code"] != "AUTH_FAILED" {
		t.Errorf("a token of nobody: %v", got)
	}
	if status, text := e.post("", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Authorization: Bearer nobodys"); status != http.StatusUnauthorized || strings.Contains(text, "nobodys") {
		t.Errorf("that token again: %d %s", status, text)
	}
	for _, token := range []string{sandbox.AdminToken, sandbox.ReadToken, "nobodys"} {
		if strings.Contains(e.stderr(), token) {
			t.Errorf("the log shows %s", token)
		}
	}
}

// TestHTTPHealthIsTheClients: the health check tells the client what it sees of
// the server, not what others see.
func TestHTTPHealthIsTheClients(t *testing.T) {
	e := startHTTP(t, nil, "--sandbox")
	_, listed := e.post("/x/discussions/readonly", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var tools struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(listed), &tools); err != nil {
		t.Fatal(err)
	}
	health := e.call("/x/discussions/readonly", "healthcheck", `{}`)
	surface, _ := health["advertisedSurface"].(map[string]any)
	mode, _ := health["mode"].(map[string]any)
	if surface["toolCount"] != float64(len(tools.Result.Tools)) || mode["readOnly"] != true || fmt.Sprint(mode["toolsets"]) != "[discussions]" {
		t.Errorf("with %d tools listed, the health check says %v and %v", len(tools.Result.Tools), surface, mode)
	}
	whole, _ := e.call("", "healthcheck", `{}`)["mode"].(map[string]any)
	if sets := fmt.Sprint(whole["toolsets"]); strings.Contains(sets, "local") || whole["readOnly"] != false {
		t.Errorf("the whole endpoint says %v", whole)
	}
}

// TestHTTPHasNoLocalTools: what works on the server's own files is not listed,
// and says why.
func TestHTTPHasNoLocalTools(t *testing.T) {
	e := startHTTP(t, nil, "--sandbox")
	if _, listed := e.post("", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); strings.Contains(listed, "checkout_pull_request") {
		t.Error("checkout_pull_request is listed")
	}
	_, text := e.post("", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"checkout_pull_request","arguments":{"pr_number":201}}}`)
	if !strings.Contains(text, "off over HTTP") {
		t.Errorf("a call answers %s", text)
	}
}

// TestHTTPServerToken: the variable guards the endpoint, and who passes acts as
// the process; a token among the arguments works and is warned about.
func TestHTTPServerToken(t *testing.T) {
	for name, test := range map[string]struct {
		env    map[string]string
		args   []string
		warned bool
	}{
		"by its variable": {map[string]string{"GITHUB_WORKFLOW_SERVER_TOKEN": "the-secret"}, nil, false},
		"as an argument":  {nil, []string{"--server-token", "the-secret"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := startHTTP(t, test.env, append(test.args, "--sandbox")...)
			if !strings.Contains(e.line, "has to bring the server token") {
				t.Errorf("the program says %q", e.line)
			}
			if status, _ := e.post("", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization: Bearer sandbox-admin"); status != http.StatusUnauthorized {
				t.Errorf("a GitHub token is answered with %d", status)
			}
			if who := e.call("", "get_viewer_permission", `{}`, "Authorization: Bearer the-secret"); who["login"] != "octo-admin" {
				t.Errorf("it acts as %v", who)
			}
			warning := e.stderr()
			if strings.Contains(warning, "other users of this machine") != test.warned || strings.Contains(warning, "the-secret") {
				t.Errorf("stderr: %s", warning)
			}
		})
	}
}

// TestHTTPSettings: what cannot be right stops the start; variables stand in
// for flags.
func TestHTTPSettings(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"two kinds of tokens":    {map[string]string{"GITHUB_WORKFLOW_SERVER_TOKEN": "x"}, []string{"--authorization-server", "https://login.example"}, "exclude each other"},
		"a key without its file": {nil, []string{"--tls-cert", "nowhere.pem"}, "--tls-cert"},
		"a key alone":            {nil, []string{"--tls-key", "nowhere.pem"}, "--tls-cert"},
		"an empty server token":  {nil, []string{"--server-token", ""}, "--server-token is empty"},
		"nobody at a time":       {nil, []string{"--max-concurrent", "0"}, "--max-concurrent has to be at least 1"},
		"nothing a minute":       {map[string]string{"GITHUB_WORKFLOW_MAX_PER_MINUTE": "0"}, nil, "--max-per-minute has to be at least 1"},
		"no sessions":            {nil, []string{"--max-sessions", "-1"}, "--max-sessions has to be at least 1"},
		"sessions for no time":   {nil, []string{"--session-idle", "0s"}, "--session-idle"},
		"an end before it":       {nil, []string{"--drain-timeout", "-1s"}, "--drain-timeout"},
		"a port that is none":    {nil, []string{"--listen", "127.0.0.1:http-ish"}, "--listen"},
		"a variable":             {map[string]string{"GITHUB_WORKFLOW_ALLOWED_ORIGINS": "everything"}, nil, "everything"},
		"a time in a variable":   {map[string]string{"GITHUB_WORKFLOW_SESSION_IDLE": "soon"}, nil, "GITHUB_WORKFLOW_SESSION_IDLE"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"http", "--sandbox", "--listen", "127.0.0.1:0"}, test.args...)
			stdout, stderr, code := tryRun(t, test.env, args...)
			if stdout != "" || code == 0 || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %q on stderr alone", code, stdout, stderr, test.want)
			}
		})
	}
}

// TestHTTPOnANetwork: every request has to bring a token, and the program says
// so, and that tokens can be read on the way.
func TestHTTPOnANetwork(t *testing.T) {
	e := startHTTP(t, nil, "--sandbox", "--listen", "0.0.0.0:0")
	if !strings.Contains(e.line, "its user's GitHub token") {
		t.Errorf("the program says %q", e.line)
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if status, _ := e.post("", ping); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
	if status, _ := e.post("", ping, "Authorization: Bearer sandbox-read"); status != http.StatusOK {
		t.Errorf("with a token: %d", status)
	}
	if warning := e.stderr(); !strings.Contains(warning, "unencrypted") {
		t.Errorf("stderr: %s", warning)
	}
}

func TestHTTPS(t *testing.T) {
	certificate, key, roots := selfSigned(t)
	e := startHTTP(t, nil, "--sandbox", "--tls-cert", certificate, "--tls-key", key)
	if !strings.HasPrefix(e.url, "https://") {
		t.Errorf("the program says %q", e.line)
	}
	e.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	if who := e.call("", "get_viewer_permission", `{}`); who["login"] != "octo-admin" {
		t.Errorf("a call answers %v", who)
	}
}

// selfSigned makes a certificate for 127.0.0.1.
func selfSigned(t *testing.T) (certificate, key string, roots *x509.CertPool) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	write := func(name, kind string, content []byte) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", signed), write("key.pem", "PRIVATE KEY", encoded), roots
}

// TestReplicas: behind a plain TCP round-robin, clients of 2026-07-28 and reads
// without a session work, cursors included; a session is of one process.
func TestReplicas(t *testing.T) {
	github := sandbox.StartTest(t, sandbox.Options{})
	env := map[string]string{
		"GITHUB_API_URL": github.RESTURL(), "GITHUB_GRAPHQL_URL": github.GraphQLURL(),
		"GITHUB_TOKEN": sandbox.WriteToken, "GITHUB_REPOSITORY": "octo-org/hello",
	}
	replicas := []*endpoint{startHTTP(t, env), startHTTP(t, env)}
	balanced, taken := roundRobin(t, replicas)

	t.Run("pages", func(t *testing.T) {
		var seen []string
		arguments := map[string]any{"limit": 4}
		for arguments != nil {
			text, _ := json.Marshal(arguments)
			got := balanced.call("", "list_discussions", string(text))
			rows, _ := got["discussions"].([]any)
			for _, row := range rows {
				seen = append(seen, fmt.Sprint(row.(map[string]any)["number"]))
			}
			arguments, _ = got["next"].(map[string]any)
		}
		all := balanced.call("", "list_discussions", `{"limit":100}`)
		if unique := slices.Compact(slices.Sorted(slices.Values(seen))); len(unique) != len(seen) || float64(len(seen)) != all["totalCount"] {
			t.Errorf("%d rows, %d different, of %v", len(seen), len(unique), all["totalCount"])
		}
	})
	t.Run("hand-off", func(t *testing.T) {
		posted := balanced.call("", "manage_discussion_comment", `{"action":"create","discussion_number":12,"body":"for the next replica"}`)
		read := balanced.call("", "get_discussion_conversation", fmt.Sprintf(`{"discussion_number":12,"comment_id":%q}`, posted["commentId"]))
		if read["found"] != true {
			t.Errorf("posted %v, read %v", posted, read)
		}
	})
	t.Run("the list of tools", func(t *testing.T) {
		_, one := balanced.post("", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		_, other := balanced.post("", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if one != other || !strings.Contains(one, "list_discussions") {
			t.Error("two replicas list different tools")
		}
	})
	t.Run("a session is of one process", func(t *testing.T) {
		sessions := map[int]int{}
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, replicas[0].url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`))
		r.Header.Set("Content-Type", "application/json")
		resp, err := replicas[0].client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		for range 2 {
			status, _ := balanced.post("", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id: "+resp.Header.Get("Mcp-Session-Id"))
			sessions[status]++
		}
		if want := map[int]int{http.StatusOK: 1, http.StatusNotFound: 1}; !maps.Equal(sessions, want) {
			t.Errorf("two requests of a session to two replicas: %v, want %v", sessions, want)
		}
	})
	if a, b := taken[0].Load(), taken[1].Load(); a < 5 || b < 5 {
		t.Errorf("the replicas took %d and %d connections", a, b)
	}
}

// roundRobin gives each connection to the next replica.
func roundRobin(t *testing.T, replicas []*endpoint) (*endpoint, []atomic.Int64) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	taken := make([]atomic.Int64, len(replicas))
	go func() {
		for i := 0; ; i++ {
			from, err := l.Accept()
			if err != nil {
				return
			}
			taken[i%len(replicas)].Add(1)
			go pipe(t, from, strings.TrimSuffix(strings.TrimPrefix(replicas[i%len(replicas)].url, "http://"), "/mcp"))
		}
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // each request is a connection of its own
	return &endpoint{t: t, url: "http://" + l.Addr().String() + "/mcp", client: client}, taken
}

func pipe(t *testing.T, from net.Conn, address string) {
	defer from.Close()
	to, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	go func() { _, _ = io.Copy(to, from) }()
	_, _ = io.Copy(from, to)
}
