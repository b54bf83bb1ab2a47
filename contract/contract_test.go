package contract_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

func TestLoad(t *testing.T) {
	loaded := board(t)
	var names []string
	for _, tool := range loaded.Tools() {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"list_cards", "ping", "write_card"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if loaded.Title() != "Board" || loaded.Version() != "1.2.3" {
		t.Errorf("got %q %q", loaded.Title(), loaded.Version())
	}
	if got, want := loaded.Listing(), (contract.ListingPolicy{Enabled: true, DescriptionLimit: 120}); got != want {
		t.Errorf("listing is %+v, want %+v", got, want)
	}
	for name, want := range map[string]string{"listCard": "list_cards", "wirte_card": "write_card", "cheese": ""} {
		if got := loaded.NearestTool(name); got != want {
			t.Errorf("the tool nearest to %s is %q, want %q", name, got, want)
		}
	}
	if _, found := loaded.Tool("list_card"); found {
		t.Error("a misspelt name finds a tool")
	}
}

func TestToolTexts(t *testing.T) {
	got := tool(t, "list_cards")
	details := got.Details()
	want := contract.Annotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: true}
	if got.Annotations != want {
		t.Errorf("annotations are %+v", got.Annotations)
	}
	texts := []string{got.Title, details.Description, details.Summary, details.Handbook, details.Scenario, got.Toolset}
	wantTexts := []string{"List cards", "Lists the cards of the board, newest first.", "Lists the cards of a board, newest first.",
		"Ask for one page at a time.", "Use when the user asks what is open.", "cards"}
	if diff := cmp.Diff(wantTexts, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	lists, _ := json.Marshal([]any{details.Scopes, details.Errors, details.Examples})
	if want := `[["repo"],["NOT_FOUND"],[{"description":"The bugs.","arguments":{"labels":["bug"]}}]]`; string(lists) != want {
		t.Errorf("lists are %s, want %s", lists, want)
	}
}

// The exported schemas: self-contained, in the order of the file, unmarked.
func TestSchemas(t *testing.T) {
	tests := map[string]struct{ got, want string }{
		"input": {string(tool(t, "list_cards").Details().InputSchema), `{"type":"object","properties":{` +
			`"repo":{"type":"string","description":"Where the board is."},` +
			`"state":{"type":"string","enum":["open","closed","all"],"default":"open"},` +
			`"labels":{"type":"array","items":{"type":"string","minLength":1},"description":"Only cards that have all of these labels."},` +
			`"limit":{"type":"integer","minimum":1,"maximum":100,"default":30},` +
			`"offset":{"type":"integer","minimum":0},"maxDepth":{"type":"integer","description":"of answers"}},"additionalProperties":false}`},
		"input without arguments": {string(tool(t, "ping").Details().InputSchema), `{"type":"object","properties":{},"additionalProperties":false}`},
		"output with a reference": {string(tool(t, "list_cards").Details().OutputSchema), `{"type":"object","required":["count","cards"],"properties":{` +
			`"count":{"type":"integer"},"cards":{"type":"array","items":{"$ref":"#/$defs/Card"}}},"$defs":{"Card":` + card + `}}`},
		"output that is a reference": {string(tool(t, "write_card").Details().OutputSchema), strings.TrimSuffix(card, "}") + `,"$defs":{"Card":` + card + `}}`},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

const card = `{"type":"object","description":"One card.","required":["number"],"properties":{"number":{"type":"integer"},` +
	`"title":{"type":"string","description":"What the card is about."},` +
	`"author":{"type":["object","null"],"properties":{"login":{"type":"string"}}},` +
	`"replies":{"type":"array","items":{"$ref":"#/$defs/Card"}}}}`

func TestCheckResult(t *testing.T) {
	cards := tool(t, "list_cards")
	tests := map[string]struct{ result, problem string }{
		"conforms":          {`{"count":1,"cards":[{"number":1,"author":null,"replies":[{"number":2}]}]}`, ""},
		"lacks a member":    {`{"count":1}`, "list_cards result: /: missing property 'cards'"},
		"null for a list":   {`{"count":1,"cards":null}`, "list_cards result: /cards: got null, want array"},
		"wrong deep inside": {`{"count":1,"cards":[{"number":1,"replies":[{"number":"2"}]}]}`, "list_cards result: /cards/0/replies/0/number: got string, want integer"},
	}
	for name, test := range tests {
		err := cards.CheckResult([]byte(test.result))
		if got := errorText(err); got != test.problem {
			t.Errorf("%s: got %q, want %q", name, got, test.problem)
		}
	}
	if err := cards.CheckResult([]byte(`{`)); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("no JSON at all: %v", err)
	}
	if err := tool(t, "ping").CheckResult([]byte(`{"at":"yesterday"}`)); err == nil {
		t.Error("a time that is none conforms to date-time")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Each change to the good contract is a mistake that Load has to name, with
// the operation it belongs to.
func TestLoadRefuses(t *testing.T) {
	good, err := os.ReadFile("testdata/board.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const limit = "schema: {type: integer, minimum: 1, maximum: 100, default: 30}"
	tests := map[string]struct{ old, new, says string }{
		"no OpenAPI":                   {"openapi: 3.1.0", "openapi: [3]", "openapi"},
		"broken YAML":                  {"paths:", "paths: {", "line"},
		"an anchor":                    {"title: Board", "title: &a Board\n  description: *a", "anchors are not supported"},
		"a name in capitals":           {"operationId: ping", "operationId: Ping", `Ping: operationId "Ping" does not match`},
		"a long name":                  {"operationId: ping", "operationId: " + strings.Repeat("p", 41), "does not match"},
		"a name twice":                 {"operationId: ping", "operationId: write_card", "write_card"},
		"no name":                      {"operationId: ping", "deprecated: false", "GET /tools/ping: operationId"},
		"nothing that says what":       {"      summary: Answers\n", "", "ping: neither summary nor description"},
		"a toolset not named":          {"version: 1.2.3", "version: 1.2.3\n  x-toolsets: [cards]", `ping: info.x-toolsets lacks its toolset "server"`},
		"a member twice":               {"version: 1.2.3", "version: 1.2.3\n  version: 1.2.4", `"version" stands there twice`},
		"a key that is a list":         {"version: 1.2.3", "version: 1.2.3\n  ? [a]\n  : b", "a key has to be a plain text"},
		"a summary that is a list":     {"x-tool-summary: Lists", "x-tool-summary: [x]\n      x-more: Lists", "list_cards: x-tool-summary has to be a text"},
		"a scope that is a number":     {"x-github-scopes: [repo]", "x-github-scopes: [7]", "list_cards: x-github-scopes has to be a list of texts"},
		"no toolset":                   {"x-toolset: server", "", "ping: x-toolset is missing"},
		"a hint left out":              {", openWorldHint: false}", "}", "ping: x-annotations: openWorldHint has to be true or false"},
		"a hint that is a text":        {"openWorldHint: false}", "openWorldHint: 'no'}", "ping: x-annotations: openWorldHint"},
		"a hint that is none":          {"openWorldHint: false}", "openWorldHint: false, title: x}", `ping: x-annotations: "title"`},
		"a read that changes more":     {"destructiveHint: false, idempotentHint: true, openWorldHint: false", "destructiveHint: false, idempotentHint: false, openWorldHint: false", "ping: x-annotations: what only reads is idempotent"},
		"a destructive read":           {"destructiveHint: false, idempotentHint: true, openWorldHint: false", "destructiveHint: true, idempotentHint: true, openWorldHint: false", "ping: x-annotations: what only reads"},
		"an unknown code":              {"x-errors: [NOT_FOUND]", "x-errors: [NOWHERE]", `list_cards: x-errors: "NOWHERE"`},
		"codes that are no list":       {"x-errors: [NOT_FOUND]", "x-errors: NOT_FOUND", "list_cards: x-errors"},
		"a misspelt mark":              {"x-tool-scenario:", "x-tool-scenary:", `"x-tool-scenario" was meant`},
		"a misspelt property mark":     {"x-comma-list: true", "x-coma-list: true", `"x-comma-list" was meant`},
		"an example that fails":        {"arguments: {labels: [bug]}", "arguments: {lables: [bug]}", "list_cards: example 1 does not pass"},
		"an example with nothing":      {"arguments: {labels: [bug]}", "argument: {}", "list_cards: example 1 has no arguments"},
		"a long summary":               {"x-tool-summary: Lists", "x-tool-summary: Lists" + strings.Repeat(" and lists", 12), "list_cards: x-tool-summary has 161 runes, of at most 120"},
		"a long hint":                  {"x-hint: all of them", "x-hint: " + strings.Repeat("é", 61), "list_cards properties.labels: x-hint has 61 runes"},
		"a default out of bounds":      {limit, strings.Replace(limit, "30", "300", 1), "list_cards limit: the default does not pass"},
		"a default of another type":    {limit, strings.Replace(limit, "30", "many", 1), "list_cards limit: the default does not pass"},
		"a default of null":            {limit, "schema: {type: integer, default: null}", "a default of null says nothing"},
		"a maximum without end":        {limit, "schema: {type: number, maximum: .inf}", "is no finite number"},
		"an inner schema that is none": {"path: {type: string}", "path: true", `the schema of "path" is no object`},
		"a minimum that is a text":     {limit, "schema: {type: integer, minimum: low}", "list_cards limit: minimum has to be a number"},
		"a negative length":            {limit, "schema: {type: string, maxLength: -1}", "maxLength has to be a whole number"},
		"an enum of nothing":           {limit, "schema: {type: string, enum: []}", "enum has to be a list of texts"},
		"required members of none":     {limit, "schema: {type: integer, required: [a]}", "belong to an object"},
		"a comma list of numbers":      {"items: {type: string, minLength: 1}", "items: {type: integer}", "x-comma-list belongs to an array of strings"},
		"a comment that is a number":   {"comment_id: {type: string,", "comment_id: {type: integer,", "x-comment-id and x-number-text belong to a string"},
		"a name of two words":          {"name: offset,", "name: 'off set',", `"off set" is no name for a property`},
		"a body of a certain size":     {"required: [card_number, body]", "required: [card_number, body]\n              minProperties: 1", `write_card: the request body's root has "minProperties"`},
		"an alias that is a value":     {"{active: open}", "{closed: open}", "x-enum-aliases"},
		"anyOf":                        {limit, "schema: {anyOf: [{type: integer}, {type: string}]}", `"anyOf" is not accepted`},
		"two types":                    {limit, "schema: {type: [integer, 'null']}", "type has to be one of"},
		"a format":                     {limit, "schema: {type: string, format: uri}", `"format" is not accepted`},
		"a const":                      {limit, "schema: {type: string, const: x}", `"const" is not accepted`},
		"exclusiveMinimum":             {limit, "schema: {type: integer, exclusiveMinimum: 0}", `"exclusiveMinimum" is not accepted`},
		"an array without items":       {limit, "schema: {type: array}", "list_cards properties.limit: items"},
		"a list of blanks":             {"items: {type: string, minLength: 1}", "items: {type: string}", "list_cards properties.labels: a text in a list is never blank"},
		"an open object":               {limit, "schema: {type: object, properties: {}}", "additionalProperties: false"},
		"an object without members":    {limit, "schema: {type: object, additionalProperties: false}", "without properties"},
		"an enum of numbers":           {limit, "schema: {type: integer, enum: [1, 2]}", "enum has to be a list of texts"},
		"an alias that is taken":       {"x-aliases: [label]", "x-aliases: [limit]", `"limit" names two properties`},
		"an alias for nothing":         {"{active: open}", "{active: opened}", "x-enum-aliases"},
		"a pattern that is none":       {"'^[0-9a-f]{6}$'", "'^[0-9a-f{6}$'", "write_card"},
		"a parameter in the path":      {"name: offset, in: query", "name: offset, in: header", `"offset" has to be in: query`},
		"an argument twice":            {"                draft: {type: boolean}", "                repo: {type: string}", `write_card: the argument "repo" is there twice`},
		"a required ghost":             {"required: [card_number, body]", "required: [card_number, body, soul]", `write_card: the request body requires "soul"`},
		"an open body":                 {"              type: object\n              additionalProperties: false", "              type: object\n              additionalProperties: true", "write_card: the request body's root"},
		"an endless input":             {"path: {type: string}", "path: {$ref: '#/components/schemas/NewComment'}", "write_card: the input contains itself"},
		"a reference to nothing":       {"'200':\n          description: What became of it.\n          content:\n            application/json:\n              schema: {$ref: '#/components/schemas/Card'}", "'200':\n          description: x\n          content:\n            application/json:\n              schema: {$ref: '#/components/schemas/Cart'}", "Cart"},
		"no answer":                    {"'200':\n          description: An answer.", "'404':\n          description: An answer.", "ping: no 2xx response"},
		"an output that is a list":     {"schema:\n                type: object\n                properties:\n                  at:", "schema:\n                type: [object, 'null']\n                properties:\n                  at:", "ping: the output's root"},
		"an output without items":      {"replies: {type: array, items: {$ref: '#/components/schemas/Card'}}", "replies: {type: [array, 'null']}", "write_card output"},
		"a small limit":                {"descriptionLimit: 120", "descriptionLimit: 19", "descriptionLimit"},
		"a prompt twice":               {"name: review_card", "name: overview", "x-mcp-prompts[1] overview: two prompts"},
		"a prompt without a title":     {"title: Review a card", "", "review_card: name, in small letters, title"},
		"a prompt without steps":       {"steps: ['{roster}']", "steps: []", "overview: no steps"},
		"a step without a text":        {"'Card {card}, please.'", "{tools: [ping]}", "steps[0]: no text"},
		"a step about nothing":         {"'Card {card}, please.'", "'Card {crad}, please.'", "nothing stands for {crad}"},
		"a step without tools":         {"'Look with {tools}.', tools: [list_cards, ping]", "'Look with {tools}.'", "nothing stands for {tools}"},
		"a tool named in a step":       {"'Card {card}, please.'", "'Call ping, please.'", "ping is named in the text"},
		"an unless of nothing":         {"unless: tone", "unless: tune", "there is no argument tune"},
		"a need for nothing":           {"needs: [list_cards]", "needs: [list_crads]", "there is no tool list_crads"},
		"a list as an argument":        {"description: Which, schema: {type: integer}", "description: Which, schema: {type: array, items: {type: string}}", "argument card: MCP gives texts"},
		"a resource twice":             {"name: cards,", "name: overview,", "two resources"},
		"a resource without a name":    {"name: cards, ", "", "uri, name, title"},
		"a resource without a scheme":  {"'board://overview'", "'overview'", "uri, name, title"},
		"a resource not always there":  {"description: Shows the tools.,", "description: Shows the tools., needs: [ping],", "and is always offered"},
		"a resource of two":            {"tool: list_cards, arguments", "prompt: overview, tool: list_cards, arguments", "there is no prompt beside it"},
		"a template of nothing":        {"'board://{owner}/{name}', name: cards, title: Cards, description: All of them, tool: list_cards, arguments: {repo: '{owner}/{name}',", "'board://cards', name: cards, title: Cards, description: All of them, tool: list_cards, arguments: {repo: hello,", "the variables of the uri"},
		"a resource of nothing":        {", prompt: overview", "", "neither tool nor prompt"},
		"a resource with arguments":    {"prompt: overview", "prompt: review_card", "takes no arguments"},
		"a resource that writes":       {"tool: list_cards, arguments", "tool: write_card, arguments", "write_card writes"},
		"a resource of a ghost":        {"tool: list_cards, arguments", "tool: list_crads, arguments", "the tool of a resource is one"},
		"an argument of a ghost":       {"state: all}", "stait: all}", "list_cards takes no argument stait"},
		"a variable for nothing":       {"repo: '{owner}/{name}'", "repo: '{owner}/{nam}'", "the variables of the uri"},
		"a file elsewhere":             {"{$ref: '#/components/schemas/NewComment'}", "{$ref: 'other.yaml#/NewComment'}", "other.yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(string(good), test.old, test.new, 1)
			if bad == string(good) {
				t.Fatalf("the contract has no %q", test.old)
			}
			_, err := contract.Load([]byte(bad))
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want an error saying %q", err, test.says)
			}
		})
	}
}

// with is the good contract with one change.
func with(t testing.TB, old, new string) *contract.Contract {
	t.Helper()
	good := string(read(t, "testdata/board.yaml"))
	changed := strings.Replace(good, old, new, 1)
	if changed == good {
		t.Fatalf("the contract has no %q", old)
	}
	loaded, err := contract.Load([]byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// What is right at the bound is no mistake.
func TestLoadAccepts(t *testing.T) {
	for name, test := range map[string]struct{ old, new string }{
		"a summary of 120 runes":            {"Lists the cards of a board, newest first.", strings.Repeat("é", 120)},
		"any summary without short listing": {"  x-compact-listing: {descriptionLimit: 120}\n", ""},
		"a hint of 60 runes":                {"x-hint: all of them", "x-hint: " + strings.Repeat("é", 60)},
		"a mark of others":                  {"x-tool-scenario:", "x-somebody-else:"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, test.old, test.new)
		})
	}
}

func TestListingPolicy(t *testing.T) {
	for written, want := range map[string]contract.ListingPolicy{
		"  x-compact-listing: {}\n":                     {Enabled: true, DescriptionLimit: 120},
		"  x-compact-listing: true\n":                   {Enabled: true, DescriptionLimit: 120},
		"  x-compact-listing: {descriptionLimit: 99}\n": {Enabled: true, DescriptionLimit: 99},
		"": {},
	} {
		if got := with(t, "  x-compact-listing: {descriptionLimit: 120}\n", written).Listing(); got != want {
			t.Errorf("%q is %+v, want %+v", written, got, want)
		}
	}
}

// What stands under examples is data, however much it looks like a mark.
func TestExamplesOfAnOutputAreData(t *testing.T) {
	ping, _ := with(t, "notes: {type: object,", "notes: {type: object, examples: [{x-hint: a}],").Tool("ping")
	if got, want := string(ping.Details().OutputSchema), `"examples":[{"x-hint":"a"}]`; !strings.Contains(got, want) {
		t.Errorf("%s is not in %s", want, got)
	}
}

func TestToolsets(t *testing.T) {
	if diff := cmp.Diff([]string{"cards", "server"}, board(t).Toolsets()); diff != "" {
		t.Errorf("of the tools (-want +got):\n%s", diff)
	}
	named := with(t, "version: 1.2.3", "version: 1.2.3\n  x-toolsets: [server, later, cards]")
	if diff := cmp.Diff([]string{"cards", "later", "server"}, named.Toolsets()); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
}

func TestAToolWithoutATitleHasItsName(t *testing.T) {
	ping, _ := with(t, "      summary: Answers\n", "      description: Answers.\n").Tool("ping")
	if ping.Title != "ping" {
		t.Errorf("the title is %q", ping.Title)
	}
}

// What an input schema is made of.
func TestInputSchemas(t *testing.T) {
	const limit = "{type: integer, minimum: 1, maximum: 100, default: 30}"
	for name, test := range map[string]struct{ old, new, want string }{
		"its own description":     {"schema: {type: array, items", "schema: {description: Inner., type: array, items", `"description":"Inner."`},
		"a number in hexadecimal": {limit, "{type: integer, maximum: 0x64}", `"limit":{"type":"integer","maximum":100}`},
		"members beside a $ref":   {limit, "{$ref: '#/components/schemas/Card/properties/title', description: Which., x-authored: false}", `"limit":{"type":"string","description":"Which."}`},
		"a $ref through a path": {limit, "{$ref: '#/paths/~1tools~1write_card/post/requestBody/content/application~1json/schema/properties/draft'}",
			`"limit":{"type":"boolean"}`},
	} {
		listCards, _ := with(t, test.old, test.new).Tool("list_cards")
		if got := string(listCards.Details().InputSchema); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s is not in %s", name, test.want, got)
		}
	}
}

func TestLoadReportsEverythingAtOnce(t *testing.T) {
	good, _ := os.ReadFile("testdata/board.yaml")
	bad := strings.NewReplacer("x-toolset: server", "", "x-errors: [NOT_FOUND]", "x-errors: [NOWHERE]", "title: Board", "titel: Board").Replace(string(good))
	_, err := contract.Load([]byte(bad))
	for _, want := range []string{"ping: x-toolset", "list_cards: x-errors", "info"} {
		if !strings.Contains(errorText(err), want) {
			t.Errorf("%v\ndoes not mention %q", err, want)
		}
	}
}
