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
	body, err := json.Marshal(map[string]any{"query": truthQuery, "variables": map[string]any{"number": number, "after": after}})
	if err != nil {
		return page, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.github.GraphQLURL(), bytes.NewReader(body))
	if err != nil {
		return page, err
	}
	request.Header.Set("Authorization", "bearer "+sandbox.AdminToken)
	request.Header.Set("X-Github-Next-Global-Id", "1")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return page, fmt.Errorf("asking the embedded GitHub: %w", err)
	}
	defer answer.Body.Close()
	return page, json.NewDecoder(answer.Body).Decode(&page)
}
