// Package page holds what every list and every conversation share: the head
// of the answer, cursors that fit only the call they came from, and cutting an
// answer to the byte budget without losing an item or half a character.
package page

// Head stands first in every list and conversation.
type Head struct {
	Count      int     `json:"count"`      // items in this answer
	TotalCount *int    `json:"totalCount"` // items in all; nil when GitHub does not say
	Truncated  bool    `json:"truncated"`  // there is more
	EndCursor  *string `json:"endCursor"`  // goes on after this answer
	Next       any     `json:"next"`       // the exact arguments of the following call
}

// Continues marks the head as truncated: cursor goes on after it, and next is
// the call that does.
func (h *Head) Continues(cursor string, next any) {
	h.Truncated = true
	h.EndCursor = &cursor
	h.Next = next
}
