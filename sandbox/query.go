package sandbox

import (
	"context"
	"strings"

	graphql "github.com/graph-gophers/graphql-go"
)

// root resolves the root fields of queries and mutations.
type root struct{}

func (*root) Viewer(ctx context.Context) *accountResolver {
	s := sessionOf(ctx)
	return &accountResolver{s, s.viewer}
}

func (*root) Node(ctx context.Context, args struct{ ID graphql.ID }) (*object, error) {
	s := sessionOf(ctx)
	if found := s.find(args.ID); found != nil {
		return s.object(found), nil
	}
	return nil, unresolved(args.ID)
}

// maxNodes is how many ids GitHub takes at once.
const maxNodes = 100

// Nodes answers null for ids it does not find, with an error for each.
func (*root) Nodes(ctx context.Context, args struct{ IDs []graphql.ID }) ([]*object, error) {
	s := sessionOf(ctx)
	if len(args.IDs) > maxNodes {
		return nil, &apiError{kind: "ARGUMENT_LIMIT", message: "You may not provide more than 100 node ids; you provided " + itoa(len(args.IDs)) + "."}
	}
	objects := make([]*object, len(args.IDs))
	for i, id := range args.IDs {
		if found := s.find(id); found != nil {
			objects[i] = s.object(found)
			continue
		}
		s.report(unresolved(id), s.query.rootName("nodes"), i)
	}
	return objects, nil
}

func (*root) Repository(ctx context.Context, args struct {
	FollowRenames bool
	Name, Owner   string
}) (*repositoryResolver, error) {
	s := sessionOf(ctx)
	r := s.store.repository(args.Owner, args.Name)
	if !s.visible(r) {
		return nil, notFound("Could not resolve to a Repository with the name '%s/%s'.", args.Owner, args.Name)
	}
	return &repositoryResolver{s, r}, nil
}

func (*root) User(ctx context.Context, args struct{ Login string }) (*accountResolver, error) {
	s := sessionOf(ctx)
	a := s.store.account(args.Login)
	if a == nil || a.kind != "User" {
		return nil, notFound("Could not resolve to a User with the login of '%s'.", args.Login)
	}
	return &accountResolver{s, a}, nil
}

func (*root) Organization(ctx context.Context, args struct{ Login string }) (*accountResolver, error) {
	s := sessionOf(ctx)
	a := s.store.account(args.Login)
	if a == nil || a.kind != "Organization" {
		return nil, notFound("Could not resolve to an Organization with the login of '%s'.", args.Login)
	}
	return &accountResolver{s, a}, nil
}

func (*root) RepositoryOwner(ctx context.Context, args struct{ Login string }) *accountResolver {
	s := sessionOf(ctx)
	a := s.store.account(args.Login)
	if a == nil || strings.Contains("Bot Mannequin", a.kind) {
		return nil
	}
	return s.actor(a)
}

// rateLimit is GitHub's type of that name.
type rateLimit struct {
	Cost, Limit, NodeCount, Remaining, Used int32
	ResetAt                                 dateTime
}

func (*root) RateLimit(ctx context.Context, args struct{ DryRun bool }) *rateLimit {
	s := sessionOf(ctx)
	return &rateLimit{
		Cost: int32(s.query.cost()), NodeCount: int32(s.query.nodes),
		Limit: int32(s.limit.limit), Remaining: int32(s.limit.remaining()), Used: int32(s.limit.used), ResetAt: dateTime{s.limit.reset},
	}
}
