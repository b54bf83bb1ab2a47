// Package peers_test asks other people's programs what they think of ours:
// GitHub's published GraphQL schema, MCP clients, and MCP's conformance suites.
// What it judges is the built program, from the outside.
//
// The schema, the suites, some clients, and the Node that runs them come from
// npm (package-lock.json pins them). Where they are not installed, or that Node
// does not run, their tests skip, and say so; with PEERS_REQUIRED=1, as .ci/run
// sets it, that is a failure.
package peers_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is the path of the built binary.
var program string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

// buildAndRun builds the program into a directory that goes away afterwards,
// and runs the tests.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "github-workflow-mcp")
	build := exec.Command("go", "build", "-o", program, "..")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		return 1
	}
	return m.Run()
}

// fromNPM is the path of a file of an npm package, absolute.
func fromNPM(t *testing.T, file string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("node_modules", file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		missing(t, "needs npm packages that are not installed; run npm ci in peers")
	}
	return file
}

// missing skips a test, and says what it would have needed.
func missing(t *testing.T, needs string) {
	t.Helper()
	if os.Getenv("PEERS_REQUIRED") != "" {
		t.Fatal(needs)
	}
	t.Skip(needs)
}
