package peers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var readmeCommand = regexp.MustCompile(`(?m)^(?:go run \.|github-workflow-mcp) ([^#\n]+)`)

// TestREADMECommandsRun types the README's commands into a shell; what it runs
// with go run is the program that was built.
func TestREADMECommandsRun(t *testing.T) {
	commands := readmeCommand.FindAllStringSubmatch(readText(t, "../README.md"), -1)
	if len(commands) < 6 {
		t.Errorf("the README shows only the commands %q", commands)
	}
	for _, match := range commands {
		text := "github-workflow-mcp " + match[1]
		command := exec.CommandContext(t.Context(), "sh", "-c", text)
		command.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", text, err, output)
		}
	}
}
