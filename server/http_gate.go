package server

import (
	"context"
	"errors"
	"sync"
)

var errStopped = errors.New("the server is stopping")

// gate knows the requests that are being answered, so that the end can wait
// for them.
type gate struct {
	mu     sync.Mutex
	shut   bool
	inside map[*inside]struct{}
	empty  chan struct{} // closed once it is shut and nobody but streams is inside
}

// inside is a request that is being answered. Nothing ever finishes a stream
// but its end.
type inside struct {
	cancel context.CancelCauseFunc
	stream bool
}

func newGate() *gate {
	return &gate{inside: map[*inside]struct{}{}, empty: make(chan struct{})}
}

// enter lets a request in, unless the gate is shut. What is done under the
// returned context ends when time is up; leave is to be called at the end.
func (g *gate) enter(ctx context.Context, stream bool) (_ context.Context, leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return ctx, nil, false
	}
	ctx, cancel := context.WithCancelCause(ctx)
	guest := &inside{cancel, stream}
	g.inside[guest] = struct{}{}
	return ctx, func() { cancel(nil); g.leave(guest) }, true
}

func (g *gate) leave(guest *inside) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.inside, guest)
	g.tellEmpty()
}

// tellEmpty is called with the lock held.
func (g *gate) tellEmpty() {
	if !g.shut {
		return
	}
	for guest := range g.inside {
		if !guest.stream {
			return
		}
	}
	select {
	case <-g.empty:
	default:
		close(g.empty)
	}
}

// close lets nobody in any more and ends the streams; the channel is closed
// when all others have left.
func (g *gate) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	for guest := range g.inside {
		if guest.stream {
			guest.cancel(errStopped)
		}
	}
	g.tellEmpty()
	return g.empty
}

// cancel ends whatever is still inside.
func (g *gate) cancel() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for guest := range g.inside {
		guest.cancel(errStopped)
	}
}

type stopKey struct{}

// withStop has the handlers under ctx end with running. The MCP library, which
// answers nothing once its context has ended, is not to notice.
func withStop(ctx, running context.Context) context.Context {
	return context.WithValue(ctx, stopKey{}, running)
}

// heedStop is ctx for a handler: it also ends with what withStop was given.
func heedStop(ctx context.Context) (context.Context, context.CancelFunc) {
	running, ok := ctx.Value(stopKey{}).(context.Context)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(running, func() { cancel(context.Cause(running)) })
	return ctx, func() { forget(); cancel(nil) }
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// count is how many are inside, streams included.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.inside)
}
