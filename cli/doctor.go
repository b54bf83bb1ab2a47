package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func doctorCommand(open Open) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what would stop the server from working, and the mend; exit code 1 when something does",
		Args:  cobra.NoArgs,
	}
	format := formatFlag(cmd, "text", "json")
	surface := cmd.Flags().String("surface", "", "the `digest` that a client shows for healthcheck: check whether its tool list is stale")
	cmd.RunE = with(open, func(cmd *cobra.Command, app *App, _ []string) error {
		arguments := map[string]any{}
		if *surface != "" {
			arguments["surface"] = *surface
		}
		var health healthReport
		raw, err := ask(cmd, app, "healthcheck", arguments, &health)
		if err != nil {
			return err
		}
		if format.value == "json" {
			err = writeJSON(cmd.OutOrStdout(), raw, true)
		} else {
			_, err = io.WriteString(cmd.OutOrStdout(), health.text())
		}
		if err == nil && health.problems() > 0 {
			return ErrReported
		}
		return err
	})
	return cmd
}

// healthReport is what of the health check is shown to people.
type healthReport struct {
	Status, Version, Host string
	Login, Repository     *string
	Checks                []healthCheck
	AdvertisedSurface     struct {
		Digest    string
		ToolCount int
	}
	Mode struct {
		ReadOnly bool
		Toolsets []string
		Trust    string
	}
}

type healthCheck struct {
	Name   string
	OK     bool
	Detail string
	Fix    string
}

// verdict is the check in a word. One that could not be made has no mend of
// its own: another check tells of the reason.
func (c healthCheck) verdict() string {
	switch {
	case c.OK:
		return "ok"
	case c.Fix == "":
		return "-"
	}
	return "PROBLEM"
}

func (h healthReport) problems() int {
	n := 0
	for _, check := range h.Checks {
		if check.verdict() == "PROBLEM" {
			n++
		}
	}
	return n
}

func (h healthReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s on %s as %s\n\n", h.Status, orElse(h.Repository, "no repository"), h.Host, orElse(h.Login, "nobody"))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, check := range h.Checks {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", check.Name, check.verdict(), check.Detail)
		if check.Fix != "" {
			fmt.Fprintf(table, "  \tmend:\t%s\n", check.Fix)
		}
	}
	_ = table.Flush() // into memory
	fmt.Fprintf(&b, "\n%s\n%s\n", counted(h.problems()), h.server())
	return b.String()
}

func counted(problems int) string {
	switch problems {
	case 0:
		return "No problem found."
	case 1:
		return "1 problem."
	}
	return fmt.Sprintf("%d problems.", problems)
}

// server is how the server would run with the same settings.
func (h healthReport) server() string {
	access := "read and write"
	if h.Mode.ReadOnly {
		access = "read-only"
	}
	return fmt.Sprintf("Version %s lists %d tools (surface %s): %s, %s, trust %s.", h.Version,
		h.AdvertisedSurface.ToolCount, h.AdvertisedSurface.Digest, strings.Join(h.Mode.Toolsets, ", "), access, h.Mode.Trust)
}

func orElse(text *string, other string) string {
	if text == nil {
		return other
	}
	return *text
}
