package sampler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/sampler"
)

var publishAddresses = map[string]string{ // to what they mean; empty for nothing
	"1.2.3.4:9200":                    "1.2.3.4:9200",
	"es1.example.com:9200":            "es1.example.com:9200",
	"ES1.Example.COM:9200":            "es1.example.com:9200",
	"host/1.2.3.4:9200":               "host:9200",
	"/1.2.3.4:9200":                   "1.2.3.4:9200",
	"es_1.internal/10.0.0.1:443":      "es_1.internal:443",
	"host/[fe80::1%eth0]:9200":        "host:9200",
	"[::1]:9200":                      "[::1]:9200",
	"[FE80::1%eth0]:9200":             "[fe80::1%eth0]:9200",
	"[0:0:0:0:0:0:0:1]:9200":          "[::1]:9200",
	"[::ffff:1.2.3.4]:9200":           "1.2.3.4:9200",
	"inet[/1.2.3.4:9200]":             "1.2.3.4:9200",
	"inet[host/1.2.3.4:9200]":         "host:9200",
	"inet[/0:0:0:0:0:0:0:1:9200]":     "[::1]:9200",
	"inet[host/0:0:0:0:0:0:0:1:9200]": "host:9200",
	"host/0.0.0.0:9200":               "host:9200",

	"":                       "",
	":":                      "",
	"inet[192.168.2.7:]":     "",
	"inet[/1.2.3.4:9200":     "",
	"inet[]":                 "",
	"1.2.3.4":                "",
	"1.2.3.4:":               "",
	"1.2.3.4:0":              "",
	"1.2.3.4:-1":             "",
	"1.2.3.4:65536":          "",
	"1.2.3.4:http":           "",
	":9200":                  "",
	"0.0.0.0:9200":           "",
	"[::]:9200":              "",
	"[::ffff:0.0.0.0]:9200":  "",
	"::1:9200":               "",
	"host/other:9200":        "",
	"a/b/1.2.3.4:9200":       "",
	"user:secret@host:9200":  "",
	"user@host:9200":         "",
	"http://host:9200":       "",
	"ho st:9200":             "",
	"[fe80::1%e th]:9200":    "",
	"host/<unresolved>:9200": "",
}

func TestPublishAddressesOfAllVersionsAreUnderstood(t *testing.T) {
	for in, want := range publishAddresses {
		got, err := sampler.ParseAddress(in)
		assert.Equal(t, want, got, "%q", in)
		if want == "" {
			require.ErrorIs(t, err, sampler.ErrNoAddress, "%q", in)
		} else {
			require.NoError(t, err, "%q", in)
		}
	}
}

func FuzzPublishAddress(f *testing.F) {
	for in := range publishAddresses {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		addr, err := sampler.ParseAddress(in)
		if err != nil {
			require.Empty(t, addr)
			return
		}
		again, err := sampler.ParseAddress(addr)
		require.NoError(t, err)
		require.Equal(t, addr, again)
		u := seedAt("http://x")
		u.URL.Host = addr
		parsed, err := u.URL.Parse(u.URL.String())
		require.NoError(t, err)
		require.Equal(t, addr, parsed.Host, "the address is the host of a URL")
	})
}
