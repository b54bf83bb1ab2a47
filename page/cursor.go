package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

const (
	cursorVersion = 1
	sealBytes     = 8
	maxCursor     = 4096 // longer ones are not ours
)

// Binding is what a cursor belongs to: the tool, the repository, the thread,
// the selector and the filters of the call. A cursor opens only under the
// binding that sealed it.
type Binding string

// Bind makes a Binding of the parts that have to stay the same between the
// calls.
func Bind(tool string, parts ...string) Binding {
	encoded, _ := json.Marshal(append([]string{tool}, parts...)) // strings always encode
	return Binding(encoded)
}

// Seal packs a position into an opaque cursor. The position has to be a value
// that encodes to JSON.
//
// The seal is a checksum, not a secret: a cursor grants nothing that the call
// without it would not, and every replica has to be able to open it.
func (b Binding) Seal(position any) string {
	payload, err := json.Marshal(position)
	if err != nil {
		panic("page: a cursor position does not encode: " + err.Error()) // a defect of the caller's type, never data
	}
	raw := append([]byte{cursorVersion}, b.seal(payload)...)
	return base64.RawURLEncoding.EncodeToString(append(raw, payload...))
}

// Open unpacks a cursor into position. An altered cursor, one of another call
// or one of another version is INVALID_ARGUMENTS.
func (b Binding) Open(cursor string, position any) error {
	refused := fault.New(fault.InvalidArguments, "cursor does not belong to this call").
		WithFix("Pass the arguments of the earlier answer's next as they are, or start again without cursor.").
		With("argument", "cursor")
	if len(cursor) > maxCursor {
		return refused
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimSpace(cursor))
	if err != nil || len(raw) < 1+sealBytes || raw[0] != cursorVersion {
		return refused.WithCause(err)
	}
	seal, payload := raw[1:1+sealBytes], raw[1+sealBytes:]
	if !bytes.Equal(seal, b.seal(payload)) {
		return refused
	}
	if err := json.Unmarshal(payload, position); err != nil {
		return refused.WithCause(err)
	}
	return nil
}

func (b Binding) seal(payload []byte) []byte {
	sum := sha256.New()
	sum.Write([]byte(b))
	sum.Write([]byte{0, cursorVersion})
	sum.Write(payload)
	return sum.Sum(nil)[:sealBytes]
}
