package issue

import (
	"context"
	"fmt"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ReactionRequest are the arguments of manage_reaction.
type ReactionRequest struct {
	Repo             *string `json:"repo,omitempty"`
	Action           string  `json:"action"`
	DiscussionNumber int     `json:"discussion_number,omitempty"`
	IssueNumber      int     `json:"issue_number,omitempty"`
	PRNumber         int     `json:"pr_number,omitempty"`
	CommentID        *string `json:"comment_id,omitempty"`
	Content          string  `json:"content"`
}

// ReactionResult is how the reactions stand after the write.
type ReactionResult struct {
	Message   string     `json:"message"`
	SubjectID string     `json:"subjectId"`
	Reactions []Reaction `json:"reactions"`
	Warnings  []string   `json:"warnings,omitempty"`
}

// Reaction is how often one reaction was given.
type Reaction struct {
	Content string `json:"content"`
	Count   int    `json:"count"`
}

// contents are the reactions in our words and in GitHub's.
var contents = map[string]githubv4.ReactionContent{
	"+1": "THUMBS_UP", "-1": "THUMBS_DOWN", "laugh": "LAUGH", "hooray": "HOORAY",
	"confused": "CONFUSED", "heart": "HEART", "rocket": "ROCKET", "eyes": "EYES",
}

// wireReactable is something that has reactions.
type wireReactable struct {
	ReactionGroups []struct {
		Content          string
		ViewerHasReacted bool
		Reactors         struct{ TotalCount int } `graphql:"reactors(first: 1)"`
	}
}

// has reports whether the viewer's reaction is there.
func (w wireReactable) has(content githubv4.ReactionContent) bool {
	for _, group := range w.ReactionGroups {
		if group.Content == string(content) {
			return group.ViewerHasReacted
		}
	}
	return false
}

func (w wireReactable) reactions() []Reaction {
	reactions := []Reaction{}
	for _, group := range w.ReactionGroups {
		if group.Reactors.TotalCount == 0 {
			continue
		}
		name := strings.ToLower(group.Content)
		for ours, github := range contents {
			if string(github) == group.Content {
				name = ours
			}
		}
		reactions = append(reactions, Reaction{Content: name, Count: group.Reactors.TotalCount})
	}
	return reactions
}

// React adds or takes away the viewer's own reaction.
func (s *Service) React(ctx context.Context, req ReactionRequest) (_ *ReactionResult, err error) {
	defer fault.Wrap(&err, "issue.React(%s)", req.Action)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	id, where, err := s.reactable(ctx, repo, req)
	if err != nil {
		return nil, err
	}
	field := req.Action + "Reaction"
	var input githubv4.Input = githubv4.AddReactionInput{SubjectID: githubv4.ID(id), Content: contents[req.Content]}
	if req.Action == "remove" {
		input = githubv4.RemoveReactionInput{SubjectID: githubv4.ID(id), Content: contents[req.Content]}
	}
	var after wireReactable
	look := func(ctx context.Context) (_ bool, err error) {
		after, err = s.reactions(ctx, id)
		return after.has(contents[req.Content]) == (req.Action == "add"), err
	}
	warning, err := s.surely(ctx, field, input, look)
	if fault.Is(err, fault.ValidationFailed) || fault.Is(err, fault.NotFound) { // GitHub refuses to take away what is not there
		if already, look := look(ctx); look == nil && already {
			return &ReactionResult{Message: "Nothing to do: it is that already.", SubjectID: id, Reactions: after.reactions()}, nil
		}
	}
	if err != nil {
		return nil, explainReact(err, where)
	}
	if warning == "" {
		_, err = look(ctx)
	}
	does := map[string]string{"add": "Reacted to", "remove": "Took a reaction away from"}[req.Action]
	result := &ReactionResult{
		Message: fmt.Sprintf("%s %s with %s.", does, where, req.Content), SubjectID: id, Reactions: after.reactions(), Warnings: warned(nil, warning),
	}
	if err != nil {
		result.Warnings = append(result.Warnings, "the change was made, but reading the reactions after it failed")
	}
	return result, nil
}

func (s *Service) reactions(ctx context.Context, id string) (wireReactable, error) {
	var query struct {
		Node *struct {
			Reactable wireReactable `graphql:"... on Reactable"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "Reactions", &query, map[string]any{"id": graphql.ID(id)})
	switch {
	case err != nil:
		return wireReactable{}, err
	case query.Node == nil:
		return wireReactable{}, notes.Fault("node", fault.New(fault.NotFound, "what was reacted to is gone"))
	}
	return query.Node.Reactable, nil
}

// explainReact says what a refusal may be about.
func explainReact(err error, where string) error {
	return transport.MayNot(err, "react to %s: where a thread is locked, that needs write permission", where)
}

// reactable finds what to react to: a comment, or the thread itself.
func (s *Service) reactable(ctx context.Context, repo ref.Repo, req ReactionRequest) (id, where string, err error) {
	thread, err := req.thread(repo)
	if err != nil {
		return "", "", err
	}
	if req.CommentID != nil {
		comment, err := s.opts.Resolver.Comment(ctx, resolve.Want{Repo: repo, Field: "comment_id", Value: *req.CommentID, Thread: thread})
		return comment.ID, "a comment of " + comment.Thread.String(), err
	}
	if thread.Number == 0 {
		return "", "", fault.New(fault.MissingArguments, "nothing is named to react to").
			WithFix("Pass discussion_number, issue_number or pr_number, or comment_id.")
	}
	if thread.Kind != ref.Discussion {
		found, err := s.read(ctx, repo, thread.Number)
		return found.ID, thread.String(), err
	}
	discussion, err := s.labelable(ctx, repo, "discussion(number: $number)", thread.Number)
	return discussion.ID, thread.String(), err
}

// thread is the thread that the call names, if it names one.
func (r ReactionRequest) thread(repo ref.Repo) (ref.Thread, error) {
	return resolve.Named(repo, r.DiscussionNumber, r.IssueNumber, r.PRNumber)
}
