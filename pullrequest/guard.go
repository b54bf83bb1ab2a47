package pullrequest

import (
	"context"
	"fmt"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Standing is a request for changes that stands: its author has neither
// approved since nor was it dismissed. A later comment does not take it back.
type Standing struct {
	Login      string `json:"login"`
	ReviewID   string `json:"reviewId"`
	URL        string `json:"url"`
	HeadRefOid string `json:"headRefOid,omitempty"` // the commit it was about
}

// guard refuses an approval while a request for changes stands that the call
// does not acknowledge with evidence.
func (r *reviewer) guard(ctx context.Context) error {
	if r.req.Event != "approve" {
		return nil
	}
	standing, err := r.standing(ctx)
	if err != nil {
		return err
	}
	acknowledged := map[string]bool{}
	for _, one := range r.req.AcknowledgedRequestChanges {
		if strings.TrimSpace(one.Evidence) != "" {
			acknowledged[strings.ToLower(strings.TrimPrefix(strings.TrimSpace(one.Login), "@"))] = true
		}
	}
	var open []Standing
	var logins []string
	for _, one := range standing {
		if !acknowledged[strings.ToLower(one.Login)] {
			open = append(open, one)
			logins = append(logins, one.Login)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return fault.New(fault.ReviewConflict, "changes are requested of %s by %s; an approval would pass over that", r.pull, strings.Join(logins, ", ")).
		WithFix("Wait for them, or look at each of their points and send acknowledgedRequestChanges with {login, evidence} for each: "+
			"the commit that addresses it, or why it does not apply.").
		With("requestedBy", open)
}

// standing are the requests for changes by others that stand: the approval takes
// back one's own.
func (r *reviewer) standing(ctx context.Context) ([]Standing, error) {
	var standing []Standing
	if r.before.Opinions == nil {
		return nil, fault.New(fault.UpstreamError, "GitHub does not say who has asked for changes of %s", r.pull).
			WithFix("Read get_pull_request, then decide again.")
	}
	take := func(opinions *wireOpinions) wirePageInfo {
		for _, opinion := range opinions.Nodes {
			if opinion.State != "CHANGES_REQUESTED" || opinion.ViewerDidAuthor {
				continue
			}
			one := Standing{Login: opinion.Author.login(), ReviewID: opinion.ID, URL: opinion.URL}
			if opinion.Commit != nil {
				one.HeadRefOid = opinion.Commit.Oid
			}
			standing = append(standing, one)
		}
		return opinions.PageInfo
	}
	err := further(ctx, r.service, "Opinions", r.pull, "latestOpinionatedReviews(first: 100, after: $after)", take(r.before.Opinions), take)
	return standing, err
}

// explainLines names the inline comments whose lines are not in the diff, when
// that may be why GitHub refused the review.
func (r *reviewer) explainLines(ctx context.Context, refused error) error {
	if len(r.req.Comments) == 0 {
		return refused
	}
	source := differ{service: r.service, pull: r.pull, result: &Diff{}}
	diff, err := source.raw(ctx)
	if err != nil {
		return refused
	}
	shown := map[string]map[string][]span{}
	for _, patch := range splitDiff(diff) {
		shown[patch.path] = patch.lines()
	}
	var bad []string
	for i, comment := range r.req.Comments {
		if !comment.isIn(shown[comment.Path]) {
			bad = append(bad, fmt.Sprintf("comments[%d]: %s:%d (%s)", i, comment.Path, comment.Line, comment.side()))
		}
	}
	if len(bad) == 0 {
		return refused
	}
	return fault.New(fault.ValidationFailed, "nothing was posted: these lines are not in the diff of %s: %s", r.pull, strings.Join(bad, "; ")).
		WithFix("Take lines that get_pull_request_diff shows: of the new text with side RIGHT, of the old one with LEFT.").
		With("badComments", bad).With("githubSays", fault.From(refused).Message).WithCause(refused)
}

// isIn reports whether one hunk shows all lines of the comment.
func (c Inline) isIn(shown map[string][]span) bool {
	first := c.Line
	if c.StartLine != 0 {
		first = c.StartLine
	}
	for _, hunk := range shown[string(c.side())] {
		if hunk.first <= first && c.Line <= hunk.last {
			return true
		}
	}
	return false
}
