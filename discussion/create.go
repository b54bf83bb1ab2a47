package discussion

import (
	"context"
	"fmt"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// CreateRequest are the arguments of create_discussion.
type CreateRequest struct {
	Repo     *string `json:"repo,omitempty"`
	Title    string  `json:"title"`
	Body     string  `json:"body"`
	Category string  `json:"category,omitempty"`
}

// CreateResult is the discussion that was opened.
type CreateResult struct {
	Message          string    `json:"message"`
	DiscussionNumber int       `json:"discussionNumber"`
	ID               string    `json:"id"`
	URL              string    `json:"url"`
	CreatedAt        time.Time `json:"createdAt"`
	Warnings         []string  `json:"warnings,omitempty"`
}

// wireCreated is what opening a discussion asks GitHub to tell about it.
type wireCreated struct {
	ID        string
	Number    int
	URL       string `graphql:"url"`
	CreatedAt time.Time
}

func (w wireCreated) result(repo ref.Repo) *CreateResult {
	return &CreateResult{
		Message:          fmt.Sprintf("Opened discussion #%d in %s.", w.Number, repo),
		DiscussionNumber: w.Number, ID: w.ID, URL: w.URL, CreatedAt: w.CreatedAt.UTC(),
	}
}

// Create opens a discussion.
func (s *Service) Create(ctx context.Context, req CreateRequest) (_ *CreateResult, err error) {
	defer fault.Wrap(&err, "discussion.Create")
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if err := post.Title("title", req.Title); err != nil {
		return nil, err
	}
	if _, err := post.Body(req.Body, ""); err != nil {
		return nil, err
	}
	board, err := s.board(ctx, repo, req.Category)
	if err != nil {
		return nil, err
	}
	input := githubv4.CreateDiscussionInput{
		RepositoryID: githubv4.ID(board.id), CategoryID: githubv4.ID(board.category.ID),
		Title: githubv4.String(req.Title), Body: githubv4.String(req.Body),
	}
	var mutation struct {
		CreateDiscussion *struct{ Discussion *wireCreated } `graphql:"createDiscussion(input: $input)"`
	}
	notes, err := s.opts.GraphQL.Mutate(ctx, "CreateDiscussion", &mutation, input, nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return s.lookForCreated(ctx, repo, req, board.newest, err)
	}
	if err != nil {
		return nil, transport.MayNot(err, "open a discussion in the category %s of %s: announcements need maintain permission, other categories read permission",
			board.category.Name, repo)
	}
	if mutation.CreateDiscussion == nil || mutation.CreateDiscussion.Discussion == nil {
		return nil, notes.Fault("createDiscussion", unanswered("the discussion"))
	}
	result := mutation.CreateDiscussion.Discussion.result(repo)
	result.Warnings = post.Warnings(req.Body)
	return result, nil
}

// board is where discussions are opened: the repository, the category, and the
// newest number before, so that only a newer one can be the write's doing.
type board struct {
	id       string
	category Listed
	newest   int
}

func (s *Service) board(ctx context.Context, repo ref.Repo, category string) (board, error) {
	var query struct {
		Repository *struct {
			ID                    string
			HasDiscussionsEnabled bool
			Discussions           struct {
				Nodes []struct{ Number int }
			} `graphql:"discussions(first: 1, orderBy: {field: CREATED_AT, direction: DESC})"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "DiscussionBoard", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name),
	})
	switch {
	case err != nil:
		return board{}, err
	case query.Repository == nil:
		return board{}, notes.Fault("repository", resolve.NoRepository(repo))
	case !query.Repository.HasDiscussionsEnabled:
		return board{}, fault.New(fault.Forbidden, "%s has discussions turned off", repo).
			WithFix("An administrator turns them on in the repository's settings, under Features.")
	}
	found := board{id: query.Repository.ID}
	for _, discussion := range query.Repository.Discussions.Nodes {
		found.newest = discussion.Number
	}
	found.category, err = s.findCategory(ctx, repo, category)
	return found, err
}

// lookForCreated finds out what became of a discussion whose answer was lost.
func (s *Service) lookForCreated(ctx context.Context, repo ref.Repo, req CreateRequest, before int, lost error) (*CreateResult, error) {
	var query struct {
		Repository *struct {
			Discussions struct {
				Nodes []struct {
					wireCreated
					Title           string
					Body            string
					ViewerDidAuthor bool
				}
			} `graphql:"discussions(first: 10, orderBy: {field: CREATED_AT, direction: DESC})"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	_, look := s.opts.GraphQL.Query(ctx, "DiscussionOutcome", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name),
	})
	if look == nil && query.Repository != nil {
		for _, found := range query.Repository.Discussions.Nodes {
			if found.ViewerDidAuthor && found.Number > before && found.Title == req.Title && post.Same(found.Body, req.Body) {
				result := found.result(repo)
				result.Warnings = append(post.Warnings(req.Body), "GitHub's answer was lost on the way; the discussion was found there")
				return result, nil
			}
		}
	}
	return nil, post.Unknown(lost, look, "the discussion",
		"Look with list_discussions, order_by created; repeat the call only if the discussion is not there.")
}
