package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// arguments are those that a field of the schema cannot do without.
var arguments = map[string]string{
	"Repository.discussion": `(number: 6)`, "Repository.label": `(name: "bug")`, "Repository.discussionCategory": `(slug: "q-a")`,
	"Repository.issue": `(number: 101)`, "Repository.pullRequest": `(number: 201)`, "Repository.issueOrPullRequest": `(number: 104)`,
	"Repository.milestone": `(number: 1)`, "Repository.issueType": `(name: "bug")`, "Repository.projectV2": `(number: 1)`,
	"Organization.projectV2": `(number: 1)`, "Organization.team": `(slug: "core")`, "ProjectV2.field": `(name: "Sprint")`,
	"ProjectV2Item.fieldValueByName": `(name: "Estimate")`,
}

// everything selects all fields of a type, depth levels down.
func everything(schema *ast.Schema, name string, depth int) string {
	var out strings.Builder
	definition := schema.Types[name]
	if definition.Kind == ast.Interface || definition.Kind == ast.Union {
		for _, possible := range schema.GetPossibleTypes(definition) {
			fmt.Fprintf(&out, "... on %s { %s } ", possible.Name, everything(schema, possible.Name, depth))
		}
		return out.String()
	}
	for _, field := range definition.Fields {
		if name+"."+field.Name == "User.projectV2" { // NOT_FOUND: only the organization has projects
			continue
		}
		result := field.Type.Name()
		args := arguments[name+"."+field.Name]
		if strings.HasSuffix(result, "Connection") {
			args = "(first: 1)"
		}
		selected := ""
		if schema.Types[result].IsCompositeType() {
			if depth == 0 {
				continue
			}
			selected = " { __typename " + everything(schema, result, depth-1) + " }"
		}
		fmt.Fprintf(&out, "%s_%s: %s%s%s ", name, field.Name, field.Name, args, selected)
	}
	return out.String()
}

// depth is how deep a query can go before it is too large for the engine.
func depth(typeName string) int {
	switch typeName {
	case "Repository", "PullRequest", "Issue", "Discussion", "SearchResultItemConnection", "GitObject", "ReactionGroup":
		return 2
	case "ProjectV2FieldConfigurationConnection":
		return 4
	}
	return 3
}

func TestEveryFieldAnswers(t *testing.T) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: sandbox.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox.StartTest(t, sandbox.Options{})
	asked := map[string]bool{}
	const reacted = `node(id: "MDE3OkRpc2N1c3Npb25Db21tZW50MTIwMDA2MDI=")` // comment 12000602
	for template, typeName := range map[string]string{
		`viewer { %s }`: "User", `rateLimit { %s }`: "RateLimit", `user(login: "ada-mensah") { %s }`: "User",
		`repositoryOwner(login: "octo-org") { %s }`: "RepositoryOwner", home + ` { %s }`: "Repository",
		`search(query: "is:answered", type: DISCUSSION, first: 1) { %s }`:                                         "SearchResultItemConnection",
		reacted + ` { ... on DiscussionComment { reactionGroups { %s } } }`:                                       "ReactionGroup",
		reacted + ` { ... on DiscussionComment { reactions(first: 1) { %s } } }`:                                  "ReactionConnection",
		home + ` { discussion(number: 6) { %s } }`:                                                                "Discussion",
		home + ` { issue(number: 101) { %s } }`:                                                                   "Issue",
		home + ` { issue(number: 104) { subIssues(first: 1) { %s } } }`:                                           "IssueConnection",
		home + ` { issue(number: 103) { comments(first: 1) { %s } } }`:                                            "IssueCommentConnection",
		home + ` { pullRequest(number: 201) { %s } }`:                                                             "PullRequest",
		home + ` { pullRequest(number: 201) { headRef { target { %s } } } }`:                                      "GitObject",
		home + ` { pullRequest(number: 214) { statusCheckRollup { %s } } }`:                                       "StatusCheckRollup",
		home + ` { pullRequest(number: 201) { reviewRequests(last: 1) { %s } } }`:                                 "ReviewRequestConnection",
		home + ` { pullRequest(number: 201) { reviewThreads(last: 1) { %s } } }`:                                  "PullRequestReviewThreadConnection",
		home + ` { pullRequest(number: 201) { reviews(last: 1) { %s } } }`:                                        "PullRequestReviewConnection",
		home + ` { projectV2(number: 1) { items(first: 1) { %s } } }`:                                             "ProjectV2ItemConnection",
		home + ` { projectV2(number: 1) { items(first: 1) { nodes { fieldValues(first: 9) { %s } } } } }`:         "ProjectV2ItemFieldValueConnection",
		home + ` { pullRequest(number: 201) { reviewThreads(last: 1) { nodes { comments(first: 1) { %s } } } } }`: "PullRequestReviewCommentConnection",
		home + ` { pullRequest(number: 214) { statusCheckRollup { contexts(last: 1) { %s } } } }`:                 "StatusCheckRollupContextConnection",
		home + ` { pullRequests(first: 1) { %s } }`:                                                               "PullRequestConnection", home + ` { labels(first: 1) { %s } }`: "LabelConnection",
		home + ` { milestones(first: 1) { %s } }`: "MilestoneConnection", home + ` { discussions(first: 1) { %s } }`: "DiscussionConnection",
		home + ` { issueTypes(first: 1) { %s } }`: "IssueTypeConnection", home + ` { discussionCategories(first: 1) { %s } }`: "DiscussionCategoryConnection",
		home + ` { projectsV2(first: 1) { %s } }`: "ProjectV2Connection", home + ` { discussion(number: 6) { comments(first: 1) { %s } } }`: "DiscussionCommentConnection",
		home + ` { pullRequest(number: 201) { files(last: 1) { %s } } }`: "PullRequestChangedFileConnection", home + ` { pullRequest(number: 201) { commits(last: 1) { %s } } }`: "PullRequestCommitConnection",
		home + ` { assignableUsers(first: 1) { %s } }`:                                             "UserConnection",
		reacted + ` { ... on DiscussionComment { reactionGroups { users(first: 1) { %s } } } }`:    "ReactingUserConnection",
		reacted + ` { ... on DiscussionComment { reactionGroups { reactors(first: 1) { %s } } } }`: "ReactorConnection",
		home + ` { projectV2(number: 1) { fields(first: 9) { %s } } }`:                             "ProjectV2FieldConfigurationConnection",
	} {
		query := everything(schema, typeName, depth(typeName))
		got := must(t, s, sandbox.WriteToken, fmt.Sprintf("{ root: "+template+" }", query))
		if got.at("root") == nil {
			t.Errorf("%s is null", template)
		}
		for word := range strings.FieldsSeq(query) {
			if alias, isAlias := strings.CutSuffix(word, ":"); isAlias && strings.Contains(got.raw, `"`+alias+`"`) {
				asked[alias] = true
			}
		}
	}
	for _, definition := range schema.Types {
		if definition.BuiltIn || definition.Kind != ast.Object || strings.HasSuffix(definition.Name, "Payload") || definition == schema.Query || definition == schema.Mutation {
			continue
		}
		for _, field := range definition.Fields {
			if alias := definition.Name + "_" + field.Name; !asked[alias] && !strings.HasPrefix(field.Name, "__") && definition.Name != "Mannequin" && definition.Name != "Bot" && alias != "User_projectV2" {
				t.Errorf("%s.%s was never answered", definition.Name, field.Name)
			}
		}
	}
}

func TestRateLimit(t *testing.T) {
	s := sandbox.StartTest(t, sandbox.Options{})
	must(t, s, sandbox.ReadToken, `{ viewer { login } }`)
	got := must(t, s, sandbox.ReadToken, `{ rateLimit { cost limit remaining used nodeCount resetAt } `+home+` { discussions(first: 10) { nodes { comments(first: 5) { nodes { id } } } } } }`)
	for field, want := range map[string]float64{"cost": 1, "limit": 5000, "used": 2, "remaining": 4998, "nodeCount": 60} {
		if got.at("rateLimit", field) != want {
			t.Errorf("%s is %v, want %v", field, got.at("rateLimit", field), want)
		}
	}
	parse(t, got.text("rateLimit", "resetAt"))
}
