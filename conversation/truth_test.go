package conversation_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// node is a remark as GitHub tells it.
type node struct {
	ID, Body, State        string
	CreatedAt, SubmittedAt time.Time
	Comments               struct{ TotalCount int }
}

const (
	pageInfo = ` pageInfo { hasNextPage endCursor } `

	commentsQuery = `query($number: Int!, $after: String) { repository(owner: "octo-org", name: "hello") { at: issueOrPullRequest(number: $number) {
		... on Issue { found: comments(first: 100, after: $after) { ` + pageInfo + ` nodes { id body createdAt } } }
		... on PullRequest { found: comments(first: 100, after: $after) { ` + pageInfo + ` nodes { id body createdAt } } } } } }`

	reviewsQuery = `query($number: Int!, $after: String) { repository(owner: "octo-org", name: "hello") { at: issueOrPullRequest(number: $number) {
		... on PullRequest { found: reviews(first: 100, after: $after) { ` + pageInfo + ` nodes { id body state createdAt submittedAt comments(first: 1) { totalCount } } } } } } }`

	inlineQuery = `query($id: ID!, $after: String) { repository: rateLimit { cost } at: node(id: $id) {
		... on PullRequestReview { found: comments(first: 100, after: $after) { ` + pageInfo + ` nodes { id body createdAt } } } } }`
)

// walk reads all nodes of a connection.
func (h *house) walk(query string, variables map[string]any) []node {
	h.t.Helper()
	type place struct {
		Found struct {
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
			Nodes []node
		}
	}
	var all []node
	for {
		var answer struct {
			Data struct {
				Repository struct{ At place }
				At         place
			}
		}
		h.postQuery(query, variables, &answer)
		found := answer.Data.Repository.At.Found
		if answer.Data.At.Found.Nodes != nil {
			found = answer.Data.At.Found
		}
		all = append(all, found.Nodes...)
		if !found.PageInfo.HasNextPage {
			return all
		}
		variables["after"] = found.PageInfo.EndCursor
	}
}

// askGitHub reads all remarks of a thread with plain queries of its own, by
// which the readings of this package are judged. A review that only wraps
// inline comments is no remark.
func (h *house) askGitHub(number int) []remark {
	h.t.Helper()
	var all []remark
	for _, comment := range h.walk(commentsQuery, map[string]any{"number": number}) {
		all = append(all, remarkOf(comment, thread.KindComment, comment.CreatedAt, false))
	}
	for _, review := range h.walk(reviewsQuery, map[string]any{"number": number}) {
		at, pending := review.SubmittedAt, review.State == "PENDING"
		if pending {
			at = review.CreatedAt
		}
		if review.Body != "" || review.State != "COMMENTED" || review.Comments.TotalCount == 0 {
			all = append(all, remarkOf(review, thread.KindReview, at, pending))
		}
		if review.Comments.TotalCount == 0 {
			continue
		}
		for _, inline := range h.walk(inlineQuery, map[string]any{"id": review.ID}) {
			all = append(all, remarkOf(inline, thread.KindReviewComment, at, pending))
		}
	}
	return all
}

func remarkOf(n node, kind thread.Kind, at time.Time, pending bool) remark {
	id, _ := ref.DecodeNodeID(n.ID)
	return remark{id: n.ID, key: thread.Key{At: at, Kind: kind, Number: id.DatabaseID}, pending: pending}
}

func (h *house) postQuery(query string, variables map[string]any, answer any) {
	h.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		h.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, h.sandbox.GraphQLURL(), bytes.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("X-Github-Next-Global-ID", "1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		h.t.Fatal(err)
	}
}
