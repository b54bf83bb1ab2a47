package sandbox

import (
	"context"
	"slices"

	graphql "github.com/graph-gophers/graphql-go"
)

// addCommentPayload is apart from payload, because its subject is a Node.
type addCommentPayload struct {
	ClientMutationID *string
	CommentEdge      *edge[*issueCommentResolver]
	Subject          *object
}

func (*root) AddComment(ctx context.Context, args struct {
	Input struct {
		SubjectID        graphql.ID
		Body             string
		ClientMutationID *string
	}
}) (*addCommentPayload, error) {
	s := sessionOf(ctx)
	i, err := findAs[*issue](s, args.Input.SubjectID)
	if err != nil {
		return nil, err
	}
	if !s.mayComment(&i.topic) {
		return nil, s.forbidden("AddComment")
	}
	if err := checkBody(args.Input.Body); err != nil {
		return nil, err
	}
	c := s.addIssueComment(i, args.Input.Body)
	return &addCommentPayload{
		ClientMutationID: args.Input.ClientMutationID,
		CommentEdge:      &edge[*issueCommentResolver]{Cursor: c.key().cursor(), Node: s.issueComment(c)},
		Subject:          s.object(i),
	}, nil
}

func (s *session) addIssueComment(i *issue, body string) *issueComment {
	i.thread(s.store)
	c := &issueComment{issue: i}
	c.post = s.newPost(i.repository, c, body)
	i.comments = append(i.comments, c)
	i.byID[c.id] = c
	i.updated = c.created
	return c
}

func (*root) UpdateIssueComment(ctx context.Context, args struct {
	Input struct {
		ID               graphql.ID
		Body             string
		ClientMutationID *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	c, err := findAs[*issueComment](s, args.Input.ID)
	if err != nil {
		return nil, err
	}
	if !s.mayEdit(&c.issue.topic, &c.post) {
		return nil, s.forbidden("UpdateIssueComment")
	}
	if err := checkBody(args.Input.Body); err != nil {
		return nil, err
	}
	s.edit(&c.post, args.Input.Body)
	return &payload{ClientMutationID: args.Input.ClientMutationID, IssueComment: s.issueComment(c)}, nil
}

// DeleteIssueComment leaves nothing behind, unlike in a discussion.
func (*root) DeleteIssueComment(ctx context.Context, args idInput) (*payload, error) {
	s := sessionOf(ctx)
	c, err := findAs[*issueComment](s, args.Input.ID)
	if err != nil {
		return nil, err
	}
	if !s.mayEdit(&c.issue.topic, &c.post) {
		return nil, s.forbidden("DeleteIssueComment")
	}
	i := c.issue
	delete(i.byID, c.id)
	i.comments = slices.DeleteFunc(i.comments, func(other *issueComment) bool { return other == c })
	i.updated = s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID}, nil
}
