package sandbox

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	graphql "github.com/graph-gophers/graphql-go"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

// createPullInput is GitHub's CreatePullRequestInput.
type createPullInput struct {
	RepositoryID               graphql.ID
	HeadRepositoryID           *graphql.ID
	BaseRefName, HeadRefName   string
	Title                      string
	Body, ClientMutationID     *string
	Draft, MaintainerCanModify bool
}

func (*root) CreatePullRequest(ctx context.Context, args struct{ Input createPullInput }) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	r, err := findAs[*repository](s, in.RepositoryID)
	if err != nil {
		return nil, err
	}
	c, err := s.change(changeInput{title: &in.Title, body: in.Body})
	if err != nil {
		return nil, err
	}
	head, branch, err := s.headOf(r, in)
	if err != nil {
		return nil, err
	}
	if !s.may(head, permissionWrite) {
		return nil, s.forbidden("CreatePullRequest")
	}
	if err := r.checkBranches(head, branch, in.BaseRefName); err != nil {
		return nil, err
	}
	i := s.newIssue(r, in.Title)
	s.apply(i, c, i.created)
	i.edited, i.editor = noTime, nil
	i.pull = s.newPull(i, head, branch)
	i.pull.base, i.pull.draft, i.pull.noMaintainers = in.BaseRefName, in.Draft, !in.MaintainerCanModify
	i.pull.readCloses()
	return &payload{ClientMutationID: in.ClientMutationID, PullRequest: s.pull(i)}, nil
}

// headOf is the repository and branch that a pull request is to come from:
// "branch" in the repository itself or the one named, or "owner:branch".
func (s *session) headOf(r *repository, in createPullInput) (*repository, string, error) {
	if in.HeadRepositoryID != nil {
		head, err := findAs[*repository](s, *in.HeadRepositoryID)
		return head, in.HeadRefName, err
	}
	owner, branch, found := strings.Cut(in.HeadRefName, ":")
	if !found {
		return r, in.HeadRefName, nil
	}
	if head := s.store.repository(owner, r.name); head != nil {
		return head, branch, nil
	}
	return nil, "", unprocessable("Head repository can't be blank, Head ref must be a branch")
}

// checkBranches refuses what GitHub refuses of a new pull request.
func (r *repository) checkBranches(head *repository, branch, base string) error {
	switch {
	case !r.hasBranch(base) && !r.isHead(r, base):
		return unprocessable("Base ref must be a branch")
	case !head.hasBranch(branch) && !r.isHead(head, branch):
		return unprocessable("Head sha can't be blank, Base sha can't be blank, No commits between %s and %s, Head ref must be a branch", base, branch)
	case branch == "feature/empty" || head == r && branch == base:
		return unprocessable("No commits between %s and %s", base, branch)
	}
	for _, i := range r.issues {
		if p := i.pull; p != nil && i.closed.IsZero() && p.headRepository == head && p.head == branch && p.base == base {
			return unprocessable("A pull request already exists for %s:%s.", head.owner.login, branch)
		}
	}
	return nil
}

// hasBranch knows main and the branches of the fixture.
func (r *repository) hasBranch(name string) bool {
	return name == defaultBranch || slices.Contains(r.branches, name)
}

// isHead reports whether a branch is there because a pull request comes from
// it.
func (r *repository) isHead(head *repository, name string) bool {
	return slices.ContainsFunc(r.issues, func(i *issue) bool {
		return i.isPull() && i.pull.headRepository == head && i.pull.head == name && !i.pull.branchGone
	})
}

// newPull is a pull request with one commit that changes one line.
func (s *session) newPull(i *issue, head *repository, branch string) *pull {
	p := &pull{
		issue: i, head: branch, headRepository: head, headOwner: head.owner, baseOID: oid("base of", i.number), mergeable: "MERGEABLE",
	}
	p.commits = []*commit{{
		repository: i.repository, pull: p, oid: oid("commit of", i.number), message: i.title, author: s.viewer, created: i.created,
	}}
	name := "work/" + strings.ReplaceAll(branch, "/", "_") + ".txt"
	p.changes = []*fixtures.File{{
		Path: name, Status: "added", Additions: 1,
		Diff: fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\nindex 0000000..%.7[2]s\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1 @@\n+%[3]s\n", name, p.last().oid, i.title),
	}}
	p.loaded.Store(true)
	return p
}

// closing finds the words that name an issue to close.
var closing = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #(\d+)`)

// readCloses finds what merging closes: "Closes #12" in the body.
func (p *pull) readCloses() {
	p.closes = nil
	for _, match := range closing.FindAllStringSubmatch(p.issue.body, -1) {
		number, err := atoi(match[1])
		if other := p.issue.repository.issue(number); err == nil && other != nil && !other.isPull() && !slices.Contains(p.closes, other) {
			p.closes = append(p.closes, other)
		}
	}
}

// updatePullInput is GitHub's UpdatePullRequestInput; what is null stays, but
// for the milestone.
type updatePullInput struct {
	PullRequestID                     graphql.ID
	Title, Body, State, BaseRefName   *string
	AssigneeIDs, LabelIDs, ProjectIDs *[]graphql.ID
	MilestoneID                       graphql.NullID
	MaintainerCanModify               *bool
	ClientMutationID                  *string
}

func (*root) UpdatePullRequest(ctx context.Context, args struct{ Input updatePullInput }) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	i, err := s.findPull(in.PullRequestID)
	if err != nil {
		return nil, err
	}
	c, err := s.change(changeInput{title: in.Title, body: in.Body, assignees: in.AssigneeIDs, labels: in.LabelIDs, projects: in.ProjectIDs, milestone: in.MilestoneID})
	if err != nil {
		return nil, err
	}
	if !s.mayChange(i, c) || (in.BaseRefName != nil || in.MaintainerCanModify != nil) && !s.mayEdit(&i.topic, &i.post) {
		return nil, s.forbidden("UpdatePullRequest")
	}
	if base := in.BaseRefName; base != nil && (*base == i.pull.head || !i.repository.hasBranch(*base) && !i.repository.isHead(i.repository, *base)) {
		return nil, unprocessable("Proposed base branch '%s' was not found", *in.BaseRefName)
	}
	if in.State != nil && (*in.State == "OPEN") != (i.state() == "OPEN") {
		if err := s.setPullClosed(i, *in.State == "CLOSED", "UpdatePullRequest"); err != nil {
			return nil, err
		}
	}
	s.apply(i, c, s.store.now())
	if in.BaseRefName != nil {
		i.pull.base = *in.BaseRefName
	}
	if in.MaintainerCanModify != nil {
		i.pull.noMaintainers = !*in.MaintainerCanModify
	}
	if c.body != nil {
		i.pull.readCloses()
	}
	return s.pullPayload(in.ClientMutationID, i), nil
}

func (s *session) pullPayload(clientMutationID *string, i *issue) *payload {
	return &payload{ClientMutationID: clientMutationID, Actor: s.actor(s.viewer), PullRequest: s.pull(i)}
}

// findPull is findAs for a pull request.
func (s *session) findPull(id graphql.ID) (*issue, error) {
	i, err := findAs[*issue](s, id)
	if err == nil && !i.isPull() {
		return nil, unresolved(id)
	}
	return i, err
}

// setPullClosed closes or reopens a pull request, if that can be.
func (s *session) setPullClosed(i *issue, closed bool, mutation string) error {
	switch {
	case !s.mayClose(&i.topic):
		return s.forbidden(mutation)
	case i.state() == "MERGED":
		return unprocessable("Pull request is already merged")
	case !closed && (i.pull.branchGone || i.pull.headRepository == nil):
		return unprocessable("Could not open the pull request: the head branch or repository was deleted")
	}
	s.setClosed(i, closed, "")
	i.stateReason = ""
	return nil
}

// pullInput is the input of mutations that only name a pull request.
type pullInput struct {
	Input struct {
		PullRequestID    graphql.ID
		ClientMutationID *string
	}
}

func (*root) ClosePullRequest(ctx context.Context, args pullInput) (*payload, error) {
	return sessionOf(ctx).closePull(args, true, "ClosePullRequest")
}

func (*root) ReopenPullRequest(ctx context.Context, args pullInput) (*payload, error) {
	return sessionOf(ctx).closePull(args, false, "ReopenPullRequest")
}

func (s *session) closePull(args pullInput, closed bool, mutation string) (*payload, error) {
	i, err := s.findPull(args.Input.PullRequestID)
	if err != nil {
		return nil, err
	}
	if err := s.setPullClosed(i, closed, mutation); err != nil {
		return nil, err
	}
	return s.pullPayload(args.Input.ClientMutationID, i), nil
}

func (*root) MarkPullRequestReadyForReview(ctx context.Context, args pullInput) (*payload, error) {
	return sessionOf(ctx).setDraft(args, false, "MarkPullRequestReadyForReview")
}

func (*root) ConvertPullRequestToDraft(ctx context.Context, args pullInput) (*payload, error) {
	return sessionOf(ctx).setDraft(args, true, "ConvertPullRequestToDraft")
}

func (s *session) setDraft(args pullInput, draft bool, mutation string) (*payload, error) {
	i, err := s.findPull(args.Input.PullRequestID)
	if err != nil {
		return nil, err
	}
	switch {
	case !s.mayEdit(&i.topic, &i.post):
		return nil, s.forbidden(mutation)
	case i.state() != "OPEN":
		return nil, unprocessable("Pull request is not open")
	case i.pull.draft == draft && draft:
		return nil, unprocessable("Pull request is already in draft")
	case i.pull.draft == draft:
		return nil, unprocessable("Pull request is already ready for review")
	}
	i.pull.draft, i.updated = draft, s.store.now()
	return s.pullPayload(args.Input.ClientMutationID, i), nil
}

// mergeInput is GitHub's MergePullRequestInput.
type mergeInput struct {
	PullRequestID                                             graphql.ID
	AuthorEmail, CommitBody, CommitHeadline, ClientMutationID *string
	ExpectedHeadOid                                           *objectID
	MergeMethod                                               string
}

func (*root) MergePullRequest(ctx context.Context, args struct{ Input mergeInput }) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	i, err := s.findPull(in.PullRequestID)
	if err != nil {
		return nil, err
	}
	if !s.may(i.repository, permissionWrite) {
		return nil, s.forbidden("MergePullRequest")
	}
	if err := i.pull.conversation(s.store).mayMerge(in.ExpectedHeadOid); err != nil {
		return nil, err
	}
	s.mergePull(i, in)
	return s.pullPayload(in.ClientMutationID, i), nil
}

// mayMerge says what stands in the way.
func (p *pull) mayMerge(expected *objectID) error {
	decision := p.decision()
	switch {
	case p.issue.state() == "MERGED":
		return unprocessable("Pull request is already merged")
	case p.issue.state() == "CLOSED":
		return unprocessable("Pull request is closed")
	case expected != nil && string(*expected) != p.last().oid:
		return unprocessable("Head branch was modified. Review and try the merge again.")
	case p.draft:
		return unprocessable("Pull Request is still a draft")
	case p.mergeable == "CONFLICTING":
		return unprocessable("Pull Request has merge conflicts")
	case decision == "CHANGES_REQUESTED":
		return unprocessable("Changes have been requested by a reviewer with write access.")
	case decision == "REVIEW_REQUIRED":
		return unprocessable("At least 1 approving review is required by reviewers with write access.")
	}
	return nil
}

func (s *session) mergePull(i *issue, in mergeInput) {
	p, at := i.pull, s.store.now()
	message := valueOf(in.CommitHeadline)
	if message == "" && in.MergeMethod == "SQUASH" {
		message = fmt.Sprintf("%s (#%d)", i.title, i.number)
	}
	if message != "" && in.CommitBody != nil {
		message += "\n\n" + *in.CommitBody
	}
	p.merged, p.mergedBy, p.mergeCommit = at, s.viewer, p.merge(s.viewer, at, message)
	i.closed, i.closedBy, i.updated = at, s.viewer, at
	for _, other := range p.closes {
		if other.closed.IsZero() && p.base == defaultBranch {
			s.setClosed(other, true, "COMPLETED")
		}
	}
}

func (*root) RequestReviews(ctx context.Context, args struct {
	Input struct {
		PullRequestID    graphql.ID
		UserIDs, TeamIDs *[]graphql.ID
		Union            bool
		ClientMutationID *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	i, err := s.findPull(in.PullRequestID)
	if err != nil {
		return nil, err
	}
	users, err := findList[*account](s, in.UserIDs)
	if err != nil {
		return nil, err
	}
	teams, err := findList[*team](s, in.TeamIDs)
	if err != nil {
		return nil, err
	}
	if !s.mayTriage(i.repository) && !s.wrote(&i.post) {
		return nil, s.forbidden("RequestReviews")
	}
	asked := reviewers{users: listOf(users), teams: listOf(teams)}
	if err := i.pull.checkReviewers(asked); err != nil {
		return nil, err
	}
	if !in.Union {
		i.pull.requested = nil
	}
	s.request(i.pull, asked)
	return s.pullPayload(in.ClientMutationID, i), nil
}

// listOf is empty for nil.
func listOf[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// reviewers are people and teams.
type reviewers struct {
	users []*account
	teams []*team
}

// checkReviewers refuses the author and people without access.
func (p *pull) checkReviewers(asked reviewers) error {
	for _, a := range asked.users {
		if a == p.issue.author {
			return unprocessable("Review cannot be requested from pull request author.")
		}
		if !p.issue.repository.assignable(a) {
			return unprocessable("Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the %s repository.", p.issue.repository.fullName())
		}
	}
	return nil
}

// request asks those who are not asked yet.
func (s *session) request(p *pull, asked reviewers) {
	for _, a := range asked.users {
		if !slices.ContainsFunc(p.requested, func(x *reviewRequest) bool { return x.user == a }) {
			p.requested = append(p.requested, &reviewRequest{id: s.store.id(), pull: p, user: a})
		}
	}
	for _, t := range asked.teams {
		if !slices.ContainsFunc(p.requested, func(x *reviewRequest) bool { return x.team == t }) {
			p.requested = append(p.requested, &reviewRequest{id: s.store.id(), pull: p, team: t})
		}
	}
	p.issue.updated = s.store.now()
}
