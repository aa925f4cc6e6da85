package demo

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	rate    = 100 // queries a second
	workers = 16  // goroutines that share them: many, so that one that waits holds nobody up
)

// workload asks questions at a steady rate and checks each answer against the table.
type workload struct {
	db       *sql.DB
	elements []element

	mu     sync.Mutex // guards what follows
	took   []time.Duration
	failed int
	first  error // the first failure
}

// tally is a picture of a workload.
type tally struct {
	queries, failed int
	first           error
}

func (w *workload) tally() tally {
	w.mu.Lock()
	defer w.mu.Unlock()
	return tally{queries: len(w.took), failed: w.failed, first: w.first}
}

// percentile returns the time that the given share of the queries, of 1, have not exceeded; 0 without any query.
func (w *workload) percentile(share float64) time.Duration {
	w.mu.Lock()
	sorted := slices.Sorted(slices.Values(w.took))
	w.mu.Unlock()
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// run asks until stop is closed or the context is over, and returns when the last answer has come.
func (w *workload) run(ctx context.Context, stop <-chan struct{}) {
	numbers := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for n := range numbers {
				w.ask(ctx, n)
			}
		})
	}
	w.pace(ctx, stop, numbers)
	close(numbers)
	all.Wait()
}

// pace hands out the questions' numbers, each when it is due. What a busy machine delays is made up for, but what
// busy workers delay is not asked at all.
func (w *workload) pace(ctx context.Context, stop <-chan struct{}, numbers chan<- int) {
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	began, n := time.Now(), 0
	for {
		select {
		case <-tick.C:
		case <-stop:
			return
		case <-ctx.Done():
			return
		}
		for due := int(time.Since(began) * rate / time.Second); n < due; n++ {
			select {
			case numbers <- n:
			default:
			}
		}
	}
}

// ask asks one question and counts its answer. One that the end of the run cuts short counts for nothing.
func (w *workload) ask(ctx context.Context, n int) {
	began := time.Now()
	err := w.question(ctx, n)
	took := time.Since(began)
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took = append(w.took, took)
	if err != nil {
		w.failed++
	}
	if w.first == nil {
		w.first = err
	}
}

// question asks for one element, or for how many a period has, in turns.
func (w *workload) question(ctx context.Context, n int) error {
	e := w.elements[n%len(w.elements)]
	if n%2 == 0 {
		var name string
		row := w.db.QueryRowContext(ctx, "SELECT name FROM esdriver_demo_elements WHERE symbol = ?", e["symbol"])
		if err := row.Scan(&name); err != nil {
			return err
		}
		return expect("the name of "+e["symbol"].(string), name, e["name"])
	}
	var count int
	row := w.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM esdriver_demo_elements WHERE period = ?", e["period"])
	if err := row.Scan(&count); err != nil {
		return err
	}
	return expect("the size of a period", count, w.inPeriod(e["period"]))
}

func (w *workload) inPeriod(period any) int {
	n := 0
	for _, e := range w.elements {
		if e["period"] == period {
			n++
		}
	}
	return n
}

func expect(what string, got, want any) error {
	if got != want {
		return fmt.Errorf("demo: %s: got %v instead of %v", what, got, want)
	}
	return nil
}
