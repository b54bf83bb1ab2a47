// Command github-workflow-mcp gives AI agents and the people beside them
// GitHub's issues, pull requests and discussions over the Model Context
// Protocol. This package only wires: the contract, the rooms with the tools,
// the server and the commands.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/github-workflow-mcp/github-workflow-mcp/cli"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

//go:generate go test -run TestCompiledContract . -update

// contractText is the contract, and contractCompiled a form of it that loads
// faster.
var (
	//go:embed openapi.yaml
	contractText []byte
	//go:embed openapi.compiled.json
	contractCompiled []byte
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(ctx, env, stderr)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !errors.Is(err, cli.ErrReported) {
		fmt.Fprintln(stderr, "github-workflow-mcp:", explain(err))
	}
	return 1
}

func newRoot(ctx context.Context, env func(string) string, stderr io.Writer) *cobra.Command {
	c := &config{env: env, stderr: stderr}
	root := &cobra.Command{
		Use:           "github-workflow-mcp",
		Short:         "GitHub's issues, pull requests and discussions for AI agents, over MCP",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return c.applyEnv(cmd.Name(), cmd.Flags())
		},
	}
	c.addFlags(root.PersistentFlags())
	root.AddCommand(cli.Commands(func() (*cli.App, error) { return c.open(ctx) }, env)...)
	for _, cmd := range root.Commands() {
		showEnv(cmd.LocalNonPersistentFlags(), cmd.Name())
	}
	root.AddCommand(cli.SandboxCommand(), cli.DemoCommand(), cli.AwarenessCommand(env))
	return root
}

// explain is an error as a person reads it.
func explain(err error) string {
	var public *fault.Error
	if !errors.As(err, &public) {
		return err.Error()
	}
	if public.Fix == "" {
		return public.Message
	}
	return public.Message + ". " + public.Fix
}
