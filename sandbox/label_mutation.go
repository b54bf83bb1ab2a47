package sandbox

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	graphql "github.com/graph-gophers/graphql-go"
)

var hexColor = regexp.MustCompile(`^[0-9A-Fa-f]{6}$`)

// The longest name and description of a label, in characters.
const (
	maxLabelName        = 50
	maxLabelDescription = 100
)

// checkLabel checks what a label is to be; self is the label itself, nil for a
// new one.
func (r *repository) checkLabel(self *label, name, color, description string) error {
	switch other := r.labelNamed(name); {
	case strings.TrimSpace(name) == "":
		return unprocessable("Name can't be blank")
	case utf8.RuneCountInString(name) > maxLabelName:
		return unprocessable("Name is too long (maximum is %d characters)", maxLabelName)
	case !hexColor.MatchString(color):
		return unprocessable("Color is invalid: only six hexadecimal digits, without a leading #, are")
	case utf8.RuneCountInString(description) > maxLabelDescription:
		return unprocessable("Description is too long (maximum is %d characters)", maxLabelDescription)
	case other != nil && other != self:
		return unprocessable("Name has already been taken")
	}
	return nil
}

func (*root) CreateLabel(ctx context.Context, args struct {
	Input struct {
		RepositoryID                  graphql.ID
		Name, Color                   string
		Description, ClientMutationID *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	r, err := findAs[*repository](s, in.RepositoryID)
	if err != nil {
		return nil, err
	}
	if !s.may(r, permissionWrite) {
		return nil, s.forbidden("CreateLabel")
	}
	made, err := s.addLabel(r, in.Name, in.Color, valueOf(in.Description))
	if err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: in.ClientMutationID, Label: &labelResolver{s, made}}, nil
}

func (s *session) addLabel(r *repository, name, color, description string) (*label, error) {
	if err := r.checkLabel(nil, name, color, description); err != nil {
		return nil, err
	}
	made := &label{id: s.store.id(), repository: r, name: name, color: strings.ToLower(color), description: description, created: s.store.now()}
	r.labels = append(r.labels, made)
	return made, nil
}

// valueOf is "" for null.
func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (*root) UpdateLabel(ctx context.Context, args struct {
	Input struct {
		ID                                         graphql.ID
		Name, Color, Description, ClientMutationID *string
	}
}) (*payload, error) {
	s, in := sessionOf(ctx), args.Input
	l, err := findAs[*label](s, in.ID)
	if err != nil {
		return nil, err
	}
	if !s.may(l.repository, permissionWrite) {
		return nil, s.forbidden("UpdateLabel")
	}
	if err := l.change(in.Name, in.Color, in.Description); err != nil {
		return nil, err
	}
	return &payload{ClientMutationID: in.ClientMutationID, Label: &labelResolver{s, l}}, nil
}

// change sets what is not nil, everything or nothing.
func (l *label) change(name, color, description *string) error {
	to := *l
	for given, field := range map[**string]*string{&name: &to.name, &color: &to.color, &description: &to.description} {
		if *given != nil {
			*field = **given
		}
	}
	if err := l.repository.checkLabel(l, to.name, to.color, to.description); err != nil {
		return err
	}
	to.color = strings.ToLower(to.color)
	*l = to
	return nil
}

func (*root) DeleteLabel(ctx context.Context, args idInput) (*payload, error) {
	s := sessionOf(ctx)
	l, err := findAs[*label](s, args.Input.ID)
	if err != nil {
		return nil, err
	}
	if !s.may(l.repository, permissionWrite) {
		return nil, s.forbidden("DeleteLabel")
	}
	l.delete()
	return &payload{ClientMutationID: args.Input.ClientMutationID}, nil
}

// delete takes the label off everything, too.
func (l *label) delete() {
	r := l.repository
	r.labels = without(r.labels, l)
	for _, d := range r.discussions {
		d.labels = without(d.labels, l)
	}
	for _, i := range r.issues {
		i.labels = without(i.labels, l)
	}
}
