package repository

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
)

// PermissionRequest are the arguments of get_viewer_permission.
type PermissionRequest struct {
	Repo *string `json:"repo,omitempty"`
}

// PermissionResult is who the token belongs to and what it may do.
type PermissionResult struct {
	Login      string `json:"login"`
	Permission string `json:"permission"` // ADMIN, MAINTAIN, WRITE, TRIAGE, READ or NONE
	Repository string `json:"repository"` // owner/name as GitHub spells it
	Visibility string `json:"visibility"` // PUBLIC, PRIVATE or INTERNAL

	Warnings []string `json:"warnings,omitempty"`
}

type permissionQuery struct {
	Viewer     struct{ Login string }
	Repository *struct {
		NameWithOwner    string
		ViewerPermission string
		Visibility       string
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// noPermission is our word for GitHub's null.
const noPermission = "NONE"

// ViewerPermission tells what the token may do in a repository. It fails with
// NOT_FOUND_OR_NO_ACCESS when the repository is not visible.
func (s *Service) ViewerPermission(ctx context.Context, req PermissionRequest) (_ *PermissionResult, err error) {
	defer fault.Wrap(&err, "repository.ViewerPermission")
	repo, err := s.target(req.Repo)
	if err != nil {
		return nil, err
	}
	var query permissionQuery
	notes, err := s.opts.GraphQL.Query(ctx, "ViewerPermission", &query, map[string]any{
		"owner": githubv4.String(repo.Owner),
		"name":  githubv4.String(repo.Name),
	})
	if err != nil {
		return nil, err
	}
	if query.Repository == nil {
		return nil, notes.Fault("repository", resolve.NoRepository(repo))
	}
	found := query.Repository
	return &PermissionResult{
		Login:      query.Viewer.Login,
		Permission: permissionOr(found.ViewerPermission),
		Repository: found.NameWithOwner,
		Visibility: found.Visibility,
		Warnings:   notes.Warnings(),
	}, nil
}

func permissionOr(permission string) string {
	if permission == "" {
		return noPermission
	}
	return permission
}
