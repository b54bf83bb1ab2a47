package sandbox

import (
	"fmt"

	graphql "github.com/graph-gophers/graphql-go"
)

// webURL is where the sandbox's things would be seen in a browser.
const webURL = "https://github.com"

// accountResolver is a User, a Bot, an Organization or a Mannequin.
type accountResolver struct {
	session *session
	account *account
}

// actor is an account as an Actor; a deleted one is null.
func (s *session) actor(a *account) *accountResolver {
	if a == nil {
		return nil
	}
	return &accountResolver{s, a}
}

func (r *accountResolver) ToUser() (*accountResolver, bool)         { return r, r.is("User") }
func (r *accountResolver) ToBot() (*accountResolver, bool)          { return r, r.is("Bot") }
func (r *accountResolver) ToOrganization() (*accountResolver, bool) { return r, r.is("Organization") }
func (r *accountResolver) ToMannequin() (*accountResolver, bool)    { return r, r.is("Mannequin") }

func (r *accountResolver) is(kind string) bool { return r != nil && r.account.kind == kind }

func (a *account) idKind() idKind {
	switch a.kind {
	case "Bot":
		return kindBot
	case "Organization":
		return kindOrganization
	case "Mannequin":
		return kindMannequin
	default:
		return kindUser
	}
}

func (a *account) path() string {
	if a.kind == "Bot" {
		return "/apps/" + a.login
	}
	return "/" + a.login
}

func (r *accountResolver) ID() graphql.ID {
	return graphql.ID(nodeID(r.account.idKind(), 0, r.account.id, accountsCreated, r.session.nextIDs))
}

func (r *accountResolver) AvatarURL(args struct{ Size *int32 }) uri {
	address := fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", r.account.id)
	if args.Size != nil {
		address += fmt.Sprintf("&s=%d", *args.Size)
	}
	return uri(address)
}

func (r *accountResolver) CreatedAt() dateTime { return dateTime{accountsCreated} }
func (r *accountResolver) UpdatedAt() dateTime { return dateTime{accountsCreated} }
func (r *accountResolver) DatabaseID() *int32  { return databaseID(r.account.id) }
func (r *accountResolver) Login() string       { return r.account.login }
func (r *accountResolver) Name() *string       { return text(r.account.name) }
func (r *accountResolver) IsViewer() bool      { return r.account == r.session.viewer }
func (r *accountResolver) ResourcePath() uri   { return uri(r.account.path()) }
func (r *accountResolver) URL() uri            { return uri(webURL + r.account.path()) }

// Team is one of the organization's teams.
func (r *accountResolver) Team(args struct{ Slug string }) *teamResolver {
	for _, repository := range r.session.store.repositories {
		if repository.owner != r.account || !r.session.visible(repository) {
			continue
		}
		if t := repository.teamNamed(args.Slug); t != nil {
			return r.session.team(t)
		}
	}
	return nil
}
