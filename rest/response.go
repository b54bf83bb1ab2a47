package rest

import (
	"net/http"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ofResponse maps the statuses that package transport leaves to the caller.
func ofResponse(e *github.ErrorResponse) error {
	status := e.Response.StatusCode
	says := quote(e)
	switch status {
	case http.StatusNotFound:
		return notFound(e.Response.Request, says).WithCause(e)
	case http.StatusGone:
		return fault.New(fault.NotFound, "it is gone: deleted, or the feature is switched off in the repository%s", says).
			WithFix("Check that the thing still exists and that the repository has the feature.").WithCause(e)
	case http.StatusConflict:
		return fault.New(fault.Conflict, "it is in another state than expected%s", says).
			WithFix("Read it again, then decide again.").WithCause(e)
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		return fault.New(fault.ValidationFailed, "GitHub does not accept the content%s", says).
			WithFix("Change what GitHub names, then try again.").WithCause(e)
	case http.StatusMethodNotAllowed:
		return fault.New(fault.Conflict, "GitHub does not allow this in the present state%s", says).
			WithFix("Read the present state; for a merge: mergeable, checks and required reviews.").WithCause(e)
	case http.StatusNotAcceptable:
		return fault.New(fault.TooLarge, "GitHub does not give this out in the form asked for%s", says).
			WithFix("Ask for less at a time: for a diff, single files.").WithCause(e)
	case http.StatusUnavailableForLegalReasons:
		return fault.New(fault.Forbidden, "GitHub has blocked this for legal reasons%s", says).WithCause(e)
	case http.StatusUnauthorized:
		return fault.New(fault.AuthFailed, "GitHub does not accept the token%s", says).WithFix("Check the configured token.").WithCause(e)
	case http.StatusForbidden:
		return transport.Forbidden(e.Response.Header, e.Message).WithCause(e)
	}
	return transport.WithRequestID(fault.New(fault.UpstreamError, "GitHub answered with HTTP %d%s", status, says).WithCause(e), e.Response.Header)
}

// notFound tells a missing thing in a repository that this token can see from
// what may be missing access. A read of the repository itself or of one of its
// collections (repos/OWNER/NAME/labels) fails only when the repository is not
// there; GitHub also hides a missing right to write behind a 404.
func notFound(req *http.Request, says string) *fault.Error {
	write := req.Method != http.MethodGet && req.Method != http.MethodHead
	if write || isRepository(req.URL.Path) {
		return fault.New(fault.NotFoundOrNoAccess, "it is missing or not visible to this token%s", says).
			WithFix("Check the spelling of owner/name, that the token's user may see (for a write: change) it, that a fine-grained token lists the repository, and that single sign-on is authorized.")
	}
	return fault.New(fault.NotFound, "it does not exist%s", says).
		WithFix("Check the number, id or name, and the repository.")
}

// isRepository reports whether path is that of a repository or of one of its
// collections.
func isRepository(path string) bool {
	_, rest, found := strings.Cut(path, "/repos/")
	return found && strings.Count(strings.Trim(rest, "/"), "/") <= 2
}

// quote is GitHub's message and what it finds wrong with single fields.
func quote(e *github.ErrorResponse) string {
	parts := []string{e.Message}
	for _, field := range e.Errors {
		parts = append(parts, fieldError(field))
	}
	text := transport.Excerpt(strings.Join(parts, "; "))
	if text == "" {
		return ""
	}
	return `; GitHub says: "` + text + `"`
}

func fieldError(e github.Error) string {
	if e.Message != "" {
		return strings.TrimSpace(e.Field + " " + e.Message)
	}
	return strings.TrimSpace(e.Field + " " + strings.ReplaceAll(e.Code, "_", " "))
}

func headerOf(resp *http.Response) http.Header {
	if resp == nil {
		return nil
	}
	return resp.Header
}
