package issue

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
)

// lostAnswer is the warning about a write that was found done.
const lostAnswer = "GitHub's answer was lost on the way; it was looked up, and the change is there"

// surely makes a write of which only the success is of interest. Where
// GitHub's answer is lost, done looks once whether the write took effect:
// then warning says so; otherwise the outcome is unknown, and the write is
// not repeated.
func (s *Service) surely(
	ctx context.Context, field string, input githubv4.Input, done func(context.Context) (bool, error),
) (warning string, err error) {
	err = s.mutate(ctx, field, input)
	if !fault.Is(err, fault.OutcomeUnknown) {
		return "", err
	}
	found, look := done(ctx)
	if look == nil && found {
		return lostAnswer, nil
	}
	return "", post.Unknown(err, look, "the change",
		"Read what was to be changed with get_conversation; repeat the call only if the change is not there.")
}

// warned is warnings with one more, if there is one, which is said once only.
func warned(warnings []string, warning string) []string {
	if warning == "" || len(warnings) > 0 && warnings[len(warnings)-1] == warning {
		return warnings
	}
	return append(warnings, warning)
}
