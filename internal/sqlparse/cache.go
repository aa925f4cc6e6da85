package sqlparse

import (
	"container/list"
	"sync"
)

// maxCachedText is the longest text that a cache keeps, in bytes. Longer ones are texts with values in them, which
// do not come twice.
const maxCachedText = 16 << 10

// Cache keeps the statements that were parsed last, by flavour and text. It may be used by many goroutines.
type Cache struct {
	size  int
	mu    sync.Mutex // guards what follows
	byKey map[cacheKey]*list.Element
	order list.List // of *Statement, the one used last in front
}

type cacheKey struct {
	flavor Flavor
	text   string
}

// NewCache returns a cache of at most size statements. Zero or less keeps none.
func NewCache(size int) *Cache {
	return &Cache{size: size, byKey: make(map[cacheKey]*list.Element)}
}

// Parse is the package's [Parse], answered from the cache when it can be. Errors are not kept.
func (c *Cache) Parse(flavor Flavor, text string) (*Statement, error) {
	key := cacheKey{flavor, text}
	if s := c.get(key); s != nil {
		return s, nil
	}
	s, err := Parse(flavor, text)
	if err == nil && len(text) <= maxCachedText {
		c.put(key, s)
	}
	return s, err
}

// Len returns how many statements the cache holds.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}

func (c *Cache) get(key cacheKey) *Statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*Statement)
}

func (c *Cache) put(key cacheKey, s *Statement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size <= 0 || c.byKey[key] != nil {
		return
	}
	c.byKey[key] = c.order.PushFront(s)
	if c.order.Len() > c.size {
		last := c.order.Remove(c.order.Back()).(*Statement)
		delete(c.byKey, cacheKey{last.flavor, last.text})
	}
}
