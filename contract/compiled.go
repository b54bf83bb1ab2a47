package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Compile packs a contract for a fast start, as JSON beside the hash of the
// text it was made from. A contract with a problem is not compiled.
func Compile(yaml []byte) ([]byte, error) {
	if _, err := Load(yaml); err != nil {
		return nil, err
	}
	document, err := parseYAML(yaml)
	if err != nil {
		return nil, err
	}
	compiled := &Object{}
	compiled.Set("source", sourceHash(yaml))
	compiled.Set("document", document)
	return compiled.MarshalJSON()
}

// LoadCompiled is Load, several times as fast when compiled was made by
// Compile from exactly this text: reading YAML and checking that it is OpenAPI
// takes longer than everything else at the start of a process. A compiled
// copy of another text is not used, so a stale one costs time and nothing else.
func LoadCompiled(yaml, compiled []byte) (*Contract, error) {
	packed, err := ParseObject(compiled)
	if err != nil || packed.text("source") != sourceHash(yaml) {
		return Load(yaml)
	}
	contract, err := build(packed.object("document"))
	if err != nil {
		return nil, fmt.Errorf("contract:\n%w", err)
	}
	return contract, nil
}

// Fresh reports whether compiled was made from this text.
func Fresh(yaml, compiled []byte) bool {
	packed, err := ParseObject(compiled)
	return err == nil && packed.text("source") == sourceHash(yaml)
}

func sourceHash(yaml []byte) string {
	sum := sha256.Sum256(yaml)
	return hex.EncodeToString(sum[:])
}
