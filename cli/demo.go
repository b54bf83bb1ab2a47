package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// DemoOptions say what a demo shows, how, and with which program.
type DemoOptions struct {
	Scenario string // one of DemoScenarios; "": the first
	Format   string // "json", or "text" ("" too)

	// Command starts an MCP server on stdio; empty: this very program.
	Command []string

	Colour bool                // text only
	Env    func(string) string // looks an environment variable up; nil: os.Getenv
	Out    io.Writer           // the text, as things happen, or the report at the end

	// Observe sees every text whose tokens are estimated, with the estimate;
	// kind is list or result. It may be nil.
	Observe func(kind, text string, estimate int)
}

// DemoReport is a demo in figures, and what --format json prints. All of them
// are measured in the run; only tokens are estimated, from bytes.
type DemoReport struct {
	Scenario   string         `json:"scenario"`
	Repository string         `json:"repository"`
	Discussion DemoDiscussion `json:"discussion,omitzero"` // unless it is about a pull request
	Pull       DemoPull       `json:"pull,omitzero"`
	Listings   []DemoListing  `json:"listings,omitempty"` // the tool list, in each of its forms
	Steps      []DemoStep     `json:"steps"`              // in order
	Readers    []DemoReader   `json:"readers"`            // who has read what, in all
	Comparison []DemoTotal    `json:"comparison"`         // pairs: our way to do a job, and the plain one
}

// DemoPull is the pull request the agents work on, at the end.
type DemoPull struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Files  int    `json:"files"`  // that it changes
	Lines  int    `json:"lines"`  // that it adds and removes, all read
	Texts  int    `json:"texts"`  // its own, comments, reviews and inline comments
	Merged bool   `json:"merged"` // at the head that was reviewed
}

// DemoDiscussion is the discussion the agents work on, as they found it or, where
// they opened it, as they left it.
type DemoDiscussion struct {
	Number   int    `json:"number"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Comments int    `json:"comments"` // top-level ones
}

// DemoListing is what one form of the tool list costs.
type DemoListing struct {
	Form       string `json:"form"`       // compact or full
	Tools      int    `json:"tools"`      // how many
	Bytes      int    `json:"bytes"`      // of the whole list
	ModelBytes int    `json:"modelBytes"` // of what a model reads of it: names, descriptions, arguments
	Tokens     int    `json:"tokens"`     // of the same, about
}

// DemoStep is one thing that an agent did.
type DemoStep struct {
	Agent     string          `json:"agent"`     // by a letter
	Cycle     int             `json:"cycle"`     // from 1
	Action    string          `json:"action"`    // read (a thread), look (at something else) or write
	What      string          `json:"what"`      // for people
	Tool      string          `json:"tool"`      // that it called
	Arguments json.RawMessage `json:"arguments"` // of the first call
	Comments  int             `json:"comments"`  // that came back
	Replies   int             `json:"replies"`   // that came back without the comment above them
	DemoCost
}

// DemoCost is what something took.
type DemoCost struct {
	Calls         int `json:"calls"`         // of tools
	Requests      int `json:"requests"`      // to GitHub
	UpstreamBytes int `json:"upstreamBytes"` // of GitHub's answers
	ResultBytes   int `json:"resultBytes"`   // of what the agent got
	Tokens        int `json:"tokens"`        // of the same, about
}

func (c DemoCost) plus(other DemoCost) DemoCost {
	return DemoCost{
		Calls: c.Calls + other.Calls, Requests: c.Requests + other.Requests, UpstreamBytes: c.UpstreamBytes + other.UpstreamBytes,
		ResultBytes: c.ResultBytes + other.ResultBytes, Tokens: c.Tokens + other.Tokens,
	}
}

// DemoReader is what an agent has read in all, held against what GitHub has at
// the end. A text is a comment, a reply, a review or the thread's own, as it
// reads after its last edit.
type DemoReader struct {
	Agent  string `json:"agent"`
	Way    string `json:"way"`    // how it reads, for people
	Texts  int    `json:"texts"`  // that came back
	Missed int    `json:"missed"` // that it should have read and has not
	ReRead int    `json:"reRead"` // that came back although they had before
	DemoCost
}

// DemoTotal is what one way of doing a job cost in all.
type DemoTotal struct {
	Job string `json:"job"`
	Way string `json:"way"`
	DemoCost
}

// scenario plays on a stage.
type scenario func(context.Context, *stage) error

func scenarios() map[string]scenario {
	return map[string]scenario{"handoff": playHandoff, "ideation": playIdeation, "review": playReview}
}

// DemoScenarios are the scenarios there are, the default first.
func DemoScenarios() []string {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(scenarios())), func(name string) bool { return name == "handoff" })
	return append([]string{"handoff"}, others...)
}

// DemoCommand shows the main job on the embedded GitHub.
func DemoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it work: two agents, one long discussion, a hand-off; no account, no network",
		Long: `See the main job on an embedded GitHub, with real MCP clients and servers: no
account and no network are needed. Every figure is measured while you look;
only tokens are estimated, from bytes, and marked with ~.

  handoff   two agents work on a discussion of 250 comments; the second reads
            only what it was handed, and later cycles only what is new
  ideation  the whole life of a discussion, from its opening to its closing: 20
            rounds of three agents, with edits, deletions and late replies; the
            ledger says what each has read, missed and read twice
  review    a pull request from the list to the merge: the diff by file, inline
            comments, the author's answers, a second round of only what is new`,
		Args: cobra.NoArgs,
	}
	chosen := &format{value: "handoff", choices: DemoScenarios()}
	cmd.Flags().Var(chosen, "scenario", "what to see: "+chosen.Type())
	shown := formatFlag(cmd, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return Demo(cmd.Context(), DemoOptions{
			Scenario: chosen.value, Format: shown.value, Colour: takesColour(cmd.OutOrStdout(), os.Getenv), Out: cmd.OutOrStdout(),
		})
	}
	return cmd
}

// takesColour reports whether w is a terminal whose user wants colour.
func takesColour(w io.Writer, env func(string) string) bool {
	file, isFile := w.(*os.File)
	return isFile && env("NO_COLOR") == "" && env("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

// Demo plays one scenario. It needs no network and leaves no process behind,
// however it ends.
func Demo(ctx context.Context, opts DemoOptions) error {
	play, known := scenarios()[orDefault(opts.Scenario, "handoff")]
	if !known {
		return fmt.Errorf("there is no scenario %q; there are %s", opts.Scenario, strings.Join(DemoScenarios(), ", "))
	}
	s, err := openStage(ctx, opts)
	if err != nil {
		return err
	}
	err = play(ctx, s)
	s.close()
	switch {
	case ctx.Err() != nil:
		return errors.New("the demo was stopped")
	case err != nil:
		return fmt.Errorf("the demo failed: %w", err)
	case opts.Format == "json":
		return writeReport(opts.Out, s.report)
	}
	return s.story.err
}

func writeReport(w io.Writer, report DemoReport) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

func orDefault(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
