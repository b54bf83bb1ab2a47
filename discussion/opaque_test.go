package discussion_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/github-workflow-mcp/github-workflow-mcp/discussion"
	"github.com/github-workflow-mcp/github-workflow-mcp/ref"
	"github.com/github-workflow-mcp/github-workflow-mcp/sandbox"
)

// opaque gives every node id another spelling that shows nothing, as GitHub
// may do one day: how it builds its ids is not documented.
type opaque struct {
	mu     sync.Mutex
	real   map[string]string
	hidden func(prefix string, id []byte) string
}

var (
	nodeID = regexp.MustCompile(`"((?:DC|D|R|U|DIC|LA)_)([A-Za-z0-9_-]{8,})"`)
)

// showNothing are ids that cannot be decoded.
func showNothing(prefix string, id []byte) string {
	sum := sha256.Sum256(id)
	return prefix + "x" + hex.EncodeToString(sum[:10])
}

// showAnother are comments' ids that carry another number than the
// repository's; those of everything else are as they were.
func showAnother(prefix string, id []byte) string {
	node, ok := ref.DecodeNodeID(strings.Trim(string(id), `"`))
	if !ok || prefix != "DC_" {
		return strings.Trim(string(id), `"`)
	}
	return ref.EncodeNodeID(prefix, node.RepoID+1, node.DatabaseID)
}

func (o *opaque) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	body = nodeID.ReplaceAllFunc(body, func(id []byte) []byte {
		o.mu.Lock()
		defer o.mu.Unlock()
		if real := o.real[string(id)]; real != "" {
			return []byte(real)
		}
		return []byte(`"DC_nothing_of_that_id_is_here"`)
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
		hidden := `"` + o.hidden(string(nodeID.FindSubmatch(id)[1]), id) + `"`
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

// Where ids show nothing, or another number than the repository's, ties are
// decided all the same, and numbers are found by looking for them.
func TestIDsThatAreNotBuiltFromNumbers(t *testing.T) {
	for name, hidden := range map[string]func(string, []byte) string{"show nothing": showNothing, "show another number": showAnother} {
		running := sandbox.StartTest(t, sandbox.Options{})
		h := openThrough(t, running, sandbox.AdminToken, &opaque{real: map[string]string{}, hidden: hidden})
		for _, number := range []int{2, 3, 13} {
			remarks := h.truth(number)
			for i, anchor := range remarks {
				h.forget()
				spelling := anchor.id
				if i%2 == 0 {
					spelling = strconv.FormatInt(anchor.key.Number, 10)
				}
				got := collect(h.since(number, spelling, budget)).ids
				if diff := cmp.Diff(sorted(after(remarks, anchor)), sorted(got)); diff != "" {
					t.Errorf("%s: discussion %d since %s (-truth +got):\n%s", name, number, spelling, diff)
				}
				h.forget()
				if one := h.read(discussion.ConversationRequest{DiscussionNumber: number, CommentID: &spelling}); !one.Found {
					t.Errorf("%s: discussion %d: %s is not found", name, number, spelling)
				}
			}
			h.forget()
			reply, err := h.ManageComment(context.Background(), discussion.CommentRequest{
				Action: "create", DiscussionNumber: number, Body: "found", ReplyToID: ptr(strconv.FormatInt(remarks[0].key.Number, 10)),
			})
			if err != nil || reply.ReplyToID != remarks[0].id {
				t.Errorf("%s: discussion %d: a reply by number: %v, %v", name, number, reply, err)
			}
		}
	}
}
