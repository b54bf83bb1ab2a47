//go:build keep

package main

import (
	_ "github.com/cenkalti/backoff/v5"
	_ "github.com/cli/go-gh/v2/pkg/auth"
	_ "github.com/cli/go-gh/v2/pkg/repository"
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/go-github/v62/github"
	_ "github.com/graph-gophers/graphql-go"
	_ "github.com/mark3labs/mcp-go/client"
	_ "github.com/mark3labs/mcp-go/server"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/rogpeppe/go-internal/txtar"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/shurcooL/githubv4"
	_ "github.com/spf13/cobra"
	_ "github.com/tiktoken-go/tokenizer"
	_ "github.com/vektah/gqlparser/v2"
	_ "github.com/vektah/gqlparser/v2/parser"
	_ "github.com/vektah/gqlparser/v2/validator"
	_ "github.com/yuin/goldmark"
	_ "go.yaml.in/yaml/v4"
	_ "golang.org/x/oauth2"
	_ "golang.org/x/term"
)
