package page

import (
	"bytes"
	"encoding/json"
	"sort"
	"unicode/utf8"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Bounded is an answer of items in reading order that can be cut after any of
// them.
type Bounded interface {
	// Items is how many items the answer holds.
	Items() int
	// Keep is a copy with the first n items only, 0 ≤ n ≤ Items(), its head,
	// cursor and watermark as they have to be for those.
	Keep(n int) any
	// Slice is a copy with the first item only and of its body at most n bytes
	// more than was delivered before, cut between characters. It is nil when
	// that would bring nothing new.
	Slice(n int) any
}

// Fit encodes an answer to at most max bytes of compact JSON. Whole items are
// dropped from the end of the reading order; a first item that is too large
// alone comes in slices. finish is called on every candidate before it is
// encoded, for what depends on the items that stayed.
//
// An answer that cannot be cut small enough is TOO_LARGE.
func Fit(answer any, max int, finish func(any)) ([]byte, error) {
	bounded, ok := answer.(Bounded)
	if !ok {
		return fitWhole(answer, max, finish)
	}
	try := func(candidate any) ([]byte, error) {
		finish(candidate)
		return Encode(candidate)
	}
	best, err := try(bounded.Keep(bounded.Items()))
	if err != nil || len(best) <= max {
		return best, err
	}
	best, err = largest(bounded.Items(), max, func(n int) ([]byte, error) { return try(bounded.Keep(n)) })
	if err != nil || best != nil {
		return best, err
	}
	best, err = largest(max, max, func(n int) ([]byte, error) {
		if slice := bounded.Slice(n); slice != nil {
			return try(slice)
		}
		return []byte{}, nil
	})
	if err == nil && len(best) == 0 {
		return nil, tooLarge(max)
	}
	return best, err
}

// largest is the encoding for the largest 1 ≤ n ≤ limit that stays within max
// bytes, nil when none does.
func largest(limit, max int, encode func(n int) ([]byte, error)) (best []byte, err error) {
	over := sort.Search(limit, func(i int) bool {
		data, fail := encode(i + 1)
		if fail != nil {
			err = fail
			return true
		}
		if len(data) > max {
			return true
		}
		best = data
		return false
	})
	if err != nil || over == 0 {
		return nil, err
	}
	return best, nil
}

func fitWhole(answer any, max int, finish func(any)) ([]byte, error) {
	finish(answer)
	data, err := Encode(answer)
	if err == nil && len(data) > max {
		return nil, tooLarge(max)
	}
	return data, err
}

func tooLarge(max int) error {
	return fault.New(fault.TooLarge, "the answer does not fit into %d bytes", max).
		WithFix("Ask for less, or start the server with a larger --max-result-bytes.")
}

// Encode is compact JSON with <, > and & as they are.
func Encode(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// CutText is the longest start of text that has at most n bytes and ends
// between characters.
func CutText(text string, n int) string {
	if n >= len(text) {
		return text
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
