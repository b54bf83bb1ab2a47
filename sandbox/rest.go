package sandbox

import (
	"net/http"
	"strings"
	"time"
)

// route is one REST call; its path is in the form of http.ServeMux, without
// the /api/v3 that GitHub Enterprise has in front.
type route struct {
	pattern string
	answer  func(*exchange, *http.Request) answer
}

// routes are the REST calls the sandbox knows; what is not here is 404, as on
// GitHub.
var routes = []route{
	{"GET /meta", (*exchange).restMeta},
	{"GET /rate_limit", (*exchange).restRateLimit},
	{"GET /user", (*exchange).restUser},
	{"GET /repos/{owner}/{repo}", (*exchange).restRepository},

	{"GET /repos/{owner}/{repo}/pulls/{number}", inPull((*restCall).pull)},
	{"GET /repos/{owner}/{repo}/pulls/{number}/files", inPull((*restCall).pullFiles)},
	{"GET /repos/{owner}/{repo}/pulls/{number}/requested_reviewers", inPull((*restCall).reviewers)},
	{"POST /repos/{owner}/{repo}/pulls/{number}/requested_reviewers", inPull((*restCall).addReviewers)},
	{"DELETE /repos/{owner}/{repo}/pulls/{number}/requested_reviewers", inPull((*restCall).removeReviewers)},
	{"GET /repos/{owner}/{repo}/commits/{sha}", inRepository((*restCall).commit)},
	{"GET /repos/{owner}/{repo}/compare/{basehead}", inRepository((*restCall).compare)},

	{"GET /repos/{owner}/{repo}/issues", inRepository((*restCall).issues)},
	{"POST /repos/{owner}/{repo}/issues", inRepository((*restCall).createIssue)},
	{"GET /repos/{owner}/{repo}/issues/{number}", inIssue((*restCall).oneIssue)},
	{"PATCH /repos/{owner}/{repo}/issues/{number}", inIssue((*restCall).changeIssue)},
	{"GET /repos/{owner}/{repo}/issues/{number}/labels", inIssue((*restCall).issueLabels)},
	{"POST /repos/{owner}/{repo}/issues/{number}/labels", inIssue((*restCall).addIssueLabels)},
	{"PUT /repos/{owner}/{repo}/issues/{number}/labels", inIssue((*restCall).setIssueLabels)},
	{"DELETE /repos/{owner}/{repo}/issues/{number}/labels/{name}", inIssue((*restCall).removeIssueLabel)},
	{"GET /repos/{owner}/{repo}/issues/{number}/dependencies/blocked_by", inIssue((*restCall).blockers)},
	{"POST /repos/{owner}/{repo}/issues/{number}/dependencies/blocked_by", inIssue((*restCall).addBlocker)},
	{"DELETE /repos/{owner}/{repo}/issues/{number}/dependencies/blocked_by/{id}", inIssue((*restCall).removeBlocker)},
	{"GET /repos/{owner}/{repo}/labels", inRepository((*restCall).labels)},
	{"POST /repos/{owner}/{repo}/labels", inRepository((*restCall).createLabel)},
	{"GET /repos/{owner}/{repo}/labels/{name}", inRepository((*restCall).oneLabel)},
	{"PATCH /repos/{owner}/{repo}/labels/{name}", inRepository((*restCall).changeLabel)},
	{"DELETE /repos/{owner}/{repo}/labels/{name}", inRepository((*restCall).deleteLabel)},
}

func (x *exchange) answerREST() answer {
	path := strings.TrimPrefix(x.request.URL.Path, "/api/v3")
	request := x.request.Clone(x.request.Context())
	request.URL.Path, request.URL.RawPath = path, strings.TrimPrefix(x.request.URL.RawPath, "/api/v3")
	out := problem(http.StatusNotFound, "Not Found")
	mux := http.NewServeMux()
	for _, known := range routes {
		mux.HandleFunc(known.pattern, func(_ http.ResponseWriter, r *http.Request) {
			x.sandbox.store.mu.Lock()
			defer x.sandbox.store.mu.Unlock()
			out = known.answer(x, r)
		})
	}
	mux.ServeHTTP(discard{}, request)
	return out
}

// discard swallows what the mux itself says of an unknown path; that is
// GitHub's 404 here.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

func (x *exchange) restMeta(*http.Request) answer {
	return object200(map[string]any{"verifiable_password_authentication": false, "installed_version": "3.17.0"})
}

func (x *exchange) restRateLimit(*http.Request) answer {
	resources := map[string]any{}
	for _, resource := range []string{"core", "graphql", "search"} {
		resources[resource] = restLimit(x.sandbox.limits.look(x.viewer, resource))
	}
	return object200(map[string]any{"resources": resources, "rate": resources["core"]})
}

func restLimit(l limit) map[string]any {
	return map[string]any{"limit": l.limit, "remaining": l.remaining(), "used": l.used, "reset": l.reset.Unix()}
}

func (x *exchange) restUser(*http.Request) answer {
	user := restAccount(x.viewer)
	user["name"] = x.viewer.name
	user["created_at"] = accountsCreated.Format(time.RFC3339)
	return object200(user)
}

func restAccount(a *account) map[string]any {
	return map[string]any{
		"login": a.login, "id": a.id, "node_id": newNodeID(a.idKind(), 0, a.id), "type": a.kind,
		"html_url": webURL + a.path(), "site_admin": false,
	}
}

func (x *exchange) restRepository(r *http.Request) answer {
	found := x.sandbox.store.repository(r.PathValue("owner"), r.PathValue("repo"))
	if found == nil || found.permission(x.viewer) < permissionRead {
		return problem(http.StatusNotFound, "Not Found")
	}
	granted := found.permission(x.viewer)
	visibility := "public"
	if found.private {
		visibility = "private"
	}
	return object200(map[string]any{
		"id": found.id, "node_id": newNodeID(kindRepository, 0, found.id), "name": found.name, "full_name": found.fullName(),
		"owner": restAccount(found.owner), "private": found.private, "visibility": visibility, "description": found.description,
		"html_url": found.url(), "fork": false, "archived": false, "disabled": false, "default_branch": "main",
		"has_issues": true, "has_discussions": true, "has_projects": true, "has_wiki": false,
		"created_at": found.created.Format(time.RFC3339), "updated_at": found.updated().UTC().Format(time.RFC3339),
		"permissions": map[string]bool{
			"admin": granted >= permissionAdmin, "maintain": granted >= permissionMaintain, "push": granted >= permissionWrite,
			"triage": granted >= permissionTriage, "pull": granted >= permissionRead,
		},
	})
}
