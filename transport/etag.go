package transport

import (
	"container/list"
	"crypto/sha256"
	"maps"
	"net/http"
	"sync"
)

// cached answers a REST read from the cache when GitHub says that nothing has
// changed, which costs no rate limit, and remembers what can be asked that way.
func (t *chain) cached(c *call) (*answer, error) {
	if c.target != rest || c.req.Method != http.MethodGet || c.req.Header.Get("If-None-Match") != "" {
		return t.retried(c)
	}
	key := c.cacheKey()
	stored := t.cache.get(key)
	if stored != nil {
		c.req.Header.Set("If-None-Match", stored.Header.Get("Etag"))
	}
	a, err := t.retried(c)
	switch {
	case err != nil:
		return nil, err
	case stored != nil && a.StatusCode == http.StatusNotModified:
		return stored.renewed(a.Header), nil
	case a.StatusCode == http.StatusOK && a.Header.Get("Etag") != "":
		t.cache.put(key, a)
	}
	return a, nil
}

// renewed is a stored answer with the headers that came with the confirmation.
func (a *answer) renewed(header http.Header) *answer {
	resp := *a.Response
	resp.Header = a.Header.Clone()
	maps.Copy(resp.Header, header)
	return &answer{&resp, a.body}
}

type cacheKey [sha256.Size]byte

// cacheKey separates representations and tokens, and holds neither in the clear.
func (c *call) cacheKey() cacheKey {
	return sha256.Sum256([]byte(c.req.URL.String() + "\x00" + c.req.Header.Get("Accept") + "\x00" + c.token))
}

// cache keeps the answers used last, up to a bound on the bytes of their bodies.
type cache struct {
	bound int

	mu      sync.Mutex
	bytes   int
	order   *list.List // of *cacheEntry, used last in front
	entries map[cacheKey]*list.Element
}

type cacheEntry struct {
	key    cacheKey
	answer *answer
}

func newCache(bound int) *cache {
	return &cache{bound: bound, order: list.New(), entries: map[cacheKey]*list.Element{}}
}

func (c *cache) get(key cacheKey) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.entries[key]
	if element == nil {
		return nil
	}
	c.order.MoveToFront(element)
	return element.Value.(*cacheEntry).answer
}

// entryOverhead stands for the headers and the bookkeeping of one entry.
const entryOverhead = 2 << 10

func (c *cache) put(key cacheKey, a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.entries[key]; element != nil {
		c.remove(element)
	}
	c.entries[key] = c.order.PushFront(&cacheEntry{key, a})
	c.bytes += len(a.body) + entryOverhead
	for c.bytes > c.bound {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(element *list.Element) {
	entry := c.order.Remove(element).(*cacheEntry)
	delete(c.entries, entry.key)
	c.bytes -= len(entry.answer.body) + entryOverhead
}
