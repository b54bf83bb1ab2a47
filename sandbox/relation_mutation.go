package sandbox

import (
	"context"
	"slices"

	graphql "github.com/graph-gophers/graphql-go"
)

// Relations do not touch updatedAt of the issues, as on GitHub.

func (*root) AddSubIssue(ctx context.Context, args struct {
	Input struct {
		IssueID          graphql.ID
		SubIssueID       *graphql.ID
		SubIssueURL      *string
		ReplaceParent    *bool
		ClientMutationID *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	parent, err := s.mayRelate(in.IssueID, "AddSubIssue")
	if err != nil {
		return nil, err
	}
	child, err := s.subIssue(parent.repository, in.SubIssueID, in.SubIssueURL)
	if err != nil {
		return nil, err
	}
	replace := in.ReplaceParent != nil && *in.ReplaceParent
	switch {
	case child.parent == parent:
		return nil, unprocessable("Issue may not contain duplicate sub-issues")
	case parent.isBelow(child):
		return nil, unprocessable("An issue cannot be a sub-issue of itself or of one of its own sub-issues")
	case child.parent != nil && !replace:
		return nil, unprocessable("Sub issue may only have one parent")
	}
	child.leaveParent()
	child.parent, parent.children = parent, append(parent.children, child)
	return &payload{ClientMutationID: in.ClientMutationID, Issue: s.issue(parent), SubIssue: s.issue(child)}, nil
}

// subIssue is the child, named by its id or its URL.
func (s *session) subIssue(r *repository, id *graphql.ID, url *string) (*issue, error) {
	if id != nil {
		return s.findIssue(*id)
	}
	if url != nil {
		for _, i := range r.issues {
			if webURL+i.path() == *url {
				return i, nil
			}
		}
	}
	return nil, unprocessable("A sub-issue id or URL is needed")
}

// isBelow reports whether an issue is another one, or below it.
func (i *issue) isBelow(other *issue) bool {
	for up := i; up != nil; up = up.parent {
		if up == other {
			return true
		}
	}
	return false
}

func (i *issue) leaveParent() {
	if i.parent != nil {
		i.parent.children = without(i.parent.children, i)
		i.parent = nil
	}
}

// without is a copy that lacks one thing.
func without[T comparable](things []T, gone T) []T {
	return slices.DeleteFunc(slices.Clone(things), func(thing T) bool { return thing == gone })
}

// mayRelate finds an issue whose relations the viewer may change.
func (s *session) mayRelate(id graphql.ID, mutation string) (*issue, error) {
	i, err := s.findIssue(id)
	if err != nil {
		return nil, err
	}
	if !s.mayTriage(i.repository) {
		return nil, s.forbidden(mutation)
	}
	return i, nil
}

func (*root) RemoveSubIssue(ctx context.Context, args struct {
	Input struct {
		IssueID, SubIssueID graphql.ID
		ClientMutationID    *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	parent, err := s.mayRelate(args.Input.IssueID, "RemoveSubIssue")
	if err != nil {
		return nil, err
	}
	child, err := s.findIssue(args.Input.SubIssueID)
	if err != nil {
		return nil, err
	}
	if child.parent != parent {
		return nil, unprocessable("Issue is not a sub-issue of the parent issue")
	}
	child.leaveParent()
	return &payload{ClientMutationID: args.Input.ClientMutationID, Issue: s.issue(parent), SubIssue: s.issue(child)}, nil
}

// blockedInput is the input of the two mutations of dependencies.
type blockedInput struct {
	Input struct {
		IssueID, BlockingIssueID graphql.ID
		ClientMutationID         *string
	}
}

func (*root) AddBlockedBy(ctx context.Context, args blockedInput) (*payload, error) {
	return sessionOf(ctx).block(args, "AddBlockedBy", func(i, blocker *issue, already bool) error {
		switch {
		case i == blocker:
			return unprocessable("An issue cannot be blocked by itself")
		case already:
			return unprocessable("Target issue has already been taken")
		}
		i.blockedBy, blocker.blocking = append(i.blockedBy, blocker), append(blocker.blocking, i)
		return nil
	})
}

func (*root) RemoveBlockedBy(ctx context.Context, args blockedInput) (*payload, error) {
	return sessionOf(ctx).block(args, "RemoveBlockedBy", func(i, blocker *issue, already bool) error {
		if !already {
			return unprocessable("The issue is not blocked by that issue")
		}
		i.blockedBy, blocker.blocking = without(i.blockedBy, blocker), without(blocker.blocking, i)
		return nil
	})
}

func (s *session) block(args blockedInput, mutation string, change func(i, blocker *issue, already bool) error) (*payload, error) {
	i, err := s.mayRelate(args.Input.IssueID, mutation)
	if err != nil {
		return nil, err
	}
	blocker, err := s.findIssue(args.Input.BlockingIssueID)
	if err != nil {
		return nil, err
	}
	if err := change(i, blocker, slices.Contains(i.blockedBy, blocker)); err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, Issue: s.issue(i), BlockingIssue: s.issue(blocker)}, nil
}
