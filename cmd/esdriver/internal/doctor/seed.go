package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/cmd/esdriver/internal/link"
	"github.com/esdriver/esdriver/internal/dsn"
)

// seed looks at one address of the DSN, step by step, and returns a link through it alone if it answers.
func (d *doctor) seed(ctx context.Context, seed string) *link.Link {
	d.Printf("\n%s\n", seed)
	addr, err := dsn.Host(seed)
	if err != nil {
		d.report(bad("address", cause(err), "Write host or host:port."))
		return nil
	}
	if !d.resolve(ctx, addr) || !d.connect(ctx, addr) || d.config.TLS && !d.handshake(ctx, addr) {
		return nil
	}
	return d.ask(ctx, seed)
}

// resolve looks the name up.
func (d *doctor) resolve(ctx context.Context, addr string) bool {
	host, _, _ := net.SplitHostPort(addr)
	if net.ParseIP(host) != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		d.report(bad("DNS", cause(err), "Is "+host+" written rightly, and known on this machine?"))
		return false
	}
	d.report(good("DNS", strings.Join(found, ", ")))
	return true
}

// connect opens a connection and closes it again.
func (d *doctor) connect(ctx context.Context, addr string) bool {
	began := time.Now()
	if err := dial(ctx, addr); err != nil {
		d.report(bad("TCP", cause(err), "Does the server run, listen on that address and not on its loopback alone, and is no firewall between?"))
		return false
	}
	d.report(good("TCP", fmt.Sprintf("connected in %.1f ms", float64(time.Since(began))/float64(time.Millisecond))))
	return true
}

func dial(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}

// soon is how long before its end a certificate is mentioned.
const soon = 30 * 24 * time.Hour

// handshake looks at the certificate, whoever signed it: whether it is trusted, the request after it tells.
func (d *doctor) handshake(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // nothing is sent on this connection
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain {
		d.report(bad("TLS", "the port does not speak TLS", "Take tls=true or https:// out of the DSN, or turn TLS on in the server."))
		return false
	}
	if err != nil {
		d.report(note("TLS", cause(err), "A server that demands a client's certificate ends the handshake like this."))
		return true
	}
	state := conn.(*tls.Conn).ConnectionState()
	d.certificate(tls.VersionName(state.Version), state.PeerCertificates[0])
	if err := conn.Close(); err != nil {
		d.report(note("TLS", cause(err), ""))
	}
	return true
}

func (d *doctor) certificate(version string, c *x509.Certificate) {
	what := fmt.Sprintf("%s, certificate of %s until %s", version, c.Subject.CommonName, c.NotAfter.Format(time.DateOnly))
	switch left := time.Until(c.NotAfter); {
	case left < 0:
		d.report(bad("TLS", what+": it has ended", "Renew the server's certificate; or is this machine's clock wrong?"))
	case left < soon:
		d.report(note("TLS", what, "Renew the server's certificate soon."))
	case time.Now().Before(c.NotBefore):
		d.report(bad("TLS", what+": it is not valid yet", "Is this machine's clock wrong?"))
	default:
		d.report(good("TLS", what))
	}
}

// ask sends GET / as the driver does, with the DSN's credentials and trust.
func (d *doctor) ask(ctx context.Context, seed string) *link.Link {
	l, err := link.Open(d.config.FormatDSN(), func(c *esdriver.Config) {
		c.Seeds, c.SamplerName, c.SamplerParams, c.NoRetry = []string{seed}, "static", nil, true
	})
	if err != nil {
		d.report(bad("DSN", cause(err), ""))
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	p, err := l.Product(ctx)
	if err != nil {
		d.report(refusal(err))
		if err := l.Close(); err != nil {
			d.report(note("HTTP", cause(err), ""))
		}
		return nil
	}
	d.products = append(d.products, p)
	d.report(good("HTTP", fmt.Sprintf("%s, %s %s", p.Node, p.Name, p.Version)))
	return l
}

// refusal says what is wrong with an address that gave no good answer.
func refusal(err error) finding {
	if no, ok := errors.AsType[*link.StatusError](err); ok {
		switch no.Status {
		case http.StatusUnauthorized:
			return bad("auth", "the credentials are refused: "+no.Reason(), "Check user and password, api_key or bearer in the DSN; special characters are percent-encoded.")
		case http.StatusForbidden:
			return bad("auth", "the user may not ask GET /: "+no.Reason(), "Grant the cluster privilege monitor (Elasticsearch) or cluster:monitor/main (OpenSearch).")
		case http.StatusServiceUnavailable:
			return bad("HTTP", "the cluster is not ready: "+no.Reason(), "Has it a master? Wait, or look at the server's log.")
		}
		return bad("HTTP", no.Error(), "Is this the server's HTTP port, does it speak TLS, and is the path in the DSN right?")
	}
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
		return bad("TLS", "the certificate's authority is not known here", "Give tls.ca=FILE, the server's http_ca.crt, or tls.fingerprint=SHA-256.")
	}
	if name, misnamed := errors.AsType[x509.HostnameError](err); misnamed {
		return bad("TLS", name.Error(), "Use a name of the certificate's in the DSN, or tls.servername=NAME.")
	}
	return bad("HTTP", cause(err), "Does the port speak TLS? Then use https:// or tls=true. 9300 is the transport's port, HTTP's is 9200.")
}
