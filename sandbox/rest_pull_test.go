package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v62/github"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

const (
	owner = "octo-org"
	name  = "hello"
)

func restClient(t testing.TB, s *sandbox.Running, token string) *github.Client {
	t.Helper()
	c, err := github.NewClient(nil).WithAuthToken(token).WithEnterpriseURLs(s.URL, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// call is a REST request with a body.
func call(t testing.TB, s *sandbox.Running, token, method, path, body string) restReply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.RESTURL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "token "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return restReply{response.StatusCode, response.Header, string(raw)}
}

func TestDiffsAreGivenOutWithinGitHubsBounds(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := restClient(t, s, sandbox.ReadToken)
	small, _, err := c.PullRequests.GetRaw(t.Context(), owner, name, 201, github.RawOptions{Type: github.Diff})
	if err != nil || strings.Count(small, "\ndiff --git ") != 5 || !strings.HasPrefix(small, "diff --git a/docs/guide one.md b/docs/guide.md\n") || !strings.Contains(small, "\nBinary files ") {
		t.Errorf("201: error %v, diff %s", err, small)
	}
	large, _, err := c.PullRequests.GetRaw(t.Context(), owner, name, 210, github.RawOptions{Type: github.Diff})
	if err != nil || len(large) < 2<<20 {
		t.Errorf("210: error %v, %d bytes", err, len(large))
	}
	for number, what := range map[int]string{211: "files (300)", 212: "lines (20000)"} {
		_, response, err := c.PullRequests.GetRaw(t.Context(), owner, name, number, github.RawOptions{Type: github.Diff})
		refusal, ok := err.(*github.ErrorResponse)
		if !ok || response.StatusCode != http.StatusNotAcceptable || !strings.Contains(refusal.Message, what) || refusal.Errors[0].Code != "too_large" {
			t.Errorf("%d: %v", number, err)
		}
	}
}

func TestFilesComeInPages(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := restClient(t, s, sandbox.ReadToken)
	seen, without := map[string]bool{}, 0
	options := &github.ListOptions{PerPage: 100}
	for pages := 1; ; pages++ {
		files, response, err := c.PullRequests.ListFiles(t.Context(), owner, name, 211, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			seen[f.GetFilename()] = true
			if f.Patch == nil {
				without++
			}
		}
		if response.NextPage == 0 {
			if pages != 4 || response.PrevPage != 3 || response.FirstPage != 1 {
				t.Errorf("%d pages, links %s", pages, response.Header.Get("Link"))
			}
			break
		}
		if pages == 1 && response.LastPage != 4 {
			t.Errorf("last page %d", response.LastPage)
		}
		options.Page = response.NextPage
	}
	if len(seen) != 350 || without != 3 {
		t.Errorf("%d files, %d without a patch", len(seen), without)
	}
	files, _, err := c.PullRequests.ListFiles(t.Context(), owner, name, 201, nil)
	if err != nil || files[0].GetStatus() != "renamed" || files[0].GetPreviousFilename() != "docs/guide one.md" || files[1].Patch != nil || files[4].GetPatch() == "" {
		t.Errorf("files of 201: %v, error %v", files, err)
	}
	if files, _, err := c.PullRequests.ListFiles(t.Context(), owner, name, 210, nil); err != nil || files[0].Patch != nil {
		t.Errorf("the file of 2 MB has a patch, error %v", err)
	}
}

// The patches in the list are those of the diff.
func TestPatchesJoinToTheDiff(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := restClient(t, s, sandbox.ReadToken)
	diff, _, err := c.PullRequests.GetRaw(t.Context(), owner, name, 201, github.RawOptions{Type: github.Diff})
	if err != nil {
		t.Fatal(err)
	}
	files, _, err := c.PullRequests.ListFiles(t.Context(), owner, name, 201, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Patch != nil && !strings.Contains(diff, "\n"+f.GetPatch()+"\n") {
			t.Errorf("the patch of %s is not in the diff", f.GetFilename())
		}
	}
}

func TestPullRequestOverREST(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := restClient(t, s, sandbox.ReadToken)
	p, _, err := c.PullRequests.Get(t.Context(), owner, name, 207)
	if err != nil || p.GetHead().GetLabel() != "mei-tanaka:patch-1" || p.GetMergeableState() != "clean" || !p.GetMergeable() || p.GetNodeID() != threadID(t, s, 207) {
		t.Errorf("207 is %v, error %v", p, err)
	}
	commit, response, err := c.Repositories.GetCommit(t.Context(), owner, name, p.GetHead().GetSHA(), nil)
	if err != nil || len(commit.Files) != 1 || commit.GetStats().GetTotal() != 2 || response.NextPage != 0 {
		t.Errorf("its commit is %v, error %v", commit, err)
	}
	raw, _, err := c.Repositories.GetCommitRaw(t.Context(), owner, name, p.GetHead().GetSHA(), github.RawOptions{Type: github.Diff})
	if err != nil || !strings.Contains(raw, "+Read the docs.") {
		t.Errorf("its diff is %s, error %v", raw, err)
	}
	comparison, _, err := c.Repositories.CompareCommits(t.Context(), owner, name, "main", p.GetHead().GetSHA(), nil)
	if err != nil || comparison.GetTotalCommits() != 1 || len(comparison.Files) != 1 {
		t.Errorf("compared with main %v, error %v", comparison, err)
	}
	many, _, err := c.PullRequests.Get(t.Context(), owner, name, 211)
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for options := (&github.ListOptions{}); ; {
		commit, response, err := c.Repositories.GetCommit(t.Context(), owner, name, many.GetHead().GetSHA(), options)
		if err != nil {
			t.Fatal(err)
		}
		all += len(commit.Files)
		if options.Page = response.NextPage; options.Page == 0 {
			break
		}
	}
	if all != 350 {
		t.Errorf("%d files in the pages of a commit", all)
	}
	if got := get(t, s, "/api/v3/repos/octo-org/hello/commits/0000000", sandbox.ReadToken, nil); got.status != 422 || !strings.Contains(got.body, "No commit found for SHA: 0000000") {
		t.Errorf("an unknown commit: %d %s", got.status, got.body)
	}
	for _, path := range []string{"/pulls/101", "/pulls/999", "/issues/999", "/issues/x", "/compare/main...nowhere", "/compare/main"} {
		if got := get(t, s, "/api/v3/repos/octo-org/hello"+path, sandbox.ReadToken, nil); got.status != 404 {
			t.Errorf("%s answered %d", path, got.status)
		}
	}
	if got := get(t, s, "/api/v3/repos/octo-org/private/issues", sandbox.ReadToken, nil); got.status != 404 {
		t.Errorf("the private repository's issues: %d", got.status)
	}
}

func TestReviewersAreSeatedOrNot(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	const path = "/repos/octo-org/hello/pulls/202/requested_reviewers"
	ask := func(method, body string) (int, []string) {
		got := call(t, s, sandbox.WriteToken, method, path, body)
		var p github.PullRequest
		if err := json.Unmarshal([]byte(got.body), &p); err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, user := range p.RequestedReviewers {
			names = append(names, user.GetLogin())
		}
		for _, team := range p.RequestedTeams {
			names = append(names, "team "+team.GetSlug())
		}
		return got.status, names
	}
	for _, step := range []struct {
		method, body string
		status       int
		seated       []string
	}{
		{"POST", `{"reviewers": ["octo-read", "cinder-agent"], "team_reviewers": ["core"]}`, 201, []string{"octo-read", "team core"}}, // a bot is not seated
		{"POST", `{"reviewers": ["octo-read"]}`, 201, []string{"octo-read", "team core"}},
		{"POST", `{"reviewers": ["stranger-x"]}`, 422, []string{}},
		{"POST", `{"reviewers": ["nobody-at-all"]}`, 422, []string{}},
		{"POST", `{"reviewers": ["atlas-agent"]}`, 422, []string{}}, // the author
		{"POST", `{"team_reviewers": ["nowhere"]}`, 422, []string{}},
		{"DELETE", `{"reviewers": ["octo-read"]}`, 200, []string{"team core"}},
	} {
		status, seated := ask(step.method, step.body)
		if diff := cmp.Diff(step.seated, seated); diff != "" || status != step.status {
			t.Errorf("%s %s: status %d, want %d (-want +got):\n%s", step.method, step.body, status, step.status, diff)
		}
	}
	if got := get(t, s, "/api/v3"+path, sandbox.ReadToken, nil); !strings.Contains(got.body, `"slug":"core"`) || !strings.Contains(got.body, `"users":[]`) {
		t.Errorf("the list is %s", got.body)
	}
	if got := call(t, s, sandbox.ReadToken, "POST", path, `{"reviewers": ["octo-write"]}`); got.status != 404 {
		t.Errorf("a reader asks for reviews: %d", got.status)
	}
}

func TestIssuesOverREST(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := restClient(t, s, sandbox.WriteToken)
	made, _, err := c.Issues.Create(t.Context(), owner, name, &github.IssueRequest{Title: github.String("t"), Labels: &[]string{"bug"}, Assignees: &[]string{"octo-read", "stranger-x"}, Milestone: github.Int(1)})
	if err != nil || made.GetNumber() != 1001 || len(made.Assignees) != 1 || made.GetMilestone().GetTitle() != "1.0" || made.Labels[0].GetName() != "bug" {
		t.Fatalf("made %v, error %v", made, err)
	}
	path := "/repos/octo-org/hello/issues/1001"
	changed := call(t, s, sandbox.WriteToken, "PATCH", path, `{"assignees": [], "milestone": null, "type": "bug", "state": "closed", "state_reason": "not_planned"}`)
	for _, part := range []string{`"assignees":[]`, `"milestone":null`, `"name":"Bug"`, `"state":"closed"`, `"state_reason":"not_planned"`} {
		if !strings.Contains(changed.body, part) {
			t.Errorf("no %s in %s", part, changed.body)
		}
	}
	for body, status := range map[string]int{`{"milestone": 99}`: 422, `{"type": "Nothing"}`: 422, `{"title": " "}`: 422, `{`: 400, `{"type": null}`: 200} {
		if got := call(t, s, sandbox.WriteToken, "PATCH", path, body); got.status != status {
			t.Errorf("%s answered %d, want %d: %s", body, got.status, status, got.body)
		}
	}
	if got := call(t, s, sandbox.ReadToken, "PATCH", path, `{"title": "x"}`); got.status != 404 {
		t.Errorf("a reader changes it: %d", got.status)
	}
	blocked := call(t, s, sandbox.TriageToken, "POST", path+"/dependencies/blocked_by", `{"issue_id": 7000101}`)
	if blocked.status != 201 || !strings.Contains(get(t, s, "/api/v3"+path+"/dependencies/blocked_by", sandbox.ReadToken, nil).body, `"number":101`) {
		t.Errorf("blocked by 101: %d %s", blocked.status, blocked.body)
	}
	if again := call(t, s, sandbox.TriageToken, "POST", path+"/dependencies/blocked_by", `{"issue_id": 7000101}`); again.status != 422 {
		t.Errorf("blocked twice: %d", again.status)
	}
	if removed := call(t, s, sandbox.TriageToken, "DELETE", path+"/dependencies/blocked_by/7000101", ``); removed.status != 200 {
		t.Errorf("no longer blocked: %d", removed.status)
	}
}

func TestListsOfIssuesOverREST(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for query, want := range map[string][]int{
		"labels=bug,question&state=all&per_page=5":                        {127},
		"assignee=none&milestone=none&labels=needs-info":                  {},
		"creator=mei-tanaka&state=closed":                                 {114},
		"milestone=3&state=all":                                           {112},
		"state=all&sort=comments&per_page=2":                              {102, 122},
		"since=2026-04-02T00:00:00Z&state=all&sort=updated&direction=asc": {162},
		"assignee=octo-triage&sort=created&direction=asc":                 {126, 129},
		"assignee=*&labels=security":                                      {110},
		"page=2&per_page=1&state=all&labels=security,&direction=asc":      {120},
	} {
		got := get(t, s, "/api/v3/repos/octo-org/hello/issues?"+query, sandbox.ReadToken, nil)
		var issues []*github.Issue
		if err := json.Unmarshal([]byte(got.body), &issues); err != nil {
			t.Fatal(err, got.body)
		}
		numbers := []int{}
		for _, i := range issues {
			numbers = append(numbers, i.GetNumber())
		}
		if diff := cmp.Diff(want, numbers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestListsOfIssuesGoOnByCursor(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	seen, path := map[int]bool{}, "/api/v3/repos/octo-org/hello/issues?state=all&per_page=30"
	for pages := 1; path != ""; pages++ {
		got := get(t, s, path, sandbox.ReadToken, nil)
		var issues []*github.Issue
		if err := json.Unmarshal([]byte(got.body), &issues); err != nil || pages > 4 {
			t.Fatal(pages, err, got.body)
		}
		for _, i := range issues {
			seen[i.GetNumber()] = true
		}
		address, _, _ := strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<"), ">")
		path = strings.TrimPrefix(address, s.URL)
		if path != "" && !strings.Contains(path, "after=") {
			t.Errorf("the next page is %s", path)
		}
	}
	if len(seen) != 76 {
		t.Errorf("%d of 76 issues and pull requests", len(seen))
	}
	if got := get(t, s, "/api/v3/repos/octo-org/hello/issues?page=100", sandbox.ReadToken, nil); got.status != 422 || !strings.Contains(got.body, "Pagination with the page parameter is not supported") {
		t.Errorf("page 100: %d %s", got.status, got.body)
	}
	if got := get(t, s, "/api/v3/repos/octo-org/hello/issues?after=x", sandbox.ReadToken, nil); got.status != 422 {
		t.Errorf("a broken cursor: %d", got.status)
	}
}

func TestLabelsOverREST(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	c := restClient(t, s, sandbox.WriteToken)
	labels, response, err := c.Issues.ListLabels(t.Context(), owner, name, &github.ListOptions{PerPage: 10})
	if err != nil || len(labels) != 10 || response.NextPage != 2 {
		t.Errorf("%d labels, next page %d, error %v", len(labels), response.NextPage, err)
	}
	odd, _, err := c.Issues.GetLabel(t.Context(), owner, name, "area: reader")
	if err != nil || odd.GetDescription() != "Selective reading" {
		t.Errorf("label %v, error %v", odd, err)
	}
	if _, _, err := c.Issues.CreateLabel(t.Context(), owner, name, &github.Label{Name: github.String("bug"), Color: github.String("ffffff")}); err == nil {
		t.Error("a second label bug was made")
	}
	if _, _, err := c.Issues.AddLabelsToIssue(t.Context(), owner, name, 125, []string{"bug", "made on the way"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Issues.RemoveLabelForIssue(t.Context(), owner, name, 125, "bug"); err != nil {
		t.Error(err)
	}
	if _, err := c.Issues.RemoveLabelForIssue(t.Context(), owner, name, 125, "bug"); err == nil {
		t.Error("a label was removed twice")
	}
	left, _, err := c.Issues.ListLabelsByIssue(t.Context(), owner, name, 125, nil)
	if err != nil || len(left) != 1 || left[0].GetName() != "made on the way" {
		t.Errorf("left %v, error %v", left, err)
	}
	if set, _, err := c.Issues.ReplaceLabelsForIssue(t.Context(), owner, name, 125, []string{"question"}); err != nil || len(set) != 1 {
		t.Errorf("set %v, error %v", set, err)
	}
	if _, _, err := c.Issues.EditLabel(t.Context(), owner, name, "question", &github.Label{Color: github.String("00FF00")}); err != nil {
		t.Error(err)
	}
	if _, err := c.Issues.DeleteLabel(t.Context(), owner, name, "question"); err != nil {
		t.Error(err)
	}
	if got := call(t, s, sandbox.TriageToken, "DELETE", "/repos/octo-org/hello/labels/bug", ""); got.status != 404 {
		t.Errorf("a triager deletes a label: %d", got.status)
	}
}
