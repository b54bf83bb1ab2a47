package pullrequest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

const (
	searchLimit  = 1000 // rows that GitHub's search gives at most
	defaultLimit = 30
	maxPage      = 100 // the most GitHub gives at once
	maxPages     = 10  // pages of one call that looks for branches of one owner
)

// ListRequest are the arguments of list_pull_requests.
type ListRequest struct {
	Repo       *string  `json:"repo,omitempty"`
	State      string   `json:"state,omitempty"`
	Base       string   `json:"base,omitempty"`
	Head       string   `json:"head,omitempty"` // branch, or owner:branch
	Author     string   `json:"author,omitempty"`
	Draft      *bool    `json:"draft,omitempty"`
	Review     string   `json:"review,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	Since      string   `json:"since,omitempty"`
	Sort       string   `json:"sort,omitempty"`
	Direction  string   `json:"direction,omitempty"`
	Limit      int      `json:"limit,omitempty"`
	Cursor     string   `json:"cursor,omitempty"`
	Projection string   `json:"projection,omitempty"`
}

// Row is a pull request in a list. A title row has the first four members only.
type Row struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	State  string `json:"state"`
	URL    string `json:"url"`
	*Summary
	page.SlicedBody

	author trust.Author
}

// ListResult is a page of pull requests.
type ListResult struct {
	page.Head
	PullRequests []Row              `json:"pullRequests"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`

	trail page.Trail
}

// wireRows is a page of pull requests, of the repository or of a search.
type wireRows struct {
	TotalCount int
	PageInfo   wirePageInfo
	Edges      []wireEdge
}

type wireEdge struct {
	Cursor string
	Node   wireRow
}

// List lists pull requests, filtered on GitHub's side.
func (s *Service) List(ctx context.Context, req ListRequest) (_ *ListResult, err error) {
	defer fault.Wrap(&err, "pullrequest.List")
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	req = req.normalized(repo)
	since, err := page.ParseTime("since", req.Since)
	if err != nil {
		return nil, err
	}
	result := &ListResult{PullRequests: []Row{}, trail: newTrail(repo, req)}
	if err := result.trail.Open(req.Cursor); err != nil {
		return nil, err
	}
	req.Limit = result.trail.Limit(req.Limit)
	list := lister{service: s, repo: repo, req: req, since: since, result: result}
	list.owner, list.branch = splitHead(req.Head)
	if err := list.fill(ctx); err != nil {
		return nil, err
	}
	if len(result.PullRequests) == 0 && len(req.Labels) > 0 {
		list.explainLabels(ctx)
	}
	return result, nil
}

// normalized fills in what is absent.
func (req ListRequest) normalized(repo ref.Repo) ListRequest {
	name := repo.String()
	req.Repo = &name
	for _, value := range []struct {
		at       *string
		fallback string
	}{{&req.State, "open"}, {&req.Sort, "updated"}, {&req.Direction, "desc"}, {&req.Projection, "summary"}} {
		if *value.at == "" {
			*value.at = value.fallback
		}
	}
	if req.Limit == 0 {
		req.Limit = defaultLimit
	}
	return req
}

// splitHead reads branch or owner:branch. No branch has a colon in its name.
func splitHead(head string) (owner, branch string) {
	if owner, branch, ok := strings.Cut(head, ":"); ok {
		return owner, branch
	}
	return "", head
}

func newTrail(repo ref.Repo, req ListRequest) page.Trail {
	draft := "any"
	if req.Draft != nil {
		draft = fmt.Sprint(*req.Draft)
	}
	return page.Trail{
		Binding: page.Bind("list_pull_requests", strings.ToLower(repo.String()), req.State, req.Base, req.Head, req.Author, draft,
			req.Review, strings.Join(req.Labels, "\x00"), req.Since, req.Sort, req.Direction, req.Projection),
		Next: func(cursor string) any {
			next := req
			next.Cursor = cursor
			return next
		},
	}
}

// needsSearch reports whether only GitHub's search can filter by this: the
// list itself knows states, branches and any-of labels. What was updated since
// a time is the start of the list when it is ordered so.
func (req ListRequest) needsSearch() bool {
	return req.Author != "" || req.Draft != nil || req.Review != "" || len(req.Labels) > 1 ||
		req.Since != "" && (req.Sort != "updated" || req.Direction != "desc")
}

// lister fills one page of a list.
type lister struct {
	service       *Service
	repo          ref.Repo
	req           ListRequest
	owner, branch string // of head
	since         time.Time
	result        *ListResult
}

// fill reads upstream pages until the limit is reached or nothing is left: no
// part of GitHub filters by the owner of a head branch, so rows may drop out.
func (l *lister) fill(ctx context.Context) error {
	read := l.connection
	if l.req.needsSearch() {
		read = l.search
	}
	after := l.result.trail.Start.After
	for range maxPages {
		size := l.req.Limit - len(l.result.PullRequests)
		if l.owner != "" {
			size = maxPage
		}
		rows, err := shrinking(ctx, size, func(n int) (*wireRows, error) { return read(ctx, after, n) })
		if err != nil {
			return err
		}
		l.count(rows.TotalCount)
		if done := l.take(rows); done {
			return nil
		}
		if rows.PageInfo.EndCursor == after {
			return fault.New(fault.UpstreamError, "GitHub's pages do not advance")
		}
		after = rows.PageInfo.EndCursor
	}
	l.result.trail.Rest = after
	return nil
}

// count is how many rows there are, where GitHub's number is that of the rows.
func (l *lister) count(total int) {
	if l.owner == "" && (l.since.IsZero() || l.req.needsSearch()) {
		l.result.TotalCount = &total
	}
}

// take adds the rows that fit, and reports whether the page is complete.
func (l *lister) take(rows *wireRows) (done bool) {
	for i, edge := range rows.Edges {
		if edge.Node.ID == "" {
			continue // a hit that is no pull request
		}
		if !l.req.needsSearch() && edge.Node.UpdatedAt.Before(l.since) {
			return true // ordered by time: all that follow are older
		}
		if l.owner != "" && !strings.EqualFold(l.owner, edge.Node.HeadRepositoryOwner.login()) {
			continue
		}
		l.add(edge.Cursor, edge.Node)
		if len(l.result.PullRequests) == l.req.Limit {
			l.result.trail.More = i+1 < len(rows.Edges) || rows.PageInfo.HasNextPage
			return true
		}
	}
	return !rows.PageInfo.HasNextPage
}

// shrinking asks for size rows, and for fewer when GitHub finds that too much.
func shrinking[T any](ctx context.Context, size int, ask func(n int) (T, error)) (answer T, err error) {
	err = graphql.Shrink(ctx, size, func(n int) error {
		answer, err = ask(n)
		return err
	})
	return answer, err
}

// states are the states of the list, in GitHub's words.
var states = map[string][]githubv4.PullRequestState{
	"open": {githubv4.PullRequestStateOpen}, "closed": {githubv4.PullRequestStateClosed}, "merged": {githubv4.PullRequestStateMerged},
}

// connection reads a page of the repository's own list.
func (l *lister) connection(ctx context.Context, after string, n int) (*wireRows, error) {
	variables := map[string]any{
		"owner": githubv4.String(l.repo.Owner), "name": githubv4.String(l.repo.Name),
		"order": githubv4.IssueOrder{
			Field:     githubv4.IssueOrderField(strings.ToUpper(l.req.Sort) + "_AT"),
			Direction: githubv4.OrderDirection(strings.ToUpper(l.req.Direction)),
		},
		"first": githubv4.Int(n),
		"full":  githubv4.Boolean(l.req.Projection == "full"),
	}
	arguments := "first: $first, orderBy: $order"
	set := func(argument string, value any) {
		arguments += fmt.Sprintf(", %s: $%s", argument, argument)
		variables[argument] = value
	}
	for _, filter := range []struct{ argument, value string }{
		{"after", after}, {"baseRefName", l.req.Base}, {"headRefName", l.branch},
	} {
		if filter.value != "" {
			set(filter.argument, githubv4.String(filter.value))
		}
	}
	if of, ok := states[l.req.State]; ok {
		set("states", of)
	}
	if len(l.req.Labels) > 0 {
		set("labels", []githubv4.String{githubv4.String(l.req.Labels[0])})
	}
	query, found := graphql.Field[wireRows]("repository(owner: $owner, name: $name)", "pullRequests("+arguments+")")
	notes, err := l.service.opts.GraphQL.Query(ctx, "PullRequests", query, variables)
	if err != nil {
		return nil, err
	}
	if found() == nil {
		return nil, notes.Fault("repository", resolve.NoRepository(l.repo))
	}
	l.warn(notes.Warnings()...)
	return found(), nil
}

// search reads a page of GitHub's search.
func (l *lister) search(ctx context.Context, after string, n int) (*wireRows, error) {
	var query struct {
		Repository *struct{ ID string } `graphql:"repository(owner: $owner, name: $name)"` // a search finds nothing in one that is not there
		Search     struct {
			IssueCount int
			PageInfo   wirePageInfo
			Edges      []struct {
				Cursor string
				Node   struct {
					PullRequest wireRow `graphql:"... on PullRequest"`
				}
			}
		} `graphql:"search(query: $query, type: ISSUE, first: $first, after: $after)"`
	}
	notes, err := l.service.opts.GraphQL.Query(ctx, "PullRequestSearch", &query, map[string]any{
		"owner": githubv4.String(l.repo.Owner), "name": githubv4.String(l.repo.Name),
		"query": githubv4.String(l.searchQuery()), "first": githubv4.Int(n), "after": cursor(after),
		"full": githubv4.Boolean(l.req.Projection == "full"),
	})
	if err != nil {
		return nil, err
	}
	if query.Repository == nil {
		return nil, notes.Fault("repository", resolve.NoRepository(l.repo))
	}
	l.warn(notes.Warnings()...)
	found := query.Search
	if found.IssueCount > searchLimit {
		l.warn(fmt.Sprintf("GitHub's search gives the first %d of %d matches only; narrow the filters to see the others", searchLimit, found.IssueCount))
	}
	rows := &wireRows{TotalCount: found.IssueCount, PageInfo: found.PageInfo}
	for _, edge := range found.Edges {
		rows.Edges = append(rows.Edges, wireEdge{Cursor: edge.Cursor, Node: edge.Node.PullRequest})
	}
	return rows, nil
}

// cursor is an upstream cursor as a variable; "" is null.
func cursor(value string) *githubv4.String {
	if value == "" {
		return nil
	}
	return githubv4.NewString(githubv4.String(value))
}

// warn adds warnings, each once.
func (l *lister) warn(warnings ...string) {
	for _, warning := range warnings {
		if !slices.Contains(l.result.Warnings, warning) {
			l.result.Warnings = append(l.result.Warnings, warning)
		}
	}
}

// searchStates are the states of the list in the words of GitHub's search.
var searchStates = map[string][]string{
	"open": {"is:open"}, "closed": {"is:closed", "is:unmerged"}, "merged": {"is:merged"},
}

// searchQuery says the filters in the words of GitHub's search.
func (l *lister) searchQuery() string {
	words := append([]string{"repo:" + l.repo.String(), "is:pr"}, searchStates[l.req.State]...)
	for _, filter := range []struct{ qualifier, value string }{
		{"base", l.req.Base}, {"head", l.branch}, {"author", searchLogin(l.req.Author)}, {"review", l.req.Review},
	} {
		if filter.value != "" {
			words = append(words, filter.qualifier+":"+quoteBlank(filter.value))
		}
	}
	if l.req.Draft != nil {
		words = append(words, fmt.Sprintf("draft:%t", *l.req.Draft))
	}
	for _, label := range l.req.Labels {
		words = append(words, "label:"+quoted(label))
	}
	if !l.since.IsZero() {
		words = append(words, "updated:>="+l.since.Format(time.RFC3339))
	}
	return strings.Join(append(words, "sort:"+l.req.Sort+"-"+l.req.Direction), " ")
}

// searchLogin is a login in the words of GitHub's search, which calls the
// account of an app app/name.
func searchLogin(login string) string {
	if app, ok := strings.CutSuffix(login, "[bot]"); ok {
		return "app/" + app
	}
	return login
}

// quoted is a search term in quotes; a quote inside cannot be said in
// GitHub's search.
func quoted(term string) string { return `"` + strings.ReplaceAll(term, `"`, "") + `"` }

// quoteBlank quotes a term that would otherwise end early.
func quoteBlank(term string) string {
	if strings.ContainsAny(term, " \t\n\"") {
		return quoted(term)
	}
	return term
}

func (l *lister) add(cursor string, wire wireRow) {
	row := Row{Number: wire.Number, Title: wire.Title, URL: wire.URL, State: wire.State, author: wire.author()}
	if l.req.Projection != "title" {
		summary := wire.summary()
		row.Summary = &summary
	}
	if l.req.Projection == "full" {
		row.Body = &wire.Body
	}
	l.result.PullRequests = append(l.result.PullRequests, row)
	l.result.trail.Ends = append(l.result.trail.Ends, cursor)
}

// explainLabels says which of the labels do not exist, if that is why nothing
// was found. The empty list stands, whatever becomes of the question.
func (l *lister) explainLabels(ctx context.Context) {
	var query struct {
		Repository *struct {
			Labels *struct {
				PageInfo wirePageInfo
				Nodes    []struct{ Name string }
			} `graphql:"labels(first: 100)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	_, err := l.service.opts.GraphQL.Query(ctx, "LabelNames", &query, map[string]any{
		"owner": githubv4.String(l.repo.Owner), "name": githubv4.String(l.repo.Name),
	})
	if err != nil || query.Repository == nil || query.Repository.Labels == nil || query.Repository.Labels.PageInfo.HasNextPage {
		return
	}
	var names []string
	for _, label := range query.Repository.Labels.Nodes {
		names = append(names, label.Name)
	}
	for _, label := range l.req.Labels {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, label) }) {
			continue
		}
		warning := fmt.Sprintf("%s has no label %q", l.repo, label)
		if near := contract.Nearest(label, names); near != "" {
			warning += fmt.Sprintf("; did you mean %q?", near)
		}
		l.warn(warning)
	}
}

// Items is how many rows the page holds.
func (r *ListResult) Items() int { return len(r.PullRequests) }

func (r *Row) body() *page.SlicedBody { return &r.SlicedBody }

// Keep is the page with its first n rows only.
func (r *ListResult) Keep(n int) any {
	cut := *r
	cut.PullRequests = page.Keep(&r.trail, &cut.Head, r.PullRequests, n, (*Row).body)
	return &cut
}

// Slice is the page with its first row only, and of that row's body a part.
func (r *ListResult) Slice(n int) any {
	cut := *r
	cut.PullRequests = page.Slice(&r.trail, &cut.Head, r.PullRequests, n, (*Row).body)
	if cut.PullRequests == nil {
		return nil
	}
	return &cut
}

// VisitTexts shows every authored text of the rows.
func (r *ListResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.PullRequests {
		row := &r.PullRequests[i]
		shown := trust.Row{List: "pullRequests", At: fmt.Sprintf("pull_request:%d", row.Number), Author: &row.author, Title: &row.Title, Body: row.Body}
		if row.Summary == nil {
			shown.Visit(visit)
			continue
		}
		shown.Level = &row.AuthorTrust
		shown.Visit(visit)
		shown.VisitNames(visit, "labels", row.Labels)
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (r *ListResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
