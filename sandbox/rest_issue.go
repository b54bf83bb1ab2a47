package sandbox

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	graphql "github.com/graph-gophers/graphql-go"
)

func (c *restCall) restIssue(i *issue) map[string]any {
	labels := []any{}
	for _, l := range i.labels {
		labels = append(labels, restLabel(l))
	}
	state := "open"
	if !i.closed.IsZero() {
		state = "closed"
	}
	out := map[string]any{
		"id": i.id, "node_id": newNodeID(i.idKind(), i.repository.id, i.id), "number": i.number, "title": i.title, "body": text(i.body),
		"state": state, "state_reason": lowerOrNil(i.stateReason), "locked": i.locked, "active_lock_reason": lowerOrNil(i.lockReason),
		"user": restUserOf(i.author), "author_association": i.association, "html_url": webURL + i.path(), "comments": i.count(),
		"labels": labels, "assignees": restUsers(i.assignees), "milestone": restMilestone(i.milestone), "closed_by": restUserOf(i.closedBy),
		"created_at": restTime(i.created), "updated_at": restTime(i.updated), "closed_at": restTime(i.closed),
	}
	if i.isPull() {
		out["pull_request"] = map[string]any{"html_url": webURL + i.path(), "merged_at": restTime(i.pull.merged)}
	}
	if i.kind != nil {
		t := i.kind
		out["type"] = map[string]any{"id": t.id, "node_id": newNodeID(kindIssueType, t.repository.id, t.id), "name": t.name, "description": text(t.description)}
	}
	return out
}

func (c *restCall) oneIssue() answer { return object200(c.restIssue(c.issue)) }

// maxNumberedPage is the first page that GitHub refuses by number: from there
// on only cursors lead.
const maxNumberedPage = 100

func (c *restCall) issues() answer {
	query := c.request.URL.Query()
	page := c.page(30, 100)
	if page.number >= maxNumberedPage {
		return invalid("Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)")
	}
	filter, err := c.issueFilter(query)
	if err != nil {
		return refused(err)
	}
	found := slices.DeleteFunc(slices.Clone(c.repository.issues), func(i *issue) bool { return !filter(i) })
	order := restIssueOrder(query)
	found = order.sort(found)
	if after := query.Get("after"); after != "" {
		key, err := parseCursor(after)
		if err != nil {
			return invalid("The after cursor is invalid.")
		}
		found = slices.DeleteFunc(found, func(i *issue) bool { return order.compare(order.key(i), key) <= 0 })
	}
	out := list(c, page, found, c.restIssue)
	if shown := cut(page, found); len(shown) > 0 && page.number*page.size < len(found) {
		link := c.linkTo("next", "after", order.key(shown[len(shown)-1]).cursor())
		out.header.Set("Link", link)
	}
	return out
}

func restIssueOrder(query url.Values) ordering[*issue] {
	by := &labelOrder{Field: "CREATED_AT", Direction: "DESC"}
	switch query.Get("sort") {
	case "updated":
		by.Field = "UPDATED_AT"
	case "comments":
		by.Field = "COMMENTS"
	}
	if query.Get("direction") == "asc" {
		by.Direction = "ASC"
	}
	return issueOrder(by)
}

// issueFilter is what the parameters say; labels are all of.
func (c *restCall) issueFilter(query url.Values) (func(*issue) bool, error) {
	f := issueFilters{States: &[]string{"OPEN"}}
	switch query.Get("state") {
	case "closed":
		f.States = &[]string{"CLOSED", "MERGED"}
	case "all":
		f.States = nil
	}
	if creator := query.Get("creator"); creator != "" {
		f.CreatedBy = &creator
	}
	f.Assignee, f.Milestone = restWanted(query.Get("assignee")), restWanted(query.Get("milestone"))
	if since := query.Get("since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return nil, unprocessable("Validation Failed: since is not a time")
		}
		f.Since = &dateTime{at}
	}
	return func(i *issue) bool {
		for name := range strings.SplitSeq(query.Get("labels"), ",") {
			if name != "" && !i.hasLabel(&[]string{name}) {
				return false
			}
		}
		return c.passes(i, f)
	}, nil
}

// restWanted reads a filter: "none" is null, "*" anything.
func restWanted(value string) graphql.NullString {
	switch value {
	case "":
		return graphql.NullString{}
	case "none":
		return graphql.NullString{Set: true}
	}
	return graphql.NullString{Set: true, Value: &value}
}

// restChange is the body of POST and PATCH; a field that is absent stays, and
// null takes away.
type restChange struct {
	Title, Body *string
	State       string
	StateReason string `json:"state_reason"`
	Labels      *[]string
	Assignees   *[]string
	Milestone   nullable[int]
	Type        nullable[string]
}

// nullable tells null from absent.
type nullable[T any] struct {
	set   bool
	value *T // nil: null
}

func (n *nullable[T]) UnmarshalJSON(raw []byte) error {
	n.set = true
	return json.Unmarshal(raw, &n.value)
}

func (c *restCall) change(in restChange) (change, error) {
	out := change{title: in.Title, body: in.Body}
	if in.Labels != nil {
		labels, err := c.labelsNamed(*in.Labels)
		if err != nil {
			return out, err
		}
		out.labels = &labels
	}
	if in.Assignees != nil {
		people := []*account{}
		for _, login := range *in.Assignees {
			people = append(people, c.store.account(login)) // strangers are left out later, without a word
		}
		out.assignees = &people
	}
	if in.Milestone.set {
		out.milestone = &optional[*milestone]{}
		if number := in.Milestone.value; number != nil {
			if out.milestone.value = c.repository.milestoneNumbered(*number); out.milestone.value == nil {
				return out, unprocessable("Validation Failed: milestone %d does not exist", *number)
			}
		}
	}
	if in.Type.set {
		out.kind = &optional[*issueType]{}
		if name := in.Type.value; name != nil {
			if out.kind.value = c.repository.issueTypeNamed(*name); out.kind.value == nil {
				return out, unprocessable("Validation Failed: type %s does not exist", *name)
			}
		}
	}
	return out, nil
}

// labelsNamed finds labels; as on GitHub, one that does not exist is made.
func (c *restCall) labelsNamed(names []string) ([]*label, error) {
	labels := []*label{}
	for _, name := range names {
		l := c.repository.labelNamed(name)
		if l == nil {
			made, err := c.addLabel(c.repository, name, "ededed", "")
			if err != nil {
				return nil, err
			}
			l = made
		}
		labels = append(labels, l)
	}
	return labels, nil
}

func (c *restCall) createIssue() answer {
	var in restChange
	if c.read(&in) != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	if in.Title == nil {
		return invalid("Validation Failed: title is missing")
	}
	if err := checkTitle(*in.Title); err != nil {
		return refused(err)
	}
	if !c.mayTriage(c.repository) {
		in = restChange{Title: in.Title, Body: in.Body} // the rest is dropped without a word
	}
	change, err := c.change(in)
	if err != nil {
		return refused(err)
	}
	i := c.newIssue(c.repository, *in.Title)
	c.apply(i, change, i.created)
	i.edited, i.editor = noTime, nil
	return created(c.restIssue(i))
}

func (c *restCall) changeIssue() answer {
	var in restChange
	if c.read(&in) != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	change, err := c.change(in)
	if err != nil {
		return refused(err)
	}
	if !c.mayChange(c.issue, change) || in.State != "" && !c.mayClose(&c.issue.topic) {
		return missing()
	}
	if in.Title != nil {
		if err := checkTitle(*in.Title); err != nil {
			return refused(err)
		}
	}
	c.apply(c.issue, change, c.store.now())
	if in.State != "" && (in.State == "closed") == c.issue.closed.IsZero() {
		reason := "COMPLETED"
		if in.StateReason != "" {
			reason = strings.ToUpper(in.StateReason)
		}
		c.setClosed(c.issue, in.State == "closed", reason)
	}
	return c.oneIssue()
}

func (c *restCall) blockers() answer {
	return list(c, c.page(30, 100), c.issue.blockedBy, c.restIssue)
}

func (c *restCall) addBlocker() answer {
	var in struct {
		IssueID int64 `json:"issue_id"`
	}
	if c.read(&in) != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	return c.block(in.IssueID, true)
}

func (c *restCall) removeBlocker() answer {
	number, err := atoi(c.request.PathValue("id"))
	if err != nil {
		return missing()
	}
	return c.block(int64(number), false)
}

// block adds or removes a blocker by its database id.
func (c *restCall) block(id int64, add bool) answer {
	blocker, _ := first(c.repository.issues, func(i *issue) bool { return i.id == id }).(*issue)
	if blocker == nil || !c.mayTriage(c.repository) {
		return missing()
	}
	already := slices.Contains(c.issue.blockedBy, blocker)
	switch {
	case add && (already || blocker == c.issue):
		return invalid("Validation Failed: Target issue has already been taken")
	case add:
		c.issue.blockedBy, blocker.blocking = append(c.issue.blockedBy, blocker), append(blocker.blocking, c.issue)
		return created(c.restIssue(blocker))
	case !already:
		return missing()
	}
	c.issue.blockedBy, blocker.blocking = without(c.issue.blockedBy, blocker), without(blocker.blocking, c.issue)
	return object200(c.restIssue(blocker))
}
