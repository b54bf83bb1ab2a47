package sandbox_test

import (
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sandbox.New(sandbox.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
