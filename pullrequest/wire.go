package pullrequest

import (
	"time"

	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/thread"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// The wire types are GitHub's GraphQL shapes.

// wireActor is an account; nil when it is gone.
type wireActor struct{ Login string }

// login is the account's name, the ghost's when it is gone.
func (a *wireActor) login() string {
	if a == nil {
		return thread.Ghost
	}
	return thread.ActorOf(a.Login).Login
}

type wirePageInfo struct {
	HasNextPage bool
	EndCursor   string
}

type wireLabels struct{ Nodes []struct{ Name string } }

func (w *wireLabels) names() []string {
	names := []string{}
	if w != nil {
		for _, label := range w.Nodes {
			names = append(names, label.Name)
		}
	}
	return names
}

// wireRow is what every read tells of a pull request; $full brings its text.
type wireRow struct {
	ID                  string
	Number              int
	Title               string
	Body                string `graphql:"body: body @include(if: $full)"`
	URL                 string `graphql:"url"`
	State               string
	IsDraft             bool
	Author              *wireActor
	AuthorAssociation   string
	ViewerDidAuthor     bool
	BaseRefName         string
	HeadRefName         string
	HeadRefOid          string     `graphql:"headRefOid"`
	HeadRepositoryOwner *wireActor `graphql:"headRepositoryOwner"`
	ReviewDecision      *string
	Labels              *wireLabels              `graphql:"labels(first: 100)"`
	Comments            struct{ TotalCount int } `graphql:"comments(last: 1)"`
	CreatedAt           time.Time
	UpdatedAt           time.Time
	MergedAt            *time.Time
}

func (w wireRow) author() trust.Author {
	return trust.Author{Login: w.Author.login(), Association: w.AuthorAssociation, IsViewer: w.ViewerDidAuthor}
}

func (w wireRow) summary() Summary {
	return Summary{
		Author: thread.ActorOf(w.Author.login()), IsDraft: w.IsDraft,
		BaseRefName: w.BaseRefName, HeadRefName: w.HeadRefName, HeadRefOid: w.HeadRefOid,
		ReviewDecision: w.ReviewDecision, Labels: w.Labels.names(), CommentsCount: w.Comments.TotalCount,
		CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(), MergedAt: utc(w.MergedAt), ID: w.ID,
	}
}

// Summary is what a summary row adds to a title row.
type Summary struct {
	Author         thread.Actor `json:"author"`
	AuthorTrust    string       `json:"authorTrust"`
	IsDraft        bool         `json:"isDraft"`
	BaseRefName    string       `json:"baseRefName"`
	HeadRefName    string       `json:"headRefName"`
	HeadRefOid     string       `json:"headRefOid"`
	ReviewDecision *string      `json:"reviewDecision"`
	Labels         []string     `json:"labels"`
	CommentsCount  int          `json:"commentsCount"`
	CreatedAt      time.Time    `json:"createdAt"`
	UpdatedAt      time.Time    `json:"updatedAt"`
	MergedAt       *time.Time   `json:"mergedAt"`
	ID             string       `json:"id"`
}

// utc is a time in UTC; nil stays nil.
func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	in := at.UTC()
	return &in
}

// number is a comment's number, nil when neither GitHub nor the id tells it.
func number(databaseID int64, nodeID string) *int64 {
	if found := ref.NumberOf(databaseID, nodeID); found != 0 {
		return &found
	}
	return nil
}
