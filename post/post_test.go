package post_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
)

func TestBody(t *testing.T) {
	for name, test := range map[string]struct {
		body, agent, want string
		code              fault.Code
	}{
		"as it is":             {body: " a\r\n\tb ", want: " a\r\n\tb "},
		"with a footer":        {body: "Fixed.", agent: "reviewer", want: "Fixed.\n\n— agent reviewer"},
		"blank":                {body: " \n\t", code: fault.InvalidArguments},
		"blank with a footer":  {body: " ", agent: "reviewer", code: fault.InvalidArguments},
		"as long as can be":    {body: strings.Repeat("é", post.MaxBody), want: strings.Repeat("é", post.MaxBody)},
		"too long":             {body: strings.Repeat("é", post.MaxBody+1), code: fault.TooLarge},
		"too long by a footer": {body: strings.Repeat("é", post.MaxBody), agent: "a", code: fault.TooLarge},
	} {
		got, err := post.Body(test.body, test.agent)
		if got != test.want || test.code == "" && err != nil || test.code != "" && !fault.Is(err, test.code) {
			t.Errorf("%s: Body = %.40q, %v; want %.40q, %s", name, got, err, test.want, test.code)
		}
	}
}

func TestTitle(t *testing.T) {
	for title, ok := range map[string]bool{
		"a": true, " a\tb ": true, "é": true, "": false, " \n": false, "a\nb": false, "a\r\nb": false, "a\n": false,
	} {
		if err := post.Title("title", title); (err == nil) != ok || err != nil && fault.From(err).Details["argument"] != "title" {
			t.Errorf("Title(%q) = %v", title, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	for body, want := range map[string]int{
		`a\nb`: 1, "a\nb": 0, "a": 0,
		"a\\n\nb": 0, // the author knows both
	} {
		if got := post.Warnings(body); len(got) != want {
			t.Errorf("Warnings(%q) = %q, want %d", body, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	if !post.Same("a\r\nb", "a\nb") || post.Same("a\nb", "a b") {
		t.Error("only the kind of line breaks may differ")
	}
}

func TestUnknownKeepsBothCauses(t *testing.T) {
	lost, look := errors.New("lost"), errors.New("look")
	for _, failed := range []error{nil, look} {
		err := post.Unknown(lost, failed, "the text", "Look.")
		if !fault.Is(err, fault.OutcomeUnknown) || !errors.Is(err, lost) || errors.Is(err, look) != (failed != nil) {
			t.Errorf("Unknown(lost, %v) = %v", failed, err)
		}
	}
}
