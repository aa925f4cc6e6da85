package sampler

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// checkKeys returns an error for a key that is not among the allowed ones, or that is given twice. An allowed
// key that ends with NAME stands for all keys with something in that place.
func checkKeys(sampler string, params url.Values, allowed ...string) error {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		fits := func(a string) bool {
			prefix, open := strings.CutSuffix(a, "NAME")
			return !open && key == a || open && key != prefix && strings.HasPrefix(key, prefix)
		}
		if !slices.ContainsFunc(allowed, fits) {
			return fmt.Errorf("sampler: %s has no key %q (known: %s)", sampler, key, knownKeys(allowed))
		}
		if len(params[key]) > 1 {
			return fmt.Errorf("sampler: %s: key %q is given %d times", sampler, key, len(params[key]))
		}
	}
	return nil
}

func knownKeys(allowed []string) string {
	if len(allowed) == 0 {
		return "none"
	}
	return strings.Join(allowed, ", ")
}
