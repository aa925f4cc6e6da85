package httpconn_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

// echo answers with the request's body, Content-Length and Transfer-Encoding.
func echo(nc net.Conn, br *bufio.Reader) {
	for {
		req, body, ok := readRequest(br)
		if !ok {
			return
		}
		text := fmt.Sprintf("%d %v %s", req.ContentLength, req.TransferEncoding, body)
		fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	}
}

// opaque hides what a reader is.
type opaque struct{ io.Reader }

func TestBodiesOfEveryKindArriveWhole(t *testing.T) {
	small, large := strings.Repeat("s", 1000), strings.Repeat("large;", 200_000)
	for _, tc := range []struct {
		name   string
		body   func() io.Reader
		length int64 // of the request; 0 leaves NewRequest's
		want   string
	}{
		{"none", func() io.Reader { return nil }, 0, "0 [] "},
		{"NoBody", func() io.Reader { return http.NoBody }, 0, "0 [] "},
		{"empty reader", func() io.Reader { return strings.NewReader("") }, 0, "0 [] "},
		{"small strings.Reader", func() io.Reader { return strings.NewReader(small) }, 0, "1000 [] " + small},
		{"small bytes.Reader", func() io.Reader { return bytes.NewReader([]byte(small)) }, 0, "1000 [] " + small},
		{"small bytes.Buffer", func() io.Reader { return bytes.NewBufferString(small) }, 0, "1000 [] " + small},
		{"large bytes.Reader", func() io.Reader { return bytes.NewReader([]byte(large)) }, 0, "1200000 [] " + large},
		{"large strings.Reader", func() io.Reader { return strings.NewReader(large) }, 0, "1200000 [] " + large},
		{"known memory, length left open", func() io.Reader { return io.NopCloser(strings.NewReader(small)) }, 0, "1000 [] " + small},
		{"opaque, length known", func() io.Reader { return opaque{strings.NewReader(large)} }, 1_200_000, "1200000 [] " + large},
		{"opaque, length unknown", func() io.Reader { return opaque{strings.NewReader(large)} }, -1, "-1 [chunked] " + large},
		{"opaque, length left open", func() io.Reader { return opaque{strings.NewReader(small)} }, 0, "-1 [chunked] " + small},
		{"opaque and empty", func() io.Reader { return opaque{strings.NewReader("")} }, 0, "-1 [chunked] "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := serve(t, echo)
			c := dial(t, base, httpconn.Config{})
			for range 2 {
				req := newRequest(t, context.Background(), "GET", base, "/_bulk", tc.body())
				if tc.length != 0 {
					req.ContentLength = tc.length
				}
				_, body, reusable := exchange(t, c, req)
				require.True(t, body == tc.want, "got %.40q of %d bytes", body, len(body))
				require.True(t, reusable)
			}
			noUploads(t)
		})
	}
}

func TestRequestTrailersAreSent(t *testing.T) {
	seen := make(chan http.Header, 1)
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		req, _, _ := readRequest(br)
		seen <- req.Trailer
		io.WriteString(nc, okAnswer)
	})
	req := newRequest(t, context.Background(), "POST", base, "/", opaque{strings.NewReader("abc")})
	req.Trailer = http.Header{"X-Sum": {"3"}}
	exchange(t, dial(t, base, httpconn.Config{}), req)
	assert.Equal(t, "3", (<-seen).Get("X-Sum"))
}

func TestBodyIsClosedOnce(t *testing.T) {
	base := serve(t, answers(okAnswer))
	c := dial(t, base, httpconn.Config{})
	body := &closeCounter{Reader: strings.NewReader("x")}
	req := newRequest(t, context.Background(), "POST", base, "/", body)
	exchange(t, c, req)
	assert.Equal(t, 1, body.count())
	body = &closeCounter{Reader: strings.NewReader("x")}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	failed(t, c, newRequest(t, ctx, "POST", base, "/", body), httpconn.Options{})
	assert.Equal(t, 1, body.count())
}

const tooMuch = "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 4\r\n\r\nbusy"

// earlyAnswer answers when the header is there. When left is closed it reads what has come, compares it with want and
// reports how much it was. Before that no socket's buffers hold all of a large body.
func earlyAnswer(t *testing.T, want []byte) (base *url.URL, left chan struct{}, got chan int) {
	left, got = make(chan struct{}), make(chan int, 1)
	return serve(t, func(nc net.Conn, br *bufio.Reader) {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		io.WriteString(nc, tooMuch)
		<-left
		body, _ := io.ReadAll(req.Body)
		if !bytes.Equal(body, want[:len(body)]) {
			t.Error("a foreign byte left")
		}
		rest, _ := io.ReadAll(br)
		if len(rest) > 0 {
			t.Error("bytes behind the body")
		}
		got <- len(body)
	}), left, got
}

func TestEarlyAnswerEndsTheWriting(t *testing.T) {
	bulk := make([]byte, 16<<20)
	rand.Read(bulk)
	for name, body := range map[string]io.Reader{
		"in memory": bytes.NewReader(bulk),
		"opaque":    opaque{bytes.NewReader(bulk)},
	} {
		t.Run(name, func(t *testing.T) {
			want := bytes.Clone(bulk)
			base, left, got := earlyAnswer(t, want)
			c := dial(t, base, httpconn.Config{})
			req := newRequest(t, context.Background(), "POST", base, "/_bulk", body)
			resp, text, reusable := exchange(t, c, req)
			noUploads(t)
			// The writing is over: what the caller does with its buffer is its own affair.
			clear(bulk)
			assert.Equal(t, 429, resp.StatusCode)
			assert.Equal(t, "busy", text)
			assert.False(t, reusable)
			c.Close()
			close(left)
			assert.Less(t, <-got, len(want))
			copy(bulk, want)
		})
	}
}

func TestEarlyAnswerFollowedByResetIsRead(t *testing.T) {
	for name, size := range map[string]int{"beside the reader": 8 << 20, "on the caller's goroutine": 60 << 10} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, func(nc net.Conn, br *bufio.Reader) {
				br.Peek(1)
				io.WriteString(nc, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			})
			for range 20 {
				c := dial(t, base, httpconn.Config{})
				o := newOwner(t)
				req := newRequest(t, context.Background(), "POST", base, "/_bulk", bytes.NewReader(make([]byte, size)))
				resp, err := c.RoundTrip(req, httpconn.Options{Owner: o, HeaderTimeout: patience})
				require.NoError(t, err)
				assert.Equal(t, 413, resp.StatusCode)
				assert.False(t, o.called().reusable)
			}
			noUploads(t)
		})
	}
}

func TestEarlyAnswerDoesNotWaitForAProducerThatIsSilent(t *testing.T) {
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		http.ReadRequest(br)
		io.WriteString(nc, tooMuch)
		io.Copy(io.Discard, br)
	})
	pr, pw := io.Pipe()
	c := dial(t, base, httpconn.Config{})
	within(t, func() {
		resp, _, reusable := exchange(t, c, newRequest(t, context.Background(), "POST", base, "/", pr))
		assert.Equal(t, 429, resp.StatusCode)
		assert.False(t, reusable)
	})
	_, err := pw.Write([]byte("x"))
	assert.ErrorIs(t, err, io.ErrClosedPipe, "the body is closed")
	noUploads(t)
}

func TestFailingBodyIsTheCallersFault(t *testing.T) {
	cause := errors.New("disk on fire")
	for name, length := range map[string]int64{"known length": 100_000, "unknown length": -1} {
		for kind, fail := range map[string]error{"plain": cause, "like a deadline": fmt.Errorf("%w: %w", cause, os.ErrDeadlineExceeded)} {
			t.Run(name+", "+kind, func(t *testing.T) {
				cut := make(chan string, 1)
				base := serve(t, func(nc net.Conn, br *bufio.Reader) {
					_, body, ok := readRequest(br)
					assert.False(t, ok, "the request looks whole")
					cut <- body
				})
				c := dial(t, base, httpconn.Config{})
				body := io.MultiReader(strings.NewReader(strings.Repeat("x", 70_000)), iotestErr{fail})
				req := newRequest(t, context.Background(), "POST", base, "/", body)
				req.ContentLength = length
				e := failed(t, c, req, httpconn.Options{})
				assert.Equal(t, httpconn.OpWrite, e.Op)
				assert.ErrorIs(t, e, cause)
				assert.NotErrorIs(t, e, httpconn.ErrAttemptTimeout)
				assert.True(t, e.Wrote)
				c.Close()
				<-cut
				noUploads(t)
			})
		}
	}
}

type iotestErr struct{ err error }

func (r iotestErr) Read([]byte) (int, error) { return 0, r.err }

func TestStreamOfTheWrongLengthIsAnError(t *testing.T) {
	base := serve(t, answers(okAnswer))
	for name, length := range map[string]int64{"too short": 200_000, "too long": 50_000} {
		t.Run(name, func(t *testing.T) {
			req := newRequest(t, context.Background(), "POST", base, "/", opaque{strings.NewReader(strings.Repeat("x", 100_000))})
			req.ContentLength = length
			c := dial(t, base, httpconn.Config{})
			e := failed(t, c, req, httpconn.Options{})
			assert.Equal(t, httpconn.OpWrite, e.Op)
			noUploads(t)
		})
	}
}

func TestExpectContinueHoldsTheBodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock must not run while the machine is busy
		c, base := pipe(t, func(nc net.Conn, br *bufio.Reader) {
			req, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			nc.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
			_, err = br.Peek(1)
			assert.ErrorIs(t, err, os.ErrDeadlineExceeded, "the body came uncalled")
			nc.SetReadDeadline(time.Time{})
			io.WriteString(nc, "HTTP/1.1 100 Continue\r\n\r\n")
			body, _ := io.ReadAll(req.Body)
			assert.Equal(t, "document", string(body))
			io.WriteString(nc, okAnswer)
			io.Copy(io.Discard, br)
		})
		req := newRequest(t, t.Context(), "PUT", base, "/", strings.NewReader("document"))
		req.Header.Set("Expect", "100-Continue")
		_, _, reusable := exchange(t, c, req)
		assert.True(t, reusable)
	})
}

func TestExpectationRefusedSendsNoBody(t *testing.T) {
	rest := make(chan string, 1)
	base := serve(t, func(nc net.Conn, br *bufio.Reader) {
		http.ReadRequest(br)
		io.WriteString(nc, "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
		b, _ := io.ReadAll(br)
		rest <- string(b)
	})
	c := dial(t, base, httpconn.Config{})
	req := newRequest(t, context.Background(), "PUT", base, "/", strings.NewReader("document"))
	req.Header.Set("Expect", "100-continue")
	resp, _, reusable := exchange(t, c, req)
	assert.Equal(t, 417, resp.StatusCode)
	assert.False(t, reusable)
	c.Close()
	assert.Empty(t, <-rest)
	noUploads(t)
}

// pipe is a connection in memory, for tests in a bubble of testing/synctest.
func pipe(t *testing.T, handle func(nc net.Conn, br *bufio.Reader)) (*httpconn.Conn, *url.URL) {
	client, server := net.Pipe()
	base := &url.URL{Scheme: "http", Host: "pipe:9200"}
	d, err := httpconn.NewDialer(httpconn.Config{
		Proxy:       func(*url.URL) (*url.URL, error) { return nil, nil },
		DialContext: func(context.Context, string, string) (net.Conn, error) { return client, nil },
	})
	require.NoError(t, err)
	c, err := d.Dial(t.Context(), base)
	require.NoError(t, err)
	go func() { defer server.Close(); handle(server, bufio.NewReader(server)) }()
	t.Cleanup(func() { c.Close(); server.Close() })
	return c, base
}

func TestSilentNodeGetsTheExpectedBodyAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, base := pipe(t, answers(okAnswer))
		req := newRequest(t, t.Context(), "PUT", base, "/", strings.NewReader("document"))
		req.Header.Set("Expect", "100-continue")
		start := time.Now()
		_, body, reusable := exchange(t, c, req)
		assert.Equal(t, "ok", body)
		assert.True(t, reusable)
		assert.Equal(t, time.Second, time.Since(start))
	})
}
