package pullrequest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// maxFailing is how many failing checks an answer names.
const maxFailing = 50

// GetRequest are the arguments of get_pull_request.
type GetRequest struct {
	Repo     *string `json:"repo,omitempty"`
	PRNumber int     `json:"pr_number"`
}

// Facts is everything about a pull request but the talk and the diff.
type Facts struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	State  string `json:"state"`
	URL    string `json:"url"`
	Summary
	Body                string             `json:"body"`
	BodyTruncated       bool               `json:"bodyTruncated,omitempty"`
	BodyBytes           int                `json:"bodyBytes,omitempty"`
	HeadRepository      *string            `json:"headRepository"` // nil when it is gone
	MaintainerCanModify bool               `json:"maintainerCanModify"`
	Assignees           []string           `json:"assignees"`
	Milestone           *string            `json:"milestone"`
	Mergeable           string             `json:"mergeable"`
	MergeStateStatus    string             `json:"mergeStateStatus"`
	MergeMethods        []string           `json:"mergeMethods"` // those the repository allows
	MergeCommitOid      *string            `json:"mergeCommitOid"`
	Additions           int                `json:"additions"`
	Deletions           int                `json:"deletions"`
	ChangedFiles        int                `json:"changedFiles"`
	CommitsCount        int                `json:"commitsCount"`
	Checks              Checks             `json:"checks"`
	Reviewers           Reviewers          `json:"reviewers"`
	ClosingIssues       []int              `json:"closingIssues"`
	ReviewThreads       ReviewThreads      `json:"reviewThreads"`
	PendingReviewID     *string            `json:"pendingReviewId"` // the viewer's own
	ContentTrust        trust.ContentTrust `json:"contentTrust"`
	Warnings            []string           `json:"warnings,omitempty"`

	author trust.Author
	unread []string // what speaks for or against a merge and GitHub does not show
}

// Checks are the checks of the head commit. State is nil without any. Unreadable
// says that GitHub hides all of them, when State is nil, or else some.
type Checks struct {
	State      *string `json:"state"`
	Total      int     `json:"total"`
	Failing    []Check `json:"failing"` // the first 50 of them
	Unreadable bool    `json:"unreadable,omitempty"`
}

// Check is a check that failed.
type Check struct {
	Name       string  `json:"name"`
	Conclusion string  `json:"conclusion"`
	URL        *string `json:"url"`
}

// Reviewers are who was asked and what they decided, by login; a team is
// org/team.
type Reviewers struct {
	Requested        []string `json:"requested"`
	Approved         []string `json:"approved"`
	ChangesRequested []string `json:"changesRequested"`
}

// ReviewThreads counts the inline threads.
type ReviewThreads struct {
	Total      int `json:"total"`
	Unresolved int `json:"unresolved"`
}

// wireFacts is a pull request with its facts.
type wireFacts struct {
	wireRow
	HeadRepository      *struct{ NameWithOwner string }
	MaintainerCanModify bool
	Assignees           struct{ Nodes []wireActor } `graphql:"assignees(first: 100)"`
	Milestone           *struct{ Title string }
	Mergeable           string
	MergeStateStatus    string
	MergeCommit         *struct{ Oid string }
	Additions           int
	Deletions           int
	ChangedFiles        int
	Repository          struct{ MergeCommitAllowed, SquashMergeAllowed, RebaseMergeAllowed bool }
	Commits             struct {
		TotalCount int
		Nodes      []struct {
			Commit struct {
				StatusCheckRollup *wireRollup
			}
		}
	} `graphql:"commits(last: 1)"`
	ReviewRequests         *struct{ Nodes []wireReviewRequest }    `graphql:"reviewRequests(first: 100)"`
	Opinions               *wireOpinions                           `graphql:"latestOpinionatedReviews(first: 100)"`
	ClosingIssueReferences *struct{ Nodes []struct{ Number int } } `graphql:"closingIssuesReferences(first: 100)"`
	ReviewThreads          wireThreadStates                        `graphql:"reviewThreads(first: 100)"`
	Pending                *wireReviewIDs                          `graphql:"pending: reviews(states: [PENDING], first: 1)"`
}

type wireRollup struct {
	State    string
	Contexts wireContexts `graphql:"contexts(first: 100)"`
}

type wireContexts struct {
	TotalCount int
	PageInfo   wirePageInfo
	Nodes      []wireContext
}

// wireContext is a check run, or a status set from outside.
type wireContext struct {
	CheckRun struct {
		Name       string
		Conclusion *string
		DetailsURL *string `graphql:"detailsUrl"`
	} `graphql:"... on CheckRun"`
	Status struct {
		Context   string
		State     string  `graphql:"status: state"`
		TargetURL *string `graphql:"targetUrl"`
	} `graphql:"... on StatusContext"`
}

// hidden reports whether GitHub shows nothing of the check: each has a name.
func (w wireContext) hidden() bool { return w.CheckRun.Name == "" && w.Status.Context == "" }

// failing is the check when it failed.
func (w wireContext) failing() (Check, bool) {
	check := Check{Name: w.Status.Context, Conclusion: w.Status.State, URL: w.Status.TargetURL}
	if w.CheckRun.Name != "" {
		check = Check{Name: w.CheckRun.Name, URL: w.CheckRun.DetailsURL}
		if w.CheckRun.Conclusion != nil {
			check.Conclusion = *w.CheckRun.Conclusion
		}
	}
	return check, slices.Contains(badConclusions, check.Conclusion)
}

// badConclusions are the ends of a check that fail the commit.
var badConclusions = []string{"FAILURE", "ERROR", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE"}

type wireReviewRequest struct {
	RequestedReviewer *struct {
		User      wireActor `graphql:"... on User"`
		Bot       wireBot   `graphql:"... on Bot"`
		Mannequin wireMann  `graphql:"... on Mannequin"`
		Team      struct {
			CombinedSlug string
		} `graphql:"... on Team"`
	}
}

type wireBot struct {
	Login string `graphql:"bot: login"`
}

type wireMann struct {
	Login string `graphql:"mannequin: login"`
}

// name is the login or org/team of who is asked; the ghost when it is gone.
func (w wireReviewRequest) name() string {
	if w.RequestedReviewer == nil {
		return thread.Ghost
	}
	who := *w.RequestedReviewer
	for _, name := range []string{who.User.Login, who.Bot.Login, who.Mannequin.Login, who.Team.CombinedSlug} {
		if name != "" {
			return name
		}
	}
	return thread.Ghost
}

// wireOpinions are the latest decisions of each reviewer: a comment is none.
type wireOpinions struct {
	PageInfo wirePageInfo
	Nodes    []wireOpinion
}

type wireOpinion struct {
	ID              string
	State           string
	URL             string `graphql:"url"`
	Author          *wireActor
	ViewerDidAuthor bool
	Commit          *struct{ Oid string }
}

// by are the logins whose latest decision is state.
func (w *wireOpinions) by(state string) []string {
	logins := []string{}
	if w == nil {
		return logins
	}
	for _, opinion := range w.Nodes {
		if login := opinion.Author.login(); opinion.State == state && !slices.Contains(logins, login) {
			logins = append(logins, login)
		}
	}
	return logins
}

// hidden reports whether some decision is not shown.
func (w *wireOpinions) hidden() bool {
	return w == nil || slices.ContainsFunc(w.Nodes, func(opinion wireOpinion) bool { return opinion.State == "" })
}

type wireReviewIDs struct {
	Nodes []struct {
		ID  string
		URL string `graphql:"url"`
	}
}

type wireThreadStates struct {
	TotalCount int
	PageInfo   wirePageInfo
	Nodes      []struct{ IsResolved bool }
}

func (w wireThreadStates) unresolved() (n int) {
	for _, thread := range w.Nodes {
		if !thread.IsResolved {
			n++
		}
	}
	return n
}

// Get reads the facts of a pull request: one request, and one more for each
// 100 threads or checks beyond the first 100.
func (s *Service) Get(ctx context.Context, req GetRequest) (_ *Facts, err error) {
	defer fault.Wrap(&err, "pullrequest.Get(#%d)", req.PRNumber)
	p, err := s.target(req.Repo, req.PRNumber)
	if err != nil {
		return nil, err
	}
	wire, notes, err := ask[wireFacts](ctx, s, "PullRequest", p, map[string]any{"full": githubv4.Boolean(true)})
	if err != nil {
		return nil, err
	}
	facts := wire.facts()
	wire.addHidden(facts, notes)
	if err := s.countThreads(ctx, p, wire, facts); err != nil {
		return nil, err
	}
	if err := s.moreChecks(ctx, p, wire, facts); err != nil {
		return nil, err
	}
	return facts, nil
}

func (w wireFacts) facts() *Facts {
	facts := &Facts{
		Number: w.Number, Title: w.Title, State: w.State, URL: w.URL, Summary: w.summary(), Body: w.Body, author: w.author(),
		MaintainerCanModify: w.MaintainerCanModify, Assignees: []string{}, Mergeable: w.Mergeable, MergeStateStatus: w.MergeStateStatus,
		MergeMethods: []string{}, Additions: w.Additions, Deletions: w.Deletions, ChangedFiles: w.ChangedFiles, CommitsCount: w.Commits.TotalCount,
		Checks: Checks{Failing: []Check{}}, ClosingIssues: []int{},
		Reviewers: Reviewers{Requested: []string{}, Approved: w.Opinions.by("APPROVED"), ChangesRequested: w.Opinions.by("CHANGES_REQUESTED")},
	}
	if w.HeadRepository != nil {
		facts.HeadRepository = &w.HeadRepository.NameWithOwner
	}
	for _, assignee := range w.Assignees.Nodes {
		facts.Assignees = append(facts.Assignees, assignee.login())
	}
	if w.Milestone != nil {
		facts.Milestone = &w.Milestone.Title
	}
	if w.MergeCommit != nil {
		facts.MergeCommitOid = &w.MergeCommit.Oid
	}
	for method, allowed := range map[string]bool{
		"merge": w.Repository.MergeCommitAllowed, "squash": w.Repository.SquashMergeAllowed, "rebase": w.Repository.RebaseMergeAllowed,
	} {
		if allowed {
			facts.MergeMethods = append(facts.MergeMethods, method)
		}
	}
	slices.Sort(facts.MergeMethods)
	w.addPeople(facts)
	if rollup := w.rollup(); rollup != nil {
		facts.Checks.State, facts.Checks.Total = &rollup.State, rollup.Contexts.TotalCount
		facts.Checks.add(rollup.Contexts.Nodes)
	}
	return facts
}

// addPeople adds what is closed and the viewer's own review.
func (w wireFacts) addPeople(facts *Facts) {
	if w.ClosingIssueReferences != nil {
		for _, issue := range w.ClosingIssueReferences.Nodes {
			facts.ClosingIssues = append(facts.ClosingIssues, issue.Number)
		}
	}
	if w.Pending != nil && len(w.Pending.Nodes) > 0 {
		facts.PendingReviewID = &w.Pending.Nodes[0].ID
	}
}

// Paths of what a token may not be allowed to see.
const (
	commitsPath  = "repository.pullRequest.commits"
	opinionsPath = "repository.pullRequest.latestOpinionatedReviews"
	requestsPath = "repository.pullRequest.reviewRequests.nodes"
)

// addHidden tells what is not there from what GitHub does not show. A reviewer
// who is hidden is no account that is gone, and checks that are hidden are not
// passed.
func (w wireFacts) addHidden(facts *Facts, notes graphql.Notes) {
	var warnings []string
	if len(notes.Under(commitsPath)) > 0 && w.rollup() == nil {
		facts.Checks.Unreadable = true
		facts.unread = append(facts.unread, "its checks cannot be read")
		warnings = append(warnings, "its checks cannot be read: whether there are any, and how they ended, is not known")
	}
	if len(notes.Under(opinionsPath)) > 0 && w.Opinions.hidden() {
		facts.unread = append(facts.unread, "what its reviewers decided cannot be read")
	}
	requested, hidden := w.requested(notes)
	facts.Reviewers.Requested = requested
	if len(hidden) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of those whose review is awaited are hidden from this token and left out; GitHub says: %q",
			len(hidden), hidden[0].Message))
		notes = notes.Outside(requestsPath)
	}
	facts.Warnings = slices.Concat(warnings, notes.Warnings())
}

// requested are who is asked, without those that GitHub hides, and a note
// about each of these.
func (w wireFacts) requested(notes graphql.Notes) (names []string, hidden graphql.Notes) {
	names = []string{}
	if w.ReviewRequests == nil {
		return names, nil
	}
	for i, request := range w.ReviewRequests.Nodes {
		name := request.name()
		if about := notes.Under(fmt.Sprintf("%s.%d", requestsPath, i)); name == thread.Ghost && len(about) > 0 {
			hidden = append(hidden, about[0])
			continue
		}
		names = append(names, name)
	}
	return names, hidden
}

// rollup are the checks of the head commit; nil when there are none.
func (w wireFacts) rollup() *wireRollup {
	if len(w.Commits.Nodes) == 0 {
		return nil
	}
	return w.Commits.Nodes[0].Commit.StatusCheckRollup
}

func (c *Checks) add(contexts []wireContext) {
	hidden := len(contexts) == 0 && c.Total > 0 || slices.ContainsFunc(contexts, wireContext.hidden)
	c.Unreadable = c.Unreadable || hidden
	for _, context := range contexts {
		if check, failing := context.failing(); failing && len(c.Failing) < maxFailing {
			c.Failing = append(c.Failing, check)
		}
	}
}

// further walks the rest of a connection of the pull request behind the page
// that info ends. field is the connection, with $after among its arguments;
// use takes a page and returns its end.
func further[T any](ctx context.Context, s *Service, name string, p pull, field string, info wirePageInfo, use func(*T) wirePageInfo) error {
	for info.HasNextPage {
		query, found := graphql.Field[T]("repository(owner: $owner, name: $name)", "pullRequest(number: $number)", field)
		notes, err := s.opts.GraphQL.Query(ctx, name, query, p.variables(map[string]any{"after": cursor(info.EndCursor)}))
		if err != nil {
			return err
		}
		if found() == nil {
			return notes.Fault("repository", fault.New(fault.UpstreamError, "GitHub does not give the rest of what was asked (%s)", name))
		}
		next := use(found())
		if next.HasNextPage && next.EndCursor == info.EndCursor {
			return fault.New(fault.UpstreamError, "GitHub's pages do not advance")
		}
		info = next
	}
	return nil
}

// countThreads counts the threads that are not resolved, all pages of them.
func (s *Service) countThreads(ctx context.Context, p pull, wire *wireFacts, facts *Facts) error {
	facts.ReviewThreads = ReviewThreads{Total: wire.ReviewThreads.TotalCount, Unresolved: wire.ReviewThreads.unresolved()}
	const field = "reviewThreads(first: 100, after: $after)"
	return further(ctx, s, "ReviewThreadStates", p, field, wire.ReviewThreads.PageInfo, func(page *wireThreadStates) wirePageInfo {
		facts.ReviewThreads.Unresolved += page.unresolved()
		return page.PageInfo
	})
}

// moreChecks looks for failing checks beyond the first page, if any may fail.
func (s *Service) moreChecks(ctx context.Context, p pull, wire *wireFacts, facts *Facts) error {
	rollup := wire.rollup()
	if rollup == nil || rollup.State == "SUCCESS" {
		return nil
	}
	type head struct {
		Nodes []struct {
			Commit struct {
				StatusCheckRollup *struct {
					Contexts wireContexts `graphql:"contexts(first: 100, after: $after)"`
				}
			}
		}
	}
	return further(ctx, s, "Checks", p, "commits(last: 1)", rollup.Contexts.PageInfo, func(page *head) wirePageInfo {
		if len(page.Nodes) == 0 || page.Nodes[0].Commit.StatusCheckRollup == nil || len(facts.Checks.Failing) == maxFailing {
			return wirePageInfo{}
		}
		contexts := page.Nodes[0].Commit.StatusCheckRollup.Contexts
		facts.Checks.add(contexts.Nodes)
		return contexts.PageInfo
	})
}

// Items is one: the pull request.
func (f *Facts) Items() int { return 1 }

// Keep is the whole; there is nothing to leave out but the body's end.
func (f *Facts) Keep(int) any { return f }

// Slice is the pull request with the first n bytes of its body.
func (f *Facts) Slice(n int) any {
	cut := *f
	cut.Body = page.CutText(f.Body, n)
	cut.BodyBytes, cut.BodyTruncated = len(f.Body), len(cut.Body) < len(f.Body)
	return &cut
}

// VisitTexts shows every authored text. Anyone who opens a pull request may
// bring checks along, so their names are nobody's.
func (f *Facts) VisitTexts(visit func(trust.Text)) {
	visit(trust.Text{Field: "title", At: "title", Form: trust.Line, Author: &f.author, Level: &f.AuthorTrust, Value: &f.Title})
	visit(trust.Text{Field: "body", At: "body", Author: &f.author, Level: &f.AuthorTrust, Value: &f.Body})
	for i := range f.Labels {
		visit(trust.Text{Field: "labels", At: "labels", Value: &f.Labels[i]})
	}
	if f.Milestone != nil {
		visit(trust.Text{Field: "milestone", At: "milestone", Value: f.Milestone})
	}
	for i := range f.Checks.Failing {
		visit(trust.Text{
			Field: "checks.failing.name", At: fmt.Sprintf("check:%d", i), Form: trust.Line, Author: &trust.Author{}, Value: &f.Checks.Failing[i].Name,
		})
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (f *Facts) SetContentTrust(summary trust.ContentTrust) { f.ContentTrust = summary }

// failingNames are the names of failing checks, for a sentence.
func (c Checks) failingNames() string {
	names := make([]string, len(c.Failing))
	for i, check := range c.Failing {
		names[i] = check.Name
	}
	return strings.Join(names, ", ")
}
