package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// restCall is a REST call about a repository that the viewer can see.
type restCall struct {
	*session
	exchange   *exchange
	request    *http.Request
	repository *repository
	issue      *issue // of calls that name one
}

// inRepository answers 404 unless the viewer can see the repository.
func inRepository(handle func(*restCall) answer) func(*exchange, *http.Request) answer {
	return func(x *exchange, r *http.Request) answer {
		c := &restCall{
			session: &session{store: x.sandbox.store, viewer: x.viewer, nextIDs: true}, exchange: x, request: r,
			repository: x.sandbox.store.repository(r.PathValue("owner"), r.PathValue("repo")),
		}
		if !c.visible(c.repository) {
			return missing()
		}
		return handle(c)
	}
}

// inIssue answers 404 unless there is such an issue or pull request.
func inIssue(handle func(*restCall) answer) func(*exchange, *http.Request) answer {
	return inRepository(func(c *restCall) answer {
		number, err := atoi(c.request.PathValue("number"))
		if c.issue = c.repository.issue(number); err != nil || c.issue == nil {
			return missing()
		}
		return handle(c)
	})
}

// inPull answers 404 unless there is such a pull request.
func inPull(handle func(*restCall) answer) func(*exchange, *http.Request) answer {
	return inIssue(func(c *restCall) answer {
		if !c.issue.isPull() {
			return missing()
		}
		return handle(c)
	})
}

func missing() answer { return problem(http.StatusNotFound, "Not Found") }

// invalid is GitHub's 422.
func invalid(message string) answer { return problem(http.StatusUnprocessableEntity, message) }

// refused is the REST form of a GraphQL error.
func refused(err error) answer {
	var typed *apiError
	if errors.As(err, &typed) && typed.kind == "UNPROCESSABLE" {
		return invalid(typed.message)
	}
	return missing() // GitHub also hides a missing right behind a 404
}

// read decodes the body.
func (c *restCall) read(into any) error {
	return json.Unmarshal(c.exchange.body, into)
}

// created is a JSON answer with status 201.
func created(value any) answer {
	out := object200(value)
	out.status = http.StatusCreated
	return out
}

func noContent() answer { return answer{status: http.StatusNoContent, header: http.Header{}} }

// restTime is null for the zero time.
func restTime(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}

// restPage is what a client asks of a list.
type restPage struct{ number, size int }

// page reads page and per_page; GitHub takes nonsense for the default.
func (c *restCall) page(size, most int) restPage {
	query := c.request.URL.Query()
	page := restPage{number: 1, size: size}
	if number, err := atoi(query.Get("page")); err == nil && number > 0 {
		page.number = number
	}
	if size, err := atoi(query.Get("per_page")); err == nil && size > 0 {
		page.size = min(size, most)
	}
	return page
}

// cut is the page of a list.
func cut[T any](page restPage, things []T) []T {
	from := min((page.number-1)*page.size, len(things))
	return things[from:min(from+page.size, len(things))]
}

// link is GitHub's Link header for a list of so many things; "" when one page
// holds them all.
func (c *restCall) link(page restPage, total int) string {
	last := (total + page.size - 1) / page.size
	var links []string
	add := func(rel string, number int, there bool) {
		if there {
			links = append(links, c.linkTo(rel, "page", itoa(number)))
		}
	}
	add("prev", page.number-1, page.number > 1)
	add("next", page.number+1, page.number < last)
	add("last", last, page.number < last)
	add("first", 1, page.number > 1)
	return strings.Join(links, ", ")
}

// linkTo is one link: the request's own address with another page.
func (c *restCall) linkTo(rel, parameter, value string) string {
	query := c.request.URL.Query()
	for _, name := range []string{"page", "after", "before"} {
		query.Del(name)
	}
	query.Set(parameter, value)
	address := url.URL{Scheme: "http", Host: c.request.Host, Path: c.exchange.request.URL.Path, RawQuery: query.Encode()}
	return fmt.Sprintf(`<%s>; rel="%s"`, address.String(), rel)
}

// list answers a page of a list.
func list[T, N any](c *restCall, page restPage, things []T, show func(T) N) answer {
	rows := make([]N, 0, page.size)
	for _, thing := range cut(page, things) {
		rows = append(rows, show(thing))
	}
	out := object200(rows)
	if link := c.link(page, len(things)); link != "" {
		out.header.Set("Link", link)
	}
	return out
}

// restUserOf is null for an account that is gone.
func restUserOf(a *account) any {
	if a == nil {
		return nil
	}
	return restAccount(a)
}

func restUsers(accounts []*account) []any {
	users := []any{}
	for _, a := range accounts {
		if a != nil {
			users = append(users, restAccount(a))
		}
	}
	return users
}

func restLabel(l *label) any {
	return map[string]any{
		"id": l.id, "node_id": newNodeID(kindLabel, l.repository.id, l.id), "name": l.name, "color": l.color,
		"description": text(l.description), "default": slices.Contains(defaultLabels, l.name),
	}
}

func restMilestone(m *milestone) any {
	if m == nil {
		return nil
	}
	return map[string]any{
		"id": m.id, "node_id": newNodeID(kindMilestone, m.repository.id, m.id), "number": m.number, "title": m.title,
		"description": text(m.description), "state": strings.ToLower(m.state()), "html_url": webURL + m.path(),
		"due_on": restTime(m.due), "created_at": restTime(m.created), "closed_at": restTime(m.closed),
	}
}

// lowerOrNil is null for "".
func lowerOrNil(value string) any {
	if value == "" {
		return nil
	}
	return strings.ToLower(value)
}
