package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// writeClosed prints the table of a closed loop.
func writeClosed(out io.Writer, w work, layers []string, rounds []round) {
	fmt.Fprintf(out, "\n### %s\n\n", w.title)
	fmt.Fprintln(out, "| layer | client CPU a request, µs (quartiles) | × limit | × esdriver | allocations | requests/s | errors |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	for _, name := range layers {
		low, middle, high := quartiles(column(rounds, name, cpuOf))
		fmt.Fprintf(out, "| %s | %.1f (%.1f–%.1f) | %s | %s | %.1f | %.0f | %d |\n", name, middle, low, high,
			ratio(rounds, name, theLimit), ratio(rounds, name, theOurs),
			median(column(rounds, name, func(s sample) float64 { return s.Allocs })),
			median(column(rounds, name, func(s sample) float64 { return perSecond(s.Ops, s) })), errorsOf(rounds, name))
	}
}

// writeMixed prints the table of a mixed work.
func writeMixed(out io.Writer, w work, layers []string, rounds []round) {
	fmt.Fprintf(out, "\n### %s\n\n", w.title)
	fmt.Fprintln(out, "| layer | search p50, µs | search p99, µs (quartiles) | bulks/s | errors |")
	fmt.Fprintln(out, "|---|---|---|---|---|")
	for _, name := range layers {
		low, middle, high := quartiles(column(rounds, name, func(s sample) float64 { return micros(s.P99) }))
		fmt.Fprintf(out, "| %s | %.0f | %.0f (%.0f–%.0f) | %.0f | %d |\n", name,
			median(column(rounds, name, func(s sample) float64 { return micros(s.P50) })), middle, low, high,
			median(column(rounds, name, func(s sample) float64 { return perSecond(s.Bulks, s) })), errorsOf(rounds, name))
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func cpuOf(s sample) float64 { return micros(s.CPU) }

func perSecond(n int, s sample) float64 { return float64(n) / s.Wall.Seconds() }

func errorsOf(rounds []round, name string) (sum int) {
	for _, r := range rounds {
		sum += r[name].Errors
	}
	return sum
}

// column returns one figure of a layer, round by round.
func column(rounds []round, name string, figure func(sample) float64) []float64 {
	var all []float64
	for _, r := range rounds {
		all = append(all, figure(r[name]))
	}
	return all
}

// ratio is the median of the rounds' own ratios, so that a round that was slow for all does not count more. It is
// empty when the base was not measured.
func ratio(rounds []round, name, base string) string {
	var all []float64
	for _, r := range rounds {
		if b, ok := r[base]; ok && b.CPU > 0 {
			all = append(all, cpuOf(r[name])/cpuOf(b))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", median(all))
}

func median(figures []float64) float64 {
	_, middle, _ := quartiles(figures)
	return middle
}

// quartiles returns the figures a quarter, half and three quarters of the way up.
func quartiles(figures []float64) (low, middle, high float64) {
	s := slices.Sorted(slices.Values(figures))
	return s[len(s)/4], s[len(s)/2], s[(3*len(s)-1)/4]
}
