package trust

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestCorpus reads comments that were written to mislead. Beside each stands
// what is found in it, and what defang makes of it.
func TestCorpus(t *testing.T) {
	names := corpus(t)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text := readFile(t, name)
			golden := strings.TrimSuffix(name, ".md") + ".golden"
			got := report(text)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(readFile(t, golden), got); diff != "" {
				t.Errorf("%s (-golden +got):\n%s", golden, diff)
			}
		})
	}
}

func report(text string) string {
	var out strings.Builder
	for _, found := range inspect(Markdown, text) {
		fmt.Fprintf(&out, "%s: %s\n", found.kind, found.note)
	}
	return out.String() + "---\n" + defang(Markdown, text)
}

func corpus(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	return names
}

func hostileTexts(t testing.TB) []string {
	t.Helper()
	var texts []string
	for _, name := range corpus(t) {
		texts = append(texts, readFile(t, name))
	}
	return texts
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
