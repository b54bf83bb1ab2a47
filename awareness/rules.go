package awareness

// accepts is a set of JSON types that a rule takes a property of.
type accepts uint8

const (
	texts   accepts = 1 << iota // string
	numbers                     // integer, number
	objects                     // object, as an item of a list
)

// rule turns property names into a noun phrase. A pattern is one or more words
// that a property's name ends with, in the singular, since the last words of an
// English name say what the thing is: a target_branch is a branch, a path_prefix
// no path. A pattern that starts with "=" is the whole name. The longest pattern
// that fits wins, then the earlier rule, so that one property has one kind.
type rule struct {
	kind      string // each kind is said once
	one, many string // completes "Takes …"
	accepts   accepts
	patterns  []string
}

// schemaRules are in order of telling power: when more than three kinds match,
// the earlier ones are said.
var schemaRules = []rule{
	{"comment", "a comment id", "comment ids", texts | numbers, []string{"comment id", "reply id", "reply to id", "comment node id"}},
	{"discussion", "a discussion number", "discussion numbers", texts | numbers, []string{"discussion number", "=discussion", "discussion id"}},
	{"issue", "an issue number", "issue numbers", texts | numbers, []string{"issue number", "=issue", "issue id", "child issue", "parent issue"}},
	{"pull request", "a pull request number", "pull request numbers", texts | numbers, []string{"pr number", "pull number", "pull request number", "=pr", "=pull request", "pull request id"}},
	{"review", "a review id", "review ids", texts | numbers, []string{"review id"}},
	{"sql", "an SQL statement", "SQL statements", texts, []string{"sql", "sql query", "sql statement", "sql text", "=statement"}},
	{"query", "a search query", "search queries", texts, []string{"query", "keyword", "search term", "search text", "search string", "query string", "query text", "=search", "=term", "=phrase", "=q"}},
	{"pattern", "a search pattern", "search patterns", texts, []string{"=pattern", "glob", "regex", "regexp", "search pattern", "file pattern"}},
	{"url", "a URL", "URLs", texts, []string{"url", "uri", "endpoint", "href", "link"}},
	{"file", "a file path", "a list of files", texts | objects, []string{"file path", "filepath", "file name", "filename", "file"}},
	{"directory", "a directory", "directories", texts, []string{"directory", "dir", "folder", "directory path", "dir path", "dirpath", "folder path", "=cwd"}},
	{"path", "a path", "paths", texts, []string{"path"}},
	{"table", "a table name", "table names", texts, []string{"table", "table name", "collection", "collection name", "bucket", "bucket name"}},
	{"commit", "a commit", "commits", texts, []string{"commit", "sha", "revision", "commit id", "commit hash", "oid"}},
	{"branch", "a git branch", "git branches", texts, []string{"branch", "branch name"}},
	{"ref", "a git ref", "git refs", texts, []string{"ref", "tag name", "git tag", "ref name"}},
	{"label", "a label", "labels", texts, []string{"label", "label name"}},
	{"person", "a user name", "user names", texts, []string{"username", "user name", "login", "assignee", "reviewer", "author"}},
	{"milestone", "a milestone", "milestones", texts | numbers, []string{"milestone"}},
	{"project", "a project number", "project numbers", numbers, []string{"project number", "=project"}},
	{"thread", "a thread id", "thread ids", texts, []string{"thread id"}},
	{"node", "a node id", "node ids", texts, []string{"node id"}},
	{"email", "an email address", "email addresses", texts, []string{"email", "email address"}},
	{"entity", "an entity name", "entity names", texts, []string{"entity name"}},
	{"code", "source code", "source code", texts, []string{"=code", "source code", "script"}},
	{"text", "text", "several texts", texts, []string{"content", "body", "text", "message", "markdown", "=thought"}},
	{"repository", "a repository", "repositories", texts, []string{"repo", "repository", "repo name", "repository name", "repo id", "repository id"}},
	{"owner", "an owner", "owners", texts, []string{"owner", "org", "organization", "organisation"}},
	{"dates", "a date range", "dates", texts, []string{"=since", "=until", "start date", "end date", "from date", "to date", "start time", "end time", "date range", "updated since", "created since"}},
	{"date", "a date", "dates", texts, []string{"date", "datetime", "timestamp"}},
	{"limit", "a result limit", "result limits", numbers, []string{"limit", "=count", "=first", "=last", "=top", "per page", "page size", "max result", "max count", "result count", "last n", "=size"}},
	{"page", "a page position", "page positions", texts | numbers, []string{"cursor", "=page", "=offset", "page token", "page number"}},
}

// formatKinds are the kinds that a property's JSON Schema format decides,
// whatever its name.
var formatKinds = map[string]string{"uri": "url", "url": "url", "uri-reference": "url", "iri": "url", "email": "email", "date": "date", "date-time": "date"}

// nameNoise are whole property names that say nothing of their meaning.
var nameNoise = map[string]bool{
	"id": true, "name": true, "type": true, "value": true, "key": true, "description": true, "title": true,
	"format": true, "option": true, "metadata": true, "tag": true, "data": true, "input": true, "arg": true,
	"kind": true, "action": true, "mode": true, "state": true, "status": true, "sort": true, "order": true,
}
