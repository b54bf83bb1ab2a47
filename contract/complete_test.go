package contract_test

import (
	"os"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Whoever pastes a link and forgets the number gets the whole call back.
func TestAPastedLinkCompletesTheCall(t *testing.T) {
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := c.Tool("get_discussion_conversation")
	for _, test := range []struct {
		name, link, want string
	}{
		{"a discussion's", "https://github.com/octo-org/hello/discussions/3#discussioncomment-12000307",
			`get_discussion_conversation {"repo":"octo-org/hello","discussion_number":3,"comment_id":"https://github.com/octo-org/hello/discussions/3#discussioncomment-12000307"}`},
		{"an issue's does not fit", "https://github.com/octo-org/hello/issues/3#issuecomment-1", `"comment_id":"DC_`},
		{"no link", "discussioncomment-12000307", `"comment_id":"DC_`},
	} {
		_, err := tool.CheckArguments(map[string]any{"comment_id": test.link})
		if fix := fault.From(err).Fix; !fault.Is(err, fault.MissingArguments) || !strings.Contains(fix, test.want) {
			t.Errorf("%s: %v, fix %q; want MISSING_ARGUMENTS with %q", test.name, err, fix, test.want)
		}
	}
}
