package ref_test

import (
	"encoding/base64"
	"math"
	"testing"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

func TestDecodeNodeID(t *testing.T) {
	for id, want := range map[string]ref.NodeID{
		"IC_kwDODSospM4hM0EW":                  {Type: "IC_", RepoID: 220867748, DatabaseID: 557007126},
		"IC_kwDODSospM8AAAABBUSMzg":            {Type: "IC_", RepoID: 220867748, DatabaseID: 4383345870},
		"MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNg==": {Type: "IssueComment", DatabaseID: 557007126, Legacy: true},
		"MDQ6VXNlcjE=":                         {Type: "User", DatabaseID: 1, Legacy: true},
		"ABCDEFGHIJ_kwDODSospM4hM0EW":          {Type: "ABCDEFGHIJ_", RepoID: 220867748, DatabaseID: 557007126},
	} {
		got, ok := ref.DecodeNodeID(id)
		if !ok || got != want {
			t.Errorf("DecodeNodeID(%q) = %+v, %v, want %+v", id, got, ok, want)
		}
		if got.String() != id {
			t.Errorf("%q is spelled back as %q", id, got)
		}
	}
}

func TestNodeIDsOfEveryWidth(t *testing.T) {
	widths := []int64{1, 127, 128, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64}
	for _, repoID := range append(widths, 0) {
		for _, databaseID := range widths {
			want := ref.NodeID{Type: ref.PrefixDiscussionComment, RepoID: repoID, DatabaseID: databaseID}
			id := ref.EncodeNodeID(want.Type, repoID, databaseID)
			if got, ok := ref.DecodeNodeID(id); !ok || got != want {
				t.Errorf("%q decodes to %+v, %v, want %+v", id, got, ok, want)
			}
		}
	}
}

func TestNodeIDOfFourParts(t *testing.T) {
	want := ref.NodeID{Type: ref.PrefixProjectItem, OwnerID: 9919, RepoID: 70000, DatabaseID: 1 << 33}
	id := want.String()
	if got, ok := ref.DecodeNodeID(id); !ok || got != want || got.TypeName() != "ProjectV2Item" {
		t.Errorf("%q decodes to %+v, %v, want %+v", id, got, ok, want)
	}
}

func TestTypeNames(t *testing.T) {
	for prefix, want := range map[string]string{
		"D_": "Discussion", "DC_": "DiscussionComment", "DIC_": "DiscussionCategory", "I_": "Issue", "IC_": "IssueComment",
		"PR_": "PullRequest", "PRR_": "PullRequestReview", "PRRC_": "PullRequestReviewComment", "PRRT_": "PullRequestReviewThread",
		"LA_": "Label", "MI_": "Milestone", "O_": "Organization", "PVT_": "ProjectV2", "PVTI_": "ProjectV2Item",
		"R_": "Repository", "U_": "User", "ZZZ_": "",
	} {
		if got := (ref.NodeID{Type: prefix}).TypeName(); got != want {
			t.Errorf("%s is the prefix of %q, want %q", prefix, got, want)
		}
	}
}

func TestNumberOf(t *testing.T) {
	for _, test := range []struct {
		name       string
		databaseID int64
		nodeID     string
		want       int64
	}{
		{"what GitHub tells", 12, "IC_kwDODSospM4hM0EW", 12},
		{"else what the id shows", 0, "IC_kwDODSospM8AAAABBUSMzg", 4383345870},
		{"of an id that shows nothing", 12, "IC_kwDOA", 12},
		{"neither", 0, "IC_kwDOA", 0},
	} {
		if got := ref.NumberOf(test.databaseID, test.nodeID); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestEncodeNodeIDRefusesWhatIsNoID(t *testing.T) {
	for _, ids := range [][2]int64{{1, 0}, {1, -1}, {-1, 1}} {
		if got := ref.EncodeNodeID(ref.PrefixIssue, ids[0], ids[1]); got != "" {
			t.Errorf("EncodeNodeID(I_, %d, %d) = %q, want none", ids[0], ids[1], got)
		}
	}
}

func TestDecodeNodeIDRefuses(t *testing.T) {
	packed := func(bytes ...byte) string { return "IC_" + base64.RawURLEncoding.EncodeToString(bytes) }
	legacy := func(plain string) string { return base64.StdEncoding.EncodeToString([]byte(plain)) }
	for name, id := range map[string]string{
		"empty": "", "prefix alone": "IC_", "short": "IC_kw", "lower case": "ic_kwDODSospM4hM0EW", "long prefix": "ABCDEFGHIJK_kwDODSospM4hM0EW",
		"opaque": "IC_kwDOA", "padded": "IC_kwDODSospM8AAAABBUSMzg==", "line break": "IC_kwDODSos\npM4hM0EW", "stray bits": "IC_kwDODSospM8AAAABBUSMzh",
		"not an array": packed(0x80, 0, 1), "no zero": packed(0x93, 1, 1, 1), "too few": packed(0x91, 0, 1), "too many": packed(0x95, 0, 1, 1, 1, 1),
		"trailing byte": packed(0x92, 0, 1, 1), "cut integer": packed(0x92, 0, 0xce, 1), "wider than needed": packed(0x92, 0, 0xcd, 0, 1), "255 in two bytes": packed(0x92, 0, 0xcd, 0, 0xff),
		"2^32-1 in eight bytes": packed(0x92, 0, 0xcf, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff),
		"over 2^63-1":           packed(0x92, 0, 0xcf, 0xff, 0, 0, 0, 0, 0, 0, 0), "a zero id": packed(0x93, 0, 1, 0), "negative": packed(0x92, 0, 0xff),
		"legacy without digits": legacy("012:IssueComment"), "legacy without a type": legacy("00:1"), "legacy type of two words": legacy("013:Issue Comment1"), "legacy with a sign": legacy("012:IssueComment-1"), "legacy leading zero": legacy("012:IssueComment01"),
		"legacy wrong length": legacy("013:IssueComment1"), "legacy no length": legacy(":IssueComment1"), "legacy line break": "MDEyOklzc3VlQ29t\nbWVudDU1NzAwNzEyNg==",
		"legacy without padding": "MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNg", "legacy stray bits": "MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNh==", "legacy commit": legacy("06:Commit1:abc"),
	} {
		if got, ok := ref.DecodeNodeID(id); ok {
			t.Errorf("%s: DecodeNodeID(%q) = %+v, want none", name, id, got)
		}
	}
}

func FuzzDecodeNodeID(f *testing.F) {
	for _, seed := range []string{"", "IC_kwDODSospM4hM0EW", "IC_kwDODSospM8AAAABBUSMzg", "PVTI_lADOAAFqls4", "MDEyOklzc3VlQ29tbWVudDU1NzAwNzEyNg==", "U_kgDOAA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		decoded, ok := ref.DecodeNodeID(id)
		if !ok {
			return
		}
		if decoded.String() != id {
			t.Fatalf("%q decodes to %+v, which is spelled %q", id, decoded, decoded)
		}
		if decoded.DatabaseID <= 0 || decoded.RepoID < 0 || decoded.OwnerID < 0 {
			t.Fatalf("%q decodes to impossible numbers: %+v", id, decoded)
		}
	})
}
