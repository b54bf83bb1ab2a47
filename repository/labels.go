package repository

import (
	"context"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// LabelsRequest are the arguments of list_labels.
type LabelsRequest struct {
	Repo   *string `json:"repo,omitempty"`
	Query  string  `json:"query,omitempty"` // words in name or description; "" is all labels
	Limit  int     `json:"limit,omitempty"` // 1..100; 0 is 30
	Cursor string  `json:"cursor,omitempty"`
}

// LabelsResult is one page of labels in the order of their names.
type LabelsResult struct {
	page.Head
	Labels       []Label            `json:"labels"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`

	request LabelsRequest // with the repository written out
	binding page.Binding
	cursors []string // GitHub's, beside the labels
}

// Label is a label of the repository.
type Label struct {
	Name        string `json:"name"`
	Color       string `json:"color"` // six hex digits
	Description string `json:"description"`
	ID          string `json:"id"`
}

type labelsQuery struct {
	Repository *struct {
		Labels struct {
			TotalCount int
			PageInfo   struct{ HasNextPage bool }
			Edges      []struct {
				Cursor string
				Node   struct{ ID, Name, Color, Description string }
			}
		} `graphql:"labels(first: $first, after: $after, query: $query, orderBy: {field: NAME, direction: ASC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

const defaultLimit = 30

// ListLabels lists labels by name. It fails with NOT_FOUND_OR_NO_ACCESS for a
// repository that is not visible and INVALID_ARGUMENTS for a cursor of another
// call.
func (s *Service) ListLabels(ctx context.Context, req LabelsRequest) (_ *LabelsResult, err error) {
	defer fault.Wrap(&err, "repository.ListLabels")
	repo, err := s.target(req.Repo)
	if err != nil {
		return nil, err
	}
	result := newLabelsResult(repo, req)
	variables, err := result.variables(repo)
	if err != nil {
		return nil, err
	}
	var query labelsQuery
	notes, err := s.opts.GraphQL.Query(ctx, "ListLabels", &query, variables)
	if err != nil {
		return nil, err
	}
	if query.Repository == nil {
		return nil, notes.Fault("repository", resolve.NoRepository(repo))
	}
	result.fill(&query)
	result.Warnings = notes.Warnings()
	return result, nil
}

func newLabelsResult(repo ref.Repo, req LabelsRequest) *LabelsResult {
	spelled := repo.String()
	req.Repo = &spelled
	if req.Limit == 0 {
		req.Limit = defaultLimit
	}
	return &LabelsResult{
		request: req,
		binding: page.Bind("list_labels", strings.ToLower(spelled), req.Query),
	}
}

func (r *LabelsResult) variables(repo ref.Repo) (map[string]any, error) {
	variables := map[string]any{
		"owner": githubv4.String(repo.Owner),
		"name":  githubv4.String(repo.Name),
		"first": githubv4.Int(r.request.Limit),
		"after": (*githubv4.String)(nil),
		"query": (*githubv4.String)(nil),
	}
	if r.request.Query != "" {
		variables["query"] = githubv4.NewString(githubv4.String(r.request.Query))
	}
	if r.request.Cursor != "" {
		var after githubv4.String
		if err := r.binding.Open(r.request.Cursor, &after); err != nil {
			return nil, err
		}
		variables["after"] = &after
	}
	return variables, nil
}

func (r *LabelsResult) fill(query *labelsQuery) {
	found := &query.Repository.Labels
	r.TotalCount = &found.TotalCount
	r.Labels = make([]Label, 0, len(found.Edges))
	for _, edge := range found.Edges {
		r.Labels = append(r.Labels, Label{
			Name: edge.Node.Name, Color: edge.Node.Color, Description: edge.Node.Description, ID: edge.Node.ID,
		})
		r.cursors = append(r.cursors, edge.Cursor)
	}
	r.Count = len(r.Labels)
	if found.PageInfo.HasNextPage && r.Count > 0 {
		r.continueAfter(r.Count)
	}
}

// continueAfter points the head behind the first n labels.
func (r *LabelsResult) continueAfter(n int) {
	next := r.request
	if n > 0 {
		next.Cursor = r.binding.Seal(r.cursors[n-1])
	}
	r.Continues(next.Cursor, next)
}

// Items is how many labels the page holds.
func (r *LabelsResult) Items() int { return len(r.Labels) }

// Keep is the page with the first n labels only.
func (r *LabelsResult) Keep(n int) any {
	kept := *r
	kept.Labels = slices.Clone(r.Labels[:n])
	kept.Count = n
	if n < len(r.Labels) {
		kept.continueAfter(n)
	}
	return &kept
}

// Slice is nil: GitHub bounds a label's texts far below every budget.
func (r *LabelsResult) Slice(int) any { return nil }

// VisitTexts shows names and descriptions; who may write them maintains the
// repository.
func (r *LabelsResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.Labels {
		label := &r.Labels[i]
		at := "label:" + label.ID
		visit(trust.Text{Field: "labels.name", At: at, Value: &label.Name})
		visit(trust.Text{Field: "labels.description", At: at, Value: &label.Description})
	}
}

// SetContentTrust puts the summary into the answer.
func (r *LabelsResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
