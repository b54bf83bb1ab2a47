package sandbox_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// Writers and readers at once: no comment is lost, none has two places, and
// the ledger has every request.
func TestManyClientsAtOnce(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	d := discussionID(t, s, 4)
	const writers, each = 8, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				var m struct {
					AddDiscussionComment struct{ Comment struct{ ID string } } `graphql:"addDiscussionComment(input: $input)"`
				}
				input := githubv4.AddDiscussionCommentInput{DiscussionID: d, Body: githubv4.String(fmt.Sprintf("writer %d, remark %d", w, i))}
				if err := client(s, sandbox.WriteToken).Mutate(t.Context(), &m, input, nil); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range each {
				if err := readTwoThreads(t.Context(), client(s, sandbox.ReadToken)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	times := map[any]bool{}
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 4) { comments(last: 80) { totalCount nodes { createdAt body } } } } }`)
	for i := range writers * each {
		times[got.at("repository", "discussion", "comments", "nodes", i, "createdAt")] = true
	}
	if got.at("repository", "discussion", "comments", "totalCount") != 330.0 || len(times) != writers*each {
		t.Errorf("%v comments, %d distinct times", got.at("repository", "discussion", "comments", "totalCount"), len(times))
	}
	if n := len(s.Requests()); n != 2*writers*each+2 {
		t.Errorf("the ledger has %d requests, want %d", n, 2*writers*each+2)
	}
}

func readTwoThreads(ctx context.Context, c *githubv4.Client) error {
	type thread struct {
		Comments struct {
			TotalCount int
			Nodes      []struct {
				ID, Body string
				Author   struct{ Login string }
				Replies  struct{ Nodes []struct{ ID string } } `graphql:"replies(first: 1)"`
			}
		} `graphql:"comments(last: 20)"`
	}
	var q struct {
		Repository struct {
			Year  thread `graphql:"year: discussion(number: 5)"`
			Other thread `graphql:"other: discussion(number: 4)"`
		} `graphql:"repository(owner: \"octo-org\", name: \"hello\")"`
	}
	return c.Query(ctx, &q, nil)
}

// Fields of one request run side by side, and the first of them builds what is
// generated: reviews, threads, comments and files.
func TestManyReadersOfOnePullRequest(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	id := threadID(t, s, 209)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got := ask(t, s, sandbox.ReadToken, `{ search(query: "is:pr review:none", type: ISSUE, first: 5) { issueCount } `+home+` {
				a: pullRequest(number: 209) { additions reviewDecision reviews(last: 5) { nodes { comments(first: 2) { nodes { body } } } } }
				b: pullRequest(number: 209) { files(first: 5) { nodes { path } } reviewThreads(first: 50) { nodes { comments(first: 2) { nodes { id pullRequestReview { state } } } } } comments(last: 3) { nodes { body } } }
				issues(first: 50) { nodes { number comments(last: 1) { nodes { id } } } } pullRequests(first: 20) { nodes { changedFiles mergeStateStatus } } } }`)
			if len(got.Errors) > 0 {
				t.Errorf("%.300s", got.raw)
			}
		})
		all.Go(func() {
			if got := ask(t, s, sandbox.WriteToken, `mutation($id: ID!) { addComment(input: {subjectId: $id, body: "x"}) { clientMutationId } addPullRequestReview(input: {pullRequestId: $id, event: COMMENT, body: "y"}) { clientMutationId } }`, "id", id); len(got.Errors) > 0 {
				t.Errorf("%.300s", got.raw)
			}
			if got := get(t, s, "/api/v3/repos/octo-org/hello/pulls/209/files", sandbox.ReadToken, nil); got.status != 200 {
				t.Errorf("files: %d", got.status)
			}
		})
	}
	all.Wait()
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { pullRequest(number: 209) { comments { totalCount } reviews { totalCount } } } }`)
	if got.at("repository", "pullRequest", "comments", "totalCount") != 64.0 || got.at("repository", "pullRequest", "reviews", "totalCount") != 34.0 {
		t.Errorf("after four comments and four reviews: %s", got.raw)
	}
}
