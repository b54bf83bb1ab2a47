package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
)

// addResources offers the contract's resources that can be read with the tools
// that are listed. A resource with variables answers what its tool answers to
// a client that calls it, within the same budget and with the same marks of
// trust.
func (s *Server) addResources() {
	for _, r := range s.contract.Resources() {
		switch {
		case !r.Offered(s.listed):
		case r.Tool != "":
			s.protocol.AddResourceTemplate(mcp.NewResourceTemplate(r.URI, r.Name,
				mcp.WithTemplateTitle(r.Title), mcp.WithTemplateDescription(r.Description), mcp.WithTemplateMIMEType("application/json"),
			), s.readWithTool(r))
		default:
			s.protocol.AddResource(mcp.NewResource(r.URI, r.Name,
				mcp.WithResourceTitle(r.Title), mcp.WithResourceDescription(r.Description), mcp.WithMIMEType("text/plain"),
			), s.readPrompt(r))
		}
	}
}

func (s *Server) readPrompt(r *contract.Resource) func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		p, _ := s.contract.Prompt(r.Prompt) // a contract that loads has it
		text, err := p.Text(nil, s.listed, s.roster())
		if err != nil {
			return nil, failed(ctx, err)
		}
		return contents(request, "text/plain", text), nil
	}
}

func (s *Server) readWithTool(r *contract.Resource) func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		tool, err := s.find(r.Tool)
		if err != nil {
			return nil, err
		}
		ctx, done := s.accompany(ctx, request.Params.Meta)
		defer done()
		body, err := s.run(ctx, tool, r.Call(variables(request)))
		if err != nil {
			return nil, failed(ctx, err)
		}
		return contents(request, "application/json", string(body)), nil
	}
}

func contents(request mcp.ReadResourceRequest, mimeType, text string) []mcp.ResourceContents {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: mimeType, Text: text}}
}

// variables are the values that the library found in the URI, which it gives
// as lists of one.
func variables(request mcp.ReadResourceRequest) map[string]string {
	values := map[string]string{}
	for name, value := range request.Params.Arguments {
		if list, ok := value.([]string); ok && len(list) == 1 {
			values[name] = list[0]
		}
	}
	return values
}
