// Package cli is the server as people and scripts meet it: the commands of a
// shell, which make the same calls as an MCP client and show the same answers.
//
// It promises that what a program reads goes to stdout, what a person reads
// about a failure goes to stderr, and the exit code is 0 only for success.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// App is one assembled server.
type App struct {
	Server  *server.Server
	Version string // of the binary
	// Local are the tools that only make sense on this machine, and of each,
	// why.
	Local   map[string]string
	Metrics *prometheus.Registry // what the server measures of its way to GitHub
	Close   func()               // ends what was started for the server
}

// Open assembles the App. The flags are parsed by then.
type Open func() (*App, error)

// ErrReported says that a command failed and has told why itself.
var ErrReported = errors.New("the command failed")

// Commands are the commands that work on one App; env gives the variables that
// have no flag to stand in for.
func Commands(open Open, env func(string) string) []*cobra.Command {
	return []*cobra.Command{
		stdioCommand(open), httpCommand(open, env), callCommand(open), toolsCommand(open), handbookCommand(open),
		doctorCommand(open), versionCommand(open),
	}
}

// with makes a cobra function of one that needs the App.
func with(open Open, run func(cmd *cobra.Command, app *App, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		app, err := open()
		if err != nil {
			return err
		}
		defer app.Close()
		return run(cmd, app, args)
	}
}

// toolNames completes the first argument of a command to a tool's name.
func toolNames(open Open) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		app, err := open()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer app.Close()
		var names []cobra.Completion
		for _, tool := range app.Server.Tools() {
			names = append(names, cobra.CompletionWithDesc(tool.Name, tool.Title))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// ask calls a tool and decodes its result. A failed one is shown on stderr.
func ask(cmd *cobra.Command, app *App, tool string, args map[string]any, result any) (json.RawMessage, error) {
	answer, err := app.Server.Call(cmd.Context(), tool, args)
	if err != nil {
		return nil, err
	}
	if answer.Failed {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", answer.JSON)
		return nil, ErrReported
	}
	if result == nil {
		return answer.JSON, nil
	}
	return answer.JSON, json.Unmarshal(answer.JSON, result)
}

// formatFlag adds --format with the given choices, the first by default.
func formatFlag(cmd *cobra.Command, choices ...string) *format {
	f := &format{value: choices[0], choices: choices}
	cmd.Flags().Var(f, "format", "")
	cmd.Flags().Lookup("format").Usage = "how to show it: " + f.Type()
	return f
}

// format is one of a few words.
type format struct {
	value   string
	choices []string
}

// String is the chosen word.
func (f *format) String() string { return f.value }

// Type names the words there are.
func (f *format) Type() string {
	text := ""
	for i, choice := range f.choices {
		if i > 0 {
			text += "|"
		}
		text += choice
	}
	return text
}

// Set chooses a word.
func (f *format) Set(value string) error {
	for _, choice := range f.choices {
		if value == choice {
			f.value = value
			return nil
		}
	}
	return fmt.Errorf("there are %s", f.Type())
}

// writeJSON shows JSON compact, or indented for people.
func writeJSON(w io.Writer, raw json.RawMessage, pretty bool) error {
	if !pretty {
		_, err := fmt.Fprintf(w, "%s\n", raw)
		return err
	}
	return writePretty(w, raw)
}
