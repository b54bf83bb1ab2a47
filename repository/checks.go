package repository

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
)

func passed(name, format string, args ...any) Check {
	return Check{Name: name, OK: true, Detail: fmt.Sprintf(format, args...), status: Healthy}
}

// unknown is a check that could not be made because of a finding elsewhere,
// which already counts.
func unknown(name, why string) Check {
	return Check{Name: name, Detail: "not checked: " + why, status: Healthy}
}

func failed(name string, status Status, detail, fix string) Check {
	return Check{Name: name, Detail: detail, Fix: fix, status: status}
}

// failedBy is a check that failed with an error; its public face goes out.
func failedBy(name string, status Status, err error) Check {
	public := fault.From(err).Public()
	return failed(name, status, fmt.Sprint(public["message"]), fmt.Sprint(public["fix"]))
}

func (p *probe) token() Check {
	const name = "token"
	switch login := p.query.Viewer.Login; {
	case p.noToken():
		return failedBy(name, Unhealthy, p.graphqlErr)
	case p.graphqlErr != nil:
		return unknown(name, "GitHub did not say whose it is")
	case p.opts.ExpectedLogin != "" && !strings.EqualFold(login, p.opts.ExpectedLogin):
		return failed(name, Degraded,
			fmt.Sprintf("belongs to %s, expected is %s, so writes are refused", login, p.opts.ExpectedLogin),
			"Use the expected account's token, or correct GITHUB_EXPECTED_LOGIN.")
	default:
		return passed(name, "belongs to %s", login)
	}
}

// scope looks for the one scope that everything but projects needs.
func (p *probe) scope() Check {
	const name = "scopes"
	switch {
	case p.noToken():
		return unknown(name, "no token that works")
	case !p.answered:
		return unknown(name, "GitHub was not reached")
	case !p.scopesKnown:
		return passed(name, "the token has permissions in place of scopes, as fine-grained and app tokens do, and GitHub does not list them: "+
			"Issues, Pull requests and Discussions need read and write, merging needs Contents too, and checks need Commit statuses and Checks to be read; a call that lacks one is refused and names it")
	case slices.Contains(p.scopes, "repo"):
		return passed(name, "%s%s", strings.Join(p.scopes, ", "), p.withoutProjects())
	case slices.Contains(p.scopes, "public_repo"):
		return passed(name, "%s; without repo, only public repositories are in reach%s", strings.Join(p.scopes, ", "), p.withoutProjects())
	default:
		return failed(name, Degraded, "the token has neither repo nor public_repo: "+orNone(p.scopes),
			"Give the token the scope repo, for instance with: gh auth refresh --scopes repo")
	}
}

// withoutProjects says what a token for everything else cannot do.
func (p *probe) withoutProjects() string {
	if slices.Contains(p.scopes, "project") {
		return ""
	}
	return "; without project, project boards stay as they are (manage_issue_projects)"
}

func orNone(scopes []string) string {
	if len(scopes) == 0 {
		return "it has no scopes"
	}
	return "its scopes are " + strings.Join(scopes, ", ")
}

func (p *probe) reachability() Check {
	const name = "reachability"
	switch {
	case fault.Is(p.graphqlErr, fault.AuthRequired):
		return unknown(name, "no request is made without a token")
	case unreached(p.graphqlErr):
		return failedBy(name, Unhealthy, p.graphqlErr)
	case unreached(p.restErr):
		return failedBy(name, Degraded, p.restErr)
	default:
		return passed(name, "%s answers", p.self.Host)
	}
}

// unreached reports whether the error says that no API answered: nothing came,
// or something that is none of GitHub's answers.
func unreached(err error) bool {
	return fault.Is(err, fault.UpstreamError) || fault.Is(err, fault.UpstreamTimeout) ||
		err != nil && fault.From(err).Code == fault.Internal
}

// maxSkew is how far a clock may be off before times are misleading.
const maxSkew = time.Minute

func (p *probe) clock() Check {
	const name = "clock"
	if p.date.IsZero() {
		return unknown(name, "no answer of GitHub told the time")
	}
	skew := p.seen.Sub(p.date).Round(time.Second)
	if skew.Abs() <= maxSkew {
		return passed(name, "within a minute of GitHub's")
	}
	direction := "ahead of"
	if skew < 0 {
		direction = "behind"
	}
	return failed(name, Degraded, fmt.Sprintf("this machine's clock is %s %s GitHub's", skew.Abs(), direction),
		"Set the clock of this machine, for instance by turning on NTP; rate-limit times and ages of comments are wrong until then.")
}

func (p *probe) repository() Check {
	const name = "repository"
	found := p.query.Repository
	switch {
	case p.repo.IsZero():
		return failed(name, Degraded, "no home repository is configured, so every call has to name its repo as owner/name",
			"Set GITHUB_REPOSITORY or --repo to owner/name, or start the server inside a clone.")
	case p.graphqlErr != nil && !p.repositoryRefused():
		return unknown(name, "GitHub did not say")
	case found == nil:
		return failedBy(name, Unhealthy, p.repositoryFault())
	case !strings.EqualFold(found.NameWithOwner, p.repo.String()):
		return passed(name, "%s is now %s, %s", p.repo, found.NameWithOwner, strings.ToLower(found.Visibility))
	default:
		return passed(name, "%s, %s", found.NameWithOwner, strings.ToLower(found.Visibility))
	}
}

// repositoryRefused reports whether the whole answer failed because of the
// repository and of nothing else.
func (p *probe) repositoryRefused() bool {
	for _, code := range []fault.Code{fault.NotFound, fault.NotFoundOrNoAccess, fault.Forbidden, fault.SSORequired} {
		if fault.Is(p.graphqlErr, code) {
			return true
		}
	}
	return false
}

func (p *probe) repositoryFault() error {
	if p.graphqlErr != nil {
		return p.graphqlErr
	}
	return p.notes.Fault("repository", resolve.NoRepository(p.repo))
}

func (p *probe) discussions() Check {
	const name = "discussions_enabled"
	switch found := p.query.Repository; {
	case found == nil:
		return unknown(name, "no repository to look at")
	case !found.HasDiscussionsEnabled:
		return failed(name, Degraded, "discussions are turned off in "+found.NameWithOwner,
			"Turn them on under the repository's Settings → General → Features, or work with issues.")
	default:
		return passed(name, "discussions are on")
	}
}

func (p *probe) permission() Check {
	const name = "permission"
	found := p.query.Repository
	if found == nil {
		return unknown(name, "no repository to look at")
	}
	switch permission := permissionOr(found.ViewerPermission); {
	case found.IsArchived:
		return failed(name, Degraded, permission+", but "+found.NameWithOwner+" is archived: nothing in it can be changed",
			"Ask an admin to unarchive the repository under Settings → General, or work in another one.")
	case permission == noPermission:
		return failed(name, Degraded, "NONE: the token has no permission in "+found.NameWithOwner,
			"Ask an admin of the repository for access, or use another token.")
	case permission == "READ":
		return passed(name, "READ: reading and commenting; labels, closing others' threads and merging need more")
	default:
		return passed(name, "%s", permission)
	}
}

// lowShare is the part of a budget below which it is worth a word.
const lowShare = 20

func (p *probe) rateLimit() Check {
	const name = "rate_limit"
	switch {
	case fault.Is(p.graphqlErr, fault.RateLimited):
		return failedBy(name, Unhealthy, p.graphqlErr)
	case fault.Is(p.restErr, fault.RateLimited):
		return failedBy(name, Degraded, p.restErr)
	case p.noToken():
		return unknown(name, "no token that works")
	case fault.Is(p.restErr, fault.NotFound):
		return passed(name, "this GitHub sets no limit")
	case p.limits == nil:
		return unknown(name, "GitHub did not tell its limits")
	}
	detail := fmt.Sprintf("graphql %s, core %s", p.limits.GraphQL, p.limits.Core)
	for _, budget := range []RateLimit{p.limits.GraphQL, p.limits.Core} {
		if budget.Remaining*lowShare < budget.Limit {
			return failed(name, Degraded, detail+": nearly used up", "Wait until "+budget.ResetAt.Format(time.RFC3339)+", or use another token.")
		}
	}
	return passed(name, "%s", detail)
}

// surface compares the tool list that the client goes by with the one there is.
func (p *probe) surface(seen string) Check {
	const name = "surface"
	own := p.self.Surface.Digest
	if strings.EqualFold(seen, own) {
		return passed(name, "the client's tool list is the present one")
	}
	return failed(name, Degraded, fmt.Sprintf("the client's tool list (%s) is not the one of this server (%s)", seen, own),
		"Have the client load its tool list again: reconnect the server, or restart the client.")
}

// String is the budget for a person.
func (l RateLimit) String() string { return fmt.Sprintf("%d of %d left", l.Remaining, l.Limit) }
