package esdriver

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/internal/dsn"
)

const redacted = "xxxxx"

var errUnknownKey = errors.New("unknown key")

// ParseDSN reads a data source name:
//
//	SCHEME://[user[:password]@]host[:port][,host[:port]…][/prefix][?key=value&…]
//
// SCHEME is elasticsearch, opensearch, or http or https, which find out the product. The port is 9200 by default.
// User, password, prefix and values are percent-encoded; + stands for itself. Keys and their defaults are listed in
// the package's README; a duration is written as Go's (1m30s). Keys that begin with sampler. or balancer. and are
// not in that list go to the sampler or the balancer.
//
// The error is a [*ConfigError]. It shows no secret; an unknown key is answered with the nearest known one. Nothing
// outside the text is looked at: files and registered names are [NewConnector]'s to check.
func ParseDSN(text string) (Config, error) {
	d, err := dsn.Parse(text)
	if err != nil {
		return Config{}, &ConfigError{Key: "dsn", Err: err}
	}
	c := Config{Seeds: d.Hosts, Prefix: d.Prefix, User: d.User, Password: d.Password}
	c.setScheme(d.Scheme)
	for _, p := range d.Params {
		if err := c.set(p.Key, p.Value); err != nil {
			return Config{}, err
		}
	}
	if d.Scheme == dsn.HTTPS && !c.TLS {
		return Config{}, &ConfigError{Key: "tls", Value: "false", Want: "true or skip-verify with scheme https"}
	}
	if err := c.check(); err != nil {
		return Config{}, err
	}
	return c, nil
}

func (c *Config) setScheme(scheme string) {
	switch scheme {
	case dsn.Elasticsearch:
		c.Flavor = Elasticsearch
	case dsn.OpenSearch:
		c.Flavor = OpenSearch
	case dsn.HTTPS:
		c.TLS = true
	}
}

func (c Config) scheme() string {
	switch {
	case c.Flavor != FlavorAuto:
		return c.Flavor.String()
	case c.TLS:
		return dsn.HTTPS
	}
	return dsn.HTTP
}

// set gives the key's value to its field, or to the sampler or balancer.
func (c *Config) set(name, value string) error {
	if k := keyNamed(name); k != nil {
		if !k.set(c, value) {
			return k.wrong(value)
		}
		return nil
	}
	if param, ok := strings.CutPrefix(name, "sampler."); ok && param != "" {
		setParam(&c.SamplerParams, param, value)
		return nil
	}
	if param, ok := strings.CutPrefix(name, "balancer."); ok && param != "" {
		setParam(&c.BalancerParams, param, value)
		return nil
	}
	return unknownKey(name)
}

func unknownKey(name string) *ConfigError {
	nearest, near := dsn.Nearest(name, keyNames())
	switch {
	case near:
		return &ConfigError{Key: name, Err: errUnknownKey, Near: nearest}
	case slices.Contains([]string{"user", "username", "password"}, strings.ToLower(name)):
		return &ConfigError{Key: name, Err: fmt.Errorf("%w; user and password stand before the hosts: user:password@host", errUnknownKey)}
	}
	return &ConfigError{Key: name, Err: fmt.Errorf("%w; the nearest known one is %s", errUnknownKey, nearest)}
}

func setParam(params *url.Values, name, value string) {
	if *params == nil {
		*params = url.Values{}
	}
	params.Set(name, value)
}

// FormatDSN writes the Config as a DSN, secrets included: what it returns is as secret as they are; print the Config
// itself instead. ParseDSN gives the same Config back, but for Go-only fields, which a DSN cannot carry.
func (c Config) FormatDSN() string { return c.format("") }

// format writes the DSN with mask, when it is not empty, in the place of secrets.
func (c Config) format(mask string) string {
	d := dsn.DSN{
		Scheme: c.scheme(), User: c.User, Password: masked(c.Password, mask),
		HasPassword: c.Password != "", Hosts: hosts(c.Seeds, mask), Prefix: dsn.Prefix(c.Prefix),
	}
	for _, k := range keys {
		value := k.get(&c)
		if k.secret {
			value = masked(value, mask)
		}
		if value != "" && !(k.name == "tls" && value == "true" && d.Scheme == dsn.HTTPS) {
			d.Params = append(d.Params, dsn.Param{Key: k.name, Value: value})
		}
	}
	d.Params = appendParams(d.Params, "sampler.", c.SamplerParams, mask)
	d.Params = appendParams(d.Params, "balancer.", c.BalancerParams, mask)
	return d.Format()
}

// hosts returns the seeds as the DSN has them. One that is wrong stays as it is, but for what looks like a secret in it.
func hosts(seeds []string, mask string) []string {
	hosts := make([]string, len(seeds))
	for i, seed := range seeds {
		host, err := dsn.Host(seed)
		if err != nil {
			host = masked(seed[:strings.LastIndexByte(seed, '@')+1], mask) + seed[strings.LastIndexByte(seed, '@')+1:]
		}
		hosts[i] = host
	}
	return hosts
}

func appendParams(to []dsn.Param, prefix string, params url.Values, mask string) []dsn.Param {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		value := params.Get(name)
		if soundsSecret(name) {
			value = masked(value, mask)
		}
		to = append(to, dsn.Param{Key: prefix + name, Value: value})
	}
	return to
}

func masked(value, mask string) string {
	if value == "" || mask == "" {
		return value
	}
	return mask
}

// soundsSecret reports whether a plug-in's parameter is likely to be a secret; nobody tells us.
func soundsSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"password", "secret", "token", "key"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}
