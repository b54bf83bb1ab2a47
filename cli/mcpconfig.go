package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// serverConfig is one server as a configuration file describes it, variables
// not yet filled in.
type serverConfig struct {
	ID       string
	Type     string                  `json:"type"` // stdio, http; absent: what command or url says
	Command  string                  `json:"command"`
	Args     []configScalar          `json:"args"`
	Env      map[string]configScalar `json:"env"`
	Cwd      string                  `json:"cwd"`
	URL      string                  `json:"url"`
	Headers  map[string]configScalar `json:"headers"`
	Disabled bool                    `json:"disabled"`

	broken error // the entry cannot be read
}

// configScalar is a string that people also write as a number or a boolean.
type configScalar string

func (s *configScalar) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = configScalar(text)
		return nil
	}
	if bytes.ContainsAny(data, "{[") {
		return errors.New("a value is neither text nor number")
	}
	*s = configScalar(data)
	return nil
}

// readServers reads the file and chooses the servers to ask, in its order.
func readServers(opts AwarenessOptions) ([]serverConfig, error) {
	data, err := os.ReadFile(opts.ConfigFile)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	all, err := parseServers(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opts.ConfigFile, err)
	}
	if len(opts.Servers) == 0 {
		all = slices.DeleteFunc(all, func(c serverConfig) bool { return c.Disabled })
		if len(all) == 0 {
			return nil, fmt.Errorf("%s: no server to ask under mcpServers or servers", opts.ConfigFile)
		}
		return all, nil
	}
	return chosenServers(all, opts.Servers)
}

func chosenServers(all []serverConfig, ids []string) ([]serverConfig, error) {
	var known []string
	for _, c := range all {
		known = append(known, c.ID)
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("no server %q in the configuration; it has: %s", id, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(c serverConfig) bool { return !slices.Contains(ids, c.ID) }), nil
}

// parseServers reads mcpServers (Claude, Cursor), servers (VS Code's mcp.json)
// and mcp.servers (VS Code's settings). An entry that makes no sense is kept
// with its error, so that it costs only itself.
func parseServers(data []byte) ([]serverConfig, error) {
	var file struct {
		MCPServers configEntries `json:"mcpServers"`
		Servers    configEntries `json:"servers"`
		MCP        struct {
			Servers configEntries `json:"servers"`
		} `json:"mcp"`
	}
	if err := json.Unmarshal(withoutComments(data), &file); err != nil {
		return nil, fmt.Errorf("not a configuration of MCP servers: %w", err)
	}
	var out []serverConfig
	for _, e := range slices.Concat(file.MCPServers, file.Servers, file.MCP.Servers) {
		if slices.ContainsFunc(out, func(c serverConfig) bool { return c.ID == e.id }) {
			continue
		}
		var c serverConfig
		if err := json.Unmarshal(e.raw, &c); err != nil {
			// The error of encoding/json may quote a value: say less.
			c = serverConfig{broken: errors.New("its entry in the configuration has a member of the wrong type")}
		}
		c.ID = e.id
		out = append(out, c)
	}
	return out, nil
}

// configEntries is a JSON object in the order of the file.
type configEntries []configEntry

type configEntry struct {
	id  string
	raw json.RawMessage
}

func (e *configEntries) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	open, err := decoder.Token()
	if err != nil || open == nil {
		return err
	}
	if open != json.Delim('{') {
		return errors.New("the servers are no object")
	}
	for decoder.More() {
		id, err := decoder.Token()
		if err != nil {
			return err
		}
		one := configEntry{id: fmt.Sprint(id)}
		if err := decoder.Decode(&one.raw); err != nil {
			return err
		}
		*e = append(*e, one)
	}
	return nil
}

// withoutComments turns the JSON with comments and trailing commas that VS Code
// allows into JSON; the length stays, so that offsets in errors are right.
func withoutComments(data []byte) []byte {
	out := bytes.Clone(bytes.TrimPrefix(data, []byte("\uFEFF")))
	comma := -1 // the last comma with nothing but blanks after it
	for i := 0; i < len(out); {
		end := tokenEnd(out, i)
		switch {
		case end-i > 1 && out[i] == '/':
			blankOut(out[i:end])
		case out[i] == ',':
			comma = i
		case (out[i] == '}' || out[i] == ']') && comma >= 0:
			out[comma] = ' '
			comma = -1
		case !isBlank(out[i]):
			comma = -1
		}
		i = end
	}
	return out
}

// tokenEnd is the end of the string, comment or single byte at i.
func tokenEnd(data []byte, i int) int {
	rest := data[i:]
	end := 1
	switch {
	case rest[0] == '"':
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		end++
	case bytes.HasPrefix(rest, []byte("//")):
		if end = bytes.IndexByte(rest, '\n'); end < 0 {
			end = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")) + 4; end < 4 {
			end = len(rest)
		}
	}
	return i + min(end, len(rest))
}

func blankOut(data []byte) {
	for i, b := range data {
		if b != '\n' {
			data[i] = ' '
		}
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

var configVariable = regexp.MustCompile(`\$\{([^}]*)\}`)

// filling fills variables in and remembers what must not be printed.
type filling struct {
	env     func(string) string
	secrets []string
	missing []string // names of variables that are not set
}

// fill replaces ${VAR}, ${VAR:-default}, ${env:VAR} and the two directories that
// editors name. What a variable holds is a secret from then on.
func (f *filling) fill(text string) string {
	return configVariable.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		switch name {
		case "workspaceFolder":
			dir, _ := os.Getwd()
			return dir
		case "userHome":
			return f.env("HOME")
		}
		name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
		value := f.env(name)
		switch {
		case value != "":
			f.secrets = append(f.secrets, value)
		case hasFallback:
			value = fallback
		default:
			f.missing = append(f.missing, name)
		}
		return value
	})
}

// filled is c with its variables filled in.
func (f *filling) filled(c serverConfig) (serverConfig, error) {
	c.Command, c.Cwd, c.URL = f.fill(c.Command), f.fill(c.Cwd), f.fill(c.URL)
	c.Args = slices.Clone(c.Args)
	for i, arg := range c.Args {
		c.Args[i] = configScalar(f.fill(string(arg)))
		f.hideArgument(c.Args, i)
	}
	c.Env, c.Headers = f.filledMap(c.Env), f.filledMap(c.Headers)
	if len(f.missing) > 0 {
		return c, fmt.Errorf("the configuration uses ${%s}, which is not set", f.missing[0])
	}
	return c, nil
}

// secretFlag is the name of an argument whose value is nobody's business.
var secretFlag = regexp.MustCompile(`(?i)^-.*(token|key|secret|passw|auth|header|credential)`)

// hideArgument makes a secret of the value in --token=VALUE, or of the argument
// after --token.
func (f *filling) hideArgument(args []configScalar, i int) {
	name, value, joined := strings.Cut(string(args[i]), "=")
	switch {
	case joined && secretFlag.MatchString(name):
		f.hide(value)
	case i > 0 && secretFlag.MatchString(string(args[i-1])) && !strings.Contains(string(args[i-1]), "="):
		f.hide(string(args[i]))
	}
}

// hide makes a secret of value and of its words: of "Bearer abc" also of "abc".
func (f *filling) hide(value string) {
	f.secrets = append(f.secrets, value)
	f.secrets = append(f.secrets, strings.Fields(value)...)
}

// filledMap fills the values of env or headers, which are all secrets.
func (f *filling) filledMap(values map[string]configScalar) map[string]configScalar {
	out := map[string]configScalar{}
	for name, value := range values {
		filled := f.fill(string(value))
		f.hide(filled)
		out[name] = configScalar(filled)
	}
	return out
}

const shortestSecret = 4 // bytes; hiding shorter values would hide ordinary words and no secret

// redact is text in one line without any secret.
func (f *filling) redact(text string) string {
	secrets := slices.Clone(f.secrets)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // a secret may hold another
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			text = strings.ReplaceAll(text, secret, "[hidden]")
		}
	}
	return printableLine(text)
}
