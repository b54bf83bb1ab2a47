package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// memory is what an agent has got to read, and what it should have got.
type memory struct {
	got  map[discussionText]int // how often
	own  map[string]bool        // ids of what it has written, which it need not read
	due  map[string]bool        // ids of what it was handed
	all  bool                   // it should read everything
	took int                    // texts in all
}

func newMemory() *memory {
	return &memory{got: map[discussionText]int{}, own: map[string]bool{}, due: map[string]bool{}}
}

// discussionText is one version of a comment, a reply or a discussion.
type discussionText struct{ id, body string }

// take notes what a read has brought. What has no text, such as a tombstone, is
// nothing to read.
func (m *memory) take(texts []discussionPost) {
	for _, text := range texts {
		if text.Body != "" {
			m.got[discussionText{text.ID, text.Body}]++
			m.took++
		}
	}
}

func (m *memory) missed(truth []discussionText) int {
	missed := 0
	for _, text := range truth {
		if (m.all || m.due[text.id]) && !m.own[text.id] && m.got[text] == 0 {
			missed++
		}
	}
	return missed
}

func (m *memory) reRead() int {
	again := 0
	for _, times := range m.got {
		again += times - 1
	}
	return again
}

// audit holds what an agent has read against what GitHub has.
func (a *agent) audit(way string, truth []discussionText) DemoReader {
	reader := DemoReader{Agent: a.name, Way: way, Texts: a.memory.took, Missed: a.memory.missed(truth), ReRead: a.memory.reRead()}
	for _, step := range a.stage.report.Steps {
		if step.Agent == a.name && step.Action == "read" {
			reader.DemoCost = reader.plus(step.DemoCost)
		}
	}
	a.stage.report.Readers = append(a.stage.report.Readers, reader)
	return reader
}

// fault is an error when the agent has missed something or read it twice.
func (r DemoReader) fault() error {
	if r.Missed == 0 && r.ReRead == 0 {
		return nil
	}
	return fmt.Errorf("agent %s has missed %s and read %s again", r.Agent, count(r.Missed, "text", "texts"), count(r.ReRead, "text", "texts"))
}

const truthQuery = `query Truth($number: Int!, $after: String) {
  repository(owner: "octo-org", name: "hello") { discussion(number: $number) { id body comments(first: 100, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { id body replies(first: 100) { pageInfo { hasNextPage } nodes { id body } } }
  } } }
}`

// truthPage is the answer to truthQuery.
type truthPage struct {
	Data struct {
		Repository struct {
			Discussion *struct {
				ID, Body string
				Comments struct {
					PageInfo struct {
						HasNextPage bool
						EndCursor   string
					}
					Nodes []struct {
						ID, Body string
						Replies  struct {
							PageInfo struct{ HasNextPage bool }
							Nodes    []struct{ ID, Body string }
						}
					}
				}
			}
		}
	}
}

// truth are all texts of a discussion, asked for without any code of the
// product: it is what the agents' reading is judged by.
func (s *stage) truth(ctx context.Context, number int) ([]discussionText, error) {
	var texts []discussionText
	for after, more := (*string)(nil), true; more; {
		page, err := s.truthPage(ctx, number, after)
		if err != nil {
			return nil, err
		}
		discussion := page.Data.Repository.Discussion
		if discussion == nil {
			return nil, fmt.Errorf("the embedded GitHub has no discussion #%d", number)
		}
		if after == nil {
			texts = append(texts, discussionText{discussion.ID, discussion.Body})
		}
		for _, comment := range discussion.Comments.Nodes {
			if comment.Replies.PageInfo.HasNextPage {
				return nil, fmt.Errorf("comment %s has more replies than the demo counts", comment.ID)
			}
			texts = append(texts, discussionText{comment.ID, comment.Body})
			for _, reply := range comment.Replies.Nodes {
				texts = append(texts, discussionText{reply.ID, reply.Body})
			}
		}
		after, more = &discussion.Comments.PageInfo.EndCursor, discussion.Comments.PageInfo.HasNextPage
	}
	return withoutTombstones(texts), nil
}

func withoutTombstones(texts []discussionText) []discussionText {
	var kept []discussionText
	for _, text := range texts {
		if text.body != "" {
			kept = append(kept, text)
		}
	}
	return kept
}

func (s *stage) truthPage(ctx context.Context, number int, after *string) (page truthPage, err error) {
	err = s.ask(ctx, truthQuery, map[string]any{"number": number, "after": after}, &page)
	return page, err
}

const pullTruthQuery = `query PullTruth($number: Int!) {
  repository(owner: "octo-org", name: "hello") { pullRequest(number: $number) { id body merged
    comments(first: 100) { pageInfo { hasNextPage } nodes { id body } }
    reviews(first: 100) { pageInfo { hasNextPage } nodes { id body } }
    reviewThreads(first: 100) { pageInfo { hasNextPage } nodes { comments(first: 100) { pageInfo { hasNextPage } nodes { id body } } } }
  } }
}`

// truthTexts is a page of texts.
type truthTexts struct {
	PageInfo struct{ HasNextPage bool }
	Nodes    []struct{ ID, Body string }
}

// pullTruth is the answer to pullTruthQuery.
type pullTruth struct {
	Data struct {
		Repository struct {
			PullRequest struct {
				ID, Body          string
				Merged            bool
				Comments, Reviews truthTexts
				ReviewThreads     struct {
					PageInfo struct{ HasNextPage bool }
					Nodes    []struct{ Comments truthTexts }
				}
			}
		}
	}
}

// truthOfPull are all texts of a pull request, comments, reviews and inline
// comments, and whether it is merged; as truth is for a discussion.
func (s *stage) truthOfPull(ctx context.Context, number int) (texts []discussionText, merged bool, err error) {
	var answer pullTruth
	if err := s.ask(ctx, pullTruthQuery, map[string]any{"number": number}, &answer); err != nil {
		return nil, false, err
	}
	pull := answer.Data.Repository.PullRequest
	pages := []truthTexts{pull.Comments, pull.Reviews}
	for _, thread := range pull.ReviewThreads.Nodes {
		pages = append(pages, thread.Comments)
	}
	more := pull.ReviewThreads.PageInfo.HasNextPage
	texts = append(texts, discussionText{pull.ID, pull.Body})
	for _, page := range pages {
		more = more || page.PageInfo.HasNextPage
		for _, text := range page.Nodes {
			texts = append(texts, discussionText{text.ID, text.Body})
		}
	}
	if more || pull.ID == "" {
		return nil, false, fmt.Errorf("pull request #%d is not there, or has more texts than the demo counts", number)
	}
	return withoutTombstones(texts), pull.Merged, nil
}

// ask asks the embedded GitHub without any code of the product.
func (s *stage) ask(ctx context.Context, query string, variables map[string]any, answer any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.github.GraphQLURL(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "bearer "+sandbox.AdminToken)
	request.Header.Set("X-Github-Next-Global-Id", "1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking the embedded GitHub: %w", err)
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(answer)
}
