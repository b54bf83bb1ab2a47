package server

import (
	"container/list"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// sessions are those of the clients that begin with a handshake. The MCP
// library keeps what belongs to a session; this keeps whose it is, and how long
// it lives. A session that has a request is busy, and is never freed.
type sessions struct {
	max  int
	idle time.Duration
	now  func() time.Time

	mu    sync.Mutex
	byID  map[string]*list.Element
	order *list.List // of *seat, the one used last in front
	owned map[callerKey]int
}

// seat is one session.
type seat struct {
	id    string
	owner callerKey
	face  *face         // the tools it was begun with
	ended chan struct{} // closed when it is

	busy int
	used time.Time
}

func newSessions(limit int, idle time.Duration) *sessions {
	return &sessions{
		max: limit, idle: idle, now: time.Now,
		byID: map[string]*list.Element{}, order: list.New(), owned: map[callerKey]int{},
	}
}

// begin opens a session, which is busy. Where there are too many, the user who
// has most loses the one that was idle the longest.
func (s *sessions) begin(owner callerKey, at *face) (opened *seat, evicted []*seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.order.Len() >= s.max {
		old := s.oldestOf(s.greediest())
		if old == nil {
			break // all are busy, which the limit on requests bounds
		}
		s.remove(old)
		evicted = append(evicted, old)
	}
	opened = &seat{id: rand.Text(), owner: owner, face: at, ended: make(chan struct{}), busy: 1, used: s.now()}
	s.byID[opened.id] = s.order.PushFront(opened)
	s.owned[owner]++
	return opened, evicted
}

// greediest is the user with most sessions. It is called with the lock held,
// as the next ones are.
func (s *sessions) greediest() (most callerKey) {
	for owner, n := range s.owned {
		if n > s.owned[most] {
			most = owner
		}
	}
	return most
}

// oldestOf is the user's session that was idle the longest; nil when none is.
func (s *sessions) oldestOf(owner callerKey) *seat {
	for e := s.order.Back(); e != nil; e = e.Prev() {
		if at := seatOf(e); at.owner == owner && at.busy == 0 {
			return at
		}
	}
	return nil
}

func (s *sessions) remove(at *seat) {
	s.order.Remove(s.byID[at.id])
	delete(s.byID, at.id)
	close(at.ended)
	if s.owned[at.owner]--; s.owned[at.owner] == 0 {
		delete(s.owned, at.owner)
	}
}

// use makes the session busy; nil when there is none of that name for this
// user and these tools.
func (s *sessions) use(id string, owner callerKey, at *face) *seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[id]
	if e == nil || seatOf(e).owner != owner || seatOf(e).face != at {
		return nil
	}
	used := seatOf(e)
	used.busy++
	return used
}

// release undoes one use, or the beginning.
func (s *sessions) release(at *seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at.busy--
	at.used = s.now()
	if e := s.byID[at.id]; e != nil {
		s.order.MoveToFront(e)
	}
}

// end takes a session out, if it is still there.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[id]; e != nil {
		s.remove(seatOf(e))
	}
}

// expired takes out the sessions that have been idle for too long.
func (s *sessions) expired() []*seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []*seat
	var before *list.Element
	for e := s.order.Back(); e != nil; e = before {
		before = e.Prev()
		switch at := seatOf(e); {
		case at.busy > 0:
		case s.now().Sub(at.used) < s.idle:
			return gone // those before it were used later
		default:
			s.remove(at)
			gone = append(gone, at)
		}
	}
	return gone
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order.Len()
}

func seatOf(e *list.Element) *seat {
	return e.Value.(*seat) //nolint:forcetypeassert // nothing else is put in
}

// ticket lets the MCP library ask for the session of one request. The session
// was checked before the library saw the request.
type ticket struct {
	http  *HTTP
	visit visit
	seat  *seat // nil without a session
	began *seat // by this request
}

type ticketKey struct{}

// ResolveSessionIdManager gives the library the ticket of a request.
func (tickets) ResolveSessionIdManager(r *http.Request) mcpserver.SessionIdManager { //nolint:revive,staticcheck // the library's name
	if t, ok := r.Context().Value(ticketKey{}).(*ticket); ok {
		return t
	}
	return &mcpserver.StatelessSessionIdManager{} // of sessions that are gone
}

// tickets is how the library gets at them.
type tickets struct{}

// Generate begins a session.
func (t *ticket) Generate() string {
	opened, evicted := t.http.sessions.begin(t.visit.who.key, t.visit.face)
	t.http.free(evicted)
	t.seat, t.began = opened, opened
	return opened.id
}

// release is called when the request has been answered.
func (t *ticket) release() {
	if t.began != nil {
		t.http.sessions.release(t.began)
	}
}

var errOtherSession = errors.New("not the session of this request")

// Validate accepts the session of the request; a request without one is on its
// own.
func (t *ticket) Validate(id string) (terminated bool, err error) {
	if t.seat == nil && id == "" || t.seat != nil && t.seat.id == id {
		return false, nil
	}
	return false, errOtherSession
}

// Terminate ends the session of the request.
func (t *ticket) Terminate(id string) (notAllowed bool, err error) {
	if _, err := t.Validate(id); err != nil {
		return false, err
	}
	t.http.sessions.end(id)
	return false, nil
}
