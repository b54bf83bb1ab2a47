package issue

import (
	"context"
	"fmt"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// RelationshipRequest are the arguments of update_issue_relationship.
type RelationshipRequest struct {
	Repo             *string `json:"repo,omitempty"`
	RelationshipType string  `json:"relationship_type,omitempty"`
	ChildIssue       int     `json:"child_issue"`
	ParentIssue      int     `json:"parent_issue,omitempty"`
	Action           string  `json:"action,omitempty"`
	ReplaceParent    bool    `json:"replace_parent,omitempty"`
}

// RelationshipResult is the link after the write.
type RelationshipResult struct {
	Message     string `json:"message"`
	ChildIssue  int    `json:"childIssue"`
	ParentIssue *int   `json:"parentIssue"`
	OldParent   int    `json:"oldParent,omitempty"`
	Changed     bool   `json:"changed"`

	Warnings []string `json:"warnings,omitempty"`
}

// Inputs of GitHub's that the library lacks, by their names there.
type (
	// RemoveSubIssueInput takes a sub-issue out of its parent.
	RemoveSubIssueInput map[string]any
	// AddBlockedByInput says that one issue waits for another.
	AddBlockedByInput map[string]any
	// RemoveBlockedByInput says that it no longer does.
	RemoveBlockedByInput map[string]any
)

// Relate links two issues, or takes the link away. Numbers are resolved to
// ids here: GitHub would take one for the other.
func (s *Service) Relate(ctx context.Context, req RelationshipRequest) (_ *RelationshipResult, err error) {
	defer fault.Wrap(&err, "issue.Relate(#%d)", req.ChildIssue)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if req.Action == "" {
		req.Action = "remove"
		if req.ParentIssue != 0 {
			req.Action = "add"
		}
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	child, err := s.read(ctx, repo, req.ChildIssue)
	if err != nil {
		return nil, err
	}
	var parent subject
	if req.ParentIssue != 0 {
		if parent, err = s.read(ctx, repo, req.ParentIssue); err != nil {
			return nil, err
		}
	}
	for _, one := range []subject{child, parent} {
		if one.isPullRequest {
			return nil, onlyIssues(one)
		}
	}
	if req.RelationshipType == "blocked_by" {
		return s.relateBlocked(ctx, repo, req, child, parent)
	}
	return s.relateParent(ctx, repo, req, child, parent)
}

func onlyIssues(one subject) error {
	return fault.New(fault.ValidationFailed, "#%d is a pull request; only issues are linked", one.Number).
		WithFix("A pull request names the issues it closes in its body: Closes #12.")
}

func (r RelationshipRequest) check() error {
	switch {
	case r.ChildIssue == r.ParentIssue:
		return fault.New(fault.InvalidArguments, "an issue cannot be linked to itself").
			WithFix("Pass two different numbers.").With("argument", "parent_issue")
	case r.ParentIssue == 0 && (r.Action == "add" || r.RelationshipType == "blocked_by"):
		return fault.New(fault.MissingArguments, "parent_issue is needed here").
			WithFix("Pass the number of the parent, or of the issue that blocks.").With("argument", "parent_issue")
	}
	return nil
}

// relateParent makes child a sub-issue of parent, or takes its parent away.
func (s *Service) relateParent(ctx context.Context, repo ref.Repo, req RelationshipRequest, child, parent subject) (*RelationshipResult, error) {
	result := &RelationshipResult{ChildIssue: child.Number, OldParent: child.parent}
	if req.Action == "add" {
		result.ParentIssue = &parent.Number
	}
	switch {
	case child.parentID == parent.ID || req.Action == "remove" && child.parentID == "":
		if req.Action == "add" || child.parentID == "" {
			result.Message, result.OldParent = "Nothing to do: it is that already.", 0
			return result, nil
		}
	case req.Action == "remove" && req.ParentIssue != 0:
		return nil, parentConflict(child, "Leave parent_issue out to take the present parent away.")
	case req.Action == "add" && child.parentID != "" && !req.ReplaceParent:
		return nil, parentConflict(child, "Send replace_parent: true if the move is meant.")
	}
	field, wanted := "removeSubIssue", ""
	var input githubv4.Input = RemoveSubIssueInput{"issueId": child.parentID, "subIssueId": child.ID}
	result.Message = fmt.Sprintf("#%d is no longer a sub-issue of #%d.", child.Number, child.parent)
	if req.Action == "add" {
		field, wanted = "addSubIssue", parent.ID
		input = AddSubIssueInput{"issueId": parent.ID, "subIssueId": child.ID, "replaceParent": child.parentID != ""}
		result.Message = fmt.Sprintf("#%d is now a sub-issue of #%d.", child.Number, parent.Number)
	}
	return result.after(s.surely(ctx, field, input, func(ctx context.Context) (bool, error) {
		now, err := s.read(ctx, repo, child.Number)
		return now.parentID == wanted, err
	}))
}

// after is the result of a write that was made.
func (r *RelationshipResult) after(warning string, err error) (*RelationshipResult, error) {
	if err != nil {
		return nil, explainRelate(err)
	}
	r.Changed, r.Warnings = true, warned(r.Warnings, warning)
	return r, nil
}

func parentConflict(child subject, fix string) error {
	return fault.New(fault.ParentConflict, "#%d is a sub-issue of #%d", child.Number, child.parent).
		WithFix("%s", fix).With("currentParent", child.parent)
}

// relateBlocked says that child is blocked by parent, or no longer.
func (s *Service) relateBlocked(ctx context.Context, repo ref.Repo, req RelationshipRequest, child, parent subject) (*RelationshipResult, error) {
	blocked, err := s.isBlockedBy(ctx, repo, child.Number, parent.ID)
	if err != nil {
		return nil, err
	}
	result := &RelationshipResult{ChildIssue: child.Number, Changed: blocked != (req.Action == "add")}
	verb := map[bool]string{true: "is now blocked by", false: "is no longer blocked by"}[req.Action == "add"]
	if req.Action == "add" {
		result.ParentIssue = &parent.Number
	}
	result.Message = fmt.Sprintf("#%d %s #%d.", child.Number, verb, parent.Number)
	if !result.Changed {
		result.Message = "Nothing to do: it is that already."
		return result, nil
	}
	field := "addBlockedBy"
	var input githubv4.Input = AddBlockedByInput{"issueId": child.ID, "blockingIssueId": parent.ID}
	if req.Action == "remove" {
		field, input = "removeBlockedBy", RemoveBlockedByInput{"issueId": child.ID, "blockingIssueId": parent.ID}
	}
	return result.after(s.surely(ctx, field, input, func(ctx context.Context) (bool, error) {
		now, err := s.isBlockedBy(ctx, repo, child.Number, parent.ID)
		return now == (req.Action == "add"), err
	}))
}

func (s *Service) isBlockedBy(ctx context.Context, repo ref.Repo, number int, blockerID string) (bool, error) {
	pages := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[struct{ ID string }], error) {
		query, found := graphql.Field[struct {
			PageInfo wirePageInfo
			Nodes    []struct{ ID string }
		}]("repository(owner: $owner, name: $name)", "issue(number: $number)", "blockedBy(first: 100, after: $after)")
		notes, err := s.opts.GraphQL.Query(ctx, "BlockedBy", query, map[string]any{
			"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "number": githubv4.Int(number), "after": after,
		})
		if err != nil {
			return graphql.Page[struct{ ID string }]{}, err
		}
		if found() == nil {
			return graphql.Page[struct{ ID string }]{}, notes.Fault("repository", missing(repo, number))
		}
		return graphql.Page[struct{ ID string }]{
			Nodes: found().Nodes, Cursor: githubv4.String(found().PageInfo.EndCursor), More: found().PageInfo.HasNextPage,
		}, nil
	})
	for blocker, err := range pages {
		if err != nil || blocker.ID == blockerID {
			return err == nil, err
		}
	}
	return false, nil
}

// explainRelate names the permission that a refused link needs.
func explainRelate(err error) error {
	return transport.MayNot(err, "link issues here: that needs triage permission")
}
