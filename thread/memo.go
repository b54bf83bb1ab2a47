package thread

import "sync"

// memoSize bounds how many cursors a Memo holds; two generations of half that
// size take turns, so that what was used lately stays.
const memoSize = 20_000

// Memo remembers the upstream cursors of comments that earlier answers passed
// by, so that a watermark handed back is found without searching. It only
// saves requests: nothing depends on it. It may be used concurrently.
type Memo struct {
	mu         sync.Mutex
	young, old map[memoKey]string
}

type memoKey struct{ thread, comment string }

// NewMemo makes an empty Memo.
func NewMemo() *Memo { return &Memo{young: map[memoKey]string{}} }

func (m *Memo) learn(thread, comment, cursor string) {
	if m == nil || cursor == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.young) >= memoSize/2 {
		m.old, m.young = m.young, map[memoKey]string{}
	}
	m.young[memoKey{thread, comment}] = cursor
}

func (m *Memo) cursor(thread, comment string) string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := memoKey{thread, comment}
	if cursor := m.young[key]; cursor != "" {
		return cursor
	}
	return m.old[key]
}

// learn remembers the cursors of a page.
func (r *run) learn(page Page) {
	for i, comment := range page.Comments {
		if i < len(page.Cursors) {
			r.memo.learn(r.thread, comment.ID, page.Cursors[i])
		}
	}
}

// learnStubs remembers the cursors of a run of stubs.
func (r *run) learnStubs(page StubPage) {
	for _, stub := range page.Stubs {
		r.memo.learn(r.thread, stub.ID, stub.Cursor)
	}
	if n := len(page.Stubs); n > 0 {
		r.memo.learn(r.thread, page.Stubs[0].ID, page.Start)
		r.memo.learn(r.thread, page.Stubs[n-1].ID, page.End)
	}
}
