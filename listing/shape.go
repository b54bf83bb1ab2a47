package listing

import (
	"encoding/json"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

// shape is a schema without its prose. A hint stays, as the description.
// Definitions are resolved where that is shorter.
func shape(schema *contract.Object) json.RawMessage {
	bare := contract.Rewrite(schema, func(node *contract.Object) *contract.Object {
		kept := node.Without(isProse)
		if hint, _ := node.Get("x-hint").(string); hint != "" {
			kept.Set("description", hint)
		}
		return kept
	})
	raw, _ := inlined(bare).MarshalJSON() // a schema that loaded has nothing that JSON cannot say
	return raw
}

// isProse tells the keywords that explain from those that decide. It is asked
// about keywords of a schema only, never about names of properties.
func isProse(keyword string) bool {
	switch keyword {
	case "description", "title", "$comment":
		return true
	default:
		return strings.HasPrefix(keyword, "x-")
	}
}
