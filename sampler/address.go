package sampler

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// defaultPort is taken where a resolved URL names none; it is the DSN's default too.
const defaultPort = "9200"

// parseAddress turns what a server calls its HTTP publish address into host:port, lower case, IPv6 in brackets.
// The forms are those of Elasticsearch 1.x ("inet[host/1.2.3.4:9200]", "inet[/1.2.3.4:9200]"), of later ones
// ("1.2.3.4:9200", "[::1]:9200") and of those that add a name ("host/1.2.3.4:9200"). Where both a name and an
// IP address are given the name is taken, for certificates are issued to names.
func parseAddress(s string) (string, error) {
	text := s
	if inner, ok := strings.CutPrefix(text, "inet["); ok {
		text, ok = strings.CutSuffix(inner, "]")
		if !ok {
			return "", addressError(s, "no closing bracket")
		}
	}
	name, ip, both := strings.Cut(text, "/")
	if !both {
		name, ip = "", text
	}
	host, port, err := splitAddress(ip)
	if err != nil {
		return "", addressError(s, err.Error())
	}
	if _, err := netip.ParseAddr(host); both && err != nil {
		return "", addressError(s, "no IP address after the slash")
	}
	if name != "" {
		host = name
	}
	if host, err = canonicalHost(host); err != nil {
		return "", addressError(s, err.Error())
	}
	return net.JoinHostPort(host, strconv.Itoa(port)), nil
}

func addressError(s, why string) error {
	return fmt.Errorf("%w: %q: %s", ErrNoAddress, s, why)
}

// splitAddress splits host:port. Elasticsearch 1.x prints IPv6 without brackets, as eight groups and the port.
func splitAddress(s string) (host string, port int, err error) {
	host, digits, err := net.SplitHostPort(s)
	if err != nil {
		at := strings.LastIndexByte(s, ':')
		if at < 0 || strings.Count(s, ":") != 8 {
			return "", 0, err
		}
		host, digits = s[:at], s[at+1:]
		if _, err := netip.ParseAddr(host); err != nil {
			return "", 0, err
		}
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("bad port %q", digits)
	}
	return host, int(n), nil
}

// canonicalHost lower-cases a name and writes an IP address the one way netip does. An unspecified address
// (0.0.0.0 or ::) is what the server listens on, not where it can be found.
func canonicalHost(host string) (string, error) {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		if !plain(host) {
			return "", fmt.Errorf("bad host %q", host)
		}
		return strings.ToLower(host), nil
	}
	ip = ip.Unmap()
	if ip.IsUnspecified() {
		return "", fmt.Errorf("address %s names no node", ip)
	}
	if zone := ip.Zone(); zone != "" && !plain(zone) {
		return "", fmt.Errorf("bad zone %q", zone)
	}
	return ip.String(), nil
}

// plain reports whether s is made of what host names and zones are made of. The underscore is no part of
// host names by RFC 1123, but container names have it.
func plain(s string) bool {
	for _, c := range s {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("-._", c) {
			return false
		}
	}
	return s != ""
}

// urlAt returns the URL of a node at addr that is reached as the node at base was: same scheme, same path prefix.
func urlAt(base *url.URL, addr string) *url.URL {
	return &url.URL{Scheme: base.Scheme, Host: addr, Path: base.Path, RawPath: base.RawPath}
}

// resolvedURL brings a URL from outside into the form of [Node].URL, and gives its host:port.
func resolvedURL(u *url.URL) (*url.URL, string, error) {
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	if u.Scheme == "" || u.Hostname() == "" {
		return nil, "", addressError(u.Redacted(), "resolved without scheme or host")
	}
	addr := net.JoinHostPort(strings.ToLower(u.Hostname()), port)
	return urlAt(u, addr), addr, nil
}
