package conversation

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// Conversation is an issue or a pull request, or the selected part of what was
// said in it.
type Conversation struct {
	page.Head
	NewCount              int         `json:"newCount"`
	Found                 bool        `json:"found"`
	Selector              thread.Mode `json:"selector"`
	LatestCommentID       *string     `json:"latestCommentId"`
	ThreadLatestCommentID *string     `json:"threadLatestCommentId"`
	BodyOmitted           bool        `json:"bodyOmitted"`

	Kind          ref.Kind     `json:"kind"`
	Number        int          `json:"number"`
	ID            string       `json:"id"`
	Title         string       `json:"title"`
	Body          *string      `json:"body,omitempty"`
	BodyTruncated bool         `json:"bodyTruncated,omitempty"`
	BodyBytes     int          `json:"bodyBytes,omitempty"`
	BodyOffset    int          `json:"bodyOffset,omitempty"`
	URL           string       `json:"url"`
	State         string       `json:"state"`
	Author        thread.Actor `json:"author"`
	AuthorTrust   string       `json:"authorTrust"`
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
	Labels        []string     `json:"labels"`
	Assignees     []string     `json:"assignees"`
	Locked        bool         `json:"locked"`
	Milestone     *string      `json:"milestone"`

	*IssueFacts // issues only
	*PullFacts  // pull requests only

	Comments     thread.Nodes       `json:"comments"`
	Edited       []thread.Edit      `json:"edited,omitempty"`
	Reactions    []thread.Reaction  `json:"reactions,omitempty"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`

	author  trust.Author
	root    string // the thread's own body, when it was asked for
	unsure  bool   // how much was said in all is not known
	reading *thread.Reading
	call    call
}

// newConversation lays a reading into its head.
func newConversation(c *Conversation, reading *thread.Reading) *Conversation {
	c.Found, c.Selector, c.Edited, c.reading = reading.Found, reading.Selector.Mode, reading.Edited, reading
	c.ThreadLatestCommentID = id(reading.Newest)
	if !c.unsure {
		c.TotalCount = &reading.Total
	}
	if reading.WantsRoot() {
		reading.Root = &c.root
	} else {
		c.Reactions = nil
	}
	return c
}

// Items is how many items the answer holds; see page.Bounded.
func (c *Conversation) Items() int { return c.reading.Items() }

// Keep is the conversation with its first n items only.
func (c *Conversation) Keep(n int) any { return c.with(c.reading.Keep(n)) }

// Slice is the conversation with its first item only, and of that a part.
func (c *Conversation) Slice(n int) any {
	answer, ok := c.reading.Slice(n)
	if !ok {
		return nil
	}
	return c.with(answer)
}

// with lays a cut answer into the head.
func (c *Conversation) with(answer thread.Answer) *Conversation {
	cut := *c
	cut.Labels = slices.Clone(c.Labels)
	cut.Count, cut.NewCount = len(answer.Comments), answer.NewCount()
	cut.Comments = thread.Nodes{Nodes: answer.Comments}
	cut.LatestCommentID = id(answer.Latest)
	cut.BodyOmitted = answer.Root == nil
	cut.Body, cut.BodyOffset, cut.BodyBytes, cut.BodyTruncated = answer.Root, answer.RootOffset, answer.RootBytes, answer.RootContinue
	if !c.Found {
		lastN, next := helpfulLastN, c.call.next
		next.CommentID, next.SinceCommentID, next.LastN = nil, nil, &lastN
		cut.Next = next
	}
	if answer.Next != nil {
		cursor, next := c.call.at(*answer.Next)
		cut.Continues(cursor, next)
	}
	return &cut
}

// VisitTexts shows every authored text; before the answer is cut, that is
// every text that was read.
func (c *Conversation) VisitTexts(visit func(trust.Text)) {
	visit(trust.Text{Field: "title", At: "title", Form: trust.Line, Author: &c.author, Level: &c.AuthorTrust, Value: &c.Title})
	for i := range c.Labels {
		visit(trust.Text{Field: "labels", At: "labels", Value: &c.Labels[i]})
	}
	if c.Milestone != nil {
		visit(trust.Text{Field: "milestone", At: "milestone", Value: c.Milestone})
	}
	c.IssueFacts.visitTexts(visit)
	body, said := c.Body, c.Comments.Nodes
	if said == nil {
		body, said = c.reading.Root, c.reading.Comments
	}
	if body != nil {
		visit(trust.Text{Field: "body", At: "body", Author: &c.author, Level: &c.AuthorTrust, Value: body})
	}
	for i := range said {
		comment := &said[i]
		visit(trust.Text{
			Field: "comments.nodes.body", At: "comment:" + comment.ID,
			Author: author(comment), Level: &comment.AuthorTrust, Value: &comment.Body,
		})
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (c *Conversation) SetContentTrust(summary trust.ContentTrust) { c.ContentTrust = summary }

func (f *IssueFacts) visitTexts(visit func(trust.Text)) {
	if f == nil {
		return
	}
	if f.Type != nil {
		visit(trust.Text{Field: "type", At: "type", Value: f.Type})
	}
	for i := range f.Projects {
		project := &f.Projects[i]
		visit(trust.Text{Field: "projects.title", At: "projects", Value: &project.Title})
		for j := range project.Fields {
			visit(trust.Text{Field: "projects.fields.*", At: "projects", Value: &project.Fields[j].Text})
		}
	}
}

// Project is a board that an issue is on.
type Project struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	ItemID string `json:"itemId"`
	Fields Fields `json:"fields"`
}

// Fields are an item's fields on a board, in the board's order; in JSON they
// are an object of texts.
type Fields []Field

// Field is one of them.
type Field struct{ Name, Text string }

// MarshalJSON writes the fields as an object.
func (f Fields) MarshalJSON() ([]byte, error) {
	texts := make(map[string]string, len(f))
	for _, field := range f {
		texts[field.Name] = field.Text
	}
	return page.Encode(texts)
}

// UnmarshalJSON reads the fields from an object.
func (f *Fields) UnmarshalJSON(data []byte) error {
	var texts map[string]string
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	*f = Fields{}
	for name, text := range texts {
		*f = append(*f, Field{name, text})
	}
	slices.SortFunc(*f, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func author(comment *thread.Comment) *trust.Author {
	return &trust.Author{Login: comment.Author.Login, Association: comment.AuthorAssociation, IsViewer: comment.OwnWork}
}

func id(mark *thread.Mark) *string {
	if mark == nil {
		return nil
	}
	return &mark.ID
}
