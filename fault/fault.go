// Package fault is the closed set of errors a caller can meet.
//
// An Error keeps two audiences apart: Code, Message, Fix and the details go
// out to the model that made the call; Cause goes to the log and nowhere else.
// Whatever is not an Error, nor the end of a context, becomes INTERNAL on its
// way out, so that no text of a library or of the network reaches a caller by
// accident.
package fault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
)

// Error is a failure with a public face and a private cause.
type Error struct {
	Code    Code
	Message string // what happened, in words a caller can act on
	Fix     string // the next step; "" is the one that goes with the code

	// Retryable says that the same call may succeed later, unchanged.
	Retryable bool
	// RetryAfterSeconds is how long to wait first; 0 when unknown.
	RetryAfterSeconds int

	// Details are further public members of the error's JSON, such as
	// currentAssignees. They never replace the members above.
	Details map[string]any

	// Cause is for the log only.
	Cause error
}

// New makes an Error of the given code.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithFix adds the next step.
func (e *Error) WithFix(format string, args ...any) *Error {
	e.Fix = fmt.Sprintf(format, args...)
	return e
}

// With adds one public detail.
func (e *Error) With(name string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[name] = value
	return e
}

// WithCause adds the private cause.
func (e *Error) WithCause(err error) *Error {
	e.Cause = err
	return e
}

// RetryAfter marks the error as retryable after the given seconds; 0 means
// that it may be retried but nobody knows when.
func (e *Error) RetryAfter(seconds int) *Error {
	e.Retryable = true
	e.RetryAfterSeconds = seconds
	return e
}

func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Cause }

// Public is the error as callers see it:
// {"error", "code", "message", "fix", …}.
func (e *Error) Public() map[string]any {
	public := map[string]any{}
	maps.Copy(public, e.Details)
	public["error"] = e.Code.Title()
	public["code"] = string(e.Code)
	public["message"] = e.Message
	public["fix"] = cmp.Or(e.Fix, e.Code.fix())
	if e.Retryable {
		public["retryable"] = true
	}
	if e.RetryAfterSeconds > 0 {
		public["retryAfterSeconds"] = e.RetryAfterSeconds
	}
	return public
}

// From finds the Error in err's chain. The end of a context becomes
// UPSTREAM_TIMEOUT, any other error INTERNAL, with err as its cause. From(nil)
// is nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var found *Error
	if errors.As(err, &found) {
		return found
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return New(UpstreamTimeout, "the call was over before this was done").WithCause(err)
	}
	return New(Internal, "the server met an error it does not know").
		WithFix("Try once more; if it stays, report it with the server's log.").
		WithCause(err)
}

// Is reports whether err carries the given code.
func Is(err error, code Code) bool {
	var found *Error
	return errors.As(err, &found) && found.Code == code
}

// Wrap is deferred with the address of a named error result; it says for the
// log where the error came from and leaves its public face as it is.
//
//	defer fault.Wrap(&err, "discussion.List(%s)", repo)
func Wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}
