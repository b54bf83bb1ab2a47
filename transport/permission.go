package transport

import (
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// errNoPermission is in the chain of a FORBIDDEN that no permission mends.
var errNoPermission = errors.New("this is not about permissions")

// LacksPermission reports whether err is a refusal that more permissions would
// mend, unlike that of an address.
func LacksPermission(err error) bool {
	return fault.Is(err, fault.Forbidden) && !errors.Is(err, errNoPermission)
}

// MayNot says of a refusal for want of a permission what was refused, and what
// it needs: "this token may not " and the format. What GitHub says stays in
// it. Any other error stays as it is.
func MayNot(err error, format string, args ...any) error {
	if !LacksPermission(err) {
		return err
	}
	refused := fault.From(err)
	said := fault.New(fault.Forbidden, "this token may not "+format, args...).
		WithFix("See get_viewer_permission for what the token may do; ask a maintainer for the rest.")
	for name, value := range refused.Details {
		said.With(name, value)
	}
	if refused.Details[acceptedPermissions] != nil {
		said.Fix = refused.Fix
	}
	return said.With("githubSays", refused.Message).WithCause(err)
}

// acceptedPermissions is the detail that names what a fine-grained token needs.
const acceptedPermissions = "acceptedPermissions"

// Forbidden is the fault for a refusal that waiting does not mend. The header
// may name the permissions or scopes that would do.
func Forbidden(h http.Header, message string) *fault.Error {
	text := strings.ToLower(message)
	switch {
	case strings.Contains(text, "ip allow list"):
		return fault.New(fault.Forbidden, "the organization's IP allow list does not contain this machine's address%s", quoted(message)).
			WithFix("Work from an allowed address, or ask an owner of the organization to add this one.").WithCause(errNoPermission)
	case locked.MatchString(message):
		return fault.New(fault.Forbidden, "it is locked%s", quoted(message)).
			WithFix("Ask a maintainer to unlock the conversation.")
	}
	err := fault.New(fault.Forbidden, "GitHub refuses this to the token%s", quoted(message))
	if permissions := h.Get("X-Accepted-Github-Permissions"); permissions != "" {
		return err.With(acceptedPermissions, permissions).
			WithFix("Give the token the permission %s on the repository, or use another token.", permissions)
	}
	if scopes := h.Get("X-Accepted-Oauth-Scopes"); scopes != "" {
		return err.With("acceptedScopes", scopes).
			WithFix("The token's user needs the right in the repository, and the token one of the scopes: %s.", scopes)
	}
	return err.WithFix("Check the token's permissions and its user's role in the repository (get_viewer_permission).")
}

var locked = regexp.MustCompile(`(?i)\blocked\b`)
