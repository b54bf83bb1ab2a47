package graphql_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// onSandbox is a client of a sandbox with the given token.
func onSandbox(t *testing.T, token string, log io.Writer) (*graphql.Client, *sandbox.Running) {
	t.Helper()
	running := sandbox.StartTest(t, sandbox.Options{})
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: running.RESTURL(), GraphQLURL: running.GraphQLURL()})
	if err != nil {
		t.Fatal(err)
	}
	chain := transport.New(transport.Options{
		Endpoints: endpoints, RetryInterval: time.Microsecond,
		Token:  func(context.Context) (string, error) { return token, nil },
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	return graphql.New(graphql.Options{URL: running.GraphQLURL(), HTTP: &http.Client{Transport: chain}}), running
}

func repositoryVars(owner, name string) map[string]any {
	return map[string]any{"owner": githubv4.String(owner), "name": githubv4.String(name)}
}

func TestTheSandboxSpeaksOfUnknownFields(t *testing.T) {
	client, running := onSandbox(t, sandbox.WriteToken, io.Discard)
	var q struct {
		Repository struct {
			ID         string
			NotOfThis  *struct{ X int } `graphql:"other: fieldOfTheFuture(first: $first)"`
			Discussion struct {
				Title string
				AlsoX bool
			} `graphql:"discussion(number: 1)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	vars := repositoryVars("octo-org", "hello")
	vars["first"] = githubv4.Int(3)
	notes, err := client.Query(t.Context(), "future", &q, vars)
	if err != nil || q.Repository.ID == "" {
		t.Fatalf("%+v, %v", q, err)
	}
	text := strings.Join(notes.Warnings(), "\n")
	for _, want := range []string{"Repository.fieldOfTheFuture", "(at repository.other)", "Discussion.alsoX"} {
		if !strings.Contains(text, want) {
			t.Errorf("warnings lack %q:\n%s", want, text)
		}
	}
	if n := len(running.Requests()); n != 2 {
		t.Errorf("%d requests, want 2: the sandbox names all unknown fields at once", n)
	}
}

func TestAWriteThatTheSandboxDropsAfterItTookEffect(t *testing.T) { // A58
	client, running := onSandbox(t, sandbox.WriteToken, io.Discard)
	var q struct {
		Repository struct {
			Discussion struct{ ID string } `graphql:"discussion(number: 1)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	if _, err := client.Query(t.Context(), "id", &q, repositoryVars("octo-org", "hello")); err != nil {
		t.Fatal(err)
	}
	running.ResetRequests()
	for drop, want := range map[string]fault.Code{"before": fault.OutcomeUnknown, "after": fault.OutcomeUnknown} {
		if err := running.Fail(sandbox.Failure{Query: "addDiscussionComment", Drop: drop}); err != nil {
			t.Fatal(err)
		}
		var m commentMutation
		input := githubv4.AddDiscussionCommentInput{DiscussionID: q.Repository.Discussion.ID, Body: "once"}
		if _, err := client.Mutate(t.Context(), "comment", &m, input, nil); !fault.Is(err, want) {
			t.Errorf("dropped %s: %v, want %s", drop, err, want)
		}
	}
	if n := len(running.Requests()); n != 2 {
		t.Errorf("%d writes sent, want 2", n)
	}
}

func TestAccessOnTheSandbox(t *testing.T) { // A53
	var q struct {
		Repository *struct{ ID string } `graphql:"repository(owner: $owner, name: $name)"`
	}
	var log strings.Builder
	client, _ := onSandbox(t, sandbox.ReadToken, &log)
	_, err := client.Query(t.Context(), "private", &q, repositoryVars("octo-org", "private"))
	if !fault.Is(err, fault.NotFoundOrNoAccess) || !strings.Contains(fault.From(err).Message, "missing or not visible to this token") {
		t.Errorf("private repository: %v", err)
	}
	const wrong = "ghp_notatokenofthesandbox"
	client, _ = onSandbox(t, wrong, &log)
	_, err = client.Query(t.Context(), "any", &q, repositoryVars("octo-org", "hello"))
	var got *fault.Error
	if !errors.As(err, &got) || got.Code != fault.AuthFailed {
		t.Fatalf("wrong token: %v", err)
	}
	if shown := err.Error() + got.Fix + log.String(); strings.Contains(shown, wrong) || strings.Contains(shown, sandbox.ReadToken) {
		t.Errorf("a token is shown:\n%s", shown)
	}
}
