package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// BenchmarkSoak sends 100,000 requests to the server on a sandbox, a thousand
// to a session: calls that are right, calls that are wrong in every way, and
// lines that are no calls. Every request is answered, no answer is INTERNAL,
// and the heap, which is shown along the way, stays as it is.
//
//	go test -run '^$' -bench Soak -benchtime 1x .
func BenchmarkSoak(b *testing.B) {
	const sessions, each = 100, 1_000
	for b.Loop() {
		s := newSoak(b)
		var curve []float64 // MiB after each tenth
		for session := range sessions {
			s.session(each)
			if (session+1)%(sessions/10) == 0 {
				curve = append(curve, s.heap())
			}
		}
		b.Logf("after each tenth: heap %.1f MiB; answers %s", curve, s.answers())
		b.ReportMetric(curve[0], "first-MiB")
		b.ReportMetric(curve[len(curve)-1], "last-MiB")
		if last := curve[len(curve)-1]; last > curve[1]*1.2+4 {
			b.Errorf("the heap grows: %.1f MiB", curve)
		}
	}
}

// soak makes requests by a seeded chance and counts what comes of them.
type soak struct {
	*bench
	chance *rand.Rand
	calls  []read // that are right, and can be made again and again
	codes  map[string]int
}

func newSoak(b *testing.B) *soak {
	s := &soak{
		bench:  newBench(b, sandbox.StartTest(b, sandbox.Options{Repositories: samples(b)}), seat{token: sandbox.AdminToken}),
		chance: rand.New(rand.NewPCG(1, 2)), calls: slices.Clone(reads), codes: map[string]int{},
	}
	known := actions(b)
	for _, a := range allActs() {
		if a.prepare == nil && !strings.Contains(a.what, "create") && !strings.Contains(a.arguments, "confirm") { // the sandbox stays as large as it is
			arguments := a.arguments
			if action, has := strings.CutPrefix(a.key(known), a.tool()+" "); has {
				arguments = fmt.Sprintf(`{"action": %q, %s`, action, arguments[1:])
			}
			s.calls = append(s.calls, read{tool: a.tool(), arguments: arguments})
		}
	}
	return s
}

// session plays so many requests over stdio.
func (s *soak) session(requests int) {
	var lines bytes.Buffer
	asked := 0
	for range requests {
		line, isRequest := s.line()
		lines.Write(line)
		lines.WriteByte('\n')
		if isRequest {
			asked++
		}
	}
	var answers bytes.Buffer
	if err := s.server.ServeStdio(s.t.Context(), &lines, &answers); err != nil {
		s.t.Fatal(err)
	}
	if answered := s.count(&answers); answered != asked {
		s.t.Errorf("%d answers to %d requests", answered, asked)
	}
}

// line is one line, and whether it is a request that has to be answered.
func (s *soak) line() (line []byte, isRequest bool) {
	call := s.calls[s.chance.IntN(len(s.calls))]
	arguments := map[string]any{}
	if err := json.Unmarshal([]byte(call.arguments), &arguments); err != nil {
		s.t.Fatal(err)
	}
	kind := s.chance.IntN(10)
	if kind >= 5 {
		s.spoil(arguments)
	}
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": fmt.Sprint("call ", s.chance.Int()), "method": "tools/call",
		"params": map[string]any{"name": call.tool, "arguments": arguments},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if kind == 9 {
		line = append([]byte("!"), line[:s.chance.IntN(len(line))]...) // no JSON any more
	}
	return line, kind != 9
}

// spoil makes arguments wrong in up to three ways.
func (s *soak) spoil(arguments map[string]any) {
	values := hostile()
	for range 1 + s.chance.IntN(3) {
		name := "argument" + fmt.Sprint(s.chance.IntN(100))
		if names := slices.Sorted(maps.Keys(arguments)); len(names) > 0 && s.chance.IntN(4) > 0 {
			name = names[s.chance.IntN(len(names))]
		}
		if s.chance.IntN(5) == 0 {
			delete(arguments, name)
			continue
		}
		arguments[name] = values[s.chance.IntN(len(values))]
	}
}

// hostile are values that fit nowhere, or look as if they did.
func hostile() []any {
	return []any{
		nil, true, -1, 0, 12.5, 1e300, "12", "#12", "", " ", "\x00\u202e\u200b", strings.Repeat("x", 70_000), strings.Repeat("é\n", 3_000),
		"../../etc/passwd", "octo-org/hello/..", "https://example.test/a?b#c", "DC_kwDOABCDEM4AZxyz", "discussioncomment-12000301",
		"${jndi:ldap://x}", "'; drop table users; --", `{"a":1}`, []any{}, []any{nil, []any{[]any{}}}, []any{"bug", 7},
		map[string]any{}, map[string]any{"$ref": "#"}, json.RawMessage(`9007199254740993`), json.RawMessage(strings.Repeat("[", 200) + strings.Repeat("]", 200)),
	}
}

// count counts the answers to requests, by what they say.
func (s *soak) count(answers io.Reader) (answered int) {
	lines := bufio.NewScanner(answers)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var answer struct {
			ID     any
			Error  *struct{ Code int }
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			s.t.Fatalf("not JSON: %q", lines.Text())
		}
		code := "done"
		if answer.Error != nil {
			code = fmt.Sprint(answer.Error.Code)
		} else if answer.Result.IsError {
			var public struct{ Code string }
			if err := json.Unmarshal([]byte(answer.Result.Content[0].Text), &public); err != nil {
				s.t.Fatal(err)
			}
			code = public.Code
		}
		if s.codes[code]++; code == "INTERNAL" {
			s.t.Errorf("a defect: %s", lines.Text())
		}
		if answer.ID != nil {
			answered++
		}
	}
	return answered
}

// heap is what is in use, in MiB, without the sandbox's ledger.
func (s *soak) heap() float64 {
	s.github.ResetRequests()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return float64(memory.HeapInuse) / (1 << 20)
}

// answers are how many there were of each kind.
func (s *soak) answers() string {
	var list []string
	for _, code := range slices.Sorted(maps.Keys(s.codes)) {
		list = append(list, fmt.Sprintf("%s %d", code, s.codes[code]))
	}
	return strings.Join(list, ", ")
}
