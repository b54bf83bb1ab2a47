package contract

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// exact is where float64 stops telling whole numbers apart.
const exact = 1 << 53

var numeral = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// literal is the text of a number, however it was decoded; ok is false for
// anything that is no number.
func literal(value any) (text string, ok bool) {
	switch v := value.(type) {
	case json.Number:
		return string(v), true
	case float64:
		if math.Abs(v) < 1e21 {
			return strconv.FormatFloat(v, 'f', -1, 64), true
		}
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	default:
		return "", false
	}
}

// wholeNumber reads 12, 12.0, 1.2e1, "12" and "#12". Fractions, and what is
// too large to be told from its neighbours, are not whole numbers.
func wholeNumber(value any) (int64, bool) {
	text, ok := numeralOf(value)
	if !ok {
		return 0, false
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		return number, true
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > exact {
		return 0, false
	}
	return int64(number), true
}

// finiteNumber reads any number, also from a text.
func finiteNumber(value any) (float64, bool) {
	text, ok := numeralOf(value)
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil
}

func numeralOf(value any) (string, bool) {
	text, ok := literal(value)
	if !ok {
		if text, ok = value.(string); !ok {
			return "", false
		}
		text = strings.TrimPrefix(text, "#")
	}
	return text, numeral.MatchString(text)
}
