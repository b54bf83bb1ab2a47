package contract_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

var loadBoard = sync.OnceValues(func() (*contract.Contract, error) {
	text, err := os.ReadFile("testdata/board.yaml")
	if err != nil {
		return nil, err
	}
	return contract.Load(text)
})

func board(t testing.TB) *contract.Contract {
	t.Helper()
	loaded, err := loadBoard()
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func tool(t testing.TB, name string) *contract.Tool {
	t.Helper()
	found, ok := board(t).Tool(name)
	if !ok {
		t.Fatalf("no tool %q", name)
	}
	return found
}

// decode reads arguments as the server does: numbers keep their digits.
func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var args map[string]any
	if err := decoder.Decode(&args); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return args
}

func TestCheckArgumentsAccepts(t *testing.T) {
	tests := map[string]struct{ tool, args, want string }{
		"nothing at all":             {"list_cards", `null`, `{"state":"open","limit":30}`},
		"an empty object":            {"list_cards", `{}`, `{"state":"open","limit":30}`},
		"null is absent":             {"list_cards", `{"repo":null,"labels":null,"limit":null}`, `{"state":"open","limit":30}`},
		"a number with a zero":       {"list_cards", `{"limit":12.0}`, `{"state":"open","limit":12}`},
		"a number at its maximum":    {"list_cards", `{"limit":100}`, `{"state":"open","limit":100}`},
		"a weight at its maximum":    {"write_card", `{"card_number":1,"body":"b","weight":10}`, `{"card_number":1,"body":"b","weight":10}`},
		"a control character":        {"write_card", `{"card_number":1,"body":"\u001f"}`, `{"card_number":1,"body":"\u001f"}`},
		"a number with an exponent":  {"list_cards", `{"limit":1.2e1}`, `{"state":"open","limit":12}`},
		"a number as text":           {"list_cards", `{"limit":"12"}`, `{"state":"open","limit":12}`},
		"a number with a hash":       {"list_cards", `{"limit":"#12"}`, `{"state":"open","limit":12}`},
		"a zero where it is allowed": {"list_cards", `{"offset":0}`, `{"state":"open","limit":30,"offset":0}`},
		"an empty list stays":        {"list_cards", `{"labels":[]}`, `{"state":"open","labels":[],"limit":30}`},
		"a comma list":               {"list_cards", `{"labels":"bug, help wanted,"}`, `{"state":"open","labels":["bug","help wanted"],"limit":30}`},
		"an alias":                   {"list_cards", `{"label":["bug"]}`, `{"state":"open","labels":["bug"],"limit":30}`},
		"an alias beside null":       {"list_cards", `{"label":["bug"],"labels":null}`, `{"state":"open","labels":["bug"],"limit":30}`},
		"a former value of an enum":  {"list_cards", `{"state":"active"}`, `{"state":"open","limit":30}`},
		"an empty repo stays":        {"list_cards", `{"repo":""}`, `{"repo":"","state":"open","limit":30}`},
		"an id as a number":          {"write_card", `{"card_number":1,"body":"b","comment_id":5301580683}`, `{"card_number":1,"body":"b","comment_id":"5301580683"}`},
		"an id as a large number":    {"write_card", `{"card_number":1,"body":"b","comment_id":9007199254740993}`, `{"card_number":1,"body":"b","comment_id":"9007199254740993"}`},
		"an id as a fraction":        {"write_card", `{"card_number":1,"body":"b","comment_id":1.5}`, `{"card_number":1,"body":"b","comment_id":"1.5"}`},
		"an id out of all bounds":    {"write_card", `{"card_number":1,"body":"b","comment_id":1e30}`, `{"card_number":1,"body":"b","comment_id":"1e30"}`},
		"an empty id stays":          {"write_card", `{"card_number":1,"body":"b","comment_id":""}`, `{"card_number":1,"body":"b","comment_id":""}`},
		"booleans as text":           {"write_card", `{"card_number":1,"body":"b","draft":"false"}`, `{"card_number":1,"body":"b","draft":false}`},
		"a number that is no count":  {"write_card", `{"card_number":1,"body":"b","weight":"-0.50"}`, `{"card_number":1,"body":"b","weight":-0.5}`},
		"runes, not bytes":           {"write_card", `{"card_number":1,"body":"éééééééééééééééééééé"}`, `{"card_number":1,"body":"éééééééééééééééééééé"}`},
		"markup is not escaped":      {"write_card", `{"card_number":1,"body":"a<b && \"c\"\n"}`, `{"card_number":1,"body":"a<b && \"c\"\n"}`},
		"inner defaults and numbers": {"write_card", `{"card_number":"#1","body":"b","comments":[{"path":"a.go","line":"7"}]}`,
			`{"card_number":1,"body":"b","comments":[{"path":"a.go","line":7,"side":"RIGHT"}]}`},
		"inner null is absent": {"write_card", `{"card_number":1,"body":"b","comments":[{"path":"a.go","line":7,"side":null}]}`,
			`{"card_number":1,"body":"b","comments":[{"path":"a.go","line":7,"side":"RIGHT"}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tool(t, test.tool).CheckArguments(decode(t, test.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("canonical arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckArgumentsRefuses(t *testing.T) {
	const valid = `"card_number":1,"body":"b"`
	tests := map[string]struct {
		tool, args string
		code       fault.Code
		argument   string
		nearest    any
		says       string
	}{
		"a misspelt argument":         {"list_cards", `{"lables":"bug"}`, fault.InvalidArguments, "lables", "labels", `"lables"`},
		"a part of an argument":       {"list_cards", `{"depth":3}`, fault.InvalidArguments, "depth", "maxDepth", `"maxDepth"`},
		"camel case":                  {"write_card", `{"cardNumber":1,"body":"b"}`, fault.InvalidArguments, "cardNumber", "card_number", "did you mean"},
		"a misspelt alias":            {"write_card", `{"ancor":"x",` + valid + `}`, fault.InvalidArguments, "ancor", "comment_id", `"ancor"`},
		"an unknown null":             {"list_cards", `{"zzz":null}`, fault.InvalidArguments, "zzz", nil, `"zzz"`},
		"an argument where none is":   {"ping", `{"x":1}`, fault.InvalidArguments, "x", nil, `"x"`},
		"nothing where much is":       {"write_card", `{}`, fault.MissingArguments, "card_number", nil, "card_number, body"},
		"null where it is required":   {"write_card", `{"card_number":1,"body":null}`, fault.MissingArguments, "body", nil, "body"},
		"two other spellings":         {"write_card", `{"commentId":"1","anchor":"1",` + valid + `}`, fault.AmbiguousArguments, "comment_id", nil, "anchor and commentId"},
		"a text where no comma is":    {"write_card", `{"comments":"a,b",` + valid + `}`, fault.InvalidArguments, "comments", nil, "a list"},
		"a boolean as a number":       {"write_card", `{"draft":"1",` + valid + `}`, fault.InvalidArguments, "draft", nil, "true or false"},
		"a hash behind a number":      {"list_cards", `{"limit":"12#"}`, fault.InvalidArguments, "limit", nil, "12#"},
		"a number no float tells":     {"write_card", `{"card_number":9007199254740994.0,"body":"b"}`, fault.InvalidArguments, "card_number", nil, "9007199254740994.0"},
		"too small a number":          {"write_card", `{"weight":-1e400,` + valid + `}`, fault.InvalidArguments, "weight", nil, "-1e400"},
		"between two bounds":          {"list_cards", `{"limit":1000}`, fault.InvalidArguments, "limit", nil, "at least 1 and at most 100"},
		"both spellings":              {"write_card", `{"comment_id":"1","anchor":"1",` + valid + `}`, fault.AmbiguousArguments, "comment_id", nil, "anchor and comment_id"},
		"a fraction":                  {"list_cards", `{"limit":12.5}`, fault.InvalidArguments, "limit", nil, "12.5"},
		"a negative":                  {"list_cards", `{"limit":-1}`, fault.InvalidArguments, "limit", nil, "-1"},
		"a zero":                      {"list_cards", `{"limit":0}`, fault.InvalidArguments, "limit", nil, "at least 1"},
		"a zero without a minimum":    {"list_cards", `{"maxDepth":0}`, fault.InvalidArguments, "maxDepth", nil, "at least 1"},
		"a negative where zero is":    {"list_cards", `{"offset":-1}`, fault.InvalidArguments, "offset", nil, "at least 0"},
		"over the maximum":            {"list_cards", `{"limit":101}`, fault.InvalidArguments, "limit", nil, "at most 100"},
		"an empty number":             {"list_cards", `{"limit":""}`, fault.InvalidArguments, "limit", nil, `""`},
		"not a number":                {"list_cards", `{"limit":"NaN"}`, fault.InvalidArguments, "limit", nil, "NaN"},
		"too large a number":          {"list_cards", `{"limit":1e400}`, fault.InvalidArguments, "limit", nil, "1e400"},
		"too large a number as text":  {"list_cards", `{"limit":"1e400"}`, fault.InvalidArguments, "limit", nil, "1e400"},
		"a number in hexadecimal":     {"list_cards", `{"limit":"0x10"}`, fault.InvalidArguments, "limit", nil, "0x10"},
		"a list for a number":         {"list_cards", `{"limit":[1]}`, fault.InvalidArguments, "limit", nil, "a list"},
		"a value outside of the enum": {"list_cards", `{"state":"OPEN"}`, fault.InvalidArguments, "state", "open", "open, closed, all"},
		"a far value":                 {"list_cards", `{"state":"whatever"}`, fault.InvalidArguments, "state", nil, "whatever"},
		"a text that names nothing":   {"list_cards", `{"labels":" , "}`, fault.InvalidArguments, "labels", nil, "a list"},
		"a null in a list":            {"list_cards", `{"labels":["bug",null]}`, fault.InvalidArguments, "labels[1]", nil, "null"},
		"an alias keeps its name":     {"list_cards", `{"label":7}`, fault.InvalidArguments, "label", nil, "7"},
		"a number for a text":         {"list_cards", `{"repo":7}`, fault.InvalidArguments, "repo", nil, "a text"},
		"nothing in a list":           {"list_cards", `{"labels":["bug",""]}`, fault.InvalidArguments, "labels[1]", nil, "labels[1] is blank"},
		"blanks in a list":            {"list_cards", `{"labels":[" \t"]}`, fault.InvalidArguments, "labels[0]", nil, "labels[0] is blank"},
		"too short":                   {"write_card", `{"card_number":1,"body":""}`, fault.InvalidArguments, "body", nil, "at least 1"},
		"too long a body":             {"write_card", `{"card_number":1,"body":"123456789012345678901"}`, fault.TooLarge, "body", nil, "21"},
		"against the pattern":         {"write_card", `{"color":"red",` + valid + `}`, fault.InvalidArguments, "color", nil, "red"},
		"a word for a boolean":        {"write_card", `{"draft":"yes",` + valid + `}`, fault.InvalidArguments, "draft", nil, "true or false"},
		"a number over its maximum":   {"write_card", `{"weight":10.5,` + valid + `}`, fault.InvalidArguments, "weight", nil, "at most 10"},
		"a text for an object":        {"write_card", `{"comments":["x"],` + valid + `}`, fault.InvalidArguments, "comments[0]", nil, "an object"},
		"an inner unknown":            {"write_card", `{"comments":[{"path":"p","lien":1}],` + valid + `}`, fault.InvalidArguments, "comments[0].lien", "line", "comments[0]"},
		"an inner missing":            {"write_card", `{"comments":[{"path":"p"}],` + valid + `}`, fault.MissingArguments, "comments[0].line", nil, "comments[0].line"},
		"an inner wrong value":        {"write_card", `{"comments":[{"path":"p","line":0}],` + valid + `}`, fault.InvalidArguments, "comments[0].line", nil, "at least 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tool(t, test.tool).CheckArguments(decode(t, test.args))
			if err == nil {
				t.Fatalf("accepted as %s", got)
			}
			problem := fault.From(err)
			if problem.Code != test.code || !strings.Contains(problem.Message, test.says) {
				t.Errorf("got %v, want %s saying %q", problem, test.code, test.says)
			}
			if diff := cmp.Diff([]any{test.argument, test.nearest}, []any{problem.Details["argument"], problem.Details["nearest"]}); diff != "" {
				t.Errorf("argument and nearest (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckArgumentsOfGoCallers(t *testing.T) {
	got, err := tool(t, "list_cards").CheckArguments(map[string]any{"limit": 12, "offset": int64(3), "maxDepth": float64(2), "labels": []string{"bug"}})
	want := `{"state":"open","labels":["bug"],"limit":12,"offset":3,"maxDepth":2}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for _, value := range []any{math.NaN(), math.Inf(1), 1e30, struct{}{}, json.Number("1_0"), json.Number("+5")} {
		if got, err := tool(t, "list_cards").CheckArguments(map[string]any{"limit": value}); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("limit %v: got %s, %v; want INVALID_ARGUMENTS", value, got, err)
		}
	}
}

func TestFixOfMissingArgumentsIsACall(t *testing.T) {
	_, err := tool(t, "write_card").CheckArguments(nil)
	problem := fault.From(err)
	_, call, found := strings.Cut(problem.Fix, "write_card ")
	if !found {
		t.Fatalf("fix %q has no call", problem.Fix)
	}
	if _, err := tool(t, "write_card").CheckArguments(decode(t, call)); err != nil {
		t.Errorf("the call of the fix %q does not pass: %v", problem.Fix, err)
	}
	want := []string{"card_number", "body"}
	if diff := cmp.Diff(want, problem.Details["missing"]); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

// The fix says what to send.
func TestFixes(t *testing.T) {
	for name, test := range map[string]struct{ tool, args, want string }{
		"a misspelt argument":  {"list_cards", `{"lables":"bug"}`, `Send "labels" instead of "lables", or leave it out.`},
		"an unknown argument":  {"list_cards", `{"zzz":1}`, "Leave it out. Known: repo, state, labels, limit, offset, maxDepth."},
		"where there are none": {"ping", `{"x":1}`, "Send no arguments."},
		"a near value":         {"list_cards", `{"state":"Open"}`, `Send "open".`},
		"too long a text":      {"write_card", `{"card_number":1,"body":"123456789012345678901"}`, "Shorten it."},
		"a wrong value":        {"list_cards", `{"limit":0}`, `Correct it and call again, as in: list_cards {"labels":["bug"]}`},
		"an argument twice":    {"list_cards", `{"label":["a"],"labels":["a"]}`, "Send only labels."},
	} {
		_, err := tool(t, test.tool).CheckArguments(decode(t, test.args))
		if got := fault.From(err).Fix; got != test.want {
			t.Errorf("%s: fix %q, want %q", name, got, test.want)
		}
	}
}

func TestAnUnknownValueComesWithTheKnownOnes(t *testing.T) {
	_, err := tool(t, "list_cards").CheckArguments(map[string]any{"state": "whatever"})
	if diff := cmp.Diff([]string{"open", "closed", "all"}, fault.From(err).Details["known"]); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
}

// Where a contract has no example, one is made up, and passes.
func TestMadeUpExamplesPass(t *testing.T) {
	changed := with(t, "              required: [card_number, body]\n              properties:\n", `              required: [kind, tags, draft, weight, body]
              properties:
                kind: {type: string, enum: [note, task]}
                tags: {type: array, items: {type: string, minLength: 1}}
`)
	write, _ := changed.Tool("write_card")
	_, err := write.CheckArguments(nil)
	want := `Call it like this: write_card {"kind":"note","tags":["…"],"body":"…","weight":1,"draft":true}`
	if got := fault.From(err).Fix; got != want {
		t.Fatalf("fix %q, want %q", got, want)
	}
	_, call, _ := strings.Cut(want, "write_card ")
	if _, err := write.CheckArguments(decode(t, call)); err != nil {
		t.Errorf("it does not pass: %v", err)
	}
}

func TestMessagesRepeatLittleOfAWrongValue(t *testing.T) {
	huge := strings.Repeat("é", 1<<20)
	unknown := map[string]any{}
	for i := range 500 {
		unknown["unknown"+strconv.Itoa(i)] = i
	}
	for _, args := range []map[string]any{{huge: 1}, {"limit": huge}, {"state": huge}, unknown} {
		_, err := tool(t, "list_cards").CheckArguments(args)
		public, _ := json.Marshal(fault.From(err).Public())
		if err == nil || len(public) > 1500 {
			t.Errorf("%v takes %d bytes", fault.From(err).Code, len(public))
		}
	}
	for value, want := range map[any]string{huge: `not "` + strings.Repeat("é", 80) + `…"`, strings.Repeat("é", 80): `not "` + strings.Repeat("é", 80) + `"`, 1234567.5: "not 1234567.5"} {
		_, err := tool(t, "list_cards").CheckArguments(map[string]any{"limit": value})
		if message := fault.From(err).Message; !strings.HasSuffix(message, want) {
			t.Errorf("message %q should end with %q", message, want)
		}
	}
}
