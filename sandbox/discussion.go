package sandbox

import (
	"context"
	"fmt"

	graphql "github.com/graph-gophers/graphql-go"
)

type discussionResolver struct {
	topicResolver
	discussion *discussion
}

func (s *session) discussion(d *discussion) *discussionResolver {
	return &discussionResolver{s.topic(&d.topic), d}
}

func (r *discussionResolver) ID() graphql.ID {
	d := r.discussion
	return graphql.ID(nodeID(kindDiscussion, d.repository.id, d.id, d.created, r.session.nextIDs))
}

func (r *discussionResolver) AnswerChosenAt() *dateTime { return instant(r.discussion.answerAt) }
func (r *discussionResolver) AnswerChosenBy() *accountResolver {
	return r.session.actor(r.discussion.answerBy)
}
func (r *discussionResolver) StateReason() *string  { return text(r.discussion.stateReason) }
func (r *discussionResolver) ViewerCanUpvote() bool { return r.session.mayComment(r.topic) }
func (r *discussionResolver) ViewerCanDelete() bool {
	return r.session.mayDeleteDiscussion(r.discussion)
}

func (r *discussionResolver) Category() *categoryResolver {
	return &categoryResolver{r.session, r.discussion.category}
}

// IsAnswered is null where nothing can be answered.
func (r *discussionResolver) IsAnswered() *bool {
	if !r.discussion.category.answerable {
		return nil
	}
	answered := r.discussion.answer != 0
	return &answered
}

func (r *discussionResolver) Answer() *commentResolver {
	if r.discussion.answer == 0 {
		return nil
	}
	if c := r.discussion.comment(r.session.store, r.discussion.answer); c != nil {
		return r.session.comment(c)
	}
	return nil
}

func (r *discussionResolver) Comments(ctx context.Context, args pageArgs) (*connection[*commentResolver], error) {
	if !selectsItems(ctx) {
		return &connection[*commentResolver]{window: window{total: r.discussion.count()}}, args.check("comments", false)
	}
	return r.session.comments(ctx, "comments", r.discussion.thread(r.session.store), args)
}

func (s *session) comments(ctx context.Context, name string, comments []*comment, args pageArgs) (*connection[*commentResolver], error) {
	return paginate(ctx, name, args, comments, ordering[*comment]{key: (*comment).key}, s.comment)
}

type commentResolver struct {
	postResolver
	comment *comment
}

func (s *session) comment(c *comment) *commentResolver {
	return &commentResolver{postResolver{s, &c.post}, c}
}

func (r *commentResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindComment, r.post.repository.id, r.post.id, r.post.created, r.session.nextIDs))
}

func (r *commentResolver) DeletedAt() *dateTime     { return instant(r.comment.deleted) }
func (r *commentResolver) IsMinimized() bool        { return r.comment.minimized != "" }
func (r *commentResolver) MinimizedReason() *string { return text(r.comment.minimized) }
func (r *commentResolver) ResourcePath() uri        { return uri(r.comment.path()) }
func (r *commentResolver) URL() uri                 { return uri(webURL + r.comment.path()) }
func (r *commentResolver) IsAnswer() bool           { return r.comment.discussion.answer == r.post.id }
func (r *commentResolver) ViewerCanMinimize() bool  { return r.session.mayTriage(r.post.repository) }
func (r *commentResolver) ViewerCanReact() bool {
	return r.session.mayComment(&r.comment.discussion.topic)
}
func (r *commentResolver) ViewerCanUpvote() bool {
	return r.session.mayComment(&r.comment.discussion.topic)
}

func (r *commentResolver) Discussion() *discussionResolver {
	return r.session.discussion(r.comment.discussion)
}

func (r *commentResolver) ReplyTo() *commentResolver {
	if r.comment.parent == nil {
		return nil
	}
	return r.session.comment(r.comment.parent)
}

func (r *commentResolver) Replies(ctx context.Context, args pageArgs) (*connection[*commentResolver], error) {
	return r.session.comments(ctx, "replies", r.comment.replies, args)
}

func (r *commentResolver) ViewerCanUpdate() bool {
	return r.comment.deleted.IsZero() && r.session.mayEdit(&r.comment.discussion.topic, r.post)
}

func (r *commentResolver) ViewerCanDelete() bool { return r.ViewerCanUpdate() }

func (r *commentResolver) ViewerCanMarkAsAnswer() bool {
	return r.session.mayAnswer(r.comment) && !r.IsAnswer()
}

func (r *commentResolver) ViewerCanUnmarkAsAnswer() bool {
	return r.session.mayAnswer(r.comment) && r.IsAnswer()
}

func (r *commentResolver) ViewerCannotUpdateReasons() []string {
	switch {
	case r.ViewerCanUpdate():
		return []string{}
	case r.comment.discussion.locked && r.session.wrote(r.post):
		return []string{"LOCKED"}
	default:
		return []string{"INSUFFICIENT_ACCESS"}
	}
}

func (c *comment) path() string {
	return fmt.Sprintf("%s#discussioncomment-%d", c.discussion.path(), c.id)
}
