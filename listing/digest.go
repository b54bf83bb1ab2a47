package listing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

// Digest is the fingerprint of a listing's surface, 12 hex digits over the
// names and input shapes. Order and wording do not matter, so a client that
// compares it learns whether its cached schemas still fit, and nothing else.
// It is the same for the compact and the full listing of the same tools.
func Digest(tools []Tool) string {
	surface := make(map[string]any, len(tools))
	for _, tool := range tools {
		surface[tool.Name] = accepted(tool.InputSchema)
	}
	text, _ := json.Marshal(surface) // sorts the keys, and everything in it came from JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// accepted is what of an input schema decides about values.
func accepted(schema json.RawMessage) any {
	parsed, err := contract.ParseObject(schema)
	if err != nil {
		return string(schema)
	}
	raw, _ := contract.Rewrite(parsed, func(node *contract.Object) *contract.Object {
		kept := node.Without(func(keyword string) bool { return isProse(keyword) || keyword == "examples" })
		for _, keyword := range []string{"required", "enum"} {
			if list, ok := kept.Get(keyword).([]any); ok {
				kept.Set(keyword, sorted(list))
			}
		}
		return kept
	}).MarshalJSON()
	var value any
	_ = json.Unmarshal(raw, &value) // just written as JSON
	return value
}

// sorted is a list whose order means nothing, in one order.
func sorted(list []any) []any {
	text := func(value any) string { return fmt.Sprintf("%T %v", value, value) }
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(text(a), text(b)) })
}

// Stamp is the listing with its digest at the end of the carrier's
// description, where every client has it without a call. limit is the most
// runes that description may have, 0 for no limit; the words before give way.
// A listing without the carrier comes back as it is.
func Stamp(tools []Tool, carrier string, limit int) []Tool {
	stamped := slices.Clone(tools)
	i := slices.IndexFunc(stamped, func(t Tool) bool { return t.Name == carrier })
	if i < 0 {
		return stamped
	}
	mark := "Surface " + Digest(tools) + "."
	words := strings.TrimSpace(stamped[i].Description)
	if limit > 0 {
		words = shorten(words, max(limit-utf8.RuneCountInString(mark)-2, 1))
	}
	stamped[i].Description = strings.TrimSpace(sentence(words) + " " + mark)
	return stamped
}
