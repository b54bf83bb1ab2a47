package transport_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

func TestResolveEndpoints(t *testing.T) {
	type settings = transport.EndpointSettings
	type want struct {
		REST, GraphQL, Web string
		AnyWeb             bool
	}
	tests := []struct {
		name string
		set  settings
		want want
	}{
		{"nothing set", settings{}, want{"https://api.github.com/", "https://api.github.com/graphql", "github.com", false}},
		{"github.com", settings{Host: "github.com"}, want{"https://api.github.com/", "https://api.github.com/graphql", "github.com", false}},
		{"any spelling of github.com", settings{Host: " https://WWW.GitHub.com/ "}, want{"https://api.github.com/", "https://api.github.com/graphql", "github.com", false}},
		{"the API's host of github.com", settings{Host: "api.github.com"}, want{"https://api.github.com/", "https://api.github.com/graphql", "github.com", false}},
		{"data residency", settings{Host: "octo.ghe.com"}, want{"https://api.octo.ghe.com/", "https://api.octo.ghe.com/graphql", "octo.ghe.com", false}},
		{"data residency by its API host", settings{Host: "https://api.octo.ghe.com"}, want{"https://api.octo.ghe.com/", "https://api.octo.ghe.com/graphql", "octo.ghe.com", false}},
		{"GHES with slash (A54)", settings{Host: "https://ghe.example.test/"}, want{"https://ghe.example.test/api/v3/", "https://ghe.example.test/api/graphql", "ghe.example.test", false}},
		{"GHES with port", settings{Host: "ghe.example.test:8443"}, want{"https://ghe.example.test:8443/api/v3/", "https://ghe.example.test:8443/api/graphql", "ghe.example.test:8443", false}},
		{"a host that only sounds like GitHub", settings{Host: "notgithub.com"}, want{"https://notgithub.com/api/v3/", "https://notgithub.com/api/graphql", "notgithub.com", false}},
		{"loopback host, plain", settings{Host: "http://127.0.0.1:9999"}, want{"http://127.0.0.1:9999/api/v3/", "http://127.0.0.1:9999/api/graphql", "127.0.0.1:9999", true}},
		{"IPv6 loopback", settings{Host: "http://[::1]:9999/"}, want{"http://[::1]:9999/api/v3/", "http://[::1]:9999/api/graphql", "[::1]:9999", true}},
		{"both API URLs win over the host", settings{APIURL: "https://a.test/rest", GraphQLURL: "https://b.test/gql", Host: "ghe.example.test"},
			want{"https://a.test/rest/", "https://b.test/gql", "ghe.example.test", false}},
		{"only the API URL, GHES", settings{APIURL: "https://ghe.example.test/api/v3"}, want{"https://ghe.example.test/api/v3/", "https://ghe.example.test/api/graphql", "ghe.example.test", false}},
		{"only the API URL, slash and prefix", settings{APIURL: "https://ghe.example.test/x/api/v3/"}, want{"https://ghe.example.test/x/api/v3/", "https://ghe.example.test/x/api/graphql", "ghe.example.test", false}},
		{"only the API URL, github.com", settings{APIURL: "https://api.github.com"}, want{"https://api.github.com/", "https://api.github.com/graphql", "github.com", false}},
		{"only the API URL, data residency", settings{APIURL: "https://api.octo.ghe.com/"}, want{"https://api.octo.ghe.com/", "https://api.octo.ghe.com/graphql", "octo.ghe.com", false}},
		{"only the API URL, another path", settings{APIURL: "https://proxy.test/github/"}, want{"https://proxy.test/github/", "https://proxy.test/github/graphql", "github.com", false}},
		{"only the API URL, loopback", settings{APIURL: "http://localhost:8080/api/v3"}, want{"http://localhost:8080/api/v3/", "http://localhost:8080/api/graphql", "localhost:8080", true}},
		{"only the GraphQL URL, GHES", settings{GraphQLURL: "https://ghe.example.test/api/graphql"}, want{"https://ghe.example.test/api/v3/", "https://ghe.example.test/api/graphql", "ghe.example.test", false}},
		{"only the GraphQL URL, github.com", settings{GraphQLURL: "https://api.github.com/graphql"}, want{"https://api.github.com/", "https://api.github.com/graphql", "github.com", false}},
		{"the server URL names the web host", settings{APIURL: "https://a.test/rest", ServerURL: "https://Web.Example.test/"}, want{"https://a.test/rest/", "https://a.test/rest/graphql", "web.example.test", false}},
		{"as GitHub Actions sets them", settings{APIURL: "https://api.github.com", GraphQLURL: "https://api.github.com/graphql", ServerURL: "https://github.com"},
			want{"https://api.github.com/", "https://api.github.com/graphql", "github.com", false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := transport.ResolveEndpoints(tt.set)
			if err != nil {
				t.Fatal(err)
			}
			got := want{e.REST.String(), e.GraphQL.String(), e.WebHost, e.AnyWebHost}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadEndpointsAreRefused(t *testing.T) {
	type settings = transport.EndpointSettings
	tests := []struct {
		name string
		set  settings
		says string
	}{
		{"plain http API", settings{APIURL: "http://ghe.example.test/api/v3"}, "GITHUB_API_URL uses plain http"},
		{"plain http GraphQL", settings{APIURL: "https://ghe.example.test/api/v3", GraphQLURL: "http://ghe.example.test/api/graphql"}, "GITHUB_GRAPHQL_URL uses plain http"},
		{"plain http host", settings{Host: "http://ghe.example.test"}, "GITHUB_HOST uses plain http"},
		{"a name that begins like loopback", settings{APIURL: "http://127.0.0.1.example.test/"}, "plain http"},
		{"another scheme", settings{APIURL: "ftp://ghe.example.test/"}, "not an http(s) URL"},
		{"no host", settings{APIURL: "https:///api/v3"}, "not an http(s) URL with a host"},
		{"no URL", settings{APIURL: "https://ghe example/%zz"}, "is not a URL"},
		{"a host with a path", settings{Host: "ghe.example.test/api/v3"}, "has a path"},
		{"credentials", settings{APIURL: "https://me:s3cret@ghe.example.test/api/v3"}, "has a user"},
		{"a query", settings{GraphQLURL: "https://ghe.example.test/graphql?token=s3cret"}, "a query"},
		{"empty port", settings{Host: "ghe.example.test:"}, "malformed host"},
		{"server URL", settings{ServerURL: "github.com"}, "GITHUB_SERVER_URL is not an http(s) URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := transport.ResolveEndpoints(tt.set)
			if !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), tt.says) || fault.From(err).Fix == "" {
				t.Errorf("err = %v, want INVALID_ARGUMENTS with %q and a fix", err, tt.says)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v quotes a secret", err)
			}
		})
	}
}
