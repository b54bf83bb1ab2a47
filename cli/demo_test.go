package cli

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tell writes the same small story with or without colour.
func tell(colour bool) string {
	var out bytes.Buffer
	s := &story{w: &out, colour: colour}
	s.title("A title", "and what is below")
	s.chapter("The %s", "first")
	s.quote("a\x1b[2J\nb")
	s.heads()
	s.row("something", DemoCost{Requests: 1234, UpstreamBytes: 999, ResultBytes: 1_234_567, Tokens: 98_765})
	s.versus(DemoTotal{"a job", "ours", DemoCost{Tokens: 10}}, DemoTotal{"a job", "theirs", DemoCost{Tokens: 25}})
	return out.String()
}

func TestStory(t *testing.T) {
	want := `A title
and what is below

1  The first
     a[2J
     b
                                                 requests   from GitHub  to the agent     tokens
   something                                        1,234         999 B      1,235 KB    ~98,800
   A job
     ours                                               0           0 B           0 B        ~10
     theirs                                             0           0 B           0 B        ~25
                                                                        = 2.5 times fewer tokens
`
	if diff := cmp.Diff(want, tell(false)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	coloured := tell(true)
	if coloured == want {
		t.Error("nothing is coloured")
	}
	if diff := cmp.Diff(want, regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured, "")); diff != "" {
		t.Errorf("colour changes the text (-want +got):\n%s", diff)
	}
}

func TestFiguresForPeople(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{size(0), "0 B"},
		{size(1_000), "1.0 KB"},
		{size(99_949), "99.9 KB"},
		{size(99_950), "100 KB"},
		{size(2_392_400), "2,392 KB"},
		{about(0), "~0"},
		{about(999), "~999"},
		{about(1_004), "~1,000"},
		{about(93_834), "~93,800"},
		{about(999_999), "~1,000,000"},
		{grouped(1_234_567), "1,234,567"},
		{times(49, 10), "4.9"},
		{times(226, 1), "226"},
		{times(5, 0), "5.0"},
		{count(1, "reply", "replies"), "1 reply"},
		{count(2, "reply", "replies"), "2 replies"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// A pipe, a file and a buffer get no colours, whatever the environment says.
func TestWhatTakesColour(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	env := func(string) string { return "" }
	if takesColour(write, env) || takesColour(&bytes.Buffer{}, env) {
		t.Error("a pipe or a buffer gets colours")
	}
}

// full is a writer with room for a few bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	f.left -= len(p)
	if f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAStoryThatCannotBeTold(t *testing.T) {
	s := &story{w: &full{20}}
	for range 10 {
		s.say("%s", strings.Repeat("x", 5))
	}
	if !errors.Is(s.err, errFull) {
		t.Errorf("the error is %v", s.err)
	}
}

func TestWhatAnAgentHasMissed(t *testing.T) {
	truth := []discussionText{{"d", "the question"}, {"1", "one"}, {"2", "two, corrected"}, {"3", "three"}}
	tests := []struct {
		name           string
		memory         memory
		reads          [][]discussionPost
		missed, reRead int
	}{
		{"everything, once", memory{all: true}, [][]discussionPost{{{ID: "d", Body: "the question"}, {ID: "1", Body: "one"}}, {{ID: "2", Body: "two, corrected"}, {ID: "3", Body: "three"}}}, 0, 0},
		{"nothing", memory{all: true}, nil, 4, 0},
		{"the old text of an edited one", memory{all: true}, [][]discussionPost{{{ID: "d", Body: "the question"}, {ID: "1", Body: "one"}, {ID: "2", Body: "two"}, {ID: "3", Body: "three"}}}, 1, 0},
		{"both texts of an edited one", memory{due: map[string]bool{"2": true}}, [][]discussionPost{{{ID: "2", Body: "two"}}, {{ID: "2", Body: "two, corrected"}}}, 0, 0},
		{"one text three times", memory{}, [][]discussionPost{{{ID: "1", Body: "one"}}, {{ID: "1", Body: "one"}, {ID: "1", Body: "one"}}}, 0, 2},
		{"its own need not come back", memory{all: true, own: map[string]bool{"d": true, "1": true, "2": true, "3": true}}, nil, 0, 0},
		{"not what it was handed", memory{due: map[string]bool{"3": true}}, [][]discussionPost{{{ID: "1", Body: "one"}}}, 1, 0},
		{"a tombstone, twice", memory{}, [][]discussionPost{{{ID: "4"}}, {{ID: "4"}}}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.memory
			m.got = map[discussionText]int{}
			for _, texts := range tt.reads {
				m.take(texts)
			}
			missed, reRead := m.missed(truth), m.reRead()
			if missed != tt.missed || reRead != tt.reRead {
				t.Errorf("missed %d and read again %d, want %d and %d", missed, reRead, tt.missed, tt.reRead)
			}
			if err := (DemoReader{Missed: missed, ReRead: reRead}).fault(); (err != nil) != (missed+reRead > 0) {
				t.Errorf("the fault is %v", err)
			}
		})
	}
}
