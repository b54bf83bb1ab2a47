package graphql

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shurcooL/githubv4"
	"github.com/vektah/gqlparser/v2/ast"
	oracle "github.com/vektah/gqlparser/v2/parser"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
)

// words is text with the blanks and commas that cuts leave behind folded away.
func words(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }), " ")
	return regexp.MustCompile(` ?([{}()]) ?`).ReplaceAllString(text, "$1")
}

func TestUnknownFieldsAreTakenOut(t *testing.T) {
	const undefined = `{"message":"Field '%s' doesn't exist on type '%s'"%s}`
	at := func(doc, mark string) string { // the location of mark's first letter
		return fmt.Sprintf(`,"locations":[{"line":1,"column":%d}]`, strings.Index(doc, mark)+1)
	}
	const (
		two      = `query($n:Int!$o:String!){repository(owner: $o){id,a: issue(number: $n){id,isX},b: discussion{title,isX}}}`
		fragment = `query($id:ID!){node(id: $id){id,... on Issue{isX,title},... on Discussion{isX}}}`
		lonely   = `query($n:Int!){repository{issue(number: $n){isX}}}`
	)
	tests := []struct {
		name, doc, field, typ, where string
		want                         string // "" when the document must stay
		paths                        []string
	}{
		{"at its location", two, "isX", "Discussion", at(two, "isX}}}"),
			`query($n:Int!$o:String!){repository(owner: $o){id a: issue(number: $n){id isX}b: discussion{title}}}`, []string{"repository.b.isX"}},
		{"at its path", two, "isX", "Issue", `,"path":["query","repository","a","isX"]`,
			`query($n:Int!$o:String!){repository(owner: $o){id a: issue(number: $n){id}b: discussion{title isX}}}`, []string{"repository.a.isX"}},
		{"with its arguments, alias and selections", two, "issue", "Repository", at(two, "a: issue"),
			`query($o:String!){repository(owner: $o){id b: discussion{title isX}}}`, []string{"repository.a"}},
		{"where only the name is pointed at", two, "issue", "Repository", at(two, "issue"),
			`query($o:String!){repository(owner: $o){id b: discussion{title isX}}}`, []string{"repository.a"}},
		{"wherever it is when nothing says where", two, "isX", "Anything", ``,
			`query($n:Int!$o:String!){repository(owner: $o){id a: issue(number: $n){id}b: discussion{title}}}`, []string{"repository.a.isX", "repository.b.isX"}},
		{"not when the place is another", two, "isX", "Issue", at(two, "title"), "", nil},
		{"not when the path is another", two, "isX", "Issue", `,"path":["query","repository","c","isX"]`, "", nil},
		{"only in a fragment of the type", fragment, "isX", "Issue", ``,
			`query($id:ID!){node(id: $id){id ... on Issue{title}... on Discussion{isX}}}`, []string{"node.isX"}},
		{"with a fragment of which nothing is left", fragment, "isX", "Discussion", ``,
			`query($id:ID!){node(id: $id){id ... on Issue{isX title}}}`, []string{"node.isX"}},
		{"at a path with a fragment", fragment, "isX", "Issue", `,"path":["query","node","... on Issue","isX"]`,
			`query($id:ID!){node(id: $id){id ... on Issue{title}... on Discussion{isX}}}`, []string{"node.isX"}},
		{"a root field of a query", `{viewer{login},rateLimit{cost}}`, "rateLimit", "Query", ``, `{viewer{login}}`, []string{"rateLimit"}},
		{"the last use of every variable", `query($n:Int!){viewer{login},x(n: $n){a}}`, "x", "Query", ``, `query{viewer{login}}`, []string{"x"}},
		{"not a root field of a mutation", `mutation($input:I!){a(input: $input){id},b(input: $input){id}}`, "b", "Mutation", ``, "", nil},
		{"a field of a mutation's payload", `mutation($input:I!){a(input: $input){id,isX}}`, "isX", "Payload", ``, `mutation($input:I!){a(input: $input){id}}`, []string{"a.isX"}},
		{"not the only field of an object", lonely, "isX", "Issue", ``, "", nil},
		{"not all roots", `{viewer{login}}`, "viewer", "Query", ``, "", nil},
		{"not a name inside a string", `{a(x: "isX {isX}"){isX,id}}`, "isX", "A", ``, `{a(x: "isX{isX}"){id}}`, []string{"a.isX"}},
		{"with directives", `query($v:Boolean!){a{id,isX @include(if: $v)}}`, "isX", "A", ``, `query{a{id}}`, []string{"a.isX"}},
		{"after characters of several bytes", `{a(x: "éé"){id,isX},b{isX,id}}`, "isX", "A", `,"locations":[{"line":1,"column":16}]`, `{a(x: "éé"){id}b{isX id}}`, []string{"a.isX"}},
		{"on a later line", "{\n a {\n  id\n  isX\n }\r\n b { isX id }}", "isX", "B", `,"locations":[{"line":6,"column":6}]`, "{\n a{\n id\n isX\n}\r\n b{id}}", []string{"b.isX"}},
		{"not from a document that is not understood", `query A{a{isX}} query B{b}`, "isX", "A", ``, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var env envelope
			if err := json.Unmarshal(fmt.Appendf(nil, `{"errors":[`+undefined+`]}`, tt.field, tt.typ, tt.where), &env); err != nil {
				t.Fatal(err)
			}
			got, ok := reduction{query: tt.doc}.without(env)
			if ok != (tt.want != "") {
				t.Fatalf("reduced = %v to %q, want %q", ok, got.query, tt.want)
			}
			if !ok {
				return
			}
			if words(got.query) != words(tt.want) {
				t.Errorf("reduced to\n%s, want\n%s", words(got.query), words(tt.want))
			}
			var paths []string
			for _, note := range got.notes {
				paths = append(paths, note.where())
			}
			if diff := cmp.Diff(tt.paths, paths); diff != "" {
				t.Errorf("paths of the notes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyRefusedDocumentsAreReduced(t *testing.T) {
	const message = `"message":"Field 'isX' doesn't exist on type 'A'"`
	for name, tt := range map[string]struct {
		doc, env string
		want     bool
	}{
		"refused":                               {`{a{id,isX}}`, `{"errors":[{` + message + `}]}`, true},
		"refused by another engine":             {`{a{id,isX}}`, `{"errors":[{"message":"Cannot query field \"isX\" on type \"A\". Did you mean \"id\"?"}]}`, true},
		"query with null data":                  {`{a{id,isX}}`, `{"data":null,"errors":[{` + message + `}]}`, true},
		"query with data":                       {`{a{id,isX}}`, `{"data":{"a":null},"errors":[{` + message + `}]}`, false},
		"mutation that ran":                     {`mutation{a{id,isX}}`, `{"data":null,"errors":[{` + message + `}]}`, false},
		"mutation that was refused":             {`mutation{a{id,isX}}`, `{"errors":[{` + message + `}]}`, true},
		"error of an execution":                 {`{a{id,isX}}`, `{"errors":[{"type":"UNPROCESSABLE",` + message + `}]}`, false},
		"text that only quotes such an error":   {`{a{id,isX}}`, `{"errors":[{"message":"he said: Field 'isX' doesn't exist on type 'A'"}]}`, false},
		"unknown argument":                      {`{a(x: 1){id,isX}}`, `{"errors":[{"message":"Field 'a' doesn't accept argument 'x'"}]}`, false},
		"unknown argument beside unknown field": {`{a(x: 1){id,isX}}`, `{"errors":[{"message":"Field 'a' doesn't accept argument 'x'"},{` + message + `}]}`, true},
	} {
		var env envelope
		if err := json.Unmarshal([]byte(tt.env), &env); err != nil {
			t.Fatal(err)
		}
		if _, got := (reduction{query: tt.doc}).without(env); got != tt.want {
			t.Errorf("%s: reduced = %v, want %v", name, got, tt.want)
		}
	}
}

// oldGitHub knows the fields of a set alone. It refuses documents with others
// as GitHub does, and answers all else with data.
func oldGitHub(t *testing.T, known []string, data string) (client *Client, bodies *[]request) {
	t.Helper()
	bodies = &[]request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent request
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		*bodies = append(*bodies, sent)
		d, err := parse(sent.Query)
		if err != nil {
			t.Errorf("%q: %v", sent.Query, err)
			return
		}
		if len(d.variables) != len(sent.Variables) {
			t.Errorf("%d variables declared, %d sent", len(d.variables), len(sent.Variables))
		}
		for _, s := range d.root.fields() {
			if !slices.Contains(known, s.name) {
				fmt.Fprintf(w, `{"errors":[{"message":"Field '%s' doesn't exist on type 'T'","locations":[{"line":1,"column":%d}],"extensions":{"code":"undefinedField"}}]}`, s.name, s.start+1)
				return
			}
		}
		io.WriteString(w, data)
	}))
	t.Cleanup(server.Close)
	return New(Options{URL: server.URL}), bodies
}

type newQuery struct {
	Repository struct {
		ID         string
		Discussion *struct {
			Title      string
			IsAnswered bool
			Poll       *struct {
				Options struct{ TotalCount int } `graphql:"options(first: $first)"`
			}
		} `graphql:"discussion(number: $n)"`
	}
}

func TestAnOldGitHubStillAnswers(t *testing.T) {
	client, bodies := oldGitHub(t, []string{"repository", "id", "discussion", "title"}, `{"data":{"repository":{"id":"R","discussion":{"title":"T"}}}}`)
	vars := map[string]any{"n": githubv4.Int(7), "first": githubv4.Int(10)}
	want := []string{
		"GitHub here does not know T.isAnswered; it was left out (at repository.discussion.isAnswered)",
		"GitHub here does not know T.poll; it was left out (at repository.discussion.poll)",
	}
	for round, requests := range []int{3, 4} { // the second time the document is known
		var q newQuery
		notes, err := client.Query(t.Context(), "new", &q, vars)
		if err != nil || q.Repository.Discussion.Title != "T" {
			t.Fatalf("%+v, %v", q, err)
		}
		if diff := cmp.Diff(want, notes.Warnings()); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
		if len(*bodies) != requests {
			t.Errorf("round %d: %d requests, want %d", round, len(*bodies), requests)
		}
	}
	last := (*bodies)[3]
	if got := slices.Sorted(maps.Keys(last.Variables)); !slices.Equal(got, []string{"n"}) {
		t.Errorf("variables sent: %q, want n alone", got)
	}
}

func TestANeededFieldThatGitHubDoesNotKnow(t *testing.T) {
	client, _ := oldGitHub(t, []string{"repository", "id"}, `{"data":{"repository":{"id":"R"}}}`)
	var q newQuery
	notes, err := client.Query(t.Context(), "new", &q, map[string]any{"n": githubv4.Int(7), "first": githubv4.Int(10)})
	if err != nil || q.Repository.Discussion != nil {
		t.Fatalf("%+v, %v", q, err)
	}
	got := notes.Fault("repository.discussion", fault.New(fault.NotFound, "no discussion #7"))
	if !fault.Is(got, fault.UpstreamError) || !strings.Contains(got.Error(), "T.discussion") {
		t.Errorf("fault = %v, want UPSTREAM_ERROR about T.discussion", got)
	}

	client, bodies := oldGitHub(t, []string{"repository", "discussion"}, `{}`)
	_, err = client.Query(t.Context(), "new", &q, map[string]any{"n": githubv4.Int(7), "first": githubv4.Int(10)})
	if !fault.Is(err, fault.UpstreamError) || !strings.Contains(err.Error(), "doesn't exist on type 'T'") {
		t.Errorf("err = %v, want UPSTREAM_ERROR with GitHub's words", err)
	}
	if len(*bodies) > maxRounds {
		t.Errorf("%d requests", len(*bodies))
	}
}

func TestNullStaysAnAnswerAfterAReduction(t *testing.T) {
	client, _ := oldGitHub(t, []string{"repository", "title", "discussion"}, `{"data":{"repository":null}}`)
	var q struct {
		Repository *struct {
			Discussion struct{ Title string }
			IsX        bool
		}
	}
	notes, err := client.Query(t.Context(), "null", &q, nil)
	if err != nil || q.Repository != nil || len(notes) != 1 {
		t.Errorf("%v, %v, %v; want a null repository and a note", q.Repository, notes, err)
	}
}

func TestRoundsAreBounded(t *testing.T) {
	client, bodies := oldGitHub(t, []string{"node", "id"}, `{}`)
	var q struct {
		Node struct {
			ID                                                     string
			F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13 string
		}
	}
	_, err := client.Query(t.Context(), "many", &q, nil)
	if !fault.Is(err, fault.UpstreamError) || len(*bodies) != maxRounds {
		t.Errorf("err = %v after %d requests, want UPSTREAM_ERROR after %d", err, len(*bodies), maxRounds)
	}
}

func TestMutationOnAnOldGitHubRunsOnce(t *testing.T) {
	client, bodies := oldGitHub(t, []string{"addComment", "id"}, `{"data":{"addComment":{"id":"IC_1"}}}`)
	var m struct {
		AddComment struct{ ID, FullDatabaseID string } `graphql:"addComment(input: $input)"`
	}
	notes, err := client.Mutate(t.Context(), "comment", &m, githubv4.AddCommentInput{}, nil)
	if err != nil || m.AddComment.ID != "IC_1" || len(notes) != 1 {
		t.Fatalf("%+v, %v, %v", m, notes, err)
	}
	if len(*bodies) != 2 || !strings.Contains((*bodies)[0].Query, "fullDatabaseId") || strings.Contains((*bodies)[1].Query, "fullDatabaseId") {
		t.Errorf("sent %v, want one refused and one accepted document", *bodies)
	}
}

// FuzzReduce holds the reader to an independent one: what it takes out is
// exactly what was named, and what is left is a document.
func FuzzReduce(f *testing.F) {
	for _, seed := range []string{
		`query($n:Int!$o:[String!]=["a"]){repository(owner: $o){id,a: issue(number: $n){id,x @include(if: true)},... on T{x},...{x,y}}}`,
		`mutation($input:I!){a(input: $input){x,id}}`,
		"{a(s: \"\"\"b\\\"\"\"c\"\"\", o: {k: [1, -2.5e3, $v, E]}){x #c\n,y}}",
		`subscription{a}`, `{a{x}} fragment F on T{x}`, `{a{...F}}`, `{`, `{a(x:"\"){b}`,
	} {
		f.Add(seed, "x")
	}
	f.Fuzz(func(t *testing.T, text, field string) {
		d, err := parse(text)
		if err != nil {
			return
		}
		before, err := oracle.ParseQuery(&ast.Source{Input: text})
		if err != nil {
			return // we read a little more than the language
		}
		gone := map[*selection]bool{}
		var want []string
		for _, s := range d.root.fields() {
			if s.name == field {
				gone[s] = true
			}
		}
		collect(before.Operations[0].SelectionSet, field, &want)
		reduced, ok := d.reduce(gone)
		if !ok {
			return
		}
		after, gqlErr := oracle.ParseQuery(&ast.Source{Input: reduced})
		if gqlErr != nil {
			t.Fatalf("%q was reduced to %q: %v", text, reduced, gqlErr)
		}
		var got []string
		collect(after.Operations[0].SelectionSet, "", &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q was reduced to %q (-want +got):\n%s", text, reduced, diff)
		}
	})
}

// collect lists the fields of a selection set without those of the given name
// and all below them.
func collect(set ast.SelectionSet, without string, names *[]string) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if s.Name != without {
				*names = append(*names, s.Alias+":"+s.Name)
				collect(s.SelectionSet, without, names)
			}
		case *ast.InlineFragment:
			collect(s.SelectionSet, without, names)
		}
	}
}
