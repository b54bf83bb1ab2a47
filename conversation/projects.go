package conversation

import (
	"context"
	"strconv"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
)

// wireProjectItem is an issue on a board.
type wireProjectItem struct {
	ID      string
	Project struct {
		Number int
		Title  string
	}
	Values struct {
		Nodes []wireFieldValue
	} `graphql:"fieldValues(first: 50)"`
}

type wireFieldName struct {
	Common struct{ Name, DataType string } `graphql:"... on ProjectV2FieldCommon"`
}

// wireFieldValue is the value of a field of one of the types that can be set.
type wireFieldValue struct {
	Typename string `graphql:"__typename"`
	Text     struct {
		Text  *string
		Field wireFieldName
	} `graphql:"... on ProjectV2ItemFieldTextValue"`
	Number struct {
		Number *float64
		Field  wireFieldName
	} `graphql:"... on ProjectV2ItemFieldNumberValue"`
	Date struct {
		Date  *string
		Field wireFieldName
	} `graphql:"... on ProjectV2ItemFieldDateValue"`
	Select struct {
		Name  *string
		Field wireFieldName
	} `graphql:"... on ProjectV2ItemFieldSingleSelectValue"`
	Iteration struct {
		Title string
		Field wireFieldName
	} `graphql:"... on ProjectV2ItemFieldIterationValue"`
}

// field is the value as a text; ok is false for a value of another type, which
// the issue itself shows, or one that is not set.
func (w wireFieldValue) field() (field Field, ok bool) {
	var text *string
	name := w.Text.Field
	switch w.Typename {
	case "ProjectV2ItemFieldTextValue":
		text = w.Text.Text
	case "ProjectV2ItemFieldNumberValue":
		if w.Number.Number != nil {
			number := strconv.FormatFloat(*w.Number.Number, 'f', -1, 64)
			text = &number
		}
	case "ProjectV2ItemFieldDateValue":
		text = w.Date.Date
	case "ProjectV2ItemFieldSingleSelectValue":
		text = w.Select.Name
	case "ProjectV2ItemFieldIterationValue":
		text = &w.Iteration.Title
	}
	if text == nil || name.Common.Name == "" || name.Common.DataType == "TITLE" {
		return Field{}, false
	}
	return Field{Name: name.Common.Name, Text: *text}, true
}

// addProjects asks for the boards that the issue is on. That is a request of
// its own: tokens often may not read projects, and GitHub refuses a whole query
// for it. Without the permission the answer says so and stands.
func (s *Service) addProjects(ctx context.Context, c *Conversation) error {
	var query struct {
		Node *struct {
			Issue struct {
				Items struct {
					TotalCount int
					Nodes      []*wireProjectItem
				} `graphql:"projectItems(first: 20)"`
			} `graphql:"... on Issue"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := s.opts.GraphQL.Query(ctx, "IssueProjects", &query, map[string]any{"id": graphql.ID(c.ID)})
	if err == nil && query.Node == nil {
		err = notes.Fault("node", nil)
	}
	switch {
	case fault.Is(err, fault.Forbidden), fault.Is(err, fault.NotFound), err == nil && query.Node == nil:
		c.Warnings = append(c.Warnings, "projects are not shown: this token may not read them (scope read:project)")
		return nil
	case err != nil:
		return err
	}
	items := query.Node.Issue.Items
	c.Projects = []Project{}
	for _, item := range items.Nodes {
		if item == nil { // the token cannot see it
			continue
		}
		project := Project{Number: item.Project.Number, Title: item.Project.Title, ItemID: item.ID, Fields: Fields{}}
		for _, value := range item.Values.Nodes {
			if field, ok := value.field(); ok {
				project.Fields = append(project.Fields, field)
			}
		}
		c.Projects = append(c.Projects, project)
	}
	if len(items.Nodes) < items.TotalCount {
		c.Warnings = append(c.Warnings, "projects shows the first 20")
	}
	c.Warnings = append(c.Warnings, notes.Warnings()...)
	return nil
}
