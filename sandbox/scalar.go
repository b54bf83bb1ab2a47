package sandbox

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// dateTime is GitHub's DateTime: seconds, UTC.
type dateTime struct{ time.Time }

func (dateTime) ImplementsGraphQLType(name string) bool { return name == "DateTime" }

func (d *dateTime) UnmarshalGraphQL(input any) (err error) {
	text, ok := input.(string)
	if !ok {
		return fmt.Errorf("%v is not a DateTime", input)
	}
	d.Time, err = time.Parse(time.RFC3339, text)
	return err
}

func (d dateTime) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, d.UTC().Format(time.RFC3339)), nil
}

// instant is a nullable DateTime; the zero time is null.
func instant(at time.Time) *dateTime {
	if at.IsZero() {
		return nil
	}
	return &dateTime{at}
}

type uri string

func (uri) ImplementsGraphQLType(name string) bool { return name == "URI" }

func (u *uri) UnmarshalGraphQL(input any) error {
	text, ok := input.(string)
	*u = uri(text)
	if !ok {
		return fmt.Errorf("%v is not a URI", input)
	}
	return nil
}

type html string

func (html) ImplementsGraphQLType(name string) bool { return name == "HTML" }

func (h *html) UnmarshalGraphQL(input any) error {
	return fmt.Errorf("%v: HTML is never an input", input)
}

// databaseID is null where the number does not fit GraphQL's 32-bit Int.
func databaseID(id int64) *int32 {
	if id > 1<<31-1 {
		return nil
	}
	small := int32(id)
	return &small
}

// text is null when empty.
func text(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// bigInt is GitHub's BigInt: digits in a string.
type bigInt int64

func (bigInt) ImplementsGraphQLType(name string) bool { return name == "BigInt" }

func (n *bigInt) UnmarshalGraphQL(input any) error {
	return fmt.Errorf("%v: BigInt is never an input", input)
}

func (n bigInt) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, strconv.FormatInt(int64(n), 10)), nil
}

func wide(id int64) *bigInt {
	n := bigInt(id)
	return &n
}

// date is GitHub's Date: a day.
type date string

func (date) ImplementsGraphQLType(name string) bool { return name == "Date" }

func (d *date) UnmarshalGraphQL(input any) error {
	day, ok := input.(string)
	if _, err := time.Parse(time.DateOnly, day); !ok || err != nil {
		return fmt.Errorf("%v is not a Date", input)
	}
	*d = date(day)
	return nil
}

// objectID is GitHub's GitObjectID: 40 hexadecimal digits.
type objectID string

func (objectID) ImplementsGraphQLType(name string) bool { return name == "GitObjectID" }

func (o *objectID) UnmarshalGraphQL(input any) error {
	text, ok := input.(string)
	if !ok || len(text) != 40 {
		return fmt.Errorf("%v is not a GitObjectID", input)
	}
	*o = objectID(text)
	return nil
}

// oid is an object id that depends on nothing but words.
func oid(words ...any) string {
	sum := sha1.Sum([]byte(fmt.Sprint(words...)))
	return hex.EncodeToString(sum[:])
}
