package enginetest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
	"github.com/esdriver/esdriver/sampler"
)

type dbg struct {
	mu    sync.Mutex
	at    time.Time
	m     map[string][]string
	waits map[string][]time.Duration
	log   []string
}

func (d *dbg) AttemptStart(ctx context.Context, a plugins.Attempt) context.Context { return ctx }
func (d *dbg) AttemptEnd(_ context.Context, a plugins.Attempt, r plugins.AttemptResult) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.m[a.Path] = append(d.m[a.Path], fmt.Sprintf("[#%d %s %s end@%.2f took %.2f status %d retry %v wrote %v err %.80v]", a.Number, a.Node.Addr, a.Class, time.Since(d.at).Seconds(), r.Took.Seconds(), r.Outcome.Status, r.Retry, r.Wrote, r.Outcome.Err))
}
func (d *dbg) AcquireEnd(_ context.Context, n *sampler.Node, class pool.Class, waited time.Duration, err error) {
	if waited > 100*time.Millisecond {
		d.mu.Lock()
		defer d.mu.Unlock()
		k := fmt.Sprintf("%s %s @%d", n.Addr, class, int(time.Since(d.at).Seconds()))
		d.waits[k] = append(d.waits[k], waited)
	}
}
func (d *dbg) HealthChanged(c plugins.HealthChange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, fmt.Sprintf("%.2f %s %s->%s %.100v", time.Since(d.at).Seconds(), c.Node.Addr, c.From, c.To, c.Err))
}
func (d *dbg) TopologyChanged(c plugins.TopologyChange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, fmt.Sprintf("%.2f topology +%d -%d", time.Since(d.at).Seconds(), len(c.Added), len(c.Removed)))
}
func (d *dbg) SampleEnd(t sampler.Topology, took time.Duration, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if took > time.Second || err != nil {
		d.log = append(d.log, fmt.Sprintf("%.2f sample took %.2f %v", time.Since(d.at).Seconds(), took.Seconds(), err))
	}
}

func TestDebugFreeze(t *testing.T) {
	e, h := newReal(t), newHarness(t)
	l := newLoad(t, e, "enginetest-debug")
	d := &dbg{m: map[string][]string{}, waits: map[string][]time.Duration{}}
	config, _ := esdriver.ParseDSN(e.DSN() + "?sampler=sniff&attempt_timeout=2s")
	config.Hooks = []plugins.Hook{d}
	c, err := esdriver.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	l.cluster = c
	d.at = time.Now()
	l.run(t, h, 16*time.Second, event{3 * time.Second, "freeze 2"}, event{thawed, "thaw 2"})
	l.whole(t)
	f := l.figures(l.stored(t))
	fmt.Println(f.line("freeze", "x"))
	fmt.Println(l.reasons())
	for _, x := range d.log {
		fmt.Println(x)
	}
	for k, w := range d.waits {
		fmt.Println("waits", k, len(w), w[len(w)-1])
	}
	n := 0
	for _, x := range l.calls {
		if x.took > 4500*time.Millisecond && x.kind != read && n < 12 {
			n++
			p := "/enginetest-debug/_create/" + x.name
			fmt.Printf("%d at %.2f took %.2f status %d %v\n", x.kind, x.at.Seconds(), x.took.Seconds(), x.status, d.m[p])
		}
	}
	k := map[kind]int{}
	for _, x := range l.calls {
		if x.took > 4500*time.Millisecond {
			k[x.kind]++
		}
	}
	fmt.Println(k)
}
