package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkHTTP measures whole calls over HTTP, from 1, 16 and 256 clients: one
// that needs nothing, and a read of the newest comments from the sandbox, which
// runs in the same process.
func BenchmarkHTTP(b *testing.B) {
	e := startHTTP(b, nil, "--sandbox", "--max-concurrent", "1000", "--max-per-minute", "1000000000")
	for _, call := range []struct{ tool, arguments string }{
		{"get_mcp_tool_handbook", `{"toolId":"list_labels"}`},
		{"get_discussion_conversation", `{"discussion_number":12,"last_n":5}`},
	} {
		e.call("", call.tool, call.arguments) // what is made once is made
		for _, clients := range []int{1, 16, 256} {
			b.Run(fmt.Sprintf("%s/clients=%d", call.tool, clients), func(b *testing.B) {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, call.tool, call.arguments)
				took := e.load(b, clients, body)
				slices.Sort(took)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
			})
		}
	}
}

// load makes b.N calls from so many clients, and tells how long each took.
func (e *endpoint) load(b *testing.B, clients int, body string) []time.Duration {
	b.Helper()
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for range clients {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				start := time.Now()
				if err := e.try(b, body); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	return took
}

// try makes one call that has to succeed.
func (e *endpoint) try(b *testing.B, body string) error {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, e.url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && !strings.Contains(string(text), `"structuredContent"`) {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}
