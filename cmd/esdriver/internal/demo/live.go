package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/esdriver/esdriver/fakecluster"
)

const (
	lookEvery   = 20 * time.Millisecond  // between two looks at the driver's figures
	redrawEvery = 250 * time.Millisecond // between two pictures on a terminal
	lineEvery   = time.Second            // between two lines elsewhere
	lines       = 15                     // the least number of lines, however short the live part is
)

// live is the live part: a workload, a script that disturbs it, and a watch on what the driver makes of both.
type live struct {
	*demo
	load  *workload
	watch *watch
	steps []step // those that are still to come
	began time.Time

	shown   int                 // events that are on the screen already
	columns int                 // nodes in the last head of the lines
	last    map[*watched]uint64 // requests of each node at the last line
}

// live runs the live part. It fails when a query did.
func (d *demo) live(ctx context.Context) error {
	d.title(4, "Nodes come and go, queries go on")
	l := &live{
		demo: d, load: &workload{db: d.place.db, elements: d.elements}, last: map[*watched]uint64{},
		watch: newWatch(d.place.cluster.Stats()), began: time.Now(),
	}
	d.Printf("   %d queries a second for %s, each answer checked", rate, d.duration)
	if fake := d.place.fake; fake != nil {
		d.Printf("; a node takes %s.\n\n", answerAfter)
		l.steps = script(fake, d.duration)
		slow := fake.Inject(fakecluster.Fault{Path: "/_sql", Action: fakecluster.Slow(answerAfter)})
		defer slow()
	} else {
		d.Printf(".\n   No node is killed: the cluster is not the demo's.\n\n")
	}
	if err := l.run(ctx); err != nil {
		return err
	}
	return l.conclude(ctx)
}

// run returns when the time is over or the context ends, and the workload has ended too.
func (l *live) run(ctx context.Context) error {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		l.load.run(ctx, stop)
	}()
	err := l.loop(ctx)
	close(stop)
	<-ended
	l.look()
	return err
}

func (l *live) loop(ctx context.Context) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	redraw := time.NewTicker(min(redrawEvery, l.duration/lines))
	defer redraw.Stop()
	line := time.NewTicker(min(lineEvery, l.duration/lines))
	defer line.Stop()
	for time.Since(l.began) < l.duration {
		select {
		case <-look.C:
			if err := l.act(); err != nil {
				return err
			}
			l.look()
		case <-redraw.C:
			l.redraw()
		case <-line.C:
			l.line()
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// act does the steps that are due.
func (l *live) act() error {
	for len(l.steps) > 0 && time.Since(l.began) >= l.steps[0].at {
		s := l.steps[0]
		l.steps = l.steps[1:]
		l.watch.note(time.Since(l.began), "demo", s.what)
		if err := s.do(); err != nil {
			return fmt.Errorf("demo: %s: %w", s.what, err)
		}
	}
	return nil
}

func (l *live) look() {
	l.watch.look(l.place.cluster.Stats(), time.Since(l.began))
}

// conclude sums up, and fails if a query has failed or the live part was cut short.
func (l *live) conclude(ctx context.Context) error {
	t := l.load.tally()
	l.final()
	failed := fmt.Sprintf("%d failed", t.failed)
	if t.failed > 0 {
		failed = l.Red(failed)
	}
	l.Printf("   %s, %s, %d sent again to another node.\n", l.Bold(counted(t.queries, "query")), l.Bold(failed), l.watch.retries)
	l.Printf("   Half of them took at most %s, 99 of 100 at most %s.\n",
		milliseconds(l.load.percentile(0.5)), milliseconds(l.load.percentile(0.99)))
	if l.place.fake != nil {
		l.Println(indent + l.Dim("A node that joins or comes back gets its share bit by bit, in three seconds.") + "\n")
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("demo: ended before its time: %w", context.Cause(ctx))
	case t.failed > 0:
		return fmt.Errorf("demo: %d of %d queries failed, the first with: %w", t.failed, t.queries, t.first)
	}
	return nil
}
