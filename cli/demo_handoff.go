package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

const (
	handoffDiscussion = 4 // 250 comments
	handoffCycles     = 5 // the first of which reads it whole
)

// What the agents write, at the length at which agents do.
const (
	proposal = `Proposal: a reader keeps one id between two cycles, that of the newest text it has seen.

Whatever it read before may leave its context. In the next cycle it asks for what came after that id, and gets the later
comments and the late replies under older ones. Nothing has to be compared with what it read earlier, and it does not
matter whether it was away for one cycle or for twenty.`
	finding = `Cycle %d: I have tried the proposal on the long thread.

The one id was enough, and the price of a read no longer depends on how long the thread is. What still takes a second
request is a late reply under an old comment, because its text is not among the newest five. I would leave that as it is
and write the bound down where the readers of the tool will see it.`
	question = `Cycle %d, a question before we agree. What happens when the comment with that id is edited, or deleted?

For the first I expect the read to name it, so that the reader can fetch the new text alone. For the second I would keep
the last few ids instead of only one, and go on from the newest that is still there.`
	lateReply = `This is answered further down, by the proposal to keep one id. I mention it here for those who come by
this comment first: the watermark covers replies, too, so nobody has to visit old comments to see whether somebody has
written below them.`
)

// handoff is the scenario in which A writes, B reads what A hands on, and A
// then reads what is new, cycle after cycle. Beside them W does what A does,
// but without choosing: it reads the whole discussion in every cycle.
type handoff struct {
	*stage
	a, b, w   *agent
	whole     reading  // A's first
	watermark string   // A's
	unread    []string // what A has to find in its next read, in any order
	one       DemoCost // B's read of one comment
	oneWhole  DemoCost // the same by reading everything
	news      DemoCost // A's last read
	newsWhole DemoCost // W's last read
}

func playHandoff(ctx context.Context, s *stage) error {
	h := &handoff{stage: s}
	s.cycle = 1
	s.story.title("Two agents, one long discussion, one hand-off",
		"On an embedded GitHub: no account, no network. Figures are measured while you look; ~ is estimated.")
	for _, scene := range []func(context.Context) error{h.showTools, h.readWhole, h.handOn, h.laterCycles} {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	return h.compare(ctx)
}

func (h *handoff) showTools(ctx context.Context) (err error) {
	h.story.chapter("The tools, and what they cost before anything is called")
	if h.a, err = h.hire(ctx, "A", sandbox.WriteToken); err != nil {
		return err
	}
	compact, err := h.a.listing(ctx, "compact")
	if err != nil {
		return err
	}
	other, err := h.hire(ctx, "A", sandbox.WriteToken, "--listing", "full")
	if err != nil {
		return err
	}
	full, err := other.listing(ctx, "full")
	if err != nil {
		return err
	}
	other.leave()
	h.report.Listings = []DemoListing{compact, full}
	h.story.say("%s. To know them costs a model %s, %s tokens.",
		count(compact.Tools, "tool", "tools"), size(compact.ModelBytes), about(compact.Tokens))
	h.story.say("With every text in the list (--listing full) it is %s, %s tokens.", size(full.ModelBytes), about(full.Tokens))
	h.story.say("What the short list leaves out is one call away: get_mcp_tool_handbook.")
	return nil
}

func (h *handoff) readWhole(ctx context.Context) (err error) {
	h.whole, err = h.a.read(ctx, "reads it whole", map[string]any{"discussion_number": handoffDiscussion})
	if err != nil {
		return err
	}
	first := h.whole.first
	if len(h.whole.comments) != first.TotalCount {
		return fmt.Errorf("agent A has read %d of %d comments", len(h.whole.comments), first.TotalCount)
	}
	h.watermark = h.whole.watermark
	if h.w, err = h.hire(ctx, "W", sandbox.ReadToken); err != nil {
		return err
	}
	h.a.memory.all, h.w.memory.all = true, true
	if err := h.readEverything(ctx); err != nil {
		return err
	}
	h.oneWhole = h.newsWhole // what B would have to read
	h.report.Discussion = DemoDiscussion{Number: handoffDiscussion, Title: first.Title, URL: first.URL, Comments: first.TotalCount}
	h.story.chapter("Agent A reads discussion #%d, all of it, once", handoffDiscussion)
	h.story.say("%q, %s in %s.", first.Title, count(first.TotalCount, "comment", "comments"), count(h.whole.step.Calls, "page", "pages"))
	h.story.heads()
	h.story.row("A reads it whole", h.whole.step.DemoCost)
	return nil
}

// readEverything lets W read the whole discussion.
func (h *handoff) readEverything(ctx context.Context) error {
	got, err := h.w.read(ctx, fmt.Sprintf("cycle %d, reads it whole", h.cycle), map[string]any{"discussion_number": handoffDiscussion})
	h.newsWhole = got.step.DemoCost
	return err
}

func (h *handoff) handOn(ctx context.Context) error {
	posted, err := h.a.write(ctx, "posts a proposal", map[string]any{"discussion_number": handoffDiscussion, "body": proposal})
	if err != nil {
		return err
	}
	h.unread = append(h.unread, posted.CommentID)
	h.story.chapter("Agent A posts a comment, and gets a hand-off to pass on")
	h.story.say("It is the exact call with which anybody reads that one comment:")
	h.story.quote(posted.Handoff.Tool + "\n" + string(posted.Handoff.Arguments))
	return h.meetB(ctx, posted)
}

// meetB lets agent B read what was handed on, first by the call that A got,
// then by the link that a person would paste.
func (h *handoff) meetB(ctx context.Context, posted written) (err error) {
	if h.b, err = h.hire(ctx, "B", sandbox.TriageToken); err != nil {
		return err
	}
	h.b.memory.due[posted.CommentID] = true
	h.story.chapter("Agent B has never seen the discussion, and reads only that comment")
	h.story.heads()
	link := map[string]any{"discussion_number": handoffDiscussion, "comment_id": posted.URL}
	var got reading
	for _, way := range []struct {
		what      string
		arguments any
	}{{"reads the comment, by the hand-off", posted.Handoff.Arguments}, {"reads the comment, by a pasted link", link}} {
		if got, err = h.b.read(ctx, way.what, way.arguments); err != nil {
			return err
		}
		if !slices.Equal(got.ids(), []string{posted.CommentID}) {
			return fmt.Errorf("agent B was handed %s and has read %q", posted.CommentID, got.ids())
		}
		h.one = got.step.DemoCost
		h.story.row("B "+way.what, got.step.DemoCost)
	}
	line, _, _ := strings.Cut(got.comments[0].Body, "\n")
	h.story.say("Link: %s", h.story.styled(cyan, posted.URL))
	h.story.say("Text: %s", h.story.styled(cyan, line))
	return nil
}

func (h *handoff) laterCycles(ctx context.Context) error {
	h.story.chapter("Later, others have written. Agent A asks for what is new since the last id it has seen")
	h.story.say("Each time two more comments, and a reply under an old one. The first time its own comment, too.")
	h.story.heads()
	for h.cycle = 2; h.cycle <= handoffCycles; h.cycle++ {
		if err := h.othersWrite(ctx); err != nil {
			return err
		}
		if err := h.readNews(ctx); err != nil {
			return err
		}
		if err := h.readEverything(ctx); err != nil {
			return err
		}
	}
	return nil
}

// othersWrite lets B post two comments, and a reply under an ever older one.
func (h *handoff) othersWrite(ctx context.Context) error {
	old := h.whole.comments[len(h.whole.comments)-20*(h.cycle-1)]
	for _, arguments := range []map[string]any{
		{"body": fmt.Sprintf(finding, h.cycle)}, {"body": fmt.Sprintf(question, h.cycle)}, {"body": lateReply, "reply_to_id": old.ID},
	} {
		arguments["discussion_number"] = handoffDiscussion
		posted, err := h.b.write(ctx, fmt.Sprintf("cycle %d, writes", h.cycle), arguments)
		if err != nil {
			return err
		}
		h.unread = append(h.unread, posted.CommentID)
	}
	return nil
}

// readNews lets A read on from its watermark. It has to find all that was
// written in the meantime, its own comment too, and nothing else.
func (h *handoff) readNews(ctx context.Context) error {
	got, err := h.a.read(ctx, fmt.Sprintf("cycle %d, reads what is new", h.cycle), map[string]any{
		"discussion_number": handoffDiscussion, "since_comment_id": h.watermark,
	})
	if err != nil {
		return err
	}
	if diff := slices.Sorted(slices.Values(h.unread)); !slices.Equal(slices.Sorted(slices.Values(got.ids())), diff) {
		return fmt.Errorf("agent A should have read %q and has read %q", h.unread, got.ids())
	}
	h.watermark, h.unread = got.watermark, nil
	h.news = got.step.DemoCost
	found := count(got.step.Comments, "comment", "comments") + ", " + count(got.step.Replies, "reply", "replies")
	h.story.row(fmt.Sprintf("A, cycle %d: %s", h.cycle, found), got.step.DemoCost)
	return nil
}

// compare shows both ways side by side.
func (h *handoff) compare(ctx context.Context) error {
	truth, err := h.truth(ctx, handoffDiscussion)
	if err != nil {
		return err
	}
	a, w := h.a.audit("what is new", truth), h.w.audit("all, in every cycle", truth)
	h.b.audit("what it is handed, twice", truth)
	cycles := fmt.Sprintf("all %d cycles", handoffCycles)
	h.report.Comparison = []DemoTotal{
		{"one comment", "B reads only that", h.one}, {"one comment", "the whole discussion is read for it", h.oneWhole},
		{"one later cycle", "A reads what is new", h.news}, {"one later cycle", "the whole discussion is read again", h.newsWhole},
		{cycles, "A reads it whole once, then what is new", a.DemoCost}, {cycles, "it is read whole every time", w.DemoCost},
	}
	h.story.chapter("What that saves")
	h.story.heads()
	for pair := range slices.Chunk(h.report.Comparison, 2) {
		h.story.versus(pair[0], pair[1])
	}
	h.story.printf("\n")
	h.story.say("Of %s, A has missed %d and read %d twice. Read whole every time: %s read again.",
		count(len(truth), "text", "texts"), a.Missed, a.ReRead, grouped(w.ReRead))
	h.story.say("Go on: github-workflow-mcp demo --scenario ideation")
	return a.fault()
}
