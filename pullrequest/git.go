package pullrequest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// git runs git in one directory. No shell is between, nobody is asked for a
// password, and no code of the working tree is run: hooks are off, since a
// repository may keep them in the tree that is about to be checked out.
type git struct {
	dir string
	env []string
}

// killPatience is how long git may take to end once it has to.
const killPatience = 2 * time.Second

// inherited are variables that would point git to another repository, or make
// it run something.
var inherited = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
	"GIT_NAMESPACE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF", "GIT_CEILING_DIRECTORIES", "GIT_TRACE", "GIT_TRACE_CURL", "GIT_CURL_VERBOSE",
	"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "LC_ALL", "LANGUAGE", "GIT_TERMINAL_PROMPT",
}

func newGit(dir string) git {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(inherited, name)
	})
	g := git{dir: dir, env: append(env, "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_PAGER=cat", "LC_ALL=C")}
	if os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" {
		g.env = append(g.env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	return g.with(
		[2]string{"core.hooksPath", os.DevNull}, [2]string{"core.fsmonitor", "false"}, [2]string{"submodule.recurse", "false"},
		[2]string{"protocol.ext.allow", "never"}, [2]string{"advice.detachedHead", "false"},
	)
}

// with adds configuration for this run alone, through the environment: unlike
// an argument, nobody else on the machine can read it there.
func (g git) with(settings ...[2]string) git {
	count := 0
	env := slices.DeleteFunc(slices.Clone(g.env), func(variable string) bool {
		value, ok := strings.CutPrefix(variable, "GIT_CONFIG_COUNT=")
		if ok {
			count, _ = strconv.Atoi(value)
		}
		return ok
	})
	for _, setting := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count, setting[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count, setting[1]))
		count++
	}
	return git{dir: g.dir, env: append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(count))}
}

// withToken signs requests to one server, and to no other. The empty value
// first takes back what the repository's own configuration may have set.
func (g git) withToken(server, token string) git {
	key := "http." + server + "/.extraHeader"
	credentials := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
	return g.with([2]string{key, ""}, [2]string{key, "Authorization: Basic " + credentials})
}

// gitError is a run that failed.
type gitError struct {
	command string
	says    string
	exit    int // -1 when it did not end by itself
	cause   error
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s: %v: %s", e.command, e.cause, e.says)
}

func (e *gitError) Unwrap() error { return e.cause }

// run runs git and returns its output, without the line break at its end.
func (g git) run(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-C", g.dir, "--no-pager"}, arguments...)...)
	command.Env, command.WaitDelay = g.env, killPatience
	var out, says bytes.Buffer
	command.Stdout, command.Stderr = &out, &says
	err := command.Run()
	if err == nil {
		return strings.TrimSuffix(out.String(), "\n"), nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fault.New(fault.UpstreamError, "git is not installed where the server runs").WithFix("Install git, then try again.").WithCause(err)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	failed := &gitError{command: arguments[0], says: strings.TrimSpace(says.String()), exit: -1, cause: err}
	if command.ProcessState != nil {
		failed.exit = command.ProcessState.ExitCode()
	}
	return "", failed
}

// exits reports whether err is git's answer by an exit code, as for a question
// whose answer is no.
func exits(err error, code int) bool {
	var failed *gitError
	return errors.As(err, &failed) && failed.exit == code
}

// list runs git and takes its output apart at its zero bytes.
func (g git) list(ctx context.Context, arguments ...string) ([]string, error) {
	out, err := g.run(ctx, arguments...)
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), nil
}
