package conversation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// talk is a pull request with comments and remarks at random times, many of
// which share a second.
type talk struct {
	comments []placedComment
	spine    spine
	order    []string // all of it, in the thread's order
}

func newTalk(random *rand.Rand) talk {
	var t talk
	at := func() time.Time { return time.Unix(1_700_000_000+random.Int64N(40), 0).UTC() }
	for i := range random.IntN(30) {
		key := thread.Key{At: at(), Kind: thread.KindComment, Number: int64(i + 1)}
		t.comments = append(t.comments, placedComment{Stub: thread.Stub{ID: fmt.Sprintf("C%d", i), Key: key}})
	}
	slices.SortFunc(t.comments, func(a, b placedComment) int { return a.Key.Compare(b.Key) })
	for i := range t.comments {
		t.comments[i].cursor = fmt.Sprintf("cursor%d", i)
	}
	for i := range random.IntN(30) {
		key := thread.Key{At: at(), Kind: thread.KindReview, Number: int64(i + 1)}
		wraps := random.IntN(3) == 0
		t.spine.remarks = append(t.spine.remarks, remark{Stub: thread.Stub{ID: fmt.Sprintf("R%d", i), Key: key}, wraps: wraps})
		if wraps || random.IntN(2) == 0 { // what wraps has something to wrap
			key.Kind = thread.KindReviewComment
			t.spine.remarks = append(t.spine.remarks, remark{Stub: thread.Stub{ID: fmt.Sprintf("I%d", i), Key: key}})
		}
	}
	t.spine.settle()
	all := run{comments: t.comments}
	for _, entry := range all.merge(&t.spine) {
		t.order = append(t.order, entry.ID)
	}
	return t
}

// after is what GitHub gives for comments(first: n, after: the spot's cursor).
func (t talk) after(n int, from *spot) run {
	start := 0
	if from != nil && from.after != "" {
		start = 1 + slices.IndexFunc(t.comments, func(c placedComment) bool { return c.cursor == from.after })
	}
	end := min(len(t.comments), start+n)
	return run{comments: t.comments[start:end], from: from, hasMore: end < len(t.comments)}
}

// before is what it gives for comments(last: n, before: the spot's cursor).
func (t talk) before(n int, to *spot) run {
	end := len(t.comments)
	if to != nil && to.before != "" {
		end = slices.IndexFunc(t.comments, func(c placedComment) bool { return c.cursor == to.before })
	}
	start := max(0, end-n)
	got := run{comments: slices.Clone(t.comments[start:end]), to: to, hasBefore: start > 0}
	got.dropNewer()
	return got
}

// Walking a conversation in either direction, by steps of every size and from
// every spot, gives all of it, in order, each once.
func TestWalksAreWhole(t *testing.T) {
	for seed := range uint64(200) {
		talk := newTalk(rand.New(rand.NewPCG(seed, 0)))
		if len(talk.order) != len(talk.comments)+len(talk.spine.remarks) {
			t.Fatalf("seed %d: %d of %d and %d in order", seed, len(talk.order), len(talk.comments), len(talk.spine.remarks))
		}
		for n := 1; n < 9; n++ {
			if diff := cmp.Diff(talk.order, talk.walkForward(t, n, nil)); diff != "" {
				t.Fatalf("seed %d, forward by %d (-all +walked):\n%s", seed, n, diff)
			}
			if diff := cmp.Diff(talk.order, talk.walkBack(t, n)); diff != "" {
				t.Fatalf("seed %d, back by %d (-all +walked):\n%s", seed, n, diff)
			}
		}
		whole := run{comments: talk.comments}
		for i, entry := range whole.merge(&talk.spine) {
			from := reread(t, entry.spot)
			if diff := cmp.Diff(talk.order[i+1:], talk.walkForward(t, 3, from), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d, forward from %s (-all +walked):\n%s", seed, entry.ID, diff)
			}
		}
	}
}

func (t talk) walkForward(test *testing.T, n int, from *spot) (ids []string) {
	for range 200 {
		got := t.after(n, from)
		entries, cut := firstOf(got.merge(&t.spine), n)
		for _, entry := range entries {
			ids = append(ids, entry.ID)
		}
		if !cut && !got.hasMore {
			return ids
		}
		from = reread(test, entries[len(entries)-1].spot)
	}
	test.Fatal("the walk forward does not end")
	return nil
}

func (t talk) walkBack(test *testing.T, n int) (ids []string) {
	var to *spot
	for range 200 {
		got := t.before(n, to)
		entries, cut := lastOf(got.merge(&t.spine), n)
		for _, entry := range slices.Backward(entries) {
			ids = append(ids, entry.ID)
		}
		if !cut && !got.hasBefore {
			slices.Reverse(ids)
			return ids
		}
		to = reread(test, entries[0].spot)
	}
	test.Fatal("the walk back does not end")
	return nil
}

// Where the spine is known behind a place only, what is behind it comes, in
// order, and nothing of what is before.
func TestAWalkOfWhatIsKnown(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		talk := newTalk(random)
		whole := run{comments: talk.comments}
		all := whole.merge(&talk.spine)
		if len(all) == 0 {
			continue
		}
		from := all[random.IntN(len(all))].Key
		talk.spine.from = &from
		for n := 1; n < 9; n++ {
			got := talk.before(n, nil)
			var want, ids []string
			for _, entry := range all {
				if entry.Key.After(from) && (!got.hasBefore || !got.comments[0].Key.After(entry.Key)) {
					want = append(want, entry.ID)
				}
			}
			for _, known := range got.merge(&talk.spine) {
				ids = append(ids, known.ID)
				place := slices.IndexFunc(all, func(e entry) bool { return e.ID == known.ID })
				if known.spot.after != all[place].spot.after {
					t.Fatalf("seed %d, by %d: %s stands behind comment %q, not %q", seed, n, known.ID, known.spot.after, all[place].spot.after)
				}
			}
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Fatalf("seed %d, by %d, from %v (-known +got):\n%s", seed, n, from, diff)
			}
		}
	}
}

// reread is a spot after its way through a cursor.
func reread(t *testing.T, s spot) *spot {
	t.Helper()
	got, err := parseSpot(s.String())
	if err != nil || *got != s {
		t.Fatalf("the spot %v became %v, %v", s, got, err)
	}
	return got
}

// Comments that came since a spot behind all comments was noted are not before
// it.
func TestWhatCameSinceIsNotBefore(t *testing.T) {
	talk := newTalk(rand.New(rand.NewPCG(1, 0)))
	whole := run{comments: talk.comments}
	entries := whole.merge(&talk.spine)
	last := entries[len(entries)-1].spot
	last.before = "" // as where no comment stood behind the spot
	later := placedComment{Stub: thread.Stub{ID: "later", Key: thread.Key{At: last.key.At.Add(time.Hour), Kind: thread.KindComment}}, cursor: "later"}
	talk.comments = append(talk.comments, later)
	got := talk.before(5, &last)
	if slices.ContainsFunc(got.comments, func(c placedComment) bool { return c.ID == "later" }) {
		t.Error("the comment that came later is before the spot")
	}
	got = talk.before(1, &last)
	if start, err := parseSpot(got.start()); len(got.comments) != 0 || err != nil || start.before != "later" {
		t.Errorf("where all was left out, the walk goes on before %v (%v)", start, err)
	}
}

func FuzzSpot(f *testing.F) {
	f.Add("hgcb3kx9hc.0.hv1pw Y3Vyc29y")
	f.Add("hgcb3kx9hc.2.hv1pw  Y3Vyc29y")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseSpot(text)
		if err != nil || got == nil {
			return
		}
		if again, err := parseSpot(got.String()); err != nil || *again != *got {
			t.Errorf("%q is read as %v, then as %v, %v", text, got, again, err)
		}
	})
}
