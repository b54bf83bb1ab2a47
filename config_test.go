package main

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

func parse(t *testing.T, env map[string]string, args ...string) *config {
	t.Helper()
	c := &config{env: func(name string) string { return env[name] }}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.addFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := c.applyEnv("stdio", flags); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFlagsAndEnvironment(t *testing.T) {
	env := map[string]string{
		"GITHUB_REPOSITORY": "env/repo", "GH_HOST": "second.test", "GITHUB_HOST": "first.test",
		"GITHUB_READ_ONLY": "1", "GITHUB_TOOLSETS": "a,b", "GITHUB_WORKFLOW_MAX_RESULT_BYTES": "5000",
	}
	c := parse(t, env)
	if c.repo != "env/repo" || c.endpoints.Host != "first.test" || !c.selection.ReadOnly ||
		len(c.selection.Toolsets) != 2 || c.maxResult != 5000 {
		t.Errorf("from the environment alone: %+v", c)
	}
	c = parse(t, env, "--repo", "flag/repo", "--read-only=false", "--toolsets", "c")
	if c.repo != "flag/repo" || c.selection.ReadOnly || len(c.selection.Toolsets) != 1 {
		t.Errorf("flags do not win: %+v", c)
	}
}

// TestHostOnTheCommandLine: in a job of GitHub Actions the addresses of its own
// GitHub are in the environment; a host given by hand means another one.
func TestHostOnTheCommandLine(t *testing.T) {
	env := map[string]string{
		"GITHUB_API_URL": "https://api.github.com", "GITHUB_GRAPHQL_URL": "https://api.github.com/graphql", "GITHUB_SERVER_URL": "https://github.com",
	}
	for name, test := range map[string]struct {
		args []string
		host string
	}{
		"the environment's addresses win over its host": {nil, "api.github.com"},
		"the command line's host wins":                  {[]string{"--host", "ghe.test"}, "ghe.test"},
		"its address wins over all":                     {[]string{"--host", "ghe.test", "--api-url", "https://other.test/api/v3"}, "other.test"},
	} {
		t.Run(name, func(t *testing.T) {
			env["GITHUB_HOST"] = "fourth.test"
			to, err := transport.ResolveEndpoints(parse(t, env, test.args...).endpoints)
			if err != nil || to.REST.Host != test.host {
				t.Errorf("the API is %v, %v; want it on %s", to.REST, err, test.host)
			}
		})
	}
}

func TestTokenOrder(t *testing.T) {
	env := map[string]string{"GITHUB_TOKEN": " first \n", "GH_TOKEN": "second", "GITHUB_PERSONAL_ACCESS_TOKEN": "third"}
	loopback := transport.Endpoints{AnyWebHost: true} // so that nothing stored is looked for
	for _, want := range []struct{ token, drop string }{
		{"first", "GITHUB_TOKEN"}, {"second", "GH_TOKEN"}, {"third", "GITHUB_PERSONAL_ACCESS_TOKEN"}, {"", ""},
	} {
		token, err := parse(t, env).token(loopback)(t.Context())
		if err != nil || token != want.token {
			t.Errorf("with %v the token is %q, %v; want %q", env, token, err, want.token)
		}
		delete(env, want.drop)
	}
}

func TestRemoteRepo(t *testing.T) {
	github := transport.Endpoints{WebHost: "github.com"}
	hello := ref.Repo{Owner: "octo-org", Name: "hello"}
	for remote, test := range map[string]struct {
		to   transport.Endpoints
		want ref.Repo
	}{
		"https://github.com/octo-org/hello.git":         {github, hello},
		"https://github.com/octo-org/hello":             {github, hello},
		"git@github.com:octo-org/hello.git":             {github, hello},
		"ssh://git@github.com/octo-org/hello.git":       {github, hello},
		"ssh://git@ssh.github.com:443/octo-org/hello":   {github, hello},
		"https://GitHub.com/octo-org/hello.git":         {github, hello},
		"https://gitlab.test/octo-org/hello.git":        {github, ref.Repo{}},
		"https://ghe.test/octo-org/hello.git":           {transport.Endpoints{WebHost: "ghe.test"}, hello},
		"https://github.com/octo-org/hello.git#":        {transport.Endpoints{AnyWebHost: true}, hello},
		"/srv/git/hello.git":                            {github, ref.Repo{}},
		"https://github.com/octo-org":                   {github, ref.Repo{}},
		"":                                              {github, ref.Repo{}},
		"https://github.com/octo-org/../hello":          {github, ref.Repo{}},
		"https://user:secret@github.com/octo-org/hello": {github, hello},
	} {
		if got := remoteRepo(remote, test.to); got != test.want {
			t.Errorf("%q is %q, want %q", remote, got, test.want)
		}
	}
}
