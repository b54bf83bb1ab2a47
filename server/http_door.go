package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/github-workflow-mcp/github-workflow-mcp/transport"
)

const (
	endpointPath = "/mcp"
	metadataPath = mcpserver.WellKnownProtectedResourcePath

	maxTokenBytes = 4_096
)

// caller is who a request acts for.
type caller struct {
	token string // of GitHub; "" is the process's own identity
	key   callerKey
}

// callerKey names a caller without giving the token away; zero is the process
// itself.
type callerKey [sha256.Size]byte

// keyOfCaller is the key of whoever has the token; "" is the process itself.
func keyOfCaller(token string) callerKey {
	if token == "" {
		return callerKey{}
	}
	return sha256.Sum256([]byte(token))
}

// door decides who comes in, and as whom.
type door struct {
	HTTPOptions
	public *url.URL // nil when clients come straight
	secret [sha256.Size]byte
}

func newDoor(o HTTPOptions) (*door, error) {
	d := &door{HTTPOptions: o, secret: sha256.Sum256([]byte(o.ServerToken))}
	if o.ServerToken != "" && o.AuthorizationServer != "" {
		return nil, errors.New("a server token and an authorization server exclude each other: the one is everybody's, the other gives each user a token")
	}
	if o.ServerToken != "" && !isToken(o.ServerToken) {
		return nil, errors.New("the server token holds blanks or characters that no header can carry")
	}
	var err error
	if o.PublicURL != "" {
		if d.public, err = parseWeb("the public URL", o.PublicURL); err != nil {
			return nil, err
		}
	}
	if o.AuthorizationServer != "" {
		if _, err = parseWeb("the authorization server", o.AuthorizationServer); err != nil {
			return nil, err
		}
	}
	for _, origin := range o.AllowedOrigins {
		if _, ok := hostOfOrigin(origin); !ok {
			return nil, fmt.Errorf("the allowed origin %q is not of the form https://host or https://host:port", origin)
		}
	}
	return d, nil
}

func parseWeb(what, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("%s %q is not an http or https address", what, address)
	}
	return u, nil
}

// refuses says why the request is not even looked at; "" when it is.
func (d *door) refuses(r *http.Request) string {
	if d.Loopback && !isLoopbackHost(r.Host) && (d.public == nil || !strings.EqualFold(r.Host, d.public.Host)) {
		return "Forbidden: the Host header does not name this machine"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && !d.knowsOrigin(origins[0]) {
		return "Forbidden: pages of this origin may not use the endpoint"
	}
	return ""
}

func (d *door) knowsOrigin(origin string) bool {
	if slices.Contains(d.AllowedOrigins, origin) {
		return true
	}
	host, ok := hostOfOrigin(origin)
	return d.Loopback && ok && isLoopbackHost(host)
}

// hostOfOrigin is the host of a web page's origin, which is scheme://host or
// scheme://host:port and nothing more.
func hostOfOrigin(origin string) (string, bool) {
	u, err := parseWeb("an origin", origin)
	if err != nil || u.Scheme+"://"+u.Host != origin {
		return "", false
	}
	return u.Host, true
}

// isLoopbackHost is about a host with or without a port.
func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return transport.IsLoopback(strings.Trim(host, "[]"))
}

// preflight tells a web page of a known origin what it may do, and reports
// whether that was all that was asked.
func (d *door) preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Origin") == "" {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-MCP-Readonly, X-MCP-Toolsets")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// caller is who the request acts for; false when it has to say so first.
func (d *door) caller(r *http.Request) (caller, bool) {
	token, given := bearer(r.Header)
	switch {
	case d.ServerToken != "":
		got := sha256.Sum256([]byte(token))
		return caller{}, given && subtle.ConstantTimeCompare(got[:], d.secret[:]) == 1
	case given:
		return caller{token, keyOfCaller(token)}, true
	default:
		return caller{}, len(r.Header.Values("Authorization")) == 0 && d.actsItself(r)
	}
}

// actsItself: a request of this machine that no proxy has brought.
func (d *door) actsItself(r *http.Request) bool {
	return d.Loopback && d.AuthorizationServer == "" && d.public == nil &&
		len(r.Header.Values("Forwarded")) == 0 && len(r.Header.Values("X-Forwarded-For")) == 0
}

// mayMeasure reports whether the request may see the metrics.
func (d *door) mayMeasure(r *http.Request) bool {
	if d.ServerToken == "" || d.Loopback && d.public == nil {
		return true
	}
	_, ok := d.caller(r)
	return ok
}

// bearer is the token of the one Authorization header.
func bearer(h http.Header) (string, bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && isToken(token)
}

// isToken: printable, without blanks, of a length that a token may have.
func isToken(text string) bool {
	return text != "" && len(text) <= maxTokenBytes && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// challenge answers a request that did not say who it acts for.
func (d *door) challenge(w http.ResponseWriter, r *http.Request) {
	challenge := `Bearer realm="` + Name + `"`
	if d.AuthorizationServer != "" {
		challenge += `, resource_metadata="` + d.origin(r) + metadataPath + endpointPath + `"`
	}
	if len(r.Header.Values("Authorization")) > 0 {
		challenge += `, error="invalid_token"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	text := "Unauthorized: send the GitHub token to act with as Authorization: Bearer TOKEN"
	if d.ServerToken != "" {
		text = "Unauthorized: send this server's token as Authorization: Bearer TOKEN"
	}
	http.Error(w, text, http.StatusUnauthorized)
}

// metadata is what RFC 9728 has clients read to find the authorization server.
func (d *door) metadata(w http.ResponseWriter, r *http.Request) {
	resource := d.origin(r) + endpointPath
	if d.public != nil {
		resource = d.public.String()
	}
	mcpserver.NewProtectedResourceMetadataHandler(mcpserver.ProtectedResourceMetadataConfig{
		Resource: resource, AuthorizationServers: []string{d.AuthorizationServer},
		BearerMethodsSupported: []string{"header"}, ResourceName: Name,
	}).ServeHTTP(w, r)
}

// origin is where the client thinks it is.
func (d *door) origin(r *http.Request) string {
	switch {
	case d.public != nil:
		return d.public.Scheme + "://" + d.public.Host
	case r.TLS != nil:
		return "https://" + r.Host
	default:
		return "http://" + r.Host
	}
}
