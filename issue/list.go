package issue

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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

const (
	none     = "none" // of assignee and milestone
	me       = "@me"
	maxPage  = 100 // the most GitHub gives at once
	maxPages = 10  // pages of one call that looks for rows with all the labels
)

// ListRequest are the arguments of list_issues.
type ListRequest struct {
	Repo       *string  `json:"repo,omitempty"`
	State      string   `json:"state,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	Assignee   string   `json:"assignee,omitempty"`
	Author     string   `json:"author,omitempty"`
	Milestone  string   `json:"milestone,omitempty"`
	Since      string   `json:"since,omitempty"`
	Sort       string   `json:"sort,omitempty"`
	Direction  string   `json:"direction,omitempty"`
	Limit      int      `json:"limit,omitempty"`
	Cursor     string   `json:"cursor,omitempty"`
	Projection string   `json:"projection,omitempty"`
}

// Row is an issue in a list. A title row has the first four members only.
type Row struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	State  string `json:"state"`
	URL    string `json:"url"`
	*Summary
	page.SlicedBody

	author trust.Author
}

// Summary is what a summary row adds to a title row.
type Summary struct {
	StateReason   string       `json:"stateReason,omitempty"`
	Labels        []string     `json:"labels"`
	Assignees     []string     `json:"assignees"`
	Milestone     string       `json:"milestone,omitempty"`
	Type          string       `json:"type,omitempty"`
	Author        thread.Actor `json:"author"`
	AuthorTrust   string       `json:"authorTrust"`
	CommentsCount int          `json:"commentsCount"`
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
	ID            string       `json:"id"`
}

// ListResult is a page of issues.
type ListResult struct {
	page.Head
	Issues       []Row              `json:"issues"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`

	trail page.Trail
}

type wireActor struct{ Login string }

func (a *wireActor) login() string {
	if a == nil {
		return ""
	}
	return a.Login
}

type wirePageInfo struct {
	HasNextPage bool
	EndCursor   string
}

// wireRow is an issue in a list.
type wireRow struct {
	ID                string
	Number            int
	Title             string
	Body              string `graphql:"body: body @include(if: $full)"`
	URL               string `graphql:"url"`
	State             string
	StateReason       *string `graphql:"stateReason(enableDuplicate: true)"`
	Author            *wireActor
	AuthorAssociation string
	ViewerDidAuthor   bool
	CreatedAt         time.Time
	UpdatedAt         time.Time
	Milestone         *struct{ Title string }
	IssueType         *struct{ Name string }
	Comments          struct{ TotalCount int }     `graphql:"comments(last: 1)"`
	Labels            *struct{ Nodes []label }     `graphql:"labels(first: 100)"`
	Assignees         struct{ Nodes []*wireActor } `graphql:"assignees(first: 20)"`
}

// wireRows is a page of the repository's issues.
type wireRows struct {
	TotalCount int
	PageInfo   wirePageInfo
	Edges      []struct {
		Cursor string
		Node   wireRow
	}
}

// IssueFilters is GitHub's input of that name. Unlike the library's, it can say
// null, which is how GitHub is asked for issues without an assignee or a
// milestone; a filter that is not set has to be left out.
type IssueFilters map[string]any //nolint:revive // the Go name is the name in GraphQL

// List lists issues, never pull requests.
func (s *Service) List(ctx context.Context, req ListRequest) (_ *ListResult, err error) {
	defer fault.Wrap(&err, "issue.List")
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	name := repo.String()
	req.Repo = &name
	req.fill()
	result := &ListResult{Issues: []Row{}, trail: req.trail(repo)}
	if err := result.trail.Open(req.Cursor); err != nil {
		return nil, err
	}
	req.Limit = result.trail.Limit(req.Limit)
	l := &lister{service: s, repo: repo, req: req, result: result}
	filters, err := l.filters(ctx)
	if err != nil || filters == nil {
		return result, err
	}
	if err := l.collect(ctx, filters); err != nil {
		return nil, err
	}
	return result, l.warnOfLabels(ctx)
}

// fill puts in what is absent.
func (r *ListRequest) fill() {
	for at, fallback := range map[*string]string{
		&r.State: "open", &r.Sort: "updated", &r.Direction: "desc", &r.Projection: "summary",
	} {
		if *at == "" {
			*at = fallback
		}
	}
	if r.Limit == 0 {
		r.Limit = 30
	}
}

func (r ListRequest) trail(repo ref.Repo) page.Trail {
	return page.Trail{
		Binding: page.Bind("list_issues", strings.ToLower(repo.String()), r.State, strings.Join(r.Labels, "\x00"),
			r.Assignee, r.Author, r.Milestone, r.Since, r.Sort, r.Direction, r.Projection),
		Next: func(cursor string) any {
			r.Cursor = cursor
			return r
		},
	}
}

// lister fills one page of a list.
type lister struct {
	service *Service
	repo    ref.Repo
	req     ListRequest
	result  *ListResult
}

// filters says the arguments in GitHub's words; nil, with a warning in the
// result, when nothing can match.
func (l *lister) filters(ctx context.Context) (IssueFilters, error) {
	filters := IssueFilters{}
	if l.req.Since != "" {
		since, err := page.ParseTime("since", l.req.Since)
		if err != nil {
			return nil, err
		}
		filters["since"] = since
	}
	if len(l.req.Labels) > 0 {
		filters["labels"] = l.req.Labels // any of them; all of them is seen to below
	}
	for name, login := range map[string]string{"assignee": l.req.Assignee, "createdBy": l.req.Author} {
		switch {
		case name == "assignee" && login == none:
			filters[name] = nil
		case login == me:
			viewer, err := l.service.viewer(ctx)
			if err != nil {
				return nil, err
			}
			filters[name] = viewer
		case login != "":
			filters[name] = strings.TrimPrefix(login, "@")
		}
	}
	return l.milestone(ctx, filters)
}

// milestone adds the milestone by its number, which GitHub filters by.
func (l *lister) milestone(ctx context.Context, filters IssueFilters) (IssueFilters, error) {
	switch l.req.Milestone {
	case "":
		return filters, nil
	case none:
		filters["milestoneNumber"] = nil
		return filters, nil
	}
	found, known, err := l.service.findMilestone(ctx, l.repo, l.req.Milestone)
	if err != nil {
		return nil, err
	}
	if found == nil {
		l.result.Warnings = append(l.result.Warnings, fmt.Sprintf("there is no milestone %q; there are: %s", l.req.Milestone, orNone(known)))
		l.result.TotalCount = new(0)
		return nil, nil
	}
	filters["milestoneNumber"] = strconv.Itoa(found.Number)
	return filters, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// collect reads pages until the limit is reached. Only labels need more than
// one: GitHub gives issues with any of them.
func (l *lister) collect(ctx context.Context, filters IssueFilters) error {
	after := l.result.trail.Start.After
	all := len(l.req.Labels) > 1
	for range maxPages {
		size := l.req.Limit - len(l.result.Issues)
		if all {
			size = maxPage
		}
		rows, err := l.read(ctx, filters, after, size)
		if err != nil {
			return err
		}
		if !all {
			l.result.TotalCount = &rows.TotalCount
		}
		l.result.trail.More = rows.PageInfo.HasNextPage
		for i, edge := range rows.Edges {
			if !edge.Node.hasLabels(l.req.Labels) {
				continue
			}
			l.add(edge.Cursor, edge.Node)
			if len(l.result.Issues) == l.req.Limit {
				l.result.trail.More = l.result.trail.More || i+1 < len(rows.Edges)
				return nil
			}
		}
		if !rows.PageInfo.HasNextPage || rows.PageInfo.EndCursor == after {
			return nil
		}
		after = rows.PageInfo.EndCursor
	}
	l.result.Warnings = append(l.result.Warnings, fmt.Sprintf(
		"%d issues with any of the labels were looked at for those with all of them; there are more", maxPages*maxPage))
	l.result.trail.Rest = after
	return nil
}

// warnOfLabels says, where nothing was found, which of the labels do not exist.
func (l *lister) warnOfLabels(ctx context.Context) error {
	if len(l.result.Issues) > 0 || len(l.req.Labels) == 0 || l.req.Cursor != "" {
		return nil
	}
	known, err := l.service.repositoryLabels(ctx, l.repo)
	if err != nil {
		return err
	}
	for _, name := range l.req.Labels {
		if _, ok := find(known, name); !ok {
			unknown := fault.From(unknownLabel(l.repo, name, known))
			l.result.Warnings = append(l.result.Warnings, fmt.Sprintf("there is no label %q. %s", name, unknown.Fix))
		}
	}
	return nil
}

func (l *lister) read(ctx context.Context, filters IssueFilters, after string, size int) (rows *wireRows, err error) {
	variables := map[string]any{
		"owner": githubv4.String(l.repo.Owner), "name": githubv4.String(l.repo.Name),
		"order": githubv4.IssueOrder{
			Field:     map[string]githubv4.IssueOrderField{"updated": "UPDATED_AT", "created": "CREATED_AT", "comments": "COMMENTS"}[l.req.Sort],
			Direction: githubv4.OrderDirection(strings.ToUpper(l.req.Direction)),
		},
		"full": githubv4.Boolean(l.req.Projection == "full"),
	}
	arguments := "first: $first, orderBy: $order"
	set := func(name string, value any) {
		arguments += fmt.Sprintf(", %s: $%s", name, name)
		variables[name] = value
	}
	if after != "" {
		set("after", githubv4.String(after))
	}
	if l.req.State != "all" {
		set("states", []githubv4.IssueState{githubv4.IssueState(strings.ToUpper(l.req.State))})
	}
	if len(filters) > 0 {
		set("filterBy", filters)
	}
	err = graphql.Shrink(ctx, size, func(n int) error {
		variables["first"] = githubv4.Int(n)
		query, found := graphql.Field[wireRows]("repository(owner: $owner, name: $name)", "issues("+arguments+")")
		notes, err := l.service.opts.GraphQL.Query(ctx, "Issues", query, variables)
		if err != nil {
			return err
		}
		if rows = found(); rows == nil {
			return notes.Fault("repository", resolve.NoRepository(l.repo))
		}
		for _, warning := range notes.Warnings() {
			if !slices.Contains(l.result.Warnings, warning) {
				l.result.Warnings = append(l.result.Warnings, warning)
			}
		}
		return nil
	})
	return rows, err
}

func (w wireRow) labels() []string {
	return wireLabelable{Labels: w.Labels}.names()
}

// hasLabels reports whether the issue has all the labels.
func (w wireRow) hasLabels(wanted []string) bool {
	has := w.labels()
	return !slices.ContainsFunc(wanted, func(want string) bool {
		return !slices.ContainsFunc(has, func(label string) bool { return strings.EqualFold(label, want) })
	})
}

func (l *lister) add(cursor string, wire wireRow) {
	row := Row{
		Number: wire.Number, Title: wire.Title, State: wire.State, URL: wire.URL,
		author: trust.Author{Login: wire.Author.login(), Association: wire.AuthorAssociation, IsViewer: wire.ViewerDidAuthor},
	}
	if l.req.Projection != "title" {
		row.Summary = wire.summary()
	}
	if l.req.Projection == "full" {
		row.Body = &wire.Body
	}
	l.result.Issues = append(l.result.Issues, row)
	l.result.trail.Ends = append(l.result.trail.Ends, cursor)
}

func (w wireRow) summary() *Summary {
	summary := &Summary{
		Labels: w.labels(), Assignees: []string{}, Author: thread.ActorOf(w.Author.login()), CommentsCount: w.Comments.TotalCount,
		CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(), ID: w.ID,
	}
	for _, assignee := range w.Assignees.Nodes {
		summary.Assignees = append(summary.Assignees, thread.ActorOf(assignee.login()).Login)
	}
	if w.StateReason != nil {
		summary.StateReason = *w.StateReason
	}
	if w.Milestone != nil {
		summary.Milestone = w.Milestone.Title
	}
	if w.IssueType != nil {
		summary.Type = w.IssueType.Name
	}
	return summary
}

// Items is how many rows the page holds.
func (r *ListResult) Items() int { return len(r.Issues) }

// Keep is the page with its first n rows only.
func (r *ListResult) Keep(n int) any {
	cut := *r
	cut.Issues = page.Keep(&r.trail, &cut.Head, r.Issues, n, (*Row).text)
	return &cut
}

// Slice is the page with its first row only, and of that row's body a part.
func (r *ListResult) Slice(n int) any {
	cut := *r
	if cut.Issues = page.Slice(&r.trail, &cut.Head, r.Issues, n, (*Row).text); cut.Issues == nil {
		return nil
	}
	return &cut
}

func (row *Row) text() *page.SlicedBody { return &row.SlicedBody }

// VisitTexts shows every authored text of the rows.
func (r *ListResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.Issues {
		row := &r.Issues[i]
		shown := trust.Row{List: "issues", At: fmt.Sprintf("issue:%d", row.Number), Author: &row.author, Title: &row.Title, Body: row.Body}
		if row.Summary == nil {
			shown.Visit(visit)
			continue
		}
		shown.Level = &row.AuthorTrust
		shown.Visit(visit)
		shown.VisitName(visit, "milestone", &row.Milestone)
		shown.VisitName(visit, "type", &row.Type)
		shown.VisitNames(visit, "labels", row.Labels)
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (r *ListResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
