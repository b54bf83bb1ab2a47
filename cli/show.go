package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/listing"
)

func toolsCommand(open Open) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Show the list of tools as a client sees it",
		Args:  cobra.NoArgs,
	}
	format := formatFlag(cmd, "table", "json")
	cmd.RunE = with(open, func(cmd *cobra.Command, app *App, _ []string) error {
		if format.value == "json" {
			encoder := json.NewEncoder(cmd.OutOrStdout())
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			return encoder.Encode(map[string]any{"tools": app.Server.Tools()})
		}
		return writeTable(cmd.OutOrStdout(), app.Server.Tools())
	})
	return cmd
}

func writeTable(w io.Writer, tools []listing.Tool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, tool := range tools {
		fmt.Fprintf(table, "%s\t%s\t%s\n", tool.Name, effect(tool.Annotations), tool.Description)
	}
	return table.Flush()
}

// effect is what a tool does to GitHub, in one word.
func effect(a contract.Annotations) string {
	switch {
	case a.ReadOnlyHint:
		return "reads"
	case a.DestructiveHint:
		return "deletes"
	default:
		return "writes"
	}
}

func handbookCommand(open Open) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "handbook TOOL",
		Short:             "Show everything about one tool",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: toolNames(open),
	}
	format := formatFlag(cmd, "text", "json")
	cmd.RunE = with(open, func(cmd *cobra.Command, app *App, args []string) error {
		var entry handbookEntry
		raw, err := ask(cmd, app, "get_mcp_tool_handbook", map[string]any{"toolId": args[0]}, &entry)
		if err != nil {
			return err
		}
		if !entry.Found {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", raw)
			return ErrReported
		}
		if format.value == "json" {
			return writeJSON(cmd.OutOrStdout(), raw, true)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), entry.text())
		return err
	})
	return cmd
}

// handbookEntry is what of an entry is shown to people.
type handbookEntry struct {
	ToolID      string
	Found       bool
	Title       string
	Description string
	Handbook    string
	Derived     bool
	InputSchema struct {
		Required   []string
		Properties map[string]struct {
			Type        string
			Description string
			Default     any
			Enum        []any
		}
	}
	Examples []struct {
		Description string
		Arguments   json.RawMessage
	}
	Scopes, Errors []string
}

func (e handbookEntry) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n", e.ToolID, e.Title, strings.TrimSpace(e.Description))
	if arguments := e.arguments(); arguments != "" {
		fmt.Fprintf(&b, "\nArguments\n%s", arguments)
	}
	if !e.Derived {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(e.Handbook))
	}
	for i, example := range e.Examples {
		if i == 0 {
			b.WriteString("\nExamples\n")
		}
		fmt.Fprintf(&b, "  %s\n    %s\n", example.Description, example.Arguments)
	}
	if len(e.Errors) > 0 {
		fmt.Fprintf(&b, "\nErrors\n  %s\n", strings.Join(e.Errors, ", "))
	}
	return b.String()
}

// arguments are the arguments, the required ones first.
func (e handbookEntry) arguments() string {
	names := slices.SortedFunc(maps.Keys(e.InputSchema.Properties), func(a, b string) int {
		if required := e.required(b) - e.required(a); required != 0 {
			return required
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, name := range names {
		property := e.InputSchema.Properties[name]
		fmt.Fprintf(table, "  %s\t%s%s\t%s\n", name, property.Type, []string{"", ", required"}[e.required(name)], property.Description)
	}
	_ = table.Flush() // into memory
	return b.String()
}

func (e handbookEntry) required(name string) int {
	if slices.Contains(e.InputSchema.Required, name) {
		return 1
	}
	return 0
}

func versionCommand(open Open) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  cobra.NoArgs,
		RunE: with(open, func(cmd *cobra.Command, app *App, _ []string) error {
			digest, tools := app.Server.Surface()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "github-workflow-mcp %s (%s %s/%s), %d tools, surface %s\n",
				app.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, tools, digest)
			return err
		}),
	}
}
