package esdriver_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/plugins"
	"github.com/esdriver/esdriver/pool"
)

const fingerprint = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// full sets every key, with a value other than the default, but for those that exclude what it sets.
const full = "elasticsearch://u:p%40@h1,[::1]:9201/pre/fix?tls=skip-verify&tls.ca=ca.pem&tls.cert=c.pem&tls.key=k.pem&" +
	"tls.fingerprint=" + fingerprint + "&tls.servername=es&cluster=c&cluster.ignore_name=true&" +
	"sampler=sniff&sampler.interval=1s&sampler.timeout=2s&sampler.roles=data,ingest&sampler.x=y&balancer=zone&balancer.local=a&" +
	"pool.recovery=0&pool.bulk=4&pool.reg=7&pool.state=2&pool.ping=3&pool.shared=0&pool.wait=3s&pool.max_idle=0&pool.max_lifetime=4m&" +
	"pool.warm=full&class=bulk&timeout=1m&attempt_timeout=0&dial_timeout=1s&retry=false&retry.budget=0.5&fetch_size=10&max_offset=0&strict_limits=true&" +
	"time_zone=+05:30&catalog=cat&field_multi_value_leniency=true&refresh=false&tx=noop&allow_full_table=true&ddl_unsupported=ignore&realtime_get=false&compress=true&log=none"

func mustParse(t *testing.T, dsn string) esdriver.Config {
	t.Helper()
	c, err := esdriver.ParseDSN(dsn)
	require.NoError(t, err, dsn)
	return c
}

func TestEveryKeyReachesItsField(t *testing.T) {
	assert.Equal(t, esdriver.Config{
		Flavor: esdriver.Elasticsearch, Seeds: []string{"h1:9200", "[::1]:9201"}, Prefix: "/pre/fix", User: "u", Password: "p@",
		TLS: true, TLSSkipVerify: true, TLSCA: "ca.pem", TLSCert: "c.pem", TLSKey: "k.pem", TLSFingerprint: fingerprint, TLSServerName: "es",
		ClusterName: "c", IgnoreClusterName: true,
		SamplerName: "sniff", SampleEvery: time.Second, SampleTimeout: 2 * time.Second,
		SamplerParams: url.Values{"roles": {"data,ingest"}, "x": {"y"}},
		BalancerName:  "zone", BalancerParams: url.Values{"local": {"a"}},
		PoolSizes: pool.Sizes{-1, 4, 7, 2, 3}, PoolShared: -1, PoolWait: 3 * time.Second, PoolMaxIdle: -1, PoolMaxLifetime: 4 * time.Minute,
		PoolWarm: "full", Class: new(pool.Bulk), Timeout: time.Minute, AttemptTimeout: -1, DialTimeout: time.Second,
		NoRetry: true, RetryBudget: 0.5, FetchSize: 10, MaxOffset: -1, StrictLimits: true, TimeZone: "+05:30", Catalog: "cat", Arrays: "first", Refresh: "false", Tx: "noop",
		AllowFullTable: true, DDLUnsupported: "ignore", NoRealtimeGet: true, Compress: true,
	}, mustParse(t, full))
}

func TestEveryFieldIsReachableFromTheDSNOrGoOnly(t *testing.T) {
	goOnly := []string{"Authorize", "TLSConfig", "Sampler", "Balancer", "DialContext", "Proxy", "Logger", "Hooks"}
	dsns := []string{full, "https://h?api_key=k", "opensearch://h?bearer=b"}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[esdriver.Config]()) {
		set := false
		for _, dsn := range dsns {
			c := mustParse(t, dsn)
			set = set || !reflect.ValueOf(c).FieldByIndex(field.Index).IsZero()
		}
		goes := "the DSN"
		if !set {
			goes = "Go alone"
		}
		want := "the DSN"
		for _, name := range goOnly {
			if name == field.Name {
				want = "Go alone"
			}
		}
		assert.Equal(t, want, goes, "%s is set by", field.Name)
	}
}

func TestSchemeTellsFlavourAndTLS(t *testing.T) {
	for dsn, want := range map[string]esdriver.Config{
		"elasticsearch://h":          {Flavor: esdriver.Elasticsearch},
		"elasticsearch://h?tls=true": {Flavor: esdriver.Elasticsearch, TLS: true},
		"opensearch://h":             {Flavor: esdriver.OpenSearch},
		"http://h":                   {},
		"http://h?tls=true":          {TLS: true},
		"https://h":                  {TLS: true},
		"HTTPS://h?tls=skip-verify":  {TLS: true, TLSSkipVerify: true},
	} {
		want.Seeds = []string{"h:9200"}
		assert.Equal(t, want, mustParse(t, dsn), dsn)
	}
}

func TestFormatGivesTheSameConfigBack(t *testing.T) {
	for _, dsn := range []string{
		full, "http://h", "https://h", "https://h?tls=skip-verify", "elasticsearch://h?tls=true", "opensearch://u@h",
		"http://h?api_key=a%2Bb/c==", "http://h?bearer=x.y-z", "http://h?arrays=json", "http://h?fetch_size=0&retry.budget=0&sampler.interval=0",
		"http://h?pool.wait=30s&retry=true&tls=false&pool.shared=32&class=recovery&arrays=error", // defaults, said aloud
		"http://h?balancer.a=%26&sampler.b=%3D&time_zone=Europe/Berlin&catalog=%E4%B8%96%20%25",
	} {
		c := mustParse(t, dsn)
		again := mustParse(t, c.FormatDSN())
		assert.Equal(t, c, again, c.FormatDSN())
	}
}

func TestFormatWritesWhatIsNotDefault(t *testing.T) {
	assert.Equal(t, "http://h:9200", esdriver.Config{Seeds: []string{"H"}}.FormatDSN())
	assert.Equal(t, "elasticsearch://u:p@h:9200?tls=true&pool.recovery=0&pool.shared=0&attempt_timeout=0&retry=false", esdriver.Config{
		Flavor: esdriver.Elasticsearch, Seeds: []string{"h"}, User: "u", Password: "p", TLS: true,
		PoolSizes: pool.Sizes{pool.Recovery: -5}, PoolShared: -2, AttemptTimeout: -time.Second, NoRetry: true,
	}.FormatDSN())
}

func TestWrongValueIsAnsweredWithWhatWasExpected(t *testing.T) {
	for param, want := range map[string]string{
		"tls=yes":                     `esdriver: tls: got "yes": want true, false or skip-verify`,
		"pool.reg=0":                  `esdriver: pool.reg: got "0": want a whole number from 1 to 65535`,
		"pool.state=0":                `pool.state: got "0"`,
		"pool.ping=0":                 `pool.ping: got "0"`,
		"pool.recovery=-1":            `pool.recovery: got "-1": want a whole number from 0 to 65535`,
		"pool.shared=65536":           "pool.shared",
		"pool.bulk=9999999999":        "pool.bulk",
		"pool.bulk=1.5":               "pool.bulk",
		"pool.wait=30":                `pool.wait: got "30": want a Go duration such as 1m30s, none below 0`,
		"pool.wait=-1s":               "pool.wait",
		"pool.warm=hot":               `pool.warm: got "hot": want none, light or full`,
		"dial_timeout=0":              `dial_timeout: got "0": want a Go duration over 0`,
		"sampler.timeout=0s":          "sampler.timeout",
		"timeout=x":                   "timeout",
		"class=search":                `class: got "search": want recovery, bulk, reg, state or ping`,
		"retry=1":                     `retry: got "1": want true or false`,
		"retry=":                      "retry: want true or false",
		"retry.budget=1.01":           "retry.budget",
		"retry.budget=NaN":            "retry.budget",
		"retry.budget=-0.1":           "retry.budget",
		"fetch_size=-1":               "fetch_size",
		"time_zone=Mars/Olympus":      `time_zone: got "Mars/Olympus": want an IANA time zone`,
		"time_zone=Local":             "time_zone",
		"time_zone=+5":                "time_zone",
		"time_zone=+19:00":            "time_zone",
		"arrays=all":                  "arrays",
		"refresh=now":                 "refresh",
		"tx=yes":                      "tx",
		"log=debug":                   `log: got "debug": want none; a *slog.Logger goes into Config.Logger`,
		"tls=true&tls.fingerprint=ab": "tls.fingerprint",
		"api_key=":                    "api_key: want printable ASCII",
		"sampler=":                    "sampler: want a registered name",
		"arrays=json&field_multi_value_leniency=true": "field_multi_value_leniency",
		"field_multi_value_leniency=true&arrays=json": "arrays",
		"sampler.=x": `esdriver: sampler.: unknown key`,
	} {
		_, err := esdriver.ParseDSN("elasticsearch://h?" + param)
		var wrong *esdriver.ConfigError
		require.ErrorAs(t, err, &wrong, param)
		assert.Contains(t, err.Error(), want, param)
	}
}

func TestUnknownKeyIsAnsweredWithTheNearest(t *testing.T) {
	for key, near := range map[string]string{
		"fetchsize": "fetch_size", "tls_ca": "tls.ca", "Timeout": "timeout", "pool.regular": "pool.reg", "sample": "sampler", "retries": "retry",
	} {
		_, err := esdriver.ParseDSN("http://h?" + key + "=1")
		assert.EqualError(t, err, fmt.Sprintf("esdriver: %s: unknown key; did you mean %s?", key, near))
	}
}

func TestContradictionIsRefused(t *testing.T) {
	for dsn, want := range map[string]string{
		"https://h?tls=false": "tls: got \"false\": want true or skip-verify with scheme https",
		"http://h?tls.ca=x":   "tls: got \"false\": want true",
		"elasticsearch://h?tls.fingerprint=" + fingerprint: "tls: got \"false\": want true",
		"https://h?tls.cert=x":                             "tls.cert and tls.key need each other",
		"http://u:p@h?api_key=k":                           "api_key, user exclude each other; pick one",
		"http://h?api_key=k&bearer=b":                      "api_key, bearer exclude each other",
		"http://:p@h":                                      "a password without a user",
		"http://a%3Ab:p@h":                                 "no : in the user",
		"http://a:p%0A@h":                                  "control characters",
	} {
		_, err := esdriver.ParseDSN(dsn)
		require.ErrorContains(t, err, want, dsn)
	}
}

func TestConfigIsCheckedLikeTheDSN(t *testing.T) {
	for want, c := range map[string]esdriver.Config{
		"seeds: want at least one":     {},
		"seeds[1]: ":                   {Seeds: []string{"h", "http://h"}},
		"flavor: got":                  {Flavor: 9},
		"pool.state: got \"-1\"":       {PoolSizes: pool.Sizes{pool.State: -1}},
		"dial_timeout: got \"-1s\"":    {DialTimeout: -time.Second},
		"timeout: got \"-1ns\"":        {Timeout: -1},
		"pool.warm: got \"hot\"":       {PoolWarm: "hot"},
		"class: got \"class(7)\"":      {Class: new(pool.Class(7))},
		"api_key: got \"xxxxx\": want": {APIKey: "a b"},
		"Authorize, bearer exclude":    {Bearer: "b", Authorize: func(context.Context, *http.Request) error { return nil }},
		"TLSSkipVerify needs TLS":      {TLSSkipVerify: true},
		"TLSConfig replaces":           {TLS: true, TLSCA: "x", TLSConfig: &tls.Config{}},
		"sampler.interval: has a":      {SamplerParams: url.Values{"interval": {"1s"}}},
		"balancer.x: want a name and":  {BalancerParams: url.Values{"x": {"1", "2"}}},
		"cluster: got":                 {ClusterName: "a\nb"},
	} {
		if c.Seeds == nil && !strings.HasPrefix(want, "seeds") {
			c.Seeds = []string{"h"}
		}
		_, err := esdriver.NewConnector(c)
		var wrong *esdriver.ConfigError
		require.ErrorAs(t, err, &wrong, want)
		assert.Contains(t, err.Error(), want)
	}
}

func TestNothingPrintsASecretButFormatDSN(t *testing.T) {
	logged := new(strings.Builder)
	for _, c := range []esdriver.Config{
		mustParse(t, "http://u:s3cret@h?sampler.auth_token=s3cret"),
		mustParse(t, "http://h?api_key=s3cret&balancer.Password=s3cret"),
		mustParse(t, "http://h?bearer=s3cret"),
		{Seeds: []string{"http://u:s3cret@h"}},
		{Seeds: []string{"h"}, Password: "s3cret"},
	} {
		slog.New(slog.NewJSONHandler(logged, nil)).Info("opened", "config", c)
		assert.NotContains(t, logged.String(), "s3cret")
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			assert.NotContains(t, fmt.Sprintf(verb, c), "s3cret")
			assert.Contains(t, fmt.Sprintf(verb, c), "xxxxx")
			assert.NotContains(t, fmt.Sprintf(verb, &c), "s3cret")
		}
		assert.Contains(t, c.FormatDSN(), "s3cret")
		_, err := esdriver.NewConnector(c)
		if err != nil {
			assert.NotContains(t, err.Error(), "s3cret")
		}
	}
	for _, dsn := range []string{
		"http://h?api_key=s3c%20ret", "http://h?bearer=s3cret%0A", "http://u:s3cret@h?x=1", "http://u:s3cret@h:0", "http://u:s3cret@h?api_key=s3cret",
		"http://u:/s3cret@h", "http://u:1?s3cret@h", "http://u:s3cret%0a@h",
	} {
		_, err := esdriver.ParseDSN(dsn)
		require.Error(t, err, dsn)
		assert.NotContains(t, err.Error(), "s3cret", dsn)
		assert.NotContains(t, fmt.Sprintf("%#v", err), "s3cret", dsn)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	original := mustParse(t, full)
	original.Hooks = []plugins.Hook{1}
	original.TLSConfig = &tls.Config{ServerName: "a"}
	before := fmt.Sprint(original, original.Hooks, *original.Class)
	clone := original.Clone()
	assert.Equal(t, before, fmt.Sprint(clone, clone.Hooks, *clone.Class))
	clone.Seeds[0], clone.Hooks[0], *clone.Class, clone.TLSConfig.ServerName = "x", 2, pool.Ping, "b"
	clone.SamplerParams["x"][0] = "z"
	clone.BalancerParams.Set("new", "1")
	assert.Equal(t, before, fmt.Sprint(original, original.Hooks, *original.Class))
	assert.Equal(t, "a", original.TLSConfig.ServerName)
}

func TestCloneReachesEveryFieldThatCanBeShared(t *testing.T) {
	known := map[string]bool{ // slices, maps and pointers that Clone copies, and those it shares by contract
		"Seeds": true, "SamplerParams": true, "BalancerParams": true, "Hooks": true, "Class": true, "TLSConfig": true, "Logger": true,
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[esdriver.Config]()) {
		switch field.Type.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			assert.True(t, known[field.Name], "Clone does not know %s", field.Name)
		}
	}
}

func TestConfigErrorGivesItsCause(t *testing.T) {
	cause := errors.New("cause")
	err := error(&esdriver.ConfigError{Key: "tls", Err: cause})
	require.ErrorIs(t, err, cause)
	assert.EqualError(t, err, "esdriver: tls: cause")
}

func TestConfigDoesNotMarshalItsSecrets(t *testing.T) {
	//lint:ignore SA1026 that it cannot be marshalled is what is tested
	_, err := json.Marshal(esdriver.Config{Password: "s3cret"})
	require.Error(t, err, "functions have no JSON, so there is none of the secrets")
}

func FuzzParseDSN(f *testing.F) {
	for _, seed := range []string{full, "https://h?api_key=k", "http://h?x", "opensearch://[::1]/p?retry.budget=1e-3&timeout=1h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		c, err := esdriver.ParseDSN(dsn)
		if err != nil {
			return
		}
		again, err := esdriver.ParseDSN(c.FormatDSN())
		require.NoError(t, err, c.FormatDSN())
		require.Equal(t, c, again)
		_ = c.String()
	})
}
