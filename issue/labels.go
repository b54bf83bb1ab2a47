package issue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/contract"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
	"github.com/github-workflow-mcp/github-workflow-mcp/trust"
)

// LabelsRequest are the arguments of manage_issue_labels.
type LabelsRequest struct {
	Repo             *string  `json:"repo,omitempty"`
	IssueNumber      int      `json:"issue_number,omitempty"`
	DiscussionNumber int      `json:"discussion_number,omitempty"`
	Action           string   `json:"action"`
	Labels           []string `json:"labels"`
}

// LabelsResult are the labels as GitHub has them after the write.
type LabelsResult struct {
	Message      string             `json:"message"`
	Number       int                `json:"number"`
	Labels       []string           `json:"labels"`
	ContentTrust trust.ContentTrust `json:"contentTrust"`
	Warnings     []string           `json:"warnings,omitempty"`
}

// labelled is something that has labels.
type labelled struct {
	ID string
	wireLabelable
}

// wireLabelable is GitHub's Labelable, which has no id.
type wireLabelable struct {
	Labels *struct {
		Nodes []label
	} `graphql:"labels(first: 100)"`
}

// names are those of its labels.
func (w wireLabelable) names() []string {
	names := []string{}
	if w.Labels != nil {
		for _, label := range w.Labels.Nodes {
			names = append(names, label.Name)
		}
	}
	return names
}

// ids are those of its labels, by their names in lower case.
func (w wireLabelable) ids() map[string]string {
	ids := map[string]string{}
	if w.Labels != nil {
		for _, label := range w.Labels.Nodes {
			ids[strings.ToLower(label.Name)] = label.ID
		}
	}
	return ids
}

// ManageLabels adds, removes or sets the labels of an issue, a pull request or
// a discussion.
func (s *Service) ManageLabels(ctx context.Context, req LabelsRequest) (_ *LabelsResult, err error) {
	defer fault.Wrap(&err, "issue.ManageLabels(%s)", req.Action)
	repo, err := ref.Target(req.Repo, s.opts.Home)
	if err != nil {
		return nil, err
	}
	field, number, err := req.subject()
	if err != nil {
		return nil, err
	}
	subject, err := s.labelable(ctx, repo, field, number)
	if err != nil {
		return nil, err
	}
	wanted, err := s.labelIDs(ctx, repo, req, subject)
	if err != nil {
		return nil, err
	}
	change := relabelling{service: s, repo: repo, field: field, number: number, subject: subject}
	if err := change.carryOut(ctx, req.Action, wanted); err != nil {
		return nil, err
	}
	return change.result(req.Action), nil
}

// subject is how the query reaches what is to be labelled. It refuses
// arguments that do not fit together.
func (r LabelsRequest) subject() (field string, number int, err error) {
	switch {
	case len(r.Labels) == 0 && r.Action != "set":
		return "", 0, fault.New(fault.InvalidArguments, "labels is empty, so there is nothing to %s", r.Action).
			WithFix("Name the labels; action set with [] clears all.").With("argument", "labels")
	case r.IssueNumber != 0 && r.DiscussionNumber != 0:
		return "", 0, fault.New(fault.AmbiguousArguments, "issue_number and discussion_number are both given").
			WithFix("Pass one of them.")
	case r.DiscussionNumber != 0:
		return "discussion(number: $number)", r.DiscussionNumber, nil
	case r.IssueNumber != 0:
		return "issueOrPullRequest(number: $number)", r.IssueNumber, nil
	}
	return "", 0, fault.New(fault.MissingArguments, "neither issue_number nor discussion_number is given").
		WithFix("Pass the number of what is to be labelled.").With("argument", "issue_number")
}

// labelable reads what is to be labelled, with the labels it has.
func (s *Service) labelable(ctx context.Context, repo ref.Repo, field string, number int) (labelled, error) {
	query, found := graphql.Field[struct {
		Node struct {
			ID string
		} `graphql:"... on Node"`
		Labelable wireLabelable `graphql:"... on Labelable"`
	}]("repository(owner: $owner, name: $name)", field)
	notes, err := s.opts.GraphQL.Query(ctx, "Labelable", query, map[string]any{
		"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "number": githubv4.Int(number),
	})
	if err != nil {
		return labelled{}, err
	}
	if found() == nil {
		return labelled{}, notes.Fault("repository", fault.New(fault.NotFound, "%s has no #%d of that kind", repo, number).
			WithFix("Check the number; list_discussions and list_issues show them."))
	}
	return labelled{ID: found().Node.ID, wireLabelable: found().Labelable}, nil
}

// labelIDs are the ids of the labels in the request. Labels to be removed that
// the subject does not have are left out; any other unknown label is
// INVALID_LABEL, before anything is changed.
func (s *Service) labelIDs(ctx context.Context, repo ref.Repo, req LabelsRequest, subject labelled) ([]string, error) {
	has := subject.ids()
	ids := []string{}
	var known []label
	for _, name := range req.Labels {
		id, ok := has[strings.ToLower(name)]
		if !ok && req.Action == "remove" {
			continue
		}
		if !ok && known == nil {
			var err error
			if known, err = s.repositoryLabels(ctx, repo); err != nil {
				return nil, err
			}
		}
		if !ok {
			if id, ok = find(known, name); !ok {
				return nil, unknownLabel(repo, name, known)
			}
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func find(known []label, name string) (id string, ok bool) {
	for _, label := range known {
		if strings.EqualFold(label.Name, name) {
			return label.ID, true
		}
	}
	return "", false
}

// maxNamed is how many labels a refusal names.
const maxNamed = 30

func unknownLabel(repo ref.Repo, name string, known []label) error {
	names := make([]string, len(known))
	for i, label := range known {
		names[i] = label.Name
	}
	refusal := fault.New(fault.InvalidLabel, "%s has no label %q; nothing was changed", repo, name).
		WithFix("list_labels shows all %d.", len(names)).
		With("argument", "labels").With("available", names[:min(len(names), maxNamed)])
	if near := contract.Nearest(name, names); near != "" {
		refusal.WithFix("Did you mean %q? list_labels shows all %d.", near, len(names))
	}
	return refusal
}

// label is a label of a repository.
type label struct{ ID, Name string }

// repositoryLabels are all labels of the repository.
func (s *Service) repositoryLabels(ctx context.Context, repo ref.Repo) ([]label, error) {
	all := []label{}
	pages := graphql.Nodes(ctx, func(ctx context.Context, after *githubv4.String) (graphql.Page[label], error) {
		var query struct {
			Repository *struct {
				Labels *struct {
					PageInfo struct {
						HasNextPage bool
						EndCursor   githubv4.String
					}
					Nodes []label
				} `graphql:"labels(first: 100, after: $after)"`
			} `graphql:"repository(owner: $owner, name: $name)"`
		}
		notes, err := s.opts.GraphQL.Query(ctx, "RepositoryLabels", &query, map[string]any{
			"owner": githubv4.String(repo.Owner), "name": githubv4.String(repo.Name), "after": after,
		})
		if err != nil {
			return graphql.Page[label]{}, err
		}
		if query.Repository == nil {
			return graphql.Page[label]{}, notes.Fault("repository", resolve.NoRepository(repo))
		}
		if query.Repository.Labels == nil {
			return graphql.Page[label]{}, notes.Fault("repository.labels", nil)
		}
		labels := query.Repository.Labels
		return graphql.Page[label]{Nodes: labels.Nodes, Cursor: labels.PageInfo.EndCursor, More: labels.PageInfo.HasNextPage}, nil
	})
	for label, err := range pages {
		if err != nil {
			return nil, err
		}
		all = append(all, label)
	}
	return all, nil
}

// relabelling is a change of labels under way.
type relabelling struct {
	service *Service
	repo    ref.Repo
	field   string // of the query for the subject
	number  int
	subject labelled // as GitHub last told it

	wrote    bool
	warnings []string
}

// carryOut makes the change. What is there already, or gone already, is left
// alone, so a call that changes nothing writes nothing. set adds first and
// removes then: if it stops half way, no label that was wanted is missing.
func (r *relabelling) carryOut(ctx context.Context, action string, wanted []string) error {
	present := slices.Collect(maps.Values(r.subject.ids()))
	var add, remove []string
	if action != "remove" {
		add = without(wanted, present)
	}
	switch action {
	case "remove":
		remove = wanted
	case "set":
		remove = without(present, wanted)
	}
	if len(add) > 0 {
		input := githubv4.AddLabelsToLabelableInput{LabelableID: githubv4.ID(r.subject.ID), LabelIDs: githubIDs(add)}
		if err := r.step(ctx, "addLabelsToLabelable", input, func(has []string) bool { return len(without(add, has)) == 0 }); err != nil {
			return err
		}
	}
	if len(remove) > 0 {
		input := githubv4.RemoveLabelsFromLabelableInput{LabelableID: githubv4.ID(r.subject.ID), LabelIDs: githubIDs(remove)}
		return r.step(ctx, "removeLabelsFromLabelable", input, func(has []string) bool { return len(without(remove, has)) == len(remove) })
	}
	return nil
}

// step makes one write, of which GitHub answers with the labels after it.
// Where that answer is lost, it looks whether the write is done.
func (r *relabelling) step(ctx context.Context, field string, input githubv4.Input, done func(has []string) bool) error {
	r.wrote = true
	after, err := r.service.relabel(ctx, field, input)
	if fault.Is(err, fault.OutcomeUnknown) {
		found, look := r.service.labelable(ctx, r.repo, r.field, r.number)
		if look != nil || !done(slices.Collect(maps.Values(found.ids()))) {
			return unknownOutcome(err, look)
		}
		r.warnings = append(r.warnings, "GitHub's answer was lost on the way; the labels are as the call wanted them")
		after, err = &found.wireLabelable, nil
	}
	if err != nil {
		return explainLabels(err, r.repo)
	}
	r.subject.Labels = after.Labels
	return nil
}

// unknownOutcome is the fault for a write that was sent, of which nothing was
// found.
func unknownOutcome(lost, look error) error {
	err := fault.New(fault.OutcomeUnknown, "the change was sent, GitHub's answer was lost, and the labels are as before (yet)").
		WithFix("Read the issue or discussion, and repeat the call: what is done already is not done again.").WithCause(lost)
	if look != nil {
		err.Message = "the change was sent, GitHub's answer was lost, and looking for it failed"
		err.Cause = fmt.Errorf("%w; then: %w", lost, look)
	}
	return err
}

func (r *relabelling) result(action string) *LabelsResult {
	message := fmt.Sprintf("Nothing to do: the labels of #%d are that already.", r.number)
	if r.wrote {
		done := map[string]string{"add": "Added labels to", "remove": "Removed labels from", "set": "Set the labels of"}[action]
		message = fmt.Sprintf("%s #%d.", done, r.number)
	}
	return &LabelsResult{Message: message, Number: r.number, Labels: r.subject.names(), Warnings: r.warnings}
}

// relabel is a write that GitHub answers with the labels after it.
func (s *Service) relabel(ctx context.Context, field string, input githubv4.Input) (*wireLabelable, error) {
	mutation, found := graphql.Field[wireLabelable](field+"(input: $input)", "labelable")
	notes, err := s.opts.GraphQL.Mutate(ctx, strings.ToUpper(field[:1])+field[1:], mutation, input, nil)
	if err == nil && found() == nil {
		err = notes.Fault(field, unanswered())
	}
	return found(), err
}

// mutate is a write of which only the success is of interest.
func (s *Service) mutate(ctx context.Context, field string, input githubv4.Input) error {
	mutation, found := graphql.Field[struct{ ClientMutationID *string }](field + "(input: $input)")
	notes, err := s.opts.GraphQL.Mutate(ctx, strings.ToUpper(field[:1])+field[1:], mutation, input, nil)
	if err == nil && found() == nil {
		err = notes.Fault(field, unanswered())
	}
	return err
}

func unanswered() *fault.Error {
	return fault.New(fault.OutcomeUnknown, "GitHub took the change but did not answer with it").
		WithFix("Read the issue or discussion before you repeat the call.")
}

func without(ids, others []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(others, id) })
}

func githubIDs(ids []string) []githubv4.ID {
	all := make([]githubv4.ID, len(ids))
	for i, id := range ids {
		all[i] = githubv4.ID(id)
	}
	return all
}

// explainLabels names the permission that a refused change needs.
func explainLabels(err error, repo ref.Repo) error {
	return transport.MayNot(err, "label in %s: that needs triage permission", repo)
}

// VisitTexts shows the names of the labels, which the repository maintains.
func (r *LabelsResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.Labels {
		visit(trust.Text{Field: "labels", At: "labels", Value: &r.Labels[i]})
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (r *LabelsResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
