package issue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// viewer is whose token it is.
func (s *Service) viewer(ctx context.Context) (string, error) {
	var query struct{ Viewer struct{ Login string } }
	_, err := s.opts.GraphQL.Query(ctx, "Viewer", &query, nil)
	return query.Viewer.Login, err
}

// milestone is a milestone of the repository.
type milestone struct {
	ID     string
	Number int
	Title  string
}

// findMilestone finds a milestone by its title, in any letter case, or by its
// number; known are the titles there are when there is none.
func (s *Service) findMilestone(ctx context.Context, repo ref.Repo, wanted string) (found *milestone, known []string, err error) {
	pages := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[milestone], error) {
		return s.milestonesPage(ctx, repo, after)
	})
	number, _ := strconv.Atoi(strings.TrimPrefix(wanted, "#"))
	for milestone, err := range pages {
		switch {
		case err != nil:
			return nil, nil, err
		case strings.EqualFold(milestone.Title, wanted):
			return &milestone, nil, nil
		case milestone.Number == number:
			found = &milestone // unless one is called by that number
		}
		known = append(known, milestone.Title)
	}
	return found, known, nil
}

func (s *Service) milestonesPage(ctx context.Context, repo ref.Repo, after *githubv4.String) (graphql.Page[milestone], error) {
	var query struct {
		Repository *struct {
			Milestones *struct {
				PageInfo wirePageInfo
				Nodes    []milestone
			} `graphql:"milestones(first: 100, after: $after)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "Milestones", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "after": after,
	})
	switch {
	case err != nil:
		return graphql.Page[milestone]{}, err
	case query.Repository == nil:
		return graphql.Page[milestone]{}, notes.Fault("repository", resolve.NoRepository(repo))
	case query.Repository.Milestones == nil:
		return graphql.Page[milestone]{}, notes.Fault("repository.milestones", nil)
	}
	milestones := query.Repository.Milestones
	return graphql.Page[milestone]{
		Nodes: milestones.Nodes, Cursor: githubv4.String(milestones.PageInfo.EndCursor), More: milestones.PageInfo.HasNextPage,
	}, nil
}

// unknownMilestone refuses a milestone that a write names.
func unknownMilestone(repo ref.Repo, wanted string, known []string) error {
	return fault.New(fault.ValidationFailed, "%s has no milestone %q", repo, wanted).
		WithFix("There are: %s.", orNone(known)).With("argument", "milestone").With("available", known)
}

// wireIssue is an issue or a pull request as a write has to know it, and as it
// is reported.
type wireIssue struct {
	Typename string     `graphql:"__typename"`
	Issue    wireCommon `graphql:"... on Issue"`
	OnlyHere struct {
		State       string  `graphql:"issueState: state"`
		StateReason *string `graphql:"stateReason(enableDuplicate: true)"`
		IssueType   *struct{ ID string }
		Parent      *struct {
			ID     string
			Number int
		}
	} `graphql:"... on Issue"`
	PullRequest wireCommon `graphql:"... on PullRequest"`
	OnlyThere   struct {
		State string `graphql:"pullRequestState: state"`
	} `graphql:"... on PullRequest"`
}

// wireCommon is what issues and pull requests have alike.
type wireCommon struct {
	ID        string
	Number    int
	Title     string
	Body      string `graphql:"body: body @include(if: $text)"`
	URL       string `graphql:"url"`
	UpdatedAt time.Time
	Milestone *struct{ ID string }
	Assignees struct{ Nodes []*wireUser } `graphql:"assignees(first: 20)"`
}

// wireUser is who an issue is assigned to.
type wireUser struct{ ID, Login string }

func (u *wireUser) login() string {
	if u == nil {
		return thread.ActorOf("").Login
	}
	return u.Login
}

// subject is an issue or a pull request.
type subject struct {
	wireCommon
	isPullRequest bool
	state         string
	stateReason   *string
	typeID        string // "" when it has none
	parent        int    // the number of its parent; 0 when it has none
	parentID      string // and its node id
}

func (w wireIssue) subject() subject {
	if w.Typename == "PullRequest" {
		return subject{wireCommon: w.PullRequest, isPullRequest: true, state: w.OnlyThere.State}
	}
	found := subject{wireCommon: w.Issue, state: w.OnlyHere.State, stateReason: w.OnlyHere.StateReason}
	if w.OnlyHere.IssueType != nil {
		found.typeID = w.OnlyHere.IssueType.ID
	}
	if w.OnlyHere.Parent != nil {
		found.parent, found.parentID = w.OnlyHere.Parent.Number, w.OnlyHere.Parent.ID
	}
	return found
}

// named is the subject at the start of a sentence.
func (s subject) named() string {
	if s.isPullRequest {
		return fmt.Sprintf("Pull request #%d", s.Number)
	}
	return fmt.Sprintf("Issue #%d", s.Number)
}

func (s subject) milestoneID() string {
	if s.Milestone == nil {
		return ""
	}
	return s.Milestone.ID
}

func (s subject) kind() string {
	if s.isPullRequest {
		return "pull request"
	}
	return "issue"
}

// assignees are the logins of who has it.
func (s subject) assignees() []string {
	logins := []string{}
	for _, assignee := range s.Assignees.Nodes {
		logins = append(logins, assignee.login())
	}
	return logins
}

// read reads an issue or a pull request; a number that is neither is
// NOT_FOUND.
func (s *Service) read(ctx context.Context, repo ref.Repo, number int) (subject, error) {
	return s.readWith(ctx, repo, number, false)
}

// readWith is read, with the text when text is true.
func (s *Service) readWith(ctx context.Context, repo ref.Repo, number int, text bool) (subject, error) {
	var query struct {
		Repository *struct {
			Issue *wireIssue `graphql:"issueOrPullRequest(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "IssueState", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "number": githubv4.Int(number),
		"text": githubv4.Boolean(text),
	})
	switch {
	case err != nil:
		return subject{}, err
	case query.Repository == nil:
		return subject{}, notes.Fault("repository", resolve.NoRepository(repo))
	case query.Repository.Issue == nil:
		return subject{}, notes.Fault("repository.issueOrPullRequest", missing(repo, number))
	}
	return query.Repository.Issue.subject(), nil
}

// missing is the fault for an issue that does not exist.
func missing(repo ref.Repo, number int) *fault.Error {
	return fault.New(fault.NotFound, "%s has no issue or pull request #%d", repo, number).
		WithFix("list_issues and list_pull_requests show the numbers; discussions have tools of their own.")
}
