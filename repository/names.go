package repository

import (
	"context"
	"regexp"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// mostNames is how many suggestions are asked for: one page of a search.
const mostNames = 100

// searchWord is all that is passed on into a search of what somebody types: it
// holds no qualifier.
var searchWord = regexp.MustCompile(`^[\w.-]*$`)

// Owners suggests accounts while somebody types one: the home's owner, the
// viewer, and, once something is typed, what GitHub finds for it.
func (s *Service) Owners(ctx context.Context, typed string) (_ []string, err error) {
	defer fault.Wrap(&err, "repository.Owners")
	typed = strings.TrimSpace(typed)
	var query struct {
		Viewer struct{ Login string }
		Search struct {
			Nodes []struct {
				Owner struct{ Login string } `graphql:"... on RepositoryOwner"`
			}
		} `graphql:"search(query: $query, type: USER, first: $first) @include(if: $typed)"`
	}
	if !searchWord.MatchString(typed) {
		return nil, nil
	}
	_, err = s.opts.GraphQL.Query(ctx, "Owners", &query, map[string]any{
		"query": githubv4.String(typed), "first": githubv4.Int(mostNames), "typed": githubv4.Boolean(typed != ""),
	})
	if err != nil {
		return nil, err
	}
	var owners []string
	if !s.opts.Home.IsZero() {
		owners = append(owners, s.opts.Home.Owner)
	}
	owners = append(owners, query.Viewer.Login)
	for _, node := range query.Search.Nodes {
		if node.Owner.Login != "" {
			owners = append(owners, node.Owner.Login)
		}
	}
	return owners, nil
}

// Names suggests the owner's repositories while somebody types one; owner ""
// is the home's.
func (s *Service) Names(ctx context.Context, owner, typed string) (_ []string, err error) {
	defer fault.Wrap(&err, "repository.Names")
	owner, typed = strings.TrimSpace(owner), strings.TrimSpace(typed)
	if owner == "" {
		owner = s.opts.Home.Owner
	}
	if owner == "" || !searchWord.MatchString(owner) || !searchWord.MatchString(typed) {
		return nil, nil
	}
	search := "user:" + owner + " fork:true"
	if typed != "" {
		search = typed + " in:name " + search
	}
	var query struct {
		Search struct {
			Nodes []struct {
				Repository struct{ Name string } `graphql:"... on Repository"`
			}
		} `graphql:"search(query: $query, type: REPOSITORY, first: $first)"`
	}
	if _, err = s.opts.GraphQL.Query(ctx, "RepositoryNames", &query, map[string]any{
		"query": githubv4.String(search), "first": githubv4.Int(mostNames),
	}); err != nil {
		return nil, err
	}
	var names []string
	for _, node := range query.Search.Nodes {
		if node.Repository.Name != "" {
			names = append(names, node.Repository.Name)
		}
	}
	return names, nil
}
