package sandbox

import (
	"testing"
	"time"
)

// Whatever a client sends as an id either is none, or spells again as it came.
func FuzzNodeID(f *testing.F) {
	for _, seed := range []string{"DC_kwDODSw4pM4AHoSB", "MDE3OkRpc2N1c3Npb25Db21tZW50MjAwMDAwMQ==", "U_kgDOAJdb5g", "R_kgDODSw4pA", "", "DC_", "D_kwDO"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		kind, repository, number, ok := parseNodeID(id)
		if !ok {
			return
		}
		again := newNodeID(kind, repository, number)
		if repository == 0 && !kind.global {
			again = legacyNodeID(kind, number)
		}
		k, r, n, ok := parseNodeID(again)
		if !ok || k != kind || r != repository || n != number {
			t.Errorf("%q is %v %d %d; %q is %v %d %d", id, kind, repository, number, again, k, r, n)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add(timeKey(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 5301580683).cursor())
	f.Add(sortKey{text: "a label whose name is longer than thirty-one bytes", id: 1}.cursor())
	f.Add("Y3Vyc29yOnYyOpK0")
	f.Fuzz(func(t *testing.T, cursor string) {
		key, err := parseCursor(cursor)
		if err != nil {
			return
		}
		if again, err := parseCursor(key.cursor()); err != nil || again != key {
			t.Errorf("%q is %v, which is %v again, error %v", cursor, key, again, err)
		}
	})
}
