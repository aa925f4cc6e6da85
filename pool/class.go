package pool

import (
	"context"
	"fmt"
	"strings"
)

// Class is a kind of traffic. Each node keeps connections for every class apart, so that a
// class that is saturated delays no other. The five classes and their default sizes are those
// of Elasticsearch's TransportClient (Elasticsearch 6.3, TcpTransport.java, connections_per_node.*).
type Class uint8

// The classes, from the one that may wait longest to the one that may not wait.
const (
	Recovery Class = iota // long maintenance: reindex, by-query calls, snapshots, waiting for tasks
	Bulk                  // _bulk
	Reg                   // regular requests: searches, documents, SQL
	State                 // cluster, node, index and mapping information; samplers
	Ping                  // health probes and GET /

	NumClasses = 5 // how many classes there are
)

var classNames = [NumClasses]string{"recovery", "bulk", "reg", "state", "ping"}

// String returns the class's name as the DSN spells it: recovery, bulk, reg, state or ping.
func (c Class) String() string {
	if c < NumClasses {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// ParseClass returns the class of that name. An unknown name is an error that lists the known ones.
func ParseClass(name string) (Class, error) {
	for i, n := range classNames {
		if n == name {
			return Class(i), nil
		}
	}
	return 0, fmt.Errorf("pool: unknown class %q (known: %s)", name, strings.Join(classNames[:], ", "))
}

// Sizes says how many connections each class has for itself on one node, indexed by [Class].
type Sizes [NumClasses]int32

// DefaultSizes are TransportClient's: recovery 2, bulk 3, reg 6, state 1, ping 1; 13 a node.
var DefaultSizes = Sizes{Recovery: 2, Bulk: 3, Reg: 6, State: 1, Ping: 1}

// Total returns the sum of all sizes.
func (s Sizes) Total() int32 {
	var n int32
	for _, size := range s {
		n += size
	}
	return n
}

type classKey struct{}

// WithClass returns a context whose requests travel in the class, whatever their method and path say.
func WithClass(ctx context.Context, class Class) context.Context {
	return context.WithValue(ctx, classKey{}, class)
}

// ClassFrom returns the class that [WithClass] put into the context, and whether one was put.
func ClassFrom(ctx context.Context) (Class, bool) {
	class, ok := ctx.Value(classKey{}).(Class)
	return class, ok
}
