package repository

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/post"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// LabelRequest are the arguments of manage_label.
type LabelRequest struct {
	Repo        *string `json:"repo,omitempty"`
	Action      string  `json:"action"`
	Name        string  `json:"name"`
	NewName     string  `json:"new_name,omitempty"`
	Color       string  `json:"color,omitempty"`
	Description *string `json:"description,omitempty"`
	Confirm     bool    `json:"confirm,omitempty"`
}

// LabelResult is the label after the write, or as it was before it was
// deleted.
type LabelResult struct {
	Message      string             `json:"message"`
	Name         string             `json:"name"`
	Color        string             `json:"color"`
	Description  string             `json:"description"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`
}

// Inputs of GitHub's, by their names there, as maps: what is absent stays.
type (
	// CreateLabelInput makes a label.
	CreateLabelInput map[string]any
	// UpdateLabelInput changes one.
	UpdateLabelInput map[string]any
	// DeleteLabelInput deletes one.
	DeleteLabelInput map[string]any
)

type wireLabel struct{ ID, Name, Color, Description string }

// grey is the colour of a label for which none is given.
const grey = "ededed"

var hexColor = regexp.MustCompile(`^#?[0-9A-Fa-f]{6}$`)

// labelChange is a change of a label under way.
type labelChange struct {
	service      *Service
	repo         ref.Repo
	req          LabelRequest
	repositoryID string
	before       *wireLabel // nil when there is none of that name
}

// ManageLabel creates, changes or deletes a label of the repository.
func (s *Service) ManageLabel(ctx context.Context, req LabelRequest) (_ *LabelResult, err error) {
	defer fault.Wrap(&err, "repository.ManageLabel(%s)", req.Action)
	repo, err := s.target(req.Repo)
	if err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	c := &labelChange{service: s, repo: repo, req: req}
	if c.before, err = c.find(ctx, req.Name); err != nil {
		return nil, err
	}
	switch {
	case req.Action == "create" && c.before != nil:
		return nil, c.taken(c.before.Name)
	case req.Action == "create":
		return c.create(ctx)
	case c.before == nil:
		return nil, c.missing(ctx)
	case req.Action == "update":
		return c.update(ctx)
	}
	return c.delete(ctx)
}

func (r LabelRequest) check() error {
	changes := r.NewName != "" || r.Color != "" || r.Description != nil
	switch {
	case strings.TrimSpace(r.Name) == "":
		return fault.New(fault.InvalidArguments, "name is blank").WithFix("Pass the label's name.").With("argument", "name")
	case r.NewName != "" && r.Action != "update":
		return fault.New(fault.InvalidArguments, "new_name does not belong to action %s", r.Action).WithFix("Leave it out, or use update.").With("argument", "new_name")
	case r.Action == "delete" && changes:
		return fault.New(fault.InvalidArguments, "color and description do not belong to action delete").WithFix("Leave them out.")
	case r.Action == "update" && !changes:
		return fault.New(fault.MissingArguments, "action update needs new_name, color or description").WithFix("Pass what is to change.")
	case r.Color != "" && !hexColor.MatchString(r.Color):
		return fault.New(fault.InvalidArguments, "color %q is not six hex digits", r.Color).WithFix("Write it as fbca04 or #fbca04.").With("argument", "color")
	}
	return nil
}

// find reads a label by its name, in any letter case; nil when there is none.
func (c *labelChange) find(ctx context.Context, name string) (*wireLabel, error) {
	var query struct {
		Repository *struct {
			ID    string
			Label *wireLabel `graphql:"label(name: $label)"`
		} `graphql:"repository(owner: $owner, name: $name)"`
	}
	notes, err := c.service.opts.GraphQL.Query(ctx, "Label", &query, c.variables(name))
	if err != nil {
		return nil, err
	}
	if query.Repository == nil {
		return nil, notes.Fault("repository", resolve.NoRepository(c.repo))
	}
	c.repositoryID = query.Repository.ID
	return query.Repository.Label, nil
}

func (c *labelChange) variables(label string) map[string]any {
	return map[string]any{
		"owner": githubv4.String(c.repo.Owner), "name": githubv4.String(c.repo.Name), "label": githubv4.String(label),
	}
}

func (c *labelChange) taken(name string) error {
	return fault.New(fault.ValidationFailed, "%s has a label %q already", c.repo, name).
		WithFix("Use it, or change it with action update.").With("argument", "name")
}

// missing is the fault for an unknown label, with the nearest one.
func (c *labelChange) missing(ctx context.Context) error {
	refusal := fault.New(fault.NotFound, "%s has no label %q", c.repo, c.req.Name).WithFix("list_labels shows all.").With("argument", "name")
	name := c.repo.String()
	known, err := c.service.ListLabels(ctx, LabelsRequest{Repo: &name, Limit: 100})
	if err != nil {
		return refusal.WithCause(err)
	}
	names := make([]string, len(known.Labels))
	for i, label := range known.Labels {
		names[i] = label.Name
	}
	if near := contract.Nearest(c.req.Name, names); near != "" {
		refusal.WithFix("Did you mean %q? list_labels shows all.", near)
	}
	return refusal
}

func (c *labelChange) create(ctx context.Context) (*LabelResult, error) {
	wanted := wireLabel{Name: c.req.Name, Color: grey}
	c.req.apply(&wanted)
	input := CreateLabelInput{"repositoryId": c.repositoryID, "name": wanted.Name, "color": wanted.Color}
	if wanted.Description != "" {
		input["description"] = wanted.Description
	}
	return c.write(ctx, "createLabel", input, wanted, "Created")
}

// apply changes what is given.
func (r LabelRequest) apply(label *wireLabel) {
	if r.NewName != "" {
		label.Name = r.NewName
	}
	if r.Color != "" {
		label.Color = strings.ToLower(strings.TrimPrefix(r.Color, "#"))
	}
	if r.Description != nil {
		label.Description = *r.Description
	}
}

func (c *labelChange) update(ctx context.Context) (*LabelResult, error) {
	wanted := *c.before
	c.req.apply(&wanted)
	if wanted == *c.before {
		return wanted.result("Nothing to do: label %q is that already.", wanted.Name), nil
	}
	if !strings.EqualFold(wanted.Name, c.before.Name) {
		if other, err := c.find(ctx, wanted.Name); err != nil || other != nil {
			if err == nil {
				err = c.taken(other.Name)
			}
			return nil, err
		}
	}
	input := UpdateLabelInput{"id": c.before.ID}
	for field, change := range map[string][2]string{
		"name": {c.before.Name, wanted.Name}, "color": {c.before.Color, wanted.Color}, "description": {c.before.Description, wanted.Description},
	} {
		if change[0] != change[1] {
			input[field] = change[1]
		}
	}
	return c.write(ctx, "updateLabel", input, wanted, "Changed")
}

// write makes a label what is wanted, and reads it after that.
func (c *labelChange) write(ctx context.Context, field string, input githubv4.Input, wanted wireLabel, does string) (*LabelResult, error) {
	err := c.mutate(ctx, field, input)
	if err != nil && !fault.Is(err, fault.OutcomeUnknown) {
		return nil, c.explain(err)
	}
	after, look := c.find(ctx, wanted.Name)
	isThere := look == nil && after != nil
	switch {
	case err != nil && (!isThere || !after.is(wanted)):
		return nil, post.Unknown(err, look, "the change", "Look with list_labels; repeat the call only if the change is not there.")
	case isThere:
		wanted = *after
	}
	result := wanted.result("%s label %q.", does, wanted.Name)
	switch {
	case err != nil:
		result.Warnings = []string{"GitHub's answer was lost on the way; it was looked up, and the change is there"}
	case !isThere:
		result.Warnings = []string{"the change was made, but reading the label after it failed"}
	}
	return result, nil
}

func (w *wireLabel) is(wanted wireLabel) bool {
	return w.Name == wanted.Name && strings.EqualFold(w.Color, wanted.Color) && w.Description == wanted.Description
}

func (w *wireLabel) result(message string, args ...any) *LabelResult {
	return &LabelResult{Message: fmt.Sprintf(message, args...), Name: w.Name, Color: w.Color, Description: w.Description}
}

// delete deletes the label, once that is confirmed.
func (c *labelChange) delete(ctx context.Context) (*LabelResult, error) {
	if !c.req.Confirm {
		return nil, c.confirmation(ctx)
	}
	result := c.before.result("Deleted label %q.", c.before.Name)
	err := c.mutate(ctx, "deleteLabel", DeleteLabelInput{"id": c.before.ID})
	if !fault.Is(err, fault.OutcomeUnknown) {
		if err != nil {
			return nil, c.explain(err)
		}
		return result, nil
	}
	after, look := c.find(ctx, c.before.Name)
	if look != nil || after != nil {
		return nil, post.Unknown(err, look, "the deletion", "Look with list_labels; repeat the call only if the label is still there.")
	}
	result.Warnings = []string{"GitHub's answer was lost on the way; it was looked up, and the label is gone"}
	return result, nil
}

// confirmation asks before what cannot be undone; call is what carries it out.
func (c *labelChange) confirmation(ctx context.Context) error {
	query, found := graphql.Field[struct{ TotalCount int }](
		"repository(owner: $owner, name: $name)", "issues(labels: [$label], states: [OPEN], first: 1)")
	on := "what has it"
	if _, err := c.service.opts.GraphQL.Query(ctx, "LabelledIssues", query, c.variables(c.before.Name)); err == nil && found() != nil {
		on = fmt.Sprintf("%d open issues, and off everything else that has it", found().TotalCount)
	}
	name, call := c.repo.String(), c.req
	call.Repo, call.Confirm = &name, true
	return fault.New(fault.ConfirmationRequired, "deleting the label %q of %s takes it off %s; that cannot be undone", c.before.Name, c.repo, on).
		WithFix("If that is what is wanted, call manage_label again with confirm: true.").
		With("call", map[string]any{"tool": "manage_label", "arguments": call})
}

// mutate is a write of which only the success is of interest.
func (c *labelChange) mutate(ctx context.Context, field string, input githubv4.Input) error {
	mutation, found := graphql.Field[struct{ ClientMutationID *string }](field + "(input: $input)")
	notes, err := c.service.opts.GraphQL.Mutate(ctx, strings.ToUpper(field[:1])+field[1:], mutation, input, nil)
	if err == nil && found() == nil {
		err = notes.Fault(field, fault.New(fault.OutcomeUnknown, "GitHub took the change but did not answer with it").WithFix("Look with list_labels."))
	}
	return err
}

// explain names the permission that a refused change needs.
func (c *labelChange) explain(err error) error {
	return transport.MayNot(err, "change the labels of %s: that needs write permission", c.repo)
}

// VisitTexts shows the label, which the repository maintains.
func (r *LabelResult) VisitTexts(visit func(trust.Text)) {
	visit(trust.Text{Field: "name", At: "label", Value: &r.Name})
	visit(trust.Text{Field: "description", At: "label", Value: &r.Description})
}

// SetContentTrust puts the summary into the answer.
func (r *LabelResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
