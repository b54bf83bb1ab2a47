package repository_test

import (
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

var loadContract = sync.OnceValues(func() (*contract.Contract, error) {
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		return nil, err
	}
	return contract.Load(text)
})

func tool(t *testing.T, name string) *contract.Tool {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	tool, ok := c.Tool(name)
	if !ok {
		t.Fatalf("the contract has no tool %s", name)
	}
	return tool
}

// keepsContract checks a result against its tool's output schema, with the
// summary of trust in it as the server puts it there.
func keepsContract(t *testing.T, name string, result any) {
	t.Helper()
	if carrier, ok := result.(trust.Carrier); ok {
		trust.Policy{}.Project(carrier).Summarize(carrier)
	}
	data, err := page.Encode(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := tool(t, name).CheckResult(data); err != nil {
		t.Errorf("%s breaks the contract of %s: %v", data, name, err)
	}
}

// following is the call that next stands for, as the server takes it from a
// client that sends next back.
func following[Request any](t *testing.T, name string, next any) (req Request) {
	t.Helper()
	data, err := page.Encode(next)
	if err != nil {
		t.Fatal(err)
	}
	var args map[string]any
	if err := json.Unmarshal(data, &args); err != nil {
		t.Fatal(err)
	}
	checked, err := tool(t, name).CheckArguments(args)
	if err != nil {
		t.Fatalf("next %s is refused: %v", data, err)
	}
	if err := json.Unmarshal(checked, &req); err != nil {
		t.Fatal(err)
	}
	return req
}
