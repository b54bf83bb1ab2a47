package cli

import (
	"context"
	"encoding/json"
	"fmt"
)

const (
	readTool  = "get_discussion_conversation"
	writeTool = "manage_discussion_comment"
)

// discussionPage is what of a read's result the demo looks at. A page of a pull
// request's conversation is the same, without replies.
type discussionPage struct {
	TotalCount      int
	Truncated       bool
	Next            json.RawMessage
	Found           bool
	LatestCommentID string
	ID, Body        string // of the discussion; no body where it is omitted
	Title, URL      string
	Comments        struct{ Nodes []discussionPost }
	NewReplies      []discussionPost
	Edited          []struct{ ID, LastEditedAt string }
}

// texts are all the texts on the page, the discussion's own first.
func (p discussionPage) texts() []discussionPost {
	texts := []discussionPost{{ID: p.ID, Body: p.Body}}
	for _, comment := range p.Comments.Nodes {
		texts = append(append(texts, comment), comment.Replies.Nodes...)
	}
	return append(texts, p.NewReplies...)
}

// discussionPost is a comment or a reply.
type discussionPost struct {
	ID, Body                string
	CreatedAt, LastEditedAt string // RFC 3339 in UTC: the order of text is that of time
	Replies                 struct{ Nodes []discussionPost }
}

// reading is what one read brought, all its pages.
type reading struct {
	first      discussionPage
	comments   []discussionPost
	newReplies []discussionPost
	texts      []discussionPost // the same and what else came, such as replies below new comments
	edited     map[string]string
	watermark  string // to read on from
	step       DemoStep
}

// ids are the comments and new replies, in the order they came.
func (r reading) ids() []string {
	var ids []string
	for _, post := range append(r.comments[:len(r.comments):len(r.comments)], r.newReplies...) {
		ids = append(ids, post.ID)
	}
	return ids
}

// read reads the discussion, page by page for as long as there is a next one.
func (a *agent) read(ctx context.Context, what string, arguments any) (reading, error) {
	return a.readBy(ctx, readTool, what, arguments)
}

// readBy is read with another tool, of a thread of another kind.
func (a *agent) readBy(ctx context.Context, tool, what string, arguments any) (reading, error) {
	first, err := json.Marshal(arguments)
	if err != nil {
		return reading{}, err
	}
	got := reading{edited: map[string]string{}, step: DemoStep{Agent: a.name, Cycle: a.stage.cycle, Action: "read", What: what, Tool: tool, Arguments: first}}
	for next, more := json.RawMessage(first), true; more; {
		var page discussionPage
		cost, err := a.call(ctx, tool, next, &page)
		if err != nil {
			return reading{}, err
		}
		if got.step.Calls == 0 {
			got.first = page
		}
		got.comments = append(got.comments, page.Comments.Nodes...)
		got.newReplies = append(got.newReplies, page.NewReplies...)
		got.texts = append(got.texts, page.texts()...)
		for _, edit := range page.Edited {
			got.edited[edit.ID] = edit.LastEditedAt
		}
		got.watermark, next, more = page.LatestCommentID, page.Next, page.Truncated
		got.step.DemoCost = got.step.plus(cost)
	}
	got.step.Comments, got.step.Replies = len(got.comments), len(got.newReplies)
	a.stage.report.Steps = append(a.stage.report.Steps, got.step)
	a.memory.take(got.texts)
	return got, nil
}

// act makes a call that changes something, and decodes its result.
func (a *agent) act(ctx context.Context, what, tool string, arguments map[string]any, result any) error {
	_, err := a.step(ctx, DemoStep{Action: "write", What: what, Tool: tool}, arguments, result)
	return err
}

// look makes a call that changes nothing and is no read of a thread, decodes
// its result, and says what it took.
func (a *agent) look(ctx context.Context, what, tool string, arguments map[string]any, result any) (DemoCost, error) {
	return a.step(ctx, DemoStep{Action: "look", What: what, Tool: tool}, arguments, result)
}

// step makes the one call of a step, and enters it in the ledger.
func (a *agent) step(ctx context.Context, step DemoStep, arguments map[string]any, result any) (DemoCost, error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return DemoCost{}, err
	}
	step.Agent, step.Cycle, step.Arguments = a.name, a.stage.cycle, raw
	if step.DemoCost, err = a.call(ctx, step.Tool, step.Arguments, result); err != nil {
		return DemoCost{}, err
	}
	a.stage.report.Steps = append(a.stage.report.Steps, step)
	return step.DemoCost, nil
}

// written is what of a write's result the demo looks at.
type written struct {
	CommentID, URL string
	Handoff        struct {
		Tool      string
		Arguments json.RawMessage
	}
}

// write posts a comment, or a reply.
func (a *agent) write(ctx context.Context, what string, arguments map[string]any) (written, error) {
	arguments["action"], arguments["agent"] = "create", a.name
	var done written
	if err := a.act(ctx, what, writeTool, arguments, &done); err != nil {
		return written{}, err
	}
	if done.CommentID == "" || done.Handoff.Tool != readTool {
		return written{}, fmt.Errorf("agent %s posted, and got no hand-off", a.name)
	}
	a.memory.own[done.CommentID] = true
	return done, nil
}
