package conversation

import (
	"context"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// One asks for one remark, in one request once the repository's number is
// known.
func (s *pullSource) One(ctx context.Context, id ref.Comment) (_ thread.One, err error) {
	defer fault.Wrap(&err, "one remark %s", id)
	found, _, err := s.lookUp(ctx, id, question{look: lookNewest, alone: true, threads: id.Type != ref.IssueComment})
	if err != nil || found == nil {
		return thread.One{Overview: s.overview()}, err
	}
	carried, err := s.carried(ctx, found)
	if err != nil {
		return thread.One{}, err
	}
	nodes := append([]*wireNode{found}, carried...)
	if err := s.findThreads(ctx, nodes); err != nil {
		return thread.One{}, err
	}
	comments := make([]thread.Comment, len(nodes))
	for i, node := range nodes {
		comments[i] = s.comment(node)
	}
	return thread.One{Overview: s.overview(), Found: &comments[0], Carried: comments[1:]}, nil
}

// lookUp finds the remark that a spelling names, with what else is wanted; nil
// when it is not in this pull request.
func (s *pullSource) lookUp(ctx context.Context, id ref.Comment, want question) (*wireNode, answer, error) {
	likely, err := s.nodeIDs(ctx, id)
	if err != nil {
		return nil, answer{}, err
	}
	want.nodes = likely
	got, err := s.ask(ctx, want)
	if err != nil {
		return nil, answer{}, err
	}
	if s.spine.newest() == nil { // what is newest may be a review begun long ago
		if err := s.whole(ctx, nil); err != nil {
			return nil, answer{}, err
		}
	}
	fitting := s.fitting(got.nodes, id)
	if len(fitting) == 0 {
		if fitting, err = s.findElse(ctx, id, likely, want.alone); err != nil {
			return nil, answer{}, err
		}
	}
	switch len(fitting) {
	case 0:
		return nil, got, nil
	case 1:
		return fitting[0], got, nil
	}
	return nil, answer{}, s.ambiguous(id, fitting)
}

// fitting are the nodes that are what was asked for, in this pull request.
func (s *pullSource) fitting(nodes []*wireNode, id ref.Comment) []*wireNode {
	return slices.DeleteFunc(nodes, func(node *wireNode) bool { return node == nil || !node.isIn(s.head.ID, id) })
}

// typesOf are the types that the remark may have, as its spelling tells; none
// when it cannot be in this pull request.
func (s *pullSource) typesOf(id ref.Comment) []ref.CommentType {
	switch {
	case id.Type == ref.DiscussionComment || !s.isHere(id.Thread):
		return nil
	case id.Type != "" || id.NodeID != "":
		return []ref.CommentType{id.Type}
	}
	return []ref.CommentType{ref.IssueComment, ref.PullRequestReview, ref.PullRequestReviewComment}
}

// nodeIDs are the likely node ids of a remark in any spelling: several for a
// bare number.
func (s *pullSource) nodeIDs(ctx context.Context, id ref.Comment) (likely []string, err error) {
	for _, kind := range s.typesOf(id) {
		nodeID, err := s.service.opts.Resolver.Find(ctx, s.thread(), kind, id)
		if err != nil {
			return nil, err
		}
		if nodeID != "" {
			likely = append(likely, nodeID)
		}
	}
	return likely, nil
}

func (s *pullSource) thread() ref.Thread {
	return ref.Thread{Repo: s.repo, Kind: ref.PullRequest, Number: s.number}
}

// findElse looks for a remark whose likely ids were not there, where the newest
// remarks show that ids are not built from numbers.
func (s *pullSource) findElse(ctx context.Context, id ref.Comment, likely []string, alone bool) ([]*wireNode, error) {
	if id.NodeID != "" || len(likely) == 0 {
		return nil, nil
	}
	for _, newest := range s.overview().Newest {
		s.service.opts.Resolver.LearnFrom(s.repo, resolve.Sample{ID: newest.ID, Number: newest.Key.Number})
	}
	others, err := s.nodeIDs(ctx, id)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(other string) bool { return slices.Contains(likely, other) })
	nodes, err := s.nodes(ctx, others, alone)
	return s.fitting(nodes, id), err
}

// ambiguous is the fault for a bare number that remarks of several kinds have.
func (s *pullSource) ambiguous(id ref.Comment, fitting []*wireNode) error {
	var spellings []string
	for _, one := range fitting {
		spellings = append(spellings, ref.Comment{Type: one.kind(), DatabaseID: id.DatabaseID}.String())
	}
	return fault.New(fault.AmbiguousArguments, "%s: %d is the number of %d remarks of different kinds in this pull request", s.field, id.DatabaseID, len(fitting)).
		WithFix("Pass the one that is meant: %s.", strings.Join(spellings, " or ")).
		With("argument", s.field).With("candidates", spellings)
}
