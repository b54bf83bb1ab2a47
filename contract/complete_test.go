package contract_test

import (
	"os"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// A tool that knows no other repository than home is not given one.
func TestAPastedLinkCompletesACallWithoutRepo(t *testing.T) {
	repo := "    parameters:\n      - $ref: '#/components/parameters/repo'\n    post:\n"
	good := string(read(t, "testdata/board.yaml"))
	changed := strings.NewReplacer(repo, "    post:\n", "card_number", "issue_number").Replace(good)
	c, err := contract.Load([]byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	write, _ := c.Tool("write_card")
	const link = "https://github.com/octo-org/hello/issues/3#issuecomment-1"
	_, err = write.CheckArguments(map[string]any{"body": "b", "anchor": link})
	if got, want := fault.From(err).Fix, `Call it like this: write_card {"issue_number":3,"body":"b","comment_id":"`+link+`"}`; got != want {
		t.Errorf("fix %q, want %q", got, want)
	}
}

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
		name, argument, link, want string
	}{
		{"a discussion's", "comment_id", "https://github.com/octo-org/hello/discussions/3#discussioncomment-12000307",
			`get_discussion_conversation {"repo":"octo-org/hello","discussion_number":3,"comment_id":"https://github.com/octo-org/hello/discussions/3#discussioncomment-12000307"}`},
		{"an organization's, of any repository", "since_comment_id", "https://github.com/orgs/octo-org/discussions/3#discussioncomment-1",
			`get_discussion_conversation {"discussion_number":3,"since_comment_id":"https://github.com/orgs/octo-org/discussions/3#discussioncomment-1"}`},
		{"an issue's does not fit", "comment_id", "https://github.com/octo-org/hello/issues/3#issuecomment-1", `"comment_id":"DC_`},
		{"no link", "comment_id", "discussioncomment-12000307", `"comment_id":"DC_`},
		{"a link that is no comment", "cursor", "https://github.com/octo-org/hello/discussions/3#discussioncomment-12000307", `"comment_id":"DC_`},
	} {
		_, err := tool.CheckArguments(map[string]any{test.argument: test.link})
		if fix := fault.From(err).Fix; !fault.Is(err, fault.MissingArguments) || !strings.Contains(fix, test.want) {
			t.Errorf("%s: %v, fix %q; want MISSING_ARGUMENTS with %q", test.name, err, fix, test.want)
		}
	}
}
