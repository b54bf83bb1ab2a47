package recent_test

import (
	"sync"
	"testing"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/recent"
)

// TestMap plays uses, each at a second of its own, and looks at what had to be
// made anew.
func TestMap(t *testing.T) {
	for name, test := range map[string]struct {
		uses string
		at   []int // the second of each use
		want string
	}{
		"a value is made once":               {"aaa", []int{0, 1, 2}, "a"},
		"the bound holds":                    {"abca", []int{0, 1, 2, 3}, "abca"},
		"what is used is kept":               {"abacab", []int{0, 1, 2, 3, 4, 5}, "abcb"},
		"what is idle is forgotten":          {"aba", []int{0, 5, 10}, "aba"},
		"a use begins the idle time anew":    {"aaa", []int{0, 9, 18}, "a"},
		"idle for less than that is no idle": {"aa", []int{0, 9}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			var now time.Time
			start := now
			m := recent.New[rune, rune](2, 10*time.Second, func() time.Time { return now })
			made := ""
			for i, key := range test.uses {
				now = start.Add(time.Duration(test.at[i]) * time.Second)
				if got := m.Get(key, func() rune { made += string(key); return key }); got != key {
					t.Errorf("use %d of %c gives %c", i, key, got)
				}
				if m.Len() > 2 {
					t.Errorf("after use %d there are %d values", i, m.Len())
				}
			}
			if made != test.want {
				t.Errorf("made %q, want %q", made, test.want)
			}
		})
	}
}

func TestLenForgets(t *testing.T) {
	var now time.Time
	m := recent.New[string, int](5, time.Minute, func() time.Time { return now })
	m.Get("a", func() int { return 1 })
	now = now.Add(time.Minute)
	if m.Len() != 0 {
		t.Error("an idle value is still there")
	}
}

// TestOneValueForAll: many ask at once, one makes.
func TestOneValueForAll(t *testing.T) {
	m := recent.New[string, *int](5, time.Minute, nil)
	made := 0
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			m.Get("a", func() *int { made++; return new(int) })
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

// TestHeld: what is held outlives the bound and the idle time; where everything
// is, there is no room.
func TestHeld(t *testing.T) {
	var now time.Time
	held := map[string]bool{"a": true, "b": true}
	m := recent.NewHeld[string](2, time.Minute, func() time.Time { return now }, func(v string) bool { return held[v] })
	find := func(key string, want bool) {
		t.Helper()
		made := false
		value, ok := m.Find(key, func() string { made = true; return key })
		if ok != want || ok && value != key {
			t.Errorf("%s is %q, %v; want %v", key, value, ok, want)
		}
		if !ok && made {
			t.Errorf("%s was made in vain", key)
		}
	}
	find("a", true)
	find("b", true)
	find("c", false)
	now = now.Add(time.Hour)
	find("c", false)
	find("a", true)
	held["b"] = false
	find("c", true)
	find("b", true) // in the place of c, which is not held
	if m.Len() != 2 {
		t.Errorf("there are %d values", m.Len())
	}
	if _, ok := m.Find("a", func() string { t.Error("a was forgotten while it was held"); return "" }); !ok {
		t.Error("a is gone")
	}
}
