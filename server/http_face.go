package server

import (
	"context"
	"fmt"
	"log/slog"
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
	wanted, err := wantedBy(r)
	if err != nil {
		return nil, err
	}
	for _, s := range wanted {
		if err := s.check(f.whole.contract); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := keyOf(wanted)
	if known := f.known[key]; known != nil {
		return known, nil
	}
	narrowed, err := f.whole.Narrowed(wanted...)
	if err != nil {
		return nil, err
	}
	made := &face{server: narrowed}
	made.protocol = mcpserver.NewStreamableHTTPServer(narrowed.protocol,
		mcpserver.WithSessionIdManagerResolver(tickets{}),
		mcpserver.WithHeartbeatInterval(pingInterval),
		mcpserver.WithDisableLocalhostProtection(true), // the door has looked
		mcpserver.WithStreamableHTTPLogger(slog.New(debugging{narrowed.log.Handler()})),
	)
	f.known[key] = made
	return made, nil
}

// wantedBy are the selections of the request, of which all have to agree: a
// header that was sent twice narrows twice, whoever added the second.
func wantedBy(r *http.Request) ([]Selection, error) {
	readOnly, err := wantsReadOnly(r)
	if err != nil {
		return nil, err
	}
	wanted := []Selection{{ReadOnly: readOnly}}
	lists := slices.DeleteFunc(slices.Clone(r.Header.Values(toolsetsHeader)), isBlank)
	if byPath := r.PathValue("toolsets"); byPath != "" {
		lists = append(lists, byPath)
	}
	for _, list := range lists {
		if sets := toolsetNames(list); len(sets) > 0 {
			wanted = append(wanted, Selection{Toolsets: sets})
		}
	}
	return wanted, nil
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// keyOf is the same for selections that come to the same, so that there are few
// faces: whether to write, and the toolsets that all name, or that none does.
func keyOf(wanted []Selection) string {
	readOnly, common := false, []string(nil)
	for _, s := range wanted {
		readOnly = readOnly || s.ReadOnly
		switch {
		case s.Toolsets == nil:
		case common == nil:
			common = slices.Clone(s.Toolsets)
		default:
			common = slices.DeleteFunc(common, func(set string) bool { return !slices.Contains(s.Toolsets, set) })
		}
	}
	return fmt.Sprintf("%t %#v", readOnly, common)
}

// wantsReadOnly: the path or any of the headers may say so.
func wantsReadOnly(r *http.Request) (bool, error) {
	wants := strings.HasSuffix(r.URL.Path, "/readonly")
	for value := range strings.SplitSeq(strings.Join(r.Header.Values(readOnlyHeader), ","), ",") {
		if isBlank(value) {
			continue
		}
		byHeader, err := strconv.ParseBool(strings.TrimSpace(value))
		if err != nil {
			return false, fmt.Errorf("the header X-MCP-Readonly is true or false, not %q", cut(value, 20))
		}
		wants = wants || byHeader
	}
	return wants, nil
}

// toolsetNames are the names in a list with commas, each once, sorted; none
// when all is among them. A list without a name is no wish for everything: it
// names the toolset "", which there is not.
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
	if len(names) == 0 {
		return []string{""}
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

// debugging logs as debugging what the MCP library calls errors: that a client
// has sent something odd, or has hung up.
type debugging struct{ to slog.Handler }

func (d debugging) Enabled(ctx context.Context, _ slog.Level) bool {
	return d.to.Enabled(ctx, slog.LevelDebug)
}

func (d debugging) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return d.to.Handle(ctx, r)
}

func (d debugging) WithAttrs(attrs []slog.Attr) slog.Handler { return debugging{d.to.WithAttrs(attrs)} }
func (d debugging) WithGroup(name string) slog.Handler       { return debugging{d.to.WithGroup(name)} }
