package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

func listed(tools ...string) func(string) bool {
	return func(tool string) bool { return slices.Contains(tools, tool) }
}

func prompt(t *testing.T, name string) *contract.Prompt {
	t.Helper()
	p, ok := board(t).Prompt(name)
	if !ok {
		t.Fatalf("there is no prompt %s", name)
	}
	return p
}

func TestPromptText(t *testing.T) {
	all := listed("list_cards", "ping", "write_card")
	for name, test := range map[string]struct {
		arguments map[string]string
		listed    func(string) bool
		want      []string
	}{
		"everything":          {map[string]string{"card": "7", "tone": "kindly"}, all, []string{"Card 7, please.", "Look with list_cards, ping.", "Answer with write_card, kindly.", "Be kindly about 7."}},
		"without an argument": {map[string]string{"card": "#7"}, all, []string{"Card 7, please.", "Look with list_cards, ping.", "Answer with write_card."}},
		"without a tool":      {map[string]string{"card": "7"}, listed("ping", "write_card"), []string{"Card 7, please.", "Look with ping.", "Answer with write_card."}},
		"without any tool":    {map[string]string{"card": "7", "tone": "kindly"}, listed(), []string{"Card 7, please.", "Be kindly about 7."}},
		"nothing is filled in twice": {map[string]string{"card": "7", "tone": "\n {card}\t{tools} "}, listed("write_card"),
			[]string{"Card 7, please.", "Answer with write_card, {card} {tools}.", "Be {card} {tools} about 7."}},
	} {
		got, err := prompt(t, "review_card").Text(test.arguments, test.listed, "unused")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(strings.Join(test.want, "\n\n"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got, err := prompt(t, "overview").Text(nil, all, "three {tools}"); err != nil || got != "three {tools}" {
		t.Errorf("the roster is %q, %v", got, err)
	}
}

func TestPromptRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		arguments map[string]string
		code      fault.Code
	}{
		"nothing where something is needed": {nil, fault.MissingArguments},
		"a blank where something is needed": {map[string]string{"card": " \n"}, fault.MissingArguments},
		"a word for a number":               {map[string]string{"card": "seven"}, fault.InvalidArguments},
		"an argument that there is not":     {map[string]string{"card": "7", "tune": "x"}, fault.InvalidArguments},
		"a novel":                           {map[string]string{"card": "7", "tone": strings.Repeat("x", 2001)}, fault.InvalidArguments},
	} {
		text, err := prompt(t, "review_card").Text(test.arguments, listed(), "")
		if !fault.Is(err, test.code) || text != "" || fault.From(err).Fix == "" {
			t.Errorf("%s: %q, %v; want %s with a fix", name, text, err, test.code)
		}
	}
}

func TestPromptsAreOfferedWithTheirTools(t *testing.T) {
	if review := prompt(t, "review_card"); review.Offered(listed("ping")) || !review.Offered(listed("list_cards")) {
		t.Error("review_card is not offered exactly with list_cards")
	}
	if !prompt(t, "overview").Offered(listed()) {
		t.Error("a prompt that needs nothing is not offered")
	}
	want := []contract.PromptArgument{{Name: "card", Description: "Which", Required: true}, {Name: "tone", Description: "How"}}
	if diff := cmp.Diff(want, prompt(t, "review_card").Arguments); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestResources(t *testing.T) {
	resources := board(t).Resources()
	if len(resources) != 2 || resources[0].Prompt != "overview" || !resources[0].Offered(listed()) {
		t.Fatalf("resources are %+v", resources)
	}
	cards := resources[1]
	if cards.Offered(listed("ping")) || !cards.Offered(listed("list_cards")) {
		t.Error("the cards are not offered exactly with their tool")
	}
	want := map[string]any{"repo": "a/b", "state": "all"}
	if diff := cmp.Diff(want, cards.Call(map[string]string{"owner": "a", "name": "b"})); diff != "" {
		t.Errorf("call (-want +got):\n%s", diff)
	}
}
