package slogger

import (
	"log/slog"
	"regexp"

	"github.com/esdriver/esdriver/sampler"
)

// What in the text of an error may be secret: user info and query of a URL. A password may hold an @, so the
// last one before the path counts.
var (
	userInfo = regexp.MustCompile(`(://)[^\s"/]*@`)
	query    = regexp.MustCompile(`(://[^\s"?]*\?)[^\s"]*`)
)

// node returns the attributes of a node, with room for more.
func node(n *sampler.Node) []slog.Attr {
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs, slog.String("node", n.Addr))
	if n.Name != "" {
		attrs = append(attrs, slog.String("name", n.Name))
	}
	return attrs
}

// withCause adds the error, if there is one.
func withCause(attrs []slog.Attr, err error) []slog.Attr {
	if err == nil {
		return attrs
	}
	text := userInfo.ReplaceAllString(err.Error(), "${1}")
	return append(attrs, slog.String("error", query.ReplaceAllString(text, "${1}…")))
}

func addrs(nodes []*sampler.Node) []string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = n.Addr
	}
	return all
}
