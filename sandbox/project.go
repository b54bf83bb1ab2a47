package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	graphql "github.com/graph-gophers/graphql-go"

	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
)

// project is a project of the organization, linked to a repository.
type project struct {
	id                 int64
	repository         *repository
	number             int
	title, description string
	creator            *account
	created, updated   time.Time
	closed             bool
	fields             []*projectField
	items              []*projectItem
}

type projectField struct {
	*fixtures.Field
	id      int64
	project *project
}

// projectItem is an issue or pull request in a project.
type projectItem struct {
	id               int64
	project          *project
	content          *issue
	creator          *account
	created, updated time.Time
	values           map[*projectField]string // an option or iteration by its id
}

func (s *store) addProject(r *repository, source *fixtures.Project) error {
	p := &project{
		id: source.ID, repository: r, number: source.Number, title: source.Title, description: source.Description,
		creator: s.account(source.Creator), created: source.Created, updated: source.Created, closed: source.Closed,
	}
	for _, f := range source.Fields {
		p.fields = append(p.fields, &projectField{Field: f, id: f.ID, project: p})
	}
	for _, i := range source.Items {
		if err := s.addItem(p, i); err != nil {
			return fmt.Errorf("item %d: %w", i.Number, err)
		}
	}
	r.projects = append(r.projects, p)
	return nil
}

func (s *store) addItem(p *project, source *fixtures.Item) error {
	content := p.repository.issue(source.Number)
	if content == nil {
		return fmt.Errorf("no such issue")
	}
	item := &projectItem{
		id: source.ID, project: p, content: content, creator: s.account(source.Creator),
		created: source.Created, updated: source.Created, values: map[*projectField]string{},
	}
	for name, value := range source.Values {
		f := p.field(name)
		if f == nil {
			return fmt.Errorf("no field %q", name)
		}
		id, known := f.choice(value)
		if !known {
			return fmt.Errorf("field %q cannot be %q", name, value)
		}
		item.values[f] = id
	}
	p.items = append(p.items, item)
	content.items = append(content.items, item)
	return nil
}

func (p *project) field(name string) *projectField {
	for _, f := range p.fields {
		if strings.EqualFold(f.Name, name) {
			return f
		}
	}
	return nil
}

// choice is the id of the option or iteration with this name or id; in other
// fields it is the value itself.
func (f *projectField) choice(value string) (id string, known bool) {
	if f.Type != "SINGLE_SELECT" && f.Type != "ITERATION" {
		return value, true
	}
	for _, o := range f.Options {
		if o.Name == value || o.ID == value {
			return o.ID, true
		}
	}
	for _, i := range f.Iterations {
		if i.Title == value || i.ID == value {
			return i.ID, true
		}
	}
	return "", false
}

func (f *projectField) idKind() idKind {
	switch f.Type {
	case "SINGLE_SELECT":
		return kindSelect
	case "ITERATION":
		return kindIteration
	}
	return kindField
}

// projects are those of an account that the viewer can see.
func (s *session) projects(owner *account) (found []*project) {
	for _, r := range s.store.repositories {
		if r.owner == owner && s.visible(r) {
			found = append(found, r.projects...)
		}
	}
	return found
}

// projectsArgs are the arguments of projectsV2.
type projectsArgs struct {
	pageArgs
	MinPermissionLevel string
	OrderBy            *labelOrder
	Query              *string
}

func (s *session) projectList(ctx context.Context, all []*project, args projectsArgs) (*connection[*projectResolver], error) {
	found := slices.DeleteFunc(slices.Clone(all), func(p *project) bool {
		return args.Query != nil && !containsFold(p.title, *args.Query)
	})
	order := ordering[*project]{key: func(p *project) sortKey { return sortKey{text: fmt.Sprintf("%09d", p.number), id: p.id} }, desc: true}
	if by := args.OrderBy; by != nil {
		order.desc = by.Direction == "DESC"
		switch by.Field {
		case "TITLE":
			order.key = func(p *project) sortKey { return sortKey{text: strings.ToLower(p.title), id: p.id} }
		case "CREATED_AT", "UPDATED_AT":
			order.key = func(p *project) sortKey { return timeKey(p.created, p.id) }
		}
	}
	return paginate(ctx, "projectsV2", args.pageArgs, order.sort(found), order, s.project)
}

func (s *session) projectNumbered(all []*project, number int32) (*projectResolver, error) {
	for _, p := range all {
		if p.number == int(number) {
			return s.project(p), nil
		}
	}
	return nil, notFound("Could not resolve to a ProjectV2 with the number %d.", number)
}

func (r *repositoryResolver) ProjectV2(args numberArgs) (*projectResolver, error) {
	return r.session.projectNumbered(r.repository.projects, args.Number)
}

func (r *repositoryResolver) ProjectsV2(ctx context.Context, args projectsArgs) (*connection[*projectResolver], error) {
	return r.session.projectList(ctx, r.repository.projects, args)
}

func (r *accountResolver) ProjectV2(args numberArgs) (*projectResolver, error) {
	return r.session.projectNumbered(r.session.projects(r.account), args.Number)
}

func (r *accountResolver) ProjectsV2(ctx context.Context, args projectsArgs) (*connection[*projectResolver], error) {
	return r.session.projectList(ctx, r.session.projects(r.account), args)
}

type projectResolver struct {
	session *session
	project *project
}

func (s *session) project(p *project) *projectResolver { return &projectResolver{s, p} }

func (r *projectResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(kindProject, r.project.repository.id, r.project.id))
}

func (r *projectResolver) Closed() bool              { return r.project.closed }
func (r *projectResolver) CreatedAt() dateTime       { return dateTime{r.project.created} }
func (r *projectResolver) Creator() *accountResolver { return r.session.actor(r.project.creator) }
func (r *projectResolver) DatabaseID() *int32        { return databaseID(r.project.id) }
func (r *projectResolver) FullDatabaseID() *bigInt   { return wide(r.project.id) }
func (r *projectResolver) Number() int32             { return int32(r.project.number) }
func (r *projectResolver) Public() bool              { return true }
func (r *projectResolver) Readme() *string           { return nil }
func (r *projectResolver) ResourcePath() uri         { return uri(r.project.path()) }
func (r *projectResolver) ShortDescription() *string { return text(r.project.description) }
func (r *projectResolver) Title() string             { return r.project.title }
func (r *projectResolver) UpdatedAt() dateTime       { return dateTime{r.project.updated} }
func (r *projectResolver) URL() uri                  { return uri(webURL + r.project.path()) }
func (r *projectResolver) ViewerCanClose() bool      { return r.session.mayPlan(r.project) }
func (r *projectResolver) ViewerCanReopen() bool     { return r.session.mayPlan(r.project) }
func (r *projectResolver) ViewerCanUpdate() bool     { return r.session.mayPlan(r.project) }
func (r *projectResolver) Owner() *accountResolver {
	return r.session.actor(r.project.repository.owner)
}

func (r *projectResolver) ClosedAt() *dateTime {
	if !r.project.closed {
		return nil
	}
	return instant(r.project.updated)
}

// mayPlan reports whether the viewer may change a project.
func (s *session) mayPlan(p *project) bool { return s.may(p.repository, permissionWrite) }

func (p *project) path() string {
	return fmt.Sprintf("/orgs/%s/projects/%d", p.repository.owner.login, p.number)
}

// nameArgs name a field.
type nameArgs struct{ Name string }

func (r *projectResolver) Field(args nameArgs) *fieldResolver {
	if f := r.project.field(args.Name); f != nil {
		return r.session.field(f)
	}
	return nil
}

// orderedArgs are the arguments of lists that are in one order only.
type orderedArgs struct {
	pageArgs
	OrderBy *labelOrder
}

func (r *projectResolver) Fields(ctx context.Context, args orderedArgs) (*connection[*fieldResolver], error) {
	return paginateList(ctx, "fields", args.pageArgs, r.project.fields, r.session.field)
}

func (r *projectResolver) Items(ctx context.Context, args orderedArgs) (*connection[*itemResolver], error) {
	return paginateList(ctx, "items", args.pageArgs, r.project.items, r.session.item)
}

// fieldResolver is a field of any kind.
type fieldResolver struct {
	session *session
	field   *projectField
}

func (s *session) field(f *projectField) *fieldResolver { return &fieldResolver{s, f} }

func (r *fieldResolver) ToProjectV2Field() (*fieldResolver, bool) { return r, r.is(kindField) }
func (r *fieldResolver) ToProjectV2SingleSelectField() (*fieldResolver, bool) {
	return r, r.is(kindSelect)
}
func (r *fieldResolver) ToProjectV2IterationField() (*fieldResolver, bool) {
	return r, r.is(kindIteration)
}

func (r *fieldResolver) is(kind idKind) bool { return r != nil && r.field.idKind() == kind }

func (r *fieldResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(r.field.idKind(), r.field.project.repository.id, r.field.id))
}

func (r *fieldResolver) CreatedAt() dateTime       { return dateTime{r.field.project.created} }
func (r *fieldResolver) DataType() string          { return r.field.Type }
func (r *fieldResolver) DatabaseID() *int32        { return databaseID(r.field.id) }
func (r *fieldResolver) Name() string              { return r.field.Name }
func (r *fieldResolver) Project() *projectResolver { return r.session.project(r.field.project) }
func (r *fieldResolver) UpdatedAt() dateTime       { return dateTime{r.field.project.created} }

// option is a ProjectV2SingleSelectFieldOption.
type option struct{ Color, Description, ID, Name string }

func (r *fieldResolver) Options(args struct{ Names *[]string }) []*option {
	options := []*option{}
	for _, o := range r.field.Options {
		if args.Names == nil || slices.Contains(*args.Names, o.Name) {
			options = append(options, &option{o.Color, o.Description, o.ID, o.Name})
		}
	}
	return options
}

// iteration is a ProjectV2IterationFieldIteration.
type iteration struct {
	Duration  int32
	ID, Title string
	StartDate date
}

// iterationSettings is a ProjectV2IterationFieldConfiguration.
type iterationSettings struct {
	CompletedIterations, Iterations []*iteration
	Duration, StartDay              int32
}

func (r *fieldResolver) Configuration() *iterationSettings {
	out := &iterationSettings{CompletedIterations: []*iteration{}, Iterations: []*iteration{}, Duration: 14, StartDay: 1}
	for _, i := range r.field.Iterations {
		made := &iteration{Duration: int32(i.Days), ID: i.ID, Title: i.Title, StartDate: date(i.Start)}
		if i.Completed {
			out.CompletedIterations = append(out.CompletedIterations, made)
		} else {
			out.Iterations = append(out.Iterations, made)
		}
	}
	return out
}

type itemResolver struct {
	session *session
	item    *projectItem
}

func (s *session) item(i *projectItem) *itemResolver { return &itemResolver{s, i} }

func (r *itemResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(kindItem, r.item.project.repository.id, r.item.id))
}

func (r *itemResolver) Content() *object          { return r.session.object(r.item.content) }
func (r *itemResolver) CreatedAt() dateTime       { return dateTime{r.item.created} }
func (r *itemResolver) Creator() *accountResolver { return r.session.actor(r.item.creator) }
func (r *itemResolver) DatabaseID() *int32        { return databaseID(r.item.id) }
func (r *itemResolver) FullDatabaseID() *bigInt   { return wide(r.item.id) }
func (r *itemResolver) IsArchived() bool          { return false }
func (r *itemResolver) Project() *projectResolver { return r.session.project(r.item.project) }
func (r *itemResolver) UpdatedAt() dateTime       { return dateTime{r.item.updated} }

func (r *itemResolver) Type() string {
	if r.item.content.isPull() {
		return "PULL_REQUEST"
	}
	return "ISSUE"
}

func (r *itemResolver) FieldValueByName(args nameArgs) *valueResolver {
	f := r.item.project.field(args.Name)
	if f == nil {
		return nil
	}
	if _, set := r.item.values[f]; !set && f.Type != "TITLE" {
		return nil
	}
	return &valueResolver{r.session, r.item, f}
}

// FieldValues has the fields that are set, in the order of the project.
func (r *itemResolver) FieldValues(ctx context.Context, args orderedArgs) (*connection[*valueResolver], error) {
	var set []*projectField
	for _, f := range r.item.project.fields {
		if _, known := r.item.values[f]; known || f.Type == "TITLE" {
			set = append(set, f)
		}
	}
	return paginateList(ctx, "fieldValues", args.pageArgs, set, func(f *projectField) *valueResolver {
		return &valueResolver{r.session, r.item, f}
	})
}

// valueResolver is the value of a field of any type; as on GitHub, the title
// is a text field's.
type valueResolver struct {
	session *session
	item    *projectItem
	field   *projectField
}

func (r *valueResolver) ToProjectV2ItemFieldTextValue() (*valueResolver, bool) {
	return r, r.field.Type == "TEXT" || r.field.Type == "TITLE"
}
func (r *valueResolver) ToProjectV2ItemFieldNumberValue() (*valueResolver, bool) {
	return r, r.field.Type == "NUMBER"
}
func (r *valueResolver) ToProjectV2ItemFieldDateValue() (*valueResolver, bool) {
	return r, r.field.Type == "DATE"
}
func (r *valueResolver) ToProjectV2ItemFieldSingleSelectValue() (*selectValue, bool) {
	return &selectValue{r}, r.field.Type == "SINGLE_SELECT"
}
func (r *valueResolver) ToProjectV2ItemFieldIterationValue() (*iterationValue, bool) {
	return &iterationValue{r}, r.field.Type == "ITERATION"
}

func (r *valueResolver) ID() graphql.ID {
	return graphql.ID(newNodeID(idKind{prefix: "PVTFV"}, r.item.id, r.field.id))
}

func (r *valueResolver) value() string { return r.item.values[r.field] }

func (r *valueResolver) CreatedAt() dateTime       { return dateTime{r.item.created} }
func (r *valueResolver) Creator() *accountResolver { return r.session.actor(r.item.creator) }
func (r *valueResolver) DatabaseID() *int32        { return databaseID(r.field.id) }
func (r *valueResolver) Field() *fieldResolver     { return r.session.field(r.field) }
func (r *valueResolver) Item() *itemResolver       { return r.session.item(r.item) }
func (r *valueResolver) UpdatedAt() dateTime       { return dateTime{r.item.updated} }

func (r *valueResolver) Date() *date {
	day := date(r.value())
	return &day
}

func (r *valueResolver) Number() (*float64, error) {
	number, err := strconv.ParseFloat(r.value(), 64)
	return &number, err
}

func (r *valueResolver) Text() *string {
	if r.field.Type == "TITLE" {
		return &r.item.content.title
	}
	return text(r.value())
}

// selectValue is the value of a SINGLE_SELECT field.
type selectValue struct{ *valueResolver }

func (r *selectValue) chosen() fixtures.Option {
	for _, o := range r.field.Options {
		if o.ID == r.value() {
			return o
		}
	}
	return fixtures.Option{Color: "GRAY"}
}

func (r *selectValue) Color() string        { return r.chosen().Color }
func (r *selectValue) Description() *string { return text(r.chosen().Description) }
func (r *selectValue) Name() *string        { return text(r.chosen().Name) }
func (r *selectValue) OptionID() *string    { return text(r.value()) }

// iterationValue is the value of an ITERATION field.
type iterationValue struct{ *valueResolver }

func (r *iterationValue) chosen() fixtures.Iteration {
	for _, i := range r.field.Iterations {
		if i.ID == r.value() {
			return i
		}
	}
	return fixtures.Iteration{Start: "1970-01-01"}
}

func (r *iterationValue) Duration() int32     { return int32(r.chosen().Days) }
func (r *iterationValue) IterationID() string { return r.value() }
func (r *iterationValue) StartDate() date     { return date(r.chosen().Start) }
func (r *iterationValue) Title() string       { return r.chosen().Title }
