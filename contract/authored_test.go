package contract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAuthored(t *testing.T) {
	tests := map[string][]string{
		"list_cards": {"cards[].replies[].title", "cards[].title"},
		"write_card": {"replies[].replies[].title", "replies[].title", "title"},
		"ping":       {"notes.*"},
	}
	for mark, want := range map[string][]string{
		"patternProperties: {'^n': {type: string, x-authored: true}}": {"notes.*"},
		"additionalProperties: {type: string, x-authored: false}":     nil,
	} {
		ping, _ := with(t, "additionalProperties: {type: string, x-authored: true}", mark).Tool("ping")
		if diff := cmp.Diff(want, ping.Authored()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mark, diff)
		}
	}
	for name, want := range tests {
		if diff := cmp.Diff(want, tool(t, name).Authored()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
