package server

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/recent"
)

const (
	maxGuests   = 10_000
	guestMemory = 10 * time.Minute // longer than any limit looks back
	maxStreams  = 256              // of one user

	// spareArrivals is how many messages of a user may be on their way beyond
	// those that may run: answers and notifications, and calls that are told that
	// they are too many.
	spareArrivals = 16
)

// guests are the users that come, each with what they may still do.
type guests struct {
	concurrent, perMinute int
	now                   func() time.Time
	itself                *guest // the process, for which there is always room
	known                 *recent.Map[callerKey, *guest]
}

func newGuests(o HTTPOptions) *guests {
	g := &guests{concurrent: o.MaxConcurrent, perMinute: o.MaxPerMinute, now: time.Now}
	g.known = recent.NewHeld[callerKey](maxGuests, guestMemory, nil, (*guest).matters)
	g.itself = g.newGuest()
	return g
}

func (g *guests) newGuest() *guest {
	return &guest{all: g, left: float64(g.perMinute), counted: g.now()}
}

// of is the guest of that key. It refuses a new one while as many as are
// remembered have limits that count: to forget one of those would lift them.
func (g *guests) of(key callerKey) (*guest, *fault.Error) {
	if key == (callerKey{}) {
		return g.itself, nil
	}
	found, ok := g.known.Find(key, g.newGuest)
	if !ok {
		return nil, limited(1, "this server is used by %d users at a time", maxGuests)
	}
	return found, nil
}

// guest is one user's use of the endpoint.
type guest struct {
	all *guests

	mu       sync.Mutex
	arriving int // messages of which the body is not here yet
	running  int
	streams  int
	left     float64 // requests that may come now; fills up with time
	counted  time.Time

	rejected time.Time // when GitHub last refused the user's token
}

// matters reports whether anything would change if the guest was forgotten.
func (g *guest) matters() bool {
	if g.isRejected() {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fill()
	return g.arriving+g.running+g.streams > 0 || g.left < float64(g.all.perMinute)
}

// rejection is how long a token that GitHub has refused is not tried again.
// Clients that can get a new one do so when they are told that it is invalid.
const rejection = time.Minute

func (g *guest) reject() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rejected = g.all.now()
}

func (g *guest) isRejected() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.rejected.IsZero() && g.all.now().Sub(g.rejected) < rejection
}

// weight is what a message costs the server.
type weight int

const (
	light  weight = iota // counted, but answered at once
	work                 // runs for a while
	stream               // stays open
)

// arrive has the body of a message come in; done is to be called when it is
// here. Until it is, nobody knows what it weighs.
func (g *guest) arrive() (done func(), refused *fault.Error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if bound := g.all.concurrent + spareArrivals; g.arriving >= bound {
		return nil, limited(1, "this server takes in at most %d messages of one user at a time", bound)
	}
	return g.hold(&g.arriving), nil
}

// hold counts one more until done is called. It is called with the lock held.
func (g *guest) hold(counter *int) (done func()) {
	*counter++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		*counter--
	}
}

// admit takes a message in; done is to be called when it has been answered. Or
// it says what limit is in the way, as a fault.
func (g *guest) admit(w weight) (done func(), refused *fault.Error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if refused := g.count(); refused != nil {
		return nil, refused
	}
	counter, bound := g.counter(w)
	if counter == nil {
		return func() {}, nil
	}
	if *counter >= bound {
		return nil, limited(1, "this server answers at most %d requests of one user at a time", bound)
	}
	return g.hold(counter), nil
}

// counter is what counts messages of the weight, and how many there may be; nil
// when they are not counted. It is called with the lock held.
func (g *guest) counter(w weight) (counter *int, bound int) {
	switch w {
	case work:
		return &g.running, g.all.concurrent
	case stream:
		return &g.streams, maxStreams
	default:
		return nil, 0
	}
}

// count takes one from what is left of the minute. It is called with the lock
// held.
func (g *guest) count() *fault.Error {
	g.fill()
	if g.left < 1 {
		wait := (1 - g.left) / float64(g.all.perMinute) * 60
		return limited(int(wait)+1, "this server takes at most %d requests of one user a minute", g.all.perMinute)
	}
	g.left--
	return nil
}

// fill gives back what time has. It is called with the lock held.
func (g *guest) fill() {
	now, perMinute := g.all.now(), float64(g.all.perMinute)
	g.left = min(perMinute, g.left+now.Sub(g.counted).Minutes()*perMinute)
	g.counted = now
}

// limited is the fault of a limit of ours.
func limited(seconds int, format string, args ...any) *fault.Error {
	return fault.New(fault.RateLimited, "%s; the limit is this server's own, not GitHub's", fmt.Sprintf(format, args...)).
		WithFix("Wait %d s, then repeat the call; make fewer calls at once.", seconds).RetryAfter(seconds)
}

// errBusy is for programs: the message may be sent again.
var errBusy = errors.New("too many long messages at a time: send shorter ones, or this one later")

// narrows lets few pass at a time, and few wait.
type narrows struct {
	inside, waiting chan struct{} // one token for each
}

func newNarrows(inside, waiting int) narrows {
	return narrows{make(chan struct{}, inside), make(chan struct{}, waiting)}
}

// enter waits until there is room, but not for longer than patience; leave may
// be called more than once. The error is errBusy. There is no context, because a
// server does not notice that a client has hung up before it has its message.
func (n narrows) enter(patience time.Duration) (leave func(), err error) {
	select {
	case n.waiting <- struct{}{}:
		defer func() { <-n.waiting }()
	default:
		return nil, errBusy
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case n.inside <- struct{}{}:
		return sync.OnceFunc(func() { <-n.inside }), nil
	case <-late.C:
		return nil, errBusy
	}
}
