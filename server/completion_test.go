package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// TestCompletion: what is asked for reaches the function with all that is
// known; its candidates are narrowed down to what was typed, the first hundred
// of them; and its errors complete nothing.
func TestCompletion(t *testing.T) {
	many := make([]string, 250)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for name, test := range map[string]struct {
		ref, typed string
		found      []string
		err        error
		want       string
	}{
		"of a prompt, beginnings first": {`{"type":"ref/prompt","name":"jot"}`, "BE", []string{"abe", "bee", "Beta", "bee", "gamma"}, nil,
			`{"values":["bee","Beta","abe"],"total":3}`},
		"of a resource, all": {`{"type":"ref/resource","uri":"test://{owner}/{repo}/echo/{count}"}`, "", []string{"b", "a"}, nil,
			`{"values":["b","a"],"total":2}`},
		"none":     {`{"type":"ref/prompt","name":"jot"}`, "x", []string{"a"}, nil, `{"values":[]}`},
		"an error": {`{"type":"ref/prompt","name":"jot"}`, "", []string{"a"}, errors.New("private"), `{"values":[]}`},
		"too many": {`{"type":"ref/prompt","name":"jot"}`, "1", many, nil,
			`{"values":[` + listOf(many, "1", 100) + `],"total":133,"hasMore":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			var asked server.CompletionRequest
			o := options(t)
			o.Complete = func(ctx context.Context, request server.CompletionRequest) ([]string, error) {
				if _, ok := ctx.Deadline(); !ok {
					t.Error("a completion has no deadline")
				}
				asked = request
				return test.found, test.err
			}
			answer := talk(t, newServer(t, o), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":%s,`+
				`"argument":{"name":"repo","value":%q},"context":{"arguments":{"owner":"o"}}}}`, test.ref, test.typed))[0]
			var got struct {
				Result struct{ Completion json.RawMessage }
			}
			if err := json.Unmarshal([]byte(answer), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got.Result.Completion)); diff != "" {
				t.Errorf("completion (-want +got):\n%s", diff)
			}
			if asked.Argument != "repo" || asked.Value != test.typed || asked.Known["owner"] != "o" || !strings.Contains(test.ref, asked.Of) || asked.Of == "" {
				t.Errorf("the function was asked %+v", asked)
			}
		})
	}
}

// listOf is the first n of the values that contain part, those that begin with
// it first, as the inside of a JSON list.
func listOf(values []string, part string, n int) string {
	var begin, contain []string
	for _, v := range values {
		switch {
		case strings.HasPrefix(v, part):
			begin = append(begin, `"`+v+`"`)
		case strings.Contains(v, part):
			contain = append(contain, `"`+v+`"`)
		}
	}
	return strings.Join(append(begin, contain...)[:n], ",")
}
