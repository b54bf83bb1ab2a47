package discussion_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// opaque gives every node id another spelling that shows nothing, as GitHub
// may do one day: how it builds its ids is not documented.
type opaque struct {
	mu   sync.Mutex
	real map[string]string
}

var (
	nodeID   = regexp.MustCompile(`"((?:DC|D|R|U|DIC|LA)_)([A-Za-z0-9_-]{8,})"`)
	opaqueID = regexp.MustCompile(`"(?:DC|D|R|U|DIC|LA)_x[0-9a-f]{20}"`)
)

func (o *opaque) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	body = opaqueID.ReplaceAllFunc(body, func(id []byte) []byte {
		o.mu.Lock()
		defer o.mu.Unlock()
		return []byte(o.real[string(id)])
	})
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
	answer = nodeID.ReplaceAllFunc(answer, func(id []byte) []byte {
		sum := sha256.Sum256(id)
		prefix := nodeID.FindSubmatch(id)[1]
		hidden := `"` + string(prefix) + "x" + hex.EncodeToString(sum[:10]) + `"`
		o.mu.Lock()
		defer o.mu.Unlock()
		o.real[hidden] = string(id)
		return []byte(hidden)
	})
	response.Header.Del("Content-Length")
	response.ContentLength = int64(len(answer))
	response.Body = io.NopCloser(bytes.NewReader(answer))
	return response, nil
}

// Where ids show nothing, ties are decided all the same, and numbers, anchors
// and URLs are found by looking for them.
func TestIDsThatShowNothing(t *testing.T) {
	running := sandbox.StartTest(t, sandbox.Options{})
	h := openThrough(t, running, sandbox.AdminToken, &opaque{real: map[string]string{}})
	for _, number := range []int{2, 3, 13} {
		remarks := h.truth(number)
		for i, anchor := range remarks {
			spelling := anchor.id
			if i%2 == 0 {
				spelling = strconv.FormatInt(anchor.key.Number, 10)
			}
			got := collect(h.since(number, spelling, budget)).ids
			if diff := cmp.Diff(sorted(after(remarks, anchor)), sorted(got)); diff != "" {
				t.Errorf("discussion %d since %s (-truth +got):\n%s", number, spelling, diff)
			}
			one := h.read(discussion.ConversationRequest{DiscussionNumber: number, CommentID: &spelling})
			if !one.Found {
				t.Errorf("discussion %d: %s is not found", number, spelling)
			}
		}
	}
}
