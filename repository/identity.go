package repository

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/fault"
	"github.com/github-workflow-mcp/github-workflow-mcp/graphql"
)

// Identity knows whose the tokens are that writes go out with. It is safe for
// concurrent use.
type Identity struct {
	opts   IdentityOptions
	lock   chan struct{}                // holds one value while logins is in use
	logins map[[sha256.Size]byte]string // by hash of the token
}

// IdentityOptions are what an Identity needs; all of them.
type IdentityOptions struct {
	GraphQL  *graphql.Client
	Token    func(context.Context) (string, error) // the token of a call; "" when there is none
	Expected string                                // whose it has to be
}

// maxLogins is how many tokens are remembered; a server has one, or one for
// each of its clients.
const maxLogins = 1_000

// NewIdentity makes an Identity.
func NewIdentity(opts IdentityOptions) *Identity {
	return &Identity{opts: opts, lock: make(chan struct{}, 1), logins: map[[sha256.Size]byte]string{}}
}

// Check fails with IDENTITY_MISMATCH when the token of ctx is not that of the
// expected login. GitHub is asked once for each token; when that fails, its
// error is Check's, and the next Check asks again.
func (i *Identity) Check(ctx context.Context) (err error) {
	defer fault.Wrap(&err, "repository.Identity")
	login, err := i.login(ctx)
	if err != nil {
		return err
	}
	if !strings.EqualFold(login, i.opts.Expected) {
		return fault.New(fault.IdentityMismatch, "the token belongs to %s, expected is %s; nothing was written", login, i.opts.Expected).
			WithFix("Ask the person who runs the server for the token of %s, or to correct GITHUB_EXPECTED_LOGIN.", i.opts.Expected)
	}
	return nil
}

// login is whose token a call has. Calls that want to know the same at the
// same time wait for one answer.
func (i *Identity) login(ctx context.Context) (string, error) {
	token, err := i.opts.Token(ctx)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(token))
	select {
	case i.lock <- struct{}{}:
		defer func() { <-i.lock }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if login, known := i.logins[hash]; known {
		return login, nil
	}
	var query struct{ Viewer struct{ Login string } }
	if _, err := i.opts.GraphQL.Query(ctx, "Viewer", &query, nil); err != nil {
		return "", err
	}
	if query.Viewer.Login == "" {
		return "", fault.New(fault.UpstreamError, "GitHub did not say whose the token is; nothing was written").
			WithFix("Try again.").RetryAfter(0)
	}
	if len(i.logins) >= maxLogins {
		clear(i.logins)
	}
	i.logins[hash] = query.Viewer.Login
	return query.Viewer.Login, nil
}
