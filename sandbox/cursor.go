package sandbox

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// sortKey is a thing's place in a connection; its cursor is the key itself, so
// that it stays valid whatever is added or deleted around it.
type sortKey struct {
	text string
	id   int64
}

func timeKey(at time.Time, id int64) sortKey {
	return sortKey{text: at.UTC().Format(time.RFC3339), id: id}
}

func (k sortKey) compare(other sortKey) int {
	return cmp.Or(strings.Compare(k.text, other.text), cmp.Compare(k.id, other.id))
}

const cursorHead = "cursor:v2:"

// cursor is the key in GitHub's form: base64 of a head and msgpack
// [text, id].
func (k sortKey) cursor() string {
	packed := []byte{0x92}
	if len(k.text) < 32 {
		packed = append(packed, 0xa0|byte(len(k.text)))
	} else {
		packed = append(packed, 0xd9, byte(len(k.text)))
	}
	packed = appendInteger(append(packed, k.text...), k.id)
	return base64.StdEncoding.EncodeToString(append([]byte(cursorHead), packed...))
}

func parseCursor(cursor string) (sortKey, error) {
	invalid := &apiError{kind: "INVALID_CURSOR_ARGUMENTS", message: fmt.Sprintf("`%s` does not appear to be a valid cursor.", cursor)}
	plain, err := base64.StdEncoding.DecodeString(cursor)
	packed, found := strings.CutPrefix(string(plain), cursorHead)
	if err != nil || !found || len(packed) < 2 || packed[0] != 0x92 {
		return sortKey{}, invalid
	}
	size, rest := 0, ""
	switch {
	case packed[1]&0xe0 == 0xa0:
		size, rest = int(packed[1]&0x1f), packed[2:]
	case packed[1] == 0xd9 && len(packed) > 2:
		size, rest = int(packed[2]), packed[3:]
	}
	if len(rest) < size {
		return sortKey{}, invalid
	}
	id, tail, ok := readInteger([]byte(rest[size:]))
	if !ok || len(tail) > 0 {
		return sortKey{}, invalid
	}
	return sortKey{text: rest[:size], id: id}, nil
}

// pageArgs are the arguments that every connection has.
type pageArgs struct {
	First, Last   *int32
	After, Before *string
}

// maxPage is GitHub's bound for first and last.
const maxPage = 100

// check applies GitHub's rules for the size of a page. A connection that is
// only asked for its count needs none.
func (a pageArgs) check(connection string, selectsItems bool) error {
	if a.First != nil && a.Last != nil {
		return &apiError{kind: "INVALID_PAGINATION_BOUNDARIES", message: fmt.Sprintf("Passing both `first` and `last` to paginate the `%s` connection is not supported.", connection)}
	}
	if a.First == nil && a.Last == nil && selectsItems {
		return &apiError{kind: "MISSING_PAGINATION_BOUNDARIES", message: fmt.Sprintf("You must provide a `first` or `last` value to properly paginate the `%s` connection.", connection)}
	}
	for name, size := range map[string]*int32{"first": a.First, "last": a.Last} {
		if size != nil && *size > maxPage {
			return &apiError{kind: "EXCESSIVE_PAGINATION", message: fmt.Sprintf("Requesting %d records on the `%s` connection exceeds the `%s` limit of %d records.", *size, connection, name, maxPage)}
		}
		if size != nil && *size < 0 {
			return &apiError{kind: "INVALID_PAGINATION_BOUNDARIES", message: fmt.Sprintf("`%s` on the `%s` connection cannot be less than zero.", name, connection)}
		}
	}
	return nil
}

// window is the part [from, to) of n sorted things.
type window struct{ from, to, total int }

// window finds the page; compare orders the thing at a position against a
// key, in the order of the connection.
func (a pageArgs) window(total int, compare func(position int, key sortKey) int) (window, error) {
	w := window{to: total, total: total}
	if a.After != nil && *a.After != "" {
		key, err := parseCursor(*a.After)
		if err != nil {
			return w, err
		}
		w.from = sort.Search(total, func(i int) bool { return compare(i, key) > 0 })
	}
	if a.Before != nil && *a.Before != "" {
		key, err := parseCursor(*a.Before)
		if err != nil {
			return w, err
		}
		w.to = max(w.from, sort.Search(total, func(i int) bool { return compare(i, key) >= 0 }))
	}
	return w.cut(a), nil
}

func (w window) cut(a pageArgs) window {
	switch {
	case a.First != nil:
		w.to = min(w.to, w.from+int(*a.First))
	case a.Last != nil:
		w.from = max(w.from, w.to-int(*a.Last))
	default:
		w.to = w.from
	}
	return w
}

// searchCursor is GitHub's cursor on search results: a plain offset.
func searchCursor(offset int) string {
	return base64.StdEncoding.EncodeToString([]byte("cursor:" + strconv.Itoa(offset)))
}

func parseSearchCursor(cursor string) (int, error) {
	plain, err := base64.StdEncoding.DecodeString(cursor)
	digits, found := strings.CutPrefix(string(plain), "cursor:")
	offset, notNumber := strconv.Atoi(digits)
	if err != nil || !found || notNumber != nil || offset < 1 {
		return 0, &apiError{kind: "INVALID_CURSOR_ARGUMENTS", message: fmt.Sprintf("`%s` does not appear to be a valid cursor.", cursor)}
	}
	return offset, nil
}
