package sampler

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// ParamError is a parameter that a sampler or a balancer does not take. A constructor that returns one, wrapped or not,
// makes the DSN's error name the key. It is always returned by pointer.
type ParamError struct {
	Name  string   // the parameter, as the constructor is given it
	Value string   // what it was given; empty when there was nothing, and for a secret
	Want  string   // what it must be; empty when there is no such parameter
	Known []string // the parameters that there are; it matters only where Want is empty
}

// Error names the parameter, its value and what was expected, or the parameters that there are.
func (e *ParamError) Error() string {
	switch {
	case e.Want == "" && len(e.Known) == 0:
		return fmt.Sprintf("%s: unknown parameter (known: none)", e.Name)
	case e.Want == "":
		return fmt.Sprintf("%s: unknown parameter (known: %s)", e.Name, strings.Join(e.Known, ", "))
	case e.Value == "":
		return fmt.Sprintf("%s: want %s", e.Name, e.Want)
	}
	return fmt.Sprintf("%s: got %q: want %s", e.Name, e.Value, e.Want)
}

// checkKeys returns an error for a key that is not among the allowed ones, or that is given twice. An allowed
// key that ends with NAME stands for all keys with something in that place.
func checkKeys(sampler string, params url.Values, allowed ...string) error {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		fits := func(a string) bool {
			prefix, open := strings.CutSuffix(a, "NAME")
			return !open && key == a || open && key != prefix && strings.HasPrefix(key, prefix)
		}
		if !slices.ContainsFunc(allowed, fits) {
			return fmt.Errorf("sampler: %s: %w", sampler, &ParamError{Name: key, Known: allowed})
		}
		if len(params[key]) > 1 {
			return fmt.Errorf("sampler: %s: %w", sampler, &ParamError{Name: key, Want: "one value"})
		}
	}
	return nil
}
