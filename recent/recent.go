// Package recent keeps the values that were used last.
//
// It promises that there are never more than a bound of them, that one which
// nobody asks for is forgotten after a while, and that a key has one value at a
// time, whoever asks at once.
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
	if now == nil {
		now = time.Now
	}
	return &Map[K, V]{bound: bound, idle: idle, now: now, order: list.New(), byKey: map[K]*list.Element{}}
}

// Get is the value of key, created now if there is none. Create must not use
// the Map, and everyone else waits for it.
func (m *Map[K, V]) Get(key K, create func() V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.expire(now)
	if found := m.byKey[key]; found != nil {
		m.order.MoveToFront(found)
		kept := entryOf[K, V](found)
		kept.used = now
		return kept.value
	}
	if m.order.Len() >= m.bound {
		m.drop(m.order.Back())
	}
	value := create()
	m.byKey[key] = m.order.PushFront(&entry[K, V]{key, value, now})
	return value
}

// Len is how many values are kept.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(m.now())
	return m.order.Len()
}

// expire forgets what has been idle for too long.
func (m *Map[K, V]) expire(now time.Time) {
	for last := m.order.Back(); last != nil && now.Sub(entryOf[K, V](last).used) >= m.idle; last = m.order.Back() {
		m.drop(last)
	}
}

func (m *Map[K, V]) drop(e *list.Element) {
	m.order.Remove(e)
	delete(m.byKey, entryOf[K, V](e).key)
}

func entryOf[K comparable, V any](e *list.Element) *entry[K, V] {
	return e.Value.(*entry[K, V]) //nolint:forcetypeassert // nothing else is put in
}
