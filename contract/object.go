package contract

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Object is a JSON object that keeps its members in the order of the file:
// a model reads a schema from top to bottom, so the order was chosen by a
// person. Values are *Object, []any, string, json.Number, bool or nil.
// A nil *Object reads as an empty one.
type Object struct {
	members []member
}

type member struct {
	name  string
	value any
}

// Get is the value of a member, nil when it is absent.
func (o *Object) Get(name string) any {
	if i := o.index(name); i >= 0 {
		return o.members[i].value
	}
	return nil
}

// Has reports whether the member is there, be it null.
func (o *Object) Has(name string) bool { return o.index(name) >= 0 }

// Len is the number of members.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.members)
}

// All yields the members in order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if o == nil {
			return
		}
		for _, m := range o.members {
			if !yield(m.name, m.value) {
				return
			}
		}
	}
}

// Set replaces a member where it stands, or adds it at the end.
func (o *Object) Set(name string, value any) {
	if i := o.index(name); i >= 0 {
		o.members[i].value = value
		return
	}
	o.members = append(o.members, member{name, value})
}

// Without is a shallow copy that lacks the members drop chooses.
func (o *Object) Without(drop func(name string) bool) *Object {
	kept := &Object{members: make([]member, 0, o.Len())}
	for name, value := range o.All() {
		if !drop(name) {
			kept.members = append(kept.members, member{name, value})
		}
	}
	return kept
}

// MarshalJSON writes the members in order, without escaping <, > and &.
func (o *Object) MarshalJSON() ([]byte, error) {
	return appendJSON(nil, o)
}

func (o *Object) index(name string) int {
	if o == nil {
		return -1
	}
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

func (o *Object) object(name string) *Object {
	value, _ := o.Get(name).(*Object)
	return value
}

func (o *Object) list(name string) []any {
	value, _ := o.Get(name).([]any)
	return value
}

func (o *Object) text(name string) string {
	value, _ := o.Get(name).(string)
	return value
}

func appendJSON(to []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case *Object:
		return appendObject(to, v)
	case []any:
		return appendList(to, v)
	case string:
		return appendString(to, v), nil
	case json.Number:
		return append(to, v...), nil
	case bool:
		return strconv.AppendBool(to, v), nil
	default:
		raw, err := json.Marshal(v)
		return append(to, raw...), err
	}
}

func appendObject(to []byte, o *Object) (_ []byte, err error) {
	to = append(to, '{')
	first := true
	for name, value := range o.All() {
		if !first {
			to = append(to, ',')
		}
		first = false
		to = append(appendString(to, name), ':')
		if to, err = appendJSON(to, value); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

func appendList(to []byte, list []any) (_ []byte, err error) {
	to = append(to, '[')
	for i, value := range list {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendJSON(to, value); err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

// appendString quotes plain text itself and leaves the rest to encoding/json:
// nearly every string of a contract is plain.
func appendString(to []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(to, '"'), s...), '"')
	}
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string in a buffer cannot fail
	return append(to, bytes.TrimRight(quoted.Bytes(), "\n")...)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(s)
}

// plain turns a value of an Object into what encoding/json would have made,
// numbers kept as json.Number.
func plain(value any) any {
	switch v := value.(type) {
	case *Object:
		members := make(map[string]any, v.Len())
		for name, value := range v.All() {
			members[name] = plain(value)
		}
		return members
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	default:
		return v
	}
}
