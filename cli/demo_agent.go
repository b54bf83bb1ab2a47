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

// discussionPage is what of a read's result the demo looks at.
type discussionPage struct {
	TotalCount      int
	Truncated       bool
	Next            json.RawMessage
	Found           bool
	LatestCommentID string
	Title, URL      string
	Comments        struct{ Nodes []discussionPost }
	NewReplies      []discussionPost
}

// discussionPost is a comment or a reply.
type discussionPost struct {
	ID, ParentID, Body string
}

// reading is what one read brought, all its pages.
type reading struct {
	first      discussionPage
	comments   []discussionPost
	newReplies []discussionPost
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
	first, err := json.Marshal(arguments)
	if err != nil {
		return reading{}, err
	}
	got := reading{step: DemoStep{Agent: a.name, Cycle: a.stage.cycle, Action: "read", What: what, Tool: readTool, Arguments: first}}
	for next, more := json.RawMessage(first), true; more; {
		var page discussionPage
		cost, err := a.call(ctx, readTool, next, &page)
		if err != nil {
			return reading{}, err
		}
		if got.step.Calls == 0 {
			got.first = page
		}
		got.comments = append(got.comments, page.Comments.Nodes...)
		got.newReplies = append(got.newReplies, page.NewReplies...)
		got.watermark, next, more = page.LatestCommentID, page.Next, page.Truncated
		got.step.DemoCost = got.step.plus(cost)
	}
	got.step.Comments, got.step.Replies = len(got.comments), len(got.newReplies)
	a.stage.report.Steps = append(a.stage.report.Steps, got.step)
	return got, nil
}

// written is what of a write's result the demo looks at.
type written struct {
	CommentID, URL string
	Handoff        struct {
		Tool      string
		Arguments json.RawMessage
	}
	step DemoStep
}

// write posts a comment, or a reply.
func (a *agent) write(ctx context.Context, what string, arguments map[string]any) (written, error) {
	arguments["action"], arguments["agent"] = "create", a.name
	raw, err := json.Marshal(arguments)
	if err != nil {
		return written{}, err
	}
	var done written
	cost, err := a.call(ctx, writeTool, json.RawMessage(raw), &done)
	if err != nil {
		return written{}, err
	}
	if done.CommentID == "" || done.Handoff.Tool == "" {
		return written{}, fmt.Errorf("agent %s posted, and got no hand-off", a.name)
	}
	done.step = DemoStep{
		Agent: a.name, Cycle: a.stage.cycle, Action: "write", What: what, Tool: writeTool, Arguments: raw, Comments: 1, DemoCost: cost,
	}
	a.stage.report.Steps = append(a.stage.report.Steps, done.step)
	return done, nil
}
