package sandbox

import (
	"net/http"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

// The bounds of GitHub's diffs.
const (
	maxDiffFiles = 300
	maxDiffLines = 20_000
	maxListed    = 3_000     // files in a list
	maxPatch     = 500 << 10 // bytes of one file's patch
)

// wantsDiff reports whether the client asks for a diff in place of JSON.
func (c *restCall) wantsDiff() bool {
	return strings.Contains(c.request.Header.Get("Accept"), ".diff")
}

// diff joins the files' diffs, within GitHub's bounds.
func diff(resource string, files []*fixtures.File) answer {
	var out strings.Builder
	for _, f := range files {
		out.WriteString(f.Diff)
	}
	switch text := out.String(); {
	case len(files) > maxDiffFiles:
		return tooLarge(resource, "files (300)")
	case strings.Count(text, "\n") > maxDiffLines:
		return tooLarge(resource, "lines (20000)")
	default:
		header := http.Header{"Content-Type": {"application/vnd.github.v3.diff; charset=utf-8"}}
		return answer{status: http.StatusOK, header: header, body: []byte(text)}
	}
}

func tooLarge(resource, what string) answer {
	out := object200(map[string]any{
		"message":           "Sorry, the diff exceeded the maximum number of " + what + ". Consider using 'List pull requests files' API or locally cloning the repository instead.",
		"errors":            []any{map[string]any{"resource": resource, "field": "diff", "code": "too_large"}},
		"documentation_url": "https://docs.github.com/rest/pulls/pulls#list-pull-requests-files", "status": "406",
	})
	out.status = http.StatusNotAcceptable
	return out
}

func (c *restCall) pull() answer {
	if c.wantsDiff() {
		return diff("PullRequest", c.issue.pull.files())
	}
	return object200(c.restPull())
}

func (c *restCall) restPull() map[string]any {
	i, p := c.issue, c.issue.pull.conversation(c.store)
	added, deleted := p.lines()
	out := c.restIssue(i)
	delete(out, "pull_request")
	for name, value := range map[string]any{
		"node_id": newNodeID(kindPull, i.repository.id, i.id), "draft": p.draft, "merged": !p.merged.IsZero(), "merged_at": restTime(p.merged),
		"merged_by": restUserOf(p.mergedBy), "mergeable_state": strings.ToLower(p.mergeState()), "mergeable": p.restMergeable(),
		"maintainer_can_modify": p.isFork() && !p.noMaintainers, "commits": len(p.commits), "additions": added, "deletions": deleted,
		"changed_files": len(p.files()), "diff_url": webURL + i.path() + ".diff", "patch_url": webURL + i.path() + ".patch",
		"base": map[string]any{"ref": p.base, "sha": p.baseOID, "label": i.repository.owner.login + ":" + p.base, "repo": restShort(i.repository)},
		"head": map[string]any{"ref": p.head, "sha": p.last().oid, "label": strings.Replace(p.headLabel(), "/", ":", 1), "repo": restShort(p.headRepository), "user": restUserOf(p.headOwner)},
	} {
		out[name] = value
	}
	if p.mergeCommit != nil {
		out["merge_commit_sha"] = p.mergeCommit.oid
	}
	out["requested_reviewers"], out["requested_teams"] = p.restRequested()
	return out
}

// restMergeable is null while GitHub does not know.
func (p *pull) restMergeable() any {
	switch p.mergeable {
	case "MERGEABLE":
		return true
	case "CONFLICTING":
		return false
	}
	return nil
}

func restShort(r *repository) any {
	if r == nil {
		return nil
	}
	return map[string]any{
		"id": r.id, "name": r.name, "full_name": r.fullName(), "owner": restAccount(r.owner), "fork": r.fork,
		"private": r.private, "html_url": r.url(), "clone_url": r.url() + ".git", "default_branch": defaultBranch,
	}
}

func (p *pull) restRequested() (users, teams []any) {
	users, teams = []any{}, []any{}
	for _, request := range p.requested {
		switch {
		case request.team != nil:
			t := request.team
			teams = append(teams, map[string]any{"id": t.id, "node_id": newNodeID(kindTeam, t.repository.id, t.id), "name": t.name, "slug": t.slug})
		case request.user != nil:
			users = append(users, restAccount(request.user))
		}
	}
	return users, teams
}

func (c *restCall) pullFiles() answer {
	files := c.issue.pull.files()
	return list(c, c.page(30, 100), files[:min(len(files), maxListed)], c.restFile)
}

func (c *restCall) restFile(f *fixtures.File) map[string]any {
	out := map[string]any{
		"sha": oid("blob", f.Path), "filename": f.Path, "status": f.Status, "additions": f.Additions, "deletions": f.Deletions,
		"changes": f.Additions + f.Deletions, "blob_url": c.repository.url() + "/blob/main/" + f.Path,
	}
	if f.Previous != "" {
		out["previous_filename"] = f.Previous
	}
	if patch := f.Patch(); patch != "" && !f.NoPatch && len(patch) <= maxPatch {
		out["patch"] = patch
	}
	return out
}

func (c *restCall) reviewers() answer {
	users, teams := c.issue.pull.restRequested()
	return object200(map[string]any{"users": users, "teams": teams})
}

// named reads the people and teams of a request for reviews.
func (c *restCall) named() (asked reviewers, err error) {
	var in struct {
		Reviewers     []string `json:"reviewers"`
		TeamReviewers []string `json:"team_reviewers"`
	}
	if err := c.read(&in); err != nil {
		return asked, unprocessable("Problems parsing JSON")
	}
	const stranger = "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the %s repository."
	for _, login := range in.Reviewers {
		a := c.store.account(login)
		if a == nil {
			return asked, unprocessable(stranger, c.repository.fullName())
		}
		asked.users = append(asked.users, a)
	}
	for _, slug := range in.TeamReviewers {
		t := c.repository.teamNamed(slug)
		if t == nil {
			return asked, unprocessable(stranger, c.repository.fullName())
		}
		asked.teams = append(asked.teams, t)
	}
	return asked, nil
}

// mayAsk: who may push, and the author.
func (c *restCall) mayAsk() bool {
	return c.may(c.repository, permissionWrite) || c.wrote(&c.issue.post)
}

// addReviewers asks for reviews. GitHub takes bots without a word, and does
// not seat them.
func (c *restCall) addReviewers() answer {
	asked, err := c.named()
	if err != nil || !c.mayAsk() {
		return refused(err)
	}
	asked.users = slices.DeleteFunc(asked.users, func(a *account) bool { return a.kind == "Bot" })
	if err := c.issue.pull.checkReviewers(asked); err != nil {
		return refused(err)
	}
	c.session.request(c.issue.pull, asked)
	return created(c.restPull())
}

func (c *restCall) removeReviewers() answer {
	asked, err := c.named()
	if err != nil || !c.mayAsk() {
		return refused(err)
	}
	p := c.issue.pull
	p.requested = slices.DeleteFunc(p.requested, func(x *reviewRequest) bool {
		return x.user != nil && slices.Contains(asked.users, x.user) || x.team != nil && slices.Contains(asked.teams, x.team)
	})
	p.issue.updated = c.store.now()
	return object200(c.restPull())
}

// commitNamed finds a commit by its id, or the beginning of it, or the branch
// of which it is the last.
func (r *repository) commitNamed(name string) *commit {
	_, branch, isLabel := strings.Cut(name, ":")
	for _, i := range r.issues {
		if !i.isPull() {
			continue
		}
		p := i.pull
		if p.head == name || isLabel && p.head == branch {
			return p.last()
		}
		for _, made := range p.commits {
			if len(name) >= 7 && strings.HasPrefix(made.oid, name) {
				return made
			}
		}
	}
	return nil
}

// files are all in the last commit of a pull request; those before it are
// empty.
func (c *commit) files() []*fixtures.File {
	if c.pull == nil || c.pull.last() != c {
		return nil
	}
	return c.pull.files()
}

func (c *restCall) commit() answer {
	name := c.request.PathValue("sha")
	found := c.repository.commitNamed(name)
	if found == nil {
		return invalid("No commit found for SHA: " + name)
	}
	files := found.files()
	if c.wantsDiff() {
		return diff("Commit", files)
	}
	page := c.page(maxDiffFiles, maxDiffFiles)
	out := object200(c.restCommit(found, cut(page, files[:min(len(files), maxListed)])))
	if link := c.link(page, len(files)); link != "" {
		out.header.Set("Link", link)
	}
	return out
}

func (c *restCall) restCommit(found *commit, files []*fixtures.File) map[string]any {
	resolver := c.session.commit(found)
	added, deleted, _ := resolver.change()
	by := &gitActor{c.session, found.author}
	signature := map[string]any{"name": by.Name(), "email": by.Email(), "date": restTime(found.created)}
	rows := make([]any, 0, len(files))
	for _, f := range files {
		rows = append(rows, c.restFile(f))
	}
	return map[string]any{
		"sha": found.oid, "node_id": resolver.ID(), "html_url": webURL + found.path(), "author": restUserOf(found.author),
		"commit": map[string]any{"message": found.message, "author": signature, "committer": signature},
		"stats":  map[string]any{"additions": added, "deletions": deleted, "total": added + deleted}, "files": rows,
	}
}

func (c *restCall) compare() answer {
	base, head, found := strings.Cut(c.request.PathValue("basehead"), "...")
	to := c.repository.commitNamed(head)
	if !found || to == nil {
		return missing()
	}
	p := to.pull
	from := slices.IndexFunc(p.commits, func(made *commit) bool { return strings.HasPrefix(made.oid, base) })
	if from < 0 && !c.repository.hasBranch(base) && base != p.baseOID {
		return missing()
	}
	if c.wantsDiff() {
		return diff("Comparison", to.files())
	}
	commits := p.commits[from+1 : slices.Index(p.commits, to)+1]
	rows := make([]any, 0, len(commits))
	for _, made := range commits {
		rows = append(rows, c.restCommit(made, nil))
	}
	files := to.files()
	shown := c.restCommit(to, files[:min(len(files), maxDiffFiles)])
	return object200(map[string]any{
		"status": "ahead", "ahead_by": len(commits), "behind_by": 0, "total_commits": len(commits), "commits": rows,
		"files": shown["files"], "base_commit": map[string]any{"sha": p.baseOID}, "merge_base_commit": map[string]any{"sha": p.baseOID},
	})
}
