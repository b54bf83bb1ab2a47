// Package post is what every text that is posted goes through, whatever it is
// posted to, and what there is to say when GitHub's answer to it is lost.
//
// It promises that a text goes out byte for byte as its author gave it, with at
// most one line below it, and that what looks wrong about it is said.
package post

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// MaxBody is how many characters GitHub takes in a text.
const MaxBody = 65536

// Body is the text to post for the argument body: with a footer that names the
// agent, when there is one. A blank text is INVALID_ARGUMENTS, one longer than
// MaxBody TOO_LARGE.
func Body(body, agent string) (string, error) {
	if strings.TrimSpace(body) == "" {
		return "", fault.New(fault.InvalidArguments, "body is blank").WithFix("Pass the text to post.").With("argument", "body")
	}
	if agent != "" {
		body += "\n\n— agent " + agent
	}
	if n := utf8.RuneCountInString(body); n > MaxBody {
		return "", fault.New(fault.TooLarge, "body has %d characters; GitHub takes %d", n, MaxBody).
			WithFix("Shorten it, or post it in parts.").With("argument", "body")
	}
	return body, nil
}

// Title checks a title, which is one line with something to see in it; field is
// the argument's name. Where GitHub gets several lines it keeps what it likes,
// and the title would not be the one that was given. The error is
// INVALID_ARGUMENTS.
func Title(field, title string) error {
	if strings.TrimSpace(title) == "" {
		return fault.New(fault.InvalidArguments, "%s is blank", field).WithFix("Pass what it is to be.").With("argument", field)
	}
	if strings.ContainsAny(title, "\r\n") {
		return fault.New(fault.InvalidArguments, "%s has more than one line", field).
			WithFix("Take the line breaks out; what is longer belongs into the text.").With("argument", field)
	}
	return nil
}

// Warnings tell of a body whose line breaks were escaped on the way. It is
// posted as it is: only its author knows what was meant.
func Warnings(body string) []string {
	if strings.Contains(body, `\n`) && !strings.Contains(body, "\n") {
		return []string{`body holds the two characters \n and no line break; it was posted as it is`}
	}
	return nil
}

// Same compares texts without regard to the kind of line breaks, which GitHub
// may change.
func Same(a, b string) bool {
	normalize := strings.NewReplacer("\r\n", "\n")
	return normalize.Replace(a) == normalize.Replace(b)
}

// Unknown is the fault for a write that was sent and whose answer was lost,
// when what it wrote was looked for and not found; look is the error of the
// looking, nil when there was none. Fix says how to look again, because
// repeating a write blindly may do it twice.
func Unknown(lost, look error, what, fix string) error {
	err := fault.New(fault.OutcomeUnknown, "the write was sent, GitHub's answer was lost, and %s is not there (yet)", what).
		WithFix("%s", fix).WithCause(lost)
	if look != nil {
		err.Message = fmt.Sprintf("the write was sent, GitHub's answer was lost, and looking for %s failed", what)
		err.Cause = fmt.Errorf("%w; then: %w", lost, look)
	}
	return err
}
