package issue

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// searchLimit is how many rows GitHub's search gives at most.
const searchLimit = 1000

// SearchRequest are the arguments of search_issues.
type SearchRequest struct {
	Repo      *string `json:"repo,omitempty"`
	Query     string  `json:"query"`
	Type      string  `json:"type,omitempty"`
	Sort      string  `json:"sort,omitempty"`
	Direction string  `json:"direction,omitempty"`
	Limit     int     `json:"limit,omitempty"`
	Cursor    string  `json:"cursor,omitempty"`
}

// SearchResult is a page of hits.
type SearchResult struct {
	page.Head
	Incomplete   bool               `json:"incomplete"`
	Results      []Hit              `json:"results"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`

	trail page.Trail
}

// Hit is a thread that was found.
type Hit struct {
	Kind        ref.Kind     `json:"kind"`
	Number      int          `json:"number"`
	Title       string       `json:"title"`
	State       string       `json:"state"`
	URL         string       `json:"url"`
	Repository  string       `json:"repository"`
	Author      thread.Actor `json:"author"`
	AuthorTrust string       `json:"authorTrust"`
	UpdatedAt   time.Time    `json:"updatedAt"`
	Labels      []string     `json:"labels"`

	author trust.Author
}

// wireHit is what every kind of hit has alike.
type wireHit struct {
	Number            int
	Title             string
	URL               string `graphql:"url"`
	Author            *wireActor
	AuthorAssociation string
	ViewerDidAuthor   bool
	UpdatedAt         time.Time
	Repository        struct{ NameWithOwner string }
	Labels            *struct{ Nodes []label } `graphql:"labels(first: 100)"`
}

// wireHits is a page of a search of one type.
type wireHits struct {
	IssueCount      int
	DiscussionCount int
	PageInfo        wirePageInfo
	Edges           []struct {
		Cursor string
		Node   struct {
			Typename string `graphql:"__typename"`
			Issue    struct {
				wireHit
				State string `graphql:"issueState: state"`
			} `graphql:"... on Issue"`
			PullRequest struct {
				wireHit
				State string `graphql:"pullRequestState: state"`
			} `graphql:"... on PullRequest"`
			Discussion struct {
				wireHit
				Closed bool
			} `graphql:"... on Discussion"`
		}
	}
}

// scoped finds a qualifier that says where to search.
var scoped = regexp.MustCompile(`(?i)(^|[\s(])-?(repo|org|user):`)

// Search finds issues, pull requests and discussions with GitHub's search.
func (s *Service) Search(ctx context.Context, req SearchRequest) (_ *SearchResult, err error) {
	defer fault.Wrap(&err, "issue.Search")
	text, err := s.scope(&req)
	if err != nil {
		return nil, err
	}
	if req.Type == "" {
		req.Type = "issue"
	}
	if req.Direction == "" {
		req.Direction = "desc"
	}
	if req.Limit == 0 {
		req.Limit = 30
	}
	if req.Sort != "" {
		text += " sort:" + req.Sort + "-" + req.Direction
	}
	result := &SearchResult{Results: []Hit{}, trail: page.Trail{
		Binding: page.Bind("search_issues", text, req.Type),
		Next: func(cursor string) any {
			req.Cursor = cursor
			return req
		},
	}}
	if err := result.trail.Open(req.Cursor); err != nil {
		return nil, err
	}
	return result, s.searchParts(ctx, req, text, result)
}

// scope keeps the search in the repository, unless the query says where to
// search.
func (s *Service) scope(req *SearchRequest) (string, error) {
	if strings.TrimSpace(req.Query) == "" {
		return "", fault.New(fault.InvalidArguments, "query is blank").WithFix("Pass words or qualifiers.").With("argument", "query")
	}
	if scoped.MatchString(req.Query) {
		if req.Repo != nil {
			return "", fault.New(fault.AmbiguousArguments, "repo is given, and query says itself where to search").
				WithFix("Leave repo out, or the qualifier in query.").With("argument", "repo")
		}
		return req.Query, nil
	}
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return "", err
	}
	name := repo.String()
	req.Repo = &name
	return req.Query + " repo:" + name, nil
}

// A search of all kinds is two searches of GitHub's, one behind the other. The
// cursors of the second are marked.
const second = "d:"

// searchParts fills the page from the searches that the type needs.
func (s *Service) searchParts(ctx context.Context, req SearchRequest, text string, result *SearchResult) error {
	after, total := result.trail.Start.After, 0
	inSecond := strings.HasPrefix(after, second)
	if req.Type != "discussion" && !inSecond {
		kind := map[string]string{"issue": " is:issue", "pr": " is:pr"}[req.Type]
		hits, err := s.search(ctx, result, text+kind, "ISSUE", after, req.Limit)
		if err != nil {
			return err
		}
		result.add(hits, "")
		total = hits.IssueCount
		if req.Type != "all" {
			result.count(total)
			return nil
		}
		if len(result.Results) == req.Limit {
			result.trail.More = true // discussions at least may follow
			result.Incomplete = total > searchLimit
			return nil
		}
		after = ""
	}
	limit := req.Limit - len(result.Results)
	hits, err := s.search(ctx, result, text, "DISCUSSION", strings.TrimPrefix(after, second), limit)
	if err != nil {
		return err
	}
	mark := ""
	if req.Type == "all" {
		mark = second
	}
	result.add(hits, mark)
	if req.Type == "discussion" || !inSecond {
		result.count(total + hits.DiscussionCount)
	}
	return nil
}

// search is a page of one search; what is wrong with it goes to the result.
func (s *Service) search(ctx context.Context, result *SearchResult, text, kind, after string, size int) (hits *wireHits, err error) {
	err = graphql.Shrink(ctx, size, func(n int) error {
		var query struct {
			Search wireHits `graphql:"search(query: $query, type: $type, first: $first, after: $after)"`
		}
		variables := map[string]any{
			"query": githubv4.String(text), "type": githubv4.SearchType(kind), "first": githubv4.Int(n), "after": (*githubv4.String)(nil),
		}
		if after != "" {
			variables["after"] = githubv4.NewString(githubv4.String(after))
		}
		notes, err := s.opts.GraphQL.Query(ctx, "Search", &query, variables)
		hits = &query.Search
		for _, warning := range notes.Warnings() {
			result.Warnings = warned(result.Warnings, warning)
		}
		return err
	})
	return hits, err
}

// count says how many hits there are, and that GitHub shows the first only.
func (r *SearchResult) count(total int) {
	r.TotalCount = &total
	if total > searchLimit {
		r.Incomplete = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("GitHub's search shows the first %d of %d hits; narrow the query to see the others", searchLimit, total))
	}
}

func (r *SearchResult) add(hits *wireHits, mark string) {
	for _, edge := range hits.Edges {
		var hit Hit
		switch node := edge.Node; node.Typename {
		case "Issue":
			hit = node.Issue.hit(ref.Issue, node.Issue.State)
		case "PullRequest":
			hit = node.PullRequest.hit(ref.PullRequest, node.PullRequest.State)
		case "Discussion":
			hit = node.Discussion.hit(ref.Discussion, map[bool]string{true: "CLOSED", false: "OPEN"}[node.Discussion.Closed])
		default:
			continue
		}
		r.Results = append(r.Results, hit)
		r.trail.Ends = append(r.trail.Ends, mark+edge.Cursor)
	}
	r.trail.More = hits.PageInfo.HasNextPage
}

func (w wireHit) hit(kind ref.Kind, state string) Hit {
	return Hit{
		Kind: kind, Number: w.Number, Title: w.Title, State: state, URL: w.URL, Repository: w.Repository.NameWithOwner,
		Author: thread.ActorOf(w.Author.login()), UpdatedAt: w.UpdatedAt.UTC(), Labels: wireLabelable{Labels: w.Labels}.names(),
		author: trust.Author{Login: w.Author.login(), Association: w.AuthorAssociation, IsViewer: w.ViewerDidAuthor},
	}
}

// Items is how many hits the page holds.
func (r *SearchResult) Items() int { return len(r.Results) }

// Keep is the page with its first n hits only.
func (r *SearchResult) Keep(n int) any {
	cut := *r
	cut.Results = slices.Clone(r.Results[:n:n])
	r.trail.Cut(&cut.Head, n)
	return &cut
}

// Slice is nil: a hit has no body.
func (r *SearchResult) Slice(int) any { return nil }

// VisitTexts shows every authored text of the hits.
func (r *SearchResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.Results {
		hit := &r.Results[i]
		at := fmt.Sprintf("%s:%s#%d", hit.Kind, hit.Repository, hit.Number)
		shown := trust.Row{List: "results", At: at, Author: &hit.author, Level: &hit.AuthorTrust, Title: &hit.Title}
		shown.Visit(visit)
		shown.VisitNames(visit, "labels", hit.Labels)
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (r *SearchResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
