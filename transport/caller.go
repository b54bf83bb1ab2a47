package transport

import "context"

type callerKey struct{}

// WithCallerToken marks ctx as acting for the user whose GitHub token this is.
func WithCallerToken(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, callerKey{}, token)
}

// CallerToken is the GitHub token of the user that ctx acts for; "" when it
// acts for the process itself.
func CallerToken(ctx context.Context) string {
	token, _ := ctx.Value(callerKey{}).(string)
	return token
}
