package thread

// Position is where a reading goes on: the part of a cursor that this package
// understands. The zero Position is the start.
type Position struct {
	Upstream string `json:"u,omitempty"` // the upstream cursor to start from

	Fitted int    `json:"z,omitempty"` // comments that fitted into the page before
	Root   bool   `json:"b,omitempty"` // the thread's own body is not delivered yet
	Parent string `json:"p,omitempty"` // the comment whose replies were delivered in part
	From   *Mark  `json:"f,omitempty"` // the item to start with, where it is not the first there
	Offset int    `json:"o,omitempty"` // bytes of that item's body that were delivered

	// For last_n: what is left of the window that starts at Upstream.
	Oldest    string `json:"oi,omitempty"` // the comment at Upstream
	Dropped   int    `json:"d,omitempty"`  // comments of the window not delivered yet
	Remaining int    `json:"r,omitempty"`  // comments asked for before the window

	// For since_comment_id.
	Anchor      *Mark  `json:"a,omitempty"`  // after which to read
	Top         string `json:"at,omitempty"` // the top-level comment of the anchor
	Last        *Key   `json:"l,omitempty"`  // the last place delivered
	OlderBefore string `json:"ob,omitempty"` // the cursor of the last comment that is not new
	OlderLast   string `json:"ol,omitempty"` // and its id
	Scan        bool   `json:"s,omitempty"`  // only go on looking for new replies

	Seen   *Mark `json:"w,omitempty"` // the watermark so far
	Newest *Mark `json:"n,omitempty"` // the newest in the thread when the reading began
}

func (p *Position) isStart() bool { return *p == Position{} }

// at is the position with the reading going on inside parent, from reply on.
func (p Position) inside(parent string, reply Mark) Position {
	p.Parent, p.From, p.Offset = parent, &reply, 0
	return p
}
