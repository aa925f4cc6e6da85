// Package dsn reads and writes data source names. It is work on text alone: which keys exist and what their
// values mean is the caller's.
//
// A data source name is
//
//	SCHEME://[user[:password]@]host[:port][,host[:port]…][/prefix][?key=value&…]
//
// User, password, prefix, keys and values are percent-encoded. Unlike in a form, + stands for itself, so that
// base64 and time zones such as +05:30 may be written as they are.
//
// No error shows a password or a value. A password with a / ? or # that was not encoded would end up in another
// place and be shown there, so an @ behind the hosts is refused; and of a host only what stands before a colon
// is shown, for user:password without an @ looks like host:port.
package dsn

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
)

// The schemes, in lower case.
const (
	Elasticsearch = "elasticsearch"
	OpenSearch    = "opensearch"
	HTTP          = "http"
	HTTPS         = "https"
)

var schemes = []string{Elasticsearch, OpenSearch, HTTP, HTTPS}

const schemeList = Elasticsearch + ", " + OpenSearch + ", " + HTTP + " or " + HTTPS

// DSN is a data source name taken apart. Nothing in it is percent-encoded.
type DSN struct {
	Scheme         string // lower case
	User, Password string
	HasPassword    bool     // tells an empty password from none
	Hosts          []string // as Host returns them, at least one
	Prefix         string   // as Prefix returns it
	Params         []Param  // in the order written; no key twice
}

// Param is one key=value.
type Param struct{ Key, Value string }

// Parse takes a data source name apart.
func Parse(text string) (DSN, error) {
	scheme, rest, err := cutScheme(text)
	if err != nil {
		return DSN{}, err
	}
	authority, rest := split(rest)
	if err := checkTail(rest); err != nil {
		return DSN{}, err
	}
	prefix, query, _ := strings.Cut(rest, "?")
	d := DSN{Scheme: scheme}
	if err := d.setAuthority(authority); err != nil {
		return DSN{}, err
	}
	if err := d.setPrefix(prefix); err != nil {
		return DSN{}, err
	}
	if err := d.setParams(query); err != nil {
		return DSN{}, err
	}
	return d, nil
}

// cutScheme cuts the scheme off, in lower case. A wrong one is shown if it looks like a scheme: what stands before ://
// may be all of the name.
func cutScheme(text string) (scheme, rest string, err error) {
	scheme, rest, ok := strings.Cut(text, "://")
	switch lower := strings.ToLower(scheme); {
	case strings.TrimSpace(text) != text:
		return "", "", errors.New("a space or a line break at the beginning or the end")
	case ok && slices.Contains(schemes, lower):
		return lower, rest, nil
	case ok && len(scheme) < 32 && plain(strings.ReplaceAll(scheme, "+", "")):
		return "", "", wrongScheme(scheme)
	}
	return "", "", fmt.Errorf("no scheme: want SCHEME://host:port, such as http://localhost:9200, with scheme %s", schemeList)
}

func wrongScheme(scheme string) error {
	hint := ""
	if nearest, near := Nearest(scheme, schemes); near {
		hint = "; did you mean " + nearest + "?"
	}
	return fmt.Errorf("scheme %q: want %s%s", scheme, schemeList, hint)
}

// split cuts the part before the prefix and the query off.
func split(rest string) (authority, tail string) {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i], rest[i:]
	}
	return rest, ""
}

// checkTail refuses what most likely is the rest of a user or password that was not encoded.
func checkTail(tail string) error {
	if strings.ContainsAny(tail, "@#") {
		return errors.New("@ or # behind the hosts: write %40 and %23, and in user and password also / as %2F and ? as %3F")
	}
	return nil
}

func (d *DSN) setAuthority(authority string) error {
	hosts := authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		hosts = authority[i+1:]
		if err := d.setUser(authority[:i]); err != nil {
			return err
		}
	}
	for i, text := range strings.Split(hosts, ",") {
		host, err := Host(text)
		if err != nil {
			name, _, _ := strings.Cut(text, ":")
			if slices.Contains(schemes, strings.ToLower(name)) {
				err = errors.New("the scheme is written once, before the first host")
			}
			return fmt.Errorf("host %d (%q): %w", i+1, name, err)
		}
		d.Hosts = append(d.Hosts, host)
	}
	return nil
}

func (d *DSN) setUser(text string) error {
	user, password, has := strings.Cut(text, ":")
	var errUser, errPassword error
	d.User, errUser = url.PathUnescape(user)
	d.Password, errPassword = url.PathUnescape(password)
	d.HasPassword = has
	if errUser != nil || errPassword != nil {
		return errors.New("user or password: a % must be followed by two hexadecimal digits; write %25 for % itself")
	}
	return nil
}

func (d *DSN) setPrefix(text string) error {
	if strings.Contains(strings.ToUpper(text), "%2F") {
		return errors.New("path prefix: an encoded / (%2F) is not supported")
	}
	prefix, err := url.PathUnescape(text)
	if err != nil {
		return errors.New("path prefix: a % must be followed by two hexadecimal digits; write %25 for % itself")
	}
	d.Prefix = Prefix(prefix)
	return nil
}

func (d *DSN) setParams(query string) error {
	for i, pair := range strings.Split(query, "&") {
		if pair == "" {
			continue
		}
		rawKey, rawValue, _ := strings.Cut(pair, "=")
		key, errKey := url.PathUnescape(rawKey)
		value, errValue := url.PathUnescape(rawValue)
		switch {
		case key == "":
			return fmt.Errorf("parameter %d: no key before =, or a %% that two hexadecimal digits do not follow", i+1)
		case errKey != nil || errValue != nil:
			return fmt.Errorf("key %q: a %% must be followed by two hexadecimal digits; write %%25 for %% itself", key)
		}
		if slices.ContainsFunc(d.Params, func(p Param) bool { return p.Key == key }) {
			return fmt.Errorf("key %q is given twice", key)
		}
		d.Params = append(d.Params, Param{Key: key, Value: value})
	}
	return nil
}

// Prefix returns the path prefix cleaned: a leading slash, no trailing one, no empty or dotted parts; empty
// for the root.
func Prefix(text string) string {
	if clean := path.Clean("/" + text); clean != "/" {
		return clean
	}
	return ""
}

// Format writes the name, secrets included. Parse gives back the same DSN.
func (d DSN) Format() string {
	var b strings.Builder
	b.WriteString(d.Scheme + "://" + d.userInfo())
	for i, host := range d.Hosts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(host, "%", "%25")) // the zone of an IPv6 address
	}
	b.WriteString(strings.ReplaceAll((&url.URL{Path: d.Prefix}).EscapedPath(), "@", "%40"))
	for i, p := range d.Params {
		b.WriteByte("?&"[min(i, 1)])
		b.WriteString(escape(p.Key) + "=" + escape(p.Value))
	}
	return b.String()
}

func (d DSN) userInfo() string {
	switch {
	case d.HasPassword:
		return escape(d.User) + ":" + escape(d.Password) + "@"
	case d.User != "":
		return escape(d.User) + "@"
	}
	return ""
}

// escape encodes all but what is harmless in every place of the name and to every reader.
func escape(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}
