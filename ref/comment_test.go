package ref_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

func parse(t *testing.T, value string) ref.Comment {
	t.Helper()
	comment, err := ref.Web{}.ParseComment("comment_id", value)
	if err != nil {
		t.Fatalf("ParseComment(%q): %v", value, err)
	}
	return comment
}

func TestParseComment(t *testing.T) {
	issue := &ref.Thread{Repo: home, Kind: ref.Issue, Number: 7}
	pull := &ref.Thread{Repo: home, Kind: ref.PullRequest, Number: 9}
	discussion := &ref.Thread{Repo: home, Kind: ref.Discussion, Number: 3}
	organization := &ref.Thread{Repo: ref.Repo{Owner: "octo-org"}, Kind: ref.Discussion, Number: 3}
	const site = "https://github.com/octo-org/hello"
	sha := strings.Repeat("0fA", 13) + "c"
	for value, want := range map[string]ref.Comment{
		"5301580683":          {DatabaseID: 5301580683},
		"9223372036854775807": {DatabaseID: 1<<63 - 1},

		"discussioncomment-12":      {Type: ref.DiscussionComment, DatabaseID: 12},
		"#issuecomment-5301580683":  {Type: ref.IssueComment, DatabaseID: 5301580683},
		"discussion_r44":            {Type: ref.PullRequestReviewComment, DatabaseID: 44},
		"#PullRequestReview-5":      {Type: ref.PullRequestReview, DatabaseID: 5},
		"IssueComment-5301580683":   {Type: ref.IssueComment, DatabaseID: 5301580683},
		"IC_kwDODSospM4hM0EW":       {NodeID: "IC_kwDODSospM4hM0EW", Type: ref.IssueComment, DatabaseID: 557007126},
		"IC_kwDODSospM8AAAABBUSMzg": {NodeID: "IC_kwDODSospM8AAAABBUSMzg", Type: ref.IssueComment, DatabaseID: 4383345870},
		"IC_kwDOA":                  {NodeID: "IC_kwDOA", Type: ref.IssueComment}, // a form GitHub may mint tomorrow
		"PRR_abc-_9":                {NodeID: "PRR_abc-_9", Type: ref.PullRequestReview},
		"MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNg==": {
			NodeID: "MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNg==", Type: ref.IssueComment, DatabaseID: 557007126},

		site + "/issues/7#issuecomment-5301580683":                           {Type: ref.IssueComment, DatabaseID: 5301580683, Thread: issue},
		"http://GitHub.COM/octo-org/hello/issues/7#issuecomment-1":           {Type: ref.IssueComment, DatabaseID: 1, Thread: issue},
		"HTTPS://github.com:443/octo-org/hello/issues/7/#ISSUECOMMENT-1":     {Type: ref.IssueComment, DatabaseID: 1, Thread: issue},
		site + "/issues/7?notification_referrer_id=NT_x#issuecomment-1":      {Type: ref.IssueComment, DatabaseID: 1, Thread: issue},
		site + "/issues/7#issuecomment-1?utm_source=mail":                    {Type: ref.IssueComment, DatabaseID: 1, Thread: issue},
		site + "/discussions/3?sort=new#discussioncomment-8":                 {Type: ref.DiscussionComment, DatabaseID: 8, Thread: discussion},
		"https://github.com/orgs/octo-org/discussions/3#discussioncomment-8": {Type: ref.DiscussionComment, DatabaseID: 8, Thread: organization},
		site + "/pull/9#issuecomment-1":                                      {Type: ref.IssueComment, DatabaseID: 1, Thread: pull},
		site + "/pull/9#pullrequestreview-2":                                 {Type: ref.PullRequestReview, DatabaseID: 2, Thread: pull},
		site + "/pull/9#discussion_r3":                                       {Type: ref.PullRequestReviewComment, DatabaseID: 3, Thread: pull},
		site + "/pull/9/files#r3":                                            {Type: ref.PullRequestReviewComment, DatabaseID: 3, Thread: pull},
		site + "/pull/9/files/" + sha + "..beef#R3":                          {Type: ref.PullRequestReviewComment, DatabaseID: 3, Thread: pull},
		site + "/pull/9/files#r5301580683":                                   {Type: ref.PullRequestReviewComment, DatabaseID: 5301580683, Thread: pull},
		site + "/pull/9/changes#r3":                                          {Type: ref.PullRequestReviewComment, DatabaseID: 3, Thread: pull},
		site + "/pull/9/commits/" + sha + "#r3":                              {Type: ref.PullRequestReviewComment, DatabaseID: 3, Thread: pull},
	} {
		want.Value = value
		if diff := cmp.Diff(want, parse(t, value)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
		if diff := cmp.Diff(want, parse(t, " \t\u00a0"+value+"\r\n ")); diff != "" {
			t.Errorf("%s between blanks (-want +got):\n%s", value, diff)
		}
	}
}

func TestParseCommentRefuses(t *testing.T) {
	const site = "https://github.com/octo-org/hello"
	for _, value := range []string{
		"", "   ", "\n", "not_an_id", "bogus_123", "evilcomment-123", "IC_", "IC_ab", "ic_kwDOA", "IC_kw DOA", "IC_kwDO/A",
		"0", "007", "-5", "+5", "1.5", "12.0", "5.3e+09", "1e30", "0x10", "1_000", "١٢", "9223372036854775808", "#5", "NaN",
		"issuecomment-", "issuecomment-0", "issuecomment-x", "issuecomment--1", "issuecomment-1.5", "##issuecomment-1", "r12", "#r12", "discussion_r", "my issuecomment-1",
		"pullrequestreviewcomment-4", "issuecomment-1 issuecomment-2", "[x](" + site + "/issues/7#issuecomment-1)",
		site, site + "/issues/7", site + "/issues/7#", site + "/issues/7#issue-1", site + "/issues/x#issuecomment-1", site + "/issues/0#issuecomment-1",
		site + "/issues/07#issuecomment-1", site + "/issues/2147483648#issuecomment-1", site + "/issues/7/8#issuecomment-1", site + "/issues#issuecomment-1",
		site + "/pulls/9#issuecomment-1", site + "/pull/9/files/main#r3", site + "/pull/9/files/beef/x#r3", site + "/pull/9/files/beef..main#r3", site + "/pull/9/checks/1#r3", site + "/pull/9#3", site + "/pull/9#diff-12R3",
		"https://github.com//hello/issues/7#issuecomment-1", "https://github.com/octo-org/../issues/7#issuecomment-1", "https://github.com/octo%2Forg/hello/issues/7#issuecomment-1",
		"https://github.com/octo-org%2Fhello/issues/7#issuecomment-1", "https://github.com/octo-org/hel%6Co/issues/7#issuecomment-1", site + "/issues/7/files#issuecomment-1",
		"https://github.com/orgs/a.b/discussions/3#discussioncomment-1", "https://github.com/orgs/octo-org/issues/7#issuecomment-1", "https://github.com/a.b/hello/issues/7#issuecomment-1",
		"https://user@github.com/octo-org/hello/issues/7#issuecomment-1", "https://github.com.evil.example/octo-org/hello/issues/7#issuecomment-1",
		"https:///octo-org/hello/issues/7#issuecomment-1", "https://gist.github.com/octo-org/hello/issues/7#issuecomment-1",
		"ftp://github.com/octo-org/hello/issues/7#issuecomment-1", "github.com/octo-org/hello/issues/7#issuecomment-1", "//github.com/octo-org/hello/issues/7#issuecomment-1",
		site + "/issues/7#discussioncomment-1", site + "/issues/7#discussion_r1", site + "/issues/7#r1", site + "/discussions/7#issuecomment-1", site + "/pull/7#discussioncomment-1",
	} {
		got, err := ref.Web{}.ParseComment("since_comment_id", value)
		if !fault.Is(err, fault.MalformedCommentID) {
			t.Errorf("ParseComment(%q) = %+v, %v, want MALFORMED_COMMENT_ID", value, got, err)
			continue
		}
		public := fault.From(err)
		if !strings.HasPrefix(public.Message, "since_comment_id: ") {
			t.Errorf("message %q does not name the field", public.Message)
		}
		for _, form := range []string{"DC_", "number", "discussioncomment-N", "issuecomment-N", "discussion_rN", "pullrequestreview-N", "URL"} {
			if !strings.Contains(public.Fix, form) {
				t.Errorf("fix %q does not list the form %s", public.Fix, form)
			}
		}
	}
}

func TestMalformedMessagesSayWhatWasSeen(t *testing.T) {
	for value, part := range map[string]string{
		"":                                   "it is empty",
		"D_kwDODSospM4hM0EW":                 "a node id of type Discussion",
		"PRRT_abc":                           "a node id of type PullRequestReviewThread",
		"MDU6SXNzdWUx":                       "a node id of type Issue",
		"ZZZ_kwDOA":                          "ZZZ_ is not the prefix",
		"https://github.com/o/r/pull/7":      "that of a pull request and has no #anchor",
		"https://gitlab.example/o/r/pull/7":  "host is not github.com",
		"https://github.com/o/r/wiki/Home#x": "path is not that of",
		"https://github.com/o/r/issues/7#r1": "#anchor is not that of a comment",
		"https://github.com/o/r/issues/7#discussioncomment-1": "anchor discussioncomment-N does not occur under the URL of an issue",
		"\x1b[2J\u202e":           `"\x1b[2J\u202e"`,
		strings.Repeat("x", 1000): `"` + strings.Repeat("x", 80) + `…"`,
	} {
		_, err := ref.Web{}.ParseComment("comment_id", value)
		if message := fault.From(err).Message; !strings.Contains(message, part) {
			t.Errorf("message %q for %q should say %q", message, value, part)
		}
	}
}

func TestWebHosts(t *testing.T) {
	const comment = "/o/r/issues/7#issuecomment-1"
	for _, test := range []struct {
		name, url string
		web       ref.Web
		ok        bool
	}{
		{"github.com by default", "https://github.com" + comment, ref.Web{}, true},
		{"another host by default", "https://ghe.example" + comment, ref.Web{}, false},
		{"the configured host", "https://GHE.example" + comment, ref.Web{Host: "ghe.example"}, true},
		{"the configured host with a port", "https://ghe.example:8443" + comment, ref.Web{Host: "ghe.example:8443"}, true},
		{"a port of the URL alone", "https://ghe.example:8443" + comment, ref.Web{Host: "ghe.example"}, true},
		{"an IPv6 host", "http://[::1]:3000" + comment, ref.Web{Host: "[::1]:8080"}, true},
		{"github.com when another is configured", "https://github.com" + comment, ref.Web{Host: "ghe.example"}, false},
		{"no host at all", "https://" + comment, ref.Web{AnyHost: true}, false},
		{"any host", "http://127.0.0.1:41234" + comment, ref.Web{Host: "ghe.example", AnyHost: true}, true},
	} {
		if _, err := test.web.ParseComment("comment_id", test.url); (err == nil) != test.ok {
			t.Errorf("%s: error %v, want accepted: %v", test.name, err, test.ok)
		}
	}
}

func TestSame(t *testing.T) {
	current, legacy := parse(t, "IC_kwDODSospM4hM0EW"), parse(t, "MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNg==")
	anchor := parse(t, "https://github.com/o/r/issues/7#issuecomment-557007126")
	for _, pair := range [][2]ref.Comment{{current, legacy}, {legacy, anchor}, {anchor, current}, {parse(t, "IC_kwDOA"), parse(t, "IC_kwDOA")}, {current, {NodeID: current.NodeID}}} {
		if !pair[0].Same(pair[1]) || !pair[1].Same(pair[0]) {
			t.Errorf("%s and %s are one comment", pair[0].Value, pair[1].Value)
		}
	}
	for _, other := range []string{"discussion_r557007126", "issuecomment-557007127", "557007126", "IC_kwDOA"} {
		if other := parse(t, other); current.Same(other) || other.Same(current) {
			t.Errorf("%s and %s are not certainly one comment", current.Value, other.Value)
		}
	}
	if (ref.Comment{}).Same(ref.Comment{}) {
		t.Error("two unknown comments are not certainly one")
	}
}

func TestShortestSpelling(t *testing.T) {
	for value, want := range map[string]string{
		"IC_kwDODSospM4hM0EW": "IC_kwDODSospM4hM0EW",
		"5301580683":          "5301580683",
		"https://github.com/o/r/issues/7#issuecomment-12":           "issuecomment-12",
		"https://github.com/o/r/pull/9#pullrequestreview-12":        "pullrequestreview-12",
		"https://github.com/o/r/pull/9/files#r12":                   "discussion_r12",
		"https://github.com/o/r/discussions/3#discussioncomment-12": "discussioncomment-12",
	} {
		if got := parse(t, value).String(); got != want {
			t.Errorf("%s is spelled %q, want %q", value, got, want)
		}
	}
}

func TestParseThreadURL(t *testing.T) {
	for value, want := range map[string]ref.Thread{
		"https://github.com/octo-org/hello/issues/7":                         {Repo: home, Kind: ref.Issue, Number: 7},
		" https://github.com/octo-org/hello/pull/9/files?w=1#r3 ":            {Repo: home, Kind: ref.PullRequest, Number: 9},
		"https://github.com/octo-org/hello/discussions/3/":                   {Repo: home, Kind: ref.Discussion, Number: 3},
		"https://github.com/orgs/octo-org/discussions/3#discussioncomment-1": {Repo: ref.Repo{Owner: "octo-org"}, Kind: ref.Discussion, Number: 3},
	} {
		if got, ok := (ref.Web{}).ParseThreadURL(value); !ok || got != want {
			t.Errorf("ParseThreadURL(%q) = %v, %v, want %v", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "7", "octo-org/hello#7", "https://ghe.example/octo-org/hello/issues/7", "https://github.com/octo-org/hello", "https://github.com/%zz"} {
		if got, ok := (ref.Web{}).ParseThreadURL(value); ok {
			t.Errorf("ParseThreadURL(%q) = %v, want none", value, got)
		}
	}
}

func FuzzParseComment(f *testing.F) {
	for _, seed := range []string{
		"", "5301580683", "#issuecomment-1", "discussion_r2", "IC_kwDODSospM4hM0EW", "IC_kwDOA", "MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNg==", "D_kwDOA",
		"https://github.com/o/r/pull/9/files?w=1#r3", "http://h:1/orgs/o/discussions/3#discussioncomment-1?x", "https://[::1%25eth0]/", "1e30", "not_an_id",
	} {
		f.Add(seed)
	}
	web := ref.Web{AnyHost: true}
	f.Fuzz(func(t *testing.T, value string) {
		comment, err := web.ParseComment("comment_id", value)
		if err != nil {
			if !fault.Is(err, fault.MalformedCommentID) {
				t.Fatalf("%q is refused with %v", value, err)
			}
			return
		}
		again, err := web.ParseComment("comment_id", comment.String())
		if err != nil || !again.Same(comment) || again.Type != comment.Type {
			t.Fatalf("%q reads as %+v; spelled %q that is %+v, %v", value, comment, comment, again, err)
		}
	})
}
