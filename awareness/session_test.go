package awareness

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// transcript is a conversation that texts are appended to.
type transcript struct {
	texts []string
	fail  error
}

func (tr *transcript) append(text string) error {
	if tr.fail != nil {
		return tr.fail
	}
	tr.texts = append(tr.texts, text)
	return nil
}

func deliver(t *testing.T, call func([]Server, func(string) error) (bool, error), servers []Server, to *transcript, want bool) {
	t.Helper()
	before := len(to.texts)
	done, err := call(servers, to.append)
	if err != nil || done != want || (len(to.texts) > before) != want {
		t.Fatalf("delivered %v (%d new texts), %v; want %v", done, len(to.texts)-before, err, want)
	}
}

func resumed(t *testing.T, s *Session) *Session {
	t.Helper()
	saved, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var restored Session
	if err := json.Unmarshal(saved, &restored); err != nil {
		t.Fatal(err)
	}
	return &restored
}

func TestTheRosterIsDeliveredOnce(t *testing.T) {
	var s Session
	var to transcript
	servers := []Server{{ID: "a", Tools: tools(2)}}
	deliver(t, s.Deliver, nil, &to, false) // nothing to say is no delivery
	deliver(t, s.Deliver, servers, &to, true)
	deliver(t, s.Deliver, servers, &to, false)
	deliver(t, resumed(t, &s).Deliver, servers, &to, false)
	deliver(t, resumed(t, resumed(t, &s)).Deliver, []Server{{ID: "b", Tools: tools(2)}}, &to, false)
	if to.texts[0] != Roster(servers) {
		t.Errorf("delivered %q", to.texts[0])
	}
}

func TestAReloadAddsOnlyNewTools(t *testing.T) {
	var s Session
	var to transcript
	old := []Server{{ID: "a", Tools: tools(12)}}
	deliver(t, s.Deliver, old, &to, true)
	deliver(t, s.Reload, old, &to, false) // the folded ones were announced as "+N more"

	grown := []Server{{ID: "a", Tools: tools(13)}, {ID: "b", Tools: tools(1)}}
	restored := resumed(t, &s)
	deliver(t, restored.Reload, grown, &to, true)
	deliver(t, restored.Reload, grown, &to, false)
	deliver(t, resumed(t, restored).Reload, grown, &to, false)
	deliver(t, restored.Reload, old, &to, false)
	if want := "New MCP tools in this session:\nmcp_a_tool_012: Does it. Well.\nmcp_b_tool_000: Does it. Well."; to.texts[1] != want {
		t.Errorf("got  %q\nwant %q", to.texts[1], want)
	}
}

func TestAReloadBeforeTheRosterIsTheRoster(t *testing.T) {
	var s Session
	var to transcript
	servers := []Server{{ID: "a", Tools: tools(1)}}
	deliver(t, s.Reload, servers, &to, true)
	deliver(t, s.Deliver, servers, &to, false)
	if to.texts[0] != Roster(servers) {
		t.Errorf("delivered %q", to.texts[0])
	}
}

func TestAFailedAppendLeavesItUndelivered(t *testing.T) {
	var s Session
	full := errors.New("disk full")
	to := transcript{fail: full}
	servers := []Server{{ID: "a", Tools: tools(1)}}
	if done, err := s.Deliver(servers, to.append); done || !errors.Is(err, full) {
		t.Fatalf("delivered %v, %v", done, err)
	}
	to.fail = nil
	deliver(t, s.Deliver, servers, &to, true)

	to.fail = full
	grown := []Server{{ID: "a", Tools: tools(2)}}
	if done, err := s.Reload(grown, to.append); done || !errors.Is(err, full) {
		t.Fatalf("reloaded %v, %v", done, err)
	}
	to.fail = nil
	deliver(t, s.Reload, grown, &to, true)
}

func TestAPanickingAppendLeavesItUndelivered(t *testing.T) {
	var s Session
	servers := []Server{{ID: "a", Tools: tools(1)}}
	func() {
		defer func() { _ = recover() }()
		_, _ = s.Deliver(servers, func(string) error { panic("host") })
	}()
	var to transcript
	deliver(t, s.Deliver, servers, &to, true)
}

func TestAppendMaySaveTheSession(t *testing.T) {
	var s Session
	var saved []byte
	done, err := s.Deliver([]Server{{ID: "a", Tools: tools(1)}}, func(string) (err error) {
		saved, err = json.Marshal(&s)
		return err
	})
	if !done || err != nil || string(saved) != `{"delivered":false,"tools":{}}` {
		t.Errorf("delivered %v, %v; saved inside %s", done, err, saved)
	}
}

func TestTheSavedFormIsStable(t *testing.T) {
	var s Session
	servers := []Server{{ID: "b", Tools: []Tool{{Name: "z"}, {Name: "y"}}}, {ID: "a", Tools: []Tool{{Name: "x"}}}}
	deliver(t, s.Deliver, servers, &transcript{}, true)
	saved, err := json.Marshal(&s)
	if want := `{"delivered":true,"tools":{"a":["x"],"b":["y","z"]}}`; err != nil || string(saved) != want {
		t.Errorf("saved %s, %v; want %s", saved, err, want)
	}
}

func TestRestoring(t *testing.T) {
	for _, saved := range []string{`{"delivered":true,"tools":{"a":["tool_001","tool_000"]}}`, `{"delivered":true,"tools":null}`} {
		var s Session
		if err := json.Unmarshal([]byte(saved), &s); err != nil {
			t.Fatal(err)
		}
		var to transcript
		deliver(t, s.Deliver, []Server{{ID: "a", Tools: tools(2)}}, &to, false)
		deliver(t, s.Reload, []Server{{ID: "a", Tools: tools(3)}}, &to, true)
		if strings.Contains(saved, "tool_000") != !strings.Contains(to.texts[0], "tool_000") {
			t.Errorf("%s: addendum %q", saved, to.texts[0])
		}
	}
	if err := json.Unmarshal([]byte(`{"delivered":"yes"}`), new(Session)); err == nil {
		t.Error("a broken saved form is taken")
	}
}

func TestConcurrentDeliveriesAreOne(t *testing.T) {
	var s Session
	var count atomic.Int32
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			_, _ = s.Deliver([]Server{{ID: "a", Tools: tools(3)}}, func(string) error { count.Add(1); return nil })
		})
	}
	group.Wait()
	if count.Load() != 1 {
		t.Errorf("delivered %d times", count.Load())
	}
}
