package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// mishap is a way in which GitHub, or the way to it, fails one request.
type mishap struct {
	name string
	// play is what the sandbox does to the request.
	play func(sandbox.Request) sandbox.Failure
	want rule
	says string // is in the error that it leads to

	on      string // the GraphQL root field that it needs; "" is none in particular
	passes  bool   // the request that is repeated is answered
	noted   bool   // the answer of a read says so
	effect  bool   // a write takes effect all the same
	shrinks bool   // a read that can ask for less does so, again and again
}

// rule is what comes of a call, by what the request that fails was to be: a
// GraphQL query or mutation, a REST read or write. It is written as verdict
// writes it; "" is where the mishap cannot happen.
type rule struct{ query, mutation, get, change string }

// always is the rule for what is the same everywhere.
func always(verdict string) rule { return rule{verdict, verdict, verdict, verdict} }

// ofGraphQL is a rule for what only GraphQL answers.
func ofGraphQL(query, mutation string) rule { return rule{query: query, mutation: mutation} }

const (
	unknown = "OUTCOME_UNKNOWN ×1"
	found   = "done, warned" // of a write whose answer was lost: it was looked up
	broken  = "UPSTREAM_ERROR retry ×3"
	noDiff  = "UPSTREAM_ERROR retry ×1" // the diff is the one thing read over REST that is no JSON
	odd     = "UPSTREAM_ERROR ×1"
)

// passing is the rule for what may be gone the next moment: a read is made
// three times, a write once.
var passing = rule{broken, unknown, broken, unknown}

// inBody is in bodies that nobody may show.
const inBody = "BODY-OF-AN-ANSWER"

// says is an answer of GitHub's whose message has the token in it.
func says(status int, message string, headers ...string) func(sandbox.Request) sandbox.Failure {
	body, _ := json.Marshal(map[string]string{ // texts always encode
		"message": message + " (" + sandbox.AdminToken + ")", "documentation_url": "https://docs.github.com/rest#" + inBody,
	})
	return answers(status, string(body), headers...)
}

// answers is any answer; headers are names and values.
func answers(status int, body string, headers ...string) func(sandbox.Request) sandbox.Failure {
	f := sandbox.Failure{Status: status, Body: body, Headers: map[string]string{"X-Echo": "Bearer " + sandbox.AdminToken}}
	for pair := range slices.Chunk(headers, 2) {
		f.Headers[pair[0]] = pair[1]
	}
	return plays(f)
}

func plays(f sandbox.Failure) func(sandbox.Request) sandbox.Failure {
	return func(sandbox.Request) sandbox.Failure { return f }
}

const page = "<!DOCTYPE html><title>Unicorn!</title><!-- " + inBody + " " + sandbox.AdminToken + " -->"

// resetPassed are the headers of a limit that is used up; the reset is long
// ago, because a time to come would be a moving one.
var resetPassed = []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1"}

// errorAnswer is a GraphQL answer of one error, with the data of f.
func errorAnswer(kind, message string, f sandbox.Failure) sandbox.Failure {
	f.Errors = append(f.Errors, sandbox.GraphQLError{Type: kind, Message: message + " (" + sandbox.AdminToken + ")"})
	return f
}

// partial leaves all data there, beside an error about something in it.
func partial(r sandbox.Request) sandbox.Failure {
	f := errorAnswer("FORBIDDEN", "a part is not accessible", sandbox.Failure{Data: "keep"})
	f.Errors[0].Path = []any{r.Fields[0], "somewhere"}
	return f
}

// refused leaves a root field out, and says that it may not be seen.
func refused(field string) func(sandbox.Request) sandbox.Failure {
	f := errorAnswer("FORBIDDEN", "Resource not accessible by personal access token", sandbox.Failure{Data: "keep", Null: []string{field}})
	f.Errors[0].Path = []any{field}
	return plays(f)
}

// missing leaves a root field out and says nothing.
func missing(field string) func(sandbox.Request) sandbox.Failure {
	return plays(sandbox.Failure{Data: "keep", Null: []string{field}})
}

// unanswered leaves out what a mutation was to answer with.
func unanswered(r sandbox.Request) sandbox.Failure {
	return answers(http.StatusOK, `{"data":{"`+r.Fields[0]+`":null}}`)(r)
}

// mishaps are all that can befall a request. Elsewhere is an address that is
// not GitHub's.
func mishaps(elsewhere string) []mishap {
	return slices.Concat(refusals(), limits(), halfAnswers(), breakdowns(), []mishap{{
		name: "redirect elsewhere", play: answers(http.StatusFound, page, "Location", elsewhere),
		want: rule{odd, odd, noDiff, odd},
	}})
}

// refusals are answers that say no.
func refusals() []mishap {
	return []mishap{
		{name: "401", play: says(401, "Bad credentials"), want: always("AUTH_FAILED ×1")},
		{name: "403 permission", says: "issues=write", want: always("FORBIDDEN ×1"),
			play: says(403, "Resource not accessible by personal access token", "X-Accepted-GitHub-Permissions", "issues=write")},
		{name: "403 single sign-on", says: "https://github.com/orgs/octo-org/sso", want: always("SSO_REQUIRED ×1"),
			play: says(403, "Resource protected by organization SAML enforcement.", "X-GitHub-SSO", "required; url=https://github.com/orgs/octo-org/sso")},
		{name: "403 IP allow list", says: "IP allow list does not contain", want: always("FORBIDDEN ×1"),
			play: says(403, "the organization has an IP allow list enabled, and your IP address is not permitted to access this resource.")},
		{name: "404", play: says(404, "Not Found"), want: rule{odd, odd, "NOT_FOUND ×1", "FORBIDDEN ×1"}},
		{name: "410", play: says(410, "Gone"), want: rule{odd, odd, "NOT_FOUND ×1", "FORBIDDEN ×1"}},
		// A diff that GitHub does not want to give is looked for file by file.
		{name: "422", play: says(422, "Validation Failed"), want: rule{odd, odd, "VALIDATION_FAILED ×2", "VALIDATION_FAILED ×1"}},
	}
}

// limits are GitHub's ways to say that it is too much.
func limits() []mishap {
	return []mishap{
		{name: "429", play: says(429, "Too many requests"), want: always("RATE_LIMITED retry 60 s ×1")},
		{name: "403 primary limit", play: says(403, "API rate limit exceeded", resetPassed...), want: always("RATE_LIMITED retry 1 s ×1")},
		{name: "403 secondary limit", play: says(403, "You have exceeded a secondary rate limit.", "Retry-After", "47"), want: always("RATE_LIMITED retry 47 s ×1")},
		{name: "403 secondary limit, bare", play: says(403, "You have exceeded a secondary rate limit."), want: always("RATE_LIMITED retry 60 s ×1")},
		{name: "RATE_LIMITED", want: ofGraphQL("RATE_LIMITED retry 1 s ×1", "RATE_LIMITED retry 1 s ×1"),
			play: plays(errorAnswer("RATE_LIMITED", "API rate limit exceeded", sandbox.Failure{Headers: map[string]string{resetPassed[0]: resetPassed[1], resetPassed[2]: resetPassed[3]}}))},
		{name: "RESOURCE_LIMITS_EXCEEDED", shrinks: true, want: ofGraphQL(odd, odd),
			play: plays(errorAnswer("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.", sandbox.Failure{Data: "null"}))},
		{name: "query took too long", shrinks: true, want: rule{"UPSTREAM_TIMEOUT retry ×1", unknown, broken, unknown},
			play: plays(sandbox.Failure{Kind: "TIMEOUT"})},
	}
}

// halfAnswers are successes that lack something.
func halfAnswers() []mishap {
	return []mishap{
		{name: "partial data", effect: true, passes: true, play: partial, noted: true, want: ofGraphQL("done", "done")},
		{name: "repository refused", on: "repository", play: refused("repository"), want: ofGraphQL("FORBIDDEN ×1", "")},
		{name: "node refused", on: "node", play: refused("node"), want: ofGraphQL("FORBIDDEN ×1", "")},
		{name: "repository null", on: "repository", play: missing("repository"), want: ofGraphQL("NOT_FOUND_OR_NO_ACCESS ×1", "")},
		{name: "node null", on: "node", play: missing("node"), want: ofGraphQL("NOT_FOUND ×1", "")},
		{name: "payload null", play: unanswered, want: ofGraphQL("", unknown)},
		{name: "data null", play: plays(sandbox.Failure{Data: "null"}), want: ofGraphQL(odd, unknown)},
		{name: "JSON of no meaning", play: answers(200, `[7]`), want: rule{odd, unknown, noDiff, unknown}},
		{name: "null", play: answers(200, `null`), want: rule{odd, unknown, noDiff, unknown}},
		{name: "malformed JSON", play: answers(200, `{"data":{"repository":{"title":"`+inBody), want: rule{broken, unknown, noDiff, unknown}},
		{name: "HTML page with 200", play: answers(200, page, "Content-Type", "text/html; charset=utf-8"), want: passing},
		{name: "truncated body", effect: true, play: plays(sandbox.Failure{TruncateAt: 20}), want: rule{broken, found, broken, found}},
	}
}

// breakdowns are GitHub and the network at their worst. A read over a
// connection that was used before is repeated once by net/http itself.
func breakdowns() []mishap {
	return []mishap{
		{name: "500", play: says(500, "Server Error"), want: passing},
		{name: "502", play: answers(502, page, "Content-Type", "text/html"), want: passing},
		{name: "502 once", passes: true, play: answers(502, page, "Content-Type", "text/html"), want: rule{"done, 1 more", unknown, "done, 1 more", unknown}},
		{name: "503", play: says(503, "Service unavailable"), want: passing},
		{name: "503 nobody serves", play: answers(503, page+"No server is currently available to service your request."),
			want: rule{broken, "UPSTREAM_ERROR retry ×1", broken, "UPSTREAM_ERROR retry ×1"}},
		{name: "dropped before", play: plays(sandbox.Failure{Drop: "before"}), want: rule{broken, unknown, "UPSTREAM_ERROR retry ×4", unknown}},
		{name: "dropped after", effect: true, play: plays(sandbox.Failure{Drop: "after"}), want: rule{broken, found, "UPSTREAM_ERROR retry ×4", found}},
		{name: "dropped once", passes: true, play: plays(sandbox.Failure{Drop: "before"}), want: rule{"done, 1 more", unknown, "done, 1 more", unknown}},
	}
}

// slowness is what takes longer than a request may.
func slowness() []mishap {
	return []mishap{
		{name: "slow headers", play: plays(sandbox.Failure{DelayMillis: 60_000}), want: rule{"UPSTREAM_TIMEOUT retry ×1", unknown, "UPSTREAM_TIMEOUT retry ×1", unknown}},
		{name: "slow body", effect: true, play: plays(sandbox.Failure{BodyDelayMillis: 60_000}), want: rule{"UPSTREAM_TIMEOUT retry ×1", found, "UPSTREAM_TIMEOUT retry ×1", found}},
	}
}

// befalls reports whether the mishap can befall the request. A node is needed
// where no repository is asked for.
func (m mishap) befalls(request sandbox.Request) bool {
	of := func(field string) bool { return slices.Contains(request.Fields, field) }
	return m.want.of(request) != "" && (m.on == "" || of(m.on)) && (m.on != "node" || !of("repository"))
}

// of is the verdict of the rule about a request.
func (r rule) of(request sandbox.Request) string {
	graphQL := strings.HasSuffix(request.Path, "/graphql")
	switch write := isWrite(request); {
	case graphQL && write:
		return r.mutation
	case graphQL:
		return r.query
	case write:
		return r.change
	}
	return r.get
}
