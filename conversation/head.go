package conversation

import (
	"fmt"
	"strings"
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// wireHead is what issues and pull requests have in common.
type wireHead struct {
	ID                string
	Number            int
	Title             string
	Body              string `graphql:"body: body @include(if: $root)"`
	URL               string `graphql:"url"`
	Author            *wireActor
	AuthorAssociation string
	ViewerDidAuthor   bool
	CreatedAt         time.Time
	UpdatedAt         time.Time
	Locked            bool
	Repository        struct{ NameWithOwner string }
	Milestone         *struct{ Title string }
	Labels            *struct {
		Nodes []struct{ Name string }
	} `graphql:"labels(first: 100)"`
	Assignees struct {
		Nodes []*wireActor
	} `graphql:"assignees(first: 20)"`
	Reactions wireReactions `graphql:"reactionGroups @include(if: $root)"`
}

// conversation is an answer with what the head tells.
func (w *wireHead) conversation(kind ref.Kind, state string) *Conversation {
	c := &Conversation{
		Kind: kind, Number: w.Number, ID: w.ID, Title: w.Title, URL: w.URL, State: state,
		Author: thread.ActorOf(w.Author.login()), CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
		Labels: []string{}, Assignees: []string{}, Locked: w.Locked, Reactions: w.Reactions.reactions(),
		author: trust.Author{Login: w.Author.login(), Association: w.AuthorAssociation, IsViewer: w.ViewerDidAuthor},
		root:   w.Body,
	}
	if w.Milestone != nil {
		c.Milestone = &w.Milestone.Title
	}
	if w.Labels != nil {
		for _, label := range w.Labels.Nodes {
			c.Labels = append(c.Labels, label.Name)
		}
	}
	for _, assignee := range w.Assignees.Nodes {
		c.Assignees = append(c.Assignees, thread.ActorOf(assignee.login()).Login)
	}
	return c
}

// wireIssueHead is an issue itself.
type wireIssueHead struct {
	wireHead
	State            string
	StateReason      *string                `graphql:"stateReason(enableDuplicate: true)"`
	Type             *struct{ Name string } `graphql:"issueType"`
	Parent           *wireRelated
	SubIssuesSummary struct{ Total, Completed int }
	SubIssues        wireRelations `graphql:"subIssues(first: $related)"`
	BlockedBy        wireRelations `graphql:"blockedBy(first: $related)"`
	Blocking         wireRelations `graphql:"blocking(first: $related)"`
}

// wireRelated is an issue that another one is related to.
type wireRelated struct {
	Number     int                            `graphql:"n: number"`
	Repository struct{ NameWithOwner string } `graphql:"r: repository"`
}

type wireRelations struct {
	TotalCount int
	Nodes      []*wireRelated `graphql:"n: nodes"`
}

const (
	allRelated  = 100 // issues of each relation in a full answer
	someRelated = 10  // and in one that uses a selector
)

// IssueFacts are what only issues have.
type IssueFacts struct {
	StateReason *string   `json:"stateReason"`
	Type        *string   `json:"type"`
	Parent      *int      `json:"parent"`
	SubIssues   SubIssues `json:"subIssues"`
	BlockedBy   []int     `json:"blockedBy"`
	Blocking    []int     `json:"blocking"`
	Projects    []Project `json:"projects,omitzero"` // nil: not looked at
}

// SubIssues are the parts that an issue was split into.
type SubIssues struct {
	Total     int   `json:"total"`
	Completed int   `json:"completed"`
	Numbers   []int `json:"numbers"`
}

// issueFacts converts the head, with warnings of what it cannot show.
func (w *wireIssueHead) issueFacts() (*IssueFacts, []string) {
	facts := &IssueFacts{StateReason: w.StateReason, SubIssues: SubIssues{
		Total: w.SubIssuesSummary.Total, Completed: w.SubIssuesSummary.Completed,
	}}
	if w.Type != nil {
		facts.Type = &w.Type.Name
	}
	own := w.Repository.NameWithOwner
	var warnings []string
	switch {
	case w.Parent == nil:
	case w.Parent.isAway(own):
		warnings = append(warnings, fmt.Sprintf("parent is an issue of another repository: %s", w.Parent))
	default:
		facts.Parent = &w.Parent.Number
	}
	for _, relation := range []struct {
		name string
		wire wireRelations
		into *[]int
	}{
		{"subIssues", w.SubIssues, &facts.SubIssues.Numbers}, {"blockedBy", w.BlockedBy, &facts.BlockedBy}, {"blocking", w.Blocking, &facts.Blocking},
	} {
		numbers, notes := relation.wire.numbers(relation.name, own)
		*relation.into = numbers
		warnings = append(warnings, notes...)
	}
	return facts, warnings
}

// numbers are those of the related issues of the same repository. The others
// are named, because a number alone would be taken for one of ours.
func (w wireRelations) numbers(relation, own string) (numbers []int, warnings []string) {
	numbers = []int{}
	for _, related := range w.Nodes {
		switch {
		case related == nil: // the token cannot see it
		case related.isAway(own):
			warnings = append(warnings, fmt.Sprintf("%s has an issue of another repository: %s", relation, related))
		default:
			numbers = append(numbers, related.Number)
		}
	}
	if len(w.Nodes) < w.TotalCount {
		warnings = append(warnings, fmt.Sprintf("%s shows the first %d of %d", relation, len(w.Nodes), w.TotalCount))
	}
	return numbers, warnings
}

// isAway reports whether the issue is of another repository than the named one.
func (w *wireRelated) isAway(own string) bool {
	return w.Repository.NameWithOwner != "" && !strings.EqualFold(w.Repository.NameWithOwner, own)
}

func (w *wireRelated) String() string {
	return fmt.Sprintf("%s#%d", w.Repository.NameWithOwner, w.Number)
}

// wirePullHead is a pull request itself.
type wirePullHead struct {
	wireHead
	State          string
	Merged         bool
	IsDraft        bool
	ReviewDecision *string
	BaseRefName    string
	HeadRefName    string
	HeadRefOid     string
}

// PullFacts are what only pull requests have.
type PullFacts struct {
	IsDraft        bool    `json:"isDraft"`
	Merged         bool    `json:"merged"`
	ReviewDecision *string `json:"reviewDecision"`
	BaseRefName    string  `json:"baseRefName"`
	HeadRefName    string  `json:"headRefName"`
	HeadRefOid     string  `json:"headRefOid"`
}

func (w *wirePullHead) pullFacts() *PullFacts {
	return &PullFacts{
		IsDraft: w.IsDraft, Merged: w.Merged, ReviewDecision: w.ReviewDecision,
		BaseRefName: w.BaseRefName, HeadRefName: w.HeadRefName, HeadRefOid: w.HeadRefOid,
	}
}
