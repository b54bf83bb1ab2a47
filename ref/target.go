package ref

import "github.com/github-workflow-mcp/github-workflow-mcp/fault"

// Target is the repository of a call: the one that its repo argument names, or
// home when the argument is absent. Without either it is
// REPOSITORY_TARGET_INVALID.
func Target(named *string, home Repo) (Repo, error) {
	if named != nil {
		return ParseRepo(*named, home)
	}
	if home.IsZero() {
		return Repo{}, fault.New(fault.RepositoryTargetInvalid, "repo is absent, and there is no home repository").
			WithFix("Pass repo as owner/name, or ask the person who runs the server to set GITHUB_REPOSITORY or --repo.")
	}
	return home, nil
}
