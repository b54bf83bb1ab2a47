package graphql_test

import (
	"encoding/json"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
)

func TestBigInt(t *testing.T) {
	for text, want := range map[string]graphql.BigInt{`"5400000001"`: 5400000001, `5400000001`: 5400000001, `null`: 0, `"0"`: 0} {
		var got graphql.BigInt
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is read as %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{`"x"`, `""`, `1.5`, `"99999999999999999999"`, `{}`} {
		var got graphql.BigInt
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is read as %d", text, got)
		}
	}
}
