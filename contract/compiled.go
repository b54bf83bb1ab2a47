package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
)

// Compile packs a contract for a fast start, as two lines of JSON: an outline
// of the document, beside the hash of the text it was made from, and the
// document. A contract with a problem is not compiled.
func Compile(yaml []byte) ([]byte, error) {
	if _, err := Load(yaml); err != nil {
		return nil, err
	}
	document, err := parseYAML(yaml)
	if err != nil {
		return nil, err
	}
	first := &Object{}
	first.Set("source", sourceHash(yaml))
	first.Set("outline", outline(document))
	line, err := first.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return appendJSON(append(line, '\n'), document)
}

// outline is the document with only that of each operation which a start needs.
func outline(document *Object) *Object {
	short := document.Without(func(name string) bool { return name == "components" })
	paths := &Object{}
	for path, item := range document.object("paths").All() {
		operations := &Object{}
		item, _ := item.(*Object) // a contract that loads has objects
		for method, operation := range item.All() {
			if operation, ok := operation.(*Object); ok && slices.Contains(methods, method) {
				operations.Set(method, operation.Without(func(name string) bool { return !slices.Contains(identity, name) }))
			}
		}
		paths.Set(path, operations)
	}
	short.Set("paths", paths)
	return short
}

// identity is what an outline keeps of an operation.
var identity = []string{"operationId", "summary", "x-toolset", "x-annotations"}

// LoadCompiled is Load, many times as fast when compiled was made by Compile
// from exactly this text: reading YAML and checking that it is a contract takes
// longer than everything else at the start of a process, and even of the
// checked document only the outline is read before a tool's details are asked
// for. A compiled copy of another text is not used, so a stale one costs time
// and nothing else.
func LoadCompiled(yaml, compiled []byte) (*Contract, error) {
	outline, document, fresh := unpack(yaml, compiled)
	if !fresh {
		return Load(yaml)
	}
	contract, err := (&reader{document: outline, compiled: sync.OnceValue(document)}).build()
	if err != nil {
		return nil, fmt.Errorf("contract:\n%w", err)
	}
	return contract, nil
}

// Fresh reports whether compiled was made from this text.
func Fresh(yaml, compiled []byte) bool {
	_, _, fresh := unpack(yaml, compiled)
	return fresh
}

func unpack(yaml, compiled []byte) (outline *Object, document func() *Object, fresh bool) {
	first, second, _ := bytes.Cut(compiled, []byte("\n"))
	packed, err := ParseObject(first)
	if err != nil || packed.text("source") != sourceHash(yaml) {
		return nil, nil, false
	}
	return packed.object("outline"), func() *Object {
		document, err := ParseObject(second)
		if err != nil { // damaged: its source stands beside it
			document, _ = parseYAML(yaml)
		}
		return document
	}, true
}

func sourceHash(yaml []byte) string {
	sum := sha256.Sum256(yaml)
	return hex.EncodeToString(sum[:])
}
