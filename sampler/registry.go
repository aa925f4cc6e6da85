package sampler

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Constructor makes a sampler from the DSN's keys that start with "sampler." (the prefix removed).
type Constructor func(params url.Values) (Sampler, error)

var (
	mu           sync.RWMutex // mu guards constructors
	constructors = map[string]Constructor{}
)

// Register makes a sampler available by name, for the DSN's sampler key. It is meant for init functions
// and panics on an empty name, a nil constructor or a name already taken, as sql.Register does.
func Register(name string, c Constructor) {
	mu.Lock()
	defer mu.Unlock()
	if name == "" || c == nil {
		panic("sampler: Register needs a name and a constructor")
	}
	if _, taken := constructors[name]; taken {
		panic("sampler: Register called twice for " + name)
	}
	constructors[name] = c
}

// New makes the sampler of that name. An unknown name is an error that lists the known ones.
func New(name string, params url.Values) (Sampler, error) {
	mu.RLock()
	c, ok := constructors[name]
	mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("sampler: unknown sampler %q (known: %s)", name, strings.Join(Names(), ", "))
	}
	return c(params)
}

// Names returns the registered names, sorted.
func Names() []string {
	mu.RLock()
	defer mu.RUnlock()
	names := make([]string, 0, len(constructors))
	for name := range constructors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
