package contract

import (
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// threadArguments are the arguments that name a thread, by its kind.
var threadArguments = map[ref.Kind]string{
	ref.Discussion: "discussion_number", ref.Issue: "issue_number", ref.PullRequest: "pr_number",
}

// completed is the call with the thread filled in that a pasted comment's URL
// names; "" when no argument is such a URL, or the call would still not do.
func (t *Tool) completed(args map[string]any) string {
	arguments := t.Details().arguments
	for name, value := range args {
		url, ok := value.(string)
		property := arguments.spellings[name]
		if !ok || property == nil || !property.takesNumber {
			continue
		}
		thread, ok := ref.Web{AnyHost: true}.ParseThreadURL(url)
		if number := arguments.spellings[threadArguments[thread.Kind]]; !ok || number == nil {
			continue
		}
		call := map[string]any{}
		for name, value := range args {
			call[name] = value
		}
		call[threadArguments[thread.Kind]] = thread.Number
		if arguments.spellings["repo"] != nil && thread.Repo.Name != "" {
			call["repo"] = thread.Repo.String()
		}
		if checked, err := arguments.check("", call); err == nil {
			if text, err := appendJSON(nil, checked); err == nil {
				return t.Name + " " + string(text)
			}
		}
	}
	return ""
}
