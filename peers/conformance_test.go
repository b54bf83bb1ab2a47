package peers_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// suite is a release of MCP's conformance suite and what of it is run.
type suite struct {
	name      string
	script    string
	arguments []string
}

var (
	legacySuite = suite{
		name:   "0.1.16, all",
		script: "@modelcontextprotocol/conformance/dist/index.js", arguments: []string{"--suite", "all"},
	}
	modernSuite = suite{
		name:   "0.2.0-alpha.12, 2026-07-28",
		script: "conformance-next/dist/index.js", arguments: []string{"--requirements", "2026-07-28"},
	}
)

// check is one thing that a suite looks at.
type check struct {
	ID, Status, ErrorMessage string
}

// scenarioOf finds the name of a scenario in that of the directory with its
// results, which ends in a time.
var scenarioOf = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// run runs the suite against a server, and gives the checks by scenario. That
// some fail is for the caller to judge.
func (s suite) run(t *testing.T, url string) map[string][]check {
	t.Helper()
	results := t.TempDir()
	command := exec.CommandContext(t.Context(), node(t), append([]string{
		fromNPM(t, s.script), "server", "--url", url, "--output-dir", results,
	}, s.arguments...)...)
	output, err := command.CombinedOutput()
	files, _ := filepath.Glob(filepath.Join(results, "*", "checks.json")) // its only error is a bad pattern
	if len(files) == 0 {
		t.Fatalf("the suite has no results: %v\n%s", err, output)
	}
	checks := map[string][]check{}
	for _, file := range files {
		name := scenarioOf.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if name == nil {
			t.Fatalf("%s is of no scenario", file)
		}
		var list []check
		if err := json.Unmarshal([]byte(readText(t, file)), &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		checks[name[1]] = list
	}
	return checks
}

// judgement is what is expected of a server in a suite.
type judgement struct {
	suite  suite
	passed int // checks
	// only are the scenarios that are for any server; nil is all but those in
	// without.
	only    []string
	without map[string]string // scenario: why it is not for us
	open    map[string]string // check: why it need not succeed
}

// hold holds the server at url to the judgement.
func (j judgement) hold(t *testing.T, url string) {
	t.Helper()
	passed, scenarios := 0, 0
	unused := map[string]bool{}
	for id := range j.open {
		unused[id] = true
	}
	for scenario, checks := range j.suite.run(t, url) {
		if j.without[scenario] != "" || j.only != nil && !slices.Contains(j.only, scenario) {
			continue
		}
		scenarios++
		for _, c := range checks {
			switch {
			case c.Status == "SUCCESS":
				passed++
			case c.Status == "INFO":
			case j.open[c.ID] != "":
				delete(unused, c.ID)
			default:
				t.Errorf("%s: %s: %s: %s", scenario, c.ID, c.Status, c.ErrorMessage)
			}
		}
	}
	for id := range unused {
		t.Errorf("%s is excused, and need not be", id)
	}
	if j.only != nil && scenarios != len(j.only) {
		t.Errorf("%d scenarios ran, want the %d that are named", scenarios, len(j.only))
	}
	if passed != j.passed {
		t.Errorf("%d checks passed, want %d", passed, j.passed)
	}
	t.Logf("conformance %s: %d scenarios, %d checks passed", j.suite.name, scenarios, passed)
}

// notOurs are the scenarios of parts of the protocol that we do not have.
var notOurs = map[string]string{
	"tasks-lifecycle":                      "tasks are an extension",
	"tasks-capability-negotiation":         "tasks are an extension",
	"tasks-wire-fields":                    "tasks are an extension",
	"tasks-request-state-removal":          "tasks are an extension",
	"tasks-mrtr-input":                     "tasks are an extension",
	"tasks-request-headers":                "tasks are an extension",
	"tasks-dispatch-and-envelope":          "tasks are an extension",
	"tasks-status-notifications":           "tasks are an extension",
	"tasks-required-task-error":            "tasks are an extension",
	"tasks-mrtr-composition":               "tasks are an extension",
	"http-custom-header-server-validation": "no tool of ours has arguments in headers, and the contract has no way to give it any; the suite does not score it either",
}

// untestable are the checks that need a tool of the suite's own, or lists that
// change; TestConformance has all of them pass.
var untestable = map[string]string{
	"sep-2575-server-rejects-undeclared-capability":              "test_missing_capability",
	"sep-2575-missing-capability-http-400":                       "test_missing_capability",
	"sep-2575-http-server-no-independent-requests-on-stream":     "test_streaming_elicitation",
	"sep-2575-server-no-log-without-loglevel":                    "test_logging_tool",
	"sep-2575-server-sends-prompts-list-changed-on-subscription": "test_trigger_prompt_change",
	"sep-2575-server-sends-tools-list-changed-on-subscription":   "test_trigger_tool_change",
}

// TestConformance holds a server that our builder and our HTTP have made, with
// the tools that the suites look for, to both suites.
func TestConformance(t *testing.T) {
	node(t) // without it, nothing is worth building
	url := startFixture(t)
	for _, j := range []judgement{
		{suite: legacySuite, passed: 43},
		{suite: modernSuite, passed: 142, without: notOurs},
	} {
		t.Run(j.suite.name, func(t *testing.T) { j.hold(t, url) })
	}
}

// TestConformanceOfTheProgram holds the program to what the suites ask of any
// server.
func TestConformanceOfTheProgram(t *testing.T) {
	node(t)
	url := serve(t, overHTTP, nil, "--sandbox").url
	for _, j := range []judgement{
		{suite: legacySuite, passed: 9, only: []string{
			"server-initialize", "ping", "completion-complete", "tools-list", "resources-list", "prompts-list",
			"dns-rebinding-protection", "server-sse-multiple-streams",
		}},
		{suite: modernSuite, passed: 65, only: []string{
			"server-stateless", "completion-complete", "tools-list", "resources-list", "prompts-list", "caching",
			"dns-rebinding-protection", "server-sse-multiple-streams", "sep-2164-resource-not-found", "http-header-validation",
			"input-required-result-unsupported-methods",
		}, open: untestable},
	} {
		t.Run(j.suite.name, func(t *testing.T) { j.hold(t, url) })
	}
}

// startFixture runs the fixture of the server's own tests as a process, and
// gives its address.
func startFixture(t *testing.T) string {
	t.Helper()
	fixture := filepath.Join(t.TempDir(), "fixture")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", fixture, "../server")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		t.Fatalf("building the fixture: %v", err)
	}
	return listening(t, process{
		program: fixture, directory: "../server", environment: []string{"SERVE_CONFORMANCE_FIXTURE=1"},
	})
}
