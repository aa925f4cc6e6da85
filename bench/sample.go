package main

import (
	"runtime"
	"slices"
	"time"
)

// sample is what one process measured of one layer at one work.
type sample struct {
	Layer  string
	Ops    int           // requests that ended within the measured time
	Wall   time.Duration // the measured time
	CPU    time.Duration // the process's user and system time, per request
	Allocs float64       // per request, those of making the request included
	Errors int
	P50    time.Duration // of a search, from when it was due; mixed works alone
	P99    time.Duration
	Bulks  int // bulks that ended within the measured time; mixed works alone
}

// meter reads the process's counters.
type meter struct {
	at      time.Time
	cpu     time.Duration
	mallocs uint64
}

func readMeter() meter {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return meter{at: time.Now(), cpu: cpuTime(), mallocs: m.Mallocs}
}

// since fills in what the counters tell of ops requests that ended after an earlier reading.
func (m meter) since(from meter, s *sample) {
	s.Wall = m.at.Sub(from.at)
	if s.Ops > 0 {
		s.CPU = (m.cpu - from.cpu) / time.Duration(s.Ops)
		s.Allocs = float64(m.mallocs-from.mallocs) / float64(s.Ops)
	}
}

// setPercentiles takes the latencies of all searches; it sorts them.
func (s *sample) setPercentiles(latencies []time.Duration) {
	if len(latencies) == 0 {
		return
	}
	slices.Sort(latencies)
	s.P50, s.P99 = latencies[len(latencies)/2], latencies[len(latencies)*99/100]
}
