package sandbox

import (
	"fmt"
	"strings"
)

// permission is what an account may do in a repository, in rising order.
type permission int

const (
	permissionNone permission = iota
	permissionRead
	permissionTriage
	permissionWrite
	permissionMaintain
	permissionAdmin
)

var permissionNames = []string{"", "READ", "TRIAGE", "WRITE", "MAINTAIN", "ADMIN"}

func (p permission) String() string { return permissionNames[p] }

func permissionNamed(name string) permission {
	for p, known := range permissionNames {
		if known == strings.ToUpper(name) {
			return permission(p)
		}
	}
	return permissionNone
}

// permission is what an account may do here; everybody may read what is
// public.
func (r *repository) permission(who *account) permission {
	granted := r.permissions[who]
	if granted == permissionNone && !r.private {
		return permissionRead
	}
	return granted
}

// apiError is a GraphQL error as GitHub sends it: kind is the top-level type.
type apiError struct {
	kind, message string
}

func (e *apiError) Error() string { return e.message }

// Extensions carries the kind through the GraphQL engine; the handler lifts it
// to where GitHub has it.
func (e *apiError) Extensions() map[string]any { return map[string]any{"type": e.kind} }

func notFound(format string, args ...any) error {
	return &apiError{kind: "NOT_FOUND", message: fmt.Sprintf(format, args...)}
}

func unprocessable(format string, args ...any) error {
	return &apiError{kind: "UNPROCESSABLE", message: fmt.Sprintf(format, args...)}
}

// forbidden is GitHub's refusal of a mutation, named as its Ruby class.
func (s *session) forbidden(mutation string) error {
	return &apiError{kind: "FORBIDDEN", message: fmt.Sprintf("%s does not have the correct permissions to execute `%s`", s.viewer.login, mutation)}
}

// may reports whether the viewer has at least this permission.
func (s *session) may(r *repository, least permission) bool {
	return r.permission(s.viewer) >= least
}

// wrote reports whether the viewer is the author.
func (s *session) wrote(p *post) bool { return p.author == s.viewer }

// The rules, in one place: fields (viewerCan…) and mutations both ask here.

func (s *session) mayComment(t *topic) bool {
	return !t.locked || s.may(t.repository, permissionWrite)
}

// mayEdit: p is the post of the topic itself or of a comment in it.
func (s *session) mayEdit(t *topic, p *post) bool {
	return s.may(t.repository, permissionWrite) || s.wrote(p) && s.mayComment(t)
}

func (s *session) mayClose(t *topic) bool {
	return s.may(t.repository, permissionTriage) || s.wrote(&t.post)
}

func (s *session) mayDeleteDiscussion(d *discussion) bool {
	return s.mayTriage(d.repository)
}

func (s *session) mayTriage(r *repository) bool { return s.may(r, permissionTriage) }

func (s *session) mayAnswer(c *comment) bool {
	return c.parent == nil && c.deleted.IsZero() && c.discussion.category.answerable && s.mayClose(&c.discussion.topic)
}
