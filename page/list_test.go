package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/page"
)

type row struct {
	page.SlicedBody
	Name string
}

func (r *row) text() *page.SlicedBody { return &r.SlicedBody }

func trail() *page.Trail {
	return &page.Trail{
		Binding: page.Bind("list"), Ends: []string{"c1", "c2", "c3"}, More: true,
		Next: func(cursor string) any { return cursor },
	}
}

func TestTrailGoesOnBehindTheLastRowThatStayed(t *testing.T) {
	for _, test := range []struct {
		name     string
		n        int
		more     bool
		rest     string
		wantFrom string // "" when the list ends
	}{
		{"cut short", 2, false, "", "c2"},
		{"whole, and more upstream", 3, true, "", "c3"},
		{"whole, and no more", 3, false, "", ""},
		{"whole, but what followed did not belong", 3, true, "c9", "c9"},
		{"cut short although something followed", 1, true, "c9", "c1"},
	} {
		list := trail()
		list.More, list.Rest = test.more, test.rest
		var head page.Head
		list.Cut(&head, test.n)
		if head.Count != test.n || head.Truncated != (test.wantFrom != "") {
			t.Errorf("%s: count %d, truncated %v", test.name, head.Count, head.Truncated)
			continue
		}
		if test.wantFrom == "" {
			continue
		}
		again := trail()
		if err := again.Open(*head.EndCursor); err != nil || again.Start.After != test.wantFrom || head.Next != *head.EndCursor {
			t.Errorf("%s: goes on from %q, %v; want %q", test.name, again.Start.After, err, test.wantFrom)
		}
	}
}

func TestWhatTheBudgetCutIsAskedForInSmallerPages(t *testing.T) {
	whole := "a text"
	for name, test := range map[string]struct {
		cut  func(list *page.Trail, head *page.Head)
		want int
	}{
		"two of three fitted": {func(list *page.Trail, head *page.Head) { list.Cut(head, 2) }, 4},
		"all fitted":          {func(list *page.Trail, head *page.Head) { list.Cut(head, 3) }, 30},
		"a part of one": {func(list *page.Trail, head *page.Head) {
			page.Slice(list, head, []row{{SlicedBody: page.SlicedBody{Body: &whole}}}, 3, (*row).text)
		}, 3},
	} {
		var head page.Head
		test.cut(trail(), &head)
		next := trail()
		if err := next.Open(*head.EndCursor); err != nil || next.Limit(30) != test.want || next.Limit(1) != 1 {
			t.Errorf("%s: %v, the next page asks for %d rows, want %d", name, err, next.Limit(30), test.want)
		}
	}
	if got := trail().Limit(30); got != 30 {
		t.Errorf("a first page asks for %d rows", got)
	}
}

func TestARowComesInSlicesThatJoin(t *testing.T) {
	whole := strings.Repeat("é<b>", 100)
	var joined strings.Builder
	list, pages := trail(), 0
	for more := true; more; pages++ {
		rows := []row{{SlicedBody: page.SlicedBody{Body: &whole}, Name: "one"}}
		var head page.Head
		kept := page.Slice(list, &head, rows, 33, (*row).text)
		if kept == nil {
			t.Fatal("no slice")
		}
		if kept[0].BodyBytes != len(whole) || kept[0].BodyOffset != joined.Len() {
			t.Errorf("slice %d: %d of %d bytes from %d", pages, len(*kept[0].Body), kept[0].BodyBytes, kept[0].BodyOffset)
		}
		joined.WriteString(*kept[0].Body)
		more = kept[0].BodyTruncated
		list = trail()
		if err := list.Open(*head.EndCursor); err != nil {
			t.Fatal(err)
		}
	}
	if joined.String() != whole || pages < 10 {
		t.Errorf("%d slices join to %d bytes of %d", pages, joined.Len(), len(whole))
	}
	if page.Slice(list, &page.Head{}, []row{{Name: "no text"}}, 33, (*row).text) != nil {
		t.Error("a row without a text was sliced")
	}
}

func TestParseTime(t *testing.T) {
	for value, want := range map[string]string{
		"2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T10:00:00+02:00": "2026-01-31T08:00:00Z", "": "0001-01-01T00:00:00Z",
	} {
		got, err := page.ParseTime("since", value)
		if diff := cmp.Diff(want, got.Format("2006-01-02T15:04:05Z07:00")); err != nil || diff != "" {
			t.Errorf("ParseTime(%q): %v %s", value, err, diff)
		}
	}
	for _, value := range []string{"yesterday", "2026-13-01", "31.01.2026", " "} {
		if _, err := page.ParseTime("since", value); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("ParseTime(%q) = %v, want INVALID_ARGUMENTS", value, err)
		}
	}
}
