package issue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/resolve"
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
}

// wireLabelable is something that has labels.
type wireLabelable struct {
	ID     string
	Labels *struct {
		Nodes []struct {
			ID   string
			Name string
		}
	} `graphql:"labels(first: 100)"`
}

// labels are the names of its labels, with their ids.
func (w wireLabelable) labels() (names []string, ids map[string]string) {
	names, ids = []string{}, map[string]string{}
	if w.Labels != nil {
		for _, label := range w.Labels.Nodes {
			names = append(names, label.Name)
			ids[strings.ToLower(label.Name)] = label.ID
		}
	}
	return names, ids
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
	known, err := s.labelIDs(ctx, repo, req, subject)
	if err != nil {
		return nil, err
	}
	if err := s.changeLabels(ctx, req, subject, known); fault.Is(err, fault.OutcomeUnknown) {
		after, look := s.labelable(ctx, repo, field, number)
		if look == nil && req.isDone(after) {
			return req.result(number, after), nil
		}
		return nil, err
	} else if err != nil {
		return nil, explainLabels(err, repo)
	}
	after, err := s.labelable(ctx, repo, field, number)
	if err != nil {
		return nil, err
	}
	return req.result(number, after), nil
}

// subject is how the query reaches what is to be labelled.
func (r LabelsRequest) subject() (field string, number int, err error) {
	switch {
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
func (s *Service) labelable(ctx context.Context, repo ref.Repo, field string, number int) (wireLabelable, error) {
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
		return wireLabelable{}, err
	}
	if found() == nil {
		return wireLabelable{}, notes.Fault("repository", fault.New(fault.NotFound, "%s has no #%d of that kind", repo, number).
			WithFix("Check the number; list_discussions and list_issues show them."))
	}
	labelable := found().Labelable
	labelable.ID = found().Node.ID
	return labelable, nil
}

// labelIDs are the ids of the labels in the request. Labels to be removed that
// the subject does not have are left out; any other unknown label is
// INVALID_LABEL, before anything is changed.
func (s *Service) labelIDs(ctx context.Context, repo ref.Repo, req LabelsRequest, subject wireLabelable) ([]string, error) {
	_, has := subject.labels()
	ids := []string{}
	var known map[string]string
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
			if id, ok = known[strings.ToLower(name)]; !ok {
				return nil, unknownLabel(repo, name, known)
			}
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func unknownLabel(repo ref.Repo, name string, known map[string]string) error {
	names := slices.Sorted(maps.Keys(known))
	return fault.New(fault.InvalidLabel, "%s has no label %q", repo, name).
		WithFix("list_labels shows all %d; manage_label creates one.", len(names)).
		With("argument", "labels").With("available", names[:min(len(names), 30)])
}

// repositoryLabels are the ids of all labels of the repository by their names
// in lower case.
func (s *Service) repositoryLabels(ctx context.Context, repo ref.Repo) (map[string]string, error) {
	type label struct{ ID, Name string }
	all := map[string]string{}
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
		all[strings.ToLower(label.Name)] = label.ID
	}
	return all, nil
}

// changeLabels carries out the change. What is there already, or gone already,
// is left alone, so a call that changes nothing writes nothing. set adds first
// and removes then: if it stops half way, no label that was wanted is missing.
func (s *Service) changeLabels(ctx context.Context, req LabelsRequest, subject wireLabelable, wanted []string) error {
	_, has := subject.labels()
	present := slices.Collect(maps.Values(has))
	var add, remove []string
	if req.Action != "remove" {
		add = without(wanted, present)
	}
	switch req.Action {
	case "remove":
		remove = wanted
	case "set":
		remove = without(present, wanted)
	}
	if len(add) > 0 {
		input := githubv4.AddLabelsToLabelableInput{LabelableID: githubv4.ID(subject.ID), LabelIDs: githubIDs(add)}
		if err := s.mutate(ctx, "addLabelsToLabelable", input); err != nil {
			return err
		}
	}
	if len(remove) > 0 {
		input := githubv4.RemoveLabelsFromLabelableInput{LabelableID: githubv4.ID(subject.ID), LabelIDs: githubIDs(remove)}
		return s.mutate(ctx, "removeLabelsFromLabelable", input)
	}
	return nil
}

func (s *Service) mutate(ctx context.Context, field string, input githubv4.Input) error {
	mutation, found := graphql.Field[struct{ ClientMutationID *string }](field + "(input: $input)")
	notes, err := s.opts.GraphQL.Mutate(ctx, strings.ToUpper(field[:1])+field[1:], mutation, input, nil)
	if err == nil && found() == nil {
		return notes.Fault(field, fault.New(fault.UpstreamError, "GitHub took the change but did not answer with it").
			WithFix("Read the issue or discussion before you repeat the call."))
	}
	return err
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

// isDone reports whether the labels are as the request wants them.
func (r LabelsRequest) isDone(after wireLabelable) bool {
	_, has := after.labels()
	for _, name := range r.Labels {
		if _, ok := has[strings.ToLower(name)]; ok == (r.Action == "remove") {
			return false
		}
	}
	return r.Action != "set" || len(has) == len(r.Labels)
}

func (r LabelsRequest) result(number int, after wireLabelable) *LabelsResult {
	names, _ := after.labels()
	done := map[string]string{"add": "Added labels to", "remove": "Removed labels from", "set": "Set the labels of"}[r.Action]
	return &LabelsResult{Message: fmt.Sprintf("%s #%d.", done, number), Number: number, Labels: names}
}

// explainLabels names the permission that a refused change needs.
func explainLabels(err error, repo ref.Repo) error {
	if !fault.Is(err, fault.Forbidden) {
		return err
	}
	return fault.New(fault.Forbidden, "this token may not label in %s: that needs triage permission", repo).
		WithFix("See get_viewer_permission for what the token may do; ask a maintainer for the rest.").
		With("githubSays", fault.From(err).Message).WithCause(err)
}

// VisitTexts shows the names of the labels, which the repository maintains.
func (r *LabelsResult) VisitTexts(visit func(trust.Text)) {
	for i := range r.Labels {
		visit(trust.Text{Field: "labels", At: "labels", Value: &r.Labels[i]})
	}
}

// SetContentTrust puts the summary of the projection into the answer.
func (r *LabelsResult) SetContentTrust(summary trust.ContentTrust) { r.ContentTrust = summary }
