package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/github-workflow-mcp/github-workflow-mcp/awareness"
)

// AwarenessOptions are the arguments of the awareness command.
type AwarenessOptions struct {
	ConfigFile string        // an mcpServers file as Claude, Cursor and VS Code write it
	Servers    []string      // ids to ask; none: all that are not disabled
	Format     string        // "json", or "markdown" ("" too)
	Timeout    time.Duration // for each server, start to end; 0: 30 s

	Env func(string) string // looks an environment variable up; nil: os.Getenv
	Out io.Writer           // the layers
	Err io.Writer           // one line for each server that fails
}

const defaultServerTimeout = 30 * time.Second

// AwarenessCommand is the command awareness; env looks variables up.
func AwarenessCommand(env func(string) string) *cobra.Command {
	opts := AwarenessOptions{Env: env}
	cmd := &cobra.Command{
		Use:   "awareness --config FILE",
		Short: "Show what makes a model reach for the tools of any MCP servers",
		Long: "Asks the MCP servers of a configuration file, such as a client's mcp.json, for their tools, and shows three texts\n" +
			"for a model: a description per tool, a paragraph for the system prompt, and a roster to begin with.\n" +
			"A server that fails is one line on stderr; the exit code is 1 when none answers.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&opts.ConfigFile, "config", "", "the `file` with the mcpServers")
	cmd.Flags().StringSliceVar(&opts.Servers, "server", nil, "only the servers with these `ids`")
	cmd.Flags().DurationVar(&opts.Timeout, "timeout", defaultServerTimeout, "how long a server may take, from start to end")
	format := formatFlag(cmd, "markdown", "json")
	_ = cmd.MarkFlagRequired("config") // fails for a flag that is not there
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		opts.Format, opts.Out, opts.Err = format.String(), cmd.OutOrStdout(), cmd.ErrOrStderr()
		if Awareness(cmd.Context(), opts) != 0 {
			return ErrReported
		}
		return nil
	}
	return cmd
}

// Awareness connects to the MCP servers of a configuration file and writes the
// three awareness layers for their tools. The exit code is 0 when at least one
// server answered, else 1. Values of env, headers and variables are never
// written, and no process that was started is left behind.
func Awareness(ctx context.Context, opts AwarenessOptions) int {
	answers, err := runAwareness(ctx, opts)
	if err != nil {
		fmt.Fprintln(opts.Err, "awareness:", printableLine(err.Error()))
		return 1
	}
	if !slices.ContainsFunc(answers, func(a serverAnswer) bool { return a.err == nil }) {
		return 1
	}
	return 0
}

func runAwareness(ctx context.Context, opts AwarenessOptions) ([]serverAnswer, error) {
	write, err := reportWriter(opts.Format)
	if err != nil {
		return nil, err
	}
	configs, err := readServers(opts)
	if err != nil {
		return nil, err
	}
	answers := askAll(ctx, configs, opts)
	for _, a := range answers {
		if a.err != nil {
			fmt.Fprintf(opts.Err, "awareness: server %q: %s\n", a.server.ID, a.err)
		}
	}
	return answers, write(opts.Out, reportOf(answers))
}

// serverAnswer is what became of one server.
type serverAnswer struct {
	server awareness.Server
	err    error // says what is wrong in one line without any secret
}

// askAll asks all servers at once and keeps their order.
func askAll(ctx context.Context, configs []serverConfig, opts AwarenessOptions) []serverAnswer {
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = defaultServerTimeout
	}
	env := opts.Env
	if env == nil {
		env = os.Getenv
	}
	answers := make([]serverAnswer, len(configs))
	var group sync.WaitGroup
	for i, config := range configs {
		group.Go(func() {
			tools, err := askServer(ctx, config, env, timeout)
			answers[i] = serverAnswer{awareness.Server{ID: config.ID, Tools: tools}, err}
		})
	}
	group.Wait()
	return answers
}

// awarenessReport is the command's JSON.
type awarenessReport struct {
	Servers      []serverReport       `json:"servers"`
	Tools        []awareness.Enriched `json:"tools"`
	SystemPrompt string               `json:"systemPrompt"`
	Warmup       string               `json:"warmup"`
}

type serverReport struct {
	ID        string  `json:"id"`
	OK        bool    `json:"ok"`
	Error     *string `json:"error"`
	ToolCount int     `json:"toolCount"`
}

func reportOf(answers []serverAnswer) awarenessReport {
	report := awarenessReport{Servers: []serverReport{}, Tools: []awareness.Enriched{}}
	var servers []awareness.Server
	for _, a := range answers {
		row := serverReport{ID: a.server.ID, OK: a.err == nil, ToolCount: len(a.server.Tools)}
		if a.err != nil {
			text := a.err.Error()
			row.Error = &text
		}
		report.Servers = append(report.Servers, row)
		servers = append(servers, a.server)
	}
	report.Tools = append(report.Tools, awareness.EnrichAll(servers)...)
	report.SystemPrompt = awareness.SystemPrompt(servers)
	report.Warmup = awareness.Roster(servers)
	return report
}

func reportWriter(format string) (func(io.Writer, awarenessReport) error, error) {
	switch format {
	case "json":
		return writeReportJSON, nil
	case "markdown", "":
		return writeReportMarkdown, nil
	}
	return nil, fmt.Errorf("unknown format %q: use json or markdown", format)
}

func writeReportJSON(w io.Writer, report awarenessReport) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

func writeReportMarkdown(w io.Writer, report awarenessReport) error {
	var out strings.Builder
	out.WriteString("# Tool descriptions\n")
	for _, s := range report.Servers {
		state := fmt.Sprintf("%d tools", s.ToolCount)
		if s.Error != nil {
			state = "failed: " + *s.Error
		}
		fmt.Fprintf(&out, "\n- %s: %s", printableLine(s.ID), state)
	}
	out.WriteString("\n")
	for _, tool := range report.Tools {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n*Guidance:* %s\n", tool.Name, quotedMarkdown(tool.Description), printableLine(tool.Guidance))
	}
	fmt.Fprintf(&out, "\n# System prompt\n\n%s\n", orNone(report.SystemPrompt))
	fmt.Fprintf(&out, "\n# Warm-up\n\n%s\n", quotedMarkdown(orNone(report.Warmup)))
	_, err := io.WriteString(w, out.String())
	return err
}

func orNone(text string) string {
	if text == "" {
		return "(nothing: no tool is active)"
	}
	return text
}

// quotedMarkdown is a server's text as a Markdown quotation, in which it cannot make
// headings of its own, each line a line.
func quotedMarkdown(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+printableLine(line), " ")
	}
	return strings.Join(lines, "  \n")
}

// printableLine drops what a terminal would obey.
func printableLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}
