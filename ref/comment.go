package ref

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// CommentType is the GraphQL type of a comment.
type CommentType string

// The types of comments.
const (
	DiscussionComment        CommentType = "DiscussionComment"
	IssueComment             CommentType = "IssueComment" // on issues and on pull requests
	PullRequestReview        CommentType = "PullRequestReview"
	PullRequestReviewComment CommentType = "PullRequestReviewComment" // inline, on a diff
)

// anchors are the fragments GitHub gives comments on the web, before the number.
var anchors = map[CommentType]string{
	DiscussionComment:        "discussioncomment-",
	IssueComment:             "issuecomment-",
	PullRequestReview:        "pullrequestreview-",
	PullRequestReviewComment: "discussion_r",
}

// Comment is what one spelling says about the comment it names; a zero field
// means that the spelling does not say. A bare number says only DatabaseID,
// which several types may share.
type Comment struct {
	Value      string      // the spelling, without blanks around it
	NodeID     string      // as spelled: current or legacy
	Type       CommentType // of a node id or an anchor
	DatabaseID int64       // 0 for a node id that does not show it
	Thread     *Thread     // of a URL
}

// String is the shortest spelling of the same comment that needs no context:
// its node id, else its anchor, else its number.
func (c Comment) String() string {
	if c.NodeID != "" {
		return c.NodeID
	}
	return anchors[c.Type] + strconv.FormatInt(c.DatabaseID, 10)
}

// Same reports whether both certainly name one comment: type and database id
// agree, or, where one of them does not show them, the node ids do. A current
// and a legacy id of one comment are the same; a bare number is the same only
// as another bare number until the caller gives it a type.
func (c Comment) Same(other Comment) bool {
	if c.DatabaseID != 0 && other.DatabaseID != 0 {
		return c.DatabaseID == other.DatabaseID && c.Type == other.Type
	}
	return c.NodeID != "" && c.NodeID == other.NodeID
}

// commentForms is what ParseComment takes, for the caller who missed it.
const commentForms = `Give the comment as one of: its node id as returned in "id" or "commentId" (DC_…, IC_…, PRR_…, PRRC_…, or a legacy base64 id); ` +
	`its number (5301580683); its anchor (discussioncomment-N, issuecomment-N, discussion_rN, pullrequestreview-N); or its full URL with that anchor.`

// ParseComment reads any spelling of a comment: a number, an anchor, a URL with
// an anchor, or a node id of either generation. Blanks around it do not count.
// Anything else fails with MALFORMED_COMMENT_ID, which names the field, quotes
// the value and lists the forms.
func (w Web) ParseComment(field, value string) (Comment, error) {
	trimmed := strings.TrimSpace(value)
	comment, err := w.parseComment(trimmed)
	if err != nil {
		return Comment{}, fault.New(fault.MalformedCommentID, "%s: %s is not a comment id: %v", field, quote(value, 80), err).
			WithFix("%s", commentForms)
	}
	comment.Value = trimmed
	return comment, nil
}

func (w Web) parseComment(value string) (Comment, error) {
	if value == "" {
		return Comment{}, errors.New("it is empty")
	}
	if isURL(value) {
		return w.parseCommentURL(value)
	}
	if n, ok := number(value, 64); ok {
		return Comment{DatabaseID: n}, nil
	}
	if kind, n, ok := parseAnchor(strings.TrimPrefix(value, "#")); ok {
		return Comment{Type: kind, DatabaseID: n}, nil
	}
	return parseCommentNodeID(value)
}

// parseAnchor reads a fragment, in any letter case.
func parseAnchor(fragment string) (CommentType, int64, bool) {
	fragment = strings.ToLower(fragment)
	for kind, prefix := range anchors {
		if digits, ok := strings.CutPrefix(fragment, prefix); ok {
			n, ok := number(digits, 64)
			return kind, n, ok
		}
	}
	return "", 0, false
}

// parseDiffAnchor reads the short anchor of the diff view, as in #r12.
func parseDiffAnchor(fragment string) (CommentType, int64, bool) {
	digits, found := strings.CutPrefix(strings.ToLower(fragment), "r")
	n, ok := number(digits, 64)
	return PullRequestReviewComment, n, found && ok
}

func (w Web) parseCommentURL(value string) (Comment, error) {
	thread, fragment, err := w.parseURL(value)
	if err != nil {
		return Comment{}, err
	}
	if fragment == "" {
		return Comment{}, fmt.Errorf("the URL is that of %s and has no #anchor of a comment", thread.Kind.words())
	}
	kind, n, ok := parseAnchor(fragment)
	if !ok && thread.Kind == PullRequest {
		kind, n, ok = parseDiffAnchor(fragment)
	}
	if !ok {
		return Comment{}, errors.New("the URL's #anchor is not that of a comment")
	}
	if !kind.livesIn(thread.Kind) {
		return Comment{}, fmt.Errorf("the anchor %s does not occur under the URL of %s", anchors[kind]+"N", thread.Kind.words())
	}
	return Comment{Type: kind, DatabaseID: n, Thread: &thread}, nil
}

// livesIn reports whether a thread's page can hold such a comment.
func (t CommentType) livesIn(kind Kind) bool {
	switch kind {
	case Discussion:
		return t == DiscussionComment
	case Issue:
		return t == IssueComment
	default:
		return t != DiscussionComment
	}
}

// words is the kind for a message, with its article.
func (k Kind) words() string {
	switch k {
	case Discussion:
		return "a discussion"
	case Issue:
		return "an issue"
	default:
		return "a pull request"
	}
}

// parseCommentNodeID takes the ids of comments only. One that looks like a
// comment's id but shows no number is still GitHub's to judge: the encoding is
// not documented and may change.
func parseCommentNodeID(value string) (Comment, error) {
	id, decoded := DecodeNodeID(value)
	if !decoded {
		prefix, _, ok := splitNodeID(value)
		if !ok {
			return Comment{}, errors.New("no known form")
		}
		id = NodeID{Type: prefix}
	}
	kind := CommentType(id.TypeName())
	if _, ok := anchors[kind]; !ok {
		return Comment{}, notAComment(id)
	}
	return Comment{NodeID: value, Type: kind, DatabaseID: id.DatabaseID}, nil
}

func notAComment(id NodeID) error {
	if name := id.TypeName(); name != "" {
		return fmt.Errorf("it is a node id of type %s", name)
	}
	return fmt.Errorf("%s is not the prefix of a comment's node id", id.Type)
}
