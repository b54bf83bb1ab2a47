// Package recent keeps the values that were used last.
//
// It promises that there are never more than a bound of them, that one which
// nobody asks for is forgotten after a while, that one which must not be
// forgotten yet is not, and that a key has one value at a time, whoever asks at
// once.
package recent

import (
	"container/list"
	"sync"
	"time"
)

// Map keeps values by key. It is safe for concurrent use.
type Map[K comparable, V any] struct {
	bound int
	idle  time.Duration
	now   func() time.Time
	held  func(V) bool

	mu    sync.Mutex
	order *list.List // of *entry[K, V], the one used last in front
	byKey map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	used  time.Time
}

// New makes a Map of at most bound values, which must be positive. A value is
// forgotten once it has not been asked for during idle; now is the clock, nil
// is time.Now.
func New[K comparable, V any](bound int, idle time.Duration, now func() time.Time) *Map[K, V] {
	return NewHeld[K](bound, idle, now, func(V) bool { return false })
}

// NewHeld is New for values that may not be forgotten while held says so. Held
// must not use the Map.
func NewHeld[K comparable, V any](bound int, idle time.Duration, now func() time.Time, held func(V) bool) *Map[K, V] {
	if now == nil {
		now = time.Now
	}
	return &Map[K, V]{bound: bound, idle: idle, now: now, held: held, order: list.New(), byKey: map[K]*list.Element{}}
}

// Get is the value of key, created now if there is none. Create must not use
// the Map, and everyone else waits for it. In a Map whose values are held it is
// Find that is to be used.
func (m *Map[K, V]) Get(key K, create func() V) V {
	value, _ := m.Find(key, create)
	return value
}

// Find is Get; false where a value would have to be created, and those that
// are there are held.
func (m *Map[K, V]) Find(key K, create func() V) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.expire(now)
	if found := m.byKey[key]; found != nil {
		m.use(found, now)
		return entryOf[K, V](found).value, true
	}
	if m.order.Len() >= m.bound && !m.makeRoom(now) {
		return value, false
	}
	value = create()
	m.byKey[key] = m.order.PushFront(&entry[K, V]{key, value, now})
	return value, true
}

// Len is how many values are kept.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(m.now())
	return m.order.Len()
}

// maxLooks bounds how many values one Find looks at to forget some.
const maxLooks = 100

// expire forgets what has been idle for too long.
func (m *Map[K, V]) expire(now time.Time) {
	for range maxLooks {
		last := m.order.Back()
		if last == nil || now.Sub(entryOf[K, V](last).used) < m.idle {
			return
		}
		m.dropUnlessHeld(last, now)
	}
}

// makeRoom forgets the value that was used the longest ago, of those that may
// be forgotten.
func (m *Map[K, V]) makeRoom(now time.Time) bool {
	for range min(maxLooks, m.order.Len()) {
		if m.dropUnlessHeld(m.order.Back(), now) {
			return true
		}
	}
	return false
}

// dropUnlessHeld forgets a value. One that is held counts as used instead, so
// that the next look is at others.
func (m *Map[K, V]) dropUnlessHeld(e *list.Element, now time.Time) bool {
	old := entryOf[K, V](e)
	if m.held(old.value) {
		m.use(e, now)
		return false
	}
	m.order.Remove(e)
	delete(m.byKey, old.key)
	return true
}

func (m *Map[K, V]) use(e *list.Element, now time.Time) {
	m.order.MoveToFront(e)
	entryOf[K, V](e).used = now
}

func entryOf[K comparable, V any](e *list.Element) *entry[K, V] {
	return e.Value.(*entry[K, V]) //nolint:forcetypeassert // nothing else is put in
}
