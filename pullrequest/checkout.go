package pullrequest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// checkoutPatience bounds a whole checkout; the fetch is most of it.
const checkoutPatience = 45 * time.Second

// CheckoutRequest are the arguments of checkout_pull_request.
type CheckoutRequest struct {
	Repo      *string `json:"repo,omitempty"`
	PRNumber  int     `json:"pr_number"`
	Directory string  `json:"directory,omitempty"` // "" is where the server runs
}

// CheckoutResult is the working tree after a checkout. PreviousBranch is the
// way back: a commit when no branch was checked out.
type CheckoutResult struct {
	Message        string   `json:"message"`
	Branch         string   `json:"branch"`
	HeadRefOid     string   `json:"headRefOid"`
	PreviousBranch string   `json:"previousBranch"`
	Directory      string   `json:"directory"`
	Warnings       []string `json:"warnings,omitempty"`
}

// wireHead is what a checkout has to know of a pull request.
type wireHead struct {
	HeadRefName       string
	HeadRefOid        string `graphql:"headRefOid"`
	IsCrossRepository bool
}

// checkout is one under way.
type checkout struct {
	service *Service
	pull    pull
	head    wireHead
	git     git
	root    string // of the working tree
	branch  string // the local one
	oid     string // the commit that was fetched
}

// Checkout fetches a pull request from GitHub's own ref for it, which is there
// for forks and deleted branches too, and switches a working tree to it.
// Whatever would be lost by that is a CONFLICT, and nothing is switched.
func (s *Service) Checkout(ctx context.Context, req CheckoutRequest) (_ *CheckoutResult, err error) {
	defer fault.Wrap(&err, "pullrequest.Checkout(#%d)", req.PRNumber)
	p, err := s.target(req.Repo, req.PRNumber)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkoutPatience)
	defer cancel()
	head, _, err := ask[wireHead](ctx, s, "PullRequestBranch", p, nil)
	if err != nil {
		return nil, err
	}
	c := &checkout{service: s, pull: p, head: *head}
	result, err := c.run(ctx, req.Directory)
	return result, c.explain(err)
}

func (c *checkout) run(ctx context.Context, directory string) (*CheckoutResult, error) {
	if err := c.open(ctx, directory); err != nil {
		return nil, err
	}
	remote, address, err := c.remote(ctx)
	if err != nil {
		return nil, err
	}
	for _, check := range []func(context.Context) error{c.notUnderWay, c.clean} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.fetch(ctx, remote, address); err != nil {
		return nil, err
	}
	c.branch = c.localName(ctx)
	for _, check := range []func(context.Context) error{c.branchIsOurs, c.nothingOverwritten} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	previous, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.git.run(ctx, "checkout", "--quiet", "--no-overwrite-ignore", "-B", c.branch, c.oid, "--"); err != nil {
		return nil, fault.New(fault.Conflict, "git does not switch to the branch %s", c.branch).
			WithFix("Mend what git names, then try again; nothing local was thrown away.").With("gitSays", says(err)).WithCause(err)
	}
	result := &CheckoutResult{
		Message: fmt.Sprintf("Checked %s out as the branch %s.", c.pull, c.branch),
		Branch:  c.branch, HeadRefOid: c.oid, PreviousBranch: previous, Directory: c.root,
	}
	if c.oid != c.head.HeadRefOid {
		result.Warnings = []string{"somebody pushed while it was fetched; headRefOid is the commit that is checked out"}
	}
	return result, nil
}

// says is what git said about a failure.
func says(err error) string {
	var failed *gitError
	if errors.As(err, &failed) {
		return failed.says
	}
	return ""
}

// explain gives failures of git a code; git's own words go out only where they
// cannot hold an address with a password.
func (c *checkout) explain(err error) error {
	var (
		known  *fault.Error
		failed *gitError
	)
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.UpstreamTimeout, "the checkout took too long and was stopped").
			WithFix("Fetch once by hand (git fetch), then try again.").WithCause(err)
	case errors.As(err, &failed):
		return fault.New(fault.UpstreamError, "git %s failed", failed.command).WithFix("Look at the working tree with git status.").WithCause(err)
	}
	return err
}

// open finds the root of the working tree.
func (c *checkout) open(ctx context.Context, directory string) error {
	if directory == "" {
		directory = "."
	}
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return err
	}
	notATree := fault.New(fault.InvalidArguments, "directory is no git working tree: %s", absolute).
		WithFix("Pass the directory of a clone of %s.", c.pull.repo).With("argument", "directory")
	if info, err := os.Stat(absolute); err != nil || !info.IsDir() {
		return notATree.WithCause(err)
	}
	root, err := newGit(absolute).run(ctx, "rev-parse", "--show-toplevel")
	if exits(err, 128) || err == nil && root == "" {
		return notATree.WithCause(err)
	}
	c.root, c.git = root, newGit(root)
	return err
}

// remote is the remote of the working tree that is the pull request's
// repository. Another repository's commits never get into this one.
func (c *checkout) remote(ctx context.Context) (name, address string, err error) {
	names, err := c.git.run(ctx, "remote")
	if err != nil {
		return "", "", err
	}
	for _, name := range strings.Fields(names) {
		address, err := c.git.run(ctx, "remote", "get-url", "--", name)
		if err == nil && c.isOurs(address) {
			return name, address, nil
		}
	}
	return "", "", fault.New(fault.NotFound, "%s has no remote that is %s", c.root, c.pull.repo).
		WithFix("Pass the directory of a clone of it, or add the remote with git remote add.").With("argument", "directory")
}

// isOurs reports whether a remote's address is the repository's on the host of
// the web pages. A directory on this machine is only that where any host is.
func (c *checkout) isOurs(address string) bool {
	host, path := splitAddress(address)
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	steps := strings.Split(filepath.ToSlash(path), "/")
	if len(steps) < 2 {
		return false
	}
	found := ref.Repo{Owner: steps[len(steps)-2], Name: steps[len(steps)-1]}
	if !found.Equal(c.pull.repo) {
		return false
	}
	web := c.service.opts.Web
	if web.AnyHost {
		return true
	}
	return len(steps) == 2 && (strings.EqualFold(host, web.Host) || strings.EqualFold(host, "ssh."+web.Host))
}

// splitAddress reads a remote's address: a URL, host:path as ssh has it, or a
// directory, which has no host.
func splitAddress(address string) (host, path string) {
	if parsed, err := url.Parse(address); err == nil && parsed.Scheme != "" && parsed.Host != "" {
		return parsed.Hostname(), parsed.Path
	}
	host, path, ok := strings.Cut(address, ":")
	if !ok || strings.Contains(host, "/") {
		return "", strings.TrimPrefix(address, "file://")
	}
	return host[strings.LastIndex(host, "@")+1:], path
}

// underWay are the marks that git leaves in its directory while it is in the
// middle of something.
var underWay = []struct{ file, what string }{
	{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"},
	{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"}, {"index.lock", "git command"},
}

// notUnderWay refuses to switch in the middle of something.
func (c *checkout) notUnderWay(ctx context.Context) error {
	question := []string{"rev-parse"}
	for _, mark := range underWay {
		question = append(question, "--git-path", mark.file)
	}
	paths, err := c.git.run(ctx, question...)
	if err != nil {
		return err
	}
	for i, path := range strings.Split(paths, "\n") {
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.root, path)
		}
		if _, err := os.Stat(path); err == nil && i < len(underWay) {
			return fault.New(fault.Conflict, "a %s is under way in %s; nothing was switched", underWay[i].what, c.root).
				WithFix("Finish or abort it first.")
		}
	}
	return nil
}

// maxNamed is how many paths a fault names.
const maxNamed = 50

// clean refuses changes to tracked files.
func (c *checkout) clean(ctx context.Context) error {
	entries, err := c.git.list(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=none")
	if err != nil {
		return err
	}
	var staged, unstaged []string
	for i := 0; i < len(entries); i++ {
		entry := entries[i]
		if len(entry) < 4 {
			continue
		}
		if entry[0] != ' ' {
			staged = append(staged, entry[3:])
		}
		if entry[1] != ' ' {
			unstaged = append(unstaged, entry[3:])
		}
		if entry[0] == 'R' || entry[0] == 'C' {
			i++ // the name it had before
		}
	}
	if len(staged)+len(unstaged) == 0 {
		return nil
	}
	return c.dirty("the working tree has changes", staged, unstaged, nil)
}

// dirty is the fault for what a switch would throw away.
func (c *checkout) dirty(what string, staged, unstaged, untracked []string) error {
	err := fault.New(fault.Conflict, "%s: %s; nothing was switched", c.root, what).
		WithFix("Commit, stash or move away what is listed, or use a tree of its own (git worktree add).")
	all := []string{}
	for _, list := range []struct {
		name  string
		paths []string
	}{{"staged", staged}, {"unstaged", unstaged}, {"untracked", untracked}} {
		if len(list.paths) > 0 {
			err = err.With(list.name, list.paths[:min(len(list.paths), maxNamed)])
		}
		for _, path := range list.paths {
			if !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	err.Message += ": " + strings.Join(all[:min(len(all), 10)], ", ")
	if more := len(all) - 10; more > 0 {
		err.Message += fmt.Sprintf(" and %d more", more)
	}
	return err
}

// fetch brings the pull request's commit into a ref of this tool's own, where
// no branch can be in its way.
func (c *checkout) fetch(ctx context.Context, remote, address string) error {
	own := fmt.Sprintf("refs/github-workflow-mcp/pull/%d", c.pull.number)
	signed, err := c.signed(ctx, address)
	if err != nil {
		return err
	}
	_, err = signed.run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
		"--", remote, fmt.Sprintf("+refs/pull/%d/head:%s", c.pull.number, own))
	if err != nil && ctx.Err() == nil {
		return fault.New(fault.UpstreamError, "git could not fetch %s from the remote %s", c.pull, remote).
			WithFix("Try git fetch %s in %s; it needs access to the repository.", remote, c.root).WithCause(err)
	}
	if err != nil {
		return err
	}
	c.oid, err = c.git.run(ctx, "rev-parse", "--verify", "--quiet", own+"^{commit}")
	return err
}

// signed is git with the token, where the fetch goes to the GitHub that the
// token is for and nothing else could read it on the way.
func (c *checkout) signed(ctx context.Context, address string) (git, error) {
	web, parsed := c.service.opts.Web, &url.URL{}
	if found, err := url.Parse(address); err == nil {
		parsed = found
	}
	if web.AnyHost || c.service.opts.Token == nil || parsed.Scheme != "https" || parsed.User != nil || !strings.EqualFold(parsed.Host, web.Host) {
		return c.git, nil
	}
	token, err := c.service.opts.Token(ctx)
	if err != nil || token == "" {
		return c.git, err
	}
	return c.git.withToken("https://"+parsed.Host, token), nil
}

// localName is the local branch: that of the pull request, unless it is a
// fork's, whose main is another than ours, or its name is none that is safe
// to have.
func (c *checkout) localName(ctx context.Context) string {
	name := c.head.HeadRefName
	plain := fmt.Sprintf("pr-%d", c.pull.number)
	if c.head.IsCrossRepository || name == "HEAD" || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "refs/") || strings.ContainsRune(name, 0) {
		return plain
	}
	if _, err := c.git.run(ctx, "check-ref-format", "refs/heads/"+name); err != nil {
		return plain
	}
	return name
}

// branchIsOurs refuses a local branch with commits that the pull request does
// not have.
func (c *checkout) branchIsOurs(ctx context.Context) error {
	local, err := c.git.run(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+c.branch+"^{commit}")
	if exits(err, 1) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = c.git.run(ctx, "merge-base", "--is-ancestor", local, c.oid)
	if !exits(err, 1) {
		return err
	}
	return fault.New(fault.Conflict, "the local branch %s has commits that %s does not have; nothing was switched", c.branch, c.pull).
		WithFix("Rename it (git branch -m), or push what it has first.").With("branch", c.branch).With("localOid", local).With("headRefOid", c.oid)
}

// nothingOverwritten refuses when files that git does not track, ignored ones
// too, are where the pull request has files.
func (c *checkout) nothingOverwritten(ctx context.Context) error {
	untracked, err := c.git.list(ctx, "ls-files", "--others", "-z", "--full-name")
	if err != nil || len(untracked) == 0 {
		return err
	}
	coming, err := c.git.list(ctx, "ls-tree", "-r", "--name-only", "-z", "--full-tree", c.oid)
	if err != nil {
		return err
	}
	files, folders := map[string]bool{}, map[string]bool{}
	for _, path := range coming {
		files[path] = true
		for folder := parent(path); folder != ""; folder = parent(folder) {
			folders[folder] = true
		}
	}
	var lost []string
	for _, path := range untracked {
		path = strings.TrimSuffix(path, "/") // a repository inside
		inTheWay := files[path] || folders[path]
		for folder := parent(path); folder != "" && !inTheWay; folder = parent(folder) {
			inTheWay = files[folder]
		}
		if inTheWay {
			lost = append(lost, path)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return c.dirty("files that git does not track would be overwritten", nil, nil, lost)
}

// parent is the folder that a path is in; "" at the top.
func parent(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}

// current is the branch that is checked out, else the commit, else "".
func (c *checkout) current(ctx context.Context) (string, error) {
	branch, err := c.git.run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if !exits(err, 1) {
		return branch, err
	}
	return c.git.run(ctx, "rev-parse", "--verify", "HEAD")
}
