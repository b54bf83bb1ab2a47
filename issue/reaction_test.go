package issue_test

import (
	"context"
	"slices"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// TestReactionsOnEveryKind are added, added again, and taken away twice.
func TestReactionsOnEveryKind(t *testing.T) {
	d := open(t)
	for name, on := range map[string]issue.ReactionRequest{
		"an issue":             {IssueNumber: 103},
		"a pull request":       {PRNumber: 202},
		"a discussion":         {DiscussionNumber: 3},
		"its comment":          {CommentID: ptr("discussioncomment-12000301")},
		"an issue's comment":   {CommentID: ptr("issuecomment-14010102")},
		"a review":             {CommentID: ptr("pullrequestreview-15020101")},
		"a comment, by number": {IssueNumber: 101, CommentID: ptr("14010103")},
	} {
		count := func(action string) int {
			on.Action, on.Content = action, "rocket"
			got := must(d, d.React, on)
			at := slices.IndexFunc(got.Reactions, func(r issue.Reaction) bool { return r.Content == "rocket" })
			if at < 0 {
				return 0
			}
			return got.Reactions[at].Count
		}
		first := count("add")
		if again, gone, twice := count("add"), count("remove"), count("remove"); first < 1 || again != first || gone != first-1 || twice != gone {
			t.Errorf("%s: %d, %d, %d, %d", name, first, again, gone, twice)
		}
	}
}

// TestToTakeAwayWhatIsNotThereIsASuccess, whichever way GitHub refuses it; the
// same refusal of what is there is none.
func TestToTakeAwayWhatIsNotThereIsASuccess(t *testing.T) {
	for _, kind := range []string{"NOT_FOUND", "UNPROCESSABLE"} {
		d := open(t)
		refusal := sandbox.GraphQLError{Type: kind, Message: "Could not resolve to a Reaction.", Path: []any{"removeReaction"}}
		if err := d.github.Fail(sandbox.Failure{Query: "removeReaction", Data: "null", Errors: []sandbox.GraphQLError{refusal}, Times: -1}); err != nil {
			t.Fatal(err)
		}
		heart := issue.ReactionRequest{Action: "remove", IssueNumber: 103, Content: "heart"}
		if got := must(d, d.React, heart); got.Message != "Nothing to do: it is that already." {
			t.Errorf("%s: %s", kind, show(got))
		}
		heart.Action = "add"
		must(d, d.React, heart)
		heart.Action = "remove"
		if got, err := d.React(context.Background(), heart); err == nil {
			t.Errorf("%s: what is still there is called gone: %s", kind, show(got))
		}
	}
}

func TestReactionsAreRefused(t *testing.T) {
	d := open(t)
	for name, test := range map[string]struct {
		req  issue.ReactionRequest
		code fault.Code
	}{
		"to nothing":          {issue.ReactionRequest{}, fault.MissingArguments},
		"to two threads":      {issue.ReactionRequest{IssueNumber: 101, DiscussionNumber: 3}, fault.AmbiguousArguments},
		"to no spelling":      {issue.ReactionRequest{CommentID: ptr("the first")}, fault.MalformedCommentID},
		"to what is not":      {issue.ReactionRequest{IssueNumber: 4711}, fault.NotFound},
		"to a number alone":   {issue.ReactionRequest{CommentID: ptr("14010103")}, fault.AmbiguousArguments},
		"to another thread's": {issue.ReactionRequest{IssueNumber: 103, CommentID: ptr("issuecomment-14010103")}, fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			test.req.Action, test.req.Content = "add", "eyes"
			before := d.writes()
			_, err := d.React(context.Background(), test.req)
			d.expectRefusal(err, before, test.code)
		})
	}
}
