package server

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// CompletionRequest asks what an argument may be, while a person types it.
type CompletionRequest struct {
	Of       string            // the name of a prompt, or the URI of a resource with its variables
	Argument string            // of the prompt, or the variable's name
	Value    string            // what has been typed so far
	Known    map[string]string // the arguments that have a value already
}

const (
	completionTimeout = 5 * time.Second // nobody waits longer for a suggestion
	maxCompletions    = 100             // MCP's own bound
)

// completer answers completions with what Options.Complete gives.
type completer struct{ server *Server }

// CompletePromptArgument completes an argument of a prompt.
func (c completer) CompletePromptArgument(ctx context.Context, prompt string, argument mcp.CompleteArgument, known mcp.CompleteContext) (*mcp.Completion, error) {
	return c.complete(ctx, CompletionRequest{prompt, argument.Name, argument.Value, known.Arguments}), nil
}

// CompleteResourceArgument completes a variable of a resource's URI.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, known mcp.CompleteContext) (*mcp.Completion, error) {
	return c.complete(ctx, CompletionRequest{uri, argument.Name, argument.Value, known.Arguments}), nil
}

// complete gives nothing when asking fails: a suggestion that does not come is
// no error to the person who types.
func (c completer) complete(ctx context.Context, request CompletionRequest) *mcp.Completion {
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	ctx, done := c.server.accompany(ctx, nil)
	defer done()
	candidates, err := c.server.completions(ctx, request)
	if err != nil {
		c.server.log.DebugContext(ctx, "completion failed", "of", request.Of, "argument", request.Argument, "err", err)
		return &mcp.Completion{Values: []string{}}
	}
	found := matching(candidates, request.Value)
	completion := &mcp.Completion{Values: found, Total: len(found)}
	if len(found) > maxCompletions {
		completion.Values, completion.HasMore = found[:maxCompletions], true
	}
	return completion
}

// matching are the candidates that contain the value in any letter case, those
// that begin with it first, each once.
func matching(candidates []string, value string) []string {
	value = strings.ToLower(strings.TrimSpace(value))
	position := func(candidate string) int { return strings.Index(strings.ToLower(candidate), value) }
	found := []string{}
	for _, candidate := range candidates {
		if position(candidate) >= 0 && !slices.Contains(found, candidate) {
			found = append(found, candidate)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Compare(min(position(a), 1), min(position(b), 1))
	})
	return found
}
