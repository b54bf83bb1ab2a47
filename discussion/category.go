package discussion

import (
	"context"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// CategoriesRequest are the arguments of list_discussion_categories.
type CategoriesRequest struct {
	Repo *string `json:"repo,omitempty"`
}

// Listed is a category in the list of all.
type Listed struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Slug         string `json:"slug"`
	IsAnswerable bool   `json:"isAnswerable"`
	Description  string `json:"description"`
}

// CategoriesResult is every category of a repository.
type CategoriesResult struct {
	page.Head
	Categories   []Listed           `json:"categories"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`
}

// Categories lists every discussion category of the repository.
func (s *Service) Categories(ctx context.Context, req CategoriesRequest) (_ *CategoriesResult, err error) {
	defer fault.Wrap(&err, "discussion.Categories")
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	categories, warnings, err := s.categories(ctx, repo)
	if err != nil {
		return nil, err
	}
	count := len(categories)
	return &CategoriesResult{Head: page.Head{Count: count, TotalCount: &count}, Categories: categories, Warnings: warnings}, nil
}

// categories are all there are, and warnings of what is wrong with them.
func (s *Service) categories(ctx context.Context, repo ref.Repo) (all []Listed, warnings []string, err error) {
	all = []Listed{}
	pages := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[Listed], error) {
		some, notes, err := s.categoriesPage(ctx, repo, after)
		warnings = append(warnings, notes.Warnings()...)
		return some, err
	})
	for category, err := range pages {
		if err != nil {
			return nil, nil, err
		}
		all = append(all, category)
	}
	return all, warnings, nil
}

func (s *Service) categoriesPage(ctx context.Context, repo ref.Repo, after *githubv4.String) (graphql.Page[Listed], graphql.Notes, error) {
	var query struct {
		Repository *struct {
			Categories struct {
				PageInfo wirePageInfo
				Nodes    []Listed
			} `graphql:"discussionCategories(first: 100, after: $after)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "DiscussionCategories", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "after": after,
	})
	if err != nil {
		return graphql.Page[Listed]{}, nil, err
	}
	if query.Repository == nil {
		return graphql.Page[Listed]{}, nil, notes.Fault("repository", resolve.NoRepository(repo))
	}
	categories := query.Repository.Categories
	return graphql.Page[Listed]{
		Nodes: categories.Nodes, Cursor: githubv4.String(categories.PageInfo.EndCursor), More: categories.PageInfo.HasNextPage,
	}, notes, nil
}

// findCategory finds a category by name or slug, in any letter case. An
// unknown one is INVALID_CATEGORY, with all there are.
func (s *Service) findCategory(ctx context.Context, repo ref.Repo, wanted string) (Listed, error) {
	categories, _, err := s.categories(ctx, repo)
	if err != nil {
		return Listed{}, err
	}
	known := make([]string, len(categories))
	for i, category := range categories {
		if strings.EqualFold(category.Name, wanted) || strings.EqualFold(category.Slug, wanted) {
			return category, nil
		}
		known[i] = category.Name
	}
	return Listed{}, fault.New(fault.InvalidCategory, "%s has no discussion category %q", repo, wanted).
		WithFix("Use one of: %s.", strings.Join(known, ", ")).With("argument", "category").With("available", known)
}

// VisitTexts shows the authored texts of every category.
func (r *CategoriesResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.Categories {
		category := &r.Categories[i]
		at := "category:" + category.Slug
		visit(trust.Text{Field: "categories.name", At: at, Value: &category.Name})
		visit(trust.Text{Field: "categories.description", At: at, Value: &category.Description})
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (r *CategoriesResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
