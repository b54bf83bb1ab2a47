package repository_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// open is a Service on a sandbox of its own, with the home octo-org/hello.
func open(t *testing.T, token string) (*repository.Service, *sandbox.Running) {
	t.Helper()
	github := sandbox.StartTest(t, sandbox.Options{})
	return connect(t, github.URL, settings{token: token}), github
}

func list(t *testing.T, service *repository.Service, req repository.LabelsRequest) *repository.LabelsResult {
	t.Helper()
	result, err := service.ListLabels(t.Context(), req)
	if err != nil {
		t.Fatalf("ListLabels(%+v): %v", req, err)
	}
	keepsContract(t, "list_labels", result)
	return result
}

func names(result *repository.LabelsResult) []string {
	names := []string{}
	for _, label := range result.Labels {
		names = append(names, label.Name)
	}
	return names
}

func TestListLabels(t *testing.T) {
	service, github := open(t, sandbox.ReadToken)
	result := list(t, service, repository.LabelsRequest{})
	if len(github.Requests()) != 1 {
		t.Errorf("%d requests, want 1", len(github.Requests()))
	}
	if result.Count != 15 || result.TotalCount == nil || *result.TotalCount != 15 || result.Truncated || result.Next != nil {
		t.Errorf("head is %+v, want all 15 labels and nothing more", result.Head)
	}
	found := result.Labels[slices.Index(names(result), "bug")]
	if id, ok := ref.DecodeNodeID(found.ID); !ok || id.TypeName() != "Label" {
		t.Errorf("label %+v has no label's id", found)
	}
	if len(found.Color) != 6 || found.Description == "" {
		t.Errorf("label %+v, want its colour and description", found)
	}
	if !slices.IsSortedFunc(result.Labels, func(a, b repository.Label) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	}) {
		t.Errorf("labels %v are not in the order of their names", names(result))
	}
}

func TestListLabelsByQuery(t *testing.T) {
	service, _ := open(t, sandbox.ReadToken)
	result := list(t, service, repository.LabelsRequest{Query: "area"})
	if diff := cmp.Diff([]string{"area: reader", "area: writer"}, names(result)); diff != "" || *result.TotalCount != 2 {
		t.Errorf("labels with area (-want +got), of %d:\n%s", *result.TotalCount, diff)
	}
	none := list(t, service, repository.LabelsRequest{Query: "no such label anywhere"})
	if data, err := page.Encode(none); err != nil || !strings.Contains(string(data), `"labels":[]`) {
		t.Errorf("an empty page is %s, %v, want an empty list", data, err)
	}
}

// Every page's next, passed on as it is, gives each label once and in order.
func TestListLabelsPages(t *testing.T) {
	service, _ := open(t, sandbox.ReadToken)
	all := names(list(t, service, repository.LabelsRequest{Limit: 100}))
	for limit := 1; limit <= len(all); limit++ {
		req := repository.LabelsRequest{Limit: limit}
		var seen []string
		for {
			result := list(t, service, req)
			seen = append(seen, names(result)...)
			if !result.Truncated {
				break
			}
			req = following[repository.LabelsRequest](t, "list_labels", result.Next)
			if req.Cursor != *result.EndCursor || *req.Repo != "octo-org/hello" {
				t.Fatalf("next is %+v with endCursor %s, want the whole call", req, *result.EndCursor)
			}
		}
		if diff := cmp.Diff(all, seen); diff != "" {
			t.Errorf("by pages of %d (-want +got):\n%s", limit, diff)
		}
	}
}

// A page that is cut to a byte budget goes on behind what was kept.
func TestCutPagesOfLabelsGoOn(t *testing.T) {
	service, _ := open(t, sandbox.ReadToken)
	whole := list(t, service, repository.LabelsRequest{Limit: 10})
	for n := range whole.Items() {
		kept := whole.Keep(n).(*repository.LabelsResult)
		if kept.Count != n || len(kept.Labels) != n || !kept.Truncated {
			t.Fatalf("Keep(%d) has the head %+v", n, kept.Head)
		}
		rest := list(t, service, following[repository.LabelsRequest](t, "list_labels", kept.Next))
		if diff := cmp.Diff(names(whole)[n:], names(rest)[:10-n]); diff != "" {
			t.Errorf("after Keep(%d) (-want +got):\n%s", n, diff)
		}
	}
	if whole.Count != 10 || whole.Slice(1) != nil {
		t.Error("cutting changed the page itself, or offered a part of a label")
	}
}

func TestListLabelsRefusesForeignCursors(t *testing.T) {
	service, github := open(t, sandbox.AdminToken)
	cursor := *list(t, service, repository.LabelsRequest{Limit: 1}).EndCursor
	github.ResetRequests()
	other := "octo-org/private"
	for name, req := range map[string]repository.LabelsRequest{
		"another repository": {Repo: &other, Cursor: cursor},
		"another query":      {Query: "bug", Cursor: cursor},
		"altered":            {Cursor: cursor[:len(cursor)-1] + "_"},
		"GitHub's own":       {Cursor: "Y3Vyc29yOnYyOpHOAA=="},
	} {
		if _, err := service.ListLabels(t.Context(), req); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: %v, want INVALID_ARGUMENTS", name, err)
		}
	}
	if n := len(github.Requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
	same := "OCTO-ORG/hello"
	list(t, service, repository.LabelsRequest{Repo: &same, Limit: 1, Cursor: cursor})
}

func TestEveryLabelTextIsVisited(t *testing.T) {
	service, _ := open(t, sandbox.ReadToken)
	result := list(t, service, repository.LabelsRequest{})
	var carrier trust.Carrier = result
	fields := map[string]int{}
	carrier.VisitTexts(func(text trust.Text) {
		fields[text.Field]++
		*text.Value = "seen"
		if !strings.HasPrefix(text.At, "label:LA_") {
			t.Errorf("a text stands at %q, want label:ID", text.At)
		}
	})
	if diff := cmp.Diff(map[string]int{"labels.name": 15, "labels.description": 15}, fields); diff != "" {
		t.Errorf("visited fields (-want +got):\n%s", diff)
	}
	for _, label := range result.Labels {
		if label.Name != "seen" || label.Description != "seen" {
			t.Errorf("%+v was not changed in place", label)
		}
	}
	carrier.SetContentTrust(trust.ContentTrust{Projected: true})
	if !result.ContentTrust.Projected {
		t.Error("the summary did not arrive")
	}
}

func TestViewerPermission(t *testing.T) {
	for token, want := range map[string]string{
		sandbox.AdminToken: "ADMIN", sandbox.WriteToken: "WRITE", sandbox.TriageToken: "TRIAGE", sandbox.ReadToken: "READ",
	} {
		service, github := open(t, token)
		got, err := service.ViewerPermission(t.Context(), repository.PermissionRequest{})
		if err != nil {
			t.Fatal(err)
		}
		keepsContract(t, "get_viewer_permission", got)
		login := strings.Replace(token, "sandbox", "octo", 1)
		if diff := cmp.Diff(&repository.PermissionResult{Login: login, Permission: want, Repository: "octo-org/hello", Visibility: "PUBLIC"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", token, diff)
		}
		if n := len(github.Requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	}
}

func TestNoPermissionIsNone(t *testing.T) {
	u := &upstream{graphqlBody: `{"data":{"viewer":{"login":"a"},"repository":{"nameWithOwner":"octo-org/hello","viewerPermission":null,"visibility":"PUBLIC"}}}`}
	got, err := connect(t, serve(t, u), settings{token: sandbox.ReadToken}).ViewerPermission(t.Context(), repository.PermissionRequest{})
	if err != nil || got.Permission != "NONE" {
		t.Errorf("ViewerPermission = %+v, %v, want NONE", got, err)
	}
}

func TestRepositoryArgument(t *testing.T) {
	private, missing, bare := "private", "octo-org/missing", "hello"
	admin, _ := open(t, sandbox.AdminToken)
	if got, err := admin.ViewerPermission(t.Context(), repository.PermissionRequest{Repo: &private}); err != nil || got.Repository != "octo-org/private" || got.Visibility != "PRIVATE" {
		t.Errorf("a bare name: %+v, %v, want octo-org/private", got, err)
	}
	reader, _ := open(t, sandbox.ReadToken)
	for name, repo := range map[string]string{"a private repository": private, "a missing repository": missing} {
		for tool, err := range failures(t, reader, &repo) {
			if !fault.Is(err, fault.NotFoundOrNoAccess) || fault.From(err).Fix == "" {
				t.Errorf("%s of %s: %v, want NOT_FOUND_OR_NO_ACCESS with a fix", tool, name, err)
			}
		}
	}
	github := sandbox.StartTest(t, sandbox.Options{})
	homeless := connect(t, github.URL, settings{token: sandbox.ReadToken, adjust: func(o *repository.Options) { o.Home = ref.Repo{} }})
	for _, repo := range []*string{nil, &bare} {
		for tool, err := range failures(t, homeless, repo) {
			if !fault.Is(err, fault.RepositoryTargetInvalid) || !strings.Contains(fault.From(err).Fix, "owner/") {
				t.Errorf("%s without home: %v, want REPOSITORY_TARGET_INVALID that says to write the owner", tool, err)
			}
		}
	}
	if n := len(github.Requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// failures is how both tools that need a repository fail.
func failures(t *testing.T, service *repository.Service, repo *string) map[string]error {
	t.Helper()
	_, labels := service.ListLabels(t.Context(), repository.LabelsRequest{Repo: repo})
	_, permission := service.ViewerPermission(t.Context(), repository.PermissionRequest{Repo: repo})
	return map[string]error{"list_labels": labels, "get_viewer_permission": permission}
}

func TestUpstreamFailuresPass(t *testing.T) {
	service, github := open(t, sandbox.ReadToken)
	for kind, code := range map[string]fault.Code{
		"RATE_LIMITED": fault.RateLimited, "SECONDARY_LIMIT": fault.RateLimited, "BAD_CREDENTIALS": fault.AuthFailed, "SAML": fault.SSORequired,
	} {
		if err := github.Fail(sandbox.Failure{Kind: kind, Times: -1}); err != nil {
			t.Fatal(err)
		}
		for tool, err := range failures(t, service, nil) {
			if !fault.Is(err, code) {
				t.Errorf("%s under %s: %v, want %s", tool, kind, err, code)
			}
		}
		github.ClearFailures()
	}
}

func TestHealthOfTheSandbox(t *testing.T) {
	for _, token := range []string{sandbox.AdminToken, sandbox.ReadToken} {
		service, github := open(t, token)
		result := health(t, service, nil)
		if result.Status != repository.Healthy || result.RateLimit == nil || result.RateLimit.GraphQL.Limit == 0 || result.RateLimit.Core.ResetAt.IsZero() {
			t.Errorf("%s: %s with limits %+v and checks %+v, want healthy", token, result.Status, result.RateLimit, result.Checks)
		}
		if scopes := check(t, result, "scopes"); scopes.Detail != "project, read:org, repo" {
			t.Errorf("scopes are %q", scopes.Detail)
		}
		if n := len(github.Requests()); n > 3 {
			t.Errorf("%d requests, want at most 3", n)
		}
	}
}

func TestHealthOfARepositoryOutOfSight(t *testing.T) {
	service, _ := open(t, sandbox.ReadToken)
	private := "octo-org/private"
	result := health(t, service, &private)
	if got := check(t, result, "repository"); result.Status != repository.Unhealthy || got.OK || got.Fix == "" || *result.Repository != private {
		t.Errorf("%s, %+v, want an unhealthy repository", result.Status, got)
	}
	for _, name := range []string{"discussions_enabled", "permission"} {
		if got := check(t, result, name); got.OK || !strings.HasPrefix(got.Detail, "not checked") {
			t.Errorf("%s is %+v, want not checked", name, got)
		}
	}
}

func TestHealthNeverFailsOnGitHub(t *testing.T) {
	for _, kind := range sandbox.Kinds() {
		service, github := open(t, sandbox.ReadToken)
		if err := github.Fail(sandbox.Failure{Kind: kind, Times: -1}); err != nil {
			t.Fatal(err)
		}
		result := health(t, service, nil)
		mended := slices.ContainsFunc(result.Checks, func(c repository.Check) bool { return !c.OK && c.Fix != "" })
		if result.Status == repository.Healthy || !mended {
			t.Errorf("under %s: %s with %s, want a finding with its mend", kind, result.Status, fmt.Sprint(result.Checks))
		}
	}
}

func TestHealthOfASilentGitHub(t *testing.T) {
	github := sandbox.StartTest(t, sandbox.Options{})
	if err := github.Fail(sandbox.Failure{DelayMillis: 60_000, Times: -1}); err != nil {
		t.Fatal(err)
	}
	service := connect(t, github.URL, settings{token: sandbox.ReadToken, adjust: func(o *repository.Options) { o.HealthPatience = 20 * time.Millisecond }})
	result := health(t, service, nil)
	if got := check(t, result, "reachability"); result.Status != repository.Unhealthy || got.OK || !strings.Contains(got.Detail, "in time") {
		t.Errorf("%s with %+v, want unhealthy because no answer came in time", result.Status, got)
	}
}
