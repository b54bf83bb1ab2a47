package pullrequest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// DiffRequest are the arguments of get_pull_request_diff.
type DiffRequest struct {
	Repo      *string  `json:"repo,omitempty"`
	PRNumber  int      `json:"pr_number"`
	Files     []string `json:"files,omitempty"`
	SHA       string   `json:"sha,omitempty"`
	FilesOnly bool     `json:"files_only,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
}

// Diff is a page of a diff, by files.
type Diff struct {
	page.Head
	HeadRefOid   string             `json:"headRefOid"`
	Additions    int                `json:"additions"` // of the pull request, or of the commit that sha names
	Deletions    int                `json:"deletions"`
	Files        []File             `json:"files"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`

	request DiffRequest // with the repository written out
	binding page.Binding
	start   diffPosition
	author  trust.Author
}

// File is a file of a diff. Diff is its part of it, or a slice of that.
type File struct {
	Path          string  `json:"path"`
	PreviousPath  string  `json:"previousPath,omitempty"`
	Status        string  `json:"status"`
	Additions     int     `json:"additions"`
	Deletions     int     `json:"deletions"`
	Binary        bool    `json:"binary"`
	PatchMissing  bool    `json:"patchMissing,omitempty"`
	Diff          *string `json:"diff,omitempty"`
	DiffTruncated bool    `json:"diffTruncated,omitempty"`

	hunks []int // where the hunks start in its diff
}

// diffPosition is where a diff goes on: in a file, Offset bytes into its part,
// as long as the head is the same.
type diffPosition struct {
	Head   string `json:"h"`
	File   int    `json:"f"`
	Offset int    `json:"o,omitempty"`
}

// wireChanged is what the head of a diff tells.
type wireChanged struct {
	ID                string
	HeadRefOid        string `graphql:"headRefOid"`
	Additions         int
	Deletions         int
	ChangedFiles      int
	Author            *wireActor
	AuthorAssociation string
	ViewerDidAuthor   bool
	Commits           *wireCommits `graphql:"commits(first: 100) @include(if: $commits)"`
}

// wireCommits are commits of a pull request.
type wireCommits struct {
	PageInfo wirePageInfo
	Nodes    []struct{ Commit struct{ Oid string } }
}

// Diff reads the changes of a pull request: one request for its head and one
// for the diff. Where GitHub refuses the diff, its list of files is read, 100
// a request.
func (s *Service) Diff(ctx context.Context, req DiffRequest) (_ *Diff, err error) {
	defer fault.Wrap(&err, "pullrequest.Diff(#%d)", req.PRNumber)
	p, err := s.target(req.Repo, req.PRNumber)
	if err != nil {
		return nil, err
	}
	if req.SHA != "" && len(req.Files) == 0 {
		return nil, fault.New(fault.MissingArguments, "sha needs files").
			WithFix("Pass the files of that commit to read; files_only without sha lists those of the pull request.").With("argument", "files")
	}
	result := newDiff(p, req)
	if req.Cursor != "" {
		if err := result.binding.Open(req.Cursor, &result.start); err != nil {
			return nil, err
		}
	}
	wire, notes, err := ask[wireChanged](ctx, s, "PullRequestHead", p, map[string]any{"commits": githubv4.Boolean(req.SHA != "")})
	if err != nil {
		return nil, err
	}
	result.Warnings = notes.Warnings()
	if err := result.accept(p, wire); err != nil {
		return nil, err
	}
	source := differ{service: s, pull: p, result: result}
	if req.SHA != "" {
		if source.commit, err = s.commitOf(ctx, p, wire, req.SHA); err != nil {
			return nil, err
		}
	}
	return result, source.fill(ctx)
}

func newDiff(p pull, req DiffRequest) *Diff {
	name := p.repo.String()
	req.Repo = &name
	return &Diff{Files: []File{}, request: req, binding: page.Bind("get_pull_request_diff",
		strings.ToLower(name), fmt.Sprint(p.number), strings.Join(req.Files, "\x00"), req.SHA, fmt.Sprint(req.FilesOnly))}
}

// accept takes over the head. A cursor of another head is a CONFLICT: the
// lines it counts in have moved.
func (d *Diff) accept(p pull, wire *wireChanged) error {
	if d.request.Cursor != "" && d.start.Head != wire.HeadRefOid {
		return fault.New(fault.Conflict, "the head of %s moved from %s to %s while its diff was being read", p, d.start.Head, wire.HeadRefOid).
			WithFix("Start again without cursor: the line numbers are others now.").With("headRefOid", wire.HeadRefOid)
	}
	d.start.Head, d.HeadRefOid, d.Additions, d.Deletions = wire.HeadRefOid, wire.HeadRefOid, wire.Additions, wire.Deletions
	d.author = trust.Author{Login: wire.Author.login(), Association: wire.AuthorAssociation, IsViewer: wire.ViewerDidAuthor}
	return nil
}

// commitOf is the whole id of a commit of the pull request, of which sha is
// the start.
func (s *Service) commitOf(ctx context.Context, p pull, wire *wireChanged, sha string) (string, error) {
	var found []string
	take := func(commits *wireCommits) wirePageInfo {
		for _, node := range commits.Nodes {
			if strings.HasPrefix(node.Commit.Oid, strings.ToLower(sha)) {
				found = append(found, node.Commit.Oid)
			}
		}
		return commits.PageInfo
	}
	if wire.Commits != nil {
		err := further(ctx, s, "PullRequestCommits", p, "commits(first: 100, after: $after)", take(wire.Commits), take)
		if err != nil {
			return "", err
		}
	}
	switch len(found) {
	case 0:
		return "", fault.New(fault.NotFound, "%s has no commit %q", p, sha).
			WithFix("Take the id of a commit of this pull request; a commit that was pushed over is gone.").With("argument", "sha")
	case 1:
		return found[0], nil
	}
	return "", fault.New(fault.InvalidArguments, "sha %q is the start of %d commits of %s", sha, len(found), p).
		WithFix("Pass more of its digits.").With("argument", "sha")
}

// differ brings the files of a diff.
type differ struct {
	service *Service
	pull    pull
	commit  string // "" is the whole pull request
	result  *Diff
}

// fill reads the diff, or the list of files where GitHub refuses it.
func (d *differ) fill(ctx context.Context) error {
	var files []File
	diff, err := d.raw(ctx)
	switch {
	case err == nil:
		for _, patch := range splitDiff(diff) {
			files = append(files, patch.file())
		}
		if !utf8.ValidString(diff) {
			d.warn("the diff has bytes that are no UTF-8; each is shown as U+FFFD")
		}
	case fault.Is(err, fault.TooLarge), fault.Is(err, fault.ValidationFailed):
		if files, err = d.list(ctx); err != nil {
			return err
		}
	default:
		return d.pull.absent(err)
	}
	if d.commit != "" {
		d.result.Additions, d.result.Deletions = 0, 0
		for _, file := range files {
			d.result.Additions += file.Additions
			d.result.Deletions += file.Deletions
		}
	}
	if files, err = d.only(files); err != nil {
		return err
	}
	d.warnMissing(files)
	if d.result.request.FilesOnly {
		for i := range files {
			files[i].Diff = nil
		}
	}
	total := len(files)
	d.result.TotalCount, d.result.Files = &total, files
	return d.result.seek()
}

func (d *differ) warn(warning string) { d.result.Warnings = append(d.result.Warnings, warning) }

// file is a part of a diff as it is shown.
func (p patch) file() File {
	return File{
		Path: p.path, PreviousPath: p.previous, Status: p.status, Additions: p.additions, Deletions: p.deletions,
		Binary: p.binary, Diff: &p.text, hunks: p.hunks,
	}
}

// raw is the diff as GitHub gives it.
func (d *differ) raw(ctx context.Context) (diff string, err error) {
	err = rest.Read(ctx, "PullRequestDiff", func(ctx context.Context) (err error) {
		repo, options := d.pull.repo, github.RawOptions{Type: github.Diff}
		if d.commit != "" {
			diff, _, err = d.service.opts.REST.Repositories.GetCommitRaw(ctx, repo.Owner, repo.Name, d.commit, options)
			return err
		}
		diff, _, err = d.service.opts.REST.PullRequests.GetRaw(ctx, repo.Owner, repo.Name, d.pull.number, options)
		return err
	})
	if err == nil && !isDiff(diff) {
		return "", fault.New(fault.UpstreamError, "what GitHub answered with is no diff").
			WithFix("Try again; if it stays, check the configured API URL and any proxy in between.").RetryAfter(0)
	}
	return diff, err
}

// isDiff reports whether text begins as a diff does, or changes nothing.
func isDiff(text string) bool { return text == "" || strings.HasPrefix(text, "diff --") }

// maxListed is how many files GitHub lists of a pull request or commit.
const maxListed = 3000

// list are the files with the patches that GitHub gives, page by page.
func (d *differ) list(ctx context.Context) ([]File, error) {
	d.warn("GitHub refuses the diff as a whole (over 300 files, 20,000 lines or 1 MB); these are its patches file by file, without their headers")
	files := []File{}
	for options := (github.ListOptions{PerPage: maxPage, Page: 1}); options.Page != 0; {
		var some []*github.CommitFile
		err := rest.Read(ctx, "PullRequestFiles", func(ctx context.Context) error {
			listed, response, err := d.listed(ctx, &options)
			if err == nil {
				some, options.Page = listed, response.NextPage
			}
			return err
		})
		if err != nil {
			return nil, d.pull.absent(err)
		}
		for _, file := range some {
			files = append(files, fileOf(file))
		}
		if len(files) >= maxListed {
			d.warn(fmt.Sprintf("GitHub lists the first %d files only; check the branch out for the others", maxListed))
			break
		}
	}
	return files, nil
}

func (d *differ) listed(ctx context.Context, options *github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
	repo := d.pull.repo
	if d.commit == "" {
		return d.service.opts.REST.PullRequests.ListFiles(ctx, repo.Owner, repo.Name, d.pull.number, options)
	}
	commit, response, err := d.service.opts.REST.Repositories.GetCommit(ctx, repo.Owner, repo.Name, d.commit, options)
	if err != nil {
		return nil, response, err
	}
	return commit.Files, response, nil
}

// fileOf is a file of GitHub's list. Without a patch, only of a pure rename it
// is sure that there is none.
func fileOf(listed *github.CommitFile) File {
	file := File{
		Path: listed.GetFilename(), PreviousPath: listed.GetPreviousFilename(), Status: listed.GetStatus(),
		Additions: listed.GetAdditions(), Deletions: listed.GetDeletions(), Diff: listed.Patch,
	}
	if listed.Patch != nil {
		file.hunks = readPatch(*listed.Patch).hunks
		return file
	}
	file.PatchMissing = listed.GetChanges() > 0 || !slices.Contains([]string{"renamed", "copied", "unchanged"}, file.Status)
	return file
}

// only are the files that the call asks for, all of them when it names none.
func (d *differ) only(files []File) ([]File, error) {
	if len(d.result.request.Files) == 0 {
		return files, nil
	}
	wanted := map[string]bool{}
	for _, name := range d.result.request.Files {
		wanted[name] = false
	}
	chosen := []File{}
	var known []string
	for _, file := range files {
		known = append(known, file.Path)
		_, byPath := wanted[file.Path]
		_, byPrevious := wanted[file.PreviousPath]
		if byPath {
			wanted[file.Path] = true
		}
		if byPrevious {
			wanted[file.PreviousPath] = true
		}
		if byPath || byPrevious {
			chosen = append(chosen, file)
		}
	}
	for _, name := range d.result.request.Files {
		if !wanted[name] {
			return nil, d.noFile(name, known)
		}
	}
	return chosen, nil
}

func (d *differ) noFile(name string, known []string) error {
	where := d.pull.String()
	if d.commit != "" {
		where = "commit " + d.commit
	}
	err := fault.New(fault.NotFound, "%s does not change %q", where, name).With("argument", "files").
		With("available", known[:min(len(known), 30)]).WithFix("files_only: true lists what it changes.")
	if near := contract.Nearest(name, known); near != "" {
		err.WithFix("Did you mean %q? files_only: true lists all.", near).With("nearest", near)
	}
	return err
}

// warnMissing names the files that GitHub gives no patch of.
func (d *differ) warnMissing(files []File) {
	const most = 10
	var names []string
	for _, file := range files {
		if file.PatchMissing {
			names = append(names, file.Path)
		}
	}
	if len(names) == 0 {
		return
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
	}
	d.warn(fmt.Sprintf("GitHub gives no patch of %d files (patchMissing): %s%s; check the branch out to see them",
		len(names), strings.Join(names[:min(len(names), most)], ", "), more))
}

// seek drops what earlier pages delivered.
func (d *Diff) seek() error {
	if d.start.File > len(d.Files) || d.start.File == len(d.Files) && d.start.File > 0 {
		return fault.New(fault.Conflict, "the diff is another than the one that the cursor came from").WithFix("Start again without cursor.")
	}
	d.Files = d.Files[d.start.File:]
	return nil
}

// Items is how many files the page holds.
func (d *Diff) Items() int { return len(d.Files) }

// Keep is the page with its first n files only.
func (d *Diff) Keep(n int) any {
	cut := *d
	cut.Files = slices.Clone(d.Files[:n:n])
	cut.Count = n
	if n > 0 && d.start.Offset > 0 {
		cut.Files[0].slice(d.start.Offset, -1)
	}
	if n > 0 && n < len(d.Files) {
		cut.Continues(d.at(diffPosition{Head: d.start.Head, File: d.start.File + n}))
	}
	return &cut
}

// Slice is the page with its first file only, and of that file's part at most
// n bytes.
func (d *Diff) Slice(n int) any {
	if len(d.Files) == 0 || d.Files[0].Diff == nil {
		return nil
	}
	cut := *d
	cut.Files = slices.Clone(d.Files[:1:1])
	cut.Count = 1
	end := cut.Files[0].slice(d.start.Offset, n)
	switch {
	case end <= d.start.Offset:
		return nil
	case cut.Files[0].DiffTruncated:
		cut.Continues(d.at(diffPosition{Head: d.start.Head, File: d.start.File, Offset: end}))
	case len(d.Files) > 1:
		cut.Continues(d.at(diffPosition{Head: d.start.Head, File: d.start.File + 1}))
	}
	return &cut
}

// slice leaves of the file's part at most n bytes from offset on (-1: all), and
// returns where they end.
func (f *File) slice(offset, n int) int {
	if f.Diff == nil {
		return 0
	}
	whole := patch{text: *f.Diff, hunks: f.hunks}
	offset = min(offset, len(whole.text))
	end := len(whole.text)
	if n >= 0 {
		end = whole.cut(offset, n)
	}
	part := whole.text[offset:end]
	f.Diff, f.DiffTruncated = &part, end < len(whole.text)
	return end
}

// at is the call that goes on from a position.
func (d *Diff) at(position diffPosition) (string, any) {
	next := d.request
	next.Cursor = d.binding.Seal(position)
	return next.Cursor, next
}

// VisitTexts shows the diffs, which are the author's.
func (d *Diff) VisitTexts(visit func(trust.Text)) {
	for i := range d.Files {
		if file := &d.Files[i]; file.Diff != nil {
			visit(trust.Text{Field: "files.diff", At: "file:" + file.Path, Form: trust.Source, Author: &d.author, Value: file.Diff})
		}
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (d *Diff) SetContentTrust(summary trust.ContentTrust) { d.ContentTrust = summary }
