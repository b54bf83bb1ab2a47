package sandbox

import (
	"context"
	"fmt"
)

// topicResolver has the fields that all numbered threads share.
type topicResolver struct {
	postResolver
	topic *topic
}

func (s *session) topic(t *topic) topicResolver {
	return topicResolver{postResolver{s, &t.post}, t}
}

func (r topicResolver) ActiveLockReason() *string { return text(r.topic.lockReason) }
func (r topicResolver) Closed() bool              { return !r.topic.closed.IsZero() }
func (r topicResolver) ClosedAt() *dateTime       { return instant(r.topic.closed) }
func (r topicResolver) Locked() bool              { return r.topic.locked }
func (r topicResolver) Number() int32             { return int32(r.topic.number) }
func (r topicResolver) ResourcePath() uri         { return uri(r.topic.path()) }
func (r topicResolver) Title() string             { return r.topic.title }
func (r topicResolver) URL() uri                  { return uri(webURL + r.topic.path()) }
func (r topicResolver) ViewerCanClose() bool      { return r.session.mayClose(r.topic) }
func (r topicResolver) ViewerCanReopen() bool     { return r.session.mayClose(r.topic) }
func (r topicResolver) ViewerCanLabel() bool      { return r.session.mayTriage(r.topic.repository) }
func (r topicResolver) ViewerCanReact() bool      { return r.session.mayComment(r.topic) }
func (r topicResolver) ViewerCanUpdate() bool     { return r.session.mayEdit(r.topic, r.post) }

func (r topicResolver) Repository() *repositoryResolver {
	return &repositoryResolver{r.session, r.topic.repository}
}

func (r topicResolver) ViewerCannotUpdateReasons() []string {
	return r.session.cannotUpdate(r.topic, r.post)
}

// cannotUpdate says why the viewer may not change a post of a topic.
func (s *session) cannotUpdate(t *topic, p *post) []string {
	switch {
	case s.mayEdit(t, p):
		return []string{}
	case t.locked && s.wrote(p):
		return []string{"LOCKED"}
	default:
		return []string{"INSUFFICIENT_ACCESS"}
	}
}

// labelsOfArgs are the arguments of Labelable.labels.
type labelsOfArgs struct {
	pageArgs
	OrderBy *labelOrder
}

func (r topicResolver) Labels(ctx context.Context, args labelsOfArgs) (*connection[*labelResolver], error) {
	return r.session.labels(ctx, r.topic.labels, args.pageArgs, args.OrderBy)
}

func (t *topic) path() string {
	kind := "discussions"
	if i, ok := t.subject.(*issue); ok {
		kind = "issues"
		if i.isPull() {
			kind = "pull"
		}
	}
	return fmt.Sprintf("/%s/%s/%d", t.repository.fullName(), kind, t.number)
}
