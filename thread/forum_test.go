package thread_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
)

// talk reads a thread from a few words: "1 2/4/9 3" are comments of the seconds
// 1, 2 and 3, the second with replies of the seconds 4 and 9. Letters tell
// apart what was said in one second, in the order of their numbers: "2b 2a".
// "!" marks what only the viewer can see, "*9" an edit in second 9. Comments
// are called c1, c2 and c3, replies r4 and r9.
func talk(words string) []thread.Comment {
	var comments []thread.Comment
	for word := range strings.FieldsSeq(words) {
		said := strings.Split(word, "/")
		comment := remark(thread.KindComment, said[0])
		for _, reply := range said[1:] {
			comment.Replies.Nodes = append(comment.Replies.Nodes, remark(thread.KindReply, reply))
		}
		comment.Replies.TotalCount = len(comment.Replies.Nodes)
		comments = append(comments, comment)
	}
	return comments
}

func remark(kind thread.Kind, word string) thread.Comment {
	word, edit, isEdited := strings.Cut(word, "*")
	name, isHidden := strings.CutSuffix(word, "!")
	digits := strings.TrimRight(name, "abc")
	second, _ := strconv.Atoi(digits)
	number := int64(1000 * second)
	if letter := name[len(digits):]; letter != "" {
		number += int64(letter[0])
	}
	id := kind[:1]
	if kind == thread.KindReply {
		id = "r"
	}
	comment := thread.Comment{
		ID: string(id) + name, Kind: kind, DatabaseID: &number, Hidden: isHidden, VisibleAt: at(second),
		Body: "«" + string(id) + name + "»", InDiscussion: &thread.InDiscussion{},
	}
	if kind == thread.KindComment {
		comment.Replies = &thread.Replies{}
	}
	if isEdited {
		second, _ := strconv.Atoi(edit)
		edited := at(second)
		comment.LastEditedAt = &edited
	}
	return comment
}

// key is a comment's place, as the package's documentation has it.
func key(c thread.Comment) thread.Key {
	return thread.Key{At: c.VisibleAt, Kind: c.Kind, Number: *c.DatabaseID}
}

// forum is a Source that holds its thread in memory. It bounds its answers as
// GitHub does, or closer, so that short threads meet every bound. Its cursor of
// a comment is "@" and the comment's id.
type forum struct {
	comments []thread.Comment // top-level, in GitHub's order, each with all its replies

	page    int // most comments in a page; 0 is 100
	stubs   int // most stubs in a run; 0 is 100
	replies int // most replies that come with a comment; 0 is 100
	newest  int // comments that tell what is newest; 0 is 5

	numberless bool           // stubs do not show their numbers
	gone       []string       // comments that were deleted
	unlisted   map[string]int // replies under a comment that GitHub counts and does not list

	asked []string // what was asked for
}

// newReplies is how many replies come with a comment that may not be new.
const newReplies = 3

var _ thread.Source = (*forum)(nil)

func (f *forum) ask(format string, args ...any) {
	f.asked = append(f.asked, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// index is where the comment of a cursor stands, -1 for no cursor.
func (f *forum) index(cursor string) int {
	return slices.IndexFunc(f.comments, func(c thread.Comment) bool { return "@"+c.ID == cursor })
}

// run are the comments between two cursors that are still there, at most the
// first n or, when n is negative, the last -n of them.
func (f *forum) run(after, before string, n int) (run []thread.Comment, hasBefore, hasMore bool) {
	start, end := f.index(after)+1, len(f.comments)
	if before != "" {
		end = f.index(before)
	}
	for _, comment := range f.comments[start:max(start, end)] {
		if !slices.Contains(f.gone, comment.ID) {
			run = append(run, comment)
		}
	}
	hasBefore, hasMore = after != "", before != ""
	most := min(len(run), max(n, -n))
	if n < 0 {
		return run[len(run)-most:], hasBefore || most < len(run), hasMore
	}
	return run[:most], hasBefore, hasMore || most < len(run)
}

// with is a comment with its newest n replies.
func (f *forum) with(comment thread.Comment, n int) thread.Comment {
	if comment.InDiscussion == nil || comment.Replies == nil {
		return comment
	}
	facts, all := *comment.InDiscussion, comment.Replies.Nodes
	nodes := all[max(0, len(all)-n):]
	facts.Replies = &thread.Replies{TotalCount: len(all) + f.unlisted[comment.ID], Nodes: append([]thread.Comment(nil), nodes...), AllHere: len(nodes) < n}
	comment.InDiscussion = &facts
	return comment
}

func (f *forum) withAll(run []thread.Comment, n int) []thread.Comment {
	all := make([]thread.Comment, len(run))
	for i, comment := range run {
		all[i] = f.with(comment, n)
	}
	return all
}

func (f *forum) stub(c thread.Comment) thread.Stub {
	stub := thread.Stub{ID: c.ID, Key: key(c), EditedAt: c.LastEditedAt, Hidden: c.Hidden}
	if f.numberless {
		stub.Key.Number = 0
	}
	if c.InDiscussion != nil && c.Replies != nil && len(c.Replies.Nodes) > 0 {
		last := f.stub(c.Replies.Nodes[len(c.Replies.Nodes)-1])
		stub.LastReply = &last
	}
	return stub
}

func (f *forum) stubPage(run []thread.Comment, hasBefore, hasMore bool) thread.StubPage {
	page := thread.StubPage{HasBefore: hasBefore, HasMore: hasMore}
	for _, comment := range run {
		page.Stubs = append(page.Stubs, f.stub(comment))
		page.End = "@" + comment.ID
	}
	if len(run) > 0 {
		page.Start = "@" + run[0].ID
	}
	return page
}

// older are stubs before a cursor. Only the last one's place is told, as with
// discussions.
func (f *forum) older(n int, before string) thread.StubPage {
	if n == 0 {
		return thread.StubPage{}
	}
	page := f.stubPage(f.run("", before, -min(n, or(f.stubs, 100))))
	for i := range max(0, len(page.Stubs)-1) {
		page.Stubs[i].Key = thread.Key{Kind: thread.KindComment}
	}
	return page
}

func (f *forum) overview() thread.Overview {
	newest, _, _ := f.run("", "", -or(f.newest, 5))
	all, _, _ := f.run("", "", len(f.comments))
	return thread.Overview{Total: len(all), Newest: f.stubPage(newest, false, false).Stubs}
}

// find is the comment or reply of an id, and the comment a reply is under.
func (f *forum) find(id string) (found, parent *thread.Comment) {
	if slices.Contains(f.gone, id) {
		return nil, nil
	}
	for i := range f.comments {
		comment := &f.comments[i]
		if comment.ID == id {
			return comment, nil
		}
		if comment.InDiscussion == nil || comment.Replies == nil {
			continue
		}
		for j := range comment.Replies.Nodes {
			if reply := &comment.Replies.Nodes[j]; reply.ID == id {
				return reply, comment
			}
		}
	}
	return nil, nil
}

func (f *forum) One(_ context.Context, id ref.Comment) (thread.One, error) {
	f.ask("one %s", id)
	one := thread.One{Overview: f.overview()}
	found, parent := f.find(id.NodeID)
	switch {
	case parent != nil:
		bare, reply := f.with(*parent, 0), *found
		one.Found, one.Reply = &bare, &reply
	case found != nil:
		comment := f.with(*found, or(f.replies, 100))
		one.Found = &comment
	}
	return one, nil
}

func (f *forum) Page(_ context.Context, want thread.PageWant) (thread.Page, error) {
	f.ask("page %s", words(
		when(want.Root, "root"), when(want.WithID != "", "with "+want.WithID),
		when(want.First > 0, fmt.Sprintf("first %d%s", want.First, when(want.After != "", " after "+want.After))),
		when(want.Last > 0, fmt.Sprintf("last %d%s", want.Last, when(want.Before != "", " before "+want.Before))),
		when(want.Older > 0, fmt.Sprintf("older %d%s", want.Older, when(want.OlderBefore != "", " before "+want.OlderBefore))),
		when(len(want.StubsOf) > 0, "stubs "+strings.Join(want.StubsOf, " "))))
	page := thread.Page{Overview: f.overview(), Older: f.older(want.Older, want.OlderBefore)}
	if want.First+want.Last > 0 {
		n := min(want.First, or(f.page, 100))
		if want.Last > 0 {
			n = -min(want.Last, or(f.page, 100))
		}
		run, hasBefore, hasMore := f.run(want.After, want.Before, n)
		ends := f.stubPage(run, hasBefore, hasMore)
		page.Comments, page.Start, page.End = f.withAll(run, or(f.replies, 100)), ends.Start, ends.End
		page.HasBefore, page.HasMore = hasBefore && want.Last > 0, hasMore && want.First > 0 // a page tells what lies ahead
	}
	if want.First > 0 && want.WithID == "" {
		for _, comment := range page.Comments {
			page.Cursors = append(page.Cursors, "@"+comment.ID)
		}
	}
	if oldest, _ := f.find(want.WithID); oldest != nil {
		page.Comments = append(f.withAll([]thread.Comment{*oldest}, or(f.replies, 100)), page.Comments...)
	}
	for _, id := range want.StubsOf {
		if comment, _ := f.find(id); comment != nil {
			page.Stubs = append(page.Stubs, f.stub(*comment))
		}
	}
	return page, nil
}

func (f *forum) Since(_ context.Context, id ref.Comment) (thread.Since, error) {
	f.ask("since %s", id)
	newest, _, _ := f.run("", "", -or(f.newest, 5))
	since := thread.Since{Total: f.overview().Total, Newest: f.withAll(newest, newReplies), Tail: f.stubPage(f.run("", "", -or(f.stubs, 100)))}
	if found, parent := f.find(id.NodeID); found != nil {
		since.Anchor = &thread.Anchor{Stub: f.stub(*found)}
		since.Anchor.Key = key(*found)
		if parent != nil {
			above := f.stub(*parent)
			since.Anchor.Parent = &above
		}
	}
	return since, nil
}

func (f *forum) Search(_ context.Context, after, before string) (front, back thread.StubPage, err error) {
	f.ask("search %s", words(when(after != "", "after "+after), when(before != "", "before "+before)))
	front, back = f.stubPage(f.run(after, "", or(f.stubs, 100))), f.stubPage(f.run("", before, -or(f.stubs, 100)))
	for _, page := range []thread.StubPage{front, back} {
		for i := range page.Stubs {
			page.Stubs[i].Cursor, page.Stubs[i].LastReply = "@"+page.Stubs[i].ID, nil
		}
	}
	return front, back, nil
}

func (f *forum) Fetch(_ context.Context, want thread.Want) (thread.Got, error) {
	f.ask("fetch %s", words(
		when(len(want.Comments) > 0, strings.Join(want.Comments, " ")),
		when(len(want.RepliesOf) > 0, fmt.Sprintf("%d replies of %s", want.Replies, strings.Join(want.RepliesOf, " "))),
		when(want.Older > 0, fmt.Sprintf("older %d before %s", want.Older, want.OlderBefore))))
	got := thread.Got{Older: f.older(want.Older, want.OlderBefore)}
	for _, id := range want.Comments {
		if comment, _ := f.find(id); comment != nil {
			got.Comments = append(got.Comments, f.with(*comment, or(f.replies, 100)))
		}
	}
	for _, id := range want.RepliesOf {
		if comment, _ := f.find(id); comment != nil {
			replies := f.with(*comment, want.Replies).Replies
			got.Replies = append(got.Replies, thread.NewestReplies{
				ParentID: id, TotalCount: replies.TotalCount, Nodes: replies.Nodes, AllHere: replies.AllHere,
			})
		}
	}
	return got, nil
}

func (f *forum) MoreReplies(_ context.Context, commentID string, n int) ([]thread.Comment, error) {
	f.ask("first %d replies of %s", n, commentID)
	comment, _ := f.find(commentID)
	if comment == nil {
		return nil, nil
	}
	return slices.Clone(comment.Replies.Nodes[:min(n, len(comment.Replies.Nodes))]), nil
}

func when(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// words joins what is not empty.
func words(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}
