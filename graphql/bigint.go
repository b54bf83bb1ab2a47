package graphql

import (
	"bytes"
	"strconv"
)

// BigInt is a field of GitHub's type BigInt: a number that is written as a
// text, because it may be too large for other readers.
type BigInt int64

// UnmarshalJSON reads the number, quoted or not; null is 0.
func (b *BigInt) UnmarshalJSON(data []byte) error {
	digits := string(bytes.Trim(data, `"`))
	if digits == "null" {
		return nil
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	*b = BigInt(n)
	return err
}
