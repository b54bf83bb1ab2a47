package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// stopGrace is how long cancelled requests may take to say so.
const stopGrace = 2 * time.Second

// Serve answers the requests of l until ctx ends; l is closed then. Running
// requests get DrainTimeout to finish, while new ones are turned away and
// readyz says so; then they are cancelled. That is a nil error, any other end
// is none. It refuses a listener that others than this machine reach when the
// options say Loopback. It is called once.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	if h.options.Loopback && !isLoopbackHost(l.Addr().String()) {
		l.Close()
		return fmt.Errorf("%s can be reached from elsewhere, the options say that it cannot", l.Addr())
	}
	running := &http.Server{
		Handler: h, ReadHeaderTimeout: min(headerTimeout, h.options.TransferTime), IdleTimeout: keepAlive, MaxHeaderBytes: maxHeaderBytes,
		TLSConfig: h.options.TLS, ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- h.accept(running, l) }()
	tick := time.NewTicker(max(h.options.SessionIdle/4, 100*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case err := <-served:
			return err
		case <-tick.C:
			h.free(h.sessions.expired())
		case <-ctx.Done():
			err := h.drain(ctx, running)
			if end := <-served; !errors.Is(end, http.ErrServerClosed) {
				err = errors.Join(err, end)
			}
			return err
		}
	}
}

func (h *HTTP) accept(running *http.Server, l net.Listener) error {
	if h.options.TLS != nil {
		return running.ServeTLS(l, "", "") // with the certificate of TLSConfig
	}
	return running.Serve(l)
}

// drain ends the serving: first by waiting, then by cancelling, then by force.
func (h *HTTP) drain(ctx context.Context, running *http.Server) error {
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.options.DrainTimeout)
	defer cancel()
	select {
	case <-h.gate.close():
	case <-patience.Done():
		h.log.Warn("requests are cancelled, because they did not end in time", "patience", h.options.DrainTimeout)
	}
	h.gate.cancel()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	err := running.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = running.Close()
	}
	return err
}
