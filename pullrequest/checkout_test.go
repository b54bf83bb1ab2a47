package pullrequest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
)

// clone is a working tree of octo-org/hello and the bare repository that it
// was cloned from, both made by the test.
type clone struct {
	t            *testing.T
	origin, tree string
	head         string // of pull request 7
	answers      map[string]string
	house        *house
}

// newClone makes them. Pull request 7 adds new.txt and changes file.txt; its
// branch is gone, so that only GitHub's own ref for it is left.
func newClone(t *testing.T, branch string, fork bool) *clone {
	t.Helper()
	c := &clone{t: t, origin: filepath.Join(t.TempDir(), "octo-org", "hello.git"), tree: filepath.Join(t.TempDir(), "a tree")}
	c.git(".", "init", "--quiet", "--bare", "--initial-branch=main", c.origin)
	c.git(".", "clone", "--quiet", c.origin, c.tree)
	c.write("file.txt", "one\n")
	c.write(".gitignore", "*.log\n")
	c.git(c.tree, "add", ".")
	c.git(c.tree, "commit", "--quiet", "-m", "one")
	c.git(c.tree, "push", "--quiet", "origin", "HEAD:refs/heads/main")
	c.git(c.tree, "checkout", "--quiet", "--detach")
	c.write("file.txt", "two\n")
	c.write("new.txt", "new\n")
	c.write("built.log", "of the pull request\n")
	c.git(c.tree, "add", "--force", ".")
	c.git(c.tree, "commit", "--quiet", "-m", "two")
	c.git(c.tree, "push", "--quiet", "origin", "HEAD:refs/pull/7/head")
	c.head = c.git(c.tree, "rev-parse", "HEAD")
	c.git(c.tree, "checkout", "--quiet", "-B", "main", "HEAD~1")
	c.answers = map[string]string{"isCrossRepository": ""}
	c.says(branch, fork)
	c.house, _ = onPlay(t, c.answers)
	return c
}

// says is what GitHub says about the pull request's branch.
func (c *clone) says(branch string, fork bool) {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\x00", `\u0000`, "\x01", `\u0001`, "\n", `\n`).Replace(branch)
	c.answers["isCrossRepository"] = fmt.Sprintf(`{"data":{"repository":{"pullRequest":{"headRefName":"%s","headRefOid":%q,"isCrossRepository":%t}}}}`, quoted, c.head, fork)
}

func (c *clone) git(dir string, arguments ...string) string {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.test"}, arguments...)...)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := command.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *clone) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.tree, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) read(name string) string {
	text, err := os.ReadFile(filepath.Join(c.tree, name))
	if err != nil {
		return ""
	}
	return string(text)
}

func (c *clone) checkout() (*pullrequest.CheckoutResult, error) {
	return c.house.Checkout(context.Background(), pullrequest.CheckoutRequest{PRNumber: 7, Directory: c.tree})
}

// must checks out and holds the tree to what was told of it.
func (c *clone) must() *pullrequest.CheckoutResult {
	c.t.Helper()
	result, err := c.checkout()
	if err != nil {
		c.t.Fatal(err)
	}
	got := delivered(c.t, "checkout_pull_request", result, budget)
	if head := c.git(c.tree, "rev-parse", "HEAD"); head != got.HeadRefOid || head != c.head {
		c.t.Errorf("HEAD is %s, the result says %s, the pull request is %s", head, got.HeadRefOid, c.head)
	}
	if branch := c.git(c.tree, "symbolic-ref", "HEAD"); branch != "refs/heads/"+got.Branch {
		c.t.Errorf("on %s, the result says %s", branch, got.Branch)
	}
	if c.read("new.txt") != "new\n" || c.read("file.txt") != "two\n" {
		c.t.Error("the files are not those of the pull request")
	}
	return got
}

func TestCheckoutOfADeletedBranch(t *testing.T) {
	c := newClone(t, "fix/ties", false)
	if got := c.must(); got.Branch != "fix/ties" || got.PreviousBranch != "main" {
		t.Errorf("%+v", got)
	}
	if got := c.must(); got.PreviousBranch != "fix/ties" { // again
		t.Errorf("%+v", got)
	}
	c.git(c.tree, "checkout", "--quiet", "--detach", "main")
	if got := c.must(); got.PreviousBranch != c.git(c.tree, "rev-parse", "main") {
		t.Errorf("from a commit: %+v", got)
	}
}

func TestCheckoutOfAForkLeavesOurBranchOfThatName(t *testing.T) {
	c := newClone(t, "main", true)
	main := c.git(c.tree, "rev-parse", "main")
	if got := c.must(); got.Branch != "pr-7" {
		t.Errorf("branch %q", got.Branch)
	}
	if after := c.git(c.tree, "rev-parse", "main"); after != main {
		t.Errorf("main moved from %s to %s", main, after)
	}
}

// TestCheckoutOfHostileNames: no name of a branch becomes an option, a ref of
// another kind, or a shell's business.
func TestCheckoutOfHostileNames(t *testing.T) {
	c := newClone(t, "", false)
	for name, want := range map[string]string{
		"--upload-pack=touch pwned": "pr-7", "-f": "pr-7", "-": "pr-7", "a..b": "pr-7", "a b": "pr-7", "a\x01b": "pr-7", "a\nb": "pr-7", "": "pr-7",
		"HEAD": "pr-7", "refs/heads/x": "pr-7", "@{-1}": "pr-7", "x.lock": "pr-7", "a\\b": "pr-7", "a:b": "pr-7", "../../config": "pr-7",
		"$(touch pwned)": "$(touch", "`touch`;pwned": "`touch`;pwned", "größe/世界": "größe/世界", "a'b\"c": "a'b\"c",
	} {
		if strings.Contains(name, " ") {
			want = "pr-7"
		}
		c.says(name, false)
		got := c.must()
		if got.Branch != want {
			t.Errorf("%q: branch %q, want %q", name, got.Branch, want)
		}
		for _, dir := range []string{c.tree, c.origin, "."} {
			if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
				t.Fatalf("%q was run", name)
			}
		}
		c.git(c.tree, "checkout", "--quiet", "main")
		c.git(c.tree, "branch", "--quiet", "-D", got.Branch)
	}
}

func TestCheckoutRefusesWhatWouldBeLost(t *testing.T) {
	c := newClone(t, "fix", false)
	for name, test := range map[string]struct {
		make   func(*clone)
		detail string
		path   string
	}{
		"unstaged":         {func(c *clone) { c.write("file.txt", "mine\n") }, "unstaged", "file.txt"},
		"staged":           {func(c *clone) { c.write("file.txt", "mine\n"); c.git(c.tree, "add", ".") }, "staged", "file.txt"},
		"staged new":       {func(c *clone) { c.write("ä b.txt", "mine\n"); c.git(c.tree, "add", ".") }, "staged", "ä b.txt"},
		"deleted":          {func(c *clone) { c.git(c.tree, "rm", "--quiet", "file.txt") }, "staged", "file.txt"},
		"renamed":          {func(c *clone) { c.git(c.tree, "mv", "file.txt", "moved.txt") }, "staged", "moved.txt"},
		"untracked":        {func(c *clone) { c.write("new.txt", "mine\n") }, "untracked", "new.txt"},
		"untracked folder": {func(c *clone) { c.write("new.txt/inside", "mine\n") }, "untracked", "new.txt/inside"},
		"ignored":          {func(c *clone) { c.write("built.log", "mine\n") }, "untracked", "built.log"},
	} {
		test.make(c)
		status := c.git(c.tree, "status", "--porcelain", "--ignored")
		_, err := c.checkout()
		got := refused(t, err, fault.Conflict)
		if paths, _ := got.Details[test.detail].([]string); !slices.Contains(paths, test.path) || !strings.Contains(got.Message, test.path) {
			t.Errorf("%s: %q, details %v", name, got.Message, got.Details)
		}
		if c.git(c.tree, "status", "--porcelain", "--ignored") != status || c.git(c.tree, "symbolic-ref", "--short", "HEAD") != "main" {
			t.Errorf("%s: the tree was changed", name)
		}
		c.git(c.tree, "reset", "--quiet", "--hard")
		c.git(c.tree, "clean", "--quiet", "-fdx")
	}
}

func TestCheckoutKeepsUntrackedFilesThatAreNotInTheWay(t *testing.T) {
	c := newClone(t, "fix", false)
	c.write("mine.txt", "mine\n")
	c.write("other.log", "mine\n")
	c.must()
	if c.read("mine.txt") != "mine\n" || c.read("other.log") != "mine\n" {
		t.Error("untracked files are gone")
	}
}

func TestCheckoutRefusesALocalBranchWithCommitsOfItsOwn(t *testing.T) {
	c := newClone(t, "fix", false)
	c.git(c.tree, "checkout", "--quiet", "-b", "fix")
	c.git(c.tree, "commit", "--quiet", "--allow-empty", "-m", "mine")
	mine := c.git(c.tree, "rev-parse", "fix")
	c.git(c.tree, "checkout", "--quiet", "main")
	_, err := c.checkout()
	if got := refused(t, err, fault.Conflict); got.Details["branch"] != "fix" || c.git(c.tree, "rev-parse", "fix") != mine {
		t.Errorf("details %v", got.Details)
	}
}

func TestCheckoutRefusesInTheMiddleOfAMerge(t *testing.T) {
	c := newClone(t, "fix", false)
	c.git(c.tree, "checkout", "--quiet", "-b", "other")
	c.git(c.tree, "commit", "--quiet", "--allow-empty", "-m", "other")
	c.git(c.tree, "checkout", "--quiet", "main")
	c.git(c.tree, "merge", "--quiet", "--no-ff", "--no-commit", "other")
	_, err := c.checkout()
	if got := refused(t, err, fault.Conflict); !strings.Contains(got.Message, "merge") {
		t.Errorf("message %q", got.Message)
	}
}

func TestCheckoutNeedsAWorkingTreeOfTheRepository(t *testing.T) {
	c := newClone(t, "fix", false)
	for name, directory := range map[string]string{"no directory": filepath.Join(c.tree, "none"), "no tree": t.TempDir(), "a file": filepath.Join(c.tree, "file.txt"), "bare": c.origin} {
		_, err := c.house.Checkout(context.Background(), pullrequest.CheckoutRequest{PRNumber: 7, Directory: directory})
		if !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: %v, want INVALID_ARGUMENTS", name, err)
		}
	}
	c.git(c.tree, "remote", "set-url", "origin", filepath.Join(filepath.Dir(c.origin), "another.git"))
	_, err := c.checkout()
	_ = refused(t, err, fault.NotFound)
}

// TestCheckoutRunsNoHooks: a hook may stand in the tree that is checked out.
func TestCheckoutRunsNoHooks(t *testing.T) {
	c := newClone(t, "fix", false)
	for _, hook := range []string{"post-checkout", "reference-transaction", "post-index-change"} {
		path := filepath.Join(c.tree, ".git", "hooks", hook)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\ntouch pwned\n"), 0o700); err != nil { //nolint:gosec // a hook has to be executable
			t.Fatal(err)
		}
	}
	if _, err := c.checkout(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.tree, "pwned")); err == nil {
		t.Error("a hook ran")
	}
}

func TestFetchThatFailsChangesNothing(t *testing.T) {
	c := newClone(t, "fix", false)
	c.git(c.origin, "update-ref", "-d", "refs/pull/7/head")
	_, err := c.checkout()
	_ = refused(t, err, fault.UpstreamError)
	if c.git(c.tree, "symbolic-ref", "--short", "HEAD") != "main" {
		t.Error("the tree was switched")
	}
}
