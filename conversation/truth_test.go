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
	Comments               struct{ Nodes []node }
}

type nodes struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []node
}

const truthQuery = `query($number: Int!, $after: String, $reviews: String) { repository(owner: "octo-org", name: "hello") {
	issueOrPullRequest(number: $number) {
		... on Issue { comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { id body createdAt } } }
		... on PullRequest {
			comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { id body createdAt } }
			reviews(first: 100, after: $reviews) { pageInfo { hasNextPage endCursor } nodes {
				id body state createdAt submittedAt comments(first: 100) { nodes { id body createdAt } } } } } } } }`

// askGitHub reads all remarks of a thread with plain queries of its own, by
// which the readings of this package are judged.
func (h *house) askGitHub(number int) []remark {
	h.t.Helper()
	var all []remark
	variables := map[string]any{"number": number}
	for page := 1; ; page++ {
		var answer struct {
			Data struct {
				Repository struct {
					Thread struct{ Comments, Reviews nodes } `json:"issueOrPullRequest"`
				}
			}
		}
		h.postQuery(truthQuery, variables, &answer)
		comments, reviews := answer.Data.Repository.Thread.Comments, answer.Data.Repository.Thread.Reviews
		for _, comment := range comments.Nodes {
			all = append(all, remarkOf(comment, thread.KindComment, comment.CreatedAt, false))
		}
		if page == 1 {
			all = append(all, remarksOf(reviews.Nodes)...)
		}
		if reviews.PageInfo.HasNextPage {
			h.t.Fatalf("#%d has more than 100 reviews", number)
		}
		if !comments.PageInfo.HasNextPage {
			return all
		}
		variables["after"] = comments.PageInfo.EndCursor
	}
}

// remarksOf are reviews, but for those that only wrap inline comments, and the
// inline comments.
func remarksOf(reviews []node) []remark {
	var all []remark
	for _, review := range reviews {
		at, pending := review.SubmittedAt, review.State == "PENDING"
		if pending {
			at = review.CreatedAt
		}
		if review.Body != "" || review.State != "COMMENTED" || len(review.Comments.Nodes) == 0 {
			all = append(all, remarkOf(review, thread.KindReview, at, pending))
		}
		for _, inline := range review.Comments.Nodes {
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
