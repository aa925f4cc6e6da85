package esdriver

import (
	"encoding/base64"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

var update = flag.Bool("update", false, "write README.md's table of keys")

const (
	tableBegin = "<!-- dsn:begin -->\n"
	tableEnd   = "<!-- dsn:end -->"
)

// keyTable is the README's table of keys, made of the one that ParseDSN uses.
func keyTable() string {
	var b strings.Builder
	b.WriteString("| key | default | meaning |\n|---|---|---|\n")
	for _, k := range keys {
		def := k.def
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.name, def, k.doc)
	}
	return b.String()
}

// Run with -update after a change of the keys.
func TestREADMEHasTheTableOfKeys(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(readme), tableBegin)
	table, after, ends := strings.Cut(rest, tableEnd)
	require.True(t, begins && ends, "README.md has no markers %q and %q", tableBegin, tableEnd)
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(before+tableBegin+keyTable()+tableEnd+after), 0o644))
		return
	}
	assert.Equal(t, keyTable(), table, "run go test . -run README -update")
}

func TestKeysAreDocumentedAndNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range keys {
		assert.False(t, seen[k.name], "%s is there twice", k.name)
		seen[k.name] = true
		assert.NotEmpty(t, k.doc, k.name)
		assert.NotEmpty(t, k.want, k.name)
	}
}

func TestEachDefaultIsAValueOfItsKey(t *testing.T) {
	for _, k := range keys {
		var c Config
		assert.True(t, k.def == "" || k.set(&c, k.def), "%s=%s", k.name, k.def)
	}
}

func TestConfigOfSeedsAloneHasTheDocumentedDefaults(t *testing.T) {
	assert.Equal(t, Config{
		Seeds: []string{"h"}, SamplerName: "ping", SampleEvery: 5 * time.Second, SampleTimeout: 5 * time.Second, BalancerName: "leastbusy",
		PoolSizes: pool.DefaultSizes, PoolShared: 32, PoolWait: 30 * time.Second, PoolMaxIdle: time.Minute, PoolMaxLifetime: 5 * time.Minute,
		PoolWarm: "none", AttemptTimeout: 30 * time.Second, DialTimeout: 5 * time.Second, RetryBudget: 0.2,
		FetchSize: 1000, MaxOffset: 10_000, TimeZone: "UTC", Arrays: "error", Refresh: "wait_for", Tx: "error", DDLUnsupported: "error",
	}, Config{Seeds: []string{"h"}}.resolved())
}

func TestOffStaysOffWhenDefaultsAreFilledIn(t *testing.T) {
	c, err := ParseDSN("http://h?pool.recovery=0&pool.shared=0&retry.budget=0&fetch_size=0&pool.wait=0&retry=false")
	require.NoError(t, err)
	c = c.resolved()
	inner, err := c.inner()
	require.NoError(t, err)
	assert.Equal(t, pool.Sizes{0, 3, 6, 1, 1}, inner.Sizes)
	assert.Zero(t, inner.Shared)
	assert.Zero(t, inner.RetryBudget)
	assert.True(t, inner.NoRetry)
	assert.LessOrEqual(t, inner.PoolWait, time.Duration(0))
	assert.Negative(t, c.FetchSize)
}

func TestSeedsBecomeURLsWithSchemeAndPrefix(t *testing.T) {
	c, err := ParseDSN("https://u:p@H1,[::1]:1/a b/")
	require.NoError(t, err)
	urls, err := c.urls(c.Seeds)
	require.NoError(t, err)
	assert.Equal(t, "[https://h1:9200/a%20b https://[::1]:1/a%20b]", fmt.Sprint(urls))
}

func TestCredentialsBecomeAnAuthorizationHeader(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("id:key"))
	for dsn, want := range map[string]string{
		"http://h":                     "",
		"http://u:p%C3%A9@h":           "Basic " + base64.StdEncoding.EncodeToString([]byte("u:pé")),
		"http://u@h":                   "Basic " + base64.StdEncoding.EncodeToString([]byte("u:")),
		"http://h?api_key=id:key":      "ApiKey " + encoded,
		"http://h?api_key=" + encoded:  "ApiKey " + encoded,
		"http://h?api_key=essu_abc+/=": "ApiKey essu_abc+/=",
		"http://h?bearer=x.y":          "Bearer x.y",
	} {
		c, err := ParseDSN(dsn)
		require.NoError(t, err)
		req, err := http.NewRequest(http.MethodGet, "http://h", nil)
		require.NoError(t, err)
		if authorize := c.authorizer(); authorize != nil {
			require.NoError(t, authorize(req))
		}
		assert.Equal(t, want, req.Header.Get("Authorization"), dsn)
	}
}
