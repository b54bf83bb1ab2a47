package thread

import "github.com/github-workflow-mcp/github-workflow-mcp/ref"

// Mode is which selector decided.
type Mode string

// The selectors, in their precedence.
const (
	ByComment Mode = "comment_id"
	BySince   Mode = "since_comment_id"
	ByLast    Mode = "last_n"
	Full      Mode = "full"
)

// Arguments are the selectors as a caller gave them. Presence decides, so ""
// is a selector too.
type Arguments struct {
	CommentID      *string
	SinceCommentID *string
	LastN          *int
}

// Selector says which part of a thread to read.
type Selector struct {
	Mode  Mode
	Ref   ref.Comment // for ByComment and BySince
	Value string      // the selector's value as the caller gave it
	LastN int         // for ByLast
}

// Select decides by the precedence comment_id > since_comment_id > last_n >
// full. An id of no known spelling is MALFORMED_COMMENT_ID.
func Select(args Arguments, web ref.Web) (Selector, error) {
	switch {
	case args.CommentID != nil:
		return selectID(ByComment, *args.CommentID, web)
	case args.SinceCommentID != nil:
		return selectID(BySince, *args.SinceCommentID, web)
	case args.LastN != nil:
		return Selector{Mode: ByLast, LastN: *args.LastN}, nil
	}
	return Selector{Mode: Full}, nil
}

func selectID(mode Mode, value string, web ref.Web) (Selector, error) {
	id, err := web.ParseComment(string(mode), value)
	return Selector{Mode: mode, Ref: id, Value: value}, err
}
