package discussion

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// searchLimit is how many rows GitHub's search gives at most.
const searchLimit = 1000

// ListRequest are the arguments of list_discussions.
type ListRequest struct {
	Repo       *string  `json:"repo,omitempty"`
	Category   string   `json:"category,omitempty"`
	State      string   `json:"state,omitempty"`
	Answered   *bool    `json:"answered,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	Author     string   `json:"author,omitempty"`
	Since      string   `json:"since,omitempty"`
	OrderBy    string   `json:"order_by,omitempty"`
	Direction  string   `json:"direction,omitempty"`
	Limit      int      `json:"limit,omitempty"`
	Cursor     string   `json:"cursor,omitempty"`
	Projection string   `json:"projection,omitempty"`
}

// Row is a discussion in a list. A title row has the first four members only.
type Row struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	State  string `json:"state"`
	*Summary
	page.SlicedBody

	author trust.Author
}

// Summary is what a summary row adds to a title row.
type Summary struct {
	Category      string       `json:"category"`
	IsAnswered    *bool        `json:"isAnswered"`
	Labels        []string     `json:"labels"`
	CommentsCount int          `json:"commentsCount"`
	Author        thread.Actor `json:"author"`
	AuthorTrust   string       `json:"authorTrust"`
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
	ID            string       `json:"id"`
}

// ListResult is a page of discussions.
type ListResult struct {
	page.Head
	Discussions  []Row              `json:"discussions"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`

	trail page.Trail
}

// wireRow is a discussion in a list.
type wireRow struct {
	ID                string
	Number            int
	Title             string
	Body              string `graphql:"body: body @include(if: $full)"`
	URL               string `graphql:"url"`
	Closed            bool
	IsAnswered        *bool
	Author            *wireActor
	AuthorAssociation string
	ViewerDidAuthor   bool
	CreatedAt         time.Time
	UpdatedAt         time.Time
	Category          struct{ Name string }
	Comments          struct{ TotalCount int } `graphql:"comments(last: 1)"`
	Labels            *wireLabels              `graphql:"labels(first: 100)"`
}

// wireRows is a connection of rows, of the repository or of a search.
type wireRows struct {
	TotalCount int
	PageInfo   wirePageInfo
	Edges      []struct {
		Cursor string
		Node   wireRow
	}
}

type wireFound struct {
	DiscussionCount int
	PageInfo        wirePageInfo
	Edges           []struct {
		Cursor string
		Node   struct {
			Discussion wireRow `graphql:"... on Discussion"`
		}
	}
}

// List lists discussions, filtered on GitHub's side.
func (s *Service) List(ctx context.Context, req ListRequest) (_ *ListResult, err error) {
	defer fault.Wrap(&err, "discussion.List")
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	req, since, err := req.normalized(repo)
	if err != nil {
		return nil, err
	}
	result := &ListResult{Discussions: []Row{}, trail: newTrail(repo, req)}
	if err := result.trail.Open(req.Cursor); err != nil {
		return nil, err
	}
	category := Listed{}
	if req.Category != "" {
		if category, err = s.findCategory(ctx, repo, req.Category); err != nil {
			return nil, err
		}
	}
	req.Limit = result.trail.Limit(req.Limit)
	list := lister{service: s, repo: repo, req: req, category: category, since: since, result: result}
	if req.needsSearch() {
		return result, list.search(ctx)
	}
	return result, list.connection(ctx)
}

// normalized fills in what is absent and reads since.
func (req ListRequest) normalized(repo ref.Repo) (ListRequest, time.Time, error) {
	name := repo.String()
	req.Repo = &name
	for _, value := range []struct {
		at       *string
		fallback string
	}{{&req.State, "open"}, {&req.OrderBy, "updated"}, {&req.Direction, "desc"}, {&req.Projection, "summary"}} {
		if *value.at == "" {
			*value.at = value.fallback
		}
	}
	if req.Limit == 0 {
		req.Limit = 30
	}
	since, err := page.ParseTime("since", req.Since)
	return req, since, err
}

func newTrail(repo ref.Repo, req ListRequest) page.Trail {
	answered := "any"
	if req.Answered != nil {
		answered = fmt.Sprint(*req.Answered)
	}
	return page.Trail{
		Next: func(cursor string) any {
			req.Cursor = cursor
			return req
		},
		Binding: page.Bind("list_discussions", key(repo), strings.ToLower(req.Category), req.State, answered,
			strings.Join(req.Labels, "\x00"), req.Author, req.Since, req.OrderBy, req.Direction, req.Projection),
	}
}

// needsSearch reports whether only GitHub's search can filter by this. What
// was updated since a time is the start of the list when it is ordered so.
func (req ListRequest) needsSearch() bool {
	return len(req.Labels) > 0 || req.Author != "" || req.Since != "" && (req.OrderBy != "updated" || req.Direction != "desc")
}

// lister fills one page of a list.
type lister struct {
	service  *Service
	repo     ref.Repo
	req      ListRequest
	category Listed
	since    time.Time
	result   *ListResult
}

// connection reads the page from the repository's own list.
func (l *lister) connection(ctx context.Context) error {
	variables := map[string]any{
		"owner": githubv4.String(l.repo.Owner), "name": githubv4.String(l.repo.Name),
		"order": githubv4.DiscussionOrder{
			Field:     githubv4.DiscussionOrderField(strings.ToUpper(l.req.OrderBy) + "_AT"),
			Direction: githubv4.OrderDirection(strings.ToUpper(l.req.Direction)),
		},
		"full": githubv4.Boolean(l.req.Projection == "full"),
	}
	arguments := "first: $first, orderBy: $order"
	set := func(argument, name string, value any) {
		arguments += fmt.Sprintf(", %s: $%s", argument, name)
		variables[name] = value
	}
	if after := l.result.trail.Start.After; after != "" {
		set("after", "after", githubv4.String(after))
	}
	if l.req.State != "all" {
		set("states", "states", []githubv4.DiscussionState{githubv4.DiscussionState(strings.ToUpper(l.req.State))})
	}
	if l.req.Answered != nil {
		set("answered", "answered", githubv4.Boolean(*l.req.Answered))
	}
	if l.category.ID != "" {
		set("categoryId", "category", graphql.ID(l.category.ID))
	}
	rows, err := shrinking(ctx, l.req.Limit, func(n int) (*wireRows, error) {
		variables["first"] = githubv4.Int(n)
		query, found := graphql.Field[wireRows]("repository(owner: $owner, name: $name)", "discussions("+arguments+")")
		notes, err := l.service.opts.GraphQL.Query(ctx, "Discussions", query, variables)
		if err != nil {
			return nil, err
		}
		if found() == nil {
			return nil, notes.Fault("repository", resolve.NoRepository(l.repo))
		}
		l.result.Warnings = notes.Warnings()
		return found(), nil
	})
	if err != nil {
		return err
	}
	l.result.TotalCount = &rows.TotalCount
	more := rows.PageInfo.HasNextPage
	for _, edge := range rows.Edges {
		if edge.Node.UpdatedAt.Before(l.since) {
			more = false // ordered by time: all that follow are older
			break
		}
		l.add(edge.Cursor, edge.Node)
	}
	if !l.since.IsZero() {
		l.result.TotalCount = nil // GitHub counts without the bound
	}
	l.result.trail.More = more
	return nil
}

// search reads the page from GitHub's search.
func (l *lister) search(ctx context.Context) error {
	variables := map[string]any{
		"owner": githubv4.String(l.repo.Owner), "name": githubv4.String(l.repo.Name),
		"query": githubv4.String(l.searchQuery()),
		"after": cursor(l.result.trail.Start.After),
		"full":  githubv4.Boolean(l.req.Projection == "full"),
	}
	found, err := shrinking(ctx, l.req.Limit, func(n int) (*wireFound, error) {
		variables["first"] = githubv4.Int(n)
		var query struct {
			Repository *struct{ ID string } `graphql:"repository(owner: $owner, name: $name)"` // a search finds nothing in one that is not there
			Search     wireFound            `graphql:"search(query: $query, type: DISCUSSION, first: $first, after: $after)"`
		}
		notes, err := l.service.opts.GraphQL.Query(ctx, "DiscussionSearchRows", &query, variables)
		if err == nil && query.Repository == nil {
			err = notes.Fault("repository", resolve.NoRepository(l.repo))
		}
		l.result.Warnings = notes.Warnings()
		return &query.Search, err
	})
	if err != nil {
		return err
	}
	for _, edge := range found.Edges {
		if edge.Node.Discussion.ID != "" {
			l.add(edge.Cursor, edge.Node.Discussion)
		}
	}
	l.result.TotalCount = &found.DiscussionCount
	l.result.trail.More = found.PageInfo.HasNextPage
	if found.DiscussionCount > searchLimit {
		l.result.Warnings = append(l.result.Warnings, fmt.Sprintf(
			"GitHub's search gives the first %d of %d matches only; narrow the filters to see the others", searchLimit, found.DiscussionCount))
	}
	return nil
}

// searchQuery says the filters in the words of GitHub's search.
func (l *lister) searchQuery() string {
	words := []string{"repo:" + l.repo.String()}
	if l.req.State != "all" {
		words = append(words, "is:"+l.req.State)
	}
	if l.req.Answered != nil {
		words = append(words, map[bool]string{true: "is:answered", false: "is:unanswered"}[*l.req.Answered])
	}
	if l.category.ID != "" {
		words = append(words, "category:"+quoted(l.category.Name))
	}
	for _, label := range l.req.Labels {
		words = append(words, "label:"+quoted(label))
	}
	if l.req.Author != "" {
		words = append(words, "author:"+quoteBlank(l.req.Author))
	}
	if !l.since.IsZero() {
		words = append(words, "updated:>="+l.since.Format(time.RFC3339))
	}
	return strings.Join(append(words, "sort:"+l.req.OrderBy+"-"+l.req.Direction), " ")
}

// quoted is a search term in quotes; a quote inside cannot be said in
// GitHub's search.
func quoted(term string) string { return `"` + strings.ReplaceAll(term, `"`, "") + `"` }

// quoteBlank quotes a term that would otherwise end early.
func quoteBlank(term string) string {
	if strings.ContainsAny(term, " \t\"") {
		return quoted(term)
	}
	return term
}

func (l *lister) add(cursor string, wire wireRow) {
	row := Row{
		Number: wire.Number, Title: wire.Title, URL: wire.URL, State: state(wire.Closed),
		author: trust.Author{Login: wire.Author.login(), Association: wire.AuthorAssociation, IsViewer: wire.ViewerDidAuthor},
	}
	if l.req.Projection != "title" {
		row.Summary = &Summary{
			Category: wire.Category.Name, IsAnswered: wire.IsAnswered, Labels: wire.Labels.names(),
			CommentsCount: wire.Comments.TotalCount, Author: thread.ActorOf(wire.Author.login()),
			CreatedAt: wire.CreatedAt.UTC(), UpdatedAt: wire.UpdatedAt.UTC(), ID: wire.ID,
		}
	}
	if l.req.Projection == "full" {
		row.Body = &wire.Body
	}
	l.result.Discussions = append(l.result.Discussions, row)
	l.result.trail.Ends = append(l.result.trail.Ends, cursor)
}

// Items is how many rows the page holds.
func (r *ListResult) Items() int { return len(r.Discussions) }

// Keep is the page with its first n rows only.
func (r *ListResult) Keep(n int) any {
	cut := *r
	cut.Discussions = page.Keep(&r.trail, &cut.Head, r.Discussions, n, (*Row).text)
	return &cut
}

// Slice is the page with its first row only, and of that row's body a part.
func (r *ListResult) Slice(n int) any {
	cut := *r
	if cut.Discussions = page.Slice(&r.trail, &cut.Head, r.Discussions, n, (*Row).text); cut.Discussions == nil {
		return nil
	}
	return &cut
}

func (row *Row) text() *page.SlicedBody { return &row.SlicedBody }

// VisitTexts shows every authored text of the rows.
func (r *ListResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.Discussions {
		row := &r.Discussions[i]
		shown := trust.Row{List: "discussions", At: fmt.Sprintf("discussion:%d", row.Number), Author: &row.author, Title: &row.Title, Body: row.Body}
		if row.Summary == nil {
			shown.Visit(visit)
			continue
		}
		shown.Level = &row.AuthorTrust
		shown.Visit(visit)
		shown.VisitName(visit, "category", &row.Category)
		shown.VisitNames(visit, "labels", row.Labels)
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (r *ListResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
