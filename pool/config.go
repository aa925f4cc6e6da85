package pool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Config says how a group dials, how many connections it may have and how long it keeps them.
type Config[C any] struct {
	// Dial opens a connection. Its context ends when the group is closed and at no other time: a dial goes
	// on when the caller that asked for it has left, so Dial must bound itself. Required.
	Dial func(ctx context.Context, class Class) (C, error)

	// Close closes a connection; it is called once for each that Dial returned. It may be called from the
	// goroutine that releases a connection, so it must not wait for the other side. Required.
	Close func(C)

	// Usable tells whether a connection that was idle for so long may still be handed out. It is called
	// from Acquire, with no lock held. A connection that is not usable is closed, the next is tried, and
	// nobody is told: servers close idle connections as they like. Nil means always usable.
	Usable func(c C, idle time.Duration) bool

	// Sizes says how many connections each class has for itself. Reg, State and Ping must not be 0.
	// Bulk 0 sends bulk requests over Reg's connections; Recovery 0 sends recovery requests over Bulk's
	// or, when that is 0 too, Reg's. (Elasticsearch 2.4, NettyTransport.java, has the same rules.)
	Sizes Sizes

	// Shared is how many further connections the classes may borrow, all of them together. Recovery and
	// Bulk together borrow at most half of it. Zero is strict: the group never has more than Sizes says.
	Shared int32

	// MaxIdle is how long a connection may be idle, and MaxLifetime how old it may become, before it is
	// closed. Both are varied by up to a tenth for each connection, so that those dialed together do not
	// end together. Zero or less: no limit.
	MaxIdle, MaxLifetime time.Duration

	// WaitTimeout bounds the wait in Acquire, a dial included. Zero or less: only the context bounds it.
	WaitTimeout time.Duration

	// Name is the node, as errors call it.
	Name string
}

// validate tells what is wrong, in terms of the DSN's keys.
func (c *Config[C]) validate() error {
	if c.Dial == nil || c.Close == nil {
		return errors.New("pool: Config needs Dial and Close")
	}
	for i, size := range c.Sizes {
		class := Class(i)
		optional := class == Recovery || class == Bulk
		if size < 0 || size == 0 && !optional {
			return fmt.Errorf("pool: can't set pool.%s to %d", class, size)
		}
	}
	if c.Shared < 0 {
		return fmt.Errorf("pool: can't set pool.shared to %d", c.Shared)
	}
	return nil
}

// carrier returns the class whose connections carry the class's requests.
func (c *Config[C]) carrier(class Class) Class {
	if class == Recovery && c.Sizes[Recovery] == 0 {
		class = Bulk
	}
	if class == Bulk && c.Sizes[Bulk] == 0 {
		class = Reg
	}
	return class
}
