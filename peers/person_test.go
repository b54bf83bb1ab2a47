package peers_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// person answers questions in the order of its answers, and remembers them.
type person struct {
	mu      sync.Mutex
	answers []string
	asked   []string
}

func (p *person) answer(question string) (action string, content map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, question)
	if len(p.asked) > len(p.answers) {
		return "cancel", nil
	}
	action = p.answers[len(p.asked)-1]
	if action == "accept" {
		content = map[string]any{"confirm": true}
	}
	return action, content
}

func (p *person) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// doing makes the link of a client in Go from what it does with each action.
func doing(version string, asked *person, with map[string]func(context.Context, action) (outcome, error)) *link {
	return &link{version, func(ctx context.Context, a action) outcome {
		got, err := with[a.Do](ctx, a)
		if err != nil {
			got = outcome{Error: err.Error()}
		}
		got.Asked = asked.questions()
		return got
	}}
}

// texts are the arguments of a prompt, which are all texts.
func (a action) texts() map[string]string {
	texts := map[string]string{}
	for name, value := range a.Arguments {
		texts[name] = fmt.Sprint(value)
	}
	return texts
}

// closed judges how the connection ended.
func closed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("the connection did not end well: %v", err)
	}
}
