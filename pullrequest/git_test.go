package pullrequest

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// TestTokenIsInTheEnvironmentAlone: it goes to one server, and neither into
// arguments nor into any file.
func TestTokenIsInTheEnvironmentAlone(t *testing.T) {
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "user.name")
	t.Setenv("GIT_CONFIG_VALUE_0", "somebody")
	t.Setenv("GIT_DIR", "/elsewhere")
	signed := newGit(t.TempDir()).withToken("https://github.com", "ghp_secret")
	value := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:ghp_secret"))
	for setting, want := range map[string]string{
		"http.https://github.com/.extraHeader": value, "user.name": "somebody", "core.hooksPath": "/dev/null",
	} {
		got, err := signed.run(t.Context(), "config", "--get", setting)
		if err != nil || got != want {
			t.Errorf("%s = %q, %v, want %q", setting, got, err, want)
		}
	}
	if other, err := signed.run(t.Context(), "config", "--get-urlmatch", "http.extraHeader", "https://example.test/x"); err == nil {
		t.Errorf("another server would get %q", other)
	}
	if slices.ContainsFunc(signed.env, func(v string) bool { return strings.HasPrefix(v, "GIT_DIR=") }) {
		t.Error("GIT_DIR was inherited")
	}
}

func TestRemotesOfTheRepository(t *testing.T) {
	repo := ref.Repo{Owner: "octo-org", Name: "hello"}
	for address, want := range map[string]bool{
		"https://github.com/octo-org/hello": true, "https://github.com/Octo-Org/Hello.git": true, "git@github.com:octo-org/hello.git": true,
		"ssh://git@github.com/octo-org/hello.git": true, "ssh://git@ssh.github.com:443/octo-org/hello.git": true, "github.com:octo-org/hello": true,
		"https://github.com/octo-org/hello/": true,
		"https://evil.test/octo-org/hello":   false, "https://github.com.evil.test/octo-org/hello": false, "https://github.com/a/octo-org/hello": false,
		"https://github.com/octo-org/other": false, "/srv/octo-org/hello.git": false, "file:///octo-org/hello.git": false, "../octo-org/hello": false,
		"ext::sh -c x octo-org/hello": false, "": false, "github.com": false,
	} {
		c := &checkout{pull: pull{repo, 7}, service: New(Options{Web: ref.Web{Host: "github.com"}})}
		if got := c.isOurs(address); got != want {
			t.Errorf("isOurs(%q) = %t, want %t", address, got, want)
		}
	}
}
