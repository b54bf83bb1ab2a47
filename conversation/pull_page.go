package conversation

import (
	"cmp"
	"context"
	"slices"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// Page asks for a run of remarks from one end.
func (s *pullSource) Page(ctx context.Context, want thread.PageWant) (page thread.Page, err error) {
	defer fault.Wrap(&err, "page")
	s.root = want.Root
	defer func() { s.root = false }()
	switch {
	case want.Last > 0:
		return s.pageBefore(ctx, want)
	case want.First > 0:
		return s.pageAfter(ctx, want)
	}
	_, err = s.askWhole(ctx, question{})
	return thread.Page{Overview: s.overview()}, err
}

// pageBefore reads the last remarks before a spot.
func (s *pullSource) pageBefore(ctx context.Context, want thread.PageWant) (thread.Page, error) {
	to, err := parseSpot(want.Before)
	if err != nil {
		return thread.Page{}, err
	}
	look := lookBack(want.Last)
	if to != nil {
		look = lookWhole
	}
	got, err := s.ask(ctx, question{look: look, back: side{want.Last, to}})
	if err != nil {
		return thread.Page{}, err
	}
	entries, cut := lastOf(got.back.merge(&s.spine), want.Last)
	if s.spine.from != nil && certain(entries) < want.Last {
		if err := s.whole(ctx, nil); err != nil {
			return thread.Page{}, err
		}
		entries, cut = lastOf(got.back.merge(&s.spine), want.Last)
	}
	texts, err := s.texts(ctx, idsOf(entries))
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{HasBefore: cut || got.back.hasBefore || s.spine.from != nil, HasMore: to != nil, Start: got.back.start()}
	fillBack(&page, entries, texts, want.Last)
	page.Overview = s.overview()
	return page, nil
}

// fillBack puts the last n remarks that are shown into a page. It starts at the
// oldest of them, or, when none is shown, before all that was looked at.
func fillBack(page *thread.Page, entries []entry, texts map[string]thread.Comment, n int) {
	for _, entry := range slices.Backward(entries) {
		comment, ok := texts[entry.ID]
		if ok && len(page.Comments) == n {
			page.HasBefore = true
			break
		}
		if ok || len(page.Comments) == 0 {
			page.Start = entry.spot.String()
		}
		if ok {
			page.Comments = append(page.Comments, comment)
		}
	}
	slices.Reverse(page.Comments)
}

// start is where a run goes on backward of which every comment was left out.
func (r run) start() string {
	if r.to == nil || !r.hasBefore {
		return ""
	}
	return spot{r.to.key, r.to.after, r.first}.String()
}

// pageAfter reads the first remarks behind a spot, with one by its id in front
// of them, and stubs of older ones, when they are wanted.
func (s *pullSource) pageAfter(ctx context.Context, want thread.PageWant) (thread.Page, error) {
	from, errFrom := parseSpot(want.After)
	to, errTo := parseSpot(want.OlderBefore)
	if err := cmp.Or(errFrom, errTo); err != nil {
		return thread.Page{}, err
	}
	got, err := s.askAfter(ctx, want, question{front: side{want.First, from}, back: side{want.Older, to}, stubsOf: want.StubsOf})
	if err != nil {
		return thread.Page{}, err
	}
	entries, cut := firstOf(got.front.merge(&s.spine), want.First)
	wanted := idsOf(entries)
	if want.WithID != "" {
		wanted = append(wanted, want.WithID)
	}
	texts, err := s.texts(ctx, s.withWrappers(wanted))
	if err != nil {
		return thread.Page{}, err
	}
	page := thread.Page{HasBefore: from != nil, HasMore: cut || got.front.hasMore}
	if first, ok := texts[want.WithID]; ok {
		page.Comments = append(page.Comments, first)
	}
	fill(&page, entries, texts)
	if want.WithID != "" {
		page.Cursors = nil // the first one's is not known
	}
	if want.Older > 0 {
		page.Older = stubPage(got.back.merge(&s.spine), got.back.hasBefore, to != nil)
	}
	page.Stubs = slices.Concat(got.stubs, s.stubsOf(want.StubsOf))
	page.Overview = s.overview()
	return page, nil
}

// askAfter asks for what stands behind a spot. What is left of the last n, which
// starts with a remark that is known by its id, is a part of what is newest, for
// which the spine need not be whole.
func (s *pullSource) askAfter(ctx context.Context, page thread.PageWant, want question) (answer, error) {
	if page.WithID == "" || want.front.at == nil {
		return s.askWhole(ctx, want)
	}
	want.look = lookBack(want.front.n)
	got, err := s.ask(ctx, want)
	if err != nil {
		return answer{}, err
	}
	return got, s.whole(ctx, &want.front.at.key)
}

// fill puts the remarks that are shown into a page, as many as fit one.
func fill(page *thread.Page, entries []entry, texts map[string]thread.Comment) {
	for _, entry := range entries {
		comment, ok := texts[entry.ID]
		if ok && len(page.Comments) == maxPage {
			page.HasMore = true
			return
		}
		page.End = entry.spot.String()
		if ok {
			page.Comments = append(page.Comments, comment)
			page.Cursors = append(page.Cursors, page.End)
		}
	}
}

// withWrappers adds to ids the reviews of which only their text tells whether
// they are shown, when they are few: with them it is known how much was said.
func (s *pullSource) withWrappers(ids []string) []string {
	more := slices.DeleteFunc(s.spine.wrappers(), func(id string) bool { return slices.Contains(ids, id) })
	if len(more) > maxPage || s.spine.from != nil {
		return ids
	}
	return append(ids, more...)
}

// stubsOf are the stubs of those of the ids that are reviews or inline
// comments.
func (s *pullSource) stubsOf(ids []string) []thread.Stub {
	var found []thread.Stub
	for _, remark := range s.spine.remarks {
		if slices.Contains(ids, remark.ID) {
			found = append(found, remark.Stub)
		}
	}
	return found
}

func idsOf(entries []entry) []string {
	all := make([]string, len(entries))
	for i, entry := range entries {
		all[i] = entry.ID
	}
	return all
}
