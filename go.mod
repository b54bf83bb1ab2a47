module github.com/github-workflow-mcp/github-workflow-mcp

go 1.26.0

require github.com/google/go-cmp v0.7.0
