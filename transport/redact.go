package transport

import (
	"errors"
	"net/http"
	"strings"
	"unicode"
)

// redact removes the token from text.
func redact(text, token string) string {
	if token == "" {
		return text
	}
	return strings.ReplaceAll(text, token, "[token]")
}

// redactHeader removes the token from what a server echoes.
func redactHeader(h http.Header, token string) {
	for _, values := range h {
		for i, value := range values {
			values[i] = redact(value, token)
		}
	}
}

// redactError is err, or an error of the same text without the token.
func redactError(err error, token string) error {
	if clean := redact(err.Error(), token); clean != err.Error() {
		return errors.New(clean)
	}
	return err
}

// Excerpt is a message of GitHub's as it may be quoted: on one line, without
// control characters, at most 300 runes.
func Excerpt(message string) string {
	const most = 300
	line := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(message, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return line
}
