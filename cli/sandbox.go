package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// SandboxCommand serves the embedded GitHub as a process of its own.
func SandboxCommand() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Serve the embedded GitHub until stopped; says where on stdout",
		Long: `Serve the embedded GitHub on this machine until stopped. The first line on
stdout says where. Point GITHUB_API_URL at that address with /api/v3 behind it,
and take one of its tokens: ` + sandbox.AdminToken + `, ` + sandbox.WriteToken + `, ` + sandbox.TriageToken + `,
` + sandbox.ReadToken + `. The sample repository is octo-org/hello.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			running, err := sandbox.Start(cmd.Context(), sandbox.Options{}, address)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "listening", running.URL)
			<-cmd.Context().Done()
			return running.Close()
		},
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "the `address` to listen on; port 0 picks a free one")
	return cmd
}
