package sandbox_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

func TestOneCommentHasTwoIDs(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for name, id := range map[string]string{
		"legacy": "MDE3OkRpc2N1c3Npb25Db21tZW50MjAwMDAwMQ==",
		"new":    "DC_kwDODSw4pM4AHoSB",
	} {
		t.Run(name, func(t *testing.T) {
			got := must(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { __typename id ... on DiscussionComment { databaseId discussion { number } } } }`, "id", id)
			want := map[string]any{"__typename": "DiscussionComment", "id": "DC_kwDODSw4pM4AHoSB", "databaseId": 2000001.0, "discussion": map[string]any{"number": 12.0}}
			if diff := cmp.Diff(want, got.at("node")); diff != "" {
				t.Errorf("node (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhichIDsGoOut(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	query, err := json.Marshal(map[string]string{"query": `{ ` + home + ` { old: discussion(number: 12) { id } young: discussion(number: 3) { id } } }`})
	if err != nil {
		t.Fatal(err)
	}
	for next, want := range map[bool]string{
		false: `{"data":{"repository":{"old":{"id":"MDEwOkRpc2N1c3Npb245MDAwMDEy"},"young":{"id":"D_kwDODSw4pM4AiVRD"}}}}`,
		true:  `{"data":{"repository":{"old":{"id":"D_kwDODSw4pM4AiVRM"},"young":{"id":"D_kwDODSw4pM4AiVRD"}}}}`,
	} {
		if _, raw := post(t, s, tokenTransport{token: sandbox.ReadToken, nextIDs: next}, query); raw != want {
			t.Errorf("X-GitHub-Next-Global-ID %t: got %s, want %s", next, raw, want)
		}
	}
}

func TestEveryNodeFindsItself(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ viewer { id } `+home+` {
		id owner { id } label(name: "bug") { id } discussionCategory(slug: "ideas") { id }
		discussion(number: 3) { id author { ... on User { id } } }
		bot: discussion(number: 23) { comments(last: 1) { nodes { author { ... on Bot { id } } } } }
		mannequin: discussion(number: 12) { author { ... on Mannequin { id } } }
		large: discussion(number: 21) { comments(first: 5) { nodes { id databaseId replies(first: 1) { nodes { id } } } } }
		year: discussion(number: 5) { comments(last: 1) { nodes { id } } }
		issue(number: 101) { id comments(first: 1) { nodes { id } } projectItems(first: 2) { nodes { id project { id fields(first: 9) { nodes { ... on Node { id } } } } } } }
		milestone(number: 1) { id } issueType(name: "Bug") { id }
		pullRequest(number: 201) { id reviews(first: 1) { nodes { id } } reviewThreads(first: 1) { nodes { id comments(first: 1) { nodes { id } } } } commits(last: 1) { nodes { commit { id } } }
			reviewRequests(last: 1) { nodes { requestedReviewer { ... on Team { id } } } } }
		merged: pullRequest(number: 203) { mergeCommit { id } }
		long: issue(number: 102) { comments(last: 1) { nodes { id } } } numbered: issue(number: 103) { comments(last: 1) { nodes { id } } }
	} }`)
	found := map[string]string{}
	collect(got.Data, found)
	if len(found) < 35 {
		t.Fatalf("only %d ids in %s", len(found), got.raw)
	}
	var ids []string
	for id := range found {
		ids = append(ids, id)
	}
	nodes := must(t, s, sandbox.ReadToken, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, "ids", ids)
	for i, id := range ids {
		if got := nodes.text("nodes", i, "id"); got != id {
			t.Errorf("nodes gave %q for %q", got, id)
		}
	}
}

func collect(value any, into map[string]string) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if id, ok := member.(string); ok && name == "id" {
				into[id] = id
			}
			collect(member, into)
		}
	case []any:
		for _, element := range value {
			collect(element, into)
		}
	}
}

func TestIssuesOfTheOldDaysHaveLegacyIDs(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	for legacy, want := range map[string]string{
		"MDU6SXNzdWU3MDAwMTIz":             "I_kwDODSw4pM4AatA7",
		"MDEyOklzc3VlQ29tbWVudDE0MDEyMzAx": "IC_kwDODSw4pM4A1c-N",
	} {
		got := must(t, s, sandbox.ReadToken, `query($id: ID!) { node(id: $id) { id } }`, "id", legacy)
		if got.text("node", "id") != want {
			t.Errorf("%s finds %s, want %s", legacy, got.raw, want)
		}
	}
}

func TestLargeNumbers(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	got := must(t, s, sandbox.ReadToken, `{ `+home+` { discussion(number: 21) { comments(first: 5) { nodes { id databaseId url } } } } }`)
	want := []any{
		map[string]any{"id": "DC_kwDODSw4pM5_____", "databaseId": 2147483647.0, "url": "https://github.com/octo-org/hello/discussions/21#discussioncomment-2147483647"},
		map[string]any{"id": "DC_kwDODSw4pM6AAAAA", "databaseId": nil, "url": "https://github.com/octo-org/hello/discussions/21#discussioncomment-2147483648"},
		map[string]any{"id": "DC_kwDODSw4pM8AAAABO_-ziw", "databaseId": nil, "url": "https://github.com/octo-org/hello/discussions/21#discussioncomment-5301580683"},
	}
	if diff := cmp.Diff(want, got.at("repository", "discussion", "comments", "nodes")); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
}

func TestIDsThatAreNoIDs(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	ids := []string{"", "zzz", "DC_", "DC_kwDO", "DC_kwDODSw4pM4AHoSBAA", "PVTI_kwDODSw4pM4AHoSB", "MDE3OkRpc2N1c3Npb25Db21tZW50", "D_kwDODSw4pM4AHoSB", "DC_kwDODSw4pc4AHoSB"}
	got := ask(t, s, sandbox.ReadToken, `query($ids: [ID!]!) { some: nodes(ids: $ids) { id } }`, "ids", ids)
	if len(got.Errors) != len(ids) {
		t.Fatalf("%d errors for %d ids: %s", len(got.Errors), len(ids), got.raw)
	}
	for i, id := range ids {
		e := got.Errors[i]
		if e.Type != "NOT_FOUND" || e.Message != "Could not resolve to a node with the global id of '"+id+"'" || !cmp.Equal(e.Path, []any{"some", float64(i)}) {
			t.Errorf("%q: %+v", id, e)
		}
		if got.at("some", i) != nil {
			t.Errorf("%q found %v", id, got.at("some", i))
		}
	}
}
