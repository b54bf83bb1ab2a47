package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/github-workflow-mcp/github-workflow-mcp/server"
)

// site is an endpoint on a port of this machine.
type site struct {
	t    testing.TB
	http *server.HTTP
	url  string // of /mcp
}

// open serves s until the test ends.
func open(t testing.TB, s *server.Server, o server.HTTPOptions) *site {
	t.Helper()
	endpoint, err := server.NewHTTP(s, o)
	if err != nil {
		t.Fatal(err)
	}
	site, stop, done := serve(t, endpoint)
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return site
}

// heard is an answer.
type heard struct {
	status int
	header http.Header
	body   string
}

// send makes one request; a body makes it a POST. Headers are "Name: value".
func (s *site) send(method, path, body string, headers ...string) heard {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, strings.TrimSuffix(s.url, "/mcp")+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if r.Header[http.CanonicalHeaderKey(name)] == nil || name == "Content-Type" {
			r.Header.Set(name, value)
		} else {
			r.Header.Add(name, value)
		}
		if name == "Host" {
			r.Host = value
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return heard{resp.StatusCode, resp.Header, string(text)}
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// begin begins a session and gives the header that names it.
func (s *site) begin(headers ...string) string {
	s.t.Helper()
	got := s.send("POST", "/mcp", handshake, headers...)
	id := got.header.Get("Mcp-Session-Id")
	if got.status != http.StatusOK || len(id) < 20 {
		s.t.Fatalf("the handshake is answered with %d %s, session %q", got.status, got.body, id)
	}
	return "Mcp-Session-Id: " + id
}

// stateless is a message of 2026-07-28 with the headers that go with it.
func stateless(id int, method, params string) (body string, headers []string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta += ","
	}
	body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, id, method, meta, params)
	return body, modernHeaders(body)
}

// modernHeaders are those of a message of 2026-07-28; none of an older one.
func modernHeaders(body string) []string {
	var m struct {
		Method string
		Params struct {
			Meta      map[string]any `json:"_meta"`
			Name, URI string
		}
	}
	_ = json.Unmarshal([]byte(body), &m)
	version, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	if !ok {
		return nil
	}
	headers := []string{"MCP-Protocol-Version: " + version, "Mcp-Method: " + m.Method}
	if name := m.Params.Name + m.Params.URI; name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	return headers
}

// TestSessionsOverHTTP plays the sessions in testdata that ask nobody: they are
// answered as over stdio.
func TestSessionsOverHTTP(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions in testdata: %v", err)
	}
	played := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(part(archive, "client"), "\n? ") {
			continue // somebody is asked
		}
		played++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			s := open(t, newServer(t, sessionOptions(t, part(archive, "options"))), server.HTTPOptions{Loopback: true})
			answers := s.converse(part(archive, "client"))
			if diff := cmp.Diff(canonical(t, part(archive, "server")), canonical(t, answers)); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
	if played < 10 {
		t.Errorf("only %d sessions were played", played)
	}
}

// converse posts each line and gives the messages that came back.
func (s *site) converse(lines string) string {
	s.t.Helper()
	var session []string
	var answers strings.Builder
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		got := s.send("POST", "/mcp", strings.TrimSpace(line), append(modernHeaders(line), session...)...)
		if id := got.header.Get("Mcp-Session-Id"); id != "" {
			session = []string{"Mcp-Session-Id: " + id}
		}
		if kind := got.header.Get("Content-Type"); kind == "application/json" {
			answers.WriteString(strings.TrimSpace(got.body) + "\n")
		}
	}
	return answers.String()
}

// TestHTTPKeepsDigits: ids and arguments come through as they were sent.
func TestHTTPKeepsDigits(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	got := s.send("POST", "/mcp", `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","comment_id":9007199254740995}}}`)
	const want = `"id":9007199254740993,"result":{"content":[{"type":"text","text":"{\"text\":\"a\",\"count\":1,\"commentId\":\"9007199254740995\"}"`
	if !strings.Contains(got.body, want) {
		t.Errorf("the answer is %s\nwant %s", got.body, want)
	}
}

// TestDoor sends what a page, a stranger or a broken program would.
func TestDoor(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	listTools, modernHeaders := stateless(1, "tools/list", "")
	const token = "Authorization: Bearer a-token"
	local := server.HTTPOptions{Loopback: true}
	public := server.HTTPOptions{AllowedOrigins: []string{"https://good.example"}}
	guarded := server.HTTPOptions{Loopback: true, ServerToken: "the-secret"}
	oauth := server.HTTPOptions{Loopback: true, AuthorizationServer: "https://login.example"}
	proxied := server.HTTPOptions{Loopback: true, PublicURL: "https://mcp.example/mcp"}
	for name, test := range map[string]struct {
		options      server.HTTPOptions
		method, path string
		body         string
		headers      []string
		want         int
		header       string // that the answer has to have
	}{
		"plain":                               {local, "POST", "/mcp", ping, nil, 200, ""},
		"a foreign page":                      {local, "POST", "/mcp", ping, []string{"Origin: https://evil.example"}, 403, ""},
		"a page that hides":                   {local, "POST", "/mcp", ping, []string{"Origin: null"}, 403, ""},
		"a page that looks local":             {local, "POST", "/mcp", ping, []string{"Origin: http://localhost.evil.example"}, 403, ""},
		"a page of two origins":               {local, "POST", "/mcp", ping, []string{"Origin: http://localhost", "Origin: https://evil.example"}, 403, ""},
		"a page with a path":                  {local, "POST", "/mcp", ping, []string{"Origin: http://localhost/evil"}, 403, ""},
		"a page of this machine":              {local, "POST", "/mcp", ping, []string{"Origin: http://localhost:6274"}, 200, "Access-Control-Allow-Origin: http://localhost:6274"},
		"a page of this machine asks":         {local, "OPTIONS", "/mcp", "", []string{"Origin: http://127.0.0.1:1"}, 204, "Access-Control-Allow-Methods: GET, POST, DELETE"},
		"a foreign page asks":                 {local, "OPTIONS", "/mcp", "", []string{"Origin: https://evil.example"}, 403, ""},
		"a foreign page reads metrics":        {local, "GET", "/metrics", "", []string{"Origin: https://evil.example"}, 403, ""},
		"a name that was bent here":           {local, "POST", "/mcp", ping, []string{"Host: evil.example"}, 403, ""},
		"a name that was bent, health":        {local, "GET", "/healthz", "", []string{"Host: evil.example"}, 403, ""},
		"localhost":                           {local, "POST", "/mcp", ping, []string{"Host: localhost:8082"}, 200, ""},
		"IPv6":                                {local, "POST", "/mcp", ping, []string{"Host: [::1]:8082"}, 200, ""},
		"brought by a proxy":                  {local, "POST", "/mcp", ping, []string{"X-Forwarded-For: 192.0.2.1"}, 401, "WWW-Authenticate: Bearer realm=\"github-workflow\""},
		"a user's token":                      {local, "POST", "/mcp", ping, []string{token}, 200, ""},
		"a scheme in small letters":           {local, "POST", "/mcp", ping, []string{"Authorization: bearer a-token"}, 200, ""},
		"another scheme":                      {local, "POST", "/mcp", ping, []string{"Authorization: Basic YTpi"}, 401, ""},
		"a scheme without a token":            {local, "POST", "/mcp", ping, []string{"Authorization: Bearer "}, 401, ""},
		"a token of two words":                {local, "POST", "/mcp", ping, []string{"Authorization: Bearer a b"}, 401, ""},
		"a token without end":                 {local, "POST", "/mcp", ping, []string{"Authorization: Bearer " + strings.Repeat("x", 5000)}, 401, ""},
		"a network, without a token":          {public, "POST", "/mcp", ping, nil, 401, "WWW-Authenticate: Bearer realm=\"github-workflow\""},
		"a network, session without":          {public, "DELETE", "/mcp", "", []string{"Mcp-Session-Id: x"}, 401, ""},
		"a network, with a token":             {public, "POST", "/mcp", ping, []string{token}, 200, ""},
		"a network, a good page":              {public, "POST", "/mcp", ping, []string{token, "Origin: https://good.example"}, 200, "Vary: Origin"},
		"a network, a page of a machine":      {public, "POST", "/mcp", ping, []string{token, "Origin: http://localhost"}, 403, ""},
		"a network, a name of its own":        {public, "POST", "/mcp", ping, []string{token, "Host: mcp.example"}, 200, ""},
		"a network, health":                   {public, "GET", "/healthz", "", nil, 200, ""},
		"a network, metrics":                  {public, "GET", "/metrics", "", nil, 200, ""},
		"guarded, nothing":                    {guarded, "POST", "/mcp", ping, nil, 401, ""},
		"guarded, a wrong token":              {guarded, "POST", "/mcp", ping, []string{"Authorization: Bearer the-secre"}, 401, "WWW-Authenticate: Bearer realm=\"github-workflow\", error=\"invalid_token\""},
		"guarded, its token":                  {guarded, "POST", "/mcp", ping, []string{"Authorization: Bearer the-secret"}, 200, ""},
		"guarded, metrics here":               {guarded, "GET", "/metrics", "", nil, 200, ""},
		"guarded network, metrics":            {server.HTTPOptions{ServerToken: "the-secret"}, "GET", "/metrics", "", nil, 401, ""},
		"guarded network, metrics, token":     {server.HTTPOptions{ServerToken: "the-secret"}, "GET", "/metrics", "", []string{"Authorization: Bearer the-secret"}, 200, ""},
		"oauth, nothing":                      {oauth, "POST", "/mcp", ping, []string{"Host: localhost:1"}, 401, "WWW-Authenticate: Bearer realm=\"github-workflow\", resource_metadata=\"http://localhost:1/.well-known/oauth-protected-resource/mcp\""},
		"oauth, a token":                      {oauth, "POST", "/mcp", ping, []string{token}, 200, ""},
		"proxied, nothing":                    {proxied, "POST", "/mcp", ping, []string{"Host: mcp.example"}, 401, ""},
		"proxied, nothing, from here":         {proxied, "POST", "/mcp", ping, nil, 401, ""},
		"proxied, a token":                    {proxied, "POST", "/mcp", ping, []string{"Host: mcp.example", token}, 200, ""},
		"proxied, another name":               {proxied, "POST", "/mcp", ping, []string{"Host: evil.example", token}, 403, ""},
		"a form":                              {local, "POST", "/mcp", ping, []string{"Content-Type: text/plain"}, 415, ""},
		"no type":                             {local, "POST", "/mcp", ping, []string{"Content-Type: "}, 415, ""},
		"a type with a character set":         {local, "POST", "/mcp", ping, []string{"Content-Type: application/json; charset=utf-8"}, 200, ""},
		"no JSON":                             {local, "POST", "/mcp", "{", nil, 400, "Content-Type: application/json"},
		"nothing at all":                      {local, "POST", "/mcp", "", nil, 400, ""},
		"a batch":                             {local, "POST", "/mcp", "[" + ping + "]", nil, 400, ""},
		"too long":                            {local, "POST", "/mcp", strings.Repeat(" ", server.MaxBodyBytes+1), nil, 413, ""},
		"long":                                {local, "POST", "/mcp", ping + strings.Repeat(" ", 200<<10), nil, 200, ""},
		"long, and no call":                   {local, "POST", "/mcp", ping + strings.Repeat(" ", 256<<10), nil, 413, "Content-Type: application/json"},
		"a call of 5 MB":                      {local, "POST", "/mcp", callLine(1, "echo", `{"text":"`+strings.Repeat("x", 5<<20)+`"}`), nil, 200, ""},
		"a call with much around it":          {local, "POST", "/mcp", strings.Replace(callLine(1, "echo", `{"text":"x"}`), `"params":{`, `"params":{"_meta":{"a":"`+strings.Repeat("x", 64<<10)+`"},`, 1), nil, 413, ""},
		"a call with a twin of its arguments": {local, "POST", "/mcp", strings.Replace(callLine(1, "echo", `{"text":"x"}`), `"params":{`, `"params":{"Arguments":"`+strings.Repeat("x", 64<<10)+`",`, 1), nil, 413, ""},
		"a call of many values":               {local, "POST", "/mcp", callLine(1, "echo", `{"text":[`+strings.Repeat("{},", 10_000)+`0]}`), nil, 413, "Content-Type: application/json"},
		"a call of a text with many commas":   {local, "POST", "/mcp", callLine(1, "echo", `{"text":"`+strings.Repeat(`{},\"[`, 10_000)+`"}`), nil, 200, ""},
		"a call of a list":                    {local, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["` + strings.Repeat("x", 64<<10) + `"]}`, nil, 413, ""},
		"a stream with a body":                {local, "GET", "/mcp", ping, []string{"Mcp-Session-Id: nope"}, 400, ""},
		"an end with a body":                  {local, "DELETE", "/mcp", ping, []string{"Mcp-Session-Id: nope"}, 400, ""},
		"a verb of others":                    {local, "PUT", "/mcp", ping, nil, 405, "Allow: GET, POST, DELETE"},
		"a stream without a session":          {local, "GET", "/mcp", "", nil, 405, "Allow: POST"},
		"a stream of no session":              {local, "GET", "/mcp", "", []string{"Mcp-Session-Id: mcp-session-0190163d-8694-739b-aea5-966c26f8ad91"}, 404, ""},
		"a message of no session":             {local, "POST", "/mcp", ping, []string{"Mcp-Session-Id: nope"}, 404, ""},
		"an unknown version":                  {local, "POST", "/mcp", ping, []string{"MCP-Protocol-Version: 1999-01-01"}, 400, ""},
		"a modern message":                    {local, "POST", "/mcp", listTools, modernHeaders, 200, ""},
		"a modern message of a session":       {local, "POST", "/mcp", listTools, append([]string{"Mcp-Session-Id: nope"}, modernHeaders...), 200, ""},
		"modern, headers lacking":             {local, "POST", "/mcp", listTools, nil, 400, ""},
		"a modern stream":                     {local, "GET", "/mcp", "", []string{"MCP-Protocol-Version: 2026-07-28"}, 405, "Allow: POST"},
		"somewhere else":                      {local, "POST", "/mcp/x", ping, nil, 404, ""},
		"an unknown toolset":                  {local, "POST", "/mcp/x/note", ping, nil, 400, ""},
		"no toolset":                          {local, "POST", "/mcp/x/,", ping, nil, 400, ""},
		"a blank toolset":                     {local, "POST", "/mcp/x/%20", ping, nil, 400, ""},
		"no toolset, by header":               {local, "POST", "/mcp", ping, []string{"X-MCP-Toolsets: ,"}, 400, ""},
		"read-only, true and perhaps":         {local, "POST", "/mcp", ping, []string{"X-MCP-Readonly: true", "X-MCP-Readonly: perhaps"}, 400, ""},
		"read-only, perhaps":                  {local, "POST", "/mcp", ping, []string{"X-MCP-Readonly: perhaps"}, 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newServer(t, options(t)), test.options)
			got := s.send(test.method, test.path, test.body, test.headers...)
			if got.status != test.want {
				t.Errorf("answered with %d %s, want %d", got.status, got.body, test.want)
			}
			if header, value, _ := strings.Cut(test.header, ": "); !slices.Contains(got.header.Values(header), value) && header != "" {
				t.Errorf("%s is %q, want %q", header, got.header.Values(header), value)
			}
			if strings.Contains(got.body, "secre") || strings.Contains(got.body, "a-token") {
				t.Errorf("the answer shows a token: %s", got.body)
			}
		})
	}
}

func TestNewHTTPRefuses(t *testing.T) {
	for name, o := range map[string]server.HTTPOptions{
		"two kinds of tokens":        {ServerToken: "a", AuthorizationServer: "https://login.example"},
		"a token no header carries":  {ServerToken: "a b"},
		"a public name that is none": {PublicURL: "mcp.example"},
		"a login that is none":       {AuthorizationServer: "login.example"},
		"every page":                 {AllowedOrigins: []string{"*"}},
		"an origin with a path":      {AllowedOrigins: []string{"https://good.example/"}},
		"a limit below nothing":      {MaxPerMinute: -1},
		"a time below nothing":       {SessionIdle: -1},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := server.NewHTTP(newServer(t, options(t)), o); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// TestServeRefusesAPublicAddress: what was promised to be of this machine is
// not served to others.
func TestServeRefusesAPublicAddress(t *testing.T) {
	endpoint, err := server.NewHTTP(newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := endpoint.Serve(t.Context(), l); err == nil {
		t.Error("served")
	}
}

func TestProtectedResourceMetadata(t *testing.T) {
	for want, o := range map[string]server.HTTPOptions{
		"http://localhost:1/mcp":  {Loopback: true, AuthorizationServer: "https://login.example"},
		"https://mcp.example/mcp": {Loopback: true, AuthorizationServer: "https://login.example", PublicURL: "https://mcp.example/mcp"},
	} {
		s := open(t, newServer(t, options(t)), o)
		for _, path := range []string{"", "/mcp"} {
			got := s.send("GET", "/.well-known/oauth-protected-resource"+path, "", "Host: localhost:1")
			var told struct {
				Resource string
				Servers  []string `json:"authorization_servers"`
			}
			if err := json.Unmarshal([]byte(got.body), &told); err != nil || told.Resource != want || !slices.Equal(told.Servers, []string{"https://login.example"}) {
				t.Errorf("%q: %d %s, %v; want %s", path, got.status, got.body, err, want)
			}
		}
	}
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	if got := s.send("GET", "/.well-known/oauth-protected-resource", ""); got.status != http.StatusNotFound {
		t.Errorf("without an authorization server there is metadata: %d %s", got.status, got.body)
	}
}

// TestNarrowing: path and headers take tools away, together too, and never give
// any back.
func TestNarrowing(t *testing.T) {
	o := options(t)
	o.Toolsets = []string{"text", "notes", "erasing"}
	s := open(t, newServer(t, o), server.HTTPOptions{Loopback: true, Off: map[string]string{"erase": "it erases this machine"}})
	for name, test := range map[string]struct {
		path    string
		headers []string
		want    string
	}{
		"all there is":             {"/mcp", nil, "add_note echo fill healthcheck"},
		"by path":                  {"/mcp/x/text", nil, "echo fill healthcheck"},
		"by path, two":             {"/mcp/x/notes,text", nil, "add_note echo fill healthcheck"},
		"by header":                {"/mcp", []string{"X-MCP-Toolsets: notes"}, "add_note healthcheck"},
		"by both":                  {"/mcp/x/text,notes", []string{"X-MCP-Toolsets: notes, failures"}, "add_note healthcheck"},
		"by both, nothing left":    {"/mcp/x/text", []string{"X-MCP-Toolsets: notes"}, "healthcheck"},
		"what the process has not": {"/mcp/x/failures", nil, "healthcheck"},
		"read-only by path":        {"/mcp/readonly", nil, "echo fill healthcheck"},
		"read-only by header":      {"/mcp", []string{"X-MCP-Readonly: true"}, "echo fill healthcheck"},
		"read-only for all that":   {"/mcp/readonly", []string{"X-MCP-Readonly: false"}, "echo fill healthcheck"},
		"read-only, then not":      {"/mcp", []string{"X-MCP-Readonly: true", "X-MCP-Readonly: false"}, "echo fill healthcheck"},
		"not read-only, then yes":  {"/mcp", []string{"X-MCP-Readonly: false", "X-MCP-Readonly: true"}, "echo fill healthcheck"},
		"joined by a proxy":        {"/mcp", []string{"X-MCP-Readonly: false, true"}, "echo fill healthcheck"},
		"by header, twice":         {"/mcp", []string{"X-MCP-Toolsets: notes", "X-MCP-Toolsets: text, notes"}, "add_note healthcheck"},
		"by header, then all":      {"/mcp", []string{"X-MCP-Toolsets: notes", "X-MCP-Toolsets: all"}, "add_note healthcheck"},
		"both":                     {"/mcp/x/notes/readonly", nil, "healthcheck"},
		"all":                      {"/mcp/x/all", nil, "add_note echo fill healthcheck"},
		"all, by header":           {"/mcp", []string{"X-MCP-Toolsets: all"}, "add_note echo fill healthcheck"},
		"an empty header":          {"/mcp", []string{"X-MCP-Toolsets: "}, "add_note echo fill healthcheck"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.send("POST", test.path, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, test.headers...)
			var listed struct {
				Result struct{ Tools []struct{ Name string } }
			}
			if err := json.Unmarshal([]byte(got.body), &listed); err != nil {
				t.Fatalf("%d %s", got.status, got.body)
			}
			var names []string
			for _, tool := range listed.Result.Tools {
				names = append(names, tool.Name)
			}
			slices.Sort(names)
			if text := strings.Join(names, " "); text != test.want {
				t.Errorf("listed are %s, want %s", text, test.want)
			}
		})
	}
	for path, want := range map[string]string{
		"/mcp":           "it erases this machine",
		"/mcp/x/text":    "it erases this machine",
		"/mcp/x/erasing": "it erases this machine",
	} {
		if got := s.send("POST", path, callLine(1, "erase", `{"what":"it"}`)); !strings.Contains(got.body, want) {
			t.Errorf("%s: a tool that is off over HTTP answers %s", path, got.body)
		}
	}
	if got := s.send("POST", "/mcp/readonly", callLine(1, "add_note", `{"text":"x"}`)); !strings.Contains(got.body, "READ_ONLY") {
		t.Errorf("a write where nothing is written answers %s", got.body)
	}
	if got := s.send("POST", "/mcp/x/text", callLine(1, "add_note", `{"text":"x"}`)); !strings.Contains(got.body, "switched off here") {
		t.Errorf("a tool that was taken away answers %s", got.body)
	}
}

// TestSessionsAreTheirOwners: for everybody else, and under other tools, a
// session does not exist.
func TestSessionsAreTheirOwners(t *testing.T) {
	s := open(t, newServer(t, options(t)), server.HTTPOptions{Loopback: true})
	const a, b = "Authorization: Bearer token-a", "Authorization: Bearer token-b"
	session := s.begin(a)
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for name, test := range map[string]struct {
		method, path string
		headers      []string
		want         int
	}{
		"its owner":                 {"POST", "/mcp", []string{session, a}, 200},
		"another user":              {"POST", "/mcp", []string{session, b}, 404},
		"another user's stream":     {"GET", "/mcp", []string{session, b}, 404},
		"another user wants to end": {"DELETE", "/mcp", []string{session, b}, 404},
		"nobody":                    {"POST", "/mcp", []string{session}, 404},
		"fewer tools":               {"POST", "/mcp/readonly", []string{session, a}, 404},
		"fewer tools by header":     {"POST", "/mcp", []string{session, a, "X-MCP-Toolsets: text"}, 404},
		"its owner, at last":        {"POST", "/mcp", []string{session, a}, 200},
	} {
		body := ping
		if test.method != "POST" {
			body = ""
		}
		if got := s.send(test.method, test.path, body, test.headers...); got.status != test.want {
			t.Errorf("%s: %d %s, want %d", name, got.status, got.body, test.want)
		}
	}
	if got := s.send("DELETE", "/mcp", "", session, a); got.status != http.StatusOK {
		t.Errorf("its owner ends it: %d %s", got.status, got.body)
	}
	if got := s.send("POST", "/mcp", ping, session, a); got.status != http.StatusNotFound {
		t.Errorf("after its end: %d %s", got.status, got.body)
	}
}
