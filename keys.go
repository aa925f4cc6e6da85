package esdriver

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/esdriver/esdriver/pool"
)

// key is one key of the DSN and the field of Config behind it. The table of keys drives ParseDSN, FormatDSN, the
// check of a Config, its defaults and README's table.
type key struct {
	name   string
	def    string // the default, as the DSN would write it; empty for none
	want   string // what a value must be
	doc    string // the README's words
	secret bool
	param  bool // kept among a plug-in's parameters, where FormatDSN finds it

	set  func(c *Config, value string) bool // false: the value is not what want says
	get  func(c *Config) string             // empty: not set
	near func(value string) string          // the value that a wrong one was meant to be, or empty; may be nil
}

// wrong is the error of a value that the key does not take.
func (k *key) wrong(value string) *ConfigError {
	e := &ConfigError{Key: k.name, Value: value, Want: k.want}
	if k.secret {
		e.Value = masked(value, redacted)
	}
	if k.near != nil {
		e.Near = k.near(value)
	}
	return e
}

func keyNamed(name string) *key {
	if i := slices.IndexFunc(keys, func(k key) bool { return k.name == name }); i >= 0 {
		return &keys[i]
	}
	return nil
}

func keyNames() []string {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].name
	}
	return names
}

// resolved returns the Config with the default in every field that is not set. Off stays negative.
func (c Config) resolved() Config {
	c = c.Clone()
	for _, k := range keys {
		if k.def != "" && k.get(&c) == "" {
			k.set(&c, k.def)
		}
	}
	return c
}

// keys is in the README's order. It is never changed.
var keys = slices.Concat(
	[]key{
		tlsKey(),
		textKey("tls.ca", "a PEM file of authorities to trust instead of the system's",
			func(c *Config) *string { return &c.TLSCA }),
		textKey("tls.cert", "a PEM file with the client's certificate",
			func(c *Config) *string { return &c.TLSCert }),
		textKey("tls.key", "a PEM file with the client certificate's key",
			func(c *Config) *string { return &c.TLSKey }),
		fingerprintKey(),
		textKey("tls.servername", "the name that the server's certificate must bear instead of the host's",
			func(c *Config) *string { return &c.TLSServerName }),
		secretKey("api_key", "API key, `id:key` or the servers' encoded form",
			func(c *Config) *string { return &c.APIKey }),
		secretKey("bearer", "bearer token", func(c *Config) *string { return &c.Bearer }),
		textKey("cluster", "the name that nodes must give as their cluster's; without it, the first seen",
			func(c *Config) *string { return &c.ClusterName }),
		boolKey("cluster.ignore_name", true, "take nodes of any cluster",
			func(c *Config) *bool { return &c.IgnoreClusterName }),
	},
	samplerKeys,
	poolKeys(),
	[]key{
		classKey(),
		durationKey("timeout", "0", false, "a whole request, all attempts; 0: the context alone bounds it. A statement may make several: `WithTimeout`",
			func(c *Config) *time.Duration { return &c.Timeout }),
		durationKey("attempt_timeout", "30s", true, "one attempt to the answer's header, then each pause in its body; 0: none",
			func(c *Config) *time.Duration { return &c.AttemptTimeout }),
		durationKey("dial_timeout", "5s", false, "one dial, TLS included",
			func(c *Config) *time.Duration { return &c.DialTimeout }),
		boolKey("retry", false, "try another node after a failure, where that is safe",
			func(c *Config) *bool { return &c.NoRetry }),
		budgetKey(),
		fetchSizeKey(),
		maxOffsetKey(),
		boolKey("strict_limits", true, "fail when a result has just as many rows as the server gives at most",
			func(c *Config) *bool { return &c.StrictLimits }),
		timeZoneKey(),
		textKey("catalog", "the cluster that tables without one belong to (Elasticsearch)",
			func(c *Config) *string { return &c.Catalog }),
		arraysKey(),
		leniencyKey(),
		choiceKey("refresh", "when a write becomes visible to searches",
			func(c *Config) *string { return &c.Refresh }, "wait_for", "true", "false"),
		choiceKey("tx", "what BEGIN does: fail, or nothing at all",
			func(c *Config) *string { return &c.Tx }, "error", "noop"),
		boolKey("allow_full_table", true, "`UPDATE` and `DELETE` without `WHERE` change every row",
			func(c *Config) *bool { return &c.AllowFullTable }),
		choiceKey("ddl_unsupported", "what becomes of `UNIQUE`, foreign keys, `CHECK` and `CREATE INDEX`, which a search engine cannot keep",
			func(c *Config) *string { return &c.DDLUnsupported }, "error", "ignore"),
		boolKey("realtime_get", false, "a SELECT by primary key alone reads the document itself",
			func(c *Config) *bool { return &c.NoRealtimeGet }),
		boolKey("compress", true, "gzip request bodies over 1 KiB", func(c *Config) *bool { return &c.Compress }),
		logKey(),
	},
)

var samplerKeys = []key{
	namedKey("sampler", "ping", "`ping` (the seeds only), `sniff`, `static`, or a registered name",
		func(c *Config) *string { return &c.SamplerName }),
	durationKey("sampler.interval", "5s", true, "pause between two samples; 0: one at start only",
		func(c *Config) *time.Duration { return &c.SampleEvery }),
	durationKey("sampler.timeout", "5s", false, "one sample, and each probe",
		func(c *Config) *time.Duration { return &c.SampleTimeout }),
	{
		name: "sampler.roles", param: true, want: "a list of roles, separated by commas",
		doc: "the roles to route to, for `sniff`; without it, all but dedicated masters. " +
			"Further `sampler.*` keys go to the sampler",
		set: func(c *Config, v string) bool { setParam(&c.SamplerParams, "roles", v); return v != "" },
		get: func(*Config) string { return "" },
	},
	namedKey("balancer", "leastbusy", "`leastbusy`, `roundrobin`, `zone`, or a registered name; `balancer.*` keys go to it",
		func(c *Config) *string { return &c.BalancerName }),
}

func poolKeys() []key {
	var sized []key
	for class := range pool.Class(pool.NumClasses) {
		sized = append(sized, classSizeKey(class))
	}
	return append(sized,
		sharedKey(),
		durationKey("pool.wait", "30s", true, "waiting for a connection; 0: as long as the context lets it",
			func(c *Config) *time.Duration { return &c.PoolWait }),
		durationKey("pool.max_idle", "60s", true, "how long an unused connection is kept; 0: for ever",
			func(c *Config) *time.Duration { return &c.PoolMaxIdle }),
		durationKey("pool.max_lifetime", "5m", true, "how old a connection gets; 0: no limit",
			func(c *Config) *time.Duration { return &c.PoolMaxLifetime }),
		choiceKey("pool.warm", "what is dialed when a node joins: nothing, one connection, or every class's own",
			func(c *Config) *string { return &c.PoolWarm }, "none", "light", "full"),
	)
}

func classSizeKey(class pool.Class) key {
	docs := [pool.NumClasses]string{
		"connections that class recovery has for itself on each node; 0: it uses bulk's",
		"the same for bulk; 0: it uses reg's", "for reg", "for state", "for ping",
	}
	off := class == pool.Recovery || class == pool.Bulk
	return sizeKey("pool."+class.String(), pool.DefaultSizes[class], off, docs[class],
		func(c *Config) *int32 { return &c.PoolSizes[class] })
}

func sharedKey() key {
	return sizeKey("pool.shared", 32, true, "further connections of a node that any class may borrow; 0: none",
		func(c *Config) *int32 { return &c.PoolShared })
}

func tlsKey() key {
	return key{
		name: "tls", def: "false", want: "true, false or skip-verify",
		doc: "encrypt: `true`, `false`, or `skip-verify` (without checking who answers); `true` with scheme https",
		set: func(c *Config, v string) bool {
			c.TLS, c.TLSSkipVerify = v == "true" || v == "skip-verify", v == "skip-verify"
			return c.TLS || v == "false"
		},
		get: func(c *Config) string {
			switch {
			case c.TLS && c.TLSSkipVerify:
				return "skip-verify"
			case c.TLS:
				return "true"
			}
			return ""
		},
		near: nearest("true", "false", "skip-verify"),
	}
}

var hexSHA256 = regexp.MustCompile(`^[0-9a-fA-F]{2}(:?[0-9a-fA-F]{2}){31}$`)

func fingerprintKey() key {
	k := textKey("tls.fingerprint", "SHA-256 of a certificate in the server's chain, which is trusted then, whoever signed it",
		func(c *Config) *string { return &c.TLSFingerprint })
	k.want = "a SHA-256 of 64 hexadecimal digits, colons allowed"
	k.set = func(c *Config, v string) bool { c.TLSFingerprint = v; return hexSHA256.MatchString(v) }
	return k
}

func classKey() key {
	return key{
		name: "class", want: "recovery, bulk, reg, state or ping",
		doc: "class of everything whose context names none; without it, by method and path",
		set: func(c *Config, v string) bool {
			class, err := pool.ParseClass(v)
			c.Class = &class
			return err == nil
		},
		get: func(c *Config) string {
			if c.Class == nil {
				return ""
			}
			return c.Class.String()
		},
		near: nearest("recovery", "bulk", "reg", "state", "ping"),
	}
}

func budgetKey() key {
	return key{
		name: "retry.budget", def: "0.2", want: "a number from 0 to 1",
		doc: "retries as a share of requests; ten a second are free",
		set: func(c *Config, v string) bool {
			share, err := strconv.ParseFloat(v, 64)
			c.RetryBudget = share
			if share == 0 {
				c.RetryBudget = -1
			}
			return err == nil && 0 <= share && share <= 1
		},
		get: func(c *Config) string {
			switch {
			case c.RetryBudget == 0:
				return ""
			case c.RetryBudget < 0:
				return "0"
			}
			return strconv.FormatFloat(c.RetryBudget, 'g', -1, 64)
		},
	}
}

func fetchSizeKey() key {
	return key{
		name: "fetch_size", def: "1000", want: "a whole number of rows, or 0",
		doc: "rows a page; 0: no paging",
		set: func(c *Config, v string) bool {
			n, err := strconv.ParseInt(v, 10, 32)
			c.FetchSize = int(n)
			if n == 0 {
				c.FetchSize = -1
			}
			return err == nil && n >= 0
		},
		get: func(c *Config) string { return offNumber(int64(c.FetchSize), true) },
	}
}

func maxOffsetKey() key {
	return key{
		name: "max_offset", def: "10000", want: "a whole number of rows, or 0",
		doc: "the largest OFFSET where it is made by reading and dropping rows (Elasticsearch); 0: no limit",
		set: func(c *Config, v string) bool {
			n, err := strconv.ParseInt(v, 10, 63)
			c.MaxOffset = n
			if n == 0 {
				c.MaxOffset = -1
			}
			return err == nil && n >= 0
		},
		get: func(c *Config) string { return offNumber(c.MaxOffset, true) },
	}
}

var zoneOffset = regexp.MustCompile(`^(Z|[+-](0\d|1[0-8]):[0-5]\d)$`) // java.time.ZoneOffset goes to 18 hours

func timeZoneKey() key {
	k := textKey("time_zone", "zone that the server reckons dates in: an IANA name, or an offset such as +05:30",
		func(c *Config) *string { return &c.TimeZone })
	k.def = "UTC"
	k.want = "an IANA time zone that this program knows (import time/tzdata brings them), or an offset such as +05:30"
	k.set = func(c *Config, v string) bool {
		c.TimeZone = v
		_, err := time.LoadLocation(v)
		return zoneOffset.MatchString(v) || err == nil && v != "" && v != "Local"
	}
	return k
}

// arraysKey and leniencyKey write one field; they may both be given if they agree.
func arraysKey() key {
	k := choiceKey("arrays", "what a field with several values becomes: an error, its first value, or all of them as JSON text",
		func(c *Config) *string { return &c.Arrays }, "error", "first", "json")
	is := k.set
	k.set = func(c *Config, v string) bool { return (c.Arrays == "" || c.Arrays == v) && is(c, v) }
	k.want += ", and first if field_multi_value_leniency is true"
	return k
}

func leniencyKey() key {
	return key{
		name: "field_multi_value_leniency", def: "false", want: "true or false, and not true with arrays=error or json",
		doc: "`true` is `arrays=first`, in Elasticsearch's words",
		set: func(c *Config, v string) bool {
			if v == "false" {
				return true
			}
			ok := v == "true" && (c.Arrays == "" || c.Arrays == "first")
			c.Arrays = "first"
			return ok
		},
		get: func(*Config) string { return "" },
	}
}

func logKey() key {
	return key{
		name: "log", def: "none", want: "none; a *slog.Logger goes into Config.Logger",
		doc: "`none` alone; a `*slog.Logger` goes into `Config.Logger`",
		set: func(_ *Config, v string) bool { return v == "none" },
		get: func(*Config) string { return "" },
	}
}
