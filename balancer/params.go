package balancer

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/esdriver/esdriver/sampler"
)

// ParamError is an alias, as Node is: a parameter that a balancer does not take.
type ParamError = sampler.ParamError

// checkParams returns an error for the first key, in alphabetical order, that the balancer does not know.
func checkParams(name string, params url.Values, known ...string) error {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("balancer: %s: %w", name, &ParamError{Name: key, Known: known})
		}
	}
	return nil
}

// ofInner returns the error of an inner balancer with the name that its parameter has outside.
func ofInner(err error) error {
	if p, ok := errors.AsType[*ParamError](err); ok {
		outer := &ParamError{Name: "inner." + p.Name, Value: p.Value, Want: p.Want, Known: slices.Clone(zoneParams)}
		for _, name := range p.Known {
			outer.Known = append(outer.Known, "inner."+name)
		}
		err = outer
	}
	return fmt.Errorf("balancer: inner balancer of zone: %w", err)
}
