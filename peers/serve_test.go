package peers_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The transports that the program serves.
const (
	overStdio = "stdio"
	overHTTP  = "http"
)

func transports() []string { return []string{overStdio, overHTTP} }

// serve has the program ready for clients. Over stdio it is the client that
// starts it; over HTTP it runs until the test ends, and has to end well.
func serve(t *testing.T, transport string, environment []string, flags ...string) endpoint {
	t.Helper()
	if transport == overStdio {
		return endpoint{environment: environment, arguments: append([]string{"stdio"}, flags...)}
	}
	return endpoint{url: listening(t, process{
		program: program, environment: environment, arguments: append([]string{"http", "--listen", "127.0.0.1:0"}, flags...),
	})}
}

// process is a program that listens.
type process struct {
	program     string
	arguments   []string
	environment []string // beside our own
	directory   string   // "" is ours
}

// listening starts the process and gives the address that it says. It is told
// to stop when the test ends, and has to end well.
func listening(t *testing.T, p process) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context())) // clients take their leave first
	command := exec.CommandContext(ctx, p.program, p.arguments...)
	command.Dir, command.Env = p.directory, append(os.Environ(), p.environment...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = command.Wait() // its error is that of the context
		if !command.ProcessState.Success() {
			t.Errorf("%s does not end well: %s\n%s", command, command.ProcessState, stderr.String())
		}
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if !found {
		t.Fatalf("%s says %q, want listening and an address\n%s", command, line, stderr.String())
	}
	return address
}

// startSandbox runs the sandbox as a process of its own, and gives its address.
func startSandbox(t *testing.T) string {
	t.Helper()
	return listening(t, process{program: program, arguments: []string{"sandbox", "--listen", "127.0.0.1:0"}})
}

// pointedAt is the environment that makes the program take address for GitHub.
func pointedAt(address, token string) []string {
	return []string{
		"GITHUB_API_URL=" + address + "/api/v3", "GITHUB_GRAPHQL_URL=" + address + "/api/graphql",
		"GITHUB_TOKEN=" + token, "GITHUB_REPOSITORY=" + home,
	}
}

// holder is a GitHub that keeps some of its callers waiting until they leave.
type holder struct {
	address string
	held    chan struct{} // gets a caller that waits
	left    chan struct{} // gets one that has left
}

// holding stands before the GitHub at address, and holds the requests that
// contain a text.
func holding(t *testing.T, address, text string) *holder {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{held: make(chan struct{}, 10), left: make(chan struct{}, 10)}
	behind := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has gone
		}
		if bytes.Contains(body, []byte(text)) {
			h.held <- struct{}{}
			<-r.Context().Done()
			h.left <- struct{}{}
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	h.address = front.URL
	return h
}
