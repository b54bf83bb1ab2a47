package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/issue"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// completions is how many candidates are asked for: one page of GitHub's.
const completions = 100

// complete gives what an argument of a prompt or a resource may be. An
// argument that nothing is known about has no candidates.
func (h *house) complete(ctx context.Context, request server.CompletionRequest) ([]string, error) {
	switch request.Argument {
	case "owner":
		return h.ownersAndRepos(ctx, func(s *repository.Service) ([]string, error) { return s.Owners(ctx, request.Value) })
	case "repo":
		return h.ownersAndRepos(ctx, func(s *repository.Service) ([]string, error) {
			return s.Names(ctx, request.Known["owner"], request.Value)
		})
	case "label":
		return h.labels(ctx, request)
	case "category":
		return h.categories(ctx, request)
	case "discussion_number":
		return h.discussionNumbers(ctx, request)
	case "number":
		return h.numbers(ctx, request)
	}
	return nil, nil
}

// numbers are those of the kind of thread that the resource's URI names.
func (h *house) numbers(ctx context.Context, request server.CompletionRequest) ([]string, error) {
	for part, ask := range map[string]func(context.Context, server.CompletionRequest) ([]string, error){
		"/discussions/": h.discussionNumbers,
		"/issues/":      h.issueNumbers,
		"/pulls/":       h.pullNumbers,
	} {
		if strings.Contains(request.Of, part) {
			return ask(ctx, request)
		}
	}
	return nil, nil
}

// repoOf is the repository that the other arguments name; nil is the home.
func repoOf(known map[string]string) *string {
	if known["owner"] == "" || known["repo"] == "" {
		return nil
	}
	name := ref.Repo{Owner: known["owner"], Name: known["repo"]}.String()
	return &name
}

func (h *house) ownersAndRepos(ctx context.Context, ask func(*repository.Service) ([]string, error)) ([]string, error) {
	s, err := h.repository(ctx)
	if err != nil {
		return nil, err
	}
	return ask(s)
}

func (h *house) labels(ctx context.Context, request server.CompletionRequest) ([]string, error) {
	s, err := h.repository(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.ListLabels(ctx, repository.LabelsRequest{Repo: repoOf(request.Known), Query: request.Value, Limit: completions})
	if err != nil {
		return nil, err
	}
	return texts(found.Labels, func(l repository.Label) string { return l.Name }), nil
}

func (h *house) categories(ctx context.Context, request server.CompletionRequest) ([]string, error) {
	s, err := h.discussion(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.Categories(ctx, discussion.CategoriesRequest{Repo: repoOf(request.Known)})
	if err != nil {
		return nil, err
	}
	return texts(found.Categories, func(c discussion.Listed) string { return c.Name }), nil
}

// discussionNumbers are those of the discussions that changed last.
func (h *house) discussionNumbers(ctx context.Context, request server.CompletionRequest) ([]string, error) {
	s, err := h.discussion(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.List(ctx, discussion.ListRequest{
		Repo: repoOf(request.Known), State: "all", OrderBy: "updated", Direction: "desc", Limit: completions, Projection: "title",
	})
	if err != nil {
		return nil, err
	}
	return texts(found.Discussions, func(row discussion.Row) string { return strconv.Itoa(row.Number) }), nil
}

// issueNumbers are those of the issues that changed last.
func (h *house) issueNumbers(ctx context.Context, request server.CompletionRequest) ([]string, error) {
	s, err := h.issue(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.List(ctx, issue.ListRequest{
		Repo: repoOf(request.Known), State: "all", Sort: "updated", Direction: "desc", Limit: completions, Projection: "title",
	})
	if err != nil {
		return nil, err
	}
	return texts(found.Issues, func(row issue.Row) string { return strconv.Itoa(row.Number) }), nil
}

// pullNumbers are those of the pull requests that changed last.
func (h *house) pullNumbers(ctx context.Context, request server.CompletionRequest) ([]string, error) {
	s, err := h.pullrequest(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.List(ctx, pullrequest.ListRequest{
		Repo: repoOf(request.Known), State: "all", Sort: "updated", Direction: "desc", Limit: completions, Projection: "title",
	})
	if err != nil {
		return nil, err
	}
	return texts(found.PullRequests, func(row pullrequest.Row) string { return strconv.Itoa(row.Number) }), nil
}

// texts is one text of each item.
func texts[T any](items []T, text func(T) string) []string {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = text(item)
	}
	return all
}
