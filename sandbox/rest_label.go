package sandbox

import (
	"net/http"
	"slices"
)

func (c *restCall) labels() answer {
	return list(c, c.page(30, 100), c.repository.labels, restLabel)
}

// inLabel is the label that the path names.
func (c *restCall) inLabel() *label { return c.repository.labelNamed(c.request.PathValue("name")) }

func (c *restCall) oneLabel() answer {
	if l := c.inLabel(); l != nil {
		return object200(restLabel(l))
	}
	return missing()
}

func (c *restCall) createLabel() answer {
	var in struct{ Name, Color, Description string }
	if c.read(&in) != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	if !c.may(c.repository, permissionWrite) {
		return missing()
	}
	made, err := c.addLabel(c.repository, in.Name, in.Color, in.Description)
	if err != nil {
		return refused(err)
	}
	return created(restLabel(made))
}

func (c *restCall) changeLabel() answer {
	var in struct {
		NewName     *string `json:"new_name"`
		Color       *string
		Description *string
	}
	l := c.inLabel()
	if c.read(&in) != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	if l == nil || !c.may(c.repository, permissionWrite) {
		return missing()
	}
	if err := l.change(in.NewName, in.Color, in.Description); err != nil {
		return refused(err)
	}
	return object200(restLabel(l))
}

func (c *restCall) deleteLabel() answer {
	l := c.inLabel()
	if l == nil || !c.may(c.repository, permissionWrite) {
		return missing()
	}
	l.delete()
	return noContent()
}

func (c *restCall) issueLabels() answer {
	return list(c, c.page(30, 100), c.issue.labels, restLabel)
}

func (c *restCall) addIssueLabels() answer {
	return c.relabel(func(old, named []*label) []*label {
		for _, l := range named {
			if !slices.Contains(old, l) {
				old = append(old, l)
			}
		}
		return old
	})
}

func (c *restCall) setIssueLabels() answer {
	return c.relabel(func(_, named []*label) []*label { return named })
}

// relabel changes the issue's labels to what becomes of them and those named
// in the body: {"labels": […]} or the list alone.
func (c *restCall) relabel(change func(old, named []*label) []*label) answer {
	var in struct{ Labels []string }
	if c.read(&in) != nil && c.read(&in.Labels) != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	if !c.mayTriage(c.repository) {
		return missing()
	}
	named, err := c.labelsNamed(in.Labels)
	if err != nil {
		return refused(err)
	}
	c.issue.labels, c.issue.updated = change(slices.Clone(c.issue.labels), named), c.store.now()
	return c.issueLabels()
}

func (c *restCall) removeIssueLabel() answer {
	l := c.inLabel()
	if !c.mayTriage(c.repository) {
		return missing()
	}
	if l == nil || !slices.Contains(c.issue.labels, l) {
		return problem(http.StatusNotFound, "Label does not exist")
	}
	c.issue.labels, c.issue.updated = without(c.issue.labels, l), c.store.now()
	return c.issueLabels()
}
