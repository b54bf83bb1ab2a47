package transport

import (
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
	uses    uint64 // the clock of lastUse
	entries map[cacheKey]*cacheEntry
}

type cacheEntry struct {
	answer  *answer
	lastUse uint64
}

// size counts the body, and a flat rate for headers and bookkeeping.
func (e *cacheEntry) size() int { return len(e.answer.body) + 2<<10 }

func newCache(bound int) *cache {
	return &cache{bound: bound, entries: map[cacheKey]*cacheEntry{}}
}

func (c *cache) get(key cacheKey) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := c.entries[key]
	if entry == nil {
		return nil
	}
	c.uses++
	entry.lastUse = c.uses
	return entry.answer
}

func (c *cache) put(key cacheKey, a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
	c.uses++
	entry := &cacheEntry{a, c.uses}
	c.entries[key] = entry
	c.bytes += entry.size()
	for c.bytes > c.bound {
		c.remove(c.oldest())
	}
}

// oldest is the key of the entry that was not used for the longest time. The
// bound keeps the entries few enough to look at all of them.
func (c *cache) oldest() (key cacheKey) {
	first := c.uses + 1
	for k, entry := range c.entries {
		if entry.lastUse < first {
			key, first = k, entry.lastUse
		}
	}
	return key
}

func (c *cache) remove(key cacheKey) {
	if entry := c.entries[key]; entry != nil {
		delete(c.entries, key)
		c.bytes -= entry.size()
	}
}
