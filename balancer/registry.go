package balancer

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Constructor makes a balancer from the DSN's keys that start with "balancer." (the prefix removed).
type Constructor func(params url.Values) (Balancer, error)

var (
	mu           sync.RWMutex // mu guards constructors
	constructors = map[string]Constructor{}
)

// Register makes a balancer available by name, for the DSN's balancer key. It is meant for init functions
// and panics on an empty name, a nil constructor or a name already taken, as sql.Register does.
func Register(name string, c Constructor) {
	mu.Lock()
	defer mu.Unlock()
	if name == "" || c == nil {
		panic("balancer: Register needs a name and a constructor")
	}
	if _, taken := constructors[name]; taken {
		panic("balancer: Register called twice for " + name)
	}
	constructors[name] = c
}

// New makes the balancer of that name. An unknown name is an error that lists the known ones.
func New(name string, params url.Values) (Balancer, error) {
	mu.RLock()
	c, ok := constructors[name]
	mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("balancer: unknown balancer %q (known: %s)", name, strings.Join(Names(), ", "))
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
