package main

import (
	"bufio"
	"context"
	"io"
	"maps"
	"strings"
	"testing"
)

// TestSandboxAsItsOwnProcess: a server that is pointed at a sandbox in another
// process answers as one with the sandbox inside.
func TestSandboxAsItsOwnProcess(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"sandbox"}, func(string) string { return "" }, strings.NewReader(""), in, io.Discard)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening http://127.0.0.1:")
	if err != nil || !found {
		t.Fatalf("the sandbox says %q, %v", line, err)
	}
	root := "http://127.0.0.1:" + address
	env := map[string]string{"GITHUB_TOKEN": "sandbox-admin", "GITHUB_REPOSITORY": "octo-org/hello"}
	for name, more := range map[string]map[string]string{
		"one address":   {"GITHUB_API_URL": root + "/api/v3"},
		"two addresses": {"GITHUB_API_URL": root + "/api/v3", "GITHUB_GRAPHQL_URL": root + "/api/graphql"},
		"its host":      {"GITHUB_HOST": root},
	} {
		t.Run(name, func(t *testing.T) {
			for _, call := range [][]string{
				{"call", "list_labels", "limit=3"},
				{"call", "list_discussions", "limit=3"},
				{"call", "get_discussion_conversation", "discussion_number=12"},
			} {
				maps.Copy(more, env)
				outside, stderr, code := tryRun(t, more, call...)
				inside, _, _ := tryRun(t, nil, append(call, "--sandbox")...)
				if code != 0 || outside != inside {
					t.Errorf("%q: exit code %d\noutside %s%s\ninside  %s", call, code, outside, stderr, inside)
				}
			}
		})
	}
	stop()
	if code := <-done; code != 0 {
		t.Errorf("a sandbox that is stopped ends with exit code %d", code)
	}
}
