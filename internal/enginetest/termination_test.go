package enginetest_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/leaktest"
)

// TestStoppedNodeSaysThatItClosesAsTheFakeDoes is for a real node that ends in an orderly way and is given time for
// it (http.shutdown_grace_period): it answers the requests that it has, with "Connection: close", and takes no new
// connections. The node is left as it is, so this file's tests come last.
func TestStoppedNodeSaysThatItClosesAsTheFakeDoes(t *testing.T) {
	leaktest.Check(t)
	e, h := newReal(t), newHarness(t)
	assert.Equal(t, farewell{said: workers, refused: workers}, leave(t, e.addrs[0], e.ca, func() { h.do(t, "down 0") }))
	t.Cleanup(func() { h.do(t, "up 0") })
}

func TestDrainedFakeSaysThatItCloses(t *testing.T) {
	leaktest.Check(t)
	fake := newFake(t, fakes[0])
	u, err := url.Parse(fake.Node(0).URL())
	require.NoError(t, err)
	assert.Equal(t, farewell{said: workers, refused: workers}, leave(t, u, "", fake.Node(0).Drain))
}

const workers = 4

// farewell counts how connections to a node that leaves ended.
type farewell struct {
	said    int // with "Connection: close" in an answer
	cut     int // without an answer
	refused int // connections that the node did not take afterwards
}

// leave asks a node over several connections until each of them has ended; stop makes the node leave.
func leave(t *testing.T, addr *url.URL, ca string, stop func()) (f farewell) {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex // guards f
	begun := make(chan struct{}, workers)
	for range workers {
		all.Go(func() {
			one := askUntilClosed(t, addr, ca, begun)
			mu.Lock()
			defer mu.Unlock()
			f.said, f.cut, f.refused = f.said+one.said, f.cut+one.cut, f.refused+one.refused
		})
	}
	for range workers {
		<-begun
	}
	pass(time.Second) // for the requests to reach the node
	stop()
	all.Wait()
	return f
}

// askUntilClosed asks the node over one connection, for what takes a real node a while, until the connection ends, and
// then tries another one.
func askUntilClosed(t *testing.T, addr *url.URL, ca string, begun chan<- struct{}) (f farewell) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trusting(t, ca)}}
	defer client.CloseIdleConnections()
	for first := true; f.said+f.cut == 0; first = false {
		if first {
			begun <- struct{}{}
		}
		resp, err := client.Get(addr.String() + "/_cluster/health?wait_for_nodes=99&timeout=2s")
		if err != nil {
			f.cut++
			break
		}
		_, _ = io.Copy(io.Discard, resp.Body) // a body that is cut is seen at the next request
		_ = resp.Body.Close()
		if resp.Close {
			f.said++
		}
	}
	if resp, err := client.Get(addr.String() + "/"); err == nil {
		_ = resp.Body.Close()
		return f
	}
	f.refused++
	return f
}

// trusting is the configuration that trusts the authority in the file, or nil for none.
func trusting(t *testing.T, file string) *tls.Config {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	assert.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return &tls.Config{RootCAs: roots}
}
