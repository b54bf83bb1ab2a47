package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// A request may ask for fewer tools than the process offers, by its path or by
// the headers that GitHub's own server has: never for more.
const (
	readOnlyHeader = "X-Mcp-Readonly"
	toolsetsHeader = "X-Mcp-Toolsets"
	everyToolset   = "all"
)

// face is the server under one selection of its tools.
type face struct {
	server   *Server
	protocol *mcpserver.StreamableHTTPServer
}

// faces are made when they are first asked for. There are as many as subsets of
// the toolsets, times two.
type faces struct {
	whole *Server

	mu    sync.Mutex
	known map[string]*face
}

func newFaces(whole *Server) *faces {
	return &faces{whole: whole, known: map[string]*face{}}
}

// of is the face that the request asks for. The error is for the client.
func (f *faces) of(r *http.Request) (*face, error) {
	wanted, err := f.wanted(r)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprint(wanted.ReadOnly, wanted.Toolsets, wanted.Tools)
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.known[key]; known != nil {
		return known, nil
	}
	narrowed, err := f.whole.Narrowed(wanted)
	if err != nil {
		return nil, err
	}
	made := &face{server: narrowed}
	made.protocol = mcpserver.NewStreamableHTTPServer(narrowed.protocol,
		mcpserver.WithSessionIdManagerResolver(tickets{}),
		mcpserver.WithHeartbeatInterval(pingInterval),
		mcpserver.WithDisableLocalhostProtection(true), // the door has looked
		mcpserver.WithStreamableHTTPLogger(narrowed.log),
	)
	f.known[key] = made
	return made, nil
}

// wanted is the selection of the request: what path and headers agree on.
func (f *faces) wanted(r *http.Request) (Selection, error) {
	var wanted Selection
	var err error
	if wanted.ReadOnly, err = wantsReadOnly(r); err != nil {
		return Selection{}, err
	}
	for _, names := range []string{r.PathValue("toolsets"), strings.Join(r.Header.Values(toolsetsHeader), ",")} {
		sets := toolsetNames(names)
		if len(sets) == 0 {
			continue
		}
		if err := (Selection{Toolsets: sets}).check(f.whole.contract); err != nil {
			return Selection{}, err
		}
		wanted = wanted.and(sets)
	}
	return wanted, nil
}

// and leaves the toolsets that are also among sets. Where none is left, only
// what is always on stays; an empty selection would be everything.
func (s Selection) and(sets []string) Selection {
	if s.Toolsets == nil && s.Tools == nil {
		s.Toolsets = sets
		return s
	}
	s.Toolsets = slices.DeleteFunc(s.Toolsets, func(set string) bool { return !slices.Contains(sets, set) })
	if len(s.Toolsets) == 0 {
		s.Tools = alwaysOn()
	}
	return s
}

// wantsReadOnly: the path or the header may say so.
func wantsReadOnly(r *http.Request) (bool, error) {
	byPath := strings.HasSuffix(r.URL.Path, "/readonly")
	value := strings.TrimSpace(r.Header.Get(readOnlyHeader))
	if value == "" {
		return byPath, nil
	}
	byHeader, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("the header X-MCP-Readonly is true or false, not %q", cut(value, 20))
	}
	return byPath || byHeader, nil
}

// toolsetNames are the names in a list with commas, each once, sorted; none
// when it asks for all.
func toolsetNames(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.TrimSpace(name); name {
		case "":
		case everyToolset:
			return nil
		default:
			names = append(names, cut(name, 80))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// free has the library forget sessions that are gone.
func (h *HTTP) free(gone []*seat) {
	for _, at := range gone {
		at.face.protocol.Handle(nowhere{http.Header{}}, &mcpserver.HTTPRequest{
			Method: http.MethodDelete, Context: context.Background(), Header: http.Header{mcpserver.HeaderKeySessionID: {at.id}},
		})
	}
}

// nowhere takes an answer that nobody waits for.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header            { return n.header }
func (n nowhere) WriteHeader(int)                {}
func (n nowhere) Write(text []byte) (int, error) { return len(text), nil }
func (n nowhere) Flush()                         {}
func (n nowhere) CanStream() bool                { return false }
