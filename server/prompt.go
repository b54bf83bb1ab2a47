package server

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

// listed reports whether a tool is in the list that clients see.
func (s *Server) listed(tool string) bool {
	return slices.Contains(s.names, tool)
}

// addPrompts offers the contract's prompts that make sense with the tools that
// are listed.
func (s *Server) addPrompts() {
	for _, p := range s.contract.Prompts() {
		if !p.Offered(s.listed) {
			continue
		}
		options := []mcp.PromptOption{mcp.WithPromptTitle(p.Title), mcp.WithPromptDescription(p.Description)}
		for _, a := range p.Arguments {
			about := []mcp.ArgumentOption{mcp.ArgumentDescription(a.Description)}
			if a.Required {
				about = append(about, mcp.RequiredArgument())
			}
			options = append(options, mcp.WithArgument(a.Name, about...))
		}
		s.protocol.AddPrompt(mcp.NewPrompt(p.Name, options...), s.getPrompt(p))
	}
}

func (s *Server) getPrompt(p *contract.Prompt) func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text, err := p.Text(request.Params.Arguments, s.listed, s.roster())
		if err != nil {
			return nil, failed(ctx, err)
		}
		return mcp.NewGetPromptResult(p.Description, []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
		}), nil
	}
}
