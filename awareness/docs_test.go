package awareness_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The code that the document shows is code that runs: a part of an example.
func TestDocumentedCodeIsAnExample(t *testing.T) {
	document, err := os.ReadFile("../docs/Awareness.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(document), -1)
	if len(blocks) == 0 {
		t.Error("the document shows no code")
	}
	for _, block := range blocks {
		if !strings.Contains(string(examples), block[1]) {
			t.Errorf("not in example_test.go:\n%s", block[1])
		}
	}
}
