package resolve_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

var hello = ref.Repo{Owner: "octo-org", Name: "hello"}

// asAdmin sends the admin's token; what the product's transport does beside
// that is not of interest here.
type asAdmin struct{}

func (asAdmin) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+sandbox.AdminToken)
	request.Header.Set("X-Github-Next-Global-ID", "1")
	return http.DefaultTransport.RoundTrip(request)
}

func open(t *testing.T) *resolve.Resolver {
	running := sandbox.StartTest(t, sandbox.Options{})
	client := graphql.New(graphql.Options{URL: running.GraphQLURL(), HTTP: &http.Client{Transport: asAdmin{}}})
	return resolve.New(client, ref.Web{AnyHost: true})
}

func TestEverySpellingFindsTheSameComment(t *testing.T) {
	resolver := open(t)
	in := ref.Thread{Repo: hello, Kind: ref.Discussion, Number: 3}
	for _, test := range []struct {
		value string
		in    ref.Thread
	}{
		{"DC_kwDODSw4pM4Atxwz", ref.Thread{}}, {"discussioncomment-12000307", ref.Thread{}}, {"12000307", in},
		{"https://github.com/octo-org/hello/discussions/3#discussioncomment-12000307", ref.Thread{}},
		{"https://github.com/octo-org/hello/discussions/3?sort=new#discussioncomment-12000307", in},
	} {
		got, err := resolver.Comment(context.Background(), resolve.Want{Repo: hello, Field: "comment_id", Value: test.value, Thread: test.in})
		if err != nil || got.ID != "DC_kwDODSw4pM4Atxwz" || got.DatabaseID != 12000307 || got.Thread.Number != 3 || got.Type != ref.DiscussionComment {
			t.Errorf("%s: %+v, %v", test.value, got, err)
		}
	}
}

func TestNoCommentOfAnotherPlaceIsFound(t *testing.T) {
	resolver := open(t)
	other := ref.Thread{Repo: hello, Kind: ref.Discussion, Number: 2}
	for _, test := range []struct {
		name, value string
		repo        ref.Repo
		in          ref.Thread
		code        fault.Code
	}{
		{"another discussion", "DC_kwDODSw4pM4Atxwz", hello, other, fault.NotFound},
		{"another discussion, by number", "12000307", hello, other, fault.NotFound},
		{"another discussion's URL", "https://github.com/octo-org/hello/discussions/2#discussioncomment-12000307", hello, ref.Thread{}, fault.NotFound},
		{"another repository", "DC_kwDODSw4pM4Atxwz", ref.Repo{Owner: "octo-org", Name: "private"}, ref.Thread{}, fault.NotFound},
		{"a number that is nothing", "discussioncomment-99", hello, ref.Thread{}, fault.NotFound},
		{"a bare number without a thread", "12000307", hello, ref.Thread{}, fault.AmbiguousArguments},
		{"no spelling", "evilcomment-12000307", hello, ref.Thread{}, fault.MalformedCommentID},
		{"a repository that is not there", "discussioncomment-12000307", ref.Repo{Owner: "octo-org", Name: "nope"}, ref.Thread{}, fault.NotFoundOrNoAccess},
	} {
		got, err := resolver.Comment(context.Background(), resolve.Want{Repo: test.repo, Field: "comment_id", Value: test.value, Thread: test.in})
		if !fault.Is(err, test.code) || got.ID != "" {
			t.Errorf("%s: %+v, %v; want %s", test.name, got, err, test.code)
		}
	}
}

func TestNamed(t *testing.T) {
	if got, err := resolve.Named(hello, 0, 0, 7); err != nil || got != (ref.Thread{Repo: hello, Kind: ref.PullRequest, Number: 7}) {
		t.Errorf("one number: %v, %v", got, err)
	}
	if got, err := resolve.Named(hello, 0, 0, 0); err != nil || got.Number != 0 {
		t.Errorf("no number: %v, %v", got, err)
	}
	if _, err := resolve.Named(hello, 3, 3, 0); !fault.Is(err, fault.AmbiguousArguments) {
		t.Errorf("two numbers: %v", err)
	}
}
