package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

func TestPublicKeepsTheCauseInside(t *testing.T) {
	err := fault.New(fault.RateLimited, "GitHub's limit is used up").
		WithFix("Wait.").RetryAfter(47).
		With("scope", "graphql").With("code", "FORGED").
		WithCause(errors.New("token ghp_secret"))
	want := map[string]any{
		"error": "Rate limited", "code": "RATE_LIMITED", "message": "GitHub's limit is used up",
		"fix": "Wait.", "retryable": true, "retryAfterSeconds": 47, "scope": "graphql",
	}
	if diff := cmp.Diff(want, err.Public()); diff != "" {
		t.Errorf("public face (-want +got):\n%s", diff)
	}
	if !strings.Contains(err.Error(), "ghp_secret") {
		t.Errorf("the log text %q should hold the cause", err.Error())
	}
}

func TestFrom(t *testing.T) {
	inner := fault.New(fault.NotFound, "no discussion #7")
	if got := fault.From(fmt.Errorf("reading: %w", inner)); got != inner {
		t.Errorf("From(wrapped) = %v, want the wrapped error itself", got)
	}
	unknown := fault.From(io.ErrUnexpectedEOF)
	if unknown.Code != fault.Internal || strings.Contains(unknown.Message, "EOF") {
		t.Errorf("From(unknown) = %q %q, want INTERNAL without the cause's text", unknown.Code, unknown.Message)
	}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if got := fault.From(fmt.Errorf("reading: %w", end)); got.Code != fault.UpstreamTimeout || !errors.Is(got, end) {
			t.Errorf("From(%v) = %v, want UPSTREAM_TIMEOUT with its cause", end, got)
		}
	}
	if fault.From(nil) != nil {
		t.Error("From(nil) is not nil")
	}
}

func TestWrapKeepsTheCode(t *testing.T) {
	read := func(fail error) (err error) {
		defer fault.Wrap(&err, "read(%d)", 7)
		return fail
	}
	if err := read(nil); err != nil {
		t.Errorf("Wrap made an error of nil: %v", err)
	}
	err := read(fault.New(fault.Forbidden, "locked"))
	if !fault.Is(err, fault.Forbidden) || err.Error() != "read(7): FORBIDDEN: locked" {
		t.Errorf("wrapped error is %q", err)
	}
}

func TestAnErrorAlwaysSaysTheNextStep(t *testing.T) {
	for code := range fault.Codes() {
		if fix := fault.New(code, "x").Public()["fix"]; fix == "" {
			t.Errorf("%s has no next step", code)
		}
	}
	if fix := fault.New(fault.NotFound, "x").WithFix("Look.").Public()["fix"]; fix != "Look." {
		t.Errorf("the error's own next step became %q", fix)
	}
}

func TestEveryCodeHasATitle(t *testing.T) {
	if fault.Code("NO_SUCH_CODE").Known() {
		t.Error("an unknown code is known")
	}
	if !fault.Internal.Known() || fault.Internal.Title() == "" {
		t.Error("INTERNAL has no title")
	}
}
