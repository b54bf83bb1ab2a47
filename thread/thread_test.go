package thread_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

func at(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }

func TestOrder(t *testing.T) {
	ordered := []thread.Key{
		{At: at(1), Kind: thread.KindReply, Number: 9},
		{At: at(2), Kind: thread.KindComment, Number: 3},
		{At: at(2), Kind: thread.KindComment, Number: 4},
		{At: at(2), Kind: thread.KindReview, Number: 1},
		{At: at(2), Kind: thread.KindReviewComment, Number: 1},
		{At: at(2), Kind: thread.KindReply, Number: 1},
		{At: at(3), Kind: thread.KindComment, Number: 1},
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := a.After(b), i > j; got != want {
				t.Errorf("%v after %v: %v, want %v", a, b, got, want)
			}
		}
	}
	shuffled := slices.Clone(ordered)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, thread.Key.Compare)
	if diff := cmp.Diff(ordered, shuffled); diff != "" {
		t.Errorf("sorted (-want +got):\n%s", diff)
	}
}

func FuzzKeyText(f *testing.F) {
	f.Add("3wfqs.0.a", int64(1700000000123456), 1, int64(5301580683))
	f.Fuzz(func(t *testing.T, text string, micros int64, kind int, number int64) {
		var key thread.Key
		if key.UnmarshalText([]byte(text)) == nil { // a stranger's text is refused or means something
			if again, err := key.MarshalText(); err != nil || key.UnmarshalText(again) != nil {
				t.Errorf("%q is read but not written again: %v", text, err)
			}
		}
		kinds := []thread.Kind{thread.KindComment, thread.KindReview, thread.KindReviewComment, thread.KindReply}
		want := thread.Key{At: time.UnixMicro(micros).UTC(), Kind: kinds[(kind%4+4)%4], Number: number}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got thread.Key
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Errorf("%v became %v, %v", want, got, err)
		}
	})
}

func TestKeysOfStrangers(t *testing.T) {
	for _, text := range []string{"", "1", "1.0", "1.0.1.1", "!.0.1", "1.x.1", "1.0.!", "1.4.1", "1.-1.1"} {
		var key thread.Key
		if err := key.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is the key %v", text, key)
		}
	}
}

func TestSelect(t *testing.T) {
	one, since, n, empty, bad := "DC_kwDODSw4pM4Atxwz", "discussioncomment-12", 3, "", "not_an_id"
	parsed := func(value string) ref.Comment {
		comment, err := ref.Web{}.ParseComment("", value)
		if err != nil {
			t.Fatal(err)
		}
		return comment
	}
	byOne := thread.Selector{Mode: thread.ByComment, Ref: parsed(one), Value: one}
	bySince := thread.Selector{Mode: thread.BySince, Ref: parsed(since), Value: since}
	for _, test := range []struct {
		name  string
		args  thread.Arguments
		want  thread.Selector
		wrong string // the argument that is malformed
	}{
		{"nothing", thread.Arguments{}, thread.Selector{Mode: thread.Full}, ""},
		{"last_n", thread.Arguments{LastN: &n}, thread.Selector{Mode: thread.ByLast, LastN: 3}, ""},
		{"since before last_n", thread.Arguments{LastN: &n, SinceCommentID: &since}, bySince, ""},
		{"comment before all", thread.Arguments{LastN: &n, SinceCommentID: &since, CommentID: &one}, byOne, ""},
		{"what does not decide is not read", thread.Arguments{SinceCommentID: &bad, CommentID: &one}, byOne, ""},
		{"an empty text is a selector", thread.Arguments{LastN: &n, CommentID: &empty}, thread.Selector{}, "comment_id"},
		{"a malformed id does not fall through", thread.Arguments{LastN: &n, SinceCommentID: &bad}, thread.Selector{}, "since_comment_id"},
	} {
		got, err := thread.Select(test.args, ref.Web{})
		if test.wrong != "" {
			if !fault.Is(err, fault.MalformedCommentID) || !strings.HasPrefix(fault.From(err).Message, test.wrong+": ") {
				t.Errorf("%s: %v, want MALFORMED_COMMENT_ID of %s", test.name, err, test.wrong)
			}
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
}

func TestActorOf(t *testing.T) {
	for login, want := range map[string]string{"mona": "mona", "": "ghost"} {
		if got := thread.ActorOf(login).Login; got != want {
			t.Errorf("ActorOf(%q) is %q, want %q", login, got, want)
		}
	}
}

func TestMinimizedReason(t *testing.T) {
	for github, want := range map[string]string{"off-topic": "off_topic", "OFF_TOPIC": "off_topic", "Resolved": "resolved", "": ""} {
		if got := thread.MinimizedReason(&github); got != want {
			t.Errorf("MinimizedReason(%q) = %q, want %q", github, got, want)
		}
	}
	if got := thread.MinimizedReason(nil); got != "" {
		t.Errorf("MinimizedReason(nil) = %q", got)
	}
}
