package transport

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// ErrQueryTimeout is in the chain of the fault for a GraphQL read that GitHub
// gave up on because it took too long: asking for less may help, asking again
// will not.
var ErrQueryTimeout = errors.New("GitHub gave up on the query")

// classify is the fault for an answer that is a failure whoever asked; nil for
// one that the caller has to judge.
func (t *chain) classify(c *call, a *answer) error {
	status := a.StatusCode
	switch {
	case status >= 500:
		return c.serverError(a)
	case redirects(status) && !c.safeMethod():
		return fault.New(fault.UpstreamError, "GitHub redirected the request instead of doing it (HTTP %d); nothing was changed", status).
			WithFix("The repository may have been renamed or moved: use its present owner/name. Otherwise check the configured API URL.")
	case c.target == foreign:
		return nil
	case status == http.StatusUnauthorized:
		return fault.New(fault.AuthFailed, "GitHub does not accept the token (HTTP 401)%s", said(a)).
			WithFix("Check that the configured token is complete, not expired or revoked, and made for %s.", c.req.URL.Host)
	case status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return refusal(a, t.Now())
	case status >= 200 && status < 300:
		return c.malformed(a)
	}
	return nil
}

func redirects(status int) bool {
	return status >= 300 && status < 400 && status != http.StatusNotModified
}

// serverError judges 5xx. A write may have been done in spite of it, except
// when the answer says that nobody served it.
func (c *call) serverError(a *answer) error {
	err, passing := c.judgeServerError(a.StatusCode, a)
	if passing {
		return transient{err}
	}
	return err
}

func (c *call) judgeServerError(status int, a *answer) (err *fault.Error, passing bool) {
	text := string(a.body)
	switch {
	case c.mark.write && !(status == http.StatusServiceUnavailable && notServed.MatchString(text)):
		return OutcomeUnknown("GitHub failed (HTTP " + strconv.Itoa(status) + ") while it worked on the request"), false
	case c.target == graphQL && queryGaveUp.MatchString(text):
		return fault.New(fault.UpstreamTimeout, "GitHub gave up on the query because it took too long").
			WithFix("Ask for less at a time.").RetryAfter(0).WithCause(ErrQueryTimeout), false
	}
	err = fault.New(fault.UpstreamError, "GitHub failed (HTTP %d)%s", status, said(a)).
		WithFix("Try again in a moment.").RetryAfter(0)
	return err, true
}

var (
	notServed   = regexp.MustCompile(`(?i)no server is currently available|maintenance`)
	queryGaveUp = regexp.MustCompile(`(?i)something went wrong while executing your query|couldn't respond to your request in time`)
)

// malformed judges the body of a success: JSON where that was asked for, and
// never a web page, which is of some proxy, or says that GitHub is down.
func (c *call) malformed(a *answer) error {
	isPage := strings.Contains(a.Header.Get("Content-Type"), "html")
	if c.wantsJSON() && json.Valid(a.body) || !c.wantsJSON() && !isPage || len(a.body) == 0 && c.target == rest {
		return nil
	}
	what := "GitHub answered with broken JSON"
	if isPage {
		what = "a web page came instead of GitHub's answer"
	}
	if c.mark.write {
		return OutcomeUnknown(what)
	}
	return transient{fault.New(fault.UpstreamError, "%s", what).
		WithFix("Try again; if it stays, check the configured API URL and any proxy in between.").RetryAfter(0)}
}

func (c *call) wantsJSON() bool {
	return c.req.Method != http.MethodHead && strings.Contains(c.req.Header.Get("Accept"), "json")
}

// refusal tells the many meanings of 403 and 429 apart.
func refusal(a *answer, now time.Time) error {
	message, text := messageOf(a), strings.ToLower(string(a.body))
	limit, known := rateLimitOf(a.Header)
	switch {
	case a.Header.Get("X-Github-Sso") != "":
		return SSORequired(a.Header, message)
	case a.Header.Get("Retry-After") != "", a.StatusCode == http.StatusTooManyRequests,
		strings.Contains(text, "rate limit"), strings.Contains(text, "abuse detection"),
		known && limit.Remaining == 0 && !strings.Contains(text, "not accessible"):
		return RateLimited(a.Header, now)
	}
	return Forbidden(a.Header, message)
}

// RateLimited is the fault for any of GitHub's rate limits. The wait is
// Retry-After, else the time until the budget is full again, else 60 seconds.
func RateLimited(h http.Header, now time.Time) *fault.Error {
	limit, known := rateLimitOf(h)
	what := "GitHub's secondary rate limit (too much in a short time) is in force"
	if known && limit.Remaining == 0 {
		what = "GitHub's rate limit for this token is used up"
	}
	wait := waitOf(h, limit, now)
	err := fault.New(fault.RateLimited, "%s; this request was not done", what).
		WithFix("Wait %d seconds, then make the same call again.", wait).RetryAfter(wait)
	if known && limit.Resource != "" {
		err.With("resource", limit.Resource)
	}
	return err
}

func waitOf(h http.Header, limit RateLimit, now time.Time) int {
	if seconds, err := strconv.Atoi(h.Get("Retry-After")); err == nil && seconds >= 0 {
		return max(1, seconds)
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return secondsUntil(at, now)
	}
	if limit.Remaining == 0 && !limit.ResetAt.IsZero() {
		return secondsUntil(limit.ResetAt, now)
	}
	return 60
}

func secondsUntil(at, now time.Time) int {
	return max(1, int(math.Ceil(at.Sub(now).Seconds())))
}

// SSORequired is the fault for a token that an organization wants to see
// authorized by single sign-on first; the header may say where.
func SSORequired(h http.Header, message string) *fault.Error {
	err := fault.New(fault.SSORequired, "the organization requires single sign-on, and the token is not authorized for it%s", quoted(message)).
		WithFix("Authorize the token for the organization: GitHub → Settings → Developer settings → the token → Configure SSO.")
	for part := range strings.SplitSeq(h.Get("X-Github-Sso"), ";") {
		if url, ok := strings.CutPrefix(strings.TrimSpace(part), "url="); ok {
			err.WithFix("Open %s in a browser to authorize the token, then try again.", url).With("authorizationUrl", url)
		}
	}
	return err
}

// PartialForSSO reports whether an answer leaves something out because some
// organizations, whose ids it may name, require single sign-on.
func PartialForSSO(h http.Header) (organizations string, partial bool) {
	rest, partial := strings.CutPrefix(strings.TrimSpace(h.Get("X-Github-Sso")), "partial-results")
	if _, ids, found := strings.Cut(rest, "organizations="); found {
		organizations = strings.TrimSpace(ids)
	}
	return organizations, partial
}

// messageOf is GitHub's own message in an error body, ready to be quoted.
func messageOf(a *answer) string {
	var body struct{ Message string }
	if json.Unmarshal(a.body, &body) != nil {
		return ""
	}
	return Excerpt(body.Message)
}

func said(a *answer) string { return quoted(messageOf(a)) }

func quoted(message string) string {
	if message == "" {
		return ""
	}
	return `; GitHub says: "` + Excerpt(message) + `"`
}

// WithRequestID adds GitHub's own id of the exchange, as requestId, to a fault
// of GitHub's: its support finds the exchange by that. Other faults, and those
// without an answer, stay as they are.
func WithRequestID(err *fault.Error, h http.Header) *fault.Error {
	id := Excerpt(h.Get("X-Github-Request-Id"))
	switch err.Code {
	case fault.UpstreamError, fault.UpstreamTimeout, fault.OutcomeUnknown:
		if id != "" {
			return err.With("requestId", id)
		}
	}
	return err
}
