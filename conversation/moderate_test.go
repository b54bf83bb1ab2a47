package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/conversation"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// desk is a Service on a sandbox, over real HTTP.
type desk struct {
	*conversation.Service
	t      *testing.T
	github *sandbox.Running
	client *graphql.Client
}

func openAs(t *testing.T, github *sandbox.Running, token string) *desk {
	t.Helper()
	endpoints, err := transport.ResolveEndpoints(transport.EndpointSettings{APIURL: github.RESTURL(), GraphQLURL: github.GraphQLURL()})
	if err != nil {
		t.Fatal(err)
	}
	chain := transport.New(transport.Options{Endpoints: endpoints, Token: func(context.Context) (string, error) { return token, nil }})
	d := &desk{t: t, github: github, client: graphql.New(graphql.Options{URL: endpoints.GraphQL.String(), HTTP: &http.Client{Transport: chain}})}
	web := ref.Web{AnyHost: true}
	d.Service = conversation.New(conversation.Options{
		GraphQL: d.client, Resolver: resolve.New(d.client, web), Home: ref.Repo{Owner: "octo-org", Name: "hello"}, Web: web,
	})
	return d
}

// seen is a comment as GitHub has it; ID is "" when it is gone.
type seen struct {
	ID              string
	DatabaseID      int64  `graphql:"databaseId"`
	URL             string `graphql:"url"`
	Body            string
	IsMinimized     bool
	MinimizedReason *string
	DeletedAt       *string
	ReplyTo         *struct{ ID string }
	Replies         struct{ Nodes []struct{ ID string } } `graphql:"replies(first: 100)"`
}

// thread is what a discussion of the home repository says, without replies.
func (d *desk) thread(number int) []seen {
	d.t.Helper()
	var query struct {
		Repository struct {
			Discussion struct {
				Comments struct{ Nodes []seen } `graphql:"comments(first: 100)"`
			} `graphql:"discussion(number: $number)"`
		} `graphql:"repository(owner: \"octo-org\", name: \"hello\")"`
	}
	if _, err := d.client.Query(context.Background(), "Thread", &query, map[string]any{"number": githubv4.Int(number)}); err != nil {
		d.t.Fatal(err)
	}
	return query.Repository.Discussion.Comments.Nodes
}

// look is one comment as GitHub has it now.
func (d *desk) look(id string) seen {
	d.t.Helper()
	var query struct {
		Node *struct {
			Comment seen `graphql:"... on DiscussionComment"`
		} `graphql:"node(id: $id)"`
	}
	_, err := d.client.Query(context.Background(), "Look", &query, map[string]any{"id": graphql.ID(id)})
	if err != nil && !fault.Is(err, fault.NotFound) {
		d.t.Fatal(err)
	}
	if query.Node == nil {
		return seen{}
	}
	return query.Node.Comment
}

func (d *desk) writes() int {
	n := 0
	for _, request := range d.github.Requests() {
		if request.Mutation {
			n++
		}
	}
	return n
}

func (d *desk) moderate(req conversation.ModerateRequest) *conversation.ModerateResult {
	d.t.Helper()
	got, err := d.Moderate(context.Background(), req)
	if err != nil {
		d.t.Fatalf("%+v: %v", req, err)
	}
	return got
}

func show(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}

// TestCommentsAreHiddenAndShown, with every reason, and replies like comments;
// the text stays.
func TestCommentsAreHiddenAndShown(t *testing.T) {
	d := openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.TriageToken)
	top := d.thread(2)[1]
	reply := d.look(d.thread(7)[0].Replies.Nodes[0].ID)
	for _, comment := range []seen{top, reply} {
		for _, reason := range []string{"spam", "abuse", "off_topic", "outdated", "duplicate", "resolved"} {
			got := d.moderate(conversation.ModerateRequest{Action: "minimize", CommentID: comment.ID, Reason: reason})
			now := d.look(comment.ID)
			if got.CommentID != comment.ID || !*got.IsMinimized || *got.MinimizedReason != reason || got.Deleted != nil ||
				!now.IsMinimized || now.Body != comment.Body {
				t.Errorf("minimize as %s: %s; GitHub has %s", reason, show(got), show(now))
			}
		}
		for range 2 {
			got := d.moderate(conversation.ModerateRequest{Action: "unminimize", CommentID: comment.ID})
			if now := d.look(comment.ID); *got.IsMinimized || got.MinimizedReason != nil || now.IsMinimized {
				t.Errorf("unminimize: %s; GitHub has %s", show(got), show(now))
			}
		}
	}
}

// TestCommentsAreDeleted: what has replies leaves a tombstone, and deleting
// that again is no error and no write.
func TestCommentsAreDeleted(t *testing.T) {
	d := openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.WriteToken)
	var parent, single seen
	for _, comment := range d.thread(2) {
		if len(comment.Replies.Nodes) > 0 {
			parent = comment
		} else {
			single = comment
		}
	}
	reply := d.look(parent.Replies.Nodes[0].ID)
	for name, comment := range map[string]seen{"a comment": single, "a comment with replies": parent} {
		before := d.writes()
		_, err := d.Moderate(context.Background(), conversation.ModerateRequest{Action: "delete", CommentID: comment.URL})
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Code != fault.ConfirmationRequired || d.writes() != before || d.look(comment.ID).Body != comment.Body {
			t.Fatalf("%s, unconfirmed: %v", name, err)
		}
		want := `"call":{"arguments":{"repo":"octo-org/hello","action":"delete","comment_id":"` + comment.ID + `","confirm":true},"tool":"moderate_comment"}`
		if said := show(refusal.Public()); !strings.Contains(said, want) {
			t.Errorf("%s: the refusal lacks %s: %s", name, want, said)
		}
		got := d.moderate(conversation.ModerateRequest{Action: "delete", CommentID: comment.ID, Confirm: true})
		if !*got.Deleted || got.CommentID != comment.ID || got.IsMinimized != nil || d.writes() != before+1 {
			t.Errorf("%s: %s after %d writes", name, show(got), d.writes()-before)
		}
	}
	if gone := d.look(single.ID); gone.ID != "" {
		t.Errorf("the deleted comment is there: %s", show(gone))
	}
	if stone := d.look(parent.ID); stone.DeletedAt == nil || stone.Body != "" || d.look(reply.ID).Body != reply.Body {
		t.Errorf("the tombstone is %s", show(stone))
	}
	before := d.writes()
	got := d.moderate(conversation.ModerateRequest{Action: "delete", CommentID: parent.ID})
	if !*got.Deleted || !strings.Contains(got.Message, "Nothing to do") || d.writes() != before {
		t.Errorf("deleting a tombstone: %s", show(got))
	}
}

// TestEverySpellingNamesTheComment.
func TestEverySpellingNamesTheComment(t *testing.T) {
	d := openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.AdminToken)
	comment := d.thread(21)[1] // numbers above 2^31
	number, decoded := ref.DecodeNodeID(comment.ID)
	if !decoded || number.DatabaseID < 1<<31 {
		t.Fatalf("comment %s is not above 2^31", comment.ID)
	}
	digits := strconv.FormatInt(number.DatabaseID, 10)
	for spelling, thread := range map[string]int{comment.ID: 0, comment.URL: 21, "discussioncomment-" + digits: 0, digits: 21} {
		got := d.moderate(conversation.ModerateRequest{Action: "minimize", CommentID: spelling, DiscussionNumber: thread, Reason: "outdated"})
		if got.CommentID != comment.ID {
			t.Errorf("%s names %s", spelling, got.CommentID)
		}
	}
}

func TestModerationIsRefusedWithTheWayOut(t *testing.T) {
	github := sandbox.StartTest(t, sandbox.Options{})
	d := openAs(t, github, sandbox.AdminToken)
	top, elsewhere := d.thread(3)[0], d.thread(2)[0]
	hide := func(id string, change func(*conversation.ModerateRequest)) conversation.ModerateRequest {
		req := conversation.ModerateRequest{Action: "minimize", CommentID: id, Reason: "spam"}
		change(&req)
		return req
	}
	same := func(*conversation.ModerateRequest) {}
	in := func(n int) func(*conversation.ModerateRequest) {
		return func(r *conversation.ModerateRequest) { r.DiscussionNumber = n }
	}
	for name, test := range map[string]struct {
		req  conversation.ModerateRequest
		code fault.Code
		word string
	}{
		"no reason":                   {hide(top.ID, func(r *conversation.ModerateRequest) { r.Reason = "" }), fault.MissingArguments, "off_topic"},
		"a reason to delete":          {hide(top.ID, func(r *conversation.ModerateRequest) { r.Action = "delete" }), fault.InvalidArguments, "reason"},
		"a reason to show":            {hide(top.ID, func(r *conversation.ModerateRequest) { r.Action = "unminimize" }), fault.InvalidArguments, "reason"},
		"two threads":                 {hide(top.ID, func(r *conversation.ModerateRequest) { r.DiscussionNumber, r.IssueNumber = 3, 3 }), fault.AmbiguousArguments, "more than one thread"},
		"a bare number":               {hide(strconv.FormatInt(top.DatabaseID, 10), same), fault.AmbiguousArguments, "comment_id"},
		"a comment of another":        {hide(elsewhere.ID, in(3)), fault.NotFound, "#3"},
		"a URL of another":            {hide(elsewhere.URL, in(3)), fault.NotFound, "comment_id"},
		"not in the issue":            {hide(top.ID, func(r *conversation.ModerateRequest) { r.IssueNumber = 3 }), fault.NotFound, "issue #3"},
		"a comment that is not there": {hide("discussioncomment-1", same), fault.NotFound, "comment_id"},
		"a private repository's":      {hide(ref.EncodeNodeID(ref.PrefixDiscussionComment, 221001893, 12090101), same), fault.NotFound, "octo-org/hello"},
		"a discussion":                {hide(ref.EncodeNodeID(ref.PrefixDiscussion, 221001892, 9000003), same), fault.MalformedCommentID, "Discussion"},
		"no spelling":                 {hide("the first", same), fault.MalformedCommentID, "the first"},
		"nothing":                     {hide("", same), fault.MalformedCommentID, "comment_id"},
		"a malformed repository":      {hide(top.ID, func(r *conversation.ModerateRequest) { s := "a/b/c"; r.Repo = &s }), fault.RepositoryTargetInvalid, "a/b/c"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.Moderate(context.Background(), test.req)
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Code != test.code || !strings.Contains(show(refusal.Public()), test.word) {
				t.Errorf("error is %v, want %s with %q", err, test.code, test.word)
			}
		})
	}
	if n := d.writes(); n != 0 {
		t.Errorf("%d writes went out with refusals", n)
	}
	if diff := cmp.Diff(elsewhere, d.thread(2)[0]); diff != "" {
		t.Errorf("the comment of another discussion was touched (-before +after):\n%s", diff)
	}
	reader := openAs(t, github, sandbox.ReadToken)
	for action, needs := range map[string]string{"minimize": "triage permission", "delete": "write permission"} {
		req := conversation.ModerateRequest{Action: action, CommentID: top.ID, Confirm: true}
		if action == "minimize" {
			req.Reason = "spam"
		}
		if _, err := reader.Moderate(context.Background(), req); !fault.Is(err, fault.Forbidden) || !strings.Contains(fault.From(err).Message, needs) {
			t.Errorf("%s by a reader: %v", action, err)
		}
	}
}
