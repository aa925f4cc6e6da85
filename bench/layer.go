package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
)

// layer is a way to send a request and to read the whole answer. do is called from many goroutines.
type layer interface {
	do(ctx context.Context, w *worker, o *operation) error
	close()
}

// worker is what one goroutine keeps between its requests.
type worker struct {
	id   int
	buf  []byte   // answers are read into it
	wire net.Conn // the limit's own connection; nil until it is used
	sent []byte   // and what it sends
}

func newWorker(id int) *worker { return &worker{id: id, buf: make([]byte, 64<<10)} }

// The layers that figures are compared with, and ours.
const (
	theLimit = "limit"
	theOurs  = "esdriver"
	theSQL   = "esdriver sql" // measured at works of SQL alone
)

// layers are all of them, in the tables' order.
var layers = []struct {
	name string
	open func(nodes []string) (layer, error)
}{
	{theLimit, openLimit},
	{theOurs, openOurs},
	{theSQL, openSQL},
	{"http tuned", openHTTP},
	{"elastic", openElastic(false)},
	{"elastic tuned", openElastic(true)},
	{"opensearch", openOpenSearch(false)},
	{"opensearch tuned", openOpenSearch(true)},
	{"olivere", openOlivere(false)},
	{"olivere tuned", openOlivere(true)},
}

func openLayer(name string, nodes []string) (layer, error) {
	for _, l := range layers {
		if l.name == name {
			return l.open(nodes)
		}
	}
	return nil, fmt.Errorf("bench: no layer %q", name)
}

// consume reads an answer to its end.
func (w *worker) consume(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for err == nil {
		_, err = resp.Body.Read(w.buf)
	}
	if err != io.EOF {
		return err
	}
	return checkStatus(resp.StatusCode)
}

func checkStatus(status int) error {
	if status != http.StatusOK {
		return fmt.Errorf("bench: status %d", status)
	}
	return nil
}

// tuned is http.DefaultTransport, made to keep the connections of many goroutines.
func tuned() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 512
	return t
}
