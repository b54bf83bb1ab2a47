package contract

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// CheckResult holds a structured result against the output schema. The error
// is one line and says what does not fit first, and where.
func (t *Tool) CheckResult(structured []byte) error {
	schema, err := t.output()
	if err != nil {
		return fmt.Errorf("%s: output schema: %w", t.Name, err)
	}
	return conforms(t.Name+" result", schema, structured)
}

// compile makes a schema ready for validating. It is slow next to everything
// else here, so it is done for a tool that needs it and not for all at start.
func compile(schema []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	const name = "mem:///schema.json"
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

func conforms(what string, schema *jsonschema.Schema, document []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	err = schema.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	return fmt.Errorf("%s: /%s: %s", what, strings.Join(invalid.InstanceLocation, "/"),
		invalid.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
}
