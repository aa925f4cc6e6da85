package dsn

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// DefaultPort is the port of a host that names none: the servers' own default for HTTP
// (http.port, first of 9200-9300, Elasticsearch and OpenSearch).
const DefaultPort = "9200"

var (
	errNoHost   = errors.New("no name or address")
	errHostName = errors.New("want a name of letters, digits, . - and _, an IPv4 address, or an IPv6 address in brackets")
	errBrackets = errors.New("more than one colon: want an IPv6 address in brackets, such as [::1]:9200, or one port")
	errPort     = errors.New("want a port from 1 to 65535")
)

// Host returns host[:port] normalised: lower case, the default port added, an IPv6 address in its shortest
// form and in brackets. An IPv6 zone may be written with % or, as in a URL, with %25.
func Host(text string) (string, error) {
	name, port, err := cutPort(text)
	if err != nil {
		return "", err
	}
	if inner, ok := strings.CutPrefix(name, "["); ok {
		name, err = ipv6(strings.TrimSuffix(inner, "]"))
	} else {
		name, err = hostName(name)
	}
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(name, port), nil
}

// cutPort cuts the text at the colon before the port. The brackets of an IPv6 address stay.
func cutPort(text string) (name, port string, err error) {
	end := strings.IndexByte(text, ']') + 1
	colon := strings.IndexByte(text[end:], ':')
	if colon < 0 {
		return text, DefaultPort, nil
	}
	name, port = text[:end+colon], text[end+colon+1:]
	if strings.Contains(port, ":") {
		return "", "", errBrackets
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", "", errPort
	}
	return name, strconv.FormatUint(n, 10), nil
}

func ipv6(text string) (string, error) {
	text = strings.Replace(text, "%25", "%", 1)
	addr, err := netip.ParseAddr(text)
	if err != nil || !addr.Is6() || !plain(addr.Zone()) {
		return "", errHostName
	}
	return addr.String(), nil
}

func hostName(text string) (string, error) {
	if text == "" {
		return "", errNoHost
	}
	if !plain(text) {
		return "", errHostName
	}
	return strings.ToLower(text), nil
}

// plain reports whether the text consists of what may stand in a host name.
func plain(text string) bool {
	for _, r := range text {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		digit := '0' <= r && r <= '9'
		if !letter && !digit && !strings.ContainsRune(".-_", r) {
			return false
		}
	}
	return true
}
