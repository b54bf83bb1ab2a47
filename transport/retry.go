package transport

import (
	"context"
	"errors"

	"github.com/cenkalti/backoff/v5"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// transient marks, inside this package, a failure that may be gone the next
// moment.
type transient struct{ fault *fault.Error }

func (e transient) Error() string { return e.fault.Error() }
func (e transient) Unwrap() error { return e.fault }

// retried makes the call, and makes it again as long as it is a read, failed
// for the moment only, and neither tries nor time are used up.
func (t *chain) retried(c *call) (*answer, error) {
	var last error
	try := 0
	once := func() (*answer, error) {
		try++
		a, err := t.attempt(c, try)
		var passing transient
		if !errors.As(err, &passing) {
			last = err
			return a, permanent(err)
		}
		last = passing.fault
		if c.mark.write {
			return nil, backoff.Permanent(last)
		}
		return nil, last
	}
	a, err := backoff.Retry(c.context(), once, t.patience()...)
	switch {
	case err == nil:
		return a, nil
	case !c.mark.write && errors.Is(c.context().Err(), context.Canceled):
		return nil, c.context().Err()
	}
	return nil, last // also when time ran out in a pause: the failure says more
}

func permanent(err error) error {
	if err == nil {
		return nil
	}
	return backoff.Permanent(err)
}

// patience is how often and how long reads are repeated; pauses are jittered.
func (t *chain) patience() []backoff.RetryOption {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = t.RetryInterval
	pause.Multiplier = 3
	pause.MaxInterval = 8 * t.RetryInterval
	return []backoff.RetryOption{
		backoff.WithBackOff(pause),
		backoff.WithMaxTries(uint(t.Retries) + 1),
		backoff.WithMaxElapsedTime(t.RetryBudget),
	}
}
