package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"
)

func stdioCommand(open Open) *cobra.Command {
	return &cobra.Command{
		Use:   "stdio",
		Short: "Serve MCP over stdin and stdout; this is what an MCP client starts",
		Args:  cobra.NoArgs,
		RunE: with(open, func(cmd *cobra.Command, app *App, _ []string) error {
			return app.Server.ServeStdio(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		}),
	}
}

func callCommand(open Open) *cobra.Command {
	var pretty bool
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON | - | key=value…]",
		Short: "Call one tool: the result on stdout, an error on stderr with exit code 1",
		Long: `Call one tool as an MCP client would. The arguments are a JSON object, "-" for a
JSON object on stdin, key=value pairs, or a mixture in which the later wins.

The value of a pair is text, except for true, false, null and JSON arrays and
objects: labels='["bug"]'. Numbers may be written as they are.`,
		Example: `  github-workflow-mcp call list_discussions limit=5 --sandbox
  github-workflow-mcp call get_discussion_conversation '{"discussion_number": 12, "last_n": 1}' --sandbox`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: toolNames(open),
		RunE: with(open, func(cmd *cobra.Command, app *App, args []string) error {
			arguments, err := readArguments(args[1:], cmd.InOrStdin())
			if err != nil {
				return err
			}
			result, err := ask(cmd, app, args[0], arguments, nil)
			if err != nil {
				return err
			}
			return writeJSON(cmd.OutOrStdout(), result, pretty)
		}),
	}
	cmd.Flags().BoolVar(&pretty, "pretty", false, "indent the result")
	return cmd
}

// readArguments makes a call's arguments of the words of a shell.
func readArguments(words []string, stdin io.Reader) (map[string]any, error) {
	arguments := map[string]any{}
	for _, word := range words {
		more, err := readArgument(word, stdin)
		if err != nil {
			return nil, err
		}
		maps.Copy(arguments, more)
	}
	return arguments, nil
}

func readArgument(word string, stdin io.Reader) (map[string]any, error) {
	if word == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("reading the arguments from stdin: %w", err)
		}
		return readObject(string(text))
	}
	if strings.HasPrefix(strings.TrimSpace(word), "{") {
		return readObject(word)
	}
	key, value, found := strings.Cut(word, "=")
	if !found || key == "" {
		return nil, fmt.Errorf("%q is neither a JSON object nor key=value", word)
	}
	return map[string]any{key: readValue(value)}, nil
}

func readObject(text string) (map[string]any, error) {
	var object map[string]any
	if err := decodeExact([]byte(text), &object); err != nil {
		return nil, fmt.Errorf("the arguments are not one JSON object: %w", err)
	}
	return object, nil
}

// readValue leaves text alone that is not plainly meant as something else; the
// contract knows which arguments are numbers.
func readValue(text string) any {
	if text == "true" || text == "false" || text == "null" || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		var value any
		if decodeExact([]byte(text), &value) == nil {
			return value
		}
	}
	return text
}

// decodeExact decodes exactly one value and keeps every digit of its numbers.
func decodeExact(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the value")
	}
	return nil
}

// writePretty indents JSON without touching its texts.
func writePretty(w io.Writer, raw json.RawMessage) error {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, out.String())
	return err
}
