package conversation

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// ReadTool is the name of the tool that reads a conversation, for hand-offs.
const ReadTool = "get_conversation"

// discussionTool is the one that reads a discussion.
const discussionTool = "get_discussion_conversation"

// helpfulLastN is how many comments to look at when the one asked for is not
// in the thread.
const helpfulLastN = 20

// Request are the arguments of get_conversation.
type Request struct {
	Repo           *string `json:"repo,omitempty"`
	IssueNumber    int     `json:"issue_number,omitempty"`
	PRNumber       int     `json:"pr_number,omitempty"`
	CommentID      *string `json:"comment_id,omitempty"`
	SinceCommentID *string `json:"since_comment_id,omitempty"`
	LastN          *int    `json:"last_n,omitempty"`
	Cursor         string  `json:"cursor,omitempty"`
}

// Read reads an issue or a pull request, or the selected part of it.
func (s *Service) Read(ctx context.Context, req Request) (_ *Conversation, err error) {
	defer fault.Wrap(&err, "conversation.Read(#%d)", req.number())
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if err := s.checkNumber(req); err != nil {
		return nil, err
	}
	selector, err := thread.Select(thread.Arguments{
		CommentID: req.CommentID, SinceCommentID: req.SinceCommentID, LastN: req.LastN,
	}, s.opts.Web)
	if err != nil {
		return nil, err
	}
	call := newCall(repo, req, selector)
	var position thread.Position
	if req.Cursor != "" {
		if err := call.binding.Open(req.Cursor, &position); err != nil {
			return nil, err
		}
	}
	conversation, err := s.read(ctx, repo, req, selector, position)
	switch {
	case errors.Is(err, errOtherKind):
		return nil, req.isIssue(repo)
	case fault.Is(err, fault.NotFound):
		return nil, s.explainMissing(ctx, repo, req, err)
	case err != nil:
		return nil, err
	}
	conversation.call = call.of(conversation.Kind)
	return conversation, nil
}

// read reads by the source of the kind of thread that the number turns out to
// be.
func (s *Service) read(ctx context.Context, repo ref.Repo, req Request, selector thread.Selector, position thread.Position) (*Conversation, error) {
	name := key(repo) + "#" + strconv.Itoa(req.number())
	err := errOtherKind
	for _, kind := range req.kinds(selector) {
		source := s.source(kind, base{service: s, repo: repo, number: req.number(), field: string(selector.Mode)})
		var reading *thread.Reading
		reading, err = s.reader.Read(ctx, name, source, selector, position)
		if errors.Is(err, errOtherKind) {
			continue
		}
		if err != nil {
			return nil, err
		}
		conversation := newConversation(source.conversation(), reading)
		if conversation.IssueFacts != nil && reading.WantsRoot() {
			err = s.addProjects(ctx, conversation)
		}
		return conversation, err
	}
	return nil, err
}

func (s *Service) source(kind ref.Kind, base base) reader {
	if kind == ref.PullRequest {
		return &pullSource{base: base, empty: map[string]bool{}}
	}
	return &issueSource{base: base}
}

func (r Request) number() int { return max(r.IssueNumber, r.PRNumber) }

// kinds are the kinds of thread that the number may be, the likelier first. A
// pull request's number passes as an issue's, as everywhere on GitHub.
func (r Request) kinds(selector thread.Selector) []ref.Kind {
	named := selector.Ref.Thread
	switch {
	case r.PRNumber != 0:
		return []ref.Kind{ref.PullRequest}
	case named != nil && named.Kind == ref.PullRequest,
		selector.Ref.Type == ref.PullRequestReview, selector.Ref.Type == ref.PullRequestReviewComment:
		return []ref.Kind{ref.PullRequest, ref.Issue}
	}
	return []ref.Kind{ref.Issue, ref.PullRequest}
}

// checkNumber refuses a call that names no thread, or two. A comment's URL
// says which thread was meant.
func (s *Service) checkNumber(req Request) error {
	if req.IssueNumber != 0 && req.PRNumber != 0 {
		return fault.New(fault.AmbiguousArguments, "issue_number and pr_number are both set").
			WithFix("Pass one of them; issue_number takes a pull request's number, too.")
	}
	if req.number() != 0 {
		return nil
	}
	missing := fault.New(fault.MissingArguments, "issue_number or pr_number is needed").
		WithFix(`Call it like this: %s {"issue_number":7}`, ReadTool).With("argument", "issue_number")
	for _, value := range []*string{req.CommentID, req.SinceCommentID} {
		if value == nil {
			continue
		}
		if named, ok := s.opts.Web.ParseThreadURL(*value); ok {
			return suggest(missing, req.in(named))
		}
	}
	return missing
}

// suggestion is a complete call of a tool.
type suggestion struct {
	Tool      string `json:"tool"`
	Arguments any    `json:"arguments"`
}

// inDiscussion are the arguments of the tool that reads a discussion.
type inDiscussion struct {
	Repo             *string `json:"repo,omitempty"`
	DiscussionNumber int     `json:"discussion_number"`
	CommentID        *string `json:"comment_id,omitempty"`
	SinceCommentID   *string `json:"since_comment_id,omitempty"`
	LastN            *int    `json:"last_n,omitempty"`
}

// in is the same reading of another thread.
func (r Request) in(other ref.Thread) suggestion {
	r.IssueNumber, r.PRNumber, r.Cursor = 0, 0, ""
	if other.Repo.Name != "" {
		repo := other.Repo.String()
		r.Repo = &repo
	}
	switch other.Kind {
	case ref.Discussion:
		return suggestion{discussionTool, inDiscussion{
			Repo: r.Repo, DiscussionNumber: other.Number, CommentID: r.CommentID, SinceCommentID: r.SinceCommentID, LastN: r.LastN,
		}}
	case ref.PullRequest:
		r.PRNumber = other.Number
	default:
		r.IssueNumber = other.Number
	}
	return suggestion{ReadTool, r}
}

// suggest makes a complete call the fix of a fault.
func suggest(problem *fault.Error, call suggestion) *fault.Error {
	arguments, err := page.Encode(call.Arguments)
	if err != nil {
		return problem.WithCause(err)
	}
	return problem.WithFix("Call %s %s", call.Tool, arguments).With("call", call)
}

// isIssue is the fault for a pr_number that is an issue's.
func (r Request) isIssue(repo ref.Repo) error {
	return suggest(
		fault.New(fault.NotFound, "#%d of %s is an issue, not a pull request", r.PRNumber, repo),
		r.in(ref.Thread{Repo: repo, Kind: ref.Issue, Number: r.PRNumber}))
}

// explainMissing looks whether the number that no issue and no pull request
// has is that of a discussion.
func (s *Service) explainMissing(ctx context.Context, repo ref.Repo, req Request, missing error) error {
	if isDiscussion, _ := s.isDiscussion(ctx, repo, req.number()); !isDiscussion {
		return missing
	}
	return suggest(
		fault.New(fault.NotFound, "#%d of %s is a discussion", req.number(), repo).WithCause(missing),
		req.in(ref.Thread{Repo: repo, Kind: ref.Discussion, Number: req.number()}))
}

// isDiscussion reports whether a number is that of a discussion.
func (s *Service) isDiscussion(ctx context.Context, repo ref.Repo, number int) (bool, error) {
	var query struct {
		Repository *struct {
			Discussion *struct{ Number int } `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	_, err := s.opts.GraphQL.Query(ctx, "IsDiscussion", &query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "number": githubv4.Int(number),
	})
	return err == nil && query.Repository != nil && query.Repository.Discussion != nil, err
}

// call is what the answer has to know of the call to continue it.
type call struct {
	binding page.Binding
	next    Request
}

func newCall(repo ref.Repo, req Request, selector thread.Selector) call {
	name := repo.String()
	value := selector.Ref.String()
	if selector.Mode == thread.ByLast {
		value = strconv.Itoa(selector.LastN)
	}
	next := Request{Repo: &name, IssueNumber: req.IssueNumber, PRNumber: req.PRNumber}
	switch selector.Mode {
	case thread.ByComment:
		next.CommentID = req.CommentID
	case thread.BySince:
		next.SinceCommentID = req.SinceCommentID
	case thread.ByLast:
		next.LastN = req.LastN
	}
	return call{
		binding: page.Bind(ReadTool, key(repo), strconv.Itoa(req.number()), string(selector.Mode), value),
		next:    next,
	}
}

// of is the call with the number under the name of the thread's kind, which
// spares the next call a question.
func (c call) of(kind ref.Kind) call {
	if number := c.next.number(); kind == ref.PullRequest {
		c.next.IssueNumber, c.next.PRNumber = 0, number
	}
	return c
}

// at is the call that goes on from a position.
func (c call) at(position thread.Position) (cursor string, next Request) {
	next = c.next
	next.Cursor = c.binding.Seal(position)
	return next.Cursor, next
}

// key is the repository as cursors and memos know it, in one letter case.
func key(repo ref.Repo) string { return strings.ToLower(repo.String()) }
