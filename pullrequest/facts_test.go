package pullrequest_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/pullrequest"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// TestAccountsThatAreGone is A49: pull request 205 of the sandbox was written,
// reviewed and asked for by accounts that do not exist any more.
func TestAccountsThatAreGone(t *testing.T) {
	h := open(t)
	facts := get(t, h, 205)
	if facts.Author.Login != "ghost" || facts.AuthorTrust != "unknown" {
		t.Errorf("author %+v, trust %q", facts.Author, facts.AuthorTrust)
	}
	if diff := cmp.Diff([]string{"ghost", "octo-write"}, facts.Reviewers.Requested); diff != "" {
		t.Errorf("requested (-want +got):\n%s", diff)
	}
	for _, row := range listAll(t, h, pullrequest.ListRequest{State: "all"}, budget) {
		if row.Number == 205 && row.Author.Login != "ghost" {
			t.Errorf("in the list: %+v", row.Author)
		}
	}
	result, err := h.Diff(context.Background(), pullrequest.DiffRequest{PRNumber: 205})
	if err != nil {
		t.Fatal(err)
	}
	delivered(t, "get_pull_request_diff", result, budget)
}

// hide lets the sandbox answer as GitHub does a token that may not see what is
// at these paths below a pull request.
func hide(t *testing.T, github *sandbox.Running, erased string, paths ...[]any) {
	t.Helper()
	failure := sandbox.Failure{Query: "latestOpinionatedReviews", Data: "keep", Null: []string{"repository.pullRequest." + erased}, Times: -1}
	for _, path := range paths {
		failure.Errors = append(failure.Errors, sandbox.GraphQLError{
			Type: "FORBIDDEN", Message: "Resource not accessible by integration", Path: append([]any{"repository", "pullRequest"}, path...),
		})
	}
	if err := github.Fail(failure); err != nil {
		t.Fatal(err)
	}
}

func TestReviewersWhoAreHiddenAreNotGone(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	hide(t, running, "reviewRequests.nodes.requestedReviewer",
		[]any{"reviewRequests", "nodes", 0, "requestedReviewer"}, []any{"reviewRequests", "nodes", 1, "requestedReviewer"})
	facts := get(t, openAs(t, running, sandbox.WriteToken), 205)
	want := []string{`2 of those whose review is awaited are hidden from this token and left out; GitHub says: "Resource not accessible by integration"`}
	if diff := cmp.Diff(want, facts.Warnings); diff != "" || len(facts.Reviewers.Requested) != 0 {
		t.Errorf("requested %q, warnings (-want +got):\n%s", facts.Reviewers.Requested, diff)
	}
}

// TestChecksThatAreHiddenAreNotPassed: pull request 206 has one that failed.
func TestChecksThatAreHiddenAreNotPassed(t *testing.T) {
	const rollup = "commits.nodes.commit.statusCheckRollup"
	at := []any{"commits", "nodes", 0, "commit", "statusCheckRollup"}
	for name, test := range map[string]struct {
		erased   string
		paths    [][]any
		state    string
		warnings int
	}{
		"all of them":   {rollup, [][]any{at}, "", 2},
		"what they are": {rollup + ".contexts.nodes", [][]any{append(at, "contexts", "nodes", 0), append(at, "contexts", "nodes", 1)}, "FAILURE", 1},
	} {
		running := sandbox.StartTest(t, sandbox.Options{})
		hide(t, running, test.erased, test.paths...)
		facts := get(t, openAs(t, running, sandbox.WriteToken), 206)
		state := ""
		if facts.Checks.State != nil {
			state = *facts.Checks.State
		}
		if !facts.Checks.Unreadable || state != test.state || len(facts.Checks.Failing) != 0 || len(facts.Warnings) != test.warnings {
			t.Errorf("%s: %+v, state %q, warnings %q", name, facts.Checks, state, facts.Warnings)
		}
	}
	if facts := get(t, open(t), 206); facts.Checks.Unreadable {
		t.Errorf("nothing is hidden: %+v", facts.Checks)
	}
}

func TestWhoDecidedWhat(t *testing.T) {
	facts := get(t, open(t), 206)
	if diff := cmp.Diff(pullrequest.Reviewers{Requested: []string{}, Approved: []string{"atlas-agent"}, ChangesRequested: []string{"jonas-lind"}}, facts.Reviewers); diff != "" {
		t.Errorf("reviewers: a later comment takes no decision back (-want +got):\n%s", diff)
	}
	if facts.Checks.State == nil || *facts.Checks.State != "FAILURE" || len(facts.Checks.Failing) == 0 || facts.Checks.Failing[0].Name == "" {
		t.Errorf("checks %+v", facts.Checks)
	}
}

// TestThreadsAreFoundResolvedAndReadAgain is A20.
func TestThreadsAreFoundResolvedAndReadAgain(t *testing.T) {
	h := open(t)
	before := get(t, h, 201).ReviewThreads
	result, err := h.ManageThread(context.Background(), pullrequest.ThreadRequest{Action: "resolve", PRNumber: 201, CommentID: ptr("16020101")})
	if err != nil {
		t.Fatal(err)
	}
	if after := get(t, h, 201).ReviewThreads; !result.IsResolved || after.Unresolved != before.Unresolved-1 || after.Total != before.Total {
		t.Errorf("before %+v, after %+v", before, after)
	}
	_, err = h.ManageThread(context.Background(), pullrequest.ThreadRequest{Action: "resolve", CommentID: ptr("16020101")})
	_ = refused(t, err, fault.AmbiguousArguments)
}

// TestDiffsOfTheSandbox: every pull request's pages joined are its diff, and
// the files add up to what GitHub counts.
func TestDiffsOfTheSandbox(t *testing.T) {
	h := open(t)
	for _, row := range listAll(t, h, pullrequest.ListRequest{State: "all", Limit: 100, Projection: "title"}, budget) {
		pages := readDiff(t, h, pullrequest.DiffRequest{PRNumber: row.Number}, budget)
		files, added, removed := map[string]bool{}, 0, 0
		for _, page := range pages {
			for _, file := range page.Files {
				if !files[file.Path] {
					files[file.Path] = true
					added += file.Additions
					removed += file.Deletions
				}
			}
		}
		if first := pages[0]; len(files) != *first.TotalCount || added != first.Additions || removed != first.Deletions {
			t.Errorf("#%d: %d files +%d -%d, want %d +%d -%d", row.Number, len(files), added, removed, *first.TotalCount, first.Additions, first.Deletions)
		}
	}
}

func factsOf(t *testing.T, change func(map[string]any)) string {
	t.Helper()
	text, err := os.ReadFile("testdata/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	change(answer["data"].(map[string]any)["repository"].(map[string]any)["pullRequest"].(map[string]any))
	data, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func merge(h *house, confirm bool) (*pullrequest.MergeResult, error) {
	return h.Merge(context.Background(), pullrequest.MergeRequest{PRNumber: 7, ExpectedHeadSHA: headA, Method: "squash", Confirm: confirm})
}

func TestMergeIsAskedForWhenSomethingSpeaksAgainstIt(t *testing.T) {
	h, p := onPlay(t, map[string]string{
		"latestOpinionatedReviews": factsOf(t, func(pull map[string]any) {
			pull["latestOpinionatedReviews"] = json.RawMessage(`{"pageInfo":{"hasNextPage":false,"endCursor":""},"nodes":[` + opinion("octo-b", "CHANGES_REQUESTED") + `]}`)
		}),
		"mergePullRequest": `{"data":{"mergePullRequest":{"pullRequest":{"merged":true,"headRefOid":"` + headA + `","mergeCommit":{"oid":"` + headB + `"}}}}}`,
	})
	_, err := merge(h, false)
	got := refused(t, err, fault.ConfirmationRequired)
	call := following[struct {
		Tool      string
		Arguments pullrequest.MergeRequest
	}](t, got.Details["call"])
	if call.Tool != "merge_pull_request" || !call.Arguments.Confirm || *call.Arguments.Repo != "octo-org/hello" || !strings.Contains(got.Message, "octo-b") || p.count("mergePullRequest(") != 0 {
		t.Errorf("%q, call %+v", got.Message, call)
	}
	result, err := h.Merge(context.Background(), call.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if got := delivered(t, "merge_pull_request", result, budget); !got.Merged || got.SHA != headB || p.count(`"expectedHeadOid":"`+headA+`"`) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestWhatSpeaksAgainstAMerge: what GitHub hides speaks against one, too.
func TestWhatSpeaksAgainstAMerge(t *testing.T) {
	rollup := func(state, contexts string) json.RawMessage {
		return json.RawMessage(`{"totalCount":1,"nodes":[{"commit":{"statusCheckRollup":{"state":"` + state +
			`","contexts":{"totalCount":1,"pageInfo":{"hasNextPage":false},"nodes":[` + contexts + `]}}}}]}`)
	}
	for name, test := range map[string]struct {
		fact  string // of the pull request, in place of the one that speaks for it
		value any
		path  string // of what GitHub hides
		doubt string // "" when there is none
	}{
		"nothing":                        {},
		"checks that failed":             {fact: "commits", value: rollup("FAILURE", `{"name":"lint","conclusion":"FAILURE"}`), doubt: "failing checks: lint"},
		"failed checks without a name":   {fact: "commits", value: rollup("FAILURE", "null"), path: `"commits","nodes",0,"commit","statusCheckRollup","contexts","nodes",0`, doubt: "the checks of its head fail"},
		"passed checks without a name":   {fact: "commits", value: rollup("SUCCESS", "null"), path: `"commits","nodes",0,"commit","statusCheckRollup","contexts","nodes",0`},
		"checks that are hidden":         {path: `"commits","nodes",0,"commit","statusCheckRollup"`, doubt: "its checks cannot be read"},
		"a commit that is hidden":        {fact: "commits", value: json.RawMessage(`{"totalCount":1,"nodes":[null]}`), path: `"commits","nodes",0`, doubt: "its checks cannot be read"},
		"a reviewer":                     {fact: "latestOpinionatedReviews", value: json.RawMessage(`{"nodes":[` + opinion("octo-b", "CHANGES_REQUESTED") + `]}`), doubt: "changes are requested by octo-b"},
		"reviews that are hidden":        {fact: "latestOpinionatedReviews", path: `"latestOpinionatedReviews"`, doubt: "what its reviewers decided cannot be read"},
		"a review that is hidden":        {fact: "latestOpinionatedReviews", value: json.RawMessage(`{"nodes":[null]}`), path: `"latestOpinionatedReviews","nodes",0`, doubt: "what its reviewers decided cannot be read"},
		"checks that have not all ended": {fact: "mergeStateStatus", value: "UNSTABLE", doubt: "not all checks of its head have passed (UNSTABLE)"},
		"rules":                          {fact: "mergeStateStatus", value: "BLOCKED", doubt: "the rules of main hold it back (BLOCKED)"},
		"newer commits":                  {fact: "mergeStateStatus", value: "BEHIND", doubt: "it lacks the newest commits of main, which the rules ask for (BEHIND)"},
		"GitHub does not know yet":       {fact: "mergeStateStatus", value: "UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := factsOf(t, func(pull map[string]any) {
				if test.fact != "" {
					pull[test.fact] = test.value
				}
			})
			warnings := 0
			if test.path != "" {
				warnings = 1
				answer = strings.TrimSuffix(answer, "}") + `,"errors":[{"type":"FORBIDDEN","message":"Resource not accessible by integration","path":["repository","pullRequest",` + test.path + `]}]}`
			}
			h, _ := onPlay(t, map[string]string{
				"latestOpinionatedReviews": answer,
				"mergePullRequest":         `{"data":{"mergePullRequest":{"pullRequest":{"merged":true,"headRefOid":"` + headA + `","mergeCommit":{"oid":"` + headB + `"}}}}}`,
			})
			if test.doubt != "" {
				_, err := merge(h, false)
				if got := refused(t, err, fault.ConfirmationRequired); !strings.HasSuffix(got.Message, "this speaks against it: "+test.doubt) {
					t.Errorf("%q, want the doubt %q", got.Message, test.doubt)
				}
			}
			result, err := merge(h, test.doubt != "")
			if err != nil || !result.Merged || len(result.Warnings) < warnings {
				t.Errorf("%+v, %v; want a merge with %d warnings", result, err, warnings)
			}
		})
	}
}

func TestMergeRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		change func(map[string]any)
		answer string
		code   fault.Code
	}{
		"another head":  {change: func(pull map[string]any) { pull["headRefOid"] = headB }, code: fault.Conflict},
		"closed":        {change: func(pull map[string]any) { pull["state"] = "CLOSED" }, code: fault.Conflict},
		"a draft":       {change: func(pull map[string]any) { pull["isDraft"] = true }, code: fault.Conflict},
		"conflicts":     {change: func(pull map[string]any) { pull["mergeable"] = "CONFLICTING" }, code: fault.Conflict},
		"method is off": {change: func(pull map[string]any) { pull["repository"] = map[string]any{"mergeCommitAllowed": true} }, code: fault.ValidationFailed},
		"pushed since":  {answer: "Head branch was modified. Review and try the merge again.", code: fault.Conflict},
		"rules":         {answer: "At least 1 approving review is required by reviewers with write access.", code: fault.Forbidden},
		"not mergeable": {answer: "Pull Request is not mergeable", code: fault.Conflict},
	} {
		if test.change == nil {
			test.change = func(map[string]any) {}
		}
		h, p := onPlay(t, map[string]string{
			"latestOpinionatedReviews": factsOf(t, test.change),
			"mergePullRequest":         `{"data":{"mergePullRequest":null},"errors":[{"type":"UNPROCESSABLE","path":["mergePullRequest"],"message":"` + test.answer + `"}]}`,
		})
		_, err := merge(h, true)
		if !fault.Is(err, test.code) || test.answer == "" && p.count("mergePullRequest(") != 0 {
			t.Errorf("%s: %v, want %s", name, err, test.code)
		}
	}
	h, _ := onPlay(t, nil)
	_, err := h.Merge(context.Background(), pullrequest.MergeRequest{PRNumber: 7, ExpectedHeadSHA: headA[:7]})
	_ = refused(t, err, fault.InvalidArguments)
	_, err = h.Merge(context.Background(), pullrequest.MergeRequest{PRNumber: 7, ExpectedHeadSHA: headA, Title: ptr("a\nb")})
	_ = refused(t, err, fault.InvalidArguments)
}

// TestAnIssuesNumberIsCalledThat by every tool that takes a pull request's.
func TestAnIssuesNumberIsCalledThat(t *testing.T) {
	h, ctx := open(t), context.Background()
	for tool, call := range map[string]func(number int) error{
		"get_pull_request":      func(n int) error { _, err := h.Get(ctx, pullrequest.GetRequest{PRNumber: n}); return err },
		"get_pull_request_diff": func(n int) error { _, err := h.Diff(ctx, pullrequest.DiffRequest{PRNumber: n}); return err },
		"checkout_pull_request": func(n int) error { _, err := h.Checkout(ctx, pullrequest.CheckoutRequest{PRNumber: n}); return err },
		"update_pull_request": func(n int) error {
			_, err := h.Update(ctx, pullrequest.UpdateRequest{PRNumber: n, Title: ptr("t")})
			return err
		},
		"merge_pull_request": func(n int) error {
			_, err := h.Merge(ctx, pullrequest.MergeRequest{PRNumber: n, ExpectedHeadSHA: headA})
			return err
		},
		"manage_pr_review": func(n int) error {
			_, err := h.ManageReview(ctx, pullrequest.ReviewRequest{Action: "create", PRNumber: n, Event: "comment", Body: ptr("b")})
			return err
		},
		"manage_pr_reviewers": func(n int) error {
			_, err := h.ManageReviewers(ctx, pullrequest.ReviewersRequest{Action: "add", PRNumber: n, Reviewers: []string{"octo-admin"}})
			return err
		},
	} {
		if got := refused(t, call(101), fault.NotFound); got.Message != "#101 of octo-org/hello is an issue, not a pull request" {
			t.Errorf("%s: %s", tool, got.Message)
		}
		if got := refused(t, call(4711), fault.NotFound); got.Message != "octo-org/hello has no pull request #4711" {
			t.Errorf("%s: %s", tool, got.Message)
		}
	}
}

func TestChangesAndTheirGuards(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	h := openAs(t, running, sandbox.WriteToken)
	before := get(t, h, 201)
	stamp := before.UpdatedAt.Format("2006-01-02T15:04:05Z07:00")
	result, err := h.Update(context.Background(), pullrequest.UpdateRequest{PRNumber: 201, Title: ptr("Ties"), Draft: ptr(true), IfUpdatedAt: stamp})
	if err != nil {
		t.Fatal(err)
	}
	if got := delivered(t, "update_pull_request", result, budget); !got.IsDraft || get(t, h, 201).Title != "Ties" {
		t.Errorf("%+v", got)
	}
	_, err = h.Update(context.Background(), pullrequest.UpdateRequest{PRNumber: 201, Title: ptr("Again"), IfUpdatedAt: stamp})
	_ = refused(t, err, fault.Conflict)
	if title := get(t, h, 201).Title; title != "Ties" {
		t.Errorf("a refused change was written: %q", title)
	}
	_, err = h.Update(context.Background(), pullrequest.UpdateRequest{PRNumber: 203, State: "open"})
	_ = refused(t, err, fault.ValidationFailed)
	_, err = h.Update(context.Background(), pullrequest.UpdateRequest{PRNumber: 203})
	_ = refused(t, err, fault.MissingArguments)

	opened, err := h.Create(context.Background(), pullrequest.CreateRequest{Title: "New", Head: "feature/next", Body: ptr("Closes #101.")})
	if err != nil {
		t.Fatal(err)
	}
	number := delivered(t, "create_pull_request", opened, budget).PRNumber
	_, err = h.Create(context.Background(), pullrequest.CreateRequest{Title: "New", Head: "feature/next"})
	if got := refused(t, err, fault.ValidationFailed); got.Details["prNumber"] != number {
		t.Errorf("details %v, want the one that is open, #%d", got.Details, number)
	}
}
