package pullrequest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const sampleDiff = "diff --git a/read.go b/read.go\nindex 1..2 100644\n--- a/read.go\n+++ b/read.go\n" +
	"@@ -1,3 +1,4 @@ package read\n a\n-b\n+diff --git a/x b/x\n+c\n d\n@@ -10 +11,2 @@\n-++ old\n+-- new\n+@@ no hunk\n\\ No newline at end of file\n" +
	"diff --git a/old name.txt b/new name.txt\nsimilarity index 100%\nrename from old name.txt\nrename to new name.txt\n" +
	"diff --git a/logo.png b/logo.png\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/logo.png differ\n" +
	"diff --git \"a/\\303\\244 \\\"q\\\".txt\" \"b/\\303\\244 \\\"q\\\".txt\"\ndeleted file mode 100644\nindex 1..0\n--- \"a/\\303\\244 \\\"q\\\".txt\"\n+++ /dev/null\n@@ -1 +0,0 @@\n--- a/x\n" +
	"diff --git a/run me.sh b/run me.sh\nold mode 100644\nnew mode 100755\n" +
	"diff --git a/a b/c b/a b/c\nnew file mode 100644\nindex 0..0\n" +
	"diff --git a/with space b/with space\nindex 1..2 100644\n--- a/with space\t\n+++ b/with space\t\n@@ -1 +1 @@\n-x\r\n+y\r\n" +
	"diff --git a/from.go b/to.go\nsimilarity index 90%\ncopy from from.go\ncopy to to.go\n--- a/from.go\n+++ b/to.go\n@@ -0,0 +1 @@\n+z"

func TestSplitDiff(t *testing.T) {
	type file struct {
		Path, Previous, Status string
		Additions, Deletions   int
		Binary                 bool
		Hunks                  int
	}
	want := []file{
		{"read.go", "", "modified", 4, 2, false, 2},
		{"new name.txt", "old name.txt", "renamed", 0, 0, false, 0},
		{"logo.png", "", "added", 0, 0, true, 0},
		{"ä \"q\".txt", "", "removed", 0, 1, false, 1},
		{"run me.sh", "", "changed", 0, 0, false, 0},
		{"a b/c", "", "added", 0, 0, false, 0},
		{"with space", "", "modified", 1, 1, false, 1},
		{"to.go", "from.go", "copied", 1, 0, false, 1},
	}
	var got []file
	joined := ""
	for _, p := range splitDiff(sampleDiff) {
		got = append(got, file{p.path, p.previous, p.status, p.additions, p.deletions, p.binary, len(p.hunks)})
		joined += p.text
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("splitDiff (-want +got):\n%s", diff)
	}
	if joined != sampleDiff {
		t.Error("the parts joined are not the diff")
	}
	if got := splitDiff(""); got != nil {
		t.Errorf("splitDiff of nothing = %v", got)
	}
}

func TestLinesOfHunks(t *testing.T) {
	want := map[string][]span{"LEFT": {{1, 3}, {10, 10}}, "RIGHT": {{1, 4}, {11, 12}}}
	if diff := cmp.Diff(want, splitDiff(sampleDiff)[0].lines(), cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestCutPrefersHunksThenLinesThenCharacters(t *testing.T) {
	text := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-é\n+é\n"
	p := splitDiff(text)[0]
	second := strings.LastIndex(text, "@@ -9")
	for _, test := range []struct {
		name            string
		offset, n, want int
	}{
		{"all", 0, 1000, len(text)},
		{"a whole hunk", 0, second + 3, second},
		{"a hunk's end exactly", 0, second, second},
		{"lines of the first hunk", 0, second - 1, second - len("+b\n")},
		{"the header stays with the first hunk", 0, strings.Index(text, "@@") + 2, strings.Index(text, "@@")},
		{"lines from inside", second, len("@@ -9 +9 @@\n-"), second + len("@@ -9 +9 @@\n")},
		{"half a character is none", second + len("@@ -9 +9 @@\n"), 2, second + len("@@ -9 +9 @@\n") + 1},
		{"one byte", 0, 1, 1},
	} {
		if got := p.cut(test.offset, test.n); got != test.want {
			t.Errorf("%s: cut(%d, %d) = %d, want %d", test.name, test.offset, test.n, got, test.want)
		}
	}
}

// FuzzSplitDiff: whatever comes, the parts joined are the diff, and slices of
// any size joined are the part.
func FuzzSplitDiff(f *testing.F) {
	f.Add(sampleDiff, 40)
	f.Add("no header\ndiff --git a/x b/x\n@@ -1 +1 @@\n-x\n@@\n", 3)
	f.Add("diff --git \ndiff --git \"\ndiff --git \"a\n@@ -1,a +99999999999999999999 @@", 1)
	f.Fuzz(func(t *testing.T, diff string, n int) {
		n = max(utf8.UTFMax, n)
		joined := ""
		for _, p := range splitDiff(diff) {
			joined += p.text
			p.lines()
			for offset := 0; offset < len(p.text); {
				end := p.cut(offset, n)
				if end <= offset || end > len(p.text) || end-offset > n {
					t.Fatalf("cut(%d, %d) = %d of %d", offset, n, end, len(p.text))
				}
				if utf8.ValidString(p.text) && !utf8.ValidString(p.text[offset:end]) {
					t.Fatalf("cut(%d, %d) = %d splits a character", offset, n, end)
				}
				offset = end
			}
		}
		if joined != diff {
			t.Fatalf("joined %q, want %q", joined, diff)
		}
	})
}
