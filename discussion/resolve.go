package discussion

import (
	"context"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// nodeID is the node id of a comment in any spelling; "" when the spelling
// itself shows that the comment is not in this discussion.
func (s *source) nodeID(ctx context.Context, id ref.Comment) (string, error) {
	if id.Type != "" && id.Type != ref.DiscussionComment || id.Thread != nil && !s.isThread(*id.Thread) {
		return "", nil
	}
	at := ref.Thread{Repo: s.repo, Kind: ref.Discussion, Number: s.number}
	return s.service.opts.Resolver.Find(ctx, at, ref.DiscussionComment, id)
}

// findElse is another id to ask for, when the one that was built of a number
// was not there; see Resolver.FindElse.
func (s *source) findElse(ctx context.Context, id ref.Comment, built string, newest []thread.Stub) (ref.Comment, bool, error) {
	if len(newest) == 0 {
		return id, false, nil
	}
	at := ref.Thread{Repo: s.repo, Kind: ref.Discussion, Number: s.number}
	sample := resolve.Sample{ID: newest[0].ID, Number: newest[0].Key.Number}
	return s.service.opts.Resolver.FindElse(ctx, at, ref.DiscussionComment, id, built, sample)
}

// isThread reports whether a URL's thread is this discussion. The URL of an
// organization's discussion does not name the repository.
func (s *source) isThread(thread ref.Thread) bool {
	if thread.Kind != ref.Discussion || thread.Number != s.number {
		return false
	}
	if thread.Repo.Name == "" {
		thread.Repo.Name = s.repo.Name
	}
	return thread.Repo.Equal(s.repo)
}

// is reports whether what came back is the comment that was asked for, and in
// this discussion.
func (w wireOne) is(asked ref.Comment, discussionID string) bool {
	return w.ID != "" && w.Discussion.ID == discussionID && isNumber(asked, ref.NumberOf(w.DatabaseID, w.ID))
}

func (w wireAnchor) is(asked ref.Comment, discussionID string) bool {
	return w.ID != "" && w.Discussion.ID == discussionID && isNumber(asked, ref.NumberOf(w.DatabaseID, w.ID))
}

// isNumber holds a number that was asked for against the one that came back.
// A node id speaks for itself.
func isNumber(asked ref.Comment, got int64) bool {
	return asked.NodeID != "" || asked.DatabaseID == got
}
