package cli

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

const serverTokenVariable = "GITHUB_WORKFLOW_SERVER_TOKEN"

// httpSettings are the flags of the http command.
type httpSettings struct {
	server.HTTPOptions
	env     func(string) string
	listen  string
	tlsCert string
	tlsKey  string
}

func httpCommand(open Open, env func(string) string) *cobra.Command {
	set := httpSettings{env: env}
	cmd := &cobra.Command{
		Use:   "http",
		Short: "Serve MCP over Streamable HTTP until stopped; says where on stdout",
		Long: `Serve MCP over Streamable HTTP, for a team or for clients that want an address.
The first line on stdout says where.

Whoever brings a GitHub token (Authorization: Bearer TOKEN) acts with that one.
Without one, a client on this machine acts as this process does; an address that
other machines reach takes no request without a token. With a server token every
request has to bring that, and all act as this process does.`,
		Args: cobra.NoArgs,
		RunE: with(open, func(cmd *cobra.Command, app *App, _ []string) error { return set.serve(cmd, app) }),
	}
	set.addFlags(cmd.Flags())
	return cmd
}

func (set *httpSettings) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&set.listen, "listen", "127.0.0.1:8082", "the `address` to listen on; port 0 picks a free one")
	flags.StringVar(&set.ServerToken, "server-token", "", "the `token` that every request has to bring; better given by the variable, which other users cannot read ["+serverTokenVariable+"]")
	flags.StringVar(&set.AuthorizationServer, "authorization-server", "", "the `address` of the OAuth server that gives clients their GitHub token")
	flags.StringVar(&set.PublicURL, "public-url", "", "the `address` of the endpoint when a proxy stands in front of it")
	flags.StringSliceVar(&set.AllowedOrigins, "allowed-origins", nil, "web pages that may use the endpoint: `origins` such as https://example.com")
	flags.StringVar(&set.tlsCert, "tls-cert", "", "serve HTTPS with the certificates in this `file`")
	flags.StringVar(&set.tlsKey, "tls-key", "", "the `file` with the key of --tls-cert; else it is in that file too")
	flags.IntVar(&set.MaxConcurrent, "max-concurrent", server.DefaultMaxConcurrent, "how many requests of one user are answered at a time")
	flags.IntVar(&set.MaxPerMinute, "max-per-minute", server.DefaultMaxPerMinute, "how many requests one user may make a minute")
	flags.DurationVar(&set.SessionIdle, "session-idle", server.DefaultSessionIdle, "the `time` after which an unused session is freed")
	flags.IntVar(&set.MaxSessions, "max-sessions", server.DefaultMaxSessions, "how many sessions there may be")
	flags.DurationVar(&set.DrainTimeout, "drain-timeout", server.DefaultDrainTimeout, "the `time` that running calls get when the server is stopped; 0s is none")
}

// serve listens, says where, and serves until ctx ends.
func (set *httpSettings) serve(cmd *cobra.Command, app *App) error {
	if err := errors.Join(set.check(cmd.Flags()), set.loadTLS()); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", set.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	options := set.HTTPOptions
	options.DrainTimeout = cmp.Or(options.DrainTimeout, time.Nanosecond) // 0 is none here, the default there
	options.ServerToken = cmp.Or(set.ServerToken, set.env(serverTokenVariable))
	options.Loopback, options.Off, options.Metrics = isLocal(l.Addr()), app.Local, app.Metrics
	endpoint, err := server.NewHTTP(app.Server, options)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	fmt.Fprintln(cmd.OutOrStdout(), "listening", set.address(l)+set.who(options))
	set.warn(cmd, options)
	return endpoint.Serve(cmd.Context(), l)
}

// check refuses values that nobody can mean, before the zero ones among them
// become defaults.
func (set *httpSettings) check(flags *pflag.FlagSet) error {
	for name, value := range map[string]int{"max-concurrent": set.MaxConcurrent, "max-per-minute": set.MaxPerMinute, "max-sessions": set.MaxSessions} {
		if value < 1 {
			return fmt.Errorf("--%s has to be at least 1, not %d", name, value)
		}
	}
	switch {
	case set.SessionIdle <= 0:
		return fmt.Errorf("--session-idle has to be longer than %s", set.SessionIdle)
	case set.DrainTimeout < 0:
		return fmt.Errorf("--drain-timeout cannot be %s; 0s waits for nothing", set.DrainTimeout)
	case set.ServerToken == "" && flags.Changed("server-token"):
		return errors.New("--server-token is empty; leave it out to serve without one")
	}
	return nil
}

func (set *httpSettings) loadTLS() error {
	switch {
	case set.tlsCert == "" && set.tlsKey == "":
		return nil
	case set.tlsCert == "":
		return errors.New("--tls-key needs --tls-cert beside it")
	}
	certificate, err := tls.LoadX509KeyPair(set.tlsCert, cmp.Or(set.tlsKey, set.tlsCert))
	if err != nil {
		return fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	set.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	return nil
}

func isLocal(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && transport.IsLoopback(tcp.IP.String())
}

func (set *httpSettings) address(l net.Listener) string {
	scheme := "http"
	if set.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + l.Addr().String() + "/mcp"
}

// who says what a request has to bring, where it has to bring anything.
func (*httpSettings) who(o server.HTTPOptions) string {
	switch {
	case o.ServerToken != "":
		return " (every request has to bring the server token)"
	case !o.Loopback || o.PublicURL != "" || o.AuthorizationServer != "":
		return " (every request has to bring its user's GitHub token)"
	default:
		return ""
	}
}

// warn names what a person may not have meant.
func (set *httpSettings) warn(cmd *cobra.Command, o server.HTTPOptions) {
	if set.ServerToken != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: other users of this machine can read --server-token; set "+serverTokenVariable+" instead")
	}
	if !o.Loopback && o.TLS == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: tokens travel unencrypted; use --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that encrypts")
	}
}
