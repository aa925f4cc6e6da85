package esdriver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/sampler"
)

// pluginError is the error of a sampler or balancer that could not be made: of the key itself for an unknown name, of
// the parameter's key for a parameter that it does not take.
func pluginError(key, name string, known []string, err error) *ConfigError {
	param, isParam := errors.AsType[*sampler.ParamError](err)
	switch {
	case !slices.Contains(known, name):
		want := fmt.Sprintf("%s, or a name that the program has registered", strings.Join(known, ", "))
		return &ConfigError{Key: key, Value: name, Want: want, Near: nearest(known...)(name)}
	case !isParam:
		return &ConfigError{Key: key, Value: name, Err: err}
	}
	return paramError(key, name, param)
}

// paramError is a plug-in's error about a parameter, in the words of the DSN.
func paramError(key, name string, param *sampler.ParamError) *ConfigError {
	e := &ConfigError{Key: key + "." + param.Name, Want: param.Want}
	if param.Want == "" {
		known := prefixed(key+".", param.Known)
		e.Err = fmt.Errorf("%s=%s has no such key (known: %s)", key, name, cmp.Or(strings.Join(known, ", "), "none"))
		e.Near = nearParam(key+".", param)
		return e
	}
	e.Value = param.Value
	if soundsSecret(param.Name) {
		e.Value = masked(param.Value, redacted)
	}
	return e
}

// nearParam returns the key that was meant, of the plug-in's or of our own that begin with prefix.
func nearParam(prefix string, param *sampler.ParamError) string {
	names := slices.Clone(param.Known)
	for _, k := range keys {
		if own, ok := strings.CutPrefix(k.name, prefix); ok && !k.param {
			names = append(names, own)
		}
	}
	if name := nearest(names...)(param.Name); name != "" {
		return prefix + name
	}
	return ""
}

func prefixed(prefix string, names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = prefix + name
	}
	return all
}
