package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/github-workflow-mcp/github-workflow-mcp/cli"
)

// recorder is the program as a demo's server, in a shell that writes its
// process id to a file first.
func recorder(t *testing.T) (command []string, pids func() []int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pids")
	script := `echo $$ >>` + file + `; exec github-workflow-mcp stdio "$@"`
	return []string{"sh", "-c", script, "sh"}, func() []int {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int
		for _, word := range strings.Fields(string(text)) {
			id, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	}
}

// expectNothingLeft fails when a server has outlived its demo, and waits for
// the goroutines that are on their way out.
func expectNothingLeft(t *testing.T, pids []int, goroutines int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("the server with process id %d is still there (%v)", pid, err)
		}
	}
	for runtime.NumGoroutine() > goroutines { // one that stays ends in the time-out of the test, which shows it
		time.Sleep(time.Millisecond)
	}
}

// demoReport runs a demo and gives its figures.
func demoReport(t *testing.T, opts cli.DemoOptions) cli.DemoReport {
	t.Helper()
	var out bytes.Buffer
	opts.Format, opts.Out = "json", &out
	if err := cli.Demo(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	var report cli.DemoReport
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&report); err != nil {
		t.Fatal(err)
	}
	return report
}

// expectTokens holds the estimates to what a tokenizer counts.
func expectTokens(t *testing.T, codec tokenizer.Codec) func(kind, text string, estimate int) {
	t.Helper()
	return func(kind, text string, estimate int) {
		counted, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if off := math.Abs(float64(estimate)/float64(counted) - 1); off > 0.15 {
			t.Errorf("%s: ~%d tokens, and %d counted, in %.200s", kind, estimate, counted, text)
		}
	}
}

func TestDemoHandoff(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	command, pids := recorder(t)
	goroutines := runtime.NumGoroutine()
	report := demoReport(t, cli.DemoOptions{Command: command, Observe: expectTokens(t, codec)})
	if got := pids(); len(got) != 4 {
		t.Errorf("%d servers were started, want 4: A, A with the full list, W and B", len(got))
	}
	expectNothingLeft(t, pids(), goroutines)

	if report.Discussion.Comments != 250 || report.Discussion.Number != 4 {
		t.Errorf("the discussion is %+v", report.Discussion)
	}
	compact, full := report.Listings[0], report.Listings[1]
	if compact.Tools != full.Tools || compact.Tokens >= full.Tokens || compact.Bytes <= compact.ModelBytes {
		t.Errorf("the lists are %+v and %+v", compact, full)
	}
	expectHandoffSteps(t, report.Steps)
	expectTotals(t, report)
	expectReaders(t, report.Readers, map[string][2]int{"A": {0, 0}, "B": {0, 1}}) // B is shown both ways to read one comment
}

// expectReaders holds each reader to what it may miss and read twice. W, which
// reads all of it every time, shows that the count can be anything but 0.
func expectReaders(t *testing.T, readers []cli.DemoReader, want map[string][2]int) {
	t.Helper()
	got := map[string][2]int{}
	for _, r := range readers {
		if r.Texts == 0 || r.Requests == 0 || r.Tokens == 0 {
			t.Errorf("%s has read nothing: %+v", r.Agent, r)
		}
		if r.Agent == "W" {
			if r.Missed != 0 || r.ReRead < 500 {
				t.Errorf("W reads everything, and the count says %+v", r)
			}
			continue
		}
		got[r.Agent] = [2]int{r.Missed, r.ReRead}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("missed and read twice (-want +got):\n%s", diff)
	}
}

func TestDemoIdeation(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	command, pids := recorder(t)
	goroutines := runtime.NumGoroutine()
	report := demoReport(t, cli.DemoOptions{Scenario: "ideation", Command: command, Observe: expectTokens(t, codec)})
	expectNothingLeft(t, pids(), goroutines)
	expectReaders(t, report.Readers, map[string][2]int{"A": {0, 0}, "B": {0, 0}, "C": {0, 0}})

	times := map[string]int{}
	for _, s := range report.Steps {
		times[s.Agent+" "+s.What]++
		if s.Agent == "C" && s.Action == "read" && (s.Requests != 1 || s.Comments != 1) {
			t.Errorf("C is handed one comment, and reads %+v", s)
		}
	}
	want := map[string]int{
		"A opens the discussion": 1, "A proposes": 20, "A reads what is new": 20, "A reads on from an older text": 1,
		"A reads a text that was edited": 2, "A deletes a text": 1, "A ends the discussion": 2,
		"B remarks": 20, "B reads what is new": 21, "B reads on from an older text": 1, "B corrects a remark": 2, "B deletes a text": 1,
		"C reads what it was handed": 20, "C replies": 23, "C deletes a text": 1,
		"W reads it whole": 21,
	}
	if diff := cmp.Diff(want, times); diff != "" {
		t.Errorf("who did what, how often (-want +got):\n%s", diff)
	}
	if ours, plain := report.Comparison[0], report.Comparison[1]; ours.Tokens*5 > plain.Tokens {
		t.Errorf("%+v is hardly better than %+v", ours, plain)
	}
}

func TestDemoReview(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	command, pids := recorder(t)
	goroutines := runtime.NumGoroutine()
	report := demoReport(t, cli.DemoOptions{Scenario: "review", Command: command, Observe: expectTokens(t, codec)})
	if got := pids(); len(got) != 3 {
		t.Errorf("%d servers were started, want 3: R, A and W", len(got))
	}
	expectNothingLeft(t, pids(), goroutines)

	if pull := report.Pull; pull.Number != 201 || pull.Files != 6 || pull.Lines != 24 || pull.Texts != 18 || !pull.Merged {
		t.Errorf("the pull request is %+v", pull)
	}
	got := map[string][3]int{} // W reads all there is three times
	for _, r := range report.Readers {
		got[r.Agent] = [3]int{r.Texts, r.Missed, r.ReRead}
	}
	if diff := cmp.Diff(map[string][3]int{"R": {17, 0, 0}, "A": {18, 0, 0}, "W": {47, 0, 29}}, got); diff != "" {
		t.Errorf("texts, missed and read twice (-want +got):\n%s", diff)
	}
	expectReviewSteps(t, report.Steps)
	for i := 0; i < len(report.Comparison); i += 2 {
		if ours, plain := report.Comparison[i], report.Comparison[i+1]; ours.Job != plain.Job || ours.Tokens*2 > plain.Tokens {
			t.Errorf("%+v is hardly better than %+v", ours, plain)
		}
	}
}

// expectReviewSteps holds the steps to who does what, with which guard, and to
// the requests that they may make.
func expectReviewSteps(t *testing.T, steps []cli.DemoStep) {
	t.Helper()
	times := map[string]int{}
	for _, s := range steps {
		times[s.Agent+" "+s.What]++
		var given struct {
			Head string `json:"expected_head_sha"`
		}
		if err := json.Unmarshal(s.Arguments, &given); err != nil {
			t.Fatal(err)
		}
		reading := s.Action != "write"
		if s.Calls != 1 || s.Tokens == 0 || reading && s.Requests > 2 || (s.Tool == "merge_pull_request") != (len(given.Head) == 40) {
			t.Errorf("step %+v", s)
		}
	}
	want := map[string]int{
		"R lists what waits for a review": 1, "R looks at the facts": 1, "R reads it whole": 1, "R lists the files": 1, "R reads one file": 4,
		"R asks for changes": 1, "R reads what is new": 1, "R settles a thread": 2, "R approves": 1, "R merges": 1,
		"A reads it whole": 1, "A reads what is new": 2, "A answers in a thread": 2,
		"W reads it whole": 3,
	}
	if diff := cmp.Diff(want, times); diff != "" {
		t.Errorf("who did what, how often (-want +got):\n%s", diff)
	}
}

// expectHandoffSteps holds every step to what it has to bring, and to the
// requests that it may make.
func expectHandoffSteps(t *testing.T, steps []cli.DemoStep) {
	t.Helper()
	wholes, ones, news, writes := 0, 0, 0, 0
	for _, s := range steps {
		var given struct {
			CommentID string `json:"comment_id"`
			Since     string `json:"since_comment_id"`
		}
		if err := json.Unmarshal(s.Arguments, &given); err != nil {
			t.Fatal(err)
		}
		ok := s.Tokens > 0 && s.UpstreamBytes > 0 && s.Calls <= s.Requests
		switch {
		case s.Action == "write":
			writes++
			ok = ok && s.Calls == 1
		case given.CommentID != "":
			ones++
			ok = ok && s.Requests == 1 && s.Comments == 1 && s.Replies == 0 && s.UpstreamBytes < 4000
		case given.Since != "":
			news++
			own := 0
			if s.Cycle == 2 {
				own = 1 // A's proposal comes back to it, once
			}
			ok = ok && s.Calls == 1 && s.Requests <= 2 && s.Comments == 2+own && s.Replies == 1
		default:
			wholes++
			ok = ok && s.Requests <= 2*s.Calls && s.Comments >= 250
		}
		if !ok {
			t.Errorf("step %+v", s)
		}
	}
	if diff := cmp.Diff([]int{6, 2, 4, 13}, []int{wholes, ones, news, writes}); diff != "" {
		t.Errorf("whole reads, reads of one, reads of news, writes (-want +got):\n%s", diff)
	}
}

// expectTotals adds the steps up again.
func expectTotals(t *testing.T, report cli.DemoReport) {
	t.Helper()
	sums := map[string]cli.DemoCost{}
	for _, s := range report.Steps {
		if s.Action == "read" {
			sum := sums[s.Agent]
			sum.Calls += s.Calls
			sum.Requests += s.Requests
			sum.UpstreamBytes += s.UpstreamBytes
			sum.ResultBytes += s.ResultBytes
			sum.Tokens += s.Tokens
			sums[s.Agent] = sum
		}
	}
	totals := report.Comparison
	if len(totals) != 6 {
		t.Fatalf("the comparison is %+v", totals)
	}
	if diff := cmp.Diff([]cli.DemoCost{sums["A"], sums["W"]}, []cli.DemoCost{totals[4].DemoCost, totals[5].DemoCost}); diff != "" {
		t.Errorf("all that A and W have read (-want +got):\n%s", diff)
	}
	for i := 0; i < len(totals); i += 2 {
		ours, plain := totals[i], totals[i+1]
		if ours.Job != plain.Job || ours.Requests >= plain.Requests || ours.UpstreamBytes >= plain.UpstreamBytes || ours.Tokens >= plain.Tokens {
			t.Errorf("%+v is not better than %+v", ours, plain)
		}
	}
}

// stopper ends a demo as soon as it has said something.
type stopper struct {
	said   bytes.Buffer
	after  string
	cancel context.CancelFunc
}

func (s *stopper) Write(p []byte) (int, error) {
	n, err := s.said.Write(p)
	if strings.Contains(s.said.String(), s.after) {
		s.cancel()
	}
	return n, err
}

func TestDemoThatIsStopped(t *testing.T) {
	for scenario, after := range map[string]string{"handoff": "1  The tools", "ideation": "Round  9", "review": "4  Agent R"} {
		t.Run(after, func(t *testing.T) {
			command, pids := recorder(t)
			goroutines := runtime.NumGoroutine()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := cli.Demo(ctx, cli.DemoOptions{Scenario: scenario, Command: command, Out: &stopper{after: after, cancel: cancel}})
			if err == nil || err.Error() != "the demo was stopped" {
				t.Errorf("the demo says %v", err)
			}
			if scenario != "handoff" { // there the first server may not have come to say its id
				expectNothingLeft(t, pids(), goroutines)
			}
		})
	}
}

func TestDemoThatFails(t *testing.T) {
	tests := []struct {
		name string
		opts cli.DemoOptions
		want string
	}{
		{name: "a server that ends", opts: cli.DemoOptions{Command: []string{"sh", "-c", "echo 'fatal: no memory' >&2; exit 3"}}, want: "agent A (sh -c"},
		{name: "its last words", opts: cli.DemoOptions{Command: []string{"sh", "-c", "echo 'fatal: no memory' >&2; exit 3"}}, want: "fatal: no memory"},
		{name: "no such program", opts: cli.DemoOptions{Command: []string{"no-such-program-anywhere"}}, want: `cannot start "no-such-program-anywhere"`},
		{name: "a server that may not write", opts: cli.DemoOptions{Scenario: "ideation", Command: []string{"github-workflow-mcp", "stdio", "--read-only"}}, want: "create_discussion"},
		{name: "no such scenario", opts: cli.DemoOptions{Scenario: "opera"}, want: `no scenario "opera"; there are handoff`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			tt.opts.Format, tt.opts.Out = "json", &out
			err := cli.Demo(t.Context(), tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the demo says %v, want %q in it", err, tt.want)
			}
			if out.Len() > 0 {
				t.Errorf("a demo that failed has figures: %s", out.String())
			}
		})
	}
}
