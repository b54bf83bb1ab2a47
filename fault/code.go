package fault

import (
	"iter"
	"maps"
)

// Code names a kind of failure. The set is closed: a caller may switch on it.
type Code string

// The codes, by who can do something about them.
const (
	// The call has to be changed.
	InvalidArguments        Code = "INVALID_ARGUMENTS"         // an argument has the wrong name, type or value
	MissingArguments        Code = "MISSING_ARGUMENTS"         // a required argument is absent or null
	AmbiguousArguments      Code = "AMBIGUOUS_ARGUMENTS"       // the arguments fit more than one thing
	MalformedCommentID      Code = "MALFORMED_COMMENT_ID"      // no known spelling of a comment id
	RepositoryTargetInvalid Code = "REPOSITORY_TARGET_INVALID" // repo is neither name nor owner/name
	InvalidCategory         Code = "INVALID_CATEGORY"          // no such discussion category
	InvalidLabel            Code = "INVALID_LABEL"             // no such label
	ValidationFailed        Code = "VALIDATION_FAILED"         // GitHub refused the content (its 422)
	ConfirmationRequired    Code = "CONFIRMATION_REQUIRED"     // a destructive action was not confirmed
	TooLarge                Code = "TOO_LARGE"                 // over a stated size limit

	// The thing is not there, or not for this token.
	NotFound           Code = "NOT_FOUND"              // the repository is there, the thing is not
	NotFoundOrNoAccess Code = "NOT_FOUND_OR_NO_ACCESS" // missing, or invisible to this token
	AuthRequired       Code = "AUTH_REQUIRED"          // no token is configured
	AuthFailed         Code = "AUTH_FAILED"            // GitHub does not accept the token
	Forbidden          Code = "FORBIDDEN"              // the token may not do this, or the thread is locked
	SSORequired        Code = "SSO_REQUIRED"           // the token needs single sign-on for the organization
	ReadOnly           Code = "READ_ONLY"              // the server runs read-only
	IdentityMismatch   Code = "IDENTITY_MISMATCH"      // the token belongs to another login than expected

	// Somebody else's state is in the way.
	AssigneeConflict  Code = "ASSIGNEE_CONFLICT"   // the issue is assigned to somebody else
	ReviewerNotSeated Code = "REVIEWER_NOT_SEATED" // GitHub did not take a requested reviewer
	ReviewConflict    Code = "REVIEW_CONFLICT"     // a review in progress stands in the way
	ParentConflict    Code = "PARENT_CONFLICT"     // the issue already has another parent
	Conflict          Code = "CONFLICT"            // changed meanwhile, dirty tree, second sync

	// Upstream failed.
	RateLimited     Code = "RATE_LIMITED"     // primary, secondary or GraphQL rate limit, or one of this server's own over HTTP
	UpstreamError   Code = "UPSTREAM_ERROR"   // GitHub failed or answered nonsense
	UpstreamTimeout Code = "UPSTREAM_TIMEOUT" // GitHub did not answer in time, or not before the call was given up
	OutcomeUnknown  Code = "OUTCOME_UNKNOWN"  // a write was sent, and what became of it is not known

	ToolNotFound Code = "TOOL_NOT_FOUND" // the handbook knows no such tool; only there
	Internal     Code = "INTERNAL"       // a defect of this server
)

var titles = map[Code]string{
	InvalidArguments:        "Invalid arguments",
	MissingArguments:        "Missing arguments",
	AmbiguousArguments:      "Ambiguous arguments",
	MalformedCommentID:      "Malformed comment id",
	RepositoryTargetInvalid: "Invalid repository",
	InvalidCategory:         "Unknown category",
	InvalidLabel:            "Unknown label",
	ValidationFailed:        "Refused by GitHub",
	ConfirmationRequired:    "Confirmation required",
	TooLarge:                "Too large",
	NotFound:                "Not found",
	NotFoundOrNoAccess:      "Not found, or no access",
	AuthRequired:            "Authentication required",
	AuthFailed:              "Authentication failed",
	Forbidden:               "Forbidden",
	SSORequired:             "Single sign-on required",
	ReadOnly:                "Read-only",
	IdentityMismatch:        "Wrong identity",
	AssigneeConflict:        "Already assigned",
	ReviewerNotSeated:       "Reviewer not seated",
	ReviewConflict:          "Review in progress",
	ParentConflict:          "Other parent",
	Conflict:                "Conflict",
	RateLimited:             "Rate limited",
	UpstreamError:           "GitHub failed",
	UpstreamTimeout:         "GitHub timed out",
	OutcomeUnknown:          "Outcome unknown",
	ToolNotFound:            "Unknown tool",
	Internal:                "Internal error",
}

// Title is the code in a few plain words.
func (c Code) Title() string { return titles[c] }

// Known reports whether c is one of the codes above.
func (c Code) Known() bool { return titles[c] != "" }

// fixes are the next steps for errors that say none of their own.
var fixes = map[Code]string{
	InvalidArguments:        "Correct the argument; get_mcp_tool_handbook shows what the tool takes.",
	MissingArguments:        "Add what is missing; get_mcp_tool_handbook shows what the tool takes.",
	AmbiguousArguments:      "Say more, or leave one of them out.",
	MalformedCommentID:      "Pass the id from a read of the conversation, or from a hand-off.",
	RepositoryTargetInvalid: "Pass repo as owner/name.",
	InvalidCategory:         "list_discussion_categories shows those there are.",
	InvalidLabel:            "list_labels shows those there are.",
	ValidationFailed:        "Change what GitHub objects to and call again.",
	ConfirmationRequired:    "Call again with confirm: true if that is what is wanted.",
	TooLarge:                "Ask for less, or send less.",
	NotFound:                "Check the number or id.",
	NotFoundOrNoAccess:      "Check the spelling, and that the token can see it.",
	AuthRequired:            "Set GITHUB_TOKEN, or start with --sandbox.",
	AuthFailed:              "Replace the token: it is wrong, expired or revoked.",
	Forbidden:               "See get_viewer_permission; ask a maintainer for what is missing.",
	SSORequired:             "Authorize the token for the organization's single sign-on.",
	ReadOnly:                "Ask whoever runs the server to start it without --read-only.",
	IdentityMismatch:        "Use the expected account's token.",
	AssigneeConflict:        "Choose other work, or ask who has it.",
	ReviewerNotSeated:       "Ask somebody who has access to the repository.",
	ReviewConflict:          "Submit or dismiss the review that stands in the way.",
	ParentConflict:          "Send replace_parent: true if the move is meant.",
	Conflict:                "Read again, and repeat the change on what is there now.",
	RateLimited:             "Wait as long as retryAfterSeconds says, then call again.",
	UpstreamError:           "Call again in a moment; if it stays, look at GitHub's status page.",
	UpstreamTimeout:         "Call again in a moment, or ask for less at once.",
	OutcomeUnknown:          "Read what the call was to write before you repeat it.",
	ToolNotFound:            "List the tools.",
	Internal:                "Call once more; if it stays, report it with the server's log.",
}

func (c Code) fix() string { return fixes[c] }

// Codes are all codes there are.
func Codes() iter.Seq[Code] { return maps.Keys(titles) }
