package main

import (
	"context"
	"net"

	"github.com/esdriver/esdriver/bench/srv"
)

// limit is what the kernel and Go's network poller cost: each goroutine has a connection of its own, writes bytes made
// beforehand in one call and reads as many as it knows will come. It has no pool, no parser and no cancellation, so no
// client can be much below it.
type limit struct{ nodes []string }

func openLimit(nodes []string) (layer, error) { return &limit{nodes}, nil }

func (l *limit) do(_ context.Context, w *worker, o *operation) error {
	if w.wire == nil {
		host := l.nodes[w.id%len(l.nodes)]
		nc, err := net.Dial("tcp", host)
		if err != nil {
			return err
		}
		w.wire, w.sent = nc, o.bytes(host)
	}
	if _, err := w.wire.Write(w.sent); err != nil {
		return err
	}
	for left := len(srv.Answer(o.path)); left > 0; {
		n, err := w.wire.Read(w.buf[:min(left, len(w.buf))])
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

func (l *limit) close() {}
