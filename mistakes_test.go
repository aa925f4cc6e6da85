package esdriver_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/balancer"
)

// Each line is what somebody new writes, and all of what sql.Open answers.
func TestMistakeInADSNIsAnsweredByOpenWithKeyValueAndWhatIsAllowed(t *testing.T) {
	for dsn, want := range map[string]string{
		"http://h?pool.warm=ful": `pool.warm: got "ful": want none, light or full; did you mean full?`,
		"http://h?arrays=fist":   `arrays: got "fist": want error, first or json, and first if field_multi_value_leniency is true; did you mean first?`,
		"http://h?refresh=wait":  `refresh: got "wait": want wait_for, true or false; did you mean wait_for?`,
		"http://h?class=bulkk":   `class: got "bulkk": want recovery, bulk, reg, state or ping; did you mean bulk?`,
		"http://h?tls=yes":       `tls: got "yes": want true, false or skip-verify`,
		"http://h?retry=False":   `retry: got "False": want true or false; did you mean false?`,
		"http://h?timeout=5":     `timeout: got "5": want a Go duration such as 1m30s, none below 0; did you mean 5s?`,
		"http://h?pool.wait=1m5": `pool.wait: got "1m5": want a Go duration such as 1m30s, none below 0; did you mean 1m5s?`,
		"http://h?timeout=-5":    `timeout: got "-5": want a Go duration such as 1m30s, none below 0`,
		"http://h?timeout":       `timeout: want a Go duration such as 1m30s, none below 0`,

		"http://h?samplr=sniff":           `samplr: unknown key; did you mean sampler?`,
		"http://h?TIMEOUT=5s":             `TIMEOUT: unknown key; did you mean timeout?`,
		"http://h?sslmode=disable":        `sslmode: unknown key; the nearest known one is sampler`,
		"http://h?password=s3cret":        `password: unknown key; user and password stand before the hosts: user:password@host`,
		"http://h?apikey=s3cret":          `apikey: unknown key; did you mean api_key?`,
		"http://h?timeout=1s&timeout=2s":  `dsn: key "timeout" is given twice`,
		"http://h?retry.budget=20%":       `dsn: key "retry.budget": a % must be followed by two hexadecimal digits; write %25 for % itself`,
		"http://h?sampler.intervall=5s":   `sampler.intervall: sampler=ping has no such key (known: none); did you mean sampler.interval?`,
		"http://h?sampler.roles=data":     `sampler.roles: sampler=ping has no such key (known: none)`,
		"http://h?balancer.zone.attr=a":   `balancer.zone.attr: balancer=leastbusy has no such key (known: none)`,
		"http://h?balancer=zone":          `balancer.local: want the zone to stay in`,
		"http://h?sampler=sniff&balancer": `balancer: want a registered name`,

		"http://h?balancer=zone&balancer.local=a&balancer.atr=b": `balancer.atr: balancer=zone has no such key ` +
			`(known: balancer.attr, balancer.inner, balancer.local); did you mean balancer.attr?`,
		"http://h?balancer=zone&balancer.local=a&balancer.inner.speed=2": `balancer.inner.speed: balancer=zone has no such key ` +
			`(known: balancer.attr, balancer.inner, balancer.local)`,
		"http://h?balancer=zone&balancer.local=a&balancer.inner=zone": `balancer.inner.local: want the zone to stay in`,
		"http://h?sampler=sniff&sampler.fanout=all":                   `sampler.fanout: got "all": want a number from 1 on`,

		"":                       `dsn: no scheme: want SCHEME://host:port, such as http://localhost:9200, with scheme elasticsearch, opensearch, http or https`,
		"localhost:9200":         `dsn: no scheme: want SCHEME://host:port, such as http://localhost:9200, with scheme elasticsearch, opensearch, http or https`,
		"elastic://h":            `dsn: scheme "elastic": want elasticsearch, opensearch, http or https; did you mean elasticsearch?`,
		"elasticsearch://":       `dsn: host 1 (""): no name or address`,
		" http://h":              `dsn: a space or a line break at the beginning or the end`,
		"http://h\n":             `dsn: a space or a line break at the beginning or the end`,
		"http://h1, h2":          `dsn: host 2 (" h2"): want a name of letters, digits, . - and _, an IPv4 address, or an IPv6 address in brackets`,
		"http://h1,http://h2":    `dsn: host 2 ("http"): the scheme is written once, before the first host`,
		"http://::1:9200":        `dsn: host 1 (""): more than one colon: want an IPv6 address in brackets, such as [::1]:9200, or one port`,
		"http://u:s3cret/p@h":    `dsn: @ or # behind the hosts: write %40 and %23, and in user and password also / as %2F and ? as %3F`,
		"http://u:s3cret%p@h":    `dsn: user or password: a % must be followed by two hexadecimal digits; write %25 for % itself`,
		"http://h:http":          `dsn: host 1 ("h"): want a port from 1 to 65535`,
		"https://h?tls=false":    `tls: got "false": want true or skip-verify with scheme https`,
		"http://u:p@h?bearer=ab": `user: bearer, user exclude each other; pick one`,
	} {
		_, err := sql.Open("esdriver", dsn)
		assert.EqualError(t, err, "esdriver: "+want, dsn)
		var wrong *esdriver.ConfigError
		assert.ErrorAs(t, err, &wrong, dsn)
	}
}

func TestMisspeltPluginIsAnsweredWithTheOneThatWasMeant(t *testing.T) {
	for dsn, want := range map[string][2]string{
		"http://h?sampler=snif":         {`sampler: got "snif": want ping, sniff, static`, "; did you mean sniff?"},
		"http://h?balancer=roundrobbin": {`balancer: got "roundrobbin": want `, "or a name that the program has registered; did you mean roundrobin?"},
		"http://h?balancer=our-own":     {`balancer: got "our-own": want `, "or a name that the program has registered"},
	} {
		_, err := sql.Open("esdriver", dsn)
		require.Error(t, err, dsn)
		assert.True(t, strings.HasPrefix(err.Error(), "esdriver: "+want[0]), err)
		assert.True(t, strings.HasSuffix(err.Error(), want[1]), err)
	}
}

func TestRefusedParameterOfAPluginIsNamedAndItsSecretIsNot(t *testing.T) {
	refuse := func(p url.Values) (balancer.Balancer, error) {
		return nil, fmt.Errorf("ours: %w", &balancer.ParamError{Name: "token", Value: p.Get("token"), Want: "a token"})
	}
	balancer.Register("test-refusing", refuse)
	_, err := sql.Open("esdriver", "http://h?balancer=test-refusing&balancer.token=s3cret")
	assert.EqualError(t, err, `esdriver: balancer.token: got "xxxxx": want a token`)
}

func TestWhatLooksWrongAndIsRightIsTaken(t *testing.T) {
	for dsn, want := range map[string]string{
		"ELASTICSEARCH://H":    "elasticsearch://h:9200",
		"http://u:p@ss@h":      "http://u:p%40ss@h:9200",
		"http://u:p ss@h":      "http://u:p%20ss@h:9200",
		"https://h:443/search": "https://h:443/search",
		"http://[::1]":         "http://[::1]:9200",
	} {
		assert.Equal(t, want, mustParse(t, dsn).FormatDSN())
	}
}
