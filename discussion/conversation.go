package discussion

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// ReadTool is the name of the tool that reads a conversation, for hand-offs.
const ReadTool = "get_discussion_conversation"

// helpfulLastN is how many comments to look at when the one asked for is not
// in the discussion.
const helpfulLastN = 20

// ConversationRequest are the arguments of get_discussion_conversation.
type ConversationRequest struct {
	Repo             *string `json:"repo,omitempty"`
	DiscussionNumber int     `json:"discussion_number"`
	CommentID        *string `json:"comment_id,omitempty"`
	SinceCommentID   *string `json:"since_comment_id,omitempty"`
	LastN            *int    `json:"last_n,omitempty"`
	Cursor           string  `json:"cursor,omitempty"`
}

// Category is a discussion's category.
type Category struct {
	Name         string `json:"name"`
	Slug         string `json:"slug"`
	IsAnswerable bool   `json:"isAnswerable"`
}

// Conversation is a discussion, or the selected part of it.
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
	Category      Category     `json:"category"`
	Labels        []string     `json:"labels"`
	IsAnswered    *bool        `json:"isAnswered"`
	AnswerID      *string      `json:"answerId"`
	Locked        bool         `json:"locked"`
	Closed        bool         `json:"closed"`
	StateReason   *string      `json:"stateReason"`
	UpvoteCount   int          `json:"upvoteCount"`

	Comments        thread.Nodes       `json:"comments"`
	MatchedReplyID  string             `json:"matchedReplyId,omitempty"`
	NewReplies      []thread.Comment   `json:"newReplies,omitempty"`
	RepliesComplete *bool              `json:"repliesComplete,omitempty"`
	RepliesCursor   string             `json:"repliesCursor,omitempty"`
	Edited          []thread.Edit      `json:"edited,omitempty"`
	ContentTrust    trust.ContentTrust `json:"contentTrust"`
	Warnings        []string           `json:"warnings,omitempty"`

	author  trust.Author
	reading *thread.Reading
	call    call
}

// call is what the answer has to know of the call to continue it.
type call struct {
	binding page.Binding
	next    ConversationRequest
}

// Read reads a discussion, or the selected part of it.
func (s *Service) Read(ctx context.Context, req ConversationRequest) (_ *Conversation, err error) {
	defer fault.Wrap(&err, "discussion.Read(#%d)", req.DiscussionNumber)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	selector, err := thread.Select(thread.Arguments{
		CommentID: req.CommentID, SinceCommentID: req.SinceCommentID, LastN: req.LastN,
	}, s.opts.Web)
	if err != nil {
		return nil, err
	}
	call := newCall(repo, req, selector)
	var position thread.Position
	if req.Cursor != "" {
		if err := call.binding.Open(req.Cursor, &position); err != nil {
			return nil, err
		}
	}
	source := &source{service: s, repo: repo, number: req.DiscussionNumber}
	name := key(repo) + "#" + strconv.Itoa(req.DiscussionNumber)
	reading, err := s.reader.Read(ctx, name, source, selector, position)
	if err != nil {
		return nil, err
	}
	return newConversation(source, reading, call), nil
}

func newCall(repo ref.Repo, req ConversationRequest, selector thread.Selector) call {
	name := repo.String()
	value := selector.Ref.String()
	if selector.Mode == thread.ByLast {
		value = strconv.Itoa(selector.LastN)
	}
	next := ConversationRequest{Repo: &name, DiscussionNumber: req.DiscussionNumber}
	switch selector.Mode {
	case thread.ByComment:
		next.CommentID = req.CommentID
	case thread.BySince:
		next.SinceCommentID = req.SinceCommentID
	case thread.ByLast:
		next.LastN = req.LastN
	}
	return call{
		binding: page.Bind(ReadTool, key(repo), strconv.Itoa(req.DiscussionNumber), string(selector.Mode), value),
		next:    next,
	}
}

// at is the call that goes on from a position.
func (c call) at(position thread.Position) (cursor string, next ConversationRequest) {
	next = c.next
	next.Cursor = c.binding.Seal(position)
	return next.Cursor, next
}

func newConversation(source *source, reading *thread.Reading, call call) *Conversation {
	head := source.head
	c := &Conversation{
		Found: reading.Found, Selector: reading.Selector.Mode,
		ThreadLatestCommentID: id(reading.Newest),
		Kind:                  ref.Discussion, Number: head.Number, ID: head.ID, Title: head.Title, URL: head.URL,
		State: state(head.Closed), Author: thread.ActorOf(head.Author.login()),
		CreatedAt: head.CreatedAt.UTC(), UpdatedAt: head.UpdatedAt.UTC(),
		Category: Category(head.Category), Labels: head.Labels.names(), IsAnswered: head.IsAnswered,
		Locked: head.Locked, Closed: head.Closed, StateReason: head.StateReason, UpvoteCount: head.UpvoteCount,
		MatchedReplyID: reading.MatchedReplyID, RepliesComplete: reading.RepliesComplete, Edited: reading.Edited,
		Warnings: source.warnings,
		author:   trust.Author{Login: head.Author.login(), Association: head.AuthorAssociation, IsViewer: head.ViewerDidAuthor},
		reading:  reading, call: call,
	}
	c.TotalCount = &reading.Total
	if head.Answer != nil {
		c.AnswerID = &head.Answer.ID
	}
	if reading.WantsRoot() {
		reading.Root = &head.Body
	}
	return c
}

// Items counts what Keep and Slice may take away to fit the byte budget.
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
	cut.Comments, cut.NewReplies = thread.Nodes{Nodes: answer.Comments}, answer.NewReplies
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
	if answer.RepliesNext != nil {
		cut.RepliesCursor, _ = c.call.at(*answer.RepliesNext)
	}
	return &cut
}

// VisitTexts shows every authored text; before the answer is cut, that is
// every text that was read.
func (c *Conversation) VisitTexts(visit func(trust.Text)) {
	visit(trust.Text{Field: "title", At: "title", Form: trust.Line, Author: &c.author, Level: &c.AuthorTrust, Value: &c.Title})
	visit(trust.Text{Field: "category.name", At: "category", Value: &c.Category.Name})
	for i := range c.Labels {
		visit(trust.Text{Field: "labels", At: "labels", Value: &c.Labels[i]})
	}
	body, each := c.Body, (&thread.Answer{Comments: c.Comments.Nodes, NewReplies: c.NewReplies}).Each
	if c.Comments.Nodes == nil {
		body, each = c.reading.Root, c.reading.Each
	}
	if body != nil {
		visit(trust.Text{Field: "body", At: "body", Author: &c.author, Level: &c.AuthorTrust, Value: body})
	}
	each(func(comment *thread.Comment, property, at string) {
		visit(trust.Text{Field: property + ".body", At: at, Author: author(comment), Level: &comment.AuthorTrust, Value: &comment.Body})
	})
}

// SetContentTrust puts the summary of the projection into the answer.
func (c *Conversation) SetContentTrust(summary trust.ContentTrust) { c.ContentTrust = summary }

func author(comment *thread.Comment) *trust.Author {
	return &trust.Author{Login: comment.Author.Login, Association: comment.AuthorAssociation, IsViewer: comment.OwnWork}
}

func state(closed bool) string {
	if closed {
		return "CLOSED"
	}
	return "OPEN"
}

func id(mark *thread.Mark) *string {
	if mark == nil {
		return nil
	}
	return &mark.ID
}

// key is the repository as cursors and memos know it, in one letter case.
func key(repo ref.Repo) string { return strings.ToLower(repo.String()) }
