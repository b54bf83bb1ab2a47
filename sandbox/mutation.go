package sandbox

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	graphql "github.com/graph-gophers/graphql-go"
)

// maxBody is the longest body GitHub takes, in characters.
const maxBody = 65536

func checkBody(body string) error {
	if strings.TrimSpace(body) == "" {
		return unprocessable("Body can't be blank")
	}
	if utf8.RuneCountInString(body) > maxBody {
		return unprocessable("Body is too long (maximum is %d characters)", maxBody)
	}
	return nil
}

// payload has what any payload may carry; a field that a payload type does
// not have is not asked for.
type payload struct {
	ClientMutationID *string
	Actor            *accountResolver
	Comment          *commentResolver
	Discussion       *discussionResolver
	LockedRecord     *thread
	UnlockedRecord   *thread
	MinimizedComment *minimizable

	UnminimizedComment *minimizable
	Labelable          *thread
	Assignable         *assignable
	Issue              *issueResolver
	SubIssue           *issueResolver
	BlockingIssue      *issueResolver
	IssueComment       *issueCommentResolver
	Label              *labelResolver
	Item               *itemResolver
	ProjectV2Item      *itemResolver
	DeletedItemID      *graphql.ID

	PullRequest              *pullResolver
	PullRequestReview        *reviewResolver
	PullRequestReviewComment *remarkResolver
	ReviewEdge               *edge[*reviewResolver]
	RequestedReviewersEdge   *edge[*accountResolver]
	Thread                   *reviewThreadResolver
	Reaction                 *reactionResolver
	ReactionGroups           *[]*reactionGroupResolver
	Subject                  *subject
}

// newPost is a post by the viewer, now.
func (s *session) newPost(r *repository, subject any, body string) post {
	at := s.store.now()
	return post{
		id: s.store.id(), repository: r, subject: subject, author: s.viewer, association: r.association(s.viewer),
		body: body, created: at, updated: at, upvoters: map[*account]bool{},
	}
}

// edit changes a body; a body that stays the same is no edit.
func (s *session) edit(p *post, body string) {
	if p.body == body {
		return
	}
	at := s.store.now()
	p.body, p.edited, p.updated, p.editor = body, at, at, s.viewer
}

func (*root) AddDiscussionComment(ctx context.Context, args struct {
	Input struct {
		DiscussionID     graphql.ID
		ReplyToID        *graphql.ID
		Body             string
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	d, err := findAs[*discussion](s, args.Input.DiscussionID)
	if err != nil {
		return nil, err
	}
	if !s.mayComment(&d.topic) {
		return nil, s.forbidden("AddDiscussionComment")
	}
	if err := checkBody(args.Input.Body); err != nil {
		return nil, err
	}
	parent, err := s.parent(d, args.Input.ReplyToID)
	if err != nil {
		return nil, err
	}
	c := s.addComment(d, parent, args.Input.Body)
	return &payload{ClientMutationID: args.Input.ClientMutationID, Comment: s.comment(c)}, nil
}

// parent checks a replyToId; nil is a top-level comment.
func (s *session) parent(d *discussion, id *graphql.ID) (*comment, error) {
	if id == nil {
		return nil, nil
	}
	parent, err := findAs[*comment](s, *id)
	switch {
	case err != nil:
		return nil, err
	case parent.parent != nil:
		return nil, unprocessable("Parent comment is already in a thread, cannot reply to it")
	case parent.discussion != d:
		return nil, unprocessable("Parent comment must belong to the same discussion")
	}
	return parent, nil
}

func (s *session) addComment(d *discussion, parent *comment, body string) *comment {
	d.thread(s.store)
	c := &comment{discussion: d, parent: parent}
	c.post = s.newPost(d.repository, c, body)
	d.updated = c.created
	d.byID[c.id] = c
	if parent != nil {
		parent.replies = append(parent.replies, c)
	} else {
		d.comments = append(d.comments, c)
	}
	return c
}

func (*root) UpdateDiscussionComment(ctx context.Context, args struct {
	Input struct {
		CommentID        graphql.ID
		Body             string
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	c, err := findAs[*comment](s, args.Input.CommentID)
	if err != nil {
		return nil, err
	}
	if !c.deleted.IsZero() || !s.mayEdit(&c.discussion.topic, &c.post) {
		return nil, s.forbidden("UpdateDiscussionComment")
	}
	if err := checkBody(args.Input.Body); err != nil {
		return nil, err
	}
	s.edit(&c.post, args.Input.Body)
	return &payload{ClientMutationID: args.Input.ClientMutationID, Comment: s.comment(c)}, nil
}

// idInput is the input of mutations that only name a thing.
type idInput struct {
	Input struct {
		ID               graphql.ID
		ClientMutationID *string
	}
}

func (*root) DeleteDiscussionComment(ctx context.Context, args idInput) (*payload, error) {
	s := sessionOf(ctx)
	c, err := findAs[*comment](s, args.Input.ID)
	if err != nil {
		return nil, err
	}
	if !c.deleted.IsZero() || !s.mayEdit(&c.discussion.topic, &c.post) {
		return nil, s.forbidden("DeleteDiscussionComment")
	}
	s.deleteComment(c)
	return &payload{ClientMutationID: args.Input.ClientMutationID, Comment: s.comment(c)}, nil
}

// deleteComment leaves a tombstone where there are replies.
func (s *session) deleteComment(c *comment) {
	d := c.discussion
	c.deleted = s.store.now()
	d.updated = c.deleted
	if d.answer == c.id {
		s.chooseAnswer(d, nil)
	}
	if len(c.replies) > 0 {
		c.author, c.editor, c.body, c.updated = nil, nil, "", c.deleted
		return
	}
	delete(d.byID, c.id)
	gone := func(other *comment) bool { return other == c }
	if c.parent != nil {
		c.parent.replies = slices.DeleteFunc(c.parent.replies, gone)
	} else {
		d.comments = slices.DeleteFunc(d.comments, gone)
	}
}

func (*root) CreateDiscussion(ctx context.Context, args struct {
	Input struct {
		RepositoryID, CategoryID graphql.ID
		Title, Body              string
		ClientMutationID         *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	r, err := findAs[*repository](s, in.RepositoryID)
	if err != nil {
		return nil, err
	}
	c, err := findAs[*category](s, in.CategoryID)
	if err != nil {
		return nil, err
	}
	if c.repository != r {
		return nil, unprocessable("Category must belong to the repository")
	}
	if !s.mayPostIn(c) {
		return nil, s.forbidden("CreateDiscussion")
	}
	if err := checkTitle(in.Title); err != nil {
		return nil, err
	}
	if err := checkBody(in.Body); err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: in.ClientMutationID, Discussion: s.discussion(s.addDiscussion(r, c, in.Title, in.Body))}, nil
}

// maxTitle is the longest title GitHub takes.
const maxTitle = 256

func checkTitle(title string) error {
	if strings.TrimSpace(title) == "" {
		return unprocessable("Title can't be blank")
	}
	if utf8.RuneCountInString(title) > maxTitle {
		return unprocessable("Title is too long (maximum is %d characters)", maxTitle)
	}
	return nil
}

func (s *session) addDiscussion(r *repository, c *category, title, body string) *discussion {
	d := &discussion{category: c, byID: map[int64]*comment{}}
	d.topic = topic{post: s.newPost(r, d, body), number: r.nextNumber, title: title}
	r.nextNumber++
	d.loaded.Store(true)
	r.insert(d)
	return d
}

// updateInput is the input of updateDiscussion; what is null stays.
type updateInput struct {
	DiscussionID     graphql.ID
	CategoryID       *graphql.ID
	Title, Body      *string
	ClientMutationID *string
}

func (*root) UpdateDiscussion(ctx context.Context, args struct{ Input updateInput }) (*payload, error) {
	s := sessionOf(ctx)
	d, err := findAs[*discussion](s, args.Input.DiscussionID)
	if err != nil {
		return nil, err
	}
	if !s.mayEdit(&d.topic, &d.post) {
		return nil, s.forbidden("UpdateDiscussion")
	}
	if err := s.update(d, args.Input); err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, Discussion: s.discussion(d)}, nil
}

// update checks everything before it changes anything.
func (s *session) update(d *discussion, in updateInput) (err error) {
	moved, title := d.category, d.title
	if in.CategoryID != nil {
		if moved, err = findAs[*category](s, *in.CategoryID); err != nil {
			return err
		}
	}
	if in.Title != nil {
		if title, err = *in.Title, checkTitle(*in.Title); err != nil {
			return err
		}
	}
	if in.Body != nil {
		if err := checkBody(*in.Body); err != nil {
			return err
		}
		s.edit(&d.post, *in.Body)
	}
	d.category, d.title, d.updated = moved, title, s.store.now()
	return nil
}

func (*root) DeleteDiscussion(ctx context.Context, args idInput) (*payload, error) {
	s := sessionOf(ctx)
	d, err := findAs[*discussion](s, args.Input.ID)
	if err != nil {
		return nil, err
	}
	if !s.mayDeleteDiscussion(d) {
		return nil, s.forbidden("DeleteDiscussion")
	}
	r := d.repository
	r.discussions = slices.DeleteFunc(r.discussions, func(other *discussion) bool { return other == d })
	return &payload{ClientMutationID: args.Input.ClientMutationID, Discussion: s.discussion(d)}, nil
}

func (*root) CloseDiscussion(ctx context.Context, args struct {
	Input struct {
		DiscussionID     graphql.ID
		Reason           string
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	d, err := findAs[*discussion](s, args.Input.DiscussionID)
	if err != nil {
		return nil, err
	}
	if !s.mayClose(&d.topic) {
		return nil, s.forbidden("CloseDiscussion")
	}
	d.closed, d.stateReason = s.store.now(), args.Input.Reason
	d.updated = d.closed
	return &payload{ClientMutationID: args.Input.ClientMutationID, Discussion: s.discussion(d)}, nil
}

func (*root) ReopenDiscussion(ctx context.Context, args struct {
	Input struct {
		DiscussionID     graphql.ID
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	d, err := findAs[*discussion](s, args.Input.DiscussionID)
	if err != nil {
		return nil, err
	}
	if !s.mayClose(&d.topic) {
		return nil, s.forbidden("ReopenDiscussion")
	}
	if d.closed.IsZero() {
		return nil, unprocessable("Discussion is already open")
	}
	d.closed, d.stateReason, d.updated = noTime, "REOPENED", s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID, Discussion: s.discussion(d)}, nil
}

func (*root) MarkDiscussionCommentAsAnswer(ctx context.Context, args idInput) (*payload, error) {
	return sessionOf(ctx).answer(args, "MarkDiscussionCommentAsAnswer", true)
}

func (*root) UnmarkDiscussionCommentAsAnswer(ctx context.Context, args idInput) (*payload, error) {
	return sessionOf(ctx).answer(args, "UnmarkDiscussionCommentAsAnswer", false)
}

func (s *session) answer(args idInput, mutation string, mark bool) (*payload, error) {
	c, err := findAs[*comment](s, args.Input.ID)
	if err != nil {
		return nil, err
	}
	d := c.discussion
	switch {
	case !s.mayClose(&d.topic):
		return nil, s.forbidden(mutation)
	case !d.category.answerable:
		return nil, unprocessable("Discussion category does not allow answers")
	case mark && c.parent != nil:
		return nil, unprocessable("Only top-level comments can be marked as an answer")
	case mark && !c.deleted.IsZero():
		return nil, unprocessable("A deleted comment cannot be marked as an answer")
	case !mark && d.answer != c.id:
		return nil, unprocessable("Comment is not marked as an answer")
	}
	if !mark {
		c = nil
	}
	s.chooseAnswer(d, c)
	return &payload{ClientMutationID: args.Input.ClientMutationID, Discussion: s.discussion(d)}, nil
}

func (s *session) chooseAnswer(d *discussion, c *comment) {
	d.answer, d.answerBy, d.answerAt = 0, nil, noTime
	d.updated = s.store.now()
	if c != nil {
		d.answer, d.answerBy, d.answerAt = c.id, s.viewer, d.updated
	}
}
