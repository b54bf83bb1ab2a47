package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseServersOfEachEditor(t *testing.T) {
	tests := []struct {
		name, file string
		want       []serverConfig
	}{
		{"Claude", `{"mcpServers": {
				"z": {"command": "npx", "args": ["-y", "pkg", 8080], "env": {"A": "1", "PORT": 80, "ON": true}, "cwd": "/tmp"},
				"a": {"type": "http", "url": "https://example.test/mcp", "headers": {"X": "y"}}
			}, "other": [1]}`,
			[]serverConfig{
				{ID: "z", Command: "npx", Args: []configScalar{"-y", "pkg", "8080"}, Env: map[string]configScalar{"A": "1", "PORT": "80", "ON": "true"}, Cwd: "/tmp"},
				{ID: "a", Type: "http", URL: "https://example.test/mcp", Headers: map[string]configScalar{"X": "y"}},
			}},
		{"VS Code with comments", `{
				// servers of this project
				"inputs": [],
				"servers": { /* one */ "s": {"type": "stdio", "command": "x", "args": ["//no comment", "a,]", "\"/*"],}, },
			}`,
			[]serverConfig{{ID: "s", Type: "stdio", Command: "x", Args: []configScalar{"//no comment", "a,]", `"/*`}}}},
		{"VS Code settings", `{"mcp": {"servers": {"s": {"command": "x"}}}}`, []serverConfig{{ID: "s", Command: "x"}}},
		{"the first of two with one id", `{"mcpServers": {"s": {"command": "x"}}, "servers": {"s": {"command": "y"}}}`, []serverConfig{{ID: "s", Command: "x"}}},
		{"byte order mark", "\uFEFF{\"mcpServers\": {\"s\": {\"command\": \"x\"}}}", []serverConfig{{ID: "s", Command: "x"}}},
		{"nothing", `{"mcpServers": null}`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseServers([]byte(test.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(serverConfig{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestABrokenEntryCostsOnlyItself(t *testing.T) {
	got, err := parseServers([]byte(`{"mcpServers": {"bad": {"command": 7}, "worse": "x", "nested": {"env": {"A": {}}}, "good": {"command": "x"}}}`))
	if err != nil || len(got) != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, c := range got {
		if (c.broken == nil) != (c.ID == "good") {
			t.Errorf("%s: %v", c.ID, c.broken)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	for _, file := range []string{"", "{", "[]", `{"mcpServers": []}`, `{"mcpServers": {"a": }}`, `{"mcpServers": {"a"`, "/*", `"`, `"\`} {
		if got, err := parseServers([]byte(file)); err == nil {
			t.Errorf("%q gives %+v", file, got)
		}
	}
}

func FuzzParseServers(f *testing.F) {
	f.Add([]byte(`{"servers": {"s": {"args": ["//", "\"/*", 1,], /* x */ },},} // end`))
	f.Add([]byte(`{"a": ["}\\", /", 1], "mcpServers": {"x": {}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		clean := withoutComments(data)
		if json.Valid(data) && !bytes.Equal(clean, data) {
			t.Errorf("%q is JSON, yet became %q", data, clean)
		}
		servers, err := parseServers(data)
		if err != nil && servers != nil {
			t.Errorf("both servers and an error: %+v, %v", servers, err)
		}
	})
}

func TestReadServers(t *testing.T) {
	write := func(text string) string {
		name := t.TempDir() + "/mcp.json"
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	file := write(`{"mcpServers": {"off": {"command": "x", "disabled": true}, "on": {"command": "x"}}}`)
	if got, err := readServers(AwarenessOptions{ConfigFile: file}); err != nil || len(got) != 1 || got[0].ID != "on" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := readServers(AwarenessOptions{ConfigFile: file, Servers: []string{"off"}}); err != nil || len(got) != 1 || got[0].ID != "off" {
		t.Errorf("one that is asked for by name: %+v, %v", got, err)
	}
	for name, want := range map[string]string{t.TempDir() + "/absent": "cannot read the configuration", write("{}"): "no server to ask", write("{"): "not a configuration"} {
		if _, err := readServers(AwarenessOptions{ConfigFile: name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

func TestFilling(t *testing.T) {
	vars := map[string]string{"A": "alpha", "HOME": "/home/me", "LOOP": "${A}"}
	f := &filling{env: func(name string) string { return vars[name] }}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"${A}/${env:A}": "alpha/alpha", "${B:-b}": "b", "${B:-}": "", "${A:-b}": "alpha", "$A {A}": "$A {A}",
		"${userHome}/x": "/home/me/x", "${workspaceFolder}": dir, "${LOOP}": "${A}",
	} {
		if got := f.fill(text); got != want {
			t.Errorf("fill(%q) = %q, want %q", text, got, want)
		}
	}
	f.fill("${input:token} ${env:NONE}")
	if diff := cmp.Diff([]string{"input:token", "NONE"}, f.missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestRedact(t *testing.T) {
	f := &filling{env: func(string) string { return "" }}
	_, err := f.filled(serverConfig{
		Args:    []configScalar{"--api-key", "hush-1", "--token=hush-2", "--verbose", "plain", "--header", "Authorization: Bearer hush-3"},
		Env:     map[string]configScalar{"A": "hush", "ON": "1"},
		Headers: map[string]configScalar{"Authorization": "Bearer hush-long"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.redact("hush-1 hush-2\nplain hush-3 hush hush-long 1 1\x1b"), "[hidden] [hidden] plain [hidden] [hidden] [hidden] 1 1"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
