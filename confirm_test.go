package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

// TestConfirmedOnTheSandbox has each destructive tool ask a person and then do
// what it asked about, which is gone afterwards.
func TestConfirmedOnTheSandbox(t *testing.T) {
	p := startProgram(t)
	p.say(`{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"0"}}}`)
	p.hear()
	posted := p.call("manage_discussion_comment", `{"action":"create","discussion_number":12,"body":"to be deleted"}`, "")
	comment, _ := posted["commentId"].(string)
	for _, test := range []struct {
		tool, arguments, member string
		value                   any
	}{
		{"moderate_comment", fmt.Sprintf(`{"action":"delete","discussion_number":12,"comment_id":%q}`, comment), "deleted", true},
		{"manage_discussion", `{"action":"delete","discussion_number":12}`, "state", "DELETED"},
	} {
		if got := p.call(test.tool, test.arguments, "decline"); got["code"] != "CONFIRMATION_REQUIRED" {
			t.Errorf("%s, declined: %v", test.tool, got)
		}
		if got := p.call(test.tool, test.arguments, "accept"); got[test.member] != test.value {
			t.Errorf("%s, accepted: %v, want %s %v", test.tool, got, test.member, test.value)
		}
	}
	if got := p.call("get_discussion_conversation", `{"discussion_number":12,"last_n":1}`, ""); got["code"] != "NOT_FOUND" {
		t.Errorf("the deleted discussion is still there: %v", got)
	}
}

// program is a session with the program on the sandbox.
type program struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func startProgram(t *testing.T) *program {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), []string{"stdio", "--sandbox"}, func(string) string { return "" }, serverIn, serverOut, io.Discard)
		serverOut.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		if code := <-done; code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	return &program{t, in, bufio.NewReader(out)}
}

func (p *program) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) hear() (message struct {
	ID     json.RawMessage
	Method string
	Result struct{ Content []struct{ Text string } }
}) {
	p.t.Helper()
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal(line, &message); err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
	return message
}

// call makes a call whose question, if one is expected, is answered; it
// returns the result or fault.
func (p *program) call(tool, arguments, answer string) map[string]any {
	p.t.Helper()
	p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	heard := p.hear()
	if (heard.Method == "elicitation/create") != (answer != "") {
		p.t.Fatalf("%s %s: the program says %+v", tool, arguments, heard)
	}
	if answer != "" {
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":%q,"content":{"confirm":true}}}`, heard.ID, answer))
		heard = p.hear()
	}
	result := map[string]any{}
	if len(heard.Result.Content) != 1 || json.Unmarshal([]byte(heard.Result.Content[0].Text), &result) != nil {
		p.t.Fatalf("%s %s: the program says %+v", tool, arguments, heard)
	}
	return result
}
