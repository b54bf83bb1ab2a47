package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

const ideationRounds = 20

// What is said in an ideation, and in which round.
const (
	ideationBody = `What should a reader remember between two visits to a long thread, and what may it forget?

Say what you would build, what it costs, and what would make you drop it. This text is kept up to date; the comments are
how we got here.`
	ideationProposal = `Round %d, a proposal. Keep the id of the newest text and nothing else between two visits.

It costs one request however long the thread has become, and it survives a context that was cleared. I would drop it if a
reply under an old comment could slip through, or if somebody could make the id disappear without our noticing.`
	ideationReview = `I have read this one comment and nothing else, so take it as an outsider's view. The bound should be
written where callers see it, and the case in which it does not hold should be an answer of its own, not an empty one.`
	ideationLate = `Coming back to this from a later round: the objection still stands, and the newest proposal does not
answer it. I leave it here, where it was raised, so that it is found together with what it is about.`
	ideationRemark = `Round %d, from the other side. I have measured it on the thread as it is now.

The read took as long as in the first round. What grew is only what was said in between, which is what I came for. Two of
the texts were not for me, and I could tell so by their authors before I had read them.`
	ideationCorrection = `Round %d, corrected. The figure in here was wrong: I had counted the discussion's own text twice.

The read does take as long as in the first round, and a cold read is the only one that depends on the length.`
)

// ideation is the life of a discussion. A proposes and B remarks; both follow
// the discussion. C reads only what A hands on, and replies there. W follows
// it, too, but by reading it whole in every round.
type ideation struct {
	*stage
	number    int
	a, b      *follower
	c, w      *agent
	proposals []written // A's, by round
	replies   []written // C's
	remarks   []written // B's
}

func playIdeation(ctx context.Context, s *stage) error {
	d := &ideation{stage: s}
	s.cycle = 1
	s.story.title("The life of a discussion: three agents, 20 rounds, and what each of them had to read",
		"On an embedded GitHub: no account, no network. Figures are measured while you look; ~ is estimated.")
	for _, scene := range []func(context.Context) error{d.open, d.rounds, d.end, d.judge} {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	return nil
}

// open starts the agents and the discussion.
func (d *ideation) open(ctx context.Context) error {
	hired := map[string]*agent{}
	for name, token := range map[string]string{"A": sandbox.WriteToken, "B": sandbox.TriageToken, "C": sandbox.ReadToken, "W": sandbox.AdminToken} {
		a, err := d.hire(ctx, name, token)
		if err != nil {
			return err
		}
		hired[name] = a
	}
	d.c, d.w = hired["C"], hired["W"]
	var opened struct {
		DiscussionNumber int
		URL, ID          string
	}
	title := "Ideation: what does a reader remember?"
	err := hired["A"].act(ctx, "opens the discussion", "create_discussion", map[string]any{"title": title, "body": ideationBody, "category": "Q&A"}, &opened)
	if err != nil {
		return err
	}
	hired["A"].memory.own[opened.ID] = true
	d.number = opened.DiscussionNumber
	d.a, d.b = follow(hired["A"], d.number), follow(hired["B"], d.number)
	d.w.memory.all = true
	d.report.Discussion = DemoDiscussion{Number: d.number, Title: title, URL: opened.URL}
	d.story.chapter("Agent A opens discussion #%d, %q", d.number, title)
	d.story.say("A proposes and B remarks; both read what is new. C reads only what A hands on.")
	d.story.say("W reads the whole discussion in every round. Nobody else does.")
	return nil
}

// rounds plays the rounds, and what happens in some of them.
func (d *ideation) rounds(ctx context.Context) error {
	d.story.chapter("%d rounds", ideationRounds)
	events := map[int]func(context.Context) error{
		5: d.editRemark, 6: d.replyLate, 9: d.deleteRemark, 11: d.deleteProposal, 12: d.replyLate, 14: d.deleteReply, 16: d.editRemark, 18: d.replyLate,
	}
	for d.cycle = 1; d.cycle <= ideationRounds; d.cycle++ {
		if err := d.round(ctx); err != nil {
			return fmt.Errorf("round %d: %w", d.cycle, err)
		}
		if event := events[d.cycle]; event != nil {
			if err := event(ctx); err != nil {
				return fmt.Errorf("round %d: %w", d.cycle, err)
			}
		}
	}
	return nil
}

func (d *ideation) round(ctx context.Context) error {
	if d.cycle > 1 { // it has only just opened it
		if err := d.a.catchUp(ctx); err != nil {
			return err
		}
	}
	proposal, err := d.a.write(ctx, "proposes", map[string]any{"discussion_number": d.number, "body": fmt.Sprintf(ideationProposal, d.cycle)})
	if err != nil {
		return err
	}
	d.c.memory.due[proposal.CommentID] = true
	if _, err := d.c.read(ctx, "reads what it was handed", proposal.Handoff.Arguments); err != nil {
		return err
	}
	reply, err := d.reply(ctx, proposal, ideationReview)
	if err != nil {
		return err
	}
	if err := d.b.catchUp(ctx); err != nil {
		return err
	}
	remark, err := d.b.write(ctx, "remarks", map[string]any{"discussion_number": d.number, "body": fmt.Sprintf(ideationRemark, d.cycle)})
	if err != nil {
		return err
	}
	d.proposals, d.replies, d.remarks = append(d.proposals, proposal), append(d.replies, reply), append(d.remarks, remark)
	return d.readWhole(ctx)
}

func (d *ideation) readWhole(ctx context.Context) error {
	got, err := d.w.read(ctx, "reads it whole", map[string]any{"discussion_number": d.number})
	d.report.Discussion.Comments = got.first.TotalCount
	return err
}

// reply lets C write below a comment.
func (d *ideation) reply(ctx context.Context, to written, text string) (written, error) {
	return d.c.write(ctx, "replies", map[string]any{"discussion_number": d.number, "reply_to_id": to.CommentID, "body": text})
}

func (d *ideation) replyLate(ctx context.Context) error {
	d.story.say("Round %2d  C replies under a comment that is %d rounds old", d.cycle, 5)
	_, err := d.reply(ctx, d.proposals[d.cycle-1-5], ideationLate)
	return err
}

// editRemark lets B correct what it has said some rounds ago.
func (d *ideation) editRemark(ctx context.Context) error {
	d.story.say("Round %2d  B corrects a comment that is %d rounds old; who has read it fetches the new text", d.cycle, 3)
	var edited struct{ CommentID string }
	return d.b.act(ctx, "corrects a remark", writeTool, map[string]any{
		"action": "update", "comment_id": d.remarks[d.cycle-1-3].CommentID, "body": fmt.Sprintf(ideationCorrection, d.cycle-3),
	}, &edited)
}

// deleteRemark takes the comment away that A would read on from.
func (d *ideation) deleteRemark(ctx context.Context) error {
	d.story.say("Round %2d  B deletes the comment that A would read on from; A goes on from the one before", d.cycle)
	return d.expectAnchor(d.a, d.remarks[d.cycle-1-1], d.remove(ctx, d.b.agent, d.remarks[d.cycle-1-1]))
}

// deleteProposal leaves a tombstone, under which C's reply stands on.
func (d *ideation) deleteProposal(ctx context.Context) error {
	d.story.say("Round %2d  A deletes a comment that has a reply; the reply stands, and B reads on from it", d.cycle)
	return d.expectAnchor(d.b, d.replies[d.cycle-1], d.remove(ctx, d.a.agent, d.proposals[d.cycle-1]))
}

// deleteReply takes the reply away that B would read on from.
func (d *ideation) deleteReply(ctx context.Context) error {
	d.story.say("Round %2d  C deletes the reply that B would read on from; B goes on from the text before", d.cycle)
	return d.expectAnchor(d.b, d.replies[d.cycle-1], d.remove(ctx, d.c, d.replies[d.cycle-1]))
}

// expectAnchor fails unless the follower would read on from that very text:
// else the event would show nothing.
func (d *ideation) expectAnchor(f *follower, text written, err error) error {
	if err == nil && f.watermark != text.CommentID {
		err = fmt.Errorf("agent %s would read on from %s, not from %s", f.name, f.watermark, text.CommentID)
	}
	return err
}

func (d *ideation) remove(ctx context.Context, by *agent, text written) error {
	var gone struct{ Deleted bool }
	err := by.act(ctx, "deletes a text", "moderate_comment", map[string]any{"action": "delete", "comment_id": text.CommentID, "confirm": true}, &gone)
	if err == nil && !gone.Deleted {
		err = errors.New("a comment was deleted and is still there")
	}
	return err
}

// end marks an answer, closes the discussion, and lets everybody read the rest.
func (d *ideation) end(ctx context.Context) error {
	d.cycle = ideationRounds + 1
	answer := d.remarks[len(d.remarks)-1].CommentID
	var state struct{ State, AnswerID string }
	for _, arguments := range []map[string]any{{"action": "mark_answer", "comment_id": answer}, {"action": "close", "reason": "resolved"}} {
		arguments["discussion_number"] = d.number
		if err := d.a.act(ctx, "ends the discussion", "manage_discussion", arguments, &state); err != nil {
			return err
		}
	}
	if state.State != "CLOSED" || state.AnswerID != answer {
		return fmt.Errorf("the discussion should be closed and answered, and is %+v", state)
	}
	d.story.say("The end    A marks B's last remark as the answer and closes the discussion as resolved")
	for _, reader := range []func(context.Context) error{d.a.catchUp, d.b.catchUp, d.readWhole} {
		if err := reader(ctx); err != nil {
			return err
		}
	}
	return nil
}

// judge holds what each has read against what GitHub has.
func (d *ideation) judge(ctx context.Context) error {
	truth, err := d.truth(ctx, d.number)
	if err != nil {
		return err
	}
	d.story.chapter("Who has read what, held against the %s that GitHub has at the end", count(len(truth), "text", "texts"))
	d.story.readerHeads()
	readers := []DemoReader{
		d.a.audit("what is new", truth), d.b.audit("what is new", truth), d.c.audit("what it is handed", truth), d.w.audit("all, in every round", truth),
	}
	for _, reader := range readers {
		d.story.reader(reader)
		if reader.Agent != d.w.name {
			err = errors.Join(err, reader.fault())
		}
	}
	b, w := readers[1], readers[3]
	job := fmt.Sprintf("following %d rounds", ideationRounds)
	d.report.Comparison = []DemoTotal{{job, "B reads what is new", b.DemoCost}, {job, "W reads it whole every time", w.DemoCost}}
	d.story.say("B follows the same discussion as W for %s times fewer tokens.", times(w.Tokens, b.Tokens))
	return err
}

// follower is an agent that reads what is new since its watermark.
type follower struct {
	*agent
	number    int
	watermark string            // "" before its first read
	known     []discussionPost  // what it has read, without the texts
	edits     map[string]string // when each edited text was last edited, as it has read it
}

// follow makes a follower of an agent, from a discussion's first text on.
func follow(a *agent, number int) *follower {
	a.memory.all = true
	return &follower{agent: a, number: number, edits: map[string]string{}}
}

// catchUp reads what is new, and the new text of what was edited. When the
// text it would read on from is gone, it goes on from the one before that; so
// it keeps the ids of what it has read, and nothing more.
func (f *follower) catchUp(ctx context.Context) error {
	got, err := f.read(ctx, "reads what is new", f.arguments())
	for err == nil && !got.first.Found {
		if len(f.known) < 2 {
			return fmt.Errorf("agent %s has nothing left to read on from", f.name)
		}
		f.known = f.known[:len(f.known)-1]
		f.watermark = f.known[len(f.known)-1].ID
		got, err = f.read(ctx, "reads on from an older text", f.arguments())
	}
	if err != nil {
		return err
	}
	f.learn(got)
	return f.fetchEdits(ctx, got.edited)
}

func (f *follower) arguments() map[string]any {
	arguments := map[string]any{"discussion_number": f.number}
	if f.watermark != "" {
		arguments["since_comment_id"] = f.watermark
	}
	return arguments
}

func (f *follower) learn(got reading) {
	if got.watermark != "" {
		f.watermark = got.watermark
	}
	for _, text := range got.texts[1:] { // the first is the discussion's own
		f.known = append(f.known, discussionPost{ID: text.ID, CreatedAt: text.CreatedAt})
		f.edits[text.ID] = text.LastEditedAt
	}
	slices.SortStableFunc(f.known, func(a, b discussionPost) int { return strings.Compare(a.CreatedAt, b.CreatedAt) })
}

// fetchEdits reads the texts that somebody else has edited since f read them.
func (f *follower) fetchEdits(ctx context.Context, edited map[string]string) error {
	for id, at := range edited {
		if f.memory.own[id] || f.edits[id] == at {
			continue
		}
		if _, err := f.read(ctx, "reads a text that was edited", map[string]any{"discussion_number": f.number, "comment_id": id}); err != nil {
			return err
		}
		f.edits[id] = at
	}
	return nil
}
