package thread_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// show is an answer in one line: its comments with their replies, what came
// beside them, and what the caller is told of the thread.
func show(reading *thread.Reading, answer thread.Answer) string {
	var parts []string
	if answer.Root != nil {
		parts = append(parts, "root")
	}
	for _, comment := range answer.Comments {
		text := comment.ID + when(comment.Hidden, "!")
		if comment.InDiscussion != nil && comment.Replies != nil && comment.Replies.TotalCount > 0 {
			text += "(" + strings.Join(idsOf(comment.Replies.Nodes), " ")
			if total := comment.Replies.TotalCount; total != len(comment.Replies.Nodes) {
				text += fmt.Sprintf(" of %d", total)
			}
			text += ")"
		}
		parts = append(parts, text)
	}
	for _, reply := range answer.NewReplies {
		parts = append(parts, "+"+reply.ParentID+"/"+reply.ID)
	}
	for _, edit := range reading.Edited {
		parts = append(parts, "edited "+edit.ID)
	}
	parts = append(parts, when(!reading.Found, "not found"), when(reading.MatchedReplyID != "", "matched "+reading.MatchedReplyID))
	parts = append(parts, "| latest "+name(answer.Latest)+", newest "+name(reading.Newest), fmt.Sprintf("of %d", reading.Total))
	if reading.RepliesComplete != nil {
		parts = append(parts, when(!*reading.RepliesComplete, "| more replies?"))
	}
	parts = append(parts, when(answer.Next != nil, "| goes on"))
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

func name(mark *thread.Mark) string {
	if mark == nil {
		return "-"
	}
	return mark.ID
}

// What each selector answers, and what it asks for.
func TestAnswers(t *testing.T) {
	replies := talk("1/3/5/7/9/11 2")
	for _, test := range []struct {
		name     string
		forum    forum
		selector thread.Selector
		want     string
		asked    string
	}{
		{"a comment", forum{comments: talk("1 2/4/9 3")}, only("c2"), "c2(r4 r9) | latest -, newest r9 of 3", "one c2"},
		{"a comment with a late reply, which only it shows", forum{comments: talk("1/5/9 2 3"), newest: 1}, only("c1"), "c1(r5 r9) | latest -, newest r9 of 3", "one c1"},
		{"a comment with many replies", forum{comments: replies, replies: 2}, only("c1"),
			"c1(r3 r5 r7 r9 r11) | latest -, newest r11 of 2", "one c1; first 3 replies of c1"},
		{"replies that are counted and not listed", forum{comments: replies, unlisted: map[string]int{"c1": 4}}, only("c1"),
			"c1(r3 r5 r7 r9 r11 of 9) | latest -, newest r11 of 2", "one c1"},
		{"a reply", forum{comments: replies}, only("r5"), "c1(r5 of 5) matched r5 | latest -, newest r11 of 2", "one r5"},
		{"no comment of this thread", forum{comments: replies}, only("c7"), "not found | latest -, newest r11 of 2", "one c7"},
		{"the newest of two that look alike", forum{comments: talk("0 1a 1b"), numberless: true}, only("c0"), "c0 | latest -, newest c1b of 3", "one c0"},
		{"a deleted one", forum{comments: replies, gone: []string{"c2"}}, only("c2"), "not found | latest -, newest r11 of 1", "one c2"},
		{"one without replies at all", forum{comments: flat("1 2")}, only("c1"), "c1 | latest -, newest c2 of 2", "one c1"},

		{"all", forum{comments: talk("1/3 2")}, full(), "root c1(r3) c2 | latest r3, newest r3 of 2", "page root, first 100"},
		{"all, with a late reply", forum{comments: talk("1/9 2 3"), newest: 1}, full(), "root c1(r9) c2 c3 | latest r9, newest r9 of 3", "page root, first 100"},
		{"all of a long thread", forum{comments: talk("1/3 2 4"), page: 2}, full(), "root c1(r3) c2 | latest c2, newest c4 of 3 | goes on", "page root, first 100"},
		{"nothing", forum{}, full(), "root | latest -, newest - of 0", "page root, first 100"},
		{"all, some of it hidden", forum{comments: talk("1 2! 3!")}, full(), "root c1 c2! c3! | latest c1, newest c1 of 3", "page root, first 100"},

		{"the last two", forum{comments: talk("1 2 3/4")}, lastN(2), "c2 c3(r4) | latest r4, newest r4 of 3", "page last 2"},
		{"the last two, with a reply among older ones", forum{comments: talk("1/9 2 3")}, lastN(2), "c2 c3 | latest c3, newest r9 of 3", "page last 2"},
		{"the last hundred", forum{comments: talk("1 2 3")}, lastN(100), "c1 c2 c3 | latest c3, newest c3 of 3", "page last 100"},
		{"more than come at once", forum{comments: talk("1 2 3 4 5"), page: 2}, lastN(130), "c4 c5 | latest c5, newest c5 of 5 | goes on", "page last 100"},
		{"the last, hidden", forum{comments: talk("1 2 3!")}, lastN(2), "c2 c3! | latest c2, newest c2 of 3", "page last 2"},

		{"nothing new", forum{comments: talk("1/4 2 3")}, after("r4"), "| latest r4, newest r4 of 3", "since r4"},
		{"new comments", forum{comments: talk("1 2 3 4")}, after("c2"), "c3 c4 | latest c4, newest c4 of 4", "since c2"},
		{"more than the newest", forum{comments: talk("1 2 3 4"), newest: 1}, after("c1"), "c2 c3 c4 | latest c4, newest c4 of 4", "since c1; fetch c2 c3"},
		{"a new comment with many replies", forum{comments: talk("1 2/3/4/5/6")}, after("c1"), "c2(r3 r4 r5 r6) | latest r6, newest r6 of 2", "since c1; fetch c2"},
		{"a new reply under a new comment", forum{comments: talk("1 2/3/4")}, after("c1"), "c2(r3 r4) | latest r4, newest r4 of 2", "since c1"},
		{"a new reply under the anchor", forum{comments: talk("1 2/4 3")}, after("c2"), "c3 +c2/r4 | latest r4, newest r4 of 3", "since c2"},
		{"a new reply beside the anchor", forum{comments: talk("1 2/4/6 3 5")}, after("r4"), "c5 +c2/r6 | latest r6, newest r6 of 4", "since r4"},
		{"a new reply under an older comment", forum{comments: talk("1/9 2 3"), newest: 1}, after("c3"), "+c1/r9 | latest r9, newest r9 of 3", "since c3; fetch 3 replies of c1"},
		{"three new replies there", forum{comments: talk("1/2/9/10/11 3"), newest: 1}, after("c3"), "+c1/r9 +c1/r10 +c1/r11 | latest r11, newest r11 of 2",
			"since c3; fetch 3 replies of c1; fetch 100 replies of c1"},
		{"three new replies, which are all", forum{comments: talk("1/9/10/11 3"), newest: 1}, after("c3"), "+c1/r9 +c1/r10 +c1/r11 | latest r11, newest r11 of 2",
			"since c3; fetch 3 replies of c1"},
		{"four new replies under one of the newest", forum{comments: talk("1/8/9/10/11 3")}, after("c3"), "+c1/r8 +c1/r9 +c1/r10 +c1/r11 | latest r11, newest r11 of 2",
			"since c3; fetch 100 replies of c1"},
		{"a reply under a comment before the stubs", forum{comments: talk("1/9 2 3"), newest: 1, stubs: 2}, after("c2"), "c3 +c1/r9 | latest c3, newest r9 of 3",
			"since c2; fetch older 89 before @c2; fetch 3 replies of c1"},
		{"a reply under an anchor before the stubs", forum{comments: talk("1/9 2 3"), newest: 1, stubs: 2}, after("c1"), "c2 c3 +c1/r9 | latest r9, newest r9 of 3",
			"since c1; fetch c2, 3 replies of c1, older 89 before @c2"},
		{"a reply beside an anchor far back", forum{comments: talk("0 1/4/20 2 3 5 6"), newest: 1, stubs: 1}, after("r4"), "c5 c6 +c1/r20 | latest r20, newest r20 of 6 | more replies?",
			"since r4; fetch 3 replies of c1, older 89 before @c6; search before @c6; search after @c0, before @c5; page first 100 after @c3, older 90 before @c3, stubs c3 c1; fetch 3 replies of c1"},
		{"a reply under a comment that looks as new as the anchor", forum{comments: talk("1a/5 1b 2"), numberless: true}, after("c1b"), "c2 +c1a/r5 | latest r5, newest r5 of 3", "since c1b"},
		{"comments that look alike, in the order of their numbers", forum{comments: talk("1 2b 2a"), numberless: true}, after("c1"), "c2a c2b | latest c2b, newest c2b of 3", "since c1"},
		{"two new replies there", forum{comments: talk("1/2/9/10 3"), newest: 1}, after("c3"), "+c1/r9 +c1/r10 | latest r10, newest r10 of 2",
			"since c3; fetch 3 replies of c1"},
		{"replies that are not all listed", forum{comments: talk("1/9/10 3"), newest: 1, unlisted: map[string]int{"c1": 5}}, after("c3"),
			"+c1/r9 +c1/r10 | latest r10, newest r10 of 2", "since c3; fetch 3 replies of c1"},
		{"in the thread's order", forum{comments: talk("1/20/40 2/10/30 3 25")}, after("c3"), "c25 +c2/r10 +c1/r20 +c2/r30 +c1/r40 | latest r40, newest r40 of 4", "since c3"},
		{"older edits", forum{comments: talk("1*9 2*3 3 4*9")}, after("c3"), "c4 edited c1 | latest c4, newest c4 of 4", "since c3"},
		{"an edited anchor before the stubs", forum{comments: talk("1 2*9 3 4"), stubs: 2}, after("c2"), "c3 c4 edited c2 | latest c4, newest c4 of 4",
			"since c2; fetch older 89 before @c3"},
		{"an edited anchor far back", forum{comments: talk("0 1*9 2 3"), newest: 1, stubs: 1}, after("c1"), "c2 c3 edited c1 | latest c3, newest c3 of 4",
			"since c1; fetch older 89 before @c3; search before @c3; search after @c0, before @c2; page first 100 after @c1, older 90 before @c1, stubs c1"},
		{"an edited anchor", forum{comments: talk("1 2*9 3")}, after("c2"), "c3 edited c2 | latest c3, newest c3 of 3", "since c2"},
		{"a hidden one", forum{comments: talk("1 2 3!")}, after("c1"), "c2 c3! | latest c2, newest c2 of 3", "since c1"},
		{"an anchor that is hidden", forum{comments: talk("1 2! 3")}, after("c2"), "c3 | latest c3, newest c3 of 3", "since c2"},
		{"nothing after what is hidden", forum{comments: talk("1 2!")}, after("c2"), "| latest c1, newest c1 of 2", "since c2"},
		{"an anchor of another thread", forum{comments: talk("1 2")}, after("c7"), "not found | latest -, newest c2 of 2", "since c7"},
		{"the anchor before the stubs", forum{comments: talk("1 2 3 4"), stubs: 2}, after("c2"), "c3 c4 | latest c4, newest c4 of 4",
			"since c2; fetch older 89 before @c3"},
		{"further back than is looked", forum{comments: talk("1 2 3 4"), stubs: 1}, after("c3"), "c4 | latest c4, newest c4 of 4 | more replies?",
			"since c3; fetch older 89 before @c4"},
		{"comments without replies", forum{comments: flat("1 2 3")}, after("c1"), "c2 c3 | latest c3, newest c3 of 3", "since c1"},
	} {
		forum := test.forum
		reading, answer := forum.read(t, thread.Reader{}, test.selector, thread.Position{}, unbounded)
		if diff := gocmp.Diff(test.want, show(reading, answer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if got, want := reading.WantsRoot(), strings.HasPrefix(test.want, "root"); got != want {
			t.Errorf("%s: wants the thread's own body: %t, want %t", test.name, got, want)
		}
		if text, _ := json.Marshal(answer.Comments); answer.Comments == nil || strings.Contains(string(text), `"nodes":null`) {
			t.Errorf("%s: an empty list is null: %s", test.name, text)
		}
		if diff := gocmp.Diff(test.asked, strings.Join(forum.asked, "; ")); diff != "" {
			t.Errorf("%s, asked (-want +got):\n%s", test.name, diff)
		}
	}
}

// flat is a thread whose comments cannot have replies, as an issue's.
func flat(words string) []thread.Comment {
	comments := talk(words)
	for i := range comments {
		comments[i].InDiscussion = nil
	}
	return comments
}

// many is a long thread: comments of the seconds from first to last.
func many(first, last int) []thread.Comment {
	var words strings.Builder
	for second := first; second <= last; second++ {
		fmt.Fprintf(&words, "%d ", second)
	}
	return talk(words.String())
}

// shorten shortens what was asked for: of a long list of ids the ends.
func shorten(asked string) string {
	parts := strings.Split(asked, "; ")
	for i, part := range parts {
		words := strings.Split(part, " ")
		if last := len(words) - 1; words[0] == "fetch" && last > 10 {
			end := slices.IndexFunc(words, func(word string) bool { return strings.HasSuffix(word, ",") })
			parts[i] = strings.Join(slices.Concat([]string{"fetch", words[1], "…"}, words[end:]), " ")
		}
	}
	return strings.Join(parts, "; ")
}

// An anchor far back is looked for by stubs from both ends, or found by the
// cursor that an earlier answer passed by; from there on pages follow.
func TestAnchorFarBack(t *testing.T) {
	forum := &forum{comments: many(1, 1000)}
	reader := thread.Reader{Memo: thread.NewMemo()}
	passed := thread.Reader{Memo: thread.NewMemo()}
	forum.read(t, passed, full(), thread.Position{}, unbounded)
	const missed = "fetch c901 … c995, older 89 before @c901; "
	for _, test := range []struct {
		name, anchor string
		reader       thread.Reader
		want, asked  string
	}{
		{"in the first third", "c300", reader, "c301 to c400", "since c300; " + missed +
			"search before @c901; search after @c100, before @c801; search after @c200, before @c701; search after @c300, before @c601; " +
			"page first 100 after @c300, older 90 before @c300, stubs c300"},
		{"in the last third", "c750", thread.Reader{}, "c751 to c850", "since c750; " + missed +
			"search before @c901; search after @c100, before @c801; page first 100 after @c750, older 90 before @c750, stubs c750"},
		{"the first", "c1", thread.Reader{}, "c2 to c101", "since c1; " + missed +
			"search before @c901; page first 100 after @c1, older 90 before @c1, stubs c1"},
		{"at an end of what was searched", "c100", thread.Reader{}, "c101 to c200", "since c100; " + missed +
			"search before @c901; search after @c100, before @c801; page first 100 after @c100, older 90 before @c100, stubs c100"},
		{"where a page passed by", "c50", passed, "c51 to c150", "since c50; page first 100 after @c50, older 90 before @c50, stubs c50"},
		{"where the search passed by", "c620", reader, "c621 to c720", "since c620; page first 100 after @c620, older 90 before @c620, stubs c620"},
		{"where the newest stubs started", "c901", thread.Reader{}, "c902 to c1000", "since c901; fetch c902 … c995, older 89 before @c901"},
		{"at their end", "c900", reader, "c901 to c1000", "since c900; page first 100 after @c900, older 90 before @c900, stubs c900"},
		{"within the newest stubs, where a page passed by", "c950", reader, "c951 to c1000", "since c950; fetch c951 … c995, older 40 before @c901"},
		{"right before the newest stubs", "c900", thread.Reader{}, "c901 to c1000", "since c900; " + missed[:len(missed)-2]},
	} {
		forum.asked = nil
		_, answer := forum.read(t, test.reader, after(test.anchor), thread.Position{}, unbounded)
		got := fmt.Sprintf("%s to %s", answer.Comments[0].ID, answer.Comments[len(answer.Comments)-1].ID)
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if diff := gocmp.Diff(test.asked, shorten(strings.Join(forum.asked, "; "))); diff != "" {
			t.Errorf("%s, asked (-want +got):\n%s", test.name, diff)
		}
	}
}

// New replies under comments older than an answer reaches are found by going
// on, ten runs of stubs at a time.
func TestScan(t *testing.T) {
	forum := &forum{comments: many(1, 1500)}
	for parent, seconds := range map[string]string{"c21": "1/2000", "c221": "1/2002/2003", "c241": "1/2001"} {
		comment, _ := forum.find(parent)
		comment.Replies.Nodes = talk(seconds)[0].Replies.Nodes
	}
	type answer struct {
		Shown    string
		Requests int
		Last     string // request
	}
	var got []answer
	var from thread.Position
	for len(got) < 10 {
		forum.asked = nil
		reading, page := forum.read(t, thread.Reader{}, after("c1499"), from, len("«r2000»"))
		got = append(got, answer{show(reading, page), len(forum.asked), forum.asked[len(forum.asked)-1]})
		next := cmp.Or(page.Next, page.RepliesNext)
		if next == nil {
			break
		}
		from = throughCursor(t, *next)
	}
	want := []answer{
		{"c1500 | latest c1500, newest c1500 of 1500 | more replies?", 1, "since c1499"},
		{"| latest c1500, newest c1500 of 1500 | more replies?", 10, "fetch older 100 before @c501"},
		{"+c241/r2001 | latest c1500, newest r2003 of 1500 | more replies? | goes on", 3, "fetch 3 replies of c221 c241"},
		{"+c221/r2002 | latest c1500, newest r2003 of 1500 | more replies? | goes on", 3, "fetch 3 replies of c221"},
		{"+c221/r2003 | latest c1500, newest r2003 of 1500 | more replies?", 3, "fetch 3 replies of c221"},
		{"+c21/r2000 | latest c1500, newest r2000 of 1500", 3, "fetch 3 replies of c21"},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// What comes, goes or changes while pages are read.
func TestPagesOfAChangingThread(t *testing.T) {
	for _, test := range []struct {
		name     string
		forum    forum
		selector thread.Selector
		max      int
		change   func(f *forum)
		want     []string
	}{
		{"a new comment is left to the next reading", forum{comments: talk("1 2"), page: 1}, full(), unbounded,
			func(f *forum) { f.comments = append(f.comments, talk("3")...) },
			[]string{"root c1 | latest c1, newest c2 of 2 | goes on", "c2 | latest c2, newest c3 of 3 | goes on", "c3 | latest c2, newest c3 of 3"}},
		{"a new comment does not move the window of the last", forum{comments: talk("1 2 3 4")}, lastN(3), 12,
			func(f *forum) { f.comments = append(f.comments, talk("5")...) },
			[]string{"c3 c4 | latest c4, newest c4 of 4 | goes on", "c2 | latest c4, newest c5 of 5"}},
		{"the oldest of the window is deleted", forum{comments: talk("1 2 3 4")}, lastN(3), 12,
			func(f *forum) { f.gone = []string{"c2"} },
			[]string{"c3 c4 | latest c4, newest c4 of 4 | goes on", "| latest c4, newest c4 of 3"}},
		{"the anchor is deleted", forum{comments: talk("1 2 3 4")}, after("c1"), 12,
			func(f *forum) { f.gone = []string{"c1"} },
			[]string{"c2 c3 | latest c3, newest c4 of 4 | goes on", "c4 | latest c4, newest c4 of 3"}},
		{"a new reply is told of, and left to the next reading", forum{comments: talk("1 2 3 4")}, after("c1"), 12,
			func(f *forum) { f.comments[0].Replies.Nodes = talk("1/9")[0].Replies.Nodes },
			[]string{"c2 c3 | latest c3, newest c4 of 4 | goes on", "c4 +c1/r9 | latest c4, newest r9 of 4"}},
		{"a hidden comment does not move the watermark", forum{comments: talk("1 2! 3")}, after("c1"), 6, func(*forum) {},
			[]string{"c2! | latest c1, newest c3 of 3 | goes on", "c3 | latest c3, newest c3 of 3"}},
		{"late replies of a cut comment do not move it past the next", forum{comments: talk("1/2/9 5")}, full(), 13, func(*forum) {},
			[]string{"root c1( of 2) | latest c1, newest r9 of 2 | goes on", "+c1/r2 +c1/r9 | latest c1, newest r9 of 2 | goes on", "c5 | latest r9, newest r9 of 2"}},
		{"one comment by pages has no watermark", forum{comments: talk("1 2/4/9 3")}, only("c2"), 12, func(*forum) {},
			[]string{"c2(r4 of 2) | latest -, newest r9 of 3 | goes on", "+c2/r9 | latest -, newest r9 of 3"}},
		{"the last end with the first", forum{comments: talk("1 2")}, lastN(5), 6, func(*forum) {},
			[]string{"c2 | latest c2, newest c2 of 2 | goes on", "c1 | latest c2, newest c2 of 2"}},
		{"far more asked for than there are", forum{comments: talk("1 2")}, lastN(130), 6, func(*forum) {},
			[]string{"c2 | latest c2, newest c2 of 2 | goes on", "c1 | latest c2, newest c2 of 2"}},
		{"the last go on before the window", forum{comments: talk("1 2 3 4 5"), page: 2}, lastN(4), 6, func(*forum) {},
			[]string{"c5 | latest c5, newest c5 of 5 | goes on", "c4 | latest c5, newest c5 of 5 | goes on",
				"c3 | latest c5, newest c5 of 5 | goes on", "c2 | latest c5, newest c5 of 5"}},
		{"the anchor, the first, is deleted, and many come", forum{comments: talk("1 2 3 4 5 6/9")}, after("c1"), 12,
			func(f *forum) { f.gone, f.stubs = []string{"c1"}, 1 },
			[]string{"c2 c3 | latest c3, newest r9 of 6 | goes on", "c4 c5 | latest c5, newest r9 of 5 | goes on", "c6(r9) | latest r9, newest r9 of 5"}},
		{"edits are told once", forum{comments: talk("1*5 2 3 4")}, after("c1"), 12, func(*forum) {},
			[]string{"c2 c3 edited c1 | latest c3, newest c4 of 4 | goes on", "c4 | latest c4, newest c4 of 4"}},
		{"replies go on where the page was cut", forum{comments: talk("1/2/3/4 5")}, full(), 19, func(*forum) {},
			[]string{"root c1(r2 of 3) | latest c1, newest c5 of 2 | goes on", "c5 +c1/r3 +c1/r4 | latest c5, newest c5 of 2"}},
	} {
		var got []string
		var from thread.Position
		forum := test.forum
		for page := 0; page < 5; page++ {
			reading, answer := forum.read(t, thread.Reader{}, test.selector, from, test.max)
			got = append(got, show(reading, answer))
			if answer.Next == nil {
				break
			}
			from = throughCursor(t, *answer.Next)
			if page == 0 {
				test.change(&forum)
			}
		}
		if diff := gocmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// More than GitHub gives at once.
func TestMoreThanAHundred(t *testing.T) {
	forum := &forum{comments: many(1, 200)}
	pages := forum.pages(t, thread.Reader{}, lastN(130), unbounded)
	if got, want := strings.Join(forum.asked, "; "), "page last 100; page last 30 before @c101"; got != want || len(ids(pages)) != 130 {
		t.Errorf("the last 130: %d, asked %q; want %q", len(ids(pages)), got, want)
	}
	var replies strings.Builder
	for second := range 250 {
		fmt.Fprintf(&replies, "/%d", 300+second)
	}
	forum.comments, forum.asked = append(talk("1"+replies.String()), many(2, 10)...), nil
	if got := ids(forum.pages(t, thread.Reader{}, after("c10"), unbounded)); len(got) != 250 || got[0] != "r300" {
		t.Errorf("%d of 250 new replies, %v", len(got), got[:1])
	}
	if got, want := forum.asked[len(forum.asked)-1], "first 150 replies of c1"; got != want {
		t.Errorf("last asked %q, want %q", got, want)
	}
}

// A page asks for a little more than fitted into the one before.
func TestPageSize(t *testing.T) {
	forum := &forum{comments: many(1, 200), page: 99}
	reading, _ := forum.read(t, thread.Reader{}, full(), thread.Position{}, unbounded)
	part, _ := reading.Slice(2)
	forum.page = 3
	small, _ := forum.read(t, thread.Reader{}, full(), thread.Position{}, unbounded)
	for _, test := range []struct {
		name   string
		answer thread.Answer
		want   string
	}{
		{"part of the body", part, "page root, first 3"},
		{"the body", reading.Keep(1), "page first 3"},
		{"one comment", reading.Keep(2), "page first 3 after @c1"},
		{"eight", reading.Keep(9), "page first 12 after @c8"},
		{"ninety", reading.Keep(91), "page first 100 after @c90"},
		{"all that came", reading.Keep(100), "page first 100 after @c99"},
		{"all of a small page", small.Keep(4), "page first 100 after @c3"},
	} {
		forum.asked = nil
		forum.read(t, thread.Reader{}, full(), throughCursor(t, *test.answer.Next), unbounded)
		if forum.asked[0] != test.want {
			t.Errorf("%s fitted: asked %q, want %q", test.name, forum.asked[0], test.want)
		}
	}
}

// Where GitHub orders comments in another way than by their times and numbers,
// far pages follow its order, and give each comment and reply once.
func TestFarPagesFollowTheUpstream(t *testing.T) {
	for words, want := range map[string][]string{
		"1 2b 2c 2a/3/9 4c 4a 4b 5": {"c2a", "c2b", "c2c", "c4a", "c4b", "c4c", "c5", "r3", "r9"},
		"1/5 6 4 7 8":               {"c4", "c6", "c7", "c8", "r5"},
	} {
		for _, max := range budgets {
			forum := &forum{comments: talk(words), page: 2, stubs: 1, newest: 1}
			if diff := gocmp.Diff(want, sorted(ids(forum.pages(t, thread.Reader{}, after("c1"), max)))); diff != "" {
				t.Errorf("%s by %d bytes (-newer +read):\n%s", words, max, diff)
			}
		}
	}
}

// A text that is too long alone comes in parts, cut between characters; when
// it changed so that the place is gone, it comes from its start.
func TestParts(t *testing.T) {
	forum := &forum{comments: talk("1/2 3")}
	type part struct {
		Body          string
		Offset, Bytes int
		Truncated     bool
	}
	var parts []part
	var from thread.Position
	for range 20 {
		_, answer := forum.read(t, thread.Reader{}, full(), from, 5)
		if answer.Root != nil {
			parts = append(parts, part{*answer.Root, answer.RootOffset, answer.RootBytes, answer.RootContinue})
		}
		answer.Each(func(c *thread.Comment, _, _ string) {
			parts = append(parts, part{c.Body, c.BodyOffset, c.BodyBytes, c.BodyTruncated})
		})
		if answer.Next == nil {
			break
		}
		from = throughCursor(t, *answer.Next)
	}
	want := []part{
		{"«why", 0, 7, true}, {"»", 5, 7, false}, {"«c1", 0, 6, true}, {"»", 4, 6, false},
		{"«r2", 0, 6, true}, {"»", 4, 6, false}, {"«c3", 0, 6, true}, {"»", 4, 6, false},
	}
	if diff := gocmp.Diff(want, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestPartsOfAChangedText(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"unchanged":            {"«c1»", "»"},
		"longer":               {"«c1» and more", "» and more"},
		"shorter":              {"«c", "«c"},
		"of the same length":   {"abcd", "abcd"},
		"cut inside of a rune": {"abc«»", "abc«»"},
	} {
		forum := &forum{comments: talk("1 2")}
		_, answer := forum.read(t, thread.Reader{}, only("c1"), thread.Position{}, 5)
		forum.comments[0].Body = test.body
		_, answer = forum.read(t, thread.Reader{}, only("c1"), throughCursor(t, *answer.Next), unbounded)
		if got := answer.Comments[0].Body; got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	forum := &forum{comments: talk("1 2")}
	_, answer := forum.read(t, thread.Reader{}, after("c1"), thread.Position{}, 5) // of c2
	forum.comments, forum.gone = append(forum.comments, talk("3")...), []string{"c2"}
	_, answer = forum.read(t, thread.Reader{}, after("c1"), throughCursor(t, *answer.Next), unbounded)
	if got := answer.Comments[0].Body; got != "«c3»" {
		t.Errorf("another comment stands there now, and comes as %q", got)
	}
}

func TestNothingFits(t *testing.T) {
	forum := &forum{comments: talk("1")}
	reading, _ := forum.read(t, thread.Reader{}, only("c1"), thread.Position{}, unbounded)
	if answer, ok := reading.Slice(1); ok {
		t.Errorf("half a character is %+v", answer)
	}
	reading, _ = forum.read(t, thread.Reader{}, after("c1"), thread.Position{}, unbounded)
	if answer, ok := reading.Slice(100); ok {
		t.Errorf("nothing at all is %+v", answer)
	}
}

// Every text has a place, and an answer is a copy: what is done to its texts is
// not done to the reading, which can be cut again.
func TestEachText(t *testing.T) {
	forum := &forum{comments: talk("1/2/30 3/20 4/5")}
	reading, _ := forum.read(t, thread.Reader{}, after("c3"), thread.Position{}, unbounded)
	want := []string{
		"comments.nodes comment:c4", "comments.nodes.replies.nodes comment:c4/reply:r5",
		"newReplies comment:c3/reply:r20", "newReplies comment:c1/reply:r30",
	}
	for _, items := range []int{1, reading.Items(), 2, reading.Items()} {
		answer := reading.Keep(items)
		var got []string
		answer.Each(func(comment *thread.Comment, property, at string) {
			got = append(got, property+" "+at)
			if !strings.HasPrefix(comment.Body, "«") {
				t.Errorf("%s was changed in an answer before", comment.ID)
			}
			comment.Body = "changed"
		})
		if diff := gocmp.Diff(want[:items], got); diff != "" {
			t.Errorf("%d items (-want +got):\n%s", items, diff)
		}
		if answer.NewCount() != len(answer.Comments)+len(answer.NewReplies) || items == 4 && answer.NewCount() != 3 {
			t.Errorf("%d items count as %d", items, answer.NewCount())
		}
	}
	reading.Each(func(comment *thread.Comment, _, _ string) { comment.Body = "marked" })
	answer := reading.Keep(reading.Items())
	answer.Each(func(comment *thread.Comment, _, _ string) {
		if comment.Body != "marked" {
			t.Errorf("%s is %q", comment.ID, comment.Body)
		}
	})
}
