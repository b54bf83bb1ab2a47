package awareness

import (
	"bufio"
	"math"
	"os"
	"strings"
	"testing"
)

// request is a user's wish and the tool that serves it.
type request struct{ server, tool, text string }

func loadRequests(t testing.TB) []request {
	t.Helper()
	file, err := os.Open("testdata/requests.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []request
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		target, text, ok1 := strings.Cut(lines.Text(), " | ")
		server, tool, ok2 := strings.Cut(target, "/")
		if !ok1 || !ok2 {
			t.Fatalf("line %q", lines.Text())
		}
		out = append(out, request{server, tool, text})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// terms are the words of a text, plurals as singulars. No stop words: BM25's
// inverse document frequency takes care of them.
func terms(text string) []string {
	words := splitWords(text)
	for i, word := range words {
		words[i], _ = singular(word)
	}
	return words
}

// index ranks documents by BM25 with the usual k1 and b.
type index struct {
	counts  []map[string]int // term → occurrences, per document
	lengths []float64
	average float64
	having  map[string]int // term → documents that have it
}

func newIndex(documents []string) *index {
	x := &index{having: map[string]int{}}
	for _, document := range documents {
		counts := map[string]int{}
		words := terms(document)
		for _, word := range words {
			if counts[word]++; counts[word] == 1 {
				x.having[word]++
			}
		}
		x.counts = append(x.counts, counts)
		x.lengths = append(x.lengths, float64(len(words)))
		x.average += float64(len(words)) / float64(len(documents))
	}
	return x
}

func (x *index) score(query []string, document int) float64 {
	const k1, b = 1.2, 0.75
	score := 0.0
	for _, word := range query {
		n, all := float64(x.having[word]), float64(len(x.counts))
		idf := math.Log(1 + (all-n+0.5)/(n+0.5))
		tf := float64(x.counts[document][word])
		score += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*x.lengths[document]/x.average))
	}
	return score
}

// rank is the place of the document among all, 1 for the best. A tie counts as
// the middle of those that tie, so that the order of the list earns nothing.
func (x *index) rank(query []string, document int) float64 {
	own := x.score(query, document)
	better, equal := 0, 0
	for other := range x.counts {
		switch s := x.score(query, other); {
		case other == document:
		case s > own:
			better++
		case s == own:
			equal++
		}
	}
	return 1 + float64(better) + float64(equal)/2
}

// measure is the mean reciprocal rank of the right tools, and in how many
// requests the right tool comes first or among the first five.
type measure struct {
	mrr           float64
	first, inFive int
}

func (x *index) measure(t testing.TB, requests []request, at map[string]int) measure {
	var m measure
	for _, r := range requests {
		document, ok := at[r.server+"/"+r.tool]
		if !ok {
			t.Fatalf("no tool %s/%s", r.server, r.tool)
		}
		rank := x.rank(terms(r.text), document)
		m.mrr += 1 / rank / float64(len(requests))
		if rank < 2 {
			m.first++
		}
		if rank <= 5 {
			m.inFive++
		}
	}
	return m
}

// beforeAndAfter ranks the same requests against the text that a host shows of
// each tool: its name in the host, and the description without or with layer 1.
func beforeAndAfter(t testing.TB) (before, after measure, requests int) {
	var plain, enriched []string
	at := map[string]int{}
	for _, server := range loadServers(t) {
		for _, tool := range server.Tools {
			e := Enrich(server.ID, tool)
			at[server.ID+"/"+tool.Name] = len(plain)
			plain = append(plain, e.Name+"\n"+tool.Description)
			enriched = append(enriched, e.Name+"\n"+e.Description)
		}
	}
	wishes := loadRequests(t)
	return newIndex(plain).measure(t, wishes, at), newIndex(enriched).measure(t, wishes, at), len(wishes)
}

// Layer 1 must not make the right tool harder to find. How much easier it makes
// it is BenchmarkRank's to say.
func TestLayerOneIsNotWorse(t *testing.T) {
	before, after, n := beforeAndAfter(t)
	t.Logf("%d requests: MRR %.3f before, %.3f after; first %d → %d, in five %d → %d",
		n, before.mrr, after.mrr, before.first, after.first, before.inFive, after.inFive)
	if n != 40 {
		t.Errorf("%d requests, want 40", n)
	}
	if after.mrr < before.mrr {
		t.Errorf("MRR fell from %.3f to %.3f", before.mrr, after.mrr)
	}
}

func TestBM25RanksTheObvious(t *testing.T) {
	x := newIndex([]string{"read files", "write a file file file", "merge the branch"})
	if got := x.rank(terms("merge branches"), 2); got != 1 {
		t.Errorf("the only match is at %v", got)
	}
	if got := x.rank(terms("nothing here"), 0); got != 2 {
		t.Errorf("one of three that tie is at %v, want the middle", got)
	}
}

// BenchmarkRank reports the mean reciprocal rank of the right tool for the
// requests in testdata, without and with layer 1.
func BenchmarkRank(b *testing.B) {
	var before, after measure
	for b.Loop() {
		before, after, _ = beforeAndAfter(b)
	}
	b.ReportMetric(before.mrr, "MRR-before")
	b.ReportMetric(after.mrr, "MRR-after")
	b.ReportMetric(float64(before.inFive), "top5-before")
	b.ReportMetric(float64(after.inFive), "top5-after")
}

func BenchmarkEnrichAll(b *testing.B) {
	servers := loadServers(b)
	for b.Loop() {
		EnrichAll(servers)
	}
}
