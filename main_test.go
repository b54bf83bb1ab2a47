package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

var update = flag.Bool("update", false, "write openapi.compiled.json anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"github-workflow-mcp": main})
}

// TestCompiledContract: a stale compiled contract works, but makes every start
// slow.
func TestCompiledContract(t *testing.T) {
	if *update {
		compiled, err := contract.Compile(contractText)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("openapi.compiled.json", append(compiled, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !contract.Fresh(contractText, contractCompiled) {
		t.Error("openapi.compiled.json is not that of openapi.yaml; run go generate")
	}
}

// TestScripts runs the commands as a shell does.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true})
}

// tryRun is the program in this process, with an environment of its own.
func tryRun(t *testing.T, env map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, err bytes.Buffer
	code = run(ctx, args, func(name string) string { return env[name] }, strings.NewReader(""), &out, &err)
	return out.String(), err.String(), code
}

// TestWrongSettings is A59 for the start: stdout stays empty, stderr says what
// is wrong, and the exit code is not 0.
func TestWrongSettings(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"an unknown flag":          {nil, []string{"stdio", "--nope"}, "unknown flag"},
		"a token as a flag":        {nil, []string{"stdio", "--token", "x"}, "unknown flag"},
		"an unknown command":       {nil, []string{"studio"}, "unknown command"},
		"an unknown toolset":       {nil, []string{"stdio", "--toolsets", "discussion"}, `did you mean "discussions"`},
		"an unknown tool":          {nil, []string{"stdio", "--tools", "list_label"}, `did you mean "list_labels"`},
		"an unknown tool in env":   {map[string]string{"GITHUB_EXCLUDE_TOOLS": "list_label"}, []string{"stdio"}, `did you mean "list_labels"`},
		"a malformed repository":   {nil, []string{"stdio", "--repo", "a/b/c"}, "a/b/c"},
		"an address for git":       {nil, []string{"stdio", "--repo", "octo-org/hello.git"}, `owner/name as GitHub spells it, without .git, not "octo-org/hello.git"`},
		"no repository at all":     {map[string]string{"GITHUB_REPOSITORY": "octo-org/hello"}, []string{"stdio", "--repo", ""}, "--repo"},
		"a bad one of the sandbox": {map[string]string{"GITHUB_REPOSITORY": "a b"}, []string{"stdio", "--sandbox"}, "GITHUB_REPOSITORY"},
		"a name without an owner":  {map[string]string{"GITHUB_REPOSITORY": "hello"}, []string{"stdio"}, "hello"},
		"plain http to the world":  {map[string]string{"GITHUB_API_URL": "http://example.test"}, []string{"stdio"}, "GITHUB_API_URL"},
		"an unknown listing":       {nil, []string{"stdio", "--listing", "long"}, "compact and full"},
		"an unknown trust mode":    {nil, []string{"stdio", "--trust", "all"}, "mark, defang and lockdown"},
		"an unknown log level":     {nil, []string{"stdio", "--log-level", "loud"}, "--log-level"},
		"an unknown log format":    {nil, []string{"stdio", "--log-format", "xml"}, "--log-format"},
		"no number in env":         {map[string]string{"GITHUB_WORKFLOW_MAX_RESULT_BYTES": "much"}, []string{"stdio"}, "GITHUB_WORKFLOW_MAX_RESULT_BYTES"},
		"a budget nothing fits in": {nil, []string{"stdio", "--max-result-bytes", "1"}, "too small"},
		"a call of nothing":        {nil, []string{"call"}, "arg"},
		"a call of an odd word":    {nil, []string{"call", "list_labels", "limit"}, "key=value"},
		"a call of an unknown":     {nil, []string{"call", "list_label"}, `did you mean "list_labels"`},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := tryRun(t, test.env, test.args...)
			if stdout != "" || code == 0 || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %q on stderr alone", code, stdout, stderr, test.want)
			}
		})
	}
}

// TestHelpShowsNoToken: variables are read after the help is written.
func TestHelpShowsNoToken(t *testing.T) {
	const secret = "not-for-anybody"
	env := map[string]string{}
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN", "GITHUB_REPOSITORY", "GITHUB_HOST"} {
		env[name] = secret
	}
	for _, args := range [][]string{{"--help"}, {"stdio", "--help"}, {"call", "-h"}, {"help", "doctor"}, {}} {
		stdout, stderr, code := tryRun(t, env, args...)
		if code != 0 || !strings.Contains(stdout, "--repo") || strings.Contains(stdout+stderr, secret) {
			t.Errorf("%q: exit code %d, stdout\n%s\nstderr\n%s", args, code, stdout, stderr)
		}
	}
}

// TestNoToken: without a token the tools are listed, and a call that needs
// GitHub says both ways out.
func TestNoToken(t *testing.T) {
	env := map[string]string{"GITHUB_API_URL": "http://127.0.0.1:1/api/v3", "GITHUB_REPOSITORY": "octo-org/hello"}
	stdout, _, code := tryRun(t, env, "tools")
	if code != 0 || !strings.Contains(stdout, "list_labels") {
		t.Errorf("tools: exit code %d, %q", code, stdout)
	}
	stdout, stderr, code := tryRun(t, env, "call", "list_labels")
	if code != 1 || stdout != "" {
		t.Errorf("call: exit code %d, stdout %q", code, stdout)
	}
	for _, want := range []string{`"code":"AUTH_REQUIRED"`, "GITHUB_TOKEN", "--sandbox"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the error lacks %s:\n%s", want, stderr)
		}
	}
}

// TestDoctorFindsWhatIsWrong: an unhealthy server is an exit code, and the
// mend is in the report, for people and for programs.
func TestDoctorFindsWhatIsWrong(t *testing.T) {
	env := map[string]string{"GITHUB_API_URL": "http://127.0.0.1:1/api/v3", "GITHUB_REPOSITORY": "octo-org/hello"}
	for format, want := range map[string][]string{
		"text": {"unhealthy: octo-org/hello on 127.0.0.1:1 as nobody", "  token                PROBLEM  this call needs GitHub", "mend:    Set GITHUB_TOKEN", "reachability         -        not checked", "1 problem."},
		"json": {`"status": "unhealthy"`, `"login": null`, `"fix":`},
	} {
		stdout, stderr, code := tryRun(t, env, "doctor", "--format", format)
		if code != 1 || stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", format, code, stderr)
		}
		for _, part := range want {
			if !strings.Contains(stdout, part) {
				t.Errorf("%s: the report lacks %q:\n%s", format, part, stdout)
			}
		}
	}
}
