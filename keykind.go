package esdriver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/esdriver/esdriver/internal/dsn"
)

// textKey is a key whose value is any text.
func textKey(name, doc string, field func(*Config) *string) key {
	return key{
		name: name, doc: doc, want: "a text without control characters",
		set: func(c *Config, v string) bool { *field(c) = v; return !strings.ContainsFunc(v, isControl) },
		get: func(c *Config) string { return *field(c) },
	}
}

// namedKey is a key whose value is a registered name.
func namedKey(name, def, doc string, field func(*Config) *string) key {
	k := textKey(name, doc, field)
	k.def, k.want = def, "a registered name"
	k.set = func(c *Config, v string) bool { *field(c) = v; return v != "" }
	return k
}

// secretKey is a key whose value goes into an Authorization header.
func secretKey(name, doc string, field func(*Config) *string) key {
	k := textKey(name, doc, field)
	k.secret, k.want = true, "printable ASCII without spaces, at least one character"
	k.set = func(c *Config, v string) bool {
		*field(c) = v
		return v != "" && !strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	}
	return k
}

// boolKey is a key whose value is true or false. The field is true where the key is set to on.
func boolKey(name string, on bool, doc string, field func(*Config) *bool) key {
	return key{
		name: name, def: strconv.FormatBool(!on), doc: doc, want: "true or false",
		set: func(c *Config, v string) bool {
			*field(c) = v == strconv.FormatBool(on)
			return v == "true" || v == "false"
		},
		get: func(c *Config) string {
			if *field(c) {
				return strconv.FormatBool(on)
			}
			return ""
		},
		near: nearest("true", "false"),
	}
}

// choiceKey is a key whose value is one of a few words; the first is the default.
func choiceKey(name, doc string, field func(*Config) *string, words ...string) key {
	return key{
		name: name, def: words[0], doc: "`" + strings.Join(words, "`, `") + "`: " + doc, want: alternatives(words),
		set:  func(c *Config, v string) bool { *field(c) = v; return slices.Contains(words, v) },
		get:  func(c *Config) string { return *field(c) },
		near: nearest(words...),
	}
}

// nearest returns a function that finds the word that was meant, if it is near.
func nearest(words ...string) func(string) string {
	return func(value string) string {
		if word, near := dsn.Nearest(value, words); near && value != "" {
			return word
		}
		return ""
	}
}

func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// durationKey is a key whose value is a Go duration. Where off is allowed, it is 0 in the DSN and negative in the field.
func durationKey(name, def string, off bool, doc string, field func(*Config) *time.Duration) key {
	k := key{name: name, def: def, doc: doc, want: "a Go duration over 0, such as 1m30s"}
	zero := time.Duration(0) // what the DSN's 0 is in the field
	if off {
		zero = -1
	}
	if off || def == "0" {
		k.want = "a Go duration such as 1m30s, none below 0"
	}
	k.set = func(c *Config, v string) bool {
		d, err := time.ParseDuration(v)
		*field(c) = d
		if d == 0 {
			*field(c) = zero
		}
		return err == nil && (d > 0 || d == 0 && (off || def == "0"))
	}
	k.near = inSeconds
	k.get = func(c *Config) string {
		switch d := *field(c); {
		case d == 0:
			return ""
		case d < 0 && off:
			return "0"
		default:
			return d.String()
		}
	}
	return k
}

// inSeconds returns the value with the unit that it lacks.
func inSeconds(value string) string {
	if d, err := time.ParseDuration(value + "s"); err != nil || d <= 0 {
		return ""
	}
	return value + "s"
}

// maxConns bounds numbers of connections: a client has no more ports towards one address.
const maxConns = 65535

// sizeKey is a key whose value is a number of connections. Where off is allowed, it is 0 in the DSN and negative in the
// field.
func sizeKey(name string, def int32, off bool, doc string, field func(*Config) *int32) key {
	least := int64(1)
	if off {
		least = 0
	}
	return key{
		name: name, def: strconv.Itoa(int(def)), doc: doc,
		want: fmt.Sprintf("a whole number from %d to %d", least, maxConns),
		set: func(c *Config, v string) bool {
			n, err := strconv.ParseInt(v, 10, 32)
			*field(c) = int32(n)
			if n == 0 {
				*field(c) = -1
			}
			return err == nil && least <= n && n <= maxConns
		},
		get: func(c *Config) string { return offNumber(int64(*field(c)), off) },
	}
}

// offNumber writes a field in which negative may stand for off and zero for the default.
func offNumber(n int64, off bool) string {
	switch {
	case n == 0:
		return ""
	case n < 0 && off:
		return "0"
	default:
		return strconv.FormatInt(n, 10)
	}
}
