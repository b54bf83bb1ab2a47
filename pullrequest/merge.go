package pullrequest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
)

// MergeRequest are the arguments of merge_pull_request.
type MergeRequest struct {
	Repo            *string `json:"repo,omitempty"`
	PRNumber        int     `json:"pr_number"`
	ExpectedHeadSHA string  `json:"expected_head_sha"`
	Method          string  `json:"method,omitempty"`
	Title           *string `json:"title,omitempty"`
	Message         *string `json:"message,omitempty"`
	Confirm         bool    `json:"confirm,omitempty"`
}

// MergeResult is what became of a merge.
type MergeResult struct {
	Message  string   `json:"message"`
	PRNumber int      `json:"prNumber"`
	Merged   bool     `json:"merged"`
	SHA      string   `json:"sha"` // the commit in the base branch
	Warnings []string `json:"warnings,omitempty"`
}

// merger is one merge under way.
type merger struct {
	service *Service
	pull    pull
	req     MergeRequest
	facts   *Facts
}

// wholeSHA is a commit's id that is not shortened.
var wholeSHA = regexp.MustCompile(`^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$`)

// Merge merges a pull request, if its head is the commit that was reviewed. To
// merge what is merged at that head already is a success.
func (s *Service) Merge(ctx context.Context, req MergeRequest) (_ *MergeResult, err error) {
	defer fault.Wrap(&err, "pullrequest.Merge(#%d)", req.PRNumber)
	p, err := s.target(req.Repo, req.PRNumber)
	if err != nil {
		return nil, err
	}
	if !wholeSHA.MatchString(req.ExpectedHeadSHA) {
		return nil, fault.New(fault.InvalidArguments, "expected_head_sha is not the whole id of a commit").
			WithFix("Pass headRefOid as get_pull_request gave it, not shortened.").With("argument", "expected_head_sha")
	}
	if req.Title != nil {
		if err := post.Title("title", *req.Title); err != nil {
			return nil, err
		}
	}
	if req.Method == "" {
		req.Method = "merge"
	}
	m := &merger{service: s, pull: p, req: req}
	name := p.repo.String()
	if m.facts, err = s.Get(ctx, GetRequest{Repo: &name, PRNumber: p.number}); err != nil {
		return nil, err
	}
	if !strings.EqualFold(m.facts.HeadRefOid, req.ExpectedHeadSHA) {
		return nil, m.moved(m.facts.HeadRefOid)
	}
	if m.facts.State == "MERGED" {
		return m.merged("was merged before", m.facts.MergeCommitOid), nil
	}
	if err := m.ready(); err != nil {
		return nil, err
	}
	return m.merge(ctx)
}

// moved is the fault for a head that is not the one that was reviewed.
func (m *merger) moved(head string) *fault.Error {
	return fault.New(fault.Conflict, "the head of %s is %s, not the commit that was reviewed; nothing was merged", m.pull, head).
		WithFix("Review the new commits first, then pass the new head as expected_head_sha.").With("headRefOid", head)
}

func (m *merger) merged(how string, sha *string) *MergeResult {
	result := &MergeResult{Message: fmt.Sprintf("%s %s.", m.pull, how), PRNumber: m.pull.number, Merged: true, Warnings: slices.Clone(m.facts.Warnings)}
	if sha != nil {
		result.SHA = *sha
	}
	if open := m.facts.ReviewThreads.Unresolved; open > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d review threads are still open", open))
	}
	return result
}

// ready refuses what cannot be merged, and asks before what should not be.
func (m *merger) ready() error {
	facts := m.facts
	switch {
	case facts.State == "CLOSED":
		return fault.New(fault.Conflict, "%s is closed", m.pull).WithFix("Reopen it with update_pull_request, state open, if it is to be merged.")
	case facts.IsDraft:
		return fault.New(fault.Conflict, "%s is a draft", m.pull).WithFix("Mark it ready with update_pull_request, draft false, if it is to be merged.")
	case facts.Mergeable == "CONFLICTING":
		return fault.New(fault.Conflict, "%s has conflicts with %s", m.pull, facts.BaseRefName).
			WithFix("Its author has to merge or rebase %s into it and push.", facts.BaseRefName).With("mergeStateStatus", facts.MergeStateStatus)
	case len(facts.MergeMethods) > 0 && !slices.Contains(facts.MergeMethods, m.req.Method):
		return fault.New(fault.ValidationFailed, "%s does not allow the method %s", m.pull.repo, m.req.Method).
			WithFix("Use one of: %s.", strings.Join(facts.MergeMethods, ", ")).With("mergeMethods", facts.MergeMethods).With("argument", "method")
	case !m.req.Confirm:
		return m.confirmation()
	}
	return nil
}

// doubts are the reasons to ask before merging. What GitHub does not show is
// one: a check that cannot be seen may have failed.
func (m *merger) doubts() []string {
	doubts := slices.Concat(m.checkDoubts(), m.facts.unread)
	if asking := m.facts.Reviewers.ChangesRequested; len(asking) > 0 {
		doubts = append(doubts, "changes are requested by "+strings.Join(asking, ", "))
	}
	switch base := m.facts.BaseRefName; m.facts.MergeStateStatus {
	case "BLOCKED":
		doubts = append(doubts, "the rules of "+base+" hold it back (BLOCKED)")
	case "BEHIND":
		doubts = append(doubts, "it lacks the newest commits of "+base+", which the rules ask for (BEHIND)")
	}
	return doubts
}

// checkDoubts are what its checks have against a merge. UNSTABLE is GitHub's
// word for checks that have not all passed, whichever of them are to be seen.
func (m *merger) checkDoubts() []string {
	checks := m.facts.Checks
	switch {
	case len(checks.Failing) > 0:
		return []string{"failing checks: " + checks.failingNames()}
	case checks.State != nil && (*checks.State == "FAILURE" || *checks.State == "ERROR"):
		return []string{"the checks of its head fail"}
	case m.facts.MergeStateStatus == "UNSTABLE":
		return []string{"not all checks of its head have passed (UNSTABLE)"}
	}
	return nil
}

// confirmation asks before a merge that something speaks against; call is what
// carries it out.
func (m *merger) confirmation() error {
	doubts := m.doubts()
	if len(doubts) == 0 {
		return nil
	}
	name, call := m.pull.repo.String(), m.req
	call.Repo, call.Confirm = &name, true
	return fault.New(fault.ConfirmationRequired, "a merge of %s cannot be undone, and this speaks against it: %s", m.pull, strings.Join(doubts, "; ")).
		WithFix("If a person wants it all the same, call merge_pull_request again with confirm: true.").
		With("failingChecks", m.facts.Checks.Failing).With("changesRequestedBy", m.facts.Reviewers.ChangesRequested).
		With("mergeStateStatus", m.facts.MergeStateStatus).
		With("call", map[string]any{"tool": "merge_pull_request", "arguments": call})
}

// wireMerged is what a merge asks GitHub to tell.
type wireMerged struct {
	Merged      bool
	HeadRefOid  string `graphql:"headRefOid"`
	MergeCommit *struct{ Oid string }
}

func (w wireMerged) sha() *string {
	if w.MergeCommit == nil {
		return nil
	}
	return &w.MergeCommit.Oid
}

func (m *merger) merge(ctx context.Context) (*MergeResult, error) {
	head := githubv4.GitObjectID(m.facts.HeadRefOid)
	method := githubv4.PullRequestMergeMethod(strings.ToUpper(m.req.Method))
	input := githubv4.MergePullRequestInput{PullRequestID: githubv4.ID(m.facts.ID), ExpectedHeadOid: &head, MergeMethod: &method}
	if m.req.Title != nil {
		input.CommitHeadline = githubv4.NewString(githubv4.String(*m.req.Title))
	}
	if m.req.Message != nil {
		input.CommitBody = githubv4.NewString(githubv4.String(*m.req.Message))
	}
	after, err := change[wireMerged](ctx, m.service, "mergePullRequest", "pullRequest", input, nil)
	switch {
	case fault.Is(err, fault.OutcomeUnknown):
		return m.lookFor(ctx, err)
	case err != nil:
		return nil, m.explain(err)
	case !after.Merged:
		result := m.merged("is not merged yet: GitHub took the request, and has it in a queue", nil)
		result.Merged = false
		return result, nil
	}
	return m.merged("is merged", after.sha()), nil
}

// lookFor finds out whether a merge whose answer was lost took place.
func (m *merger) lookFor(ctx context.Context, lost error) (*MergeResult, error) {
	after, _, look := ask[wireMerged](ctx, m.service, "MergeOutcome", m.pull, nil)
	if look == nil && after.Merged && strings.EqualFold(after.HeadRefOid, m.req.ExpectedHeadSHA) {
		result := m.merged("is merged", after.sha())
		result.Warnings = append(result.Warnings, lostWarning)
		return result, nil
	}
	return nil, post.Unknown(lost, look, "the merge", "Read get_pull_request: the state MERGED says that it went through.")
}

var (
	headMoved  = regexp.MustCompile(`(?i)head branch was modified|head sha|expected head`)
	conflicted = regexp.MustCompile(`(?i)not mergeable|merge conflict|base branch was modified|already in progress`)
	ruled      = regexp.MustCompile(`(?i)required|protected|rule|approv|review|must be|not allowed|not authorized`)
)

// explain says what a refused merge lacks.
func (m *merger) explain(err error) error {
	refused := fault.From(err)
	says := refused.Message
	switch {
	case refused.Code == fault.Forbidden:
		return permission(err, "merge "+m.pull.String(), "write permission, and whatever the branch's rules ask for")
	case refused.Code != fault.ValidationFailed && refused.Code != fault.UpstreamError && refused.Code != fault.Conflict:
		return err
	case headMoved.MatchString(says):
		return fault.New(fault.Conflict, "somebody pushed to %s meanwhile; nothing was merged", m.pull).
			WithFix("Review the new commits first, then pass the new head as expected_head_sha.").With("githubSays", says).WithCause(err)
	case conflicted.MatchString(says):
		return fault.New(fault.Conflict, "%s cannot be merged into %s as it is; nothing was merged", m.pull, m.facts.BaseRefName).
			WithFix("Read get_pull_request: mergeable and mergeStateStatus say what is in the way.").
			With("mergeStateStatus", m.facts.MergeStateStatus).With("githubSays", says).WithCause(err)
	case ruled.MatchString(says):
		return fault.New(fault.Forbidden, "the rules of %s do not let %s be merged yet; nothing was merged", m.facts.BaseRefName, m.pull).
			WithFix("Read get_pull_request: reviewDecision, checks and reviewThreads say what is missing.").
			With("mergeStateStatus", m.facts.MergeStateStatus).With("reviewDecision", m.facts.ReviewDecision).
			With("githubSays", says).WithCause(err)
	}
	return err
}
