package httpconn_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/httpconn"
)

// mute reads the request and never answers; read is closed when it has it.
func mute(read chan<- struct{}) func(net.Conn, *bufio.Reader) {
	return func(nc net.Conn, br *bufio.Reader) {
		readRequest(br)
		close(read)
		io.Copy(io.Discard, br)
	}
}

func TestCancelledWaitForAnAnswerReturnsAtOnce(t *testing.T) {
	why := errors.New("user went home")
	for _, size := range []int{0, 100, 200_000} {
		read := make(chan struct{})
		base := serve(t, mute(read))
		c := dial(t, base, httpconn.Config{})
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { <-read; cancel(why) }()
		within(t, func() {
			e := failed(t, c, newRequest(t, ctx, "POST", base, "/", bytes.NewReader(make([]byte, size))), httpconn.Options{})
			assert.Equal(t, httpconn.OpRead, e.Op)
			assert.ErrorIs(t, e, context.Canceled)
			assert.ErrorIs(t, e, why)
			assert.True(t, e.Wrote)
			assert.False(t, e.Timeout())
		})
		noUploads(t)
	}
}

func TestCancelledBeforeStartSendsNothing(t *testing.T) {
	base := serve(t, answers(okAnswer))
	c := dial(t, base, httpconn.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := failed(t, c, newRequest(t, ctx, "GET", base, "/", nil), httpconn.Options{})
	assert.ErrorIs(t, e, context.Canceled)
	assert.False(t, e.Wrote)
}

func TestCancelledWriteReturnsAtOnce(t *testing.T) {
	for name, body := range map[string]io.Reader{
		"in memory": bytes.NewReader(make([]byte, 64<<20)),
		"streamed":  opaque{bytes.NewReader(make([]byte, 64<<20))},
	} {
		t.Run(name, func(t *testing.T) {
			began := make(chan struct{})
			hold := make(chan struct{})
			defer close(hold)
			base := serve(t, func(nc net.Conn, br *bufio.Reader) {
				br.Peek(1)
				close(began)
				<-hold // the socket's buffers fill up
			})
			c := dial(t, base, httpconn.Config{})
			ctx, cancel := context.WithCancel(context.Background())
			go func() { <-began; cancel() }()
			within(t, func() {
				e := failed(t, c, newRequest(t, ctx, "POST", base, "/", body), httpconn.Options{})
				assert.ErrorIs(t, e, context.Canceled)
				assert.True(t, e.Wrote)
			})
			noUploads(t)
		})
	}
}

func TestCancelledRequestDoesNotWaitForItsProducer(t *testing.T) {
	base := serve(t, mute(make(chan struct{})))
	c := dial(t, base, httpconn.Config{})
	stuck := &stuckBody{reading: make(chan struct{}), free: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-stuck.reading; cancel() }()
	within(t, func() {
		e := failed(t, c, newRequest(t, ctx, "POST", base, "/", stuck), httpconn.Options{})
		assert.ErrorIs(t, e, context.Canceled)
	})
	close(stuck.free)
	noUploads(t)
}

// stuckBody is a body whose Read heeds no Close.
type stuckBody struct{ reading, free chan struct{} }

func (s *stuckBody) Read(p []byte) (int, error) {
	close(s.reading)
	<-s.free
	return copy(p, "foreign"), io.EOF
}

func (s *stuckBody) Close() error { return nil }

// halfBody answers the half of a body and waits.
func halfBody(nc net.Conn, br *bufio.Reader) {
	readRequest(br)
	io.WriteString(nc, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
	io.Copy(io.Discard, br)
}

func TestCancelledBodyReturnsAtOnce(t *testing.T) {
	base := serve(t, halfBody)
	c := dial(t, base, httpconn.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	o := newOwner(t)
	resp, err := c.RoundTrip(newRequest(t, ctx, "GET", base, "/", nil), httpconn.Options{Owner: o})
	require.NoError(t, err)
	_, err = io.ReadFull(resp.Body, make([]byte, 5))
	require.NoError(t, err)
	go cancel()
	within(t, func() {
		_, err := io.ReadAll(resp.Body)
		e := asError(t, err)
		assert.Equal(t, httpconn.OpBody, e.Op)
		assert.ErrorIs(t, e, context.Canceled)
		d := o.called()
		assert.False(t, d.reusable)
		assert.Equal(t, err, d.err)
		_, again := resp.Body.Read(make([]byte, 1))
		assert.Equal(t, err, again)
		assert.NoError(t, resp.Body.Close())
	})
}

func TestCancelAfterTheBodyHarmsNothing(t *testing.T) {
	base := serve(t, answers(okAnswer))
	c := dial(t, base, httpconn.Config{})
	for range 50 {
		ctx, cancel := context.WithCancel(context.Background())
		_, _, reusable := exchange(t, c, newRequest(t, ctx, "GET", base, "/", nil))
		cancel()
		require.True(t, reusable)
	}
}

func TestCancelRacingTheEndNeverSpoilsTheNextRequest(t *testing.T) {
	base := serve(t, answers(okAnswer))
	c := dial(t, base, httpconn.Config{})
	reused := 0
	for range 300 {
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		o := newOwner(t)
		resp, err := c.RoundTrip(newRequest(t, ctx, "GET", base, "/", nil), httpconn.Options{Owner: o})
		reusable := false
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			reusable = o.called().reusable
		}
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			require.False(t, reusable)
		}
		if !reusable {
			c = dial(t, base, httpconn.Config{})
			continue
		}
		reused++
		_, body, _ := exchange(t, c, get(t, base))
		require.Equal(t, "ok", body)
	}
	t.Log(reused, "of 300 ended before the cancel")
}

func TestContextDeadlineIsTheCallersAndNotOurs(t *testing.T) {
	base := serve(t, mute(make(chan struct{})))
	c := dial(t, base, httpconn.Config{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	e := failed(t, c, newRequest(t, ctx, "GET", base, "/", nil), httpconn.Options{})
	assert.ErrorIs(t, e, context.DeadlineExceeded)
	assert.NotErrorIs(t, e, httpconn.ErrAttemptTimeout)
	assert.True(t, e.Timeout())
}

func TestHeaderTimeoutIsOursAndNotTheCallers(t *testing.T) {
	for name, size := range map[string]int{"small": 0, "large": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, mute(make(chan struct{})))
			c := dial(t, base, httpconn.Config{})
			req := newRequest(t, context.Background(), "POST", base, "/", bytes.NewReader(make([]byte, size)))
			e := failed(t, c, req, httpconn.Options{HeaderTimeout: 50 * time.Millisecond})
			assert.ErrorIs(t, e, httpconn.ErrAttemptTimeout)
			assert.NotErrorIs(t, e, context.DeadlineExceeded)
			assert.Contains(t, e.Error(), "raise attempt_timeout")
			assert.True(t, e.Timeout())
			assert.True(t, e.Wrote)
			noUploads(t)
		})
	}
}

func TestHeaderTimeoutRunsFromTheStartAndEndsWithTheHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, base := pipe(t, func(nc net.Conn, br *bufio.Reader) {
			readRequest(br)
			pause(3 * time.Second)
			io.WriteString(nc, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsl")
			pause(time.Minute)
			io.WriteString(nc, "ow")
			io.Copy(io.Discard, br)
		})
		req := newRequest(t, t.Context(), "GET", base, "/", nil)
		resp, err := c.RoundTrip(req, httpconn.Options{HeaderTimeout: 4 * time.Second})
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "slow", string(body))
		start := time.Now()
		_, err = c.RoundTrip(req, httpconn.Options{HeaderTimeout: 5 * time.Second})
		assert.ErrorIs(t, err, httpconn.ErrAttemptTimeout)
		assert.Equal(t, 5*time.Second, time.Since(start))
	})
}

// pause waits in a bubble, where time passes only while everybody waits.
func pause(d time.Duration) { <-time.NewTimer(d).C }

func TestDeadlineOfOneRequestIsNotTheNexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, base := pipe(t, answers(okAnswer))
		exchange(t, c, newRequest(t, t.Context(), "GET", base, "/", nil))
		pause(2 * patience)
		resp, err := c.RoundTrip(newRequest(t, t.Context(), "GET", base, "/", nil), httpconn.Options{})
		require.NoError(t, err)
		_, err = io.ReadAll(resp.Body)
		require.NoError(t, err)
	})
}

func TestStallTimeoutBoundsEachPauseAndNotTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, base := pipe(t, func(nc net.Conn, br *bufio.Reader) {
			readRequest(br)
			io.WriteString(nc, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
			for range 9 {
				pause(4 * time.Second)
				io.WriteString(nc, "x")
			}
			io.Copy(io.Discard, br)
		})
		o := newOwner(t)
		start := time.Now()
		resp, err := c.RoundTrip(newRequest(t, t.Context(), "GET", base, "/", nil),
			httpconn.Options{Owner: o, HeaderTimeout: time.Second, StallTimeout: 5 * time.Second})
		require.NoError(t, err)
		pause(time.Minute) // the caller's pauses do not count
		body, err := io.ReadAll(resp.Body)
		assert.Len(t, body, 9)
		e := asError(t, err)
		assert.ErrorIs(t, e, httpconn.ErrAttemptTimeout)
		assert.Equal(t, httpconn.OpBody, e.Op)
		assert.Equal(t, done{false, err}, o.called())
		assert.Greater(t, time.Since(start), time.Minute+36*time.Second)
	})
}

func TestCloseFailsARequestUnderWay(t *testing.T) {
	read := make(chan struct{})
	base := serve(t, mute(read))
	c := dial(t, base, httpconn.Config{})
	go func() { <-read; c.Close() }()
	within(t, func() {
		e := failed(t, c, newRequest(t, context.Background(), "POST", base, "/", strings.NewReader("x")), httpconn.Options{})
		assert.ErrorIs(t, e, net.ErrClosed)
	})
	assert.False(t, c.Usable(time.Second))
}
