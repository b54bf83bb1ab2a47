package repository_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/repository"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// identity expects a login of tokens that the test may change.
func identity(t *testing.T, url, expected string, token *string) *repository.Identity {
	t.Helper()
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: url + "/api/v3"})
	if err != nil {
		t.Fatal(err)
	}
	current := func(context.Context) (string, error) { return *token, nil }
	client := &http.Client{Transport: transport.New(transport.Options{
		Endpoints: endpoints, Token: current, RetryInterval: time.Microsecond, Retries: -1,
	})}
	return repository.NewIdentity(repository.IdentityOptions{
		GraphQL: graphql.New(graphql.Options{URL: endpoints.GraphQL.String(), HTTP: client}),
		Token:   current, Expected: expected,
	})
}

// TestIdentityIsAskedOncePerToken, also by many at once, and whatever the
// answer was.
func TestIdentityIsAskedOncePerToken(t *testing.T) {
	github := sandbox.StartTest(t, sandbox.Options{})
	token := sandbox.AdminToken
	who := identity(t, github.URL, "OCTO-admin", &token)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if err := who.Check(t.Context()); err != nil {
				t.Errorf("the expected login is refused: %v", err)
			}
		})
	}
	calls.Wait()
	if n := len(github.Requests()); n != 1 {
		t.Errorf("20 checks made %d requests, want 1", n)
	}
	token = sandbox.ReadToken
	for range 3 {
		err := who.Check(t.Context())
		if !fault.Is(err, fault.IdentityMismatch) || !strings.Contains(err.Error(), "OCTO-admin") {
			t.Errorf("another login gives %v", err)
		}
	}
	token = sandbox.AdminToken
	if err := who.Check(t.Context()); err != nil {
		t.Errorf("the first token again: %v", err)
	}
	if n := len(github.Requests()); n != 2 {
		t.Errorf("two tokens made %d requests, want 2", n)
	}
}

// TestIdentityErrorsAreNotKept: who could not ask does not know, and asks
// again.
func TestIdentityErrorsAreNotKept(t *testing.T) {
	github := sandbox.StartTest(t, sandbox.Options{})
	token := "no such token"
	who := identity(t, github.URL, "octo-admin", &token)
	if err := who.Check(t.Context()); !fault.Is(err, fault.AuthFailed) {
		t.Errorf("a bad token gives %v, want AUTH_FAILED", err)
	}
	token = ""
	if err := who.Check(t.Context()); !fault.Is(err, fault.AuthRequired) {
		t.Errorf("no token gives %v, want AUTH_REQUIRED", err)
	}
	token = sandbox.AdminToken
	if err := github.Fail(sandbox.Failure{Query: "viewer", Kind: "UNAVAILABLE"}); err != nil {
		t.Fatal(err)
	}
	if err := who.Check(t.Context()); !fault.Is(err, fault.UpstreamError) {
		t.Errorf("a failing GitHub gives %v, want UPSTREAM_ERROR", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := who.Check(stopped); err == nil {
		t.Error("a cancelled check passes")
	}
	if err := who.Check(t.Context()); err != nil {
		t.Errorf("after the failures: %v", err)
	}
}
