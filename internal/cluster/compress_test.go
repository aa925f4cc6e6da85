package cluster_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/sampler"
)

// question is a search of size bytes.
func question(size int) string { return `{"size":1}` + strings.Repeat(" ", size-10) }

func ask(t *testing.T, w *world, body io.Reader, change func(*http.Request)) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/_search", body)
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	if change != nil {
		change(req)
	}
	return w.c.RoundTrip(req)
}

func unzip(t *testing.T, zipped []byte) string {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(zipped))
	require.NoError(t, err)
	text, err := io.ReadAll(zr)
	require.NoError(t, err)
	return string(text)
}

// unnamed hides what a reader is.
type unnamed struct{ io.Reader }

func TestLargerBodiesOfKnownLengthAreCompressed(t *testing.T) {
	for name, tc := range map[string]struct {
		size   int
		change func(*http.Request)
		want   string
	}{
		"small":            {1024, nil, ""},
		"larger":           {1025, nil, "gzip"},
		"large":            {300_000, nil, "gzip"},
		"encoded already":  {300_000, func(r *http.Request) { r.Header.Set("Content-Encoding", "identity") }, "identity"},
		"stream":           {300_000, func(r *http.Request) { r.Body, r.GetBody = io.NopCloser(unnamed{r.Body}), nil }, "gzip"},
		"length not known": {300_000, func(r *http.Request) { r.ContentLength, r.GetBody = -1, nil }, ""},
		"no header":        {2000, func(r *http.Request) { r.Header = nil }, "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.cfg.Compress = true
				w.connect()
				var asked *http.Request
				resp, err := ask(t, w, strings.NewReader(question(tc.size)), func(r *http.Request) {
					if tc.change != nil {
						tc.change(r)
					}
					asked = r
				})
				drain(t, resp, err)
				sent := w.fake.Requests().Path("/_search")
				require.Len(t, sent, 1)
				assert.Equal(t, tc.want, sent[0].Header.Get("Content-Encoding"))
				assert.NotEqual(t, "gzip", asked.Header.Get("Content-Encoding"), "the caller's request is left alone")
				if tc.want == "gzip" {
					assert.Equal(t, question(tc.size), unzip(t, sent[0].Body))
				} else {
					assert.EqualValues(t, tc.size, sent[0].Length)
				}
			})
		})
	}
}

func TestSignatureIsOfTheBytesThatAreSentAtEachAttempt(t *testing.T) {
	for _, compress := range []bool{false, true} {
		inBubble(t, func(t *testing.T, w *world) {
			w.cfg.Compress = compress
			w.cfg.Hooks = append(w.cfg.Hooks, decorate(func(r *http.Request, n *sampler.Node) error {
				if r.GetBody == nil {
					return nil
				}
				body, err := r.GetBody()
				if err != nil {
					return err
				}
				hash := sha256.New()
				_, err = io.Copy(hash, body)
				r.Header.Set("X-Hash", hex.EncodeToString(hash.Sum(nil)))
				return err
			}))
			w.connect()
			w.fake.Inject(fakecluster.Fault{Path: "/_search", Action: fakecluster.ResetAfterExecute, Times: 1})
			resp, err := ask(t, w, strings.NewReader(question(5000)), nil)
			drain(t, resp, err)
			sent := w.fake.Requests().Path("/_search")
			require.Len(t, sent, 2)
			for _, r := range sent {
				hash := sha256.Sum256(r.Body)
				assert.Equal(t, hex.EncodeToString(hash[:]), r.Header.Get("X-Hash"))
			}
			assert.Equal(t, sent[0].Body, sent[1].Body)
		})
	}
}

func TestStreamThatWasCompressedCanBeSentAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.Compress = true
		w.connect()
		w.node("n0").Inject(fakecluster.Fault{Path: "/_search", Action: fakecluster.ResetBeforeExecute})
		resp, err := ask(t, w, unnamed{strings.NewReader(question(5000))}, func(r *http.Request) { r.ContentLength = 5000 })
		drain(t, resp, err)
		for _, r := range w.fake.Requests().Path("/_search") {
			assert.Equal(t, question(5000), unzip(t, r.Body))
		}
	})
}

func TestBodyThatCannotBeCompressedIsNotSentAndClosed(t *testing.T) {
	for name, tc := range map[string]struct {
		body   io.Reader
		length int64
		want   string
	}{
		"too short": {strings.NewReader(question(4999)), 5000, "ContentLength is 5000"},
		"too long":  {strings.NewReader(question(5001)), 5000, "ContentLength is 5000"},
		"broken":    {io.MultiReader(strings.NewReader(question(2000)), failing{}), 5000, "the disk is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.cfg.Compress = true
				w.connect()
				body := &closing{Reader: tc.body}
				_, err := ask(t, w, body, func(r *http.Request) { r.ContentLength = tc.length })
				require.ErrorContains(t, err, tc.want)
				assert.True(t, body.closed)
				assert.Empty(t, w.fake.Requests().Path("/_search"))
				assert.Zero(t, w.c.Stats().Attempts)
			})
		})
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

func TestCancelledCallerDoesNotWaitForTheBodyThatIsCompressed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.cfg.Compress = true
		w.connect()
		ctx, cancel := context.WithCancel(t.Context())
		body, writing := io.Pipe()
		failed := make(chan error)
		go func() {
			_, err := ask(t, w, body, func(r *http.Request) {
				*r = *r.WithContext(ctx)
				r.ContentLength = 5000
			})
			failed <- err
		}()
		_, err := io.WriteString(writing, "{")
		require.NoError(t, err)
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)
		_, err = io.WriteString(writing, "}")
		require.ErrorIs(t, err, io.ErrClosedPipe)
	})
}
