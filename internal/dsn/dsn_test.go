package dsn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/dsn"
)

func TestParseTakesEveryPartApart(t *testing.T) {
	got, err := dsn.Parse("ElasticSearch://us%40er:p%3Aa%2Fs%3Fs%23@H1,h2.example:9201,[2001:DB8::0:1]:9300/a//b/../c/?tls=true&time_zone=+05:30&x=%26%3D")
	require.NoError(t, err)
	assert.Equal(t, dsn.DSN{
		Scheme: "elasticsearch", User: "us@er", Password: "p:a/s?s#", HasPassword: true,
		Hosts:  []string{"h1:9200", "h2.example:9201", "[2001:db8::1]:9300"},
		Prefix: "/a/c",
		Params: []dsn.Param{{Key: "tls", Value: "true"}, {Key: "time_zone", Value: "+05:30"}, {Key: "x", Value: "&="}},
	}, got)
}

func TestParseFormatsBack(t *testing.T) {
	for text, want := range map[string]string{
		"http://h":                       "http://h:9200",
		"https://h/":                     "https://h:9200",
		"opensearch://h/p/?":             "opensearch://h:9200/p",
		"http://u@h":                     "http://u@h:9200",
		"http://u:@h":                    "http://u:@h:9200",
		"http://u:a@b@h":                 "http://u:a%40b@h:9200",
		"http://u:p+ @h":                 "http://u:p%2B%20@h:9200",
		"http://[fe80::1%25eth0]":        "http://[fe80::1%25eth0]:9200",
		"http://[fe80::1%eth0]:1":        "http://[fe80::1%25eth0]:1",
		"http://h/%E4%B8%96%20x?k=a%20b": "http://h:9200/%E4%B8%96%20x?k=a%20b",
		"http://h/a%40b?k=%40":           "http://h:9200/a%40b?k=%40",
		"http://h?a=1&&b=+/==&":          "http://h:9200?a=1&b=%2B%2F%3D%3D",
		"http://H:09200,127.0.0.1:65535": "http://h:9200,127.0.0.1:65535",
	} {
		d, err := dsn.Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, d.Format())
	}
}

func TestParseRefusesWhatIsNoName(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "no scheme: want SCHEME://",
		"localhost:9200":          "no scheme: want SCHEME://",
		"a b://h":                 "no scheme: want SCHEME://",
		" http://h":               "a space or a line break",
		"http://h\n":              "a space or a line break",
		"postgres://h":            `scheme "postgres": want elasticsearch, opensearch, http or https`,
		"elastic+https://h":       `scheme "elastic+https": want`,
		"Elastic://h":             `scheme "Elastic": want elasticsearch, opensearch, http or https; did you mean elasticsearch?`,
		"http://":                 "host 1 (\"\"): no name or address",
		"http://:9200":            "no name or address",
		"http://a,,b":             "host 2 (\"\"): no name",
		"http://a,":               "host 2",
		"http://a:":               "host 1 (\"a\"): want a port",
		"http://a:0":              "want a port",
		"http://a:65536":          "want a port",
		"http://a:-1":             "want a port",
		"http://::1":              "IPv6 address in brackets",
		"http://[::1":             "IPv6 address in brackets",
		"http://[::1]x:9200":      "IPv6 address in brackets",
		"http://[1.2.3.4]":        "IPv6 address in brackets",
		"http://a b":              "want a name of letters",
		"http://bücher":           "want a name of letters",
		"http://u:%zz@h":          "user or password: a %",
		"http://h/%zz":            "path prefix: a %",
		"http://h/a%2fb":          "path prefix: an encoded /",
		"http://h?a=%zz":          `key "a": a %`,
		"http://h?%zz=1":          "parameter 1: no key",
		"http://h?a=1&=1":         "parameter 2: no key",
		"http://h?a=1&b=2&a=3":    "key \"a\" is given twice",
		"http://h?a=1&%61=3":      "key \"a\" is given twice",
		"http://h?a=x@y":          "@ or # behind the hosts",
		"http://h/#top":           "@ or # behind the hosts",
		"http://a:9200:9201":      "IPv6 address in brackets",
		"http://http://a":         "host 1 (\"http\"): the scheme is written once",
		"http://a;b":              "want a name of letters",
		"http://h:9200,http://h2": "host 2 (\"http\"): the scheme is written once",
	} {
		_, err := dsn.Parse(text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}

func TestNoErrorShowsThePassword(t *testing.T) {
	for _, text := range []string{
		"http://u:s3cret%@h", "http://u:s3cret@h:x", "http://u:s3cret@", "http://u:s3cret",
		"http://u:/s3cret@h", "http://u:1/s3cret@h", "http://u:1?s3cret@h", "http://u:1?s3cret=1@h",
		"http://u:x#s3cret@h", "http://u:a@b/s3cret@h", "ftp://u:s3cret@h", "u:s3cret@h",
		"http://u:s3cret@h?a=1&a=2", "http://u:s3cret@h/%", "http://h?api_key=s3cret%", "http://u:x:s3cret",
	} {
		_, err := dsn.Parse(text)
		require.Error(t, err, text)
		assert.NotContains(t, err.Error(), "s3cret", text)
	}
}

func TestNearestNamesTheWordMeant(t *testing.T) {
	known := []string{"timeout", "attempt_timeout", "sampler", "sampler.interval", "fetch_size", "tls", "tx"}
	for word, want := range map[string]string{
		"fetchsize": "fetch_size", "FETCH_SIZE": "fetch_size", "time_out": "timeout", "sampler_interval": "sampler.interval",
		"tsl": "tls", "tls": "tls", "attempt-timeout": "attempt_timeout", "samplr": "sampler",
	} {
		got, near := dsn.Nearest(word, known)
		assert.Equal(t, want, got, word)
		assert.True(t, near, word)
	}
	got, _ := dsn.Nearest("abcd", []string{"abcdxyz", "abxy"})
	assert.Equal(t, "abxy", got, "two replacements are fewer than three insertions")
}

func TestNearestOfStrangeWordsIsNotNear(t *testing.T) {
	known := []string{"timeout", "tls", "retry"}
	for word, want := range map[string]string{"xyzzy": "retry", "password": "timeout", "tim": "tls"} {
		got, near := dsn.Nearest(word, known)
		assert.Equal(t, want, got, word)
		assert.Equal(t, word == "tim", near, word)
	}
	got, near := dsn.Nearest("x", nil)
	assert.Empty(t, got)
	assert.False(t, near)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"elasticsearch://h1,h2:9201/p?tls=true", "http://u:p%40@[::1]:9200", "https://[fe80::1%25eth0]/a/../b?x=+", "http://a:b@c@d?e&f=&g==h",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := dsn.Parse(text)
		if err != nil {
			return
		}
		again, err := dsn.Parse(first.Format())
		require.NoError(t, err, first.Format())
		require.Equal(t, first, again)
		require.Equal(t, first.Format(), again.Format())
	})
}
