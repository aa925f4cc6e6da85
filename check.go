package esdriver

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/esdriver/esdriver/internal/dsn"
)

// ConfigError tells what is wrong with a [Config] or a DSN.
type ConfigError struct {
	Key   string // the DSN key, or dsn, seeds, flavor, user, Authorize for what has none
	Value string // what it was given, xxxxx for a secret; empty when that is not known or says nothing
	Want  string // what was expected instead; empty when Err says it
	Near  string // the word that was meant, most likely; empty when none is near
	Err   error  // the cause; may be nil
}

// Error names the key, the value, what was expected, the cause and the word that was meant.
func (e *ConfigError) Error() string {
	text := "esdriver: " + e.Key
	if e.Value != "" {
		text += fmt.Sprintf(": got %q", e.Value)
	}
	if e.Want != "" {
		text += ": want " + e.Want
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Near != "" {
		text += "; did you mean " + e.Near + "?"
	}
	return text
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// check finds the first thing that is wrong with the Config itself, however it was made.
func (c *Config) check() error {
	for _, check := range []func() error{c.checkSeeds, c.checkKeys, c.checkCredentials, c.checkTLS, c.checkPlugins} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkSeeds() error {
	if len(c.Seeds) == 0 {
		return &ConfigError{Key: "seeds", Want: "at least one host:port"}
	}
	if c.Flavor > OpenSearch {
		return &ConfigError{Key: "flavor", Value: c.Flavor.String(), Want: "FlavorAuto, Elasticsearch or OpenSearch"}
	}
	for i, seed := range c.Seeds {
		if _, err := dsn.Host(seed); err != nil {
			return &ConfigError{Key: fmt.Sprintf("seeds[%d]", i), Err: err}
		}
	}
	return nil
}

// checkKeys lets each key judge its field, by the text that the DSN would have.
func (c *Config) checkKeys() error {
	var scratch Config
	for _, k := range keys {
		if value := k.get(c); value != "" && !k.set(&scratch, value) {
			return k.wrong(value)
		}
	}
	return nil
}

func (c *Config) checkCredentials() error {
	var given []string
	for name, is := range map[string]bool{
		"user":      c.User != "" || c.Password != "",
		"api_key":   c.APIKey != "",
		"bearer":    c.Bearer != "",
		"Authorize": c.Authorize != nil,
	} {
		if is {
			given = append(given, name)
		}
	}
	slices.Sort(given)
	switch {
	case len(given) > 1:
		all := strings.Join(given, ", ")
		return &ConfigError{Key: given[len(given)-1], Err: fmt.Errorf("%s exclude each other; pick one", all)}
	case c.User == "" && c.Password != "":
		return &ConfigError{Key: "user", Err: errors.New("a password without a user")}
	case strings.ContainsFunc(c.User, isBasicBreaker) || strings.ContainsFunc(c.Password, isControl):
		return &ConfigError{Key: "user", Want: "no : in the user, and no control characters in user and password (RFC 7617)"}
	}
	return nil
}

func isBasicBreaker(r rune) bool { return r == ':' || isControl(r) }

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func (c *Config) checkTLS() error {
	files := c.TLSCA != "" || c.TLSCert != "" || c.TLSKey != "" || c.TLSServerName != ""
	switch {
	case !c.TLS && c.TLSSkipVerify:
		return &ConfigError{Key: "tls", Err: errors.New("TLSSkipVerify needs TLS")}
	case !c.TLS && (files || c.TLSFingerprint != "" || c.TLSConfig != nil):
		return &ConfigError{Key: "tls", Value: "false", Want: "true (or scheme https), since other TLS settings are given"}
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return &ConfigError{Key: "tls.cert", Err: errors.New("tls.cert and tls.key need each other")}
	case c.TLSConfig != nil && (files || c.TLSSkipVerify):
		return &ConfigError{Key: "tls", Err: errors.New(
			"TLSConfig replaces tls.ca, tls.cert, tls.key, tls.servername and skip-verify; set one or the other")}
	}
	return nil
}

func (c *Config) checkPlugins() error {
	switch {
	case c.Sampler != nil && (c.SamplerName != "" || len(c.SamplerParams) > 0):
		return &ConfigError{Key: "sampler", Err: errors.New("Sampler excludes SamplerName and SamplerParams")}
	case c.Balancer != nil && (c.BalancerName != "" || len(c.BalancerParams) > 0):
		return &ConfigError{Key: "balancer", Err: errors.New("Balancer excludes BalancerName and BalancerParams")}
	}
	if err := checkParams("sampler.", c.SamplerParams); err != nil {
		return err
	}
	return checkParams("balancer.", c.BalancerParams)
}

// checkParams makes sure that the DSN could carry the parameters.
func checkParams(prefix string, params url.Values) error {
	for name, values := range params {
		if k := keyNamed(prefix + name); k != nil && !k.param {
			return &ConfigError{Key: prefix + name, Err: errors.New("has a field of its own in Config")}
		}
		if name == "" || len(values) != 1 {
			return &ConfigError{Key: prefix + name, Want: "a name and one value"}
		}
	}
	return nil
}
