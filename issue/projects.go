package issue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

// ProjectsRequest are the arguments of manage_issue_projects.
type ProjectsRequest struct {
	Repo          *string `json:"repo,omitempty"`
	IssueNumber   int     `json:"issue_number"`
	Action        string  `json:"action"`
	ProjectNumber int     `json:"project_number"`
	Field         string  `json:"field,omitempty"`
	Value         *string `json:"value,omitempty"`
}

// ProjectsResult is the issue on the board after the write.
type ProjectsResult struct {
	Message       string            `json:"message"`
	IssueNumber   int               `json:"issueNumber"`
	ProjectNumber int               `json:"projectNumber"`
	ItemID        *string           `json:"itemId"`
	Fields        map[string]string `json:"fields,omitempty"`
	Warnings      []string          `json:"warnings,omitempty"`
}

// Inputs of GitHub's, by their names there, as maps.
type (
	// AddProjectV2ItemByIdInput puts something on a board.
	AddProjectV2ItemByIdInput map[string]any //nolint:revive,staticcheck // GitHub's name
	// DeleteProjectV2ItemInput takes it off.
	DeleteProjectV2ItemInput map[string]any
	// UpdateProjectV2ItemFieldValueInput sets a field.
	UpdateProjectV2ItemFieldValueInput map[string]any
	// ClearProjectV2ItemFieldValueInput clears it.
	ClearProjectV2ItemFieldValueInput map[string]any
)

// wireBoard is a project with its fields.
type wireBoard struct {
	ID     string
	Fields struct{ Nodes []wireField } `graphql:"fields(first: 100)"`
}

// wireField is a field of any type.
type wireField struct {
	Common struct {
		ID       string
		Name     string
		DataType string
	} `graphql:"... on ProjectV2FieldCommon"`
	Select struct {
		Options []label
	} `graphql:"... on ProjectV2SingleSelectField"`
	Iteration struct {
		Configuration struct {
			Iterations          []wireIteration
			CompletedIterations []wireIteration
		}
	} `graphql:"... on ProjectV2IterationField"`
}

type wireIteration struct{ ID, Title string }

// wireItems are the boards that an issue or a pull request is on.
type wireItems struct {
	ID           string
	ProjectItems struct {
		Nodes []struct {
			ID      string
			Project struct{ ID string }
		}
	} `graphql:"projectItems(first: 100)"`
}

// boarding is a change of a board under way.
type boarding struct {
	service *Service
	repo    ref.Repo
	req     ProjectsRequest

	contentID string
	board     wireBoard
	itemID    string // "" while it is not on the board
	warnings  []string
}

// ManageProjects puts an issue or a pull request on a board, takes it off, or
// sets a field there.
func (s *Service) ManageProjects(ctx context.Context, req ProjectsRequest) (_ *ProjectsResult, err error) {
	defer fault.Wrap(&err, "issue.ManageProjects(#%d)", req.IssueNumber)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	b := &boarding{service: s, repo: repo, req: req}
	if err := b.look(ctx); err != nil {
		return nil, err
	}
	switch req.Action {
	case "remove":
		return b.remove(ctx)
	case "set_field":
		return b.setField(ctx)
	}
	if b.itemID != "" {
		return b.result("Nothing to do: #%d is on project %d already.", req.IssueNumber, req.ProjectNumber), nil
	}
	if err := b.add(ctx); err != nil {
		return nil, err
	}
	return b.result("Put #%d on project %d.", req.IssueNumber, req.ProjectNumber), nil
}

func (r ProjectsRequest) check() error {
	sets := r.Action == "set_field"
	switch {
	case sets && (r.Field == "" || r.Value == nil):
		return fault.New(fault.MissingArguments, "action set_field needs field and value").WithFix(`Pass both; value "" clears the field.`)
	case !sets && (r.Field != "" || r.Value != nil):
		return fault.New(fault.InvalidArguments, "field and value belong to action set_field").WithFix("Leave them out, or use set_field.").With("argument", "field")
	}
	return nil
}

func (b *boarding) result(message string, args ...any) *ProjectsResult {
	result := &ProjectsResult{
		Message: fmt.Sprintf(message, args...), IssueNumber: b.req.IssueNumber, ProjectNumber: b.req.ProjectNumber, Warnings: b.warnings,
	}
	if b.itemID != "" {
		result.ItemID = &b.itemID
	}
	return result
}

// look reads the board and whether the issue is on it.
func (b *boarding) look(ctx context.Context) error {
	var query struct {
		Repository *struct {
			Owner struct {
				Projects struct {
					Board *wireBoard `graphql:"projectV2(number: $project)"`
				} `graphql:"... on ProjectV2Owner"`
			}
			Content *struct {
				Issue       wireItems `graphql:"... on Issue"`
				PullRequest wireItems `graphql:"... on PullRequest"`
			} `graphql:"issueOrPullRequest(number: $number)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := b.service.opts.GraphQL.Query(ctx, "ProjectItem", &query, map[string]any{
		"owner": githubv4.String(b.repo.Owner), "name": githubv4.String(b.repo.Name),
		"number": githubv4.Int(b.req.IssueNumber), "project": githubv4.Int(b.req.ProjectNumber),
	})
	switch {
	case err != nil:
		return err
	case query.Repository == nil:
		return notes.Fault("repository", resolve.NoRepository(b.repo))
	case query.Repository.Content == nil:
		return notes.Fault("repository.issueOrPullRequest", missing(b.repo, b.req.IssueNumber))
	case query.Repository.Owner.Projects.Board == nil:
		return noBoard(notes.Fault("repository.owner.projectV2", nil), b.repo, b.req.ProjectNumber)
	}
	b.board, b.itemID = *query.Repository.Owner.Projects.Board, ""
	for _, content := range []wireItems{query.Repository.Content.Issue, query.Repository.Content.PullRequest} {
		if content.ID != "" {
			b.contentID = content.ID
		}
		for _, item := range content.ProjectItems.Nodes {
			if item.Project.ID == b.board.ID {
				b.itemID = item.ID
			}
		}
	}
	return nil
}

// noBoard is the fault for a project that GitHub does not show.
func noBoard(err error, repo ref.Repo, number int) error {
	if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.NotFoundOrNoAccess) {
		return err
	}
	return fault.New(fault.NotFound, "%s has no project %d that this token can see", repo.Owner, number).
		WithFix("Take the number from the project's URL; to see projects, a token needs the scope project.").
		With("argument", "project_number").WithCause(err)
}

// add puts the issue on the board.
func (b *boarding) add(ctx context.Context) error {
	input := AddProjectV2ItemByIdInput{"projectId": b.board.ID, "contentId": b.contentID}
	err := b.write(ctx, "addProjectV2ItemById", input, func(ctx context.Context) (bool, error) {
		err := b.look(ctx)
		return b.itemID != "", err
	})
	if err != nil || b.itemID != "" {
		return err
	}
	if err := b.look(ctx); err != nil || b.itemID == "" {
		return fault.New(fault.OutcomeUnknown, "#%d was put on the board, but reading it there failed", b.req.IssueNumber).
			WithFix("Repeat the call: what is there already is not added again.").WithCause(err)
	}
	return nil
}

func (b *boarding) remove(ctx context.Context) (*ProjectsResult, error) {
	if b.itemID == "" {
		return b.result("Nothing to do: #%d is not on project %d.", b.req.IssueNumber, b.req.ProjectNumber), nil
	}
	input := DeleteProjectV2ItemInput{"projectId": b.board.ID, "itemId": b.itemID}
	err := b.write(ctx, "deleteProjectV2Item", input, func(ctx context.Context) (bool, error) {
		err := b.look(ctx)
		return b.itemID == "", err
	})
	if err != nil {
		return nil, err
	}
	b.itemID = ""
	return b.result("Took #%d off project %d.", b.req.IssueNumber, b.req.ProjectNumber), nil
}

// setField sets or clears a field, on the board first if need be.
func (b *boarding) setField(ctx context.Context) (*ProjectsResult, error) {
	field, err := b.field()
	if err != nil {
		return nil, err
	}
	value, wanted, err := field.value(*b.req.Value)
	if err != nil {
		return nil, err
	}
	if b.itemID == "" {
		if err := b.add(ctx); err != nil {
			return nil, err
		}
	}
	place := map[string]any{"projectId": b.board.ID, "itemId": b.itemID, "fieldId": field.Common.ID}
	mutation, input := "clearProjectV2ItemFieldValue", githubv4.Input(ClearProjectV2ItemFieldValueInput(place))
	if value != nil {
		place["value"] = value
		mutation, input = "updateProjectV2ItemFieldValue", UpdateProjectV2ItemFieldValueInput(place)
	}
	var now string
	look := func(ctx context.Context) (_ bool, err error) {
		now, err = b.valueOf(ctx, field.Common.Name)
		return now == wanted, err
	}
	before := len(b.warnings)
	if err := b.write(ctx, mutation, input, look); err != nil {
		return nil, err
	}
	result := b.result("Set %s of #%d on project %d.", field.Common.Name, b.req.IssueNumber, b.req.ProjectNumber)
	if value == nil {
		result = b.result("Cleared %s of #%d on project %d.", field.Common.Name, b.req.IssueNumber, b.req.ProjectNumber)
	}
	if len(b.warnings) == before { // else the looking for a lost answer has read it
		if _, look := look(ctx); look != nil {
			result.Warnings = append(result.Warnings, "the field was set, but reading it after that failed: "+fault.From(look).Message)
			return result, nil
		}
	}
	result.Fields = map[string]string{field.Common.Name: now}
	return result, nil
}

// write makes one mutation of the board.
func (b *boarding) write(ctx context.Context, field string, input githubv4.Input, done func(context.Context) (bool, error)) error {
	warning, err := b.service.surely(ctx, field, input, done)
	b.warnings = warned(b.warnings, warning)
	return transport.MayNot(err, "change project %d: that needs write permission there, and the scope project", b.req.ProjectNumber)
}

// ofTheIssue are the types of fields that a board shows and an issue has.
const ofTheIssue = "TITLE ASSIGNEES LABELS LINKED_PULL_REQUESTS MILESTONE REPOSITORY REVIEWERS PARENT_ISSUE SUB_ISSUES_PROGRESS TRACKS TRACKED_BY"

// field is the one that the call names.
func (b *boarding) field() (*wireField, error) {
	var known []string
	for i, field := range b.board.Fields.Nodes {
		of := field.Common.DataType != "" && strings.Contains(" "+ofTheIssue+" ", " "+field.Common.DataType+" ")
		switch {
		case !strings.EqualFold(field.Common.Name, b.req.Field):
			if !of {
				known = append(known, field.Common.Name)
			}
		case of:
			return nil, fault.New(fault.ValidationFailed, "%s is a field of the issue, not of the board", field.Common.Name).
				WithFix("Use update_issue, manage_issue_labels or manage_issue_assignees.").With("argument", "field")
		default:
			return &b.board.Fields.Nodes[i], nil
		}
	}
	return nil, fault.New(fault.ValidationFailed, "project %d has no field %q", b.req.ProjectNumber, b.req.Field).
		WithFix("There are: %s.", orNone(known)).With("argument", "field").With("available", known)
}

// value is a text as the field takes it, and as the field will read then; nil
// clears the field.
func (f *wireField) value(text string) (value map[string]any, reads string, err error) {
	if text == "" {
		return nil, "", nil
	}
	switch f.Common.DataType {
	case "TEXT":
		return map[string]any{"text": text}, text, nil
	case "NUMBER":
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || number-number != 0 { // neither infinite nor no number
			return nil, "", f.refuse(text, "a number, as 2.5")
		}
		return map[string]any{"number": number}, number64(number), nil
	case "DATE":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, "", f.refuse(text, "a date, as 2026-12-01")
		}
		return map[string]any{"date": text}, text, nil
	case "SINGLE_SELECT":
		return f.choose("singleSelectOptionId", text, f.Select.Options)
	case "ITERATION":
		var iterations []label
		settings := f.Iteration.Configuration
		for _, one := range append(settings.Iterations, settings.CompletedIterations...) {
			iterations = append(iterations, label{ID: one.ID, Name: one.Title})
		}
		return f.choose("iterationId", text, iterations)
	}
	return nil, "", fault.New(fault.ValidationFailed, "%s is a field of a type that cannot be set: %s", f.Common.Name, strings.ToLower(f.Common.DataType)).
		WithFix("Set it on the web.").With("argument", "field")
}

func number64(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func (f *wireField) choose(key, text string, choices []label) (map[string]any, string, error) {
	names := make([]string, len(choices))
	for i, choice := range choices {
		if strings.EqualFold(choice.Name, text) {
			return map[string]any{key: choice.ID}, choice.Name, nil
		}
		names[i] = choice.Name
	}
	refusal := f.refuse(text, "one of: "+orNone(names))
	return nil, "", refusal.With("available", names)
}

func (f *wireField) refuse(text, takes string) *fault.Error {
	return fault.New(fault.ValidationFailed, "%s cannot be %q", f.Common.Name, text).
		WithFix(`It takes %s; "" clears it.`, takes).With("argument", "value")
}

// valueOf is what a field of the item holds now, "" when it is not set.
func (b *boarding) valueOf(ctx context.Context, field string) (string, error) {
	var query struct {
		Node *struct {
			Item struct {
				Value *struct {
					Text      struct{ Text string }     `graphql:"... on ProjectV2ItemFieldTextValue"`
					Number    struct{ Number *float64 } `graphql:"... on ProjectV2ItemFieldNumberValue"`
					Date      struct{ Date string }     `graphql:"... on ProjectV2ItemFieldDateValue"`
					Option    struct{ Name string }     `graphql:"... on ProjectV2ItemFieldSingleSelectValue"`
					Iteration struct{ Title string }    `graphql:"... on ProjectV2ItemFieldIterationValue"`
				} `graphql:"fieldValueByName(name: $field)"`
			} `graphql:"... on ProjectV2Item"`
		} `graphql:"node(id: $id)"`
	}
	notes, err := b.service.opts.GraphQL.Query(ctx, "ProjectValue", &query, map[string]any{
		"id": graphql.ID(b.itemID), "field": githubv4.String(field),
	})
	switch {
	case err != nil:
		return "", err
	case query.Node == nil:
		return "", notes.Fault("node", fault.New(fault.NotFound, "the item is no longer on the board"))
	case query.Node.Item.Value == nil:
		return "", nil
	}
	value := query.Node.Item.Value
	if value.Number.Number != nil {
		return number64(*value.Number.Number), nil
	}
	return value.Text.Text + value.Date.Date + value.Option.Name + value.Iteration.Title, nil
}
