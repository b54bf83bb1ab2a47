package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// failures is the golden table of what comes of GitHub's failures.
const failures = "testdata/failures.txt"

// outage is every mishap that does not pass.
const outage = ""

// exception is where a tool does better than the rule, or cannot do as well.
type exception struct {
	what    string // the start of what is done
	request int    // which of its requests
	mishaps string // those it is about, separated by ", "
	verdict string
	why     string
}

const (
	notKnown = "who has the issue, or what is on the board, is known from this alone"
	aside    = "the boards are not what was asked for"
	before   = "what is looked up first is not in the answer"
	hidden   = "what is not shown may speak against a merge"
	either   = "GitHub says NOT_FOUND when it is the repository, and nothing was said"
)

var exceptions = []exception{
	{"manage_issue_assignees add", 4, outage, "OUTCOME_UNKNOWN", notKnown},
	{"manage_issue_assignees remove", 3, outage, "OUTCOME_UNKNOWN", notKnown},
	{"manage_issue_projects add", 3, outage, "OUTCOME_UNKNOWN", notKnown},
	{`get_conversation {"issue_number": 102}`, 2, "403 permission, 403 IP allow list, node refused, node null", "done, warned", aside},
	{"manage_issue_labels ", 1, "repository null", "NOT_FOUND ×1", either},
	{"merge_pull_request", 1, "partial data", "done, warned", hidden},
	{`list_discussions {"category": "ideas"}`, 1, "partial data", "done", before},
	{`list_issues {"author": "@me", "milestone": "1.0"}`, 1, "partial data", "done", before},
	{`list_issues {"author": "@me", "milestone": "1.0"}`, 2, "partial data", "done", before},
}

// TestFailures is the failure matrix: it does every example with everything
// that can befall each of its requests. With -short, as the race detector runs
// it, that is one example of each tool.
func TestFailures(t *testing.T) {
	elsewhere := newElsewhere(t)
	seen := &matrix{}
	all := examples(t)
	if testing.Short() {
		all = slices.CompactFunc(all, func(a, b example) bool { return a.tool() == b.tool() })
	}
	t.Run("request by request", func(t *testing.T) {
		for _, e := range all {
			t.Run(e.String(), func(t *testing.T) {
				t.Parallel()
				p := newPlayer(t, e)
				for k := range p.ledger {
					for _, m := range mishaps(elsewhere.URL) {
						if m.befalls(p.ledger[k]) {
							seen.add(p.try(k, m))
						}
					}
				}
			})
		}
	})
	t.Run("too slow", func(t *testing.T) { tooSlow(t, all, seen) })
	t.Run("no trust", func(t *testing.T) { noTrust(t, all, seen) })
	t.Logf("%d calls of %d examples\n%s", len(seen.cells), len(all), seen.markdown())
	if !testing.Short() {
		t.Run("the table", func(t *testing.T) { golden(t, failures, seen.markdown()) })
	}
}

// newElsewhere is a server that is not GitHub: it never gets the token, nor
// anything to do.
func newElsewhere(t *testing.T) *httptest.Server {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s with Authorization %q went elsewhere", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"viewer":"somebody"}`)
	}))
	t.Cleanup(other.Close)
	return other
}

// example is a call that works when nothing is in the way.
type example struct {
	act
	reads bool // the tool only reads
}

func (e example) String() string {
	if e.reads {
		return e.what + " " + e.arguments
	}
	return e.what
}

// examples are calls of every tool of the contract: one of each action, and
// one of each way to read.
func examples(t *testing.T) []example {
	t.Helper()
	var all []example
	known := actions(t)
	for _, tool := range theContract(t).Tools() {
		before, seen := len(all), map[string]bool{}
		for _, a := range allActs() {
			if key := a.key(known); a.tool() == tool.Name && !seen[key] && (a.writes > 0 || a.what == tool.Name) {
				seen[key] = true
				all = append(all, example{act: a})
			}
		}
		for _, r := range reads {
			if r.tool == tool.Name {
				all = append(all, example{act{what: r.tool, arguments: r.arguments}, true})
			}
		}
		if len(all) == before {
			t.Errorf("%s has no example: acts or reads need one", tool.Name)
		}
	}
	return all
}

// player does one example again and again.
type player struct {
	stage
	example     example
	undisturbed answer
	ledger      []sandbox.Request // of the undisturbed call
	log         *bytes.Buffer
	used        bool // the stage is not as it was
}

func newPlayer(t testing.TB, e example) *player {
	p := &player{example: e, log: &bytes.Buffer{}}
	p.setUp(t, 0)
	p.undisturbed, p.used = p.do(), true
	if p.undisturbed.code != "" {
		t.Fatalf("%s, undisturbed: %s", e, p.undisturbed.raw)
	}
	p.ledger = p.github.Requests()
	return p
}

func (p *player) setUp(t testing.TB, patience time.Duration) {
	p.stage = setUp(t, p.example.act, seat{token: sandbox.AdminToken, patience: patience, pause: time.Microsecond, log: p.log})
	p.used = false
}

// readsBack reports whether request k reads what was written before it.
func (p *player) readsBack(k int) bool {
	return !isWrite(p.ledger[k]) && slices.ContainsFunc(p.ledger[:k], isWrite)
}

// try plays the mishap to request k and judges what comes of it.
func (p *player) try(k int, m mishap) cell {
	if p.used || m.effect { // a read that takes effect is one that can be answered with 304
		p.setUp(p.t, 0)
	}
	p.prepare(k, m)
	got := p.do()
	c := p.judge(k, m, got)
	_, writes := p.requests()
	p.used = writes > 1 || writes == 1 && (m.effect || !isWrite(p.ledger[k])) || got.code == "" && !p.example.reads
	p.alive(c)
	return c
}

// prepare has the sandbox strike request k: a write once, for what follows
// looks for it; a read as often as it is made, unless the mishap passes.
func (p *player) prepare(k int, m mishap) {
	failure := m.play(p.ledger[k])
	failure.Nth, failure.Times = k+1, -1
	if m.passes || m.on != "" || isWrite(p.ledger[k]) {
		failure.Times = 1
	}
	if err := p.github.Fail(failure); err != nil {
		p.t.Fatal(err)
	}
	p.github.ResetRequests()
	p.log.Reset()
}

// alive is the next call, which nothing disturbs: a read answers as ever.
func (p *player) alive(c cell) {
	p.github.ClearFailures()
	if !p.example.reads {
		p.must("get_viewer_permission", `{}`)
		return
	}
	if got := p.do(); got.code != "" || p.act.what != "healthcheck" && !bytes.Equal(got.raw, p.undisturbed.raw) {
		p.t.Errorf("%s: the call after it answers %s", c, got.raw)
	}
}

// judge holds the answer against the rule, or against the exception to it.
func (p *player) judge(k int, m mishap, got answer) cell {
	c := cell{example: p.example.String(), request: k + 1, class: p.class(k), mishap: m.name, verdict: p.verdict(k, got)}
	if want := p.want(&c, m, k); c.verdict != want && !(m.shrinks && p.example.reads && sameButForTimes(c.verdict, want)) {
		p.t.Errorf("%s, want %s: %s", c, want, got.raw)
	}
	if got.code != "" && (got.text("message") == "" || got.text("fix") == "") {
		p.t.Errorf("%s, without message or fix: %s", c, got.raw)
	}
	if said := got.text("message") + got.text("fix"); got.code != "" && c.why == "" && !p.readsBack(k) && !strings.Contains(said, m.says) {
		p.t.Errorf("%s, and does not say %q: %s", c, m.says, got.raw)
	}
	if p.act.what == "healthcheck" && k == 0 && !m.passes && got.text("status") == "healthy" {
		p.t.Errorf("%s, and finds nothing wrong: %s", c, got.raw)
	}
	if bytes.Contains(got.raw, []byte(inBody)) || bytes.Contains(got.raw, []byte(sandbox.AdminToken)) {
		p.t.Errorf("%s, and shows what nobody may see: %s", c, got.raw)
	}
	if bytes.Contains(p.log.Bytes(), []byte(sandbox.AdminToken)) {
		p.t.Errorf("%s, and the token is in the log: %s", c, p.log)
	}
	return c
}

// want is the verdict that is due; the cell is told why, when it is not the
// rule's.
func (p *player) want(c *cell, m mishap, k int) string {
	want := m.want.of(p.ledger[k])
	switch {
	case p.act.what == "healthcheck":
		want, c.why = c.verdict, "a failure is what it reports"
		if !strings.HasPrefix(want, "done") {
			want = "done"
		}
	case m.noted && (p.example.reads || c.verdict == "done, warned"): // a write may say so
		want += ", warned"
	case p.readsBack(k) && (m.passes || m.noted):
		want = "done"
	case p.readsBack(k):
		want = "done, warned"
	}
	for _, e := range exceptions {
		if strings.HasPrefix(c.example, e.what) && c.request == e.request && (e.mishaps == outage && !m.passes || slices.Contains(strings.Split(e.mishaps, ", "), m.name)) {
			want, c.why = e.verdict, e.why
		}
	}
	return want
}

// verdict is what comes of a call whose request k fails: done, or the error's
// code, whether and when it may be retried, and how often request k was sent.
func (p *player) verdict(k int, got answer) string {
	all, writes := p.requests()
	sent := all - k
	if isWrite(p.ledger[k]) {
		sent = writes - countWrites(p.ledger[:k])
	}
	if got.code == "" {
		text := "done"
		if more := all - len(p.ledger); more > 0 && !isWrite(p.ledger[k]) && !p.readsBack(k) {
			text += fmt.Sprintf(", %d more", more)
		}
		if got.warnings() != p.undisturbed.warnings() {
			text += ", warned"
		}
		return text
	}
	text := got.code
	if got.members["retryable"] == true {
		text += " retry"
	}
	if seconds := got.members["retryAfterSeconds"]; seconds != nil {
		text += fmt.Sprintf(" %v s", seconds)
	}
	if p.readsBack(k) {
		return text
	}
	return fmt.Sprintf("%s ×%d", text, sent)
}

func countWrites(requests []sandbox.Request) int {
	count := 0
	for _, r := range requests {
		if isWrite(r) {
			count++
		}
	}
	return count
}

// sameButForTimes reports whether verdicts differ only in how often a request
// was sent.
func sameButForTimes(a, b string) bool {
	a, _, _ = strings.Cut(a, " ×")
	b, _, _ = strings.Cut(b, " ×")
	return a == b
}

// tooSlow has the first request and the first write of every example take
// longer than a request may. All wait at once.
func tooSlow(t *testing.T, all []example, seen *matrix) {
	var waiting sync.WaitGroup
	for _, e := range all {
		plain := newPlayer(t, e)
		for k := range plain.ledger {
			if k > 0 && k != slices.IndexFunc(plain.ledger, isWrite) {
				continue
			}
			for _, m := range slowness() {
				p := *plain
				p.log = &bytes.Buffer{}
				p.setUp(t, 4*time.Second)
				p.prepare(k, m)
				waiting.Go(func() { seen.add(p.judge(k, m, p.do())) })
			}
		}
	}
	waiting.Wait()
}

// noTrust puts a server with a certificate of nobody's before the sandbox.
func noTrust(t *testing.T, all []example, seen *matrix) {
	front := httptest.NewUnstartedServer(http.NotFoundHandler())
	front.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	front.StartTLS()
	t.Cleanup(front.Close)
	m := mishap{name: "untrusted certificate", says: "certificate", want: always("UPSTREAM_ERROR ×0")}
	for _, e := range all {
		p := newPlayer(t, e)
		if len(p.ledger) == 0 {
			continue
		}
		p.setUp(t, 0)
		p.bench = newBench(t, p.github, seat{token: sandbox.AdminToken, pause: time.Microsecond, front: front.URL, log: p.log})
		seen.add(p.judge(0, m, p.do()))
	}
}

// cell is what came of one example when one of its requests failed.
type cell struct {
	example string
	request int
	class   class
	mishap  string
	verdict string
	why     string // the rule does not hold for it; "" where it does
}

func (c cell) String() string {
	return fmt.Sprintf("%s, request %d, %s: %s", c.example, c.request, c.mishap, c.verdict)
}

// class is what a request is to a call; the columns of the matrix.
type class string

var classes = []class{"query", "mutation", "REST read", "REST write", "reading back"}

func (p *player) class(k int) class {
	switch request := p.ledger[k]; {
	case p.readsBack(k):
		return "reading back"
	case request.Mutation:
		return "mutation"
	case len(request.Fields) > 0:
		return "query"
	case isWrite(request):
		return "REST write"
	}
	return "REST read"
}

// matrix collects cells; it is safe for concurrent use.
type matrix struct {
	mu    sync.Mutex
	cells []cell
}

func (m *matrix) add(c cell) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells = append(m.cells, c)
}

// markdown is the table of the verdicts by mishap and class, and the list of
// what the rules do not hold for.
func (m *matrix) markdown() string {
	table, odd := map[string]map[class][]string{}, map[string]map[string][]string{}
	for _, c := range m.cells {
		if c.why != "" {
			file(odd, fmt.Sprintf("%s, request %d, because %s", c.example, c.request, c.why), c.verdict, c.mishap)
		} else {
			file(table, c.mishap, c.class, c.verdict)
		}
	}
	var text strings.Builder
	line := func(cells ...string) { text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(append([]string{"failure"}, classNames()...)...)
	line(slices.Repeat([]string{"---"}, len(classes)+1)...)
	for _, row := range slices.Sorted(maps.Keys(table)) {
		cells := []string{row}
		for _, column := range classes {
			cells = append(cells, strings.Join(table[row][column], "; "))
		}
		line(cells...)
	}
	text.WriteString("\nOtherwise:\n")
	for _, where := range slices.Sorted(maps.Keys(odd)) {
		fmt.Fprintf(&text, "- %s:\n", where)
		for _, verdict := range slices.Sorted(maps.Keys(odd[where])) {
			fmt.Fprintf(&text, "  - %s: %s\n", verdict, strings.Join(odd[where][verdict], ", "))
		}
	}
	return text.String()
}

func classNames() []string {
	var names []string
	for _, c := range classes {
		names = append(names, string(c))
	}
	return names
}

// file puts the text under two keys, sorted and once.
func file[K comparable](in map[string]map[K][]string, first string, second K, text string) {
	if in[first] == nil {
		in[first] = map[K][]string{}
	}
	list := in[first][second]
	if at, known := slices.BinarySearch(list, text); !known {
		in[first][second] = slices.Insert(list, at, text)
	}
}
