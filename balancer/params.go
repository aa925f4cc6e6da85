package balancer

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// checkParams returns an error for the first key, in alphabetical order, that the balancer does not know.
func checkParams(name string, params url.Values, known ...string) error {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("balancer: %s does not know the key balancer.%s (known: %s)", name, key, list(known))
		}
	}
	return nil
}

func list(known []string) string {
	if len(known) == 0 {
		return "none"
	}
	return "balancer." + strings.Join(known, ", balancer.")
}
