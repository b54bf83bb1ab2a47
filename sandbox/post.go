package sandbox

import (
	"bytes"
	"context"
	"slices"
	"strings"

	graphql "github.com/graph-gophers/graphql-go"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	source "github.com/yuin/goldmark/text"
)

// postResolver has the fields that discussions and comments share.
type postResolver struct {
	session *session
	post    *post
}

func (r postResolver) Author() *accountResolver  { return r.session.actor(r.post.author) }
func (r postResolver) AuthorAssociation() string { return r.post.association }
func (r postResolver) Body() string              { return r.post.body }
func (r postResolver) CreatedAt() dateTime       { return dateTime{r.post.created} }
func (r postResolver) CreatedViaEmail() bool     { return false }
func (r postResolver) DatabaseID() *int32        { return databaseID(r.post.id) }
func (r postResolver) Editor() *accountResolver  { return r.session.actor(r.post.editor) }
func (r postResolver) IncludesCreatedEdit() bool { return !r.post.edited.IsZero() }
func (r postResolver) LastEditedAt() *dateTime   { return instant(r.post.edited) }
func (r postResolver) PublishedAt() *dateTime    { return instant(r.post.created) }
func (r postResolver) UpdatedAt() dateTime       { return dateTime{r.post.updated} }
func (r postResolver) ViewerDidAuthor() bool     { return r.session.wrote(r.post) }
func (r postResolver) FullDatabaseID() *bigInt   { return wide(r.post.id) }
func (r postResolver) ViewerCanUpvote() bool     { return false } // only in discussions
func (r postResolver) ViewerHasUpvoted() bool    { return r.post.upvoters[r.session.viewer] }

func (r postResolver) UpvoteCount() int32 {
	return int32(r.post.upvotes + len(r.post.upvoters))
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM))

func (r postResolver) BodyHTML() (html, error) {
	var out bytes.Buffer
	err := markdown.Convert([]byte(r.post.body), &out)
	return html(out.String()), err
}

// BodyText is the body without its markup.
func (r postResolver) BodyText() (string, error) {
	body := []byte(r.post.body)
	var out strings.Builder
	err := ast.Walk(markdown.Parser().Parse(source.NewReader(body)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Segment.Value(body))
				if n.SoftLineBreak() || n.HardLineBreak() {
					out.WriteByte('\n')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				out.Write(n.Lines().Value(body))
			}
		case *ast.Paragraph, *ast.Heading, *ast.TextBlock:
			if !entering {
				out.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(out.String()), err
}

// reactionContents is the order in which GitHub lists the groups.
var reactionContents = []string{"THUMBS_UP", "THUMBS_DOWN", "LAUGH", "HOORAY", "CONFUSED", "HEART", "ROCKET", "EYES"}

func (r postResolver) ReactionGroups() *[]*reactionGroupResolver {
	groups := make([]*reactionGroupResolver, 0, len(reactionContents))
	for _, content := range reactionContents {
		groups = append(groups, &reactionGroupResolver{r.session, r.post, content})
	}
	return &groups
}

// reactionsArgs are the arguments of Reactable.reactions.
type reactionsArgs struct {
	pageArgs
	Content *string
	OrderBy *labelOrder
}

func (r postResolver) Reactions(ctx context.Context, args reactionsArgs) (*reactionConnection, error) {
	found := r.post.reactions
	if args.Content != nil {
		found = r.post.reacted(*args.Content)
	}
	order := ordering[*reaction]{key: reactionKey, desc: args.OrderBy != nil && args.OrderBy.Direction == "DESC"}
	page, err := paginate(ctx, "reactions", args.pageArgs, order.sort(found), order, func(x *reaction) *reactionResolver {
		return &reactionResolver{r.session, x}
	})
	if err != nil {
		return nil, err
	}
	own := slices.ContainsFunc(found, func(x *reaction) bool { return x.by == r.session.viewer })
	return &reactionConnection{connection: page, ViewerHasReacted: own}, nil
}

func reactionKey(x *reaction) sortKey { return timeKey(x.created, x.id) }

type reactionConnection struct {
	*connection[*reactionResolver]
	ViewerHasReacted bool
}

func (p *post) reacted(content string) []*reaction {
	return slices.DeleteFunc(slices.Clone(p.reactions), func(x *reaction) bool { return x.content != content })
}

type reactionResolver struct {
	session  *session
	reaction *reaction
}

func (r *reactionResolver) ID() graphql.ID {
	return graphql.ID(nodeID(kindReaction, r.reaction.post.repository.id, r.reaction.id, r.reaction.created, r.session.nextIDs))
}

func (r *reactionResolver) Content() string     { return r.reaction.content }
func (r *reactionResolver) CreatedAt() dateTime { return dateTime{r.reaction.created} }
func (r *reactionResolver) DatabaseID() *int32  { return databaseID(r.reaction.id) }
func (r *reactionResolver) Reactable() *subject { return r.session.subjectOf(r.reaction.post) }

func (r *reactionResolver) User() *accountResolver {
	if by := r.reaction.by; by != nil && by.kind == "User" {
		return &accountResolver{r.session, by}
	}
	return nil
}

type reactionGroupResolver struct {
	session *session
	post    *post
	content string
}

func (r *reactionGroupResolver) Content() string   { return r.content }
func (r *reactionGroupResolver) Subject() *subject { return r.session.subjectOf(r.post) }

func (r *reactionGroupResolver) CreatedAt() *dateTime {
	if all := r.post.reacted(r.content); len(all) > 0 {
		return instant(all[0].created)
	}
	return nil
}

func (r *reactionGroupResolver) ViewerHasReacted() bool {
	return slices.ContainsFunc(r.post.reacted(r.content), func(x *reaction) bool { return x.by == r.session.viewer })
}

// reactors is a connection whose edges also have the time.
type reactors[N any] struct {
	*connection[N]
	times []dateTime
}

type reactorEdge[N any] struct {
	Cursor    string
	Node      N
	ReactedAt dateTime
}

func (r *reactors[N]) Edges() *[]*reactorEdge[N] {
	edges := make([]*reactorEdge[N], len(r.items))
	for i, item := range r.items {
		edges[i] = &reactorEdge[N]{Cursor: r.keys[i], Node: item, ReactedAt: r.times[i]}
	}
	return &edges
}

func newReactors[N any](ctx context.Context, name string, args pageArgs, found []*reaction, resolve func(*reaction) N) (*reactors[N], error) {
	page, err := paginate(ctx, name, args, found, ordering[*reaction]{key: reactionKey}, resolve)
	if err != nil {
		return nil, err
	}
	out := &reactors[N]{connection: page}
	for _, x := range found[page.from:page.to] {
		out.times = append(out.times, dateTime{x.created})
	}
	return out, nil
}

func (r *reactionGroupResolver) Reactors(ctx context.Context, args pageArgs) (*reactors[*accountResolver], error) {
	return newReactors(ctx, "reactors", args, r.post.reacted(r.content), func(x *reaction) *accountResolver { return r.session.actor(x.by) })
}

func (r *reactionGroupResolver) Users(ctx context.Context, args pageArgs) (*reactors[*accountResolver], error) {
	users := slices.DeleteFunc(r.post.reacted(r.content), func(x *reaction) bool { return x.by == nil || x.by.kind != "User" })
	return newReactors(ctx, "users", args, users, func(x *reaction) *accountResolver { return &accountResolver{r.session, x.by} })
}
