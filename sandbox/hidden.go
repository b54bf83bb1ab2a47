package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// HiddenIDs is a way to a sandbox, for tests, on which every node id has
// another spelling, as GitHub may do one day: how it builds its ids is not
// documented. It is safe for concurrent use.
type HiddenIDs struct {
	// Hide is the other spelling of an id; when nil, one that shows nothing.
	Hide func(id string) string

	mu   sync.Mutex
	real map[string]string // by the other spelling
}

// anID is a node id in JSON.
var anID = func() *regexp.Regexp {
	prefixes := make([]string, len(idKinds))
	for i, kind := range idKinds {
		prefixes[i] = kind.prefix
	}
	return regexp.MustCompile(`"(?:` + strings.Join(prefixes, "|") + `)_[A-Za-z0-9_-]{4,}"`)
}()

// ShowNothing is an id of the same prefix that cannot be decoded.
func ShowNothing(id string) string {
	prefix, _, _ := strings.Cut(id, "_")
	sum := sha256.Sum256([]byte(id))
	return prefix + "_x" + hex.EncodeToString(sum[:10])
}

// RoundTrip sends a request with the real ids and gives the answer with the
// others.
func (h *HiddenIDs) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	body = anID.ReplaceAllFunc(body, h.reveal)
	request = request.Clone(request.Context())
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	answer = anID.ReplaceAllFunc(answer, h.hide)
	response.Header.Del("Content-Length")
	response.ContentLength = int64(len(answer))
	response.Body = io.NopCloser(bytes.NewReader(answer))
	return response, nil
}

func (h *HiddenIDs) hide(quoted []byte) []byte {
	id := string(bytes.Trim(quoted, `"`))
	hide := h.Hide
	if hide == nil {
		hide = ShowNothing
	}
	hidden := hide(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.real == nil {
		h.real = map[string]string{}
	}
	h.real[hidden] = id
	return []byte(`"` + hidden + `"`)
}

func (h *HiddenIDs) reveal(quoted []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id := h.real[string(bytes.Trim(quoted, `"`))]; id != "" {
		return []byte(`"` + id + `"`)
	}
	return []byte(`"X_nothing_of_that_id_is_here"`)
}
