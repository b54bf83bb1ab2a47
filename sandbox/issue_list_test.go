package sandbox_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// numbers are those of the nodes of a connection.
func numbers(got reply, path ...any) (found []any) {
	for n := 0; ; n++ {
		number := got.at(append(append([]any{}, path...), "nodes", n, "number")...)
		if number == nil {
			return found
		}
		found = append(found, number)
	}
}

func TestListsFilterIssues(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for filter, want := range map[string][]any{
		`filterBy: {assignee: "octo-write", states: [OPEN]}`:                                       {101.0, 110.0, 127.0, 128.0},
		`filterBy: {createdBy: "pavel-novak"}, states: [CLOSED]`:                                   {112.0},
		`filterBy: {milestone: "2", labels: ["question"]}`:                                         {126.0, 127.0},
		`filterBy: {milestone: "0.9 \"preview\""}`:                                                 {112.0},
		`labels: ["security", "wontfix"]`:                                                          {110.0, 113.0, 120.0},
		`filterBy: {since: "2026-04-02T00:00:00Z"}`:                                                {162.0},
		`filterBy: {assignee: null, milestone: null, labels: ["needs-info", "duplicate"]}`:         {114.0},
		`filterBy: {assignee: "*"}, states: [CLOSED]`:                                              {105.0},
		`states: [CLOSED], orderBy: {field: UPDATED_AT, direction: DESC}, labels: ["enhancement"]`: {162.0, 106.0, 105.0},
		`labels: ["bug"], orderBy: {field: COMMENTS, direction: DESC}`:                             {101.0, 103.0, 118.0, 114.0, 112.0, 127.0, 115.0},
	} {
		t.Run(filter, func(t *testing.T) {
			got := must(t, s, sandbox.ReadToken, `{ `+home+` { issues(first: 9, `+filter+`) { nodes { number } } } }`)
			if diff := cmp.Diff(want, numbers(got, "repository", "issues")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestListsFilterPullRequests(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for filter, want := range map[string][]any{
		`states: [MERGED]`: {203.0}, `states: [CLOSED]`: {204.0}, `baseRefName: "release/1.2"`: {214.0}, `headRefName: "fix/ties"`: {201.0},
		`labels: ["performance"]`: {206.0, 210.0}, `states: [OPEN], labels: ["documentation"], orderBy: {field: UPDATED_AT, direction: DESC}`: {207.0},
	} {
		got := must(t, s, sandbox.ReadToken, `{ `+home+` { pullRequests(first: 9, `+filter+`) { nodes { number } } } }`)
		if diff := cmp.Diff(want, numbers(got, "repository", "pullRequests")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filter, diff)
		}
	}
}

func TestListsOfIssuesHavePages(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	seen, cursor := map[any]bool{}, any(nil)
	for range 4 {
		got := must(t, s, sandbox.ReadToken, `query($after: String) { `+home+` { issues(first: 20, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) { totalCount nodes { number } pageInfo { hasNextPage endCursor } } } }`, "after", cursor)
		for _, number := range numbers(got, "repository", "issues") {
			seen[number] = true
		}
		cursor = got.at("repository", "issues", "pageInfo", "endCursor")
		if got.at("repository", "issues", "totalCount") != 62.0 {
			t.Errorf("count %v", got.at("repository", "issues", "totalCount"))
		}
	}
	if len(seen) != 62 {
		t.Errorf("four pages of 20 gave %d of 62", len(seen))
	}
}

func TestSearchFindsIssuesAndPullRequests(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for query, want := range map[string][]any{
		`is:issue is:open label:bug label:question`:                   {127.0},
		`is:issue label:security,wontfix sort:created-asc`:            {110.0, 113.0, 120.0},
		`is:issue author:@me is:closed`:                               {162.0},
		`is:issue assignee:@me milestone:1.0`:                         {101.0},
		`is:issue no:assignee no:milestone no:label sort:created-asc`: {117.0, 121.0, 122.0, 125.0},
		`is:issue no:milestone label:duplicate`:                       {114.0},
		`is:pr is:merged`:                                             {203.0},
		`is:pr is:closed is:unmerged`:                                 {204.0},
		`is:pr draft:true`:                                            {202.0},
		`is:pr is:draft`:                                              {202.0},
		`is:pr -is:draft base:release/1.2`:                            {214.0},
		`is:pr head:fix/ties`:                                         {201.0},
		`is:pr review:approved is:open`:                               {207.0},
		`is:pr review:changes_requested`:                              {206.0},
		`is:pr review:none is:open author:cinder-agent`:               {210.0},
		`is:pr review:required is:open author:octo-write label:bug`:   {201.0},
		`is:pr reviewed-by:mei-tanaka`:                                nil,
		`is:pr review-requested:octo-triage`:                          {201.0},
		`involves:sam-osei is:issue sort:created-asc`:                 {113.0, 116.0},
		`commenter:octo-triage is:issue label:security`:               {120.0},
		`PINEAPPLE`:          {122.0},
		`PINEAPPLE in:title`: nil,
		`"Tom & " in:title`:  {118.0},
		`is:issue created:2026-02-24..2026-02-25 sort:created-asc`: {119.0, 120.0},
		`updated:>=2026-04-02 is:issue`:                            {162.0},
		`is:issue type:Feature sort:created-asc`:                   {104.0, 160.0},
		`is:issue is:locked`:                                       {116.0},
		`is:issue reason:not-planned`:                              {113.0},
		`comments:>300`:                                            {102.0},
		`nonsense:qualifier`:                                       nil,
		`repo:octo-org/nowhere is:issue`:                           nil,
	} {
		t.Run(query, func(t *testing.T) {
			got := must(t, s, sandbox.WriteToken, `query($q: String!) { search(query: $q, type: ISSUE, first: 9) { issueCount nodes { ... on Issue { number } ... on PullRequest { number } } } }`, "q", "repo:octo-org/hello "+query)
			if diff := cmp.Diff(want, numbers(got, "search")); diff != "" || got.at("search", "issueCount") != float64(len(want)) {
				t.Errorf("%v found (-want +got):\n%s", got.at("search", "issueCount"), diff)
			}
		})
	}
}

func TestSearchStopsAtAThousand(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	r := idOf(t, s, `id`, "id")
	for n := range 10 {
		query := `mutation($r: ID!) { `
		for i := range 100 {
			query += fmt.Sprintf(`i%d: createIssue(input: {repositoryId: $r, title: "flood %d"}) { clientMutationId } `, i, n)
		}
		must(t, s, sandbox.ReadToken, query+`}`, "r", r)
	}
	got := must(t, s, sandbox.ReadToken, `{ search(query: "flood sort:created-asc", type: ISSUE, last: 100) { issueCount nodes { ... on Issue { number } } } all: search(query: "repo:octo-org/hello is:issue sort:created-asc", type: ISSUE, last: 1) { issueCount nodes { ... on Issue { number } } pageInfo { hasNextPage } } }`)
	if got.at("search", "issueCount") != 1000.0 || got.at("all", "issueCount") != 1062.0 || got.at("all", "nodes", 0, "number") != 1938.0 || got.at("all", "pageInfo", "hasNextPage") != false {
		t.Errorf("%v and %v found, the last that can be reached is %v", got.at("search", "issueCount"), got.at("all", "issueCount"), got.at("all", "nodes", 0, "number"))
	}
}
