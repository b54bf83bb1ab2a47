package sandbox

import (
	"sync"
	"time"
)

// limit is one account's rate limit as the headers show it.
type limit struct {
	resource    string
	limit, used int
	reset       time.Time
}

func (l limit) remaining() int { return max(0, l.limit-l.used) }

// hourly is what GitHub grants per hour. The sandbox counts but never refuses:
// a limit is played by a Failure.
const hourly = 5000

// limits counts, safe for concurrent use.
type limits struct {
	mu    sync.Mutex
	clock func() time.Time // nil: the system's
	used  map[string]*limit
}

// use counts one request.
func (l *limits) use(who *account, resource string) limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	counted := l.current(who, resource)
	counted.used++
	return *counted
}

// look is the limit without a request.
func (l *limits) look(who *account, resource string) limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.current(who, resource)
}

func (l *limits) current(who *account, resource string) *limit {
	now := time.Now()
	if l.clock != nil {
		now = l.clock()
	}
	key := resource
	if who != nil {
		key += " " + who.login
	}
	counted := l.used[key]
	if counted == nil || now.After(counted.reset) || counted.used >= hourly {
		counted = &limit{resource: resource, limit: hourly, reset: now.Add(time.Hour).Truncate(time.Second).UTC()}
		l.used[key] = counted
	}
	return counted
}
