package sandbox

import (
	"context"
	"slices"
	"strings"

	graphql "github.com/graph-gophers/graphql-go"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

// spot is where a remark stands in the diff.
type spot struct {
	path        string
	line, start int // 0: the whole file
	side        string
	startSide   string
	wholeFile   bool
}

// draftThread is GitHub's DraftPullRequestReviewThread.
type draftThread struct {
	Body, Path      string
	Line            int32
	Side, StartSide string
	StartLine       *int32
}

func (d draftThread) spot() spot {
	return newSpot(d.Path, int(d.Line), d.StartLine, d.Side, d.StartSide)
}

func newSpot(path string, line int, start *int32, side, startSide string) spot {
	at := spot{path: path, line: line, side: side}
	if start != nil {
		at.start, at.startSide = int(*start), startSide
	}
	return at
}

// draftComment is GitHub's DraftPullRequestReviewComment: a line is counted
// from the top of the file's diff.
type draftComment struct {
	Body, Path string
	Position   int32
}

// check finds the hunk a spot is in, and refuses what is not in the diff.
func (p *pull) check(at spot) (hunk string, err error) {
	for _, f := range p.files() {
		if f.Path != at.path {
			continue
		}
		if at.wholeFile {
			return "", nil
		}
		if at.start != 0 && at.start >= at.line {
			return "", unprocessable("Start line must precede the end line.")
		}
		hunk, found := hunkOf(f, at.line, at.side)
		if !found {
			return "", unprocessable("Line could not be resolved")
		}
		if _, found := hunkOf(f, at.start, at.startSide); at.start != 0 && !found {
			return "", unprocessable("Start line could not be resolved")
		}
		return hunk, nil
	}
	return "", unprocessable("Path could not be resolved")
}

// hunkOf is the hunk of a file down to a line of one side.
func hunkOf(f *fixtures.File, line int, side string) (hunk string, found bool) {
	var rows []string
	left, right := 0, 0
	for row := range strings.SplitSeq(f.Patch(), "\n") {
		if strings.HasPrefix(row, "@@ ") {
			left, right = hunkStart(row)
			rows = []string{row}
			continue
		}
		rows = append(rows, row)
		if onSide(row, side) && line == map[bool]int{true: left, false: right}[side == "LEFT"] {
			return strings.Join(rows, "\n"), true
		}
		if onSide(row, "LEFT") {
			left++
		}
		if onSide(row, "RIGHT") {
			right++
		}
	}
	return "", false
}

// onSide reports whether a row of a hunk is a line of the old or new file.
func onSide(row, side string) bool {
	switch {
	case strings.HasPrefix(row, "+"):
		return side != "LEFT"
	case strings.HasPrefix(row, "-"):
		return side == "LEFT"
	}
	return strings.HasPrefix(row, " ")
}

// hunkStart reads "@@ -left,n +right,n @@".
func hunkStart(row string) (left, right int) {
	for n, word := range strings.Fields(row)[1:3] {
		digits, _, _ := strings.Cut(word[1:], ",")
		number, err := atoi(digits)
		if err == nil && n == 0 {
			left = number
		} else if err == nil {
			right = number
		}
	}
	return left, right
}

// reviewStates are what the events make of a review.
var reviewStates = map[string]string{"APPROVE": "APPROVED", "COMMENT": "COMMENTED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}

// checkEvent refuses what GitHub refuses of a review that is sent.
func (s *session) checkEvent(i *issue, event, body string, remarks int) error {
	switch {
	case reviewStates[event] == "":
		return unprocessable("Event is not valid for a review that is submitted")
	case event == "APPROVE" && s.wrote(&i.post):
		return unprocessable("Can not approve your own pull request")
	case event == "REQUEST_CHANGES" && s.wrote(&i.post):
		return unprocessable("Can not request changes on your own pull request")
	case event == "REQUEST_CHANGES" && strings.TrimSpace(body) == "":
		return unprocessable("Body can't be blank")
	case event == "COMMENT" && strings.TrimSpace(body) == "" && remarks == 0:
		return unprocessable("Body can't be blank")
	}
	return checkLength(body)
}

// addReviewInput is GitHub's AddPullRequestReviewInput.
type addReviewInput struct {
	PullRequestID                 graphql.ID
	Body, Event, ClientMutationID *string
	CommitOID                     *objectID
	Comments                      *[]*draftComment
	Threads                       *[]*draftThread
}

func (*root) AddPullRequestReview(ctx context.Context, args struct{ Input addReviewInput }) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	i, err := s.findPull(in.PullRequestID)
	if err != nil {
		return nil, err
	}
	p := i.pull.conversation(s.store)
	if err := s.mayReview(p, in); err != nil {
		return nil, err
	}
	drafts, err := p.drafts(in)
	if err != nil {
		return nil, err
	}
	x := s.newReview(p, valueOf(in.Body))
	if at := slices.IndexFunc(p.commits, func(c *commit) bool { return in.CommitOID != nil && c.oid == string(*in.CommitOID) }); at >= 0 {
		x.commit = p.commits[at]
	}
	for _, d := range drafts {
		s.beginThread(x, d)
	}
	if in.Event != nil {
		s.submit(x, *in.Event)
	}
	return s.reviewPayload(in.ClientMutationID, x), nil
}

func (s *session) reviewPayload(clientMutationID *string, x *review) *payload {
	resolver := s.review(x)
	return &payload{
		ClientMutationID: clientMutationID, PullRequestReview: resolver,
		ReviewEdge: &edge[*reviewResolver]{Cursor: x.key().cursor(), Node: resolver},
	}
}

func (s *session) mayReview(p *pull, in addReviewInput) error {
	switch {
	case !s.mayComment(&p.issue.topic):
		return s.forbidden("AddPullRequestReview")
	case s.ownPending(p) != nil:
		return unprocessable("User can only have one pending review per pull request")
	case in.Event != nil:
		return s.checkEvent(p.issue, *in.Event, valueOf(in.Body), len(listOf(in.Threads))+len(listOf(in.Comments)))
	}
	return checkLength(valueOf(in.Body))
}

// ownPending is the viewer's pending review; nil when there is none.
func (s *session) ownPending(p *pull) *review {
	for _, x := range p.reviews {
		if x.pending() && s.wrote(&x.post) {
			return x
		}
	}
	return nil
}

// draft is a remark that begins a thread.
type draft struct {
	spot
	body, hunk string
}

// drafts checks all the remarks of a new review before any is made.
func (p *pull) drafts(in addReviewInput) (drafts []draft, err error) {
	for _, t := range listOf(in.Threads) {
		if t != nil {
			drafts = append(drafts, draft{spot: t.spot(), body: t.Body})
		}
	}
	for _, c := range listOf(in.Comments) {
		if c != nil {
			drafts = append(drafts, draft{spot: p.spotAt(c.Path, int(c.Position)), body: c.Body})
		}
	}
	for n := range drafts {
		if err := checkBody(drafts[n].body); err != nil {
			return nil, err
		}
		if drafts[n].hunk, err = p.check(drafts[n].spot); err != nil {
			return nil, err
		}
	}
	return drafts, nil
}

// spotAt is the line at a position, which counts rows from the first hunk on.
func (p *pull) spotAt(path string, position int) spot {
	at := spot{path: path, side: "RIGHT"}
	for _, f := range p.files() {
		rows := strings.Split(f.Patch(), "\n")
		if f.Path != path || position < 1 || position >= len(rows) {
			continue
		}
		left, right := 0, 0
		for n, row := range rows[:position+1] {
			if strings.HasPrefix(row, "@@ ") {
				left, right = hunkStart(row)
				continue
			}
			if n == position && onSide(row, "RIGHT") {
				at.line = right
			} else if n == position {
				at.line, at.side = left, "LEFT"
			}
			if onSide(row, "LEFT") {
				left++
			}
			if onSide(row, "RIGHT") {
				right++
			}
		}
	}
	return at
}

// newReview is a pending review by the viewer, now.
func (s *session) newReview(p *pull, body string) *review {
	x := &review{pull: p, state: "PENDING", commit: p.last()}
	x.post = s.newPost(p.issue.repository, x, body)
	p.reviews = append(p.reviews, x)
	return x
}

func (s *session) beginThread(x *review, d draft) *reviewThread {
	t := &reviewThread{
		pull: x.pull, path: d.path, line: d.line, start: d.start, side: d.side, startSide: d.startSide, original: d.line,
		wholeFile: d.wholeFile, hunk: d.hunk,
	}
	s.addRemark(x, t, d.body)
	t.id = t.remarks[0].id
	x.pull.threads = append(x.pull.threads, t)
	return t
}

func (s *session) addRemark(x *review, t *reviewThread, body string) *remark {
	made := &remark{thread: t, review: x}
	made.post = s.newPost(x.repository, made, body)
	t.remarks, x.remarks = append(t.remarks, made), append(x.remarks, made)
	return made
}

// submit sends a review: from now on everybody sees it.
func (s *session) submit(x *review, event string) {
	x.state, x.submitted = reviewStates[event], s.store.now()
	x.updated, x.pull.issue.updated = x.submitted, x.submitted
	x.pull.requested = slices.DeleteFunc(x.pull.requested, func(request *reviewRequest) bool { return request.user == s.viewer })
}

func (*root) UpdatePullRequestReview(ctx context.Context, args struct {
	Input struct {
		PullRequestReviewID graphql.ID
		Body                string
		ClientMutationID    *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	x, err := findAs[*review](s, args.Input.PullRequestReviewID)
	if err != nil {
		return nil, err
	}
	if !s.mayEdit(&x.pull.issue.topic, &x.post) {
		return nil, s.forbidden("UpdatePullRequestReview")
	}
	if err := checkBody(args.Input.Body); err != nil {
		return nil, err
	}
	s.edit(&x.post, args.Input.Body)
	return s.reviewPayload(args.Input.ClientMutationID, x), nil
}

func (*root) SubmitPullRequestReview(ctx context.Context, args struct {
	Input struct {
		PullRequestID, PullRequestReviewID *graphql.ID
		Event                              string
		Body, ClientMutationID             *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	x, err := s.pendingNamed(in.PullRequestID, in.PullRequestReviewID)
	if err != nil {
		return nil, err
	}
	body := x.body
	if in.Body != nil {
		body = *in.Body
	}
	if err := s.checkEvent(x.pull.issue, in.Event, body, len(x.remarks)); err != nil {
		return nil, err
	}
	x.body = body
	s.submit(x, in.Event)
	return s.reviewPayload(in.ClientMutationID, x), nil
}

// pendingNamed is the viewer's pending review, by its own id or by the pull
// request's.
func (s *session) pendingNamed(pullID, reviewID *graphql.ID) (*review, error) {
	if reviewID != nil {
		x, err := findAs[*review](s, *reviewID)
		if err == nil && !x.pending() {
			return nil, unprocessable("Can not submit a review that is not pending")
		}
		return x, err
	}
	if pullID == nil {
		return nil, unprocessable("A pull request or a review is needed")
	}
	i, err := s.findPull(*pullID)
	if err != nil {
		return nil, err
	}
	if x := s.ownPending(i.pull.conversation(s.store)); x != nil {
		return x, nil
	}
	return nil, unprocessable("No pending review found for the pull request")
}

func (*root) DismissPullRequestReview(ctx context.Context, args struct {
	Input struct {
		PullRequestReviewID graphql.ID
		Message             string
		ClientMutationID    *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	x, err := findAs[*review](s, args.Input.PullRequestReviewID)
	if err != nil {
		return nil, err
	}
	switch {
	case !s.may(x.repository, permissionWrite):
		return nil, s.forbidden("DismissPullRequestReview")
	case strings.TrimSpace(args.Input.Message) == "":
		return nil, unprocessable("Message can't be blank")
	case x.state != "APPROVED" && x.state != "CHANGES_REQUESTED":
		return nil, unprocessable("Can not dismiss a %s pull request review", strings.ToLower(x.state))
	}
	x.state, x.updated = "DISMISSED", s.store.now()
	x.pull.issue.updated = x.updated
	return s.reviewPayload(args.Input.ClientMutationID, x), nil
}

func (*root) DeletePullRequestReview(ctx context.Context, args struct {
	Input struct {
		PullRequestReviewID graphql.ID
		ClientMutationID    *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	x, err := findAs[*review](s, args.Input.PullRequestReviewID)
	if err != nil {
		return nil, err
	}
	if !x.pending() {
		return nil, unprocessable("Can not delete a non-pending pull request review")
	}
	x.pull.reviews = without(x.pull.reviews, x)
	for _, gone := range slices.Clone(x.remarks) {
		gone.leave()
	}
	return s.reviewPayload(args.Input.ClientMutationID, x), nil
}

// leave takes a remark out of its review and thread; an empty thread is gone.
func (r *remark) leave() {
	t := r.thread
	t.remarks = without(t.remarks, r)
	if len(t.remarks) == 0 {
		t.pull.threads = without(t.pull.threads, t)
	}
	if r.review != nil {
		r.review.remarks = without(r.review.remarks, r)
	}
}

func (*root) DeletePullRequestReviewComment(ctx context.Context, args idInput) (*payload, error) {
	s := sessionOf(ctx)
	x, err := findAs[*remark](s, args.Input.ID)
	if err != nil {
		return nil, err
	}
	if !s.mayEdit(&x.thread.pull.issue.topic, &x.post) {
		return nil, s.forbidden("DeletePullRequestReviewComment")
	}
	x.leave()
	x.thread.pull.issue.updated = s.store.now()
	out := &payload{ClientMutationID: args.Input.ClientMutationID, PullRequestReviewComment: s.remark(x)}
	if x.review != nil {
		out.PullRequestReview = s.review(x.review)
	}
	return out, nil
}

func (*root) UpdatePullRequestReviewComment(ctx context.Context, args struct {
	Input struct {
		PullRequestReviewCommentID graphql.ID
		Body                       string
		ClientMutationID           *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	x, err := findAs[*remark](s, args.Input.PullRequestReviewCommentID)
	if err != nil {
		return nil, err
	}
	if !s.mayEdit(&x.thread.pull.issue.topic, &x.post) {
		return nil, s.forbidden("UpdatePullRequestReviewComment")
	}
	if err := checkBody(args.Input.Body); err != nil {
		return nil, err
	}
	s.edit(&x.post, args.Input.Body)
	return &payload{ClientMutationID: args.Input.ClientMutationID, PullRequestReviewComment: s.remark(x)}, nil
}

// addThreadInput is GitHub's AddPullRequestReviewThreadInput.
type addThreadInput struct {
	Body, Path                         string
	Line, StartLine                    *int32
	PullRequestID, PullRequestReviewID *graphql.ID
	Side, StartSide, SubjectType       string
	ClientMutationID                   *string
}

// AddPullRequestReviewThread adds to the viewer's pending review, and begins
// one where there is none.
func (*root) AddPullRequestReviewThread(ctx context.Context, args struct{ Input addThreadInput }) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	p, x, err := s.threadParent(in)
	if err != nil {
		return nil, err
	}
	if !s.mayComment(&p.issue.topic) {
		return nil, s.forbidden("AddPullRequestReviewThread")
	}
	d := draft{body: in.Body, spot: spot{path: in.Path, side: in.Side, wholeFile: in.SubjectType == "FILE"}}
	switch {
	case d.wholeFile:
	case in.Line == nil:
		return nil, unprocessable("Line can't be blank")
	default:
		d.spot = newSpot(in.Path, int(*in.Line), in.StartLine, in.Side, in.StartSide)
	}
	if err := checkBody(in.Body); err != nil {
		return nil, err
	}
	if d.hunk, err = p.check(d.spot); err != nil {
		return nil, err
	}
	if x == nil {
		x = s.newReview(p, "")
	}
	return &payload{ClientMutationID: in.ClientMutationID, Thread: s.reviewThread(s.beginThread(x, d))}, nil
}

// threadParent is the pull request of a new thread and the viewer's pending
// review on it, if any.
func (s *session) threadParent(in addThreadInput) (*pull, *review, error) {
	if in.PullRequestReviewID != nil {
		x, err := s.pendingNamed(nil, in.PullRequestReviewID)
		if err != nil {
			return nil, nil, err
		}
		return x.pull, x, nil
	}
	if in.PullRequestID == nil {
		return nil, nil, unprocessable("A pull request or a review is needed")
	}
	i, err := s.findPull(*in.PullRequestID)
	if err != nil {
		return nil, nil, err
	}
	p := i.pull.conversation(s.store)
	return p, s.ownPending(p), nil
}

// threadReplyPayload is apart from payload, because its comment is a remark.
type threadReplyPayload struct {
	ClientMutationID *string
	Comment          *remarkResolver
}

// AddPullRequestReviewThreadReply is seen at once, unless the viewer has a
// pending review on the pull request: that takes the reply in.
func (*root) AddPullRequestReviewThreadReply(ctx context.Context, args struct {
	Input struct {
		PullRequestReviewThreadID graphql.ID
		PullRequestReviewID       *graphql.ID
		Body                      string
		ClientMutationID          *string
	}
}) (*threadReplyPayload, error) {
	s, in := sessionOf(ctx), args.Input
	t, err := findAs[*reviewThread](s, in.PullRequestReviewThreadID)
	if err != nil {
		return nil, err
	}
	if !s.mayComment(&t.pull.issue.topic) {
		return nil, s.forbidden("AddPullRequestReviewThreadReply")
	}
	if err := checkBody(in.Body); err != nil {
		return nil, err
	}
	x := s.ownPending(t.pull)
	if in.PullRequestReviewID != nil {
		if x, err = s.pendingNamed(nil, in.PullRequestReviewID); err != nil {
			return nil, err
		}
	}
	sendAlone := x == nil
	if sendAlone {
		x = s.newReview(t.pull, "")
	}
	made := s.addRemark(x, t, in.Body)
	if sendAlone {
		x.state, x.submitted = "COMMENTED", made.created
		x.updated, t.pull.issue.updated = made.created, made.created
	}
	return &threadReplyPayload{ClientMutationID: in.ClientMutationID, Comment: s.remark(made)}, nil
}

// threadInput is the input of the two mutations that settle a thread.
type threadInput struct {
	Input struct {
		ThreadID         graphql.ID
		ClientMutationID *string
	}
}

func (*root) ResolveReviewThread(ctx context.Context, args threadInput) (*payload, error) {
	return sessionOf(ctx).settle(args, true, "ResolveReviewThread")
}

func (*root) UnresolveReviewThread(ctx context.Context, args threadInput) (*payload, error) {
	return sessionOf(ctx).settle(args, false, "UnresolveReviewThread")
}

func (s *session) settle(args threadInput, resolved bool, mutation string) (*payload, error) {
	t, err := findAs[*reviewThread](s, args.Input.ThreadID)
	if err != nil {
		return nil, err
	}
	if !s.mayResolve(t) {
		return nil, s.forbidden(mutation)
	}
	t.resolved, t.resolvedBy = resolved, nil
	if resolved {
		t.resolvedBy = s.viewer
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, Thread: s.reviewThread(t)}, nil
}
