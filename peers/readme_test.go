package peers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var readmeCommand = regexp.MustCompile(`(?m)^(github-workflow-mcp [^#\n]+)`)

// TestREADMECommandsRun types the README's commands into a shell.
func TestREADMECommandsRun(t *testing.T) {
	commands := readmeCommand.FindAllString(readText(t, "../README.md"), -1)
	if len(commands) < 5 {
		t.Errorf("the README shows only the commands %q", commands)
	}
	for _, text := range commands {
		command := exec.CommandContext(t.Context(), "sh", "-c", text)
		command.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", text, err, output)
		}
	}
}
