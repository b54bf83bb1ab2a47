package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

const (
	reviewedPull     = 201
	conversationTool = "get_conversation"
	reviewTool       = "manage_pr_review"
)

// What the reviewer and the author write.
const (
	reviewText = `The order is right, and the tests show it. Two points before I approve: one about the last resort of the
comparison, one about the document that promises it.`
	reviewOfCode = `Ids of different kinds are not comparable: a review and a comment can have one number.
Is it certain that both remarks are of one kind when we get here?`
	reviewOfText   = `This names the kind between time and id, and the code does not. Which of the two is the promise?`
	answerAboutIDs = `It is certain here: this reader merges its kinds before it sorts, and the ids it compares are those of
the merged list, which are unique.`
	answerAboutText = `The document is about the merged list, where the kind is part of the id. I leave it as it is.`
	approvalText    = `Both points are answered, and the head is the one I have read.`
)

// reviewDay is the way of a pull request from the list to the merge. R reviews
// and A is the author; both read what is new. W reads the whole conversation
// in every round.
type reviewDay struct {
	*stage
	r, a      *pullReader
	w         *agent
	head      string // the commit that R has read
	threads   []string
	news      DemoCost // R's read of the second round
	newsWhole DemoCost // W's
}

func playReview(ctx context.Context, s *stage) error {
	d := &reviewDay{stage: s}
	s.cycle = 1
	s.story.title("A review day: a pull request from the list to the merge, in two rounds",
		"On an embedded GitHub: no account, no network. Figures are measured while you look; ~ is estimated.")
	for _, scene := range []func(context.Context) error{d.meet, d.choose, d.readConversation, d.readDiff, d.review, d.answer, d.secondRound, d.merge, d.judge} {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	return nil
}

// meet starts the agents. Each has a login of its own: nobody may approve a
// pull request of their own.
func (d *reviewDay) meet(ctx context.Context) error {
	hired := map[string]*agent{}
	for name, token := range map[string]string{"R": sandbox.AdminToken, "A": sandbox.WriteToken, "W": sandbox.TriageToken} {
		a, err := d.hire(ctx, name, token)
		if err != nil {
			return err
		}
		a.memory.all = true
		hired[name] = a
	}
	d.r, d.a, d.w = &pullReader{agent: hired["R"]}, &pullReader{agent: hired["A"]}, hired["W"]
	return nil
}

// choose lets R find the pull request in the list, and look at its facts.
func (d *reviewDay) choose(ctx context.Context) error {
	var list struct {
		TotalCount   int
		PullRequests []struct{ Number int }
	}
	listing, err := d.r.look(ctx, "lists what waits for a review", "list_pull_requests", map[string]any{"review": "required", "draft": false}, &list)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list.PullRequests, func(p struct{ Number int }) bool { return p.Number == reviewedPull }) {
		return fmt.Errorf("#%d is not among the %d pull requests that wait for a review", reviewedPull, list.TotalCount)
	}
	var facts struct {
		Title, URL, HeadRefOid, MergeStateStatus string
		Additions, Deletions, ChangedFiles       int
		Checks                                   struct{ State string }
		ReviewThreads                            struct{ Unresolved int }
	}
	asked, err := d.r.look(ctx, "looks at the facts", "get_pull_request", d.arguments(nil), &facts)
	if err != nil {
		return err
	}
	d.head = facts.HeadRefOid
	d.report.Pull = DemoPull{Number: reviewedPull, Title: facts.Title, URL: facts.URL, Files: facts.ChangedFiles, Lines: facts.Additions + facts.Deletions}
	d.story.chapter("Agent R lists what waits for a review, and looks at one of them")
	d.story.heads()
	d.story.row(fmt.Sprintf("R lists %s", count(list.TotalCount, "pull request", "pull requests")), listing)
	d.story.row(fmt.Sprintf("R asks for all facts of #%d", reviewedPull), asked)
	d.story.say("%q: checks %s, merge %s, %s open.", facts.Title, facts.Checks.State, facts.MergeStateStatus,
		count(facts.ReviewThreads.Unresolved, "thread", "threads"))
	return nil
}

// arguments are those of a call about the pull request.
func (d *reviewDay) arguments(more map[string]any) map[string]any {
	arguments := map[string]any{"pr_number": reviewedPull}
	for name, value := range more {
		arguments[name] = value
	}
	return arguments
}

// readConversation lets all three read the conversation whole, once.
func (d *reviewDay) readConversation(ctx context.Context) error {
	got, err := d.r.catchUp(ctx)
	if err != nil {
		return err
	}
	if _, err := d.a.catchUp(ctx); err != nil {
		return err
	}
	d.story.chapter("The conversation so far, whole and once")
	d.story.say("Comments, reviews and inline comments are one thread, in the order of time.")
	d.story.heads()
	d.story.row(fmt.Sprintf("R reads %s", count(len(got.comments), "remark", "remarks")), got.step.DemoCost)
	_, err = d.readWhole(ctx)
	return err
}

// readWhole lets W read the whole conversation.
func (d *reviewDay) readWhole(ctx context.Context) (DemoCost, error) {
	got, err := d.w.readBy(ctx, conversationTool, "reads it whole", d.arguments(nil))
	return got.step.DemoCost, err
}

// changedFile is a file of a diff; Diff is empty in a list of files.
type changedFile struct {
	Path, Diff           string
	Additions, Deletions int
}

// readDiff lets R read the diff by file. Every changed line has to come.
func (d *reviewDay) readDiff(ctx context.Context) error {
	files, cost, err := d.diff(ctx, "lists the files", map[string]any{"files_only": true})
	if err != nil {
		return err
	}
	d.story.chapter("Agent R reads the diff by file")
	d.story.heads()
	d.story.row(fmt.Sprintf("R lists %s", count(len(files), "file", "files")), cost)
	lines := 0
	for _, file := range files {
		if file.Additions+file.Deletions == 0 {
			continue // renamed only, or binary
		}
		got, cost, err := d.diff(ctx, "reads one file", map[string]any{"files": []string{file.Path}})
		if err != nil {
			return err
		}
		if len(got) != 1 || got[0].Path != file.Path {
			return fmt.Errorf("the diff of %s has %d files", file.Path, len(got))
		}
		lines += changedLines(got[0].Diff)
		d.story.row("R reads "+file.Path, cost)
	}
	if pull := d.report.Pull; len(files) != pull.Files || lines != pull.Lines {
		return fmt.Errorf("the diff has %d files and %d changed lines, and the facts say %d and %d", len(files), lines, pull.Files, pull.Lines)
	}
	d.story.say("All %s are read; what is only renamed, or binary, has none.", count(lines, "changed line", "changed lines"))
	return nil
}

func (d *reviewDay) diff(ctx context.Context, what string, more map[string]any) ([]changedFile, DemoCost, error) {
	var page struct {
		Truncated bool
		Files     []changedFile
	}
	cost, err := d.r.look(ctx, what, "get_pull_request_diff", d.arguments(more), &page)
	if err == nil && page.Truncated {
		err = errors.New("a small diff came in pieces")
	}
	return page.Files, cost, err
}

// changedLines counts the lines that a file's diff adds and removes.
func changedLines(diff string) int {
	_, hunks, _ := strings.Cut(diff, "\n@@")
	changed := 0
	for line := range strings.Lines(hunks) {
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			changed++
		}
	}
	return changed
}

// review lets R ask for changes, with two inline comments, in one step.
func (d *reviewDay) review(ctx context.Context) error {
	done, err := d.decide(ctx, "asks for changes", map[string]any{"event": "request_changes", "body": reviewText, "comments": []map[string]any{
		{"path": "reader/reader.go", "start_line": 41, "line": 44, "body": reviewOfCode}, {"path": "docs/reading.md", "line": 3, "body": reviewOfText},
	}})
	if err != nil {
		return err
	}
	if done.State != "CHANGES_REQUESTED" || len(done.Comments) != 2 {
		return fmt.Errorf("the review should ask for changes in two places, and is %+v", done)
	}
	d.story.chapter("Agent R asks for changes: one review, two inline comments, all or nothing")
	d.story.say("On one line of docs/reading.md, and on four of reader/reader.go:")
	d.story.quote(reviewOfCode)
	return nil
}

// decided is what of a review's result the demo looks at.
type decided struct {
	ReviewID, State string
	Comments        []struct{ CommentID string }
}

func (d *reviewDay) decide(ctx context.Context, what string, more map[string]any) (decided, error) {
	more["action"], more["agent"] = "create", d.r.name
	var done decided
	if err := d.r.act(ctx, what, reviewTool, d.arguments(more), &done); err != nil {
		return decided{}, err
	}
	d.r.memory.own[done.ReviewID] = true
	for _, comment := range done.Comments {
		d.r.memory.own[comment.CommentID] = true
		d.threads = append(d.threads, comment.CommentID)
	}
	return done, nil
}

// answer lets A read what is new, the review and its inline comments, and
// answer in the threads.
func (d *reviewDay) answer(ctx context.Context) error {
	got, err := d.a.catchUp(ctx)
	if err != nil {
		return err
	}
	if len(got.comments) != 3 {
		return fmt.Errorf("the author should find a review and two inline comments, and finds %q", got.ids())
	}
	d.story.chapter("Agent A, the author, reads what is new, and answers in both threads")
	d.story.heads()
	d.story.row("A reads "+count(len(got.comments), "new remark", "new remarks"), got.step.DemoCost)
	for i, text := range []string{answerAboutIDs, answerAboutText} {
		if err := d.inThread(ctx, d.a, "answers in a thread", "reply", d.threads[i], map[string]any{"body": text, "agent": d.a.name}); err != nil {
			return err
		}
	}
	return nil
}

// inThread does something in the review thread of an inline comment.
func (d *reviewDay) inThread(ctx context.Context, by *pullReader, what, action, remark string, more map[string]any) error {
	arguments := d.arguments(more)
	arguments["action"], arguments["comment_id"] = action, remark
	var done struct {
		CommentID  string
		IsResolved bool
	}
	if err := by.act(ctx, what, "manage_review_thread", arguments, &done); err != nil {
		return err
	}
	if (action == "resolve") != done.IsResolved {
		return fmt.Errorf("after %s of %s the thread is resolved: %v", action, remark, done.IsResolved)
	}
	by.memory.own[done.CommentID] = true
	return nil
}

// secondRound lets R read only what is new, settle its threads and approve.
func (d *reviewDay) secondRound(ctx context.Context) error {
	d.cycle = 2
	got, err := d.r.catchUp(ctx)
	if err != nil {
		return err
	}
	if d.newsWhole, err = d.readWhole(ctx); err != nil {
		return err
	}
	if len(got.comments) != 5 {
		return fmt.Errorf("the second round should bring the review, its two inline comments and two answers, and brings %q", got.ids())
	}
	d.news = got.step.DemoCost
	d.story.chapter("The second round: agent R reads only what is new, settles the threads and approves")
	d.story.heads()
	d.story.row("R reads 2 answers, and its own 3 remarks", d.news)
	d.story.row("W reads the whole conversation again", d.newsWhole)
	for _, remark := range d.threads {
		if err := d.inThread(ctx, d.r, "settles a thread", "resolve", remark, nil); err != nil {
			return err
		}
	}
	done, err := d.decide(ctx, "approves", map[string]any{"event": "approve", "body": approvalText})
	if err == nil && done.State != "APPROVED" {
		err = fmt.Errorf("the review should approve, and is %+v", done)
	}
	return err
}

// merge merges the very commit that was read, and lets the others read the end.
func (d *reviewDay) merge(ctx context.Context) error {
	var done struct{ Merged bool }
	if err := d.r.act(ctx, "merges", "merge_pull_request", d.arguments(map[string]any{"expected_head_sha": d.head}), &done); err != nil {
		return err
	}
	if !done.Merged {
		return errors.New("the pull request was merged and is not")
	}
	d.cycle = 3
	d.story.chapter("Agent R merges, and names the commit that it has read")
	d.story.say("expected_head_sha %s: had anybody pushed since, nothing would be merged.", d.head[:min(len(d.head), 12)])
	if _, err := d.a.catchUp(ctx); err != nil {
		return err
	}
	_, err := d.readWhole(ctx)
	return err
}

// judge holds what each has read against what GitHub has.
func (d *reviewDay) judge(ctx context.Context) error {
	truth, merged, err := d.truthOfPull(ctx, reviewedPull)
	if err != nil {
		return err
	}
	if !merged {
		return errors.New("GitHub has not merged the pull request")
	}
	d.report.Pull.Texts, d.report.Pull.Merged = len(truth), merged
	d.story.chapter("Who has read what of the conversation, held against the %s that GitHub has", count(len(truth), "text", "texts"))
	d.story.readerHeads()
	readers := []DemoReader{d.r.audit("what is new", truth), d.a.audit("what is new", truth), d.w.audit("all, in every round", truth)}
	for _, reader := range readers {
		d.story.reader(reader)
		if reader.Agent != d.w.name {
			err = errors.Join(err, reader.fault())
		}
	}
	a, w := readers[1], readers[2]
	d.report.Comparison = []DemoTotal{
		{"the second round", "R reads what is new", d.news}, {"the second round", "the whole conversation is read again", d.newsWhole},
		{"all 3 rounds", "A reads it whole once, then what is new", a.DemoCost}, {"all 3 rounds", "it is read whole every time", w.DemoCost},
	}
	d.story.chapter("What that saves, although the conversation is short")
	d.story.heads()
	for pair := range slices.Chunk(d.report.Comparison, 2) {
		d.story.versus(pair[0], pair[1])
	}
	return err
}

// pullReader is an agent that reads what is new since its watermark.
type pullReader struct {
	*agent
	watermark string // "" before its first read
}

// catchUp reads what is new, the first time everything.
func (r *pullReader) catchUp(ctx context.Context) (reading, error) {
	arguments, what := map[string]any{"pr_number": reviewedPull}, "reads it whole"
	if r.watermark != "" {
		arguments["since_comment_id"], what = r.watermark, "reads what is new"
	}
	got, err := r.readBy(ctx, conversationTool, what, arguments)
	if err == nil && !got.first.Found {
		err = fmt.Errorf("agent %s cannot read on from %s", r.name, r.watermark)
	}
	r.watermark = orDefault(got.watermark, r.watermark)
	return got, err
}
