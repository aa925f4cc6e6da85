// Package link is a command's way to a cluster: SQL and plain requests over one driver.
package link

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/esdriver/esdriver"
)

// closeWithin bounds the end of requests that are under way when a link is closed.
const closeWithin = 5 * time.Second

// Link is an open cluster. Its methods may be called from many goroutines.
type Link struct {
	*esdriver.Cluster
	// DB runs statements on the cluster.
	DB *sql.DB
	// Config is what the DSN says.
	Config esdriver.Config
}

// Open opens the cluster of a DSN. What change does to the Config, if it is not nil, goes before what the DSN says. A
// cluster that is down is no error here: the first request tells. The caller must close the link.
func Open(dsn string, change func(*esdriver.Config)) (*Link, error) {
	config, err := esdriver.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&config)
	}
	cluster, err := esdriver.Open(config)
	if err != nil {
		return nil, err
	}
	return &Link{Cluster: cluster, DB: esdriver.OpenDB(cluster), Config: config}, nil
}

// Close ends the link, and with it what is under way after 5 seconds.
func (l *Link) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	if err := l.DB.Close(); err != nil {
		return fmt.Errorf("link: %w", err)
	}
	return l.Cluster.Close(ctx)
}

// Request makes a request without scheme and host, which are the picked node's. A body is JSON.
func Request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, path, content)
	if err != nil {
		return nil, fmt.Errorf("link: %s %s: %w", method, path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// Call sends a request and returns the answer's body. A status of 400 and more is a *StatusError.
func (l *Link) Call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := Request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	resp, err := l.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("link: %s %s: %w", method, req.URL.Path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("link: answer to %s %s: %w", method, req.URL.Path, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, &StatusError{Method: method, Path: req.URL.Path, Status: resp.StatusCode, Body: answer}
	}
	return answer, nil
}

// Ask is Call with JSON on both sides. A nil question is sent without a body, a nil answer is not read.
func (l *Link) Ask(ctx context.Context, method, path string, question, answer any) error {
	var body []byte
	if question != nil {
		text, err := json.Marshal(question)
		if err != nil {
			return fmt.Errorf("link: %s %s: %w", method, path, err)
		}
		body = text
	}
	text, err := l.Call(ctx, method, path, body)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("link: answer to %s %s: %w", method, path, err)
	}
	return nil
}
