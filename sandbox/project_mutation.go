package sandbox

import (
	"context"
	"strconv"
	"strings"

	graphql "github.com/graph-gophers/graphql-go"
)

func (*root) AddProjectV2ItemByID(ctx context.Context, args struct {
	Input struct {
		ProjectID, ContentID graphql.ID
		ClientMutationID     *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	p, err := s.mayPlanAs(args.Input.ProjectID, "AddProjectV2ItemById")
	if err != nil {
		return nil, err
	}
	i, err := findAs[*issue](s, args.Input.ContentID)
	if err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: args.Input.ClientMutationID, Item: s.item(s.addToProject(p, i))}, nil
}

// mayPlanAs finds a project that the viewer may change.
func (s *session) mayPlanAs(id graphql.ID, mutation string) (*project, error) {
	p, err := findAs[*project](s, id)
	if err != nil {
		return nil, err
	}
	if !s.mayPlan(p) {
		return nil, s.forbidden(mutation)
	}
	return p, nil
}

// addToProject gives back the item that is there already.
func (s *session) addToProject(p *project, i *issue) *projectItem {
	for _, item := range i.items {
		if item.project == p {
			return item
		}
	}
	at := s.store.now()
	item := &projectItem{id: s.store.id(), project: p, content: i, creator: s.viewer, created: at, updated: at, values: map[*projectField]string{}}
	p.items, i.items, p.updated = append(p.items, item), append(i.items, item), at
	return item
}

func (*root) DeleteProjectV2Item(ctx context.Context, args struct {
	Input struct {
		ProjectID, ItemID graphql.ID
		ClientMutationID  *string
	}
}) (*payload, error) {
	s := sessionOf(ctx)
	item, err := s.projectItem(args.Input.ProjectID, args.Input.ItemID, "DeleteProjectV2Item")
	if err != nil {
		return nil, err
	}
	p, i, id := item.project, item.content, s.item(item).ID()
	p.items, i.items, p.updated = without(p.items, item), without(i.items, item), s.store.now()
	return &payload{ClientMutationID: args.Input.ClientMutationID, DeletedItemID: &id}, nil
}

// projectItem is an item of a project that the viewer may change.
func (s *session) projectItem(projectID, itemID graphql.ID, mutation string) (*projectItem, error) {
	p, err := s.mayPlanAs(projectID, mutation)
	if err != nil {
		return nil, err
	}
	item, err := findAs[*projectItem](s, itemID)
	if err != nil {
		return nil, err
	}
	if item.project != p {
		return nil, unprocessable("The item does not exist in the project")
	}
	return item, nil
}

// fieldValueInput is GitHub's ProjectV2FieldValue.
type fieldValueInput struct {
	Date                                    *date
	IterationID, SingleSelectOptionID, Text *string
	Number                                  *float64
}

// values are those given, by the type of field that takes them.
func (in fieldValueInput) values() map[string]string {
	given := map[string]string{}
	if in.Date != nil {
		given["DATE"] = string(*in.Date)
	}
	if in.Number != nil {
		given["NUMBER"] = strconv.FormatFloat(*in.Number, 'f', -1, 64)
	}
	for kind, value := range map[string]*string{"ITERATION": in.IterationID, "SINGLE_SELECT": in.SingleSelectOptionID, "TEXT": in.Text} {
		if value != nil {
			given[kind] = *value
		}
	}
	return given
}

func (*root) UpdateProjectV2ItemFieldValue(ctx context.Context, args struct {
	Input struct {
		ProjectID, ItemID, FieldID graphql.ID
		Value                      fieldValueInput
		ClientMutationID           *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	item, f, err := s.projectValue(in.ProjectID, in.ItemID, in.FieldID, "UpdateProjectV2ItemFieldValue")
	if err != nil {
		return nil, err
	}
	given := in.Value.values()
	value, fits := given[f.Type]
	switch kind := strings.ToLower(f.Type); {
	case f.Type == "TITLE":
		return nil, unprocessable("The field of type title is currently not supported")
	case len(given) != 1:
		return nil, unprocessable("Exactly one value is needed to update a field")
	case !fits:
		return nil, unprocessable("Did not receive a %s value to update a field of type %s", kind, kind)
	}
	id, known := f.choice(value)
	if !known || id != value {
		return nil, unprocessable("The %s Id does not belong to the field", map[string]string{"SINGLE_SELECT": "single select option", "ITERATION": "iteration"}[f.Type])
	}
	item.values[f], item.updated = id, s.store.now()
	return &payload{ClientMutationID: in.ClientMutationID, ProjectV2Item: s.item(item)}, nil
}

// projectValue is an item and a field of one project.
func (s *session) projectValue(projectID, itemID, fieldID graphql.ID, mutation string) (*projectItem, *projectField, error) {
	item, err := s.projectItem(projectID, itemID, mutation)
	if err != nil {
		return nil, nil, err
	}
	f, err := findAs[*projectField](s, fieldID)
	if err != nil {
		return nil, nil, err
	}
	if f.project != item.project {
		return nil, nil, unprocessable("The field does not exist in the project")
	}
	return item, f, nil
}

func (*root) ClearProjectV2ItemFieldValue(ctx context.Context, args struct {
	Input struct {
		ProjectID, ItemID, FieldID graphql.ID
		ClientMutationID           *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	item, f, err := s.projectValue(in.ProjectID, in.ItemID, in.FieldID, "ClearProjectV2ItemFieldValue")
	if err != nil {
		return nil, err
	}
	delete(item.values, f)
	item.updated = s.store.now()
	return &payload{ClientMutationID: in.ClientMutationID, ProjectV2Item: s.item(item)}, nil
}
