package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// ParseObject reads one JSON object, its members in their order.
func ParseObject(data []byte) (*Object, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	value, err := fromJSON(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more than one JSON value")
	}
	root, ok := value.(*Object)
	if !ok {
		return nil, fmt.Errorf("the document is no object")
	}
	return root, nil
}

func fromJSON(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := &Object{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := fromJSON(decoder)
			if err != nil {
				return nil, err
			}
			object.members = append(object.members, member{name.(string), value})
		}
		_, err = decoder.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			value, err := fromJSON(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = decoder.Token()
		return list, err
	default:
		return token, nil
	}
}
