package pullrequest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
)

const (
	headA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	headB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// headOf is what GitHub tells of pull request 7 before its diff.
func headOf(oid string) string {
	return `{"data":{"repository":{"pullRequest":{"id":"PR_x","headRefOid":"` + oid + `","additions":9,"deletions":8,"changedFiles":3,
		"author":null,"authorAssociation":"NONE","viewerDidAuthor":false,
		"commits":{"pageInfo":{"hasNextPage":false,"endCursor":""},"nodes":[{"commit":{"oid":"` + headB + `"}},{"commit":{"oid":"` + headA + `"}}]}}}}}`
}

// synthetic is a diff with files of every kind, one far over the budget in many
// hunks, one in a single hunk, one in a single line.
func synthetic() string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	file := func(name string, hunks, lines, width int) {
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nindex 1..2 100644\n--- a/%s\n+++ b/%s\n", name, name, name, name)
		for h := range hunks {
			fmt.Fprintf(&b, "@@ -%d,0 +%d,%d @@ func\n", h*1000+1, h*1000+1, lines)
			for range lines {
				b.WriteString("+" + strings.Repeat(string("aé世😀\t\"<"[random.IntN(2)]), width) + strings.Repeat("é😀", width/2) + "\n")
			}
		}
	}
	file("small.go", 1, 2, 10)
	file("hunks.go", 60, 20, 25)
	b.WriteString("diff --git a/old b.txt b/new b.txt\nsimilarity index 100%\nrename from old b.txt\nrename to new b.txt\n")
	b.WriteString("diff --git a/logo.png b/logo.png\nindex 1..2\nBinary files a/logo.png and b/logo.png differ\n")
	file("onehunk.go", 1, 900, 25)
	file("oneline.go", 1, 1, 5000)
	file("last.go", 2, 3, 5)
	return b.String()
}

func readDiff(t *testing.T, h *house, req pullrequest.DiffRequest, max int) []*pullrequest.Diff {
	t.Helper()
	var pages []*pullrequest.Diff
	for {
		result, err := h.Diff(context.Background(), req)
		if err != nil {
			t.Fatalf("page %d: %v", len(pages)+1, err)
		}
		got := delivered(t, "get_pull_request_diff", result, max)
		pages = append(pages, got)
		if got.Count != len(got.Files) || got.Count == 0 {
			t.Fatalf("page %d: count %d of %d files", len(pages), got.Count, len(got.Files))
		}
		if !got.Truncated {
			return pages
		}
		if len(pages) > 1000 {
			t.Fatal("the diff does not end")
		}
		req = following[pullrequest.DiffRequest](t, got.Next)
	}
}

func joined(pages []*pullrequest.Diff) string {
	var b strings.Builder
	for _, page := range pages {
		for _, file := range page.Files {
			if file.Diff != nil {
				b.WriteString(*file.Diff)
			}
		}
	}
	return b.String()
}

func TestPagesJoinedAreGitHubsDiff(t *testing.T) {
	whole := synthetic()
	h, p := onPlay(t, map[string]string{"headRefOid": headOf(headA)})
	p.rest("GET /api/v3/repos/octo-org/hello/pulls/7", 200, nil, whole)
	for _, max := range []int{9000, budget, 10_000_000} {
		var pages []*pullrequest.Diff
		n := h.requests(func() { pages = readDiff(t, h, pullrequest.DiffRequest{PRNumber: 7}, max) })
		if got := joined(pages); got != whole {
			t.Errorf("budget %d: the pages joined differ from the diff: %d bytes, want %d", max, len(got), len(whole))
		}
		if n != 2*len(pages) {
			t.Errorf("budget %d: %d requests for %d pages, want 2 each", max, n, len(pages))
		}
		if first := pages[0]; *first.TotalCount != 7 || first.HeadRefOid != headA || first.Additions != 9 || first.Deletions != 8 {
			t.Errorf("budget %d: head %+v", max, first.Head)
		}
		if max == 10_000_000 && len(pages) != 1 {
			t.Errorf("%d pages where one would do", len(pages))
		}
	}
}

func TestLargeFilesAreCutAtHunks(t *testing.T) {
	h, p := onPlay(t, map[string]string{"headRefOid": headOf(headA)})
	p.rest("GET /api/v3/repos/octo-org/hello/pulls/7", 200, nil, synthetic())
	pages := readDiff(t, h, pullrequest.DiffRequest{PRNumber: 7, Files: []string{"hunks.go"}}, budget)
	if len(pages) < 2 {
		t.Fatalf("%d pages, want several", len(pages))
	}
	for i, page := range pages[1:] {
		if file := page.Files[0]; !strings.HasPrefix(*file.Diff, "@@ ") || !pages[i].Files[0].DiffTruncated {
			t.Errorf("page %d starts with %.20q", i+2, *file.Diff)
		}
	}
	if pages[len(pages)-1].Files[0].DiffTruncated {
		t.Error("the last page says that the file goes on")
	}
}

func TestFilesOnlyNamesRenamesAndBinaries(t *testing.T) {
	h, p := onPlay(t, map[string]string{"headRefOid": headOf(headA)})
	p.rest("GET /api/v3/repos/octo-org/hello/pulls/7", 200, nil, synthetic())
	result, err := h.Diff(context.Background(), pullrequest.DiffRequest{PRNumber: 7, FilesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	got := delivered(t, "get_pull_request_diff", result, budget)
	if len(got.Files) != 7 || joined([]*pullrequest.Diff{got}) != "" {
		t.Fatalf("%d files, diffs %q", len(got.Files), joined([]*pullrequest.Diff{got}))
	}
	if renamed := got.Files[2]; renamed.Path != "new b.txt" || renamed.PreviousPath != "old b.txt" || renamed.Status != "renamed" {
		t.Errorf("renamed: %+v", renamed)
	}
	if binary := got.Files[3]; binary.Path != "logo.png" || !binary.Binary {
		t.Errorf("binary: %+v", binary)
	}
	if large := got.Files[1]; large.Additions != 60*20 || large.Deletions != 0 {
		t.Errorf("large: %+v", large)
	}
}

func TestHeadThatMovedIsAConflict(t *testing.T) {
	answers := map[string]string{"headRefOid": headOf(headA)}
	h, p := onPlay(t, answers)
	p.rest("GET /api/v3/repos/octo-org/hello/pulls/7", 200, nil, synthetic())
	result, err := h.Diff(context.Background(), pullrequest.DiffRequest{PRNumber: 7})
	if err != nil {
		t.Fatal(err)
	}
	next := following[pullrequest.DiffRequest](t, delivered(t, "get_pull_request_diff", result, 4000).Next)
	answers["headRefOid"] = headOf(headB)
	_, err = h.Diff(context.Background(), next)
	if got := refused(t, err, fault.Conflict); got.Details["headRefOid"] != headB {
		t.Errorf("details = %v", got.Details)
	}
	next.Files = []string{"small.go"}
	_, err = h.Diff(context.Background(), next)
	_ = refused(t, err, fault.InvalidArguments)
}

// TestRefusedDiffComesFileByFile is A10: GitHub answers 406 to a large diff.
func TestRefusedDiffComesFileByFile(t *testing.T) {
	h, p := onPlay(t, map[string]string{"headRefOid": headOf(headA)})
	p.rest("GET /api/v3/repos/octo-org/hello/pulls/7", 406, nil,
		`{"message":"Sorry, the diff exceeded the maximum number of files (300).","errors":[{"resource":"PullRequest","field":"diff","code":"too_large"}]}`)
	for number := range 4 {
		var files []string
		for i := range min(100, 350-100*number) {
			patch := `"patch":"@@ -1 +1 @@\n-a\n+b",`
			if n := 100*number + i; n%150 == 10 {
				patch = ""
			}
			files = append(files, fmt.Sprintf(`{"filename":"f%03d.go","status":"modified",%s"additions":1,"deletions":1,"changes":2}`, 100*number+i, patch))
		}
		header := map[string]string{}
		if number < 3 {
			header["Link"] = fmt.Sprintf(`<http://x/?page=%d>; rel="next"`, number+2)
		}
		p.pageOfFiles(number+1, header, "["+strings.Join(files, ",")+"]")
	}
	pages := readDiff(t, h, pullrequest.DiffRequest{PRNumber: 7}, budget)
	var paths, missing []string
	for _, page := range pages {
		for _, file := range page.Files {
			paths = append(paths, file.Path)
			if file.PatchMissing {
				missing = append(missing, file.Path)
			}
			if file.PatchMissing != (file.Diff == nil) {
				t.Errorf("%s: patchMissing %t and diff %v", file.Path, file.PatchMissing, file.Diff)
			}
		}
	}
	if len(paths) != 350 || *pages[0].TotalCount != 350 || strings.Join(missing, " ") != "f010.go f160.go f310.go" {
		t.Errorf("%d paths, missing %v", len(paths), missing)
	}
	warnings := strings.Join(pages[0].Warnings, "\n")
	for _, want := range []string{"refuses the diff", "no patch of 3 files", "f160.go"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings %q lack %q", warnings, want)
		}
	}
}

func TestFilesAndCommitsAreChosen(t *testing.T) {
	h, p := onPlay(t, map[string]string{"headRefOid": headOf(headA)})
	p.rest("GET /api/v3/repos/octo-org/hello/pulls/7", 200, nil, synthetic())
	p.rest("GET /api/v3/repos/octo-org/hello/commits/"+headB, 200, nil, "diff --git a/small.go b/small.go\n--- a/small.go\n+++ b/small.go\n@@ -1 +1,2 @@\n-a\n+b\n+c\n")

	_, err := h.Diff(context.Background(), pullrequest.DiffRequest{PRNumber: 7, Files: []string{"smal.go"}})
	if got := refused(t, err, fault.NotFound); got.Details["nearest"] != "small.go" {
		t.Errorf("nearest = %v", got.Details["nearest"])
	}
	byOldName := readDiff(t, h, pullrequest.DiffRequest{PRNumber: 7, Files: []string{"old b.txt"}}, budget)
	if len(byOldName[0].Files) != 1 || byOldName[0].Files[0].Path != "new b.txt" {
		t.Errorf("by its old name: %+v", byOldName[0].Files)
	}
	commit := readDiff(t, h, pullrequest.DiffRequest{PRNumber: 7, Files: []string{"small.go"}, SHA: headB[:7]}, budget)
	if commit[0].Additions != 2 || commit[0].Deletions != 1 || len(commit[0].Files) != 1 {
		t.Errorf("of a commit: %+v", commit[0])
	}
	_, err = h.Diff(context.Background(), pullrequest.DiffRequest{PRNumber: 7, Files: []string{"small.go"}, SHA: "cccc"})
	_ = refused(t, err, fault.NotFound)
	if n := h.requests(func() {
		_, err = h.Diff(context.Background(), pullrequest.DiffRequest{PRNumber: 7, SHA: headB})
	}); n != 0 {
		t.Errorf("%d requests for a call that cannot be", n)
	}
	_ = refused(t, err, fault.MissingArguments)
}
