package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// TestIdeation plays the sessions of testdata/ideation: agents, each with a
// server of its own, work in one discussion. A session is a txtar archive with
// the files "session" and "ledger". In a session each line is one act:
//
//	NAME works as admin, 4000 bytes    a new agent: its token, and its result budget if it has one
//	NAME opens CATEGORY: TEXT          the discussion
//	NAME joins 4                       an existing discussion is the one from here on
//	NAME reads                         since its watermark, or all of it the first time
//	NAME reads: a b                    the same, and that is what it has to bring, in this order
//	NAME calls a: ID                   a comment that is there already, in any spelling
//	NAME says a: TEXT                  a comment that is called a from here on
//	NAME replies b to a: TEXT
//	NAME hands a to OTHER              who makes the call of the hand-off, and gets a alone
//	NAME edits a: TEXT
//	NAME deletes a
//	NAME marks a                       as the answer
//	NAME closes, reopens, locks, unlocks
//	NAME restarts                      its server forgets everything; its notes stay
//	NAME rewrites: TEXT                the discussion's own text
//	rounds 1 to 20 … end               the lines between, for each number in place of #
//
// Whenever an agent has read, the sandbox is asked by other means what there
// is: an agent may have missed nothing, and got nothing twice. The ledger
// counts both, and what it took.
func TestIdeation(t *testing.T) {
	files, err := filepath.Glob("testdata/ideation/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) != 2 || archive.Files[0].Name != "session" || archive.Files[1].Name != "ledger" {
				t.Fatalf("a session has two files, session and ledger: %v", err)
			}
			s := &workshop{
				t: t, github: sandbox.StartTest(t, sandbox.Options{Repositories: samples(t)}),
				agents: map[string]*agent{}, posts: map[string]post{}, names: map[string]string{},
			}
			for number, line := range unrolled(string(archive.Files[0].Data)) {
				s.play(number+1, line)
			}
			ledger := s.ledger()
			if *update {
				archive.Files[1].Data = []byte(ledger)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), ledger); diff != "" {
				t.Errorf("ledger (-want +got):\n%s", diff)
			}
		})
	}
}

var rounds = regexp.MustCompile(`^rounds (\d+) to (\d+)$`)

// unrolled are the lines of a session, with rounds written out.
func unrolled(text string) (lines []string) {
	var block []string
	from, to, inside := 0, 0, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if loop := rounds.FindStringSubmatch(line); loop != nil {
			from, _ = strconv.Atoi(loop[1]) // digits
			to, _ = strconv.Atoi(loop[2])
			block, inside = nil, true
			continue
		}
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case line == "end":
			inside = false
			for round := from; round <= to; round++ {
				for _, line := range block {
					lines = append(lines, strings.ReplaceAll(line, "#", strconv.Itoa(round)))
				}
			}
		case inside:
			block = append(block, line)
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// workshop is a discussion and those who work in it.
type workshop struct {
	t      *testing.T
	github *sandbox.Running
	line   string
	number int // of the discussion
	agents map[string]*agent
	order  []*agent          // as they came
	posts  map[string]post   // by what the session calls them
	names  map[string]string // by id
}

// post is what the session has said.
type post struct {
	id, body string
	reply    bool
	handoff  json.RawMessage
}

// agent is one who works, with its notes and what it has cost.
type agent struct {
	*bench
	name  string
	seat  seat
	notes []string        // the ids it has read, in the thread's order
	seen  map[string]int  // how often each was brought
	late  map[string]bool // found by going on looking
	stale map[string]bool // comments it has read that were edited since
	spent map[string]int  // the columns of the ledger
}

func (s *workshop) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s: %s", s.line, fmt.Sprintf(format, args...))
}

// play does one line.
func (s *workshop) play(number int, line string) {
	s.line = fmt.Sprintf("act %d, %q", number, line)
	head, text, hasText := strings.Cut(line, ":")
	text = strings.TrimSpace(text)
	words := strings.Fields(strings.ReplaceAll(head, ",", ""))
	if len(words) < 2 {
		s.fail("who does what?")
	}
	if words[1] == "works" {
		s.hire(words[0], words[2:])
		return
	}
	a := s.agents[words[0]]
	act, known := verbs[words[1]]
	if a == nil || !known || len(words)-2 != act.objects || act.text && text == "" {
		s.fail("no such agent or act")
	}
	act.do(s, a, words[2:], text)
	if hasText != (text != "") {
		s.fail("nothing behind the colon")
	}
}

// verb is what agents can do: how many words stand behind it, whether a text
// has to, and how it is done.
type verb struct {
	objects int
	text    bool
	do      func(s *workshop, a *agent, objects []string, text string)
}

var verbs = map[string]verb{
	"opens": {1, true, func(s *workshop, a *agent, objects []string, text string) {
		got := a.must("create_discussion", object("title", "Session", "category", objects[0], "body", text))
		s.number, _ = strconv.Atoi(number(got, "discussionNumber"))
	}},
	"joins": {1, false, func(s *workshop, _ *agent, objects []string, _ string) { s.number, _ = strconv.Atoi(objects[0]) }},
	"calls": {1, true, func(s *workshop, _ *agent, objects []string, text string) { s.posts[objects[0]] = post{id: text} }},
	"says": {1, true, func(s *workshop, a *agent, objects []string, text string) {
		s.post(a, objects[0], text, object("action", "create", "discussion_number", s.number, "body", text), false)
	}},
	"replies": {3, true, func(s *workshop, a *agent, objects []string, text string) {
		s.post(a, objects[0], text, object("action", "create", "reply_to_id", s.called(objects[2]).id, "body", text), true)
	}},
	"edits":    {1, true, (*workshop).edit},
	"hands":    {3, false, func(s *workshop, a *agent, objects []string, _ string) { s.handOff(objects[0], objects[2]) }},
	"deletes":  {1, false, (*workshop).remove},
	"reads":    {0, false, func(s *workshop, a *agent, _ []string, text string) { s.read(a, strings.Fields(text)) }},
	"restarts": {0, false, func(s *workshop, a *agent, _ []string, _ string) { a.bench = newBench(s.t, s.github, a.seat) }},
	"rewrites": {0, true, func(s *workshop, a *agent, _ []string, text string) { s.manage(a, "update", "body", text) }},
	"marks": {1, false, func(s *workshop, a *agent, objects []string, _ string) {
		s.manage(a, "mark_answer", "comment_id", s.called(objects[0]).id)
	}},
	"closes":  {0, false, func(s *workshop, a *agent, _ []string, _ string) { s.manage(a, "close") }},
	"reopens": {0, false, func(s *workshop, a *agent, _ []string, _ string) { s.manage(a, "reopen") }},
	"locks":   {0, false, func(s *workshop, a *agent, _ []string, _ string) { s.manage(a, "lock") }},
	"unlocks": {0, false, func(s *workshop, a *agent, _ []string, _ string) { s.manage(a, "unlock") }},
}

// object is a JSON object of names and values.
func object(pairs ...any) string {
	members := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		members[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	data, _ := json.Marshal(members) // texts and numbers always encode
	return string(data)
}

// hire takes "as TOKEN" and perhaps "N bytes".
func (s *workshop) hire(name string, words []string) {
	a := &agent{name: name, seen: map[string]int{}, late: map[string]bool{}, stale: map[string]bool{}, spent: map[string]int{}}
	a.seat.token = "sandbox-" + words[1]
	if len(words) == 4 {
		a.seat.budget, _ = strconv.Atoi(words[2])
	}
	a.bench = newBench(s.t, s.github, a.seat)
	s.agents[name], s.order = a, append(s.order, a)
}

func (s *workshop) called(name string) post {
	s.t.Helper()
	found, ok := s.posts[name]
	if !ok {
		s.fail("nothing is called %s", name)
	}
	return found
}

func (s *workshop) manage(a *agent, action string, more ...any) {
	a.must("manage_discussion", object(append([]any{"action", action, "discussion_number", s.number}, more...)...))
}

func (s *workshop) post(a *agent, name, text, arguments string, reply bool) {
	if _, taken := s.posts[name]; taken {
		s.fail("%s is taken", name)
	}
	var got struct {
		CommentID string
		Handoff   struct{ Arguments json.RawMessage }
	}
	if err := json.Unmarshal(a.must("manage_discussion_comment", arguments).raw, &got); err != nil {
		s.fail("%v", err)
	}
	s.posts[name] = post{got.CommentID, text, reply, got.Handoff.Arguments}
	s.names[got.CommentID] = name
	a.spent["posts"]++
}

// edit replaces a text. Whoever has read a comment has to be told.
func (s *workshop) edit(a *agent, objects []string, text string) {
	edited := s.called(objects[0])
	a.must("manage_discussion_comment", object("action", "update", "comment_id", edited.id, "body", text))
	edited.body = text
	s.posts[objects[0]] = edited
	for _, other := range s.order {
		if other.seen[edited.id] > 0 && !edited.reply {
			other.stale[edited.id] = true
		}
	}
}

func (s *workshop) remove(a *agent, objects []string, _ string) {
	id := s.called(objects[0]).id
	a.must("moderate_comment", object("action", "delete", "comment_id", id, "confirm", true))
	for _, other := range s.order {
		delete(other.stale, id)
	}
}

// handOff has a peer make the call of a post's hand-off: it brings that post
// alone.
func (s *workshop) handOff(name, to string) {
	handed, peer := s.called(name), s.agents[to]
	if peer == nil {
		s.fail("no agent %s", to)
	}
	var got conversationPage
	peer.fetch(s, handed.handoff, &got)
	all := got.Comments.Nodes
	if handed.reply && len(all) == 1 {
		all = all[0].Replies.Nodes
	}
	if !got.Found || len(all) != 1 || all[0].ID != handed.id || all[0].Body != handed.body || got.LatestCommentID != "" {
		s.fail("the hand-off brings %+v", got)
	}
	peer.spent["handed"]++
}

// conversationPage is what of a reading the agents look at.
type conversationPage struct {
	Truncated       bool
	Next            json.RawMessage
	Found           bool
	LatestCommentID string
	Comments        struct{ Nodes []conversationNode }
	NewReplies      []conversationNode
	RepliesComplete *bool
	RepliesCursor   string
	Edited          []struct{ ID string }
}

type conversationNode struct {
	ID, Body, CreatedAt string
	Replies             struct{ Nodes []conversationNode }
}

func (a *agent) fetch(s *workshop, arguments json.RawMessage, page *conversationPage) {
	before, _ := a.requests()
	got := a.must("get_discussion_conversation", string(arguments))
	after, _ := a.requests()
	a.spent["requests"] += after - before
	if err := json.Unmarshal(got.raw, page); err != nil {
		s.fail("%v", err)
	}
}

// reading is what one reading brought, all its pages.
type reading struct {
	news   []conversationNode // in the thread's order
	late   []conversationNode // replies under old comments, found by going on looking
	edited []string
	latest string // the watermark
}

func (r *reading) add(page conversationPage, late bool) {
	for _, comment := range page.Comments.Nodes {
		r.news = append(append(r.news, comment), comment.Replies.Nodes...)
	}
	if late {
		r.late = append(r.late, page.NewReplies...)
	} else {
		r.news = append(r.news, page.NewReplies...)
	}
	for _, edit := range page.Edited {
		r.edited = append(r.edited, edit.ID)
	}
	if page.LatestCommentID != "" {
		r.latest = page.LatestCommentID
	}
}

// all is what it brought, in the thread's order.
func (r *reading) all() []conversationNode {
	return slices.SortedStableFunc(slices.Values(slices.Concat(r.news, r.late)), inOrder)
}

// read reads as the working agreement says, and compares what it brought with
// what there is. A late reply newer than the watermark may come once more,
// with the next reading: the watermark never runs ahead of what was looked at.
func (s *workshop) read(a *agent, want []string) {
	got := a.catchUp(s)
	var names []string
	for _, one := range got.all() {
		a.seen[one.ID]++
		if a.seen[one.ID] > 1 && !a.late[one.ID] {
			s.t.Errorf("%s: %s came %d times", s.line, s.name(one.ID), a.seen[one.ID])
		}
		names = append(names, s.name(one.ID))
	}
	for _, one := range got.late {
		a.late[one.ID] = true
	}
	for _, id := range s.truth() {
		if a.seen[id] == 0 {
			s.t.Errorf("%s: missed %s", s.line, s.name(id))
		}
	}
	for id := range a.stale {
		if !slices.Contains(got.edited, id) {
			s.t.Errorf("%s: nobody said that %s was edited", s.line, s.name(id))
		}
	}
	if len(want) > 0 && !slices.Equal(want, names) {
		s.t.Errorf("%s: brought %s", s.line, names)
	}
	a.stale = map[string]bool{}
	a.spent["reads"]++
	a.spent["brought"] += len(names)
}

// catchUp brings all that is new. A watermark that is gone is no watermark:
// the agent goes back to what it read before that.
func (a *agent) catchUp(s *workshop) reading {
	arguments := object("discussion_number", s.number)
	for len(a.notes) > 0 {
		arguments = object("discussion_number", s.number, "since_comment_id", a.notes[len(a.notes)-1])
		var first conversationPage
		a.fetch(s, json.RawMessage(arguments), &first)
		if first.Found {
			return a.follow(s, arguments, first)
		}
		a.notes = a.notes[:len(a.notes)-1]
	}
	var first conversationPage
	a.fetch(s, json.RawMessage(arguments), &first)
	return a.follow(s, arguments, first)
}

// follow turns the pages of a reading, and then looks for late replies to the
// end.
func (a *agent) follow(s *workshop, arguments string, page conversationPage) (got reading) {
	got.add(page, false)
	for late := false; page.Truncated || page.RepliesCursor != ""; {
		next := page.Next
		if !page.Truncated {
			late, next = true, withCursor(arguments, page.RepliesCursor)
		}
		page = conversationPage{}
		a.fetch(s, next, &page)
		got.add(page, late)
	}
	a.note(s, got)
	return got
}

func withCursor(arguments, cursor string) json.RawMessage {
	var call map[string]any
	_ = json.Unmarshal([]byte(arguments), &call) // object made it
	call["cursor"] = cursor
	data, _ := json.Marshal(call)
	return data
}

// note writes down what was read up to the watermark, which has to be the
// newest of what the pages brought.
func (a *agent) note(s *workshop, got reading) {
	if len(got.news) > 0 && slices.SortedStableFunc(slices.Values(got.news), inOrder)[len(got.news)-1].ID != got.latest {
		s.fail("the watermark is %s", s.name(got.latest))
	}
	var ids []string
	for _, one := range got.all() {
		ids = append(ids, one.ID)
	}
	if at := slices.Index(ids, got.latest); at >= 0 {
		a.notes = append(a.notes, ids[:at+1]...)
	}
}

func inOrder(a, b conversationNode) int { return strings.Compare(a.CreatedAt, b.CreatedAt) }

func (s *workshop) name(id string) string {
	if name, ok := s.names[id]; ok {
		return name
	}
	return id
}

// truth are the ids of all that is in the discussion, asked for without any of
// our own code.
func (s *workshop) truth() []string {
	s.t.Helper()
	var ids []string
	for after := "null"; after != ""; {
		var page struct {
			Data struct {
				Repository struct {
					Discussion struct {
						Comments struct {
							PageInfo struct {
								HasNextPage bool
								EndCursor   string
							}
							Nodes []struct {
								ID      string
								Replies struct{ Nodes []struct{ ID string } }
							}
						}
					}
				}
			}
		}
		s.ask(fmt.Sprintf(`{repository(owner: "octo-org", name: "hello") {discussion(number: %d) {comments(first: 100, after: %s) {
			pageInfo {hasNextPage endCursor} nodes {id replies(first: 100) {nodes {id}}}}}}}`, s.number, after), &page)
		comments := page.Data.Repository.Discussion.Comments
		for _, comment := range comments.Nodes {
			ids = append(ids, comment.ID)
			for _, reply := range comment.Replies.Nodes {
				ids = append(ids, reply.ID)
			}
		}
		after = ""
		if comments.PageInfo.HasNextPage {
			after = strconv.Quote(comments.PageInfo.EndCursor)
		}
	}
	return ids
}

func (s *workshop) ask(query string, into any) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.github.GraphQLURL(), strings.NewReader(object("query", query)))
	if err != nil {
		s.fail("%v", err)
	}
	request.Header.Set("Authorization", "Bearer "+sandbox.AdminToken)
	request.Header.Set("X-Github-Next-Global-Id", "1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.fail("%v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		s.fail("%v: %s", err, body)
	}
}

// ledger is what each agent did, and what it cost.
func (s *workshop) ledger() string {
	var text strings.Builder
	columns := []string{"posts", "handed", "reads", "requests", "brought"}
	fmt.Fprintf(&text, "%-8s", "")
	for _, column := range append(slices.Clone(columns), "missed", "twice") {
		fmt.Fprintf(&text, "%9s", column)
	}
	there := s.truth()
	for _, a := range s.order {
		fmt.Fprintf(&text, "\n%-8s", a.name)
		for _, column := range columns {
			fmt.Fprintf(&text, "%9d", a.spent[column])
		}
		missed, twice := 0, 0
		for _, id := range there {
			if a.seen[id] == 0 {
				missed++
			}
		}
		for times := range maps.Values(a.seen) {
			twice += times - 1
		}
		fmt.Fprintf(&text, "%9d%9d", missed, twice)
	}
	return text.String() + "\n"
}
