package transport

import (
	"net"
	"net/url"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// Endpoints are the addresses of one GitHub.
type Endpoints struct {
	REST    *url.URL // ends in a slash
	GraphQL *url.URL

	// WebHost is the host, with its port if it has one, that pasted URLs must
	// name. AnyWebHost lifts that: with the API on this machine nothing on the
	// web can be meant but the thread itself.
	WebHost    string
	AnyWebHost bool
}

// EndpointSettings is what the configuration says; empty means not said.
type EndpointSettings struct {
	APIURL     string // GITHUB_API_URL
	GraphQLURL string // GITHUB_GRAPHQL_URL
	Host       string // GITHUB_HOST or GH_HOST: a host or an address of its root
	ServerURL  string // GITHUB_SERVER_URL
}

// ResolveEndpoints finds the addresses. API URLs win over the host; one API
// URL stands in for the other; nothing at all means github.com. It fails with
// INVALID_ARGUMENTS on anything that is not such an address, and on plain http
// to another machine.
func ResolveEndpoints(s EndpointSettings) (Endpoints, error) {
	host, err := parseHost(s.Host)
	if err != nil {
		return Endpoints{}, err
	}
	e, err := apiOf(s, host)
	if err != nil {
		return Endpoints{}, err
	}
	e.AnyWebHost = IsLoopback(e.REST.Hostname())
	e.WebHost, err = webHost(s, host, e.REST)
	return e, err
}

// apiOf decides the two API addresses.
func apiOf(s EndpointSettings, host *url.URL) (Endpoints, error) {
	rest, err := parseURL("GITHUB_API_URL", s.APIURL)
	if err != nil {
		return Endpoints{}, err
	}
	graphQL, err := parseURL("GITHUB_GRAPHQL_URL", s.GraphQLURL)
	if err != nil {
		return Endpoints{}, err
	}
	switch {
	case rest == nil && graphQL == nil:
		return apiOfHost(host), nil
	case graphQL == nil:
		graphQL = graphQLBeside(rest)
	case rest == nil:
		rest = restBeside(graphQL)
	}
	rest.Path = strings.TrimRight(rest.Path, "/") + "/"
	return Endpoints{REST: rest, GraphQL: graphQL}, nil
}

func graphQLBeside(rest *url.URL) *url.URL {
	graphQL := *rest
	root := strings.TrimRight(rest.Path, "/")
	if base, ok := strings.CutSuffix(root, "/api/v3"); ok {
		graphQL.Path = base + "/api/graphql"
	} else {
		graphQL.Path = root + "/graphql"
	}
	return &graphQL
}

func restBeside(graphQL *url.URL) *url.URL {
	rest := *graphQL
	root := strings.TrimRight(graphQL.Path, "/")
	if base, ok := strings.CutSuffix(root, "/api/graphql"); ok {
		rest.Path = base + "/api/v3"
	} else {
		rest.Path = strings.TrimSuffix(root, "/graphql")
	}
	return &rest
}

// apiOfHost is the API of a GitHub by the host of its web pages.
func apiOfHost(host *url.URL) Endpoints {
	name := host.Hostname()
	if name == "github.com" || strings.HasSuffix(name, ".ghe.com") {
		api := "api." + host.Host
		return Endpoints{
			REST:    &url.URL{Scheme: host.Scheme, Host: api, Path: "/"},
			GraphQL: &url.URL{Scheme: host.Scheme, Host: api, Path: "/graphql"},
		}
	}
	return Endpoints{
		REST:    &url.URL{Scheme: host.Scheme, Host: host.Host, Path: "/api/v3/"},
		GraphQL: &url.URL{Scheme: host.Scheme, Host: host.Host, Path: "/api/graphql"},
	}
}

// webHost decides which host pasted URLs name. Without a server URL and a host
// the API's address tells it.
func webHost(s EndpointSettings, host, rest *url.URL) (string, error) {
	if s.ServerURL != "" {
		server, err := parseAddress("GITHUB_SERVER_URL", s.ServerURL)
		if err != nil {
			return "", err
		}
		return strings.TrimPrefix(server.Host, "www."), nil
	}
	if s.Host == "" && strings.HasSuffix(rest.Path, "/api/v3/") {
		return rest.Host, nil
	}
	if web, ok := strings.CutPrefix(rest.Host, "api."); ok && s.Host == "" && strings.HasSuffix(rest.Hostname(), ".ghe.com") {
		return web, nil
	}
	return host.Host, nil
}

// parseHost reads a host setting; the API's own host names are understood too.
func parseHost(value string) (*url.URL, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return &url.URL{Scheme: "https", Host: "github.com"}, nil
	}
	if !strings.Contains(value, "://") {
		value = "https://" + value
	}
	host, err := parseURL("GITHUB_HOST", value)
	if err != nil {
		return nil, err
	}
	if strings.Trim(host.Path, "/") != "" {
		return nil, badAddress("GITHUB_HOST", "has a path").
			WithFix("Give the host alone, such as github.example.com; for a whole API address use GITHUB_API_URL.")
	}
	name := strings.TrimPrefix(strings.TrimPrefix(host.Host, "www."), "api.")
	if bare, _, _ := strings.Cut(name, ":"); bare == "github.com" || strings.HasSuffix(bare, ".ghe.com") {
		host.Host = name
	}
	return host, nil
}

// parseURL reads the address of an API; nil for an empty value.
func parseURL(name, value string) (*url.URL, error) {
	if strings.TrimSpace(value) == "" {
		return nil, nil
	}
	u, err := parseAddress(name, value)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "http" && !IsLoopback(u.Hostname()) {
		return nil, badAddress(name, "uses plain http to another machine, which would show the token to the network").
			WithFix("Use https://; plain http:// is only for 127.0.0.1, [::1] and localhost.")
	}
	return u, nil
}

// parseAddress reads an http or https address with a host and nothing that an
// address of GitHub does not have. The value is not quoted in errors, because
// it may hold a password.
func parseAddress(name, value string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(value))
	if err != nil {
		return nil, badAddress(name, "is not a URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, badAddress(name, "is not an http(s) URL with a host")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, badAddress(name, "has a user, a query or a fragment, which no address of GitHub has")
	case strings.ContainsAny(u.Host, " \t\\"), strings.HasSuffix(u.Host, ":"):
		return nil, badAddress(name, "has a malformed host")
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: u.Path}, nil
}

func badAddress(name, what string) *fault.Error {
	return fault.New(fault.InvalidArguments, "%s %s", name, what).
		WithFix("Give an address such as https://github.example.com/api/v3.")
}

// IsLoopback reports whether a host, without its port, is this machine itself.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// target is what a request to u is addressed to. Only the exact GraphQL address
// is GraphQL; everything else at either origin is REST.
func (e Endpoints) target(u *url.URL) target {
	switch {
	case e.GraphQL != nil && sameOrigin(e.GraphQL, u) && strings.TrimRight(e.GraphQL.Path, "/") == strings.TrimRight(u.Path, "/"):
		return graphQL
	case e.GraphQL != nil && sameOrigin(e.GraphQL, u), e.REST != nil && sameOrigin(e.REST, u):
		return rest
	}
	return foreign
}

// sameOrigin compares scheme, host and port as browsers do.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}
