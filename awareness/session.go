package awareness

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Session remembers what a conversation has been told, so that it is told once.
// The zero Session has delivered nothing. It is safe for concurrent use, must
// not be copied, and is saved and restored as JSON together with the
// conversation it belongs to; save it after a delivery that reported true.
type Session struct {
	mu        sync.Mutex
	busy      bool // a delivery is under way; its add runs without the lock
	delivered bool
	known     map[string][]string // server id → tools announced or folded, sorted
}

// Deliver gives the roster to add, once in the life of a session: it reports
// false, and add is not called, when that has happened already (also before a
// restore) or no tool is active. When add fails its error is returned and the
// roster counts as undelivered. add may save the session.
func (s *Session) Deliver(servers []Server, add func(text string) error) (bool, error) {
	return s.deliver(servers, add, false)
}

// Reload is for a host whose servers have changed: it gives add one addendum
// that holds only tools not announced before, and nothing when there are none.
// In a session that has had no roster yet it is Deliver.
func (s *Session) Reload(servers []Server, add func(text string) error) (bool, error) {
	return s.deliver(servers, add, true)
}

func (s *Session) deliver(servers []Server, add func(text string) error, reload bool) (done bool, err error) {
	text := s.begin(servers, reload)
	if text == "" {
		return false, nil
	}
	defer func() { s.end(servers, done) }()
	if err := add(text); err != nil {
		return false, fmt.Errorf("awareness: delivering the roster: %w", err)
	}
	return true, nil
}

// begin is the text that is due, and claims its delivery; "" when none is due.
func (s *Session) begin(servers []Server, reload bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy || s.delivered && !reload {
		return ""
	}
	text := Roster(servers)
	if s.delivered {
		fresh, names := s.unannounced(servers)
		text = roster("New MCP tools in this session:", fresh, names)
	}
	s.busy = text != ""
	return text
}

func (s *Session) end(servers []Server, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
	if !done {
		return
	}
	s.delivered = true
	if s.known == nil {
		s.known = map[string][]string{}
	}
	for _, server := range servers {
		for _, tool := range server.Tools {
			s.remember(server.ID, tool.Name)
		}
	}
}

func (s *Session) remember(serverID, tool string) {
	if at, found := slices.BinarySearch(s.known[serverID], tool); !found {
		s.known[serverID] = slices.Insert(s.known[serverID], at, tool)
	}
}

// unannounced is servers without the known tools, under the names that the
// whole list gives them.
func (s *Session) unannounced(servers []Server) ([]Server, [][]string) {
	var fresh []Server
	var names [][]string
	all := hostNames(servers)
	for i, server := range servers {
		kept, keptNames := Server{ID: server.ID}, []string(nil)
		for j, tool := range server.Tools {
			if _, found := slices.BinarySearch(s.known[server.ID], tool.Name); !found {
				kept.Tools = append(kept.Tools, tool)
				keptNames = append(keptNames, all[i][j])
			}
		}
		fresh, names = append(fresh, kept), append(names, keptNames)
	}
	return fresh, names
}

// sessionJSON is the saved form. It holds names only, no texts.
type sessionJSON struct {
	Delivered bool                `json:"delivered"`
	Tools     map[string][]string `json:"tools"`
}

// MarshalJSON saves the session.
func (s *Session) MarshalJSON() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	saved := sessionJSON{Delivered: s.delivered, Tools: s.known}
	if saved.Tools == nil {
		saved.Tools = map[string][]string{}
	}
	return json.Marshal(saved)
}

// UnmarshalJSON restores a saved session.
func (s *Session) UnmarshalJSON(data []byte) error {
	var saved sessionJSON
	if err := json.Unmarshal(data, &saved); err != nil {
		return fmt.Errorf("awareness: restoring a session: %w", err)
	}
	for _, tools := range saved.Tools {
		slices.Sort(tools)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivered, s.known = saved.Delivered, saved.Tools
	if s.known == nil {
		s.known = map[string][]string{}
	}
	return nil
}
