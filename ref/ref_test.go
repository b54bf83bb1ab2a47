package ref_test

import (
	"strings"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

var home = ref.Repo{Owner: "octo-org", Name: "hello"}

func TestParseRepo(t *testing.T) {
	for value, want := range map[string]ref.Repo{
		"other":                            {Owner: "octo-org", Name: "other"},
		"someone/else":                     {Owner: "someone", Name: "else"},
		"Octo-Org/Hello":                   {Owner: "Octo-Org", Name: "Hello"},
		"corp_user/.github":                {Owner: "corp_user", Name: ".github"},
		"o/x.github":                       {Owner: "o", Name: "x.github"},
		"o/" + strings.Repeat("n", 100):    {Owner: "o", Name: strings.Repeat("n", 100)},
		strings.Repeat("o", 39) + "/a.b_c": {Owner: strings.Repeat("o", 39), Name: "a.b_c"},
	} {
		got, err := ref.ParseRepo(value, home)
		if err != nil || got != want {
			t.Errorf("ParseRepo(%q) = %v, %v, want %v", value, got, err, want)
		}
	}
}

func TestParseRepoRefuses(t *testing.T) {
	for name, value := range map[string]string{
		"empty": "", "blank": " ", "leading blank": " hello", "trailing blank": "hello ", "blank at the slash": "octo-org /hello",
		"backslash": `octo\hello`, "two slashes": "a/b/c", "a slash at the end": "octo-org/hello/", "no name": "octo-org/", "no owner": "/hello", "a slash": "/",
		"dot": ".", "dots": "..", "dot name": "o/.", "dots name": "o/..", "dots owner": "../hello", "dot in the owner": "o.o/hello",
		"long owner": strings.Repeat("o", 40) + "/hello", "long name": strings.Repeat("n", 101),
		"newline": "hello\n", "NUL": "hel\x00lo", "letter of another script": "héllo", "zero width": "hello\u200b", "broken UTF-8": "hel\xfflo",
		"percent": "o/hel%6co", "URL": "https://github.com/octo-org/hello", "at": "@octo-org/hello", "fragment": "octo-org/hello#1",
		"address for git": "octo-org/hello.git", "the same in capitals": "hello.GIT", "nothing else": ".git",
	} {
		got, err := ref.ParseRepo(value, home)
		if !fault.Is(err, fault.RepositoryTargetInvalid) || !got.IsZero() {
			t.Errorf("%s: ParseRepo(%q) = %v, %v, want REPOSITORY_TARGET_INVALID", name, value, got, err)
		}
	}
}

func TestRejectedRepoIsShownAndCut(t *testing.T) {
	_, err := ref.ParseRepo(" octo\x1b[2J", home)
	public := fault.From(err).Public()
	if public["rejectedRepo"] != " octo\x1b[2J" {
		t.Errorf("rejectedRepo = %q, want the value as it came", public["rejectedRepo"])
	}
	if message := public["message"].(string); !strings.Contains(message, `" octo\x1b[2J"`) {
		t.Errorf("message %q should quote the value with its control characters escaped", message)
	}
	_, err = ref.ParseRepo(strings.Repeat("ü", 500), home)
	if got, want := fault.From(err).Details["rejectedRepo"], strings.Repeat("ü", 200)+"…"; got != want {
		t.Errorf("rejectedRepo = %q, want 200 runes and an ellipsis", got)
	}
}

func TestBareNameNeedsAHomeOwner(t *testing.T) {
	_, err := ref.ParseRepo("hello", ref.Repo{})
	if !fault.Is(err, fault.RepositoryTargetInvalid) || !strings.Contains(fault.From(err).Fix, `"owner/hello"`) {
		t.Errorf("error %v with fix %q, want one that says to write owner/hello", err, fault.From(err).Fix)
	}
	if got, err := ref.ParseRepo("o/hello", ref.Repo{}); err != nil || got.String() != "o/hello" {
		t.Errorf("ParseRepo(o/hello) without home = %v, %v", got, err)
	}
}

func TestRepoEqualIgnoresLetterCase(t *testing.T) {
	for other, want := range map[ref.Repo]bool{
		{Owner: "OCTO-org", Name: "Hello"}: true,
		{Owner: "octo-org", Name: "hell"}:  false,
		{Owner: "octo", Name: "hello"}:     false,
		{Owner: "octo-org"}:                false,
	} {
		if got := home.Equal(other); got != want {
			t.Errorf("%s equals %s: %t, want %t", home, other, got, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	if got := (ref.Thread{Repo: home, Kind: ref.Issue, Number: 7}).String(); got != "octo-org/hello#7" {
		t.Errorf("a thread's address is %q", got)
	}
	for repo, want := range map[ref.Repo]bool{{}: true, {Owner: "octo-org"}: false, {Name: "hello"}: false, home: false} {
		if got := repo.IsZero(); got != want {
			t.Errorf("%q is zero: %t, want %t", repo, got, want)
		}
	}
}

func TestTarget(t *testing.T) {
	name, blank := "other", ""
	for _, test := range []struct {
		name  string
		named *string
		home  ref.Repo
		want  ref.Repo // zero: refused
	}{
		{"absent", nil, home, home},
		{"absent, without a home", nil, ref.Repo{}, ref.Repo{}},
		{"a name", &name, home, ref.Repo{Owner: "octo-org", Name: "other"}},
		{"a name, without a home", &name, ref.Repo{}, ref.Repo{}},
		{"blank is not absent", &blank, home, ref.Repo{}},
	} {
		got, err := ref.Target(test.named, test.home)
		if got != test.want || fault.Is(err, fault.RepositoryTargetInvalid) != test.want.IsZero() {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}

func FuzzParseRepo(f *testing.F) {
	for _, seed := range []string{"", "hello", "octo-org/hello", "a/b/c", "..", " x", "o/\u200b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		repo, err := ref.ParseRepo(value, home)
		if err != nil {
			if !fault.Is(err, fault.RepositoryTargetInvalid) {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if value != repo.Name && value != repo.String() {
			t.Fatalf("%q was corrected to %v", value, repo)
		}
		if again, err := ref.ParseRepo(repo.String(), ref.Repo{}); err != nil || again != repo {
			t.Fatalf("%v reads back as %v, %v", repo, again, err)
		}
	})
}
