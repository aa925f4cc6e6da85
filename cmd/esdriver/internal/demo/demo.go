// Package demo is the command esdriver demo: it loads a table into a cluster, queries it, and goes on querying while
// nodes come and go.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/screen"
)

// patience is how long all that is not the live part may take.
const patience = 30 * time.Second

// Config says what the demo runs on.
type Config struct {
	// DSN is the cluster to use. Empty means one of three nodes inside this process, which is the only kind that
	// the demo kills nodes of.
	DSN string
	// Duration is how long the live part lasts; it must be positive. The rest takes a second or two, and at most 30.
	Duration time.Duration
	// Screen is where the demo shows itself.
	Screen *screen.Screen
}

// demo is one run.
type demo struct {
	*screen.Screen
	place    *place
	elements []element
	duration time.Duration
}

// Run runs the demo and removes what it made. The error is nil only if every query was answered, rightly, and
// everything was shown; it wraps the context's when that ended first.
func Run(ctx context.Context, c Config) (err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Duration+patience)
	defer cancel()
	elements, err := readElements()
	if err != nil {
		return err
	}
	p, err := openPlace(ctx, c.DSN, c.Duration)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(), c.Screen.Err()) }()
	d := &demo{Screen: c.Screen, place: p, elements: elements, duration: c.Duration}
	return d.run(ctx)
}

func (d *demo) run(ctx context.Context) (err error) {
	if err := d.introduce(ctx); err != nil {
		return err
	}
	if err := d.makeIndex(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.dropIndex(ctx)) }()
	for _, part := range []func(context.Context) error{d.load, d.ask, d.live} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// title heads a part of the demo.
func (d *demo) title(number int, text string) {
	d.Printf("\n%s\n\n", d.Bold(fmt.Sprintf("%d. %s", number, text)))
}
