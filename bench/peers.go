package main

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/olivere/elastic/v7"
	"github.com/opensearch-project/opensearch-go/v4/opensearchtransport"
)

// plain is http.Transport, tuned, with the nodes in turn: what a program would write that needs no client.
type plain struct {
	nodes     []string
	transport *http.Transport
	turn      atomic.Uint32
}

func openHTTP(nodes []string) (layer, error) { return &plain{nodes: nodes, transport: tuned()}, nil }

func (l *plain) do(ctx context.Context, w *worker, o *operation) error {
	host := l.nodes[l.turn.Add(1)%uint32(len(l.nodes))]
	return w.consume(l.transport.RoundTrip(o.request(ctx, host)))
}

func (l *plain) close() { l.transport.CloseIdleConnections() }

// elasticLayer is elastic-transport-go, which go-elasticsearch stands on.
type elasticLayer struct{ client *elastictransport.Client }

func openElastic(tune bool) func([]string) (layer, error) {
	return func(nodes []string) (layer, error) {
		//lint:ignore SA1019 the constructor that most programs use
		cfg := elastictransport.Config{URLs: urls(nodes), UserAgent: userAgent}
		if tune {
			cfg.Transport = tuned()
		}
		//lint:ignore SA1019 the same
		client, err := elastictransport.New(cfg)
		return &elasticLayer{client}, err
	}
}

func (l *elasticLayer) do(ctx context.Context, w *worker, o *operation) error {
	return w.consume(l.client.Perform(o.request(ctx, "")))
}

func (l *elasticLayer) close() {}

// openSearchLayer is the transport of opensearch-go, by Perform, as its API calls use it.
type openSearchLayer struct{ client *opensearchtransport.Client }

func openOpenSearch(tune bool) func([]string) (layer, error) {
	return func(nodes []string) (layer, error) {
		cfg := opensearchtransport.Config{URLs: urls(nodes)}
		if tune {
			cfg.Transport = tuned()
		}
		client, err := opensearchtransport.New(cfg)
		return &openSearchLayer{client}, err
	}
}

func (l *openSearchLayer) do(ctx context.Context, w *worker, o *operation) error {
	//lint:ignore SA1019 the call that its generated clients make
	return w.consume(l.client.Perform(o.request(ctx, "")))
}

func (l *openSearchLayer) close() { _ = l.client.Close() } // the process ends next

// olivereLayer is olivere/elastic without its sniffing and health checks.
type olivereLayer struct{ client *elastic.Client }

func openOlivere(tune bool) func([]string) (layer, error) {
	return func(nodes []string) (layer, error) {
		options := []elastic.ClientOptionFunc{
			elastic.SetURL(schemed(nodes)...), elastic.SetSniff(false), elastic.SetHealthcheck(false),
		}
		if tune {
			options = append(options, elastic.SetHttpClient(&http.Client{Transport: tuned()}))
		}
		client, err := elastic.NewClient(options...)
		return &olivereLayer{client}, err
	}
}

var olivereHeader = http.Header{"Authorization": {authorization}}

func (l *olivereLayer) do(ctx context.Context, _ *worker, o *operation) error {
	options := elastic.PerformRequestOptions{Method: o.method, Path: o.path, Headers: olivereHeader}
	if o.body != nil {
		options.Body, options.ContentType = o.text, contentType
	}
	resp, err := l.client.PerformRequest(ctx, options)
	if err != nil {
		return err
	}
	return checkStatus(resp.StatusCode) // its body is in memory already
}

func (l *olivereLayer) close() { l.client.Stop() }

func schemed(nodes []string) []string {
	var all []string
	for _, n := range nodes {
		all = append(all, "http://"+n)
	}
	return all
}

func urls(nodes []string) []*url.URL {
	var all []*url.URL
	for _, n := range nodes {
		all = append(all, &url.URL{Scheme: "http", Host: n})
	}
	return all
}
