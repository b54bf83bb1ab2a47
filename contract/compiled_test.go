package contract_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// surface is everything public about a contract, as text.
func surface(t testing.TB, loaded *contract.Contract) string {
	t.Helper()
	tools := loaded.Tools()
	details := make([]*contract.Details, len(tools))
	for i, tool := range tools {
		details[i] = tool.Details()
	}
	text, err := json.Marshal([]any{tools, details, loaded.Toolsets(), loaded.Prompts(), loaded.Resources()})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCompiledIsTheSameContract(t *testing.T) {
	yaml := read(t, "testdata/board.yaml")
	compiled, err := contract.Compile(yaml)
	if err != nil {
		t.Fatal(err)
	}
	if !contract.Fresh(yaml, compiled) {
		t.Error("what was just compiled is stale")
	}
	fast, err := contract.LoadCompiled(yaml, compiled)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(surface(t, board(t)), surface(t, fast)); diff != "" {
		t.Errorf("Load and LoadCompiled differ (-yaml +compiled):\n%s", diff)
	}
	again, _ := contract.Compile(yaml)
	if !bytes.Equal(compiled, again) {
		t.Error("Compile gives another result each time")
	}
}

func TestCompiledOfAnotherTextIsNotUsed(t *testing.T) {
	old := read(t, "testdata/board.yaml")
	compiled, err := contract.Compile(old)
	if err != nil {
		t.Fatal(err)
	}
	yaml := bytes.Replace(old, []byte("version: 1.2.3"), []byte("version: 1.2.4"), 1)
	for name, compiled := range map[string][]byte{"stale": compiled, "no JSON": []byte("{"), "no object": []byte("[]"), "nothing": nil} {
		loaded, err := contract.LoadCompiled(yaml, compiled)
		if err != nil || loaded.Version() != "1.2.4" {
			t.Errorf("%s: got %v, %v; want version 1.2.4", name, loaded, err)
		}
		if contract.Fresh(yaml, compiled) {
			t.Errorf("%s: counts as fresh", name)
		}
	}
}

// Details are read late, when an error could no longer be told.
func TestDamagedDetailsAreReadFromTheSource(t *testing.T) {
	yaml := read(t, "testdata/board.yaml")
	compiled, err := contract.Compile(yaml)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := contract.LoadCompiled(yaml, compiled[:len(compiled)-10])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(surface(t, board(t)), surface(t, loaded)); diff != "" {
		t.Errorf("whole and damaged differ (-whole +damaged):\n%s", diff)
	}
}

func TestCompileRefusesABadContract(t *testing.T) {
	bad := bytes.Replace(read(t, "testdata/board.yaml"), []byte("x-toolset: server"), nil, 1)
	if compiled, err := contract.Compile(bad); err == nil {
		t.Errorf("compiled to %d bytes", len(compiled))
	}
}

// The two ways to start a process.
func BenchmarkLoad(b *testing.B) {
	yaml := read(b, "testdata/board.yaml")
	compiled, err := contract.Compile(yaml)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("yaml", func(b *testing.B) {
		for b.Loop() {
			if _, err := contract.Load(yaml); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compiled", func(b *testing.B) {
		for b.Loop() {
			if _, err := contract.LoadCompiled(yaml, compiled); err != nil {
				b.Fatal(err)
			}
		}
	})
}
