package sandbox

import (
	"context"
	"slices"
	"strings"
	"time"

	graphql "github.com/graph-gophers/graphql-go"
)

var noTime time.Time

// triage finds the thread that a moderator's mutation is about.
func (s *session) triage(id graphql.ID, mutation string) (*topic, error) {
	var found *topic
	switch thing := s.find(id).(type) {
	case *discussion:
		found = &thing.topic
	case *issue:
		found = &thing.topic
	default:
		return nil, unresolved(id)
	}
	if !s.mayTriage(found.repository) {
		return nil, s.forbidden(mutation)
	}
	return found, nil
}

func (*root) LockLockable(ctx context.Context, args struct {
	Input struct {
		LockableID       graphql.ID
		LockReason       *string
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	t, err := s.triage(args.Input.LockableID, "LockLockable")
	if err != nil {
		return nil, err
	}
	t.locked, t.lockReason = true, ""
	if args.Input.LockReason != nil {
		t.lockReason = *args.Input.LockReason
	}
	t.updated = s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID, Actor: s.actor(s.viewer), LockedRecord: s.threadOf(t)}, nil
}

func (*root) UnlockLockable(ctx context.Context, args struct {
	Input struct {
		LockableID       graphql.ID
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	t, err := s.triage(args.Input.LockableID, "UnlockLockable")
	if err != nil {
		return nil, err
	}
	t.locked, t.lockReason, t.updated = false, "", s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID, Actor: s.actor(s.viewer), UnlockedRecord: s.threadOf(t)}, nil
}

func (*root) MinimizeComment(ctx context.Context, args struct {
	Input struct {
		SubjectID        graphql.ID
		Classifier       string
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	reason := strings.ToLower(strings.ReplaceAll(args.Input.Classifier, "_", "-"))
	c, err := s.minimize(args.Input.SubjectID, "MinimizeComment", reason)
	if err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, MinimizedComment: c}, nil
}

func (*root) UnminimizeComment(ctx context.Context, args struct {
	Input struct {
		SubjectID        graphql.ID
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	c, err := s.minimize(args.Input.SubjectID, "UnminimizeComment", "")
	if err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, UnminimizedComment: c}, nil
}

// minimize hides any kind of comment, or shows it again when there is no reason.
func (s *session) minimize(id graphql.ID, mutation, reason string) (*minimizable, error) {
	found := s.find(id)
	p, hidden := hideable(found)
	if p == nil {
		return nil, unresolved(id)
	}
	if !s.mayTriage(p.repository) {
		return nil, s.forbidden(mutation)
	}
	*hidden = reason
	switch found := found.(type) {
	case *comment:
		return &minimizable{s.comment(found)}, nil
	case *issueComment:
		return &minimizable{s.issueComment(found)}, nil
	case *review:
		return &minimizable{s.review(found)}, nil
	case *remark:
		return &minimizable{s.remark(found)}, nil
	}
	return nil, unresolved(id)
}

// hideable is the post of a comment of any kind, and where it notes why it is
// hidden; nil for anything else.
func hideable(thing any) (*post, *string) {
	switch thing := thing.(type) {
	case *comment:
		return &thing.post, &thing.minimized
	case *issueComment:
		return &thing.post, &thing.minimized
	case *review:
		return &thing.post, &thing.minimized
	case *remark:
		return &thing.post, &thing.minimized
	}
	return nil, nil
}

// labelsInput is the input of the mutations that name labels.
type labelsInput struct {
	Input struct {
		LabelableID      graphql.ID
		LabelIDs         []graphql.ID
		ClientMutationID *string
	}
}

func (*root) AddLabelsToLabelable(ctx context.Context, args labelsInput) (*payload, error) {
	return sessionOf(ctx).relabel(args, "AddLabelsToLabelable", func(old, named []*label) []*label {
		for _, l := range named {
			if !slices.Contains(old, l) {
				old = append(old, l)
			}
		}
		return old
	})
}

func (*root) RemoveLabelsFromLabelable(ctx context.Context, args labelsInput) (*payload, error) {
	return sessionOf(ctx).relabel(args, "RemoveLabelsFromLabelable", func(old, named []*label) []*label {
		return slices.DeleteFunc(old, func(l *label) bool { return slices.Contains(named, l) })
	})
}

func (*root) ClearLabelsFromLabelable(ctx context.Context, args struct {
	Input struct {
		LabelableID      graphql.ID
		ClientMutationID *string
	}
}) (*payload, error) {
	var all labelsInput
	all.Input.LabelableID, all.Input.ClientMutationID = args.Input.LabelableID, args.Input.ClientMutationID
	return sessionOf(ctx).relabel(all, "ClearLabelsFromLabelable", func(_, _ []*label) []*label { return nil })
}

func (s *session) relabel(args labelsInput, mutation string, change func(old, named []*label) []*label) (*payload, error) {
	t, err := s.triage(args.Input.LabelableID, mutation)
	if err != nil {
		return nil, err
	}
	var named []*label
	for _, id := range args.Input.LabelIDs {
		l, err := findAs[*label](s, id)
		if err != nil {
			return nil, err
		}
		named = append(named, l)
	}
	t.labels, t.updated = change(slices.Clone(t.labels), named), s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID, Labelable: s.threadOf(t)}, nil
}

// reactionInput is the input of the two reaction mutations.
type reactionInput struct {
	Input struct {
		SubjectID        graphql.ID
		Content          string
		ClientMutationID *string
	}
}

func (*root) AddReaction(ctx context.Context, args reactionInput) (*payload, error) {
	s := sessionOf(ctx)
	p, err := s.subject(args.Input.SubjectID, "AddReaction")
	if err != nil {
		return nil, err
	}
	own := s.ownReaction(p, args.Input.Content)
	if own == nil {
		own = &reaction{id: s.store.id(), post: p, content: args.Input.Content, by: s.viewer, created: s.store.now()}
		p.reactions = append(p.reactions, own)
	}
	return s.reacted(args, p, own), nil
}

func (*root) RemoveReaction(ctx context.Context, args reactionInput) (*payload, error) {
	s := sessionOf(ctx)
	p, err := s.subject(args.Input.SubjectID, "RemoveReaction")
	if err != nil {
		return nil, err
	}
	own := s.ownReaction(p, args.Input.Content)
	if own == nil {
		return nil, unprocessable("You have not reacted with %s", args.Input.Content)
	}
	p.reactions = slices.DeleteFunc(p.reactions, func(x *reaction) bool { return x == own })
	return s.reacted(args, p, own), nil
}

func (s *session) ownReaction(p *post, content string) *reaction {
	for _, x := range p.reactions {
		if x.by == s.viewer && x.content == content {
			return x
		}
	}
	return nil
}

func (s *session) reacted(args reactionInput, p *post, own *reaction) *payload {
	return &payload{
		ClientMutationID: args.Input.ClientMutationID,
		Reaction:         &reactionResolver{s, own},
		ReactionGroups:   postResolver{s, p}.ReactionGroups(),
		Subject:          s.subjectOf(p),
	}
}

// subject is what the viewer wants to react to or vote for.
func (s *session) subject(id graphql.ID, mutation string) (*post, error) {
	p, t := placed(s.find(id))
	if p == nil {
		return nil, unresolved(id)
	}
	if !s.mayComment(t) {
		return nil, s.forbidden(mutation)
	}
	return p, nil
}

// placed is the post that a thing is, and the topic it is in; nil for a thing
// that is no post.
func placed(thing any) (*post, *topic) {
	switch thing := thing.(type) {
	case *discussion:
		return &thing.post, &thing.topic
	case *comment:
		return &thing.post, &thing.discussion.topic
	case *issue:
		return &thing.post, &thing.topic
	case *issueComment:
		return &thing.post, &thing.issue.topic
	case *review:
		return &thing.post, &thing.pull.issue.topic
	case *remark:
		return &thing.post, &thing.thread.pull.issue.topic
	}
	return nil, nil
}

// voteInput is the input of the two upvote mutations.
type voteInput struct {
	Input struct {
		SubjectID        graphql.ID
		ClientMutationID *string
	}
}

func (*root) AddUpvote(ctx context.Context, args voteInput) (*payload, error) {
	return sessionOf(ctx).vote(args, "AddUpvote", true)
}

func (*root) RemoveUpvote(ctx context.Context, args voteInput) (*payload, error) {
	return sessionOf(ctx).vote(args, "RemoveUpvote", false)
}

func (s *session) vote(args voteInput, mutation string, up bool) (*payload, error) {
	p, err := s.subject(args.Input.SubjectID, mutation)
	if err != nil {
		return nil, err
	}
	switch p.subject.(type) {
	case *discussion, *comment:
	default:
		return nil, unresolved(args.Input.SubjectID) // nothing else is a Votable
	}
	if up && p.upvoters == nil {
		p.upvoters = map[*account]bool{}
	}
	if up {
		p.upvoters[s.viewer] = true
	} else {
		delete(p.upvoters, s.viewer)
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, Subject: s.subjectOf(p)}, nil
}
