package pullrequest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/rest"
)

// ReviewersRequest are the arguments of manage_pr_reviewers.
type ReviewersRequest struct {
	Repo          *string  `json:"repo,omitempty"`
	PRNumber      int      `json:"pr_number"`
	Action        string   `json:"action"`
	Reviewers     []string `json:"reviewers,omitempty"`
	TeamReviewers []string `json:"team_reviewers,omitempty"`
}

// ReviewersResult is who is asked for a review, as GitHub has it after a write.
type ReviewersResult struct {
	Message               string   `json:"message"`
	PRNumber              int      `json:"prNumber"`
	VerifiedReviewers     []string `json:"verifiedReviewers"`
	VerifiedTeamReviewers []string `json:"verifiedTeamReviewers"`
	Warnings              []string `json:"warnings,omitempty"`
}

// asked is who is asked for a review. GitHub's answer to a request calls the
// lists otherwise than its answer to a question.
type asked struct {
	RequestedReviewers *[]struct{ Login string } `json:"requested_reviewers"`
	RequestedTeams     *[]struct{ Slug string }  `json:"requested_teams"`
	Users              *[]struct{ Login string } `json:"users"`
	Teams              *[]struct{ Slug string }  `json:"teams"`
}

// names are the logins and team slugs; ok is false when GitHub does not say.
func (a asked) names() (people, teams []string, ok bool) {
	users, slugs := a.RequestedReviewers, a.RequestedTeams
	if users == nil && slugs == nil {
		users, slugs = a.Users, a.Teams
	}
	if users == nil || slugs == nil {
		return nil, nil, false
	}
	people, teams = []string{}, []string{}
	for _, user := range *users {
		people = append(people, user.Login)
	}
	for _, team := range *slugs {
		teams = append(teams, team.Slug)
	}
	return people, teams, true
}

// ManageReviewers asks people and teams for a review, or takes that back. Who
// is asked now is read from GitHub's answer: whoever should be and is not, or
// the other way round, is REVIEWER_NOT_SEATED.
func (s *Service) ManageReviewers(ctx context.Context, req ReviewersRequest) (_ *ReviewersResult, err error) {
	defer fault.Wrap(&err, "pullrequest.ManageReviewers(%s #%d)", req.Action, req.PRNumber)
	p, err := s.target(req.Repo, req.PRNumber)
	if err != nil {
		return nil, err
	}
	if err := req.normalize(p); err != nil {
		return nil, err
	}
	method := http.MethodPost
	if req.Action == "remove" {
		method = http.MethodDelete
	}
	var answer asked
	err = rest.Write(ctx, "ReviewRequests", func(ctx context.Context) error {
		return s.reviewRequests(ctx, p, method, github.ReviewersRequest{Reviewers: req.Reviewers, TeamReviewers: req.TeamReviewers}, &answer)
	})
	if fault.Is(err, fault.OutcomeUnknown) {
		return s.lookForReviewers(ctx, p, req, err)
	}
	if err != nil {
		return nil, s.refusedReviewers(ctx, p, err)
	}
	return req.verified(p, answer)
}

// lookForReviewers finds out whether a request whose answer was lost was done.
func (s *Service) lookForReviewers(ctx context.Context, p pull, req ReviewersRequest, lost error) (*ReviewersResult, error) {
	var answer asked
	look := rest.Read(ctx, "ReviewRequests", func(ctx context.Context) error {
		return s.reviewRequests(ctx, p, http.MethodGet, nil, &answer)
	})
	if look == nil {
		if result, err := req.verified(p, answer); err == nil {
			result.Warnings = []string{lostWarning}
			return result, nil
		}
	}
	return nil, post.Unknown(lost, look, "the change", "Read get_pull_request, reviewers.requested; to repeat the call does no harm.")
}

// normalize takes the @ off logins and the organization off teams.
func (r *ReviewersRequest) normalize(p pull) error {
	people, teams := []string{}, []string{}
	for _, login := range r.Reviewers {
		if login = strings.TrimPrefix(strings.TrimSpace(login), "@"); login != "" {
			people = append(people, login)
		}
	}
	for _, team := range r.TeamReviewers {
		team = strings.TrimPrefix(strings.TrimSpace(team), "@")
		if org, slug, ok := strings.Cut(team, "/"); ok {
			if !strings.EqualFold(org, p.repo.Owner) {
				return fault.New(fault.InvalidArguments, "the team %q is not one of %s", team, p.repo.Owner).
					WithFix("Only teams of the repository's own organization can be asked.").With("argument", "team_reviewers")
			}
			team = slug
		}
		if team != "" {
			teams = append(teams, team)
		}
	}
	if len(people)+len(teams) == 0 {
		return fault.New(fault.MissingArguments, "neither reviewers nor team_reviewers names anybody").
			WithFix("Pass at least one login or team.").With("argument", "reviewers")
	}
	r.Reviewers, r.TeamReviewers = people, teams
	return nil
}

// reviewRequests asks the API for review requests. It fails on an answer that
// does not say who is asked.
func (s *Service) reviewRequests(ctx context.Context, p pull, method string, body any, answer *asked) error {
	path := fmt.Sprintf("repos/%s/%s/pulls/%d/requested_reviewers", p.repo.Owner, p.repo.Name, p.number)
	req, err := s.opts.REST.NewRequest(method, path, body)
	if err != nil {
		return err
	}
	if _, err = s.opts.REST.Do(ctx, req, answer); err != nil {
		return err
	}
	if _, _, ok := answer.names(); !ok {
		return errors.New("the answer does not say who is asked")
	}
	return nil
}

// verified holds who is asked against who was to be.
func (r ReviewersRequest) verified(p pull, answer asked) (*ReviewersResult, error) {
	people, teams, _ := answer.names()
	unseated := append(r.differing(r.Reviewers, people), r.differing(r.TeamReviewers, teams)...)
	if len(unseated) == 0 {
		message := fmt.Sprintf("Asked for reviews of %s.", p)
		if r.Action == "remove" {
			message = fmt.Sprintf("Took back requests for reviews of %s.", p)
		}
		return &ReviewersResult{Message: message, PRNumber: p.number, VerifiedReviewers: people, VerifiedTeamReviewers: teams}, nil
	}
	what, fix := "are not asked", "They may lack access, be the author, or be an app: choose someone else. Repeating does not help."
	if r.Action == "remove" {
		what, fix = "are still asked", "A rule of the repository may ask for them; see the branch's rules and CODEOWNERS."
	}
	return nil, fault.New(fault.ReviewerNotSeated, "GitHub took the request, but %s %s", strings.Join(unseated, ", "), what).
		WithFix("%s", fix).With("unseated", unseated).With("verifiedReviewers", people).With("verifiedTeamReviewers", teams)
}

// differing are the wanted of whom the opposite of the wish is true.
func (r ReviewersRequest) differing(wanted, seated []string) []string {
	wrong := []string{}
	for _, name := range wanted {
		isSeated := slices.ContainsFunc(seated, func(other string) bool { return strings.EqualFold(name, other) })
		if isSeated != (r.Action == "add") {
			wrong = append(wrong, name)
		}
	}
	return wrong
}

// refusedReviewers names what a refused request lacks. GitHub hides a missing
// permission to write behind a 404, so the pull request is looked for.
func (s *Service) refusedReviewers(ctx context.Context, p pull, err error) error {
	if fault.Is(err, fault.NotFoundOrNoAccess) || fault.Is(err, fault.NotFound) {
		if _, _, look := ask[struct{ ID string }](ctx, s, "PullRequestID", p, nil); look != nil {
			return look
		}
		err = fault.New(fault.Forbidden, "not found").WithCause(err)
	}
	return permission(err, "change who is asked for reviews of "+p.String(), "write permission")
}
