package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// figures are what came of a load.
type figures struct {
	calls, failed    [kinds]int
	duplicates, lost int
	took             []time.Duration
}

func (l *load) figures() (figures, error) {
	stored, err := l.stored()
	var f figures
	for _, c := range l.calls {
		f.calls[c.kind]++
		f.took = append(f.took, c.took)
		if c.err != nil {
			f.failed[c.kind]++
		}
		if c.kind == read {
			continue
		}
		f.duplicates += max(0, stored[c.mark]-1)
		if c.err == nil && stored[c.mark] == 0 {
			f.lost++
		}
	}
	slices.Sort(f.took)
	return f, err
}

// stored counts the documents by their marks.
func (l *load) stored() (map[string]int, error) {
	if _, err := l.direct("POST", "/"+index+"/_refresh", ""); err != nil {
		return nil, err
	}
	text, err := l.direct("POST", "/"+index+"/_search", `{"size":0,"aggs":{"marks":{"terms":{"field":"mark","size":60000}}}}`)
	if err != nil {
		return nil, err
	}
	var found struct {
		Aggregations struct {
			Marks struct {
				Buckets []struct {
					Key      string
					DocCount int `json:"doc_count"`
				}
			}
		}
	}
	err = json.Unmarshal(text, &found)
	counts := map[string]int{}
	for _, b := range found.Aggregations.Marks.Buckets {
		counts[b.Key] = b.DocCount
	}
	return counts, err
}

// line is the figures as a line of a Markdown table.
func (f figures) line(fault, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |", fault, name)
	for k := range kinds {
		fmt.Fprintf(&b, " %d | %d |", f.calls[k], f.failed[k])
	}
	last := len(f.took) - 1
	fmt.Fprintf(&b, " %d | %d | %d | %d |", f.duplicates, f.lost, f.took[last*99/100].Milliseconds(), f.took[last].Milliseconds())
	return b.String()
}
