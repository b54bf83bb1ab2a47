package discussion_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/fixtures"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// categoryNames are those of the sample repository, from its text.
func categoryNames(t *testing.T) []string {
	t.Helper()
	repository, err := fixtures.Load()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, category := range repository.Categories {
		names = append(names, category.Name)
	}
	return names
}

// TestDiscussionsAreOpened in the category that was named, whatever the
// spelling, as they were written.
func TestDiscussionsAreOpened(t *testing.T) {
	h := open(t)
	const title, body = `A <bound> & "more"`, "line\r\n  two\n"
	for given, want := range map[string]string{
		"Ideas": "Ideas", "q-a": "Q&A", "Q&A": "Q&A", "q&a": "Q&A", "SHOW-AND-TELL": "Show and tell", "show and tell": "Show and tell",
	} {
		created, err := h.Create(context.Background(), discussion.CreateRequest{Title: title, Body: body, Category: given})
		if err != nil {
			t.Errorf("category %q: %v", given, err)
			continue
		}
		got := h.read(discussion.ConversationRequest{DiscussionNumber: created.DiscussionNumber})
		if got.Title != title || *got.Body != body || got.Category.Name != want || got.Author.Login != "octo-admin" {
			t.Errorf("category %q: GitHub has %s", given, show(got))
		}
		if got.ID != created.ID || got.URL != created.URL || !got.CreatedAt.Equal(created.CreatedAt) {
			t.Errorf("category %q: answered %s\nGitHub has %s", given, show(created), show(got))
		}
	}
}

func TestDiscussionsAreNotOpened(t *testing.T) {
	h := open(t)
	valid := discussion.CreateRequest{Title: "t", Body: "b", Category: "Ideas"}
	with := func(change func(*discussion.CreateRequest)) discussion.CreateRequest {
		req := valid
		change(&req)
		return req
	}
	for name, test := range map[string]struct {
		req   discussion.CreateRequest
		code  fault.Code
		words []string
	}{
		"an unknown category":    {with(func(r *discussion.CreateRequest) { r.Category = "Idea" }), fault.InvalidCategory, categoryNames(t)},
		"a title of two lines":   {with(func(r *discussion.CreateRequest) { r.Title = "a\nb" }), fault.InvalidArguments, []string{"title", "line"}},
		"a blank title":          {with(func(r *discussion.CreateRequest) { r.Title = " \n" }), fault.InvalidArguments, []string{"title"}},
		"a blank body":           {with(func(r *discussion.CreateRequest) { r.Body = "\t" }), fault.InvalidArguments, []string{"body"}},
		"an unknown repository":  {with(func(r *discussion.CreateRequest) { r.Repo = ptr("octo-org/none") }), fault.NotFoundOrNoAccess, []string{"octo-org/none"}},
		"a malformed repository": {with(func(r *discussion.CreateRequest) { r.Repo = ptr("..") }), fault.RepositoryTargetInvalid, nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := h.writes()
			_, err := h.Create(context.Background(), test.req)
			for i, word := range test.words {
				test.words[i] = strings.Trim(show(word), `"`) // as JSON writes it
			}
			h.expectRefusal(err, before, test.code, test.words...)
		})
	}
}

// TestAnnouncementsAreForMaintainers: the refusal names what is missing.
func TestAnnouncementsAreForMaintainers(t *testing.T) {
	h := openAs(t, sandbox.StartTest(t, sandbox.Options{}), sandbox.WriteToken)
	_, err := h.Create(context.Background(), discussion.CreateRequest{Title: "t", Body: "b", Category: "announcements"})
	if !fault.Is(err, fault.Forbidden) || !strings.Contains(fault.From(err).Message, "maintain permission") {
		t.Errorf("error is %v", err)
	}
}

// TestEveryCategoryIsListed with what create_discussion takes.
func TestEveryCategoryIsListed(t *testing.T) {
	h := open(t)
	got, err := h.Categories(context.Background(), discussion.CategoriesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, category := range got.Categories {
		names = append(names, category.Name)
		if category.ID == "" || category.Slug == "" || category.IsAnswerable != (category.Slug == "q-a" || category.Slug == "support") {
			t.Errorf("category %+v", category)
		}
	}
	if diff := cmp.Diff(categoryNames(t), names); diff != "" || got.Count != 25 || *got.TotalCount != 25 || got.Truncated {
		t.Errorf("head %+v, names (-want +got):\n%s", got.Head, diff)
	}
	_, err = h.Categories(context.Background(), discussion.CategoriesRequest{Repo: ptr("octo-org/none")})
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != fault.NotFoundOrNoAccess {
		t.Errorf("of an unknown repository: %v", err)
	}
}
