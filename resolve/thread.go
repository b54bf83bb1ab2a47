package resolve

import (
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
)

// Named is the thread that a call names by one of the three numbers, 0 being
// absent; its Number is 0 when the call names none. Two are
// AMBIGUOUS_ARGUMENTS.
func Named(repo ref.Repo, discussion, issue, pullRequest int) (ref.Thread, error) {
	var named ref.Thread
	for _, thread := range []ref.Thread{
		{Repo: repo, Kind: ref.Discussion, Number: discussion},
		{Repo: repo, Kind: ref.Issue, Number: issue},
		{Repo: repo, Kind: ref.PullRequest, Number: pullRequest},
	} {
		if thread.Number == 0 {
			continue
		}
		if named.Number != 0 {
			return ref.Thread{}, fault.New(fault.AmbiguousArguments, "the call names more than one thread").
				WithFix("Pass one of discussion_number, issue_number and pr_number.")
		}
		named = thread
	}
	return named, nil
}
