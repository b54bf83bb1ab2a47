package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// parseYAML reads one document into an Object.
func parseYAML(data []byte) (*Object, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	value, err := fromYAML(&document)
	if err != nil {
		return nil, err
	}
	root, ok := value.(*Object)
	if !ok {
		return nil, fmt.Errorf("the document is no mapping")
	}
	return root, nil
}

// fromYAML turns a node into a value of an Object. Anchors are refused: a
// contract says "the same again" with $ref, which JSON Schema understands too.
func fromYAML(node *yaml.Node) (any, error) {
	switch node.Kind {
	case yaml.DocumentNode:
		return fromYAML(node.Content[0])
	case yaml.MappingNode:
		return fromMapping(node)
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			value, err := fromYAML(item)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case yaml.ScalarNode:
		return fromScalar(node)
	default:
		return nil, fmt.Errorf("line %d: anchors are not supported; use $ref", node.Line)
	}
}

func fromMapping(node *yaml.Node) (*Object, error) {
	object := &Object{members: make([]member, 0, len(node.Content)/2)}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a key has to be a plain text", key.Line)
		}
		if object.Has(key.Value) {
			return nil, fmt.Errorf("line %d: %q stands there twice", key.Line, key.Value)
		}
		value, err := fromYAML(node.Content[i+1])
		if err != nil {
			return nil, err
		}
		object.members = append(object.members, member{key.Value, value})
	}
	return object, nil
}

func fromScalar(node *yaml.Node) (any, error) {
	switch node.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var value bool
		err := node.Decode(&value)
		return value, err
	case "!!int":
		var value int64
		if err := node.Decode(&value); err != nil {
			return nil, fmt.Errorf("line %d: %q is no whole number: %w", node.Line, node.Value, err)
		}
		return json.Number(strconv.FormatInt(value, 10)), nil
	case "!!float":
		var value float64
		if err := node.Decode(&value); err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
			return nil, fmt.Errorf("line %d: %q is no finite number", node.Line, node.Value)
		}
		return json.Number(strconv.FormatFloat(value, 'g', -1, 64)), nil
	default:
		return node.Value, nil
	}
}
