package discussion

import (
	"context"
	"fmt"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// place is where a comment is, or is going to be.
type place struct {
	Repo         ref.Repo
	Number       int
	DiscussionID string
	Locked       bool
	CommentID    string // the comment itself, of an edit
	ReplyToID    string // the comment it replies to

	// What is newest before the write: only what stands behind it can be the
	// write's doing.
	LastComment thread.Key
	LastReply   thread.Key // under the comment to reply to
}

// wirePlace is a discussion as a write has to know it.
type wirePlace struct {
	ID       string
	Number   int
	Locked   bool
	Comments struct {
		Nodes []wireMark `graphql:"n: nodes"`
	} `graphql:"newest: comments(last: 1)"`
	Repository struct{ NameWithOwner string }
}

// placeFor finds the discussion, and the comment to reply under.
func (s *Service) placeFor(ctx context.Context, repo ref.Repo, req CommentRequest) (place, error) {
	if req.ReplyToID != nil {
		parent, err := s.locate(ctx, repo, req.DiscussionNumber, "reply_to_id", *req.ReplyToID)
		if err != nil {
			return place{}, err
		}
		if parent.ReplyToID != "" {
			return place{}, fault.New(fault.InvalidArguments, "reply_to_id names a reply; GitHub has no replies to replies").
				WithFix("Reply under the comment itself: reply_to_id %q.", parent.ReplyToID).
				With("argument", "reply_to_id").With("replyToId", parent.ReplyToID)
		}
		parent.ReplyToID, parent.CommentID = parent.CommentID, ""
		return parent, nil
	}
	if req.DiscussionNumber == 0 {
		return place{}, fault.New(fault.MissingArguments, "action create needs discussion_number").
			WithFix("Pass discussion_number, or reply_to_id to reply under a comment.").With("argument", "discussion_number")
	}
	var query struct {
		Repository *struct {
			Discussion *wirePlace `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "DiscussionPlace", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "number": githubv4.Int(req.DiscussionNumber),
	})
	switch {
	case err != nil:
		return place{}, err
	case query.Repository == nil:
		return place{}, notes.Fault("repository", invisible(repo))
	case query.Repository.Discussion == nil:
		return place{}, notes.Fault("repository.discussion", missing(repo, req.DiscussionNumber))
	}
	return query.Repository.Discussion.place(repo), nil
}

func (w wirePlace) place(repo ref.Repo) place {
	found := place{Repo: repo, Number: w.Number, DiscussionID: w.ID, Locked: w.Locked}
	for _, newest := range w.Comments.Nodes {
		found.LastComment = newest.key(thread.KindComment)
	}
	return found
}

// locate finds a comment by any spelling and verifies that it is in the
// repository, and in the discussion when one is named.
func (s *Service) locate(ctx context.Context, repo ref.Repo, number int, field, value string) (place, error) {
	id, err := s.opts.Web.ParseComment(field, value)
	if err != nil {
		return place{}, err
	}
	if number == 0 && id.Thread != nil && id.Thread.Kind == ref.Discussion {
		number = id.Thread.Number
	}
	if number == 0 && id.NodeID == "" && id.Type == "" {
		return place{}, fault.New(fault.AmbiguousArguments, "%s is a bare number, which comments of several kinds may share", field).
			WithFix("Pass discussion_number beside it, or the comment's node id or URL.").With("argument", field)
	}
	source := &source{service: s, repo: repo, number: number}
	nodeID, err := source.nodeID(ctx, id)
	if err != nil {
		return place{}, err
	}
	absent := fault.New(fault.NotFound, "%s names no comment of %s", field, where(repo, number)).
		WithFix("Take the id from %s, or from a hand-off.", ReadTool).With("argument", field)
	if nodeID == "" {
		return place{}, absent
	}
	comment, err := s.askPlace(ctx, nodeID, absent)
	if err != nil {
		return place{}, err
	}
	home := comment.Discussion.Repository.NameWithOwner
	elsewhere := home != "" && !strings.EqualFold(repo.String(), home) || number != 0 && comment.Discussion.Number != number
	if elsewhere || !isNumber(id, comment.DatabaseID) {
		return place{}, absent
	}
	return comment.place(repo), nil
}

func where(repo ref.Repo, number int) string {
	if number == 0 {
		return "a discussion in " + repo.String()
	}
	return fmt.Sprintf("discussion #%d in %s", number, repo)
}

// wireCommentPlace is a comment as a write has to know it.
type wireCommentPlace struct {
	ID         string
	DatabaseID int64                `graphql:"databaseId"`
	ReplyTo    *struct{ ID string } `graphql:"replyTo"`
	Discussion wirePlace
	Replies    struct {
		Nodes []wireMark `graphql:"n: nodes"`
	} `graphql:"r: replies(last: 1)"`
}

func (w *wireCommentPlace) place(repo ref.Repo) place {
	found := w.Discussion.place(repo)
	found.CommentID = w.ID
	if w.ReplyTo != nil {
		found.ReplyToID = w.ReplyTo.ID
	}
	found.LastReply = thread.Key{}
	for _, newest := range w.Replies.Nodes {
		found.LastReply = newest.key(thread.KindReply)
	}
	return found
}

func (s *Service) askPlace(ctx context.Context, nodeID string, absent *fault.Error) (*wireCommentPlace, error) {
	var query struct {
		Node *struct {
			Comment wireCommentPlace `graphql:"... on DiscussionComment"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "DiscussionCommentPlace", &query, map[string]any{"id": graphql.ID(nodeID)})
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, absent.WithCause(err)
	case err != nil:
		return nil, err
	case query.Node == nil:
		return nil, notes.Fault("node", absent)
	case query.Node.Comment.ID == "":
		return nil, absent
	}
	return &query.Node.Comment, nil
}
