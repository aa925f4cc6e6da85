package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// indexName is the only thing in a user's cluster that the demo touches, and madeBy the mark in its mapping by which
// the demo knows its own.
const (
	indexName = "esdriver_demo_elements"
	madeBy    = "esdriver demo"
)

var errNotOurs = errors.New("demo: an index or alias " + indexName +
	" exists and was not made by the demo; it is left alone, and the demo does not run")

// makeIndex makes the index, and drops one first that an interrupted demo has left.
func (d *demo) makeIndex(ctx context.Context) error {
	if err := d.clearIndex(ctx); err != nil {
		return err
	}
	properties := map[string]any{}
	for name, fieldType := range fieldTypes {
		properties[name] = map[string]any{"type": fieldType}
	}
	body, err := json.Marshal(map[string]any{"mappings": map[string]any{
		"_meta": map[string]any{"made_by": madeBy}, "dynamic": "strict", "properties": properties,
	}})
	if err != nil {
		return fmt.Errorf("demo: mapping: %w", err)
	}
	_, err = d.call(ctx, http.MethodPut, "/"+indexName, body)
	return err
}

// clearIndex drops the demo's index if it is there.
func (d *demo) clearIndex(ctx context.Context) error {
	answer, err := d.call(ctx, http.MethodGet, "/"+indexName+"/_mapping", nil)
	var status *statusError
	if errors.As(err, &status) && status.status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if !ours(answer) {
		return errNotOurs
	}
	_, err = d.call(ctx, http.MethodDelete, "/"+indexName, nil)
	return err
}

// ours reports whether the answer to a question for the mapping is that of the demo's index. An alias is answered
// with the names of its indices.
func ours(answer []byte) bool {
	var indices map[string]struct {
		Mappings struct {
			Meta struct {
				MadeBy string `json:"made_by"`
			} `json:"_meta"`
		} `json:"mappings"`
	}
	return json.Unmarshal(answer, &indices) == nil && len(indices) == 1 && indices[indexName].Mappings.Meta.MadeBy == madeBy
}

// dropWithin is how long dropping the index may take once the demo's time is over.
const dropWithin = 5 * time.Second

// dropIndex drops the index, be the context over or not.
func (d *demo) dropIndex(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropWithin)
	defer cancel()
	if _, err := d.call(ctx, http.MethodDelete, "/"+indexName, nil); err != nil {
		d.Printf("   The index %s could not be dropped.\n", indexName)
		return err
	}
	return nil
}

// load writes all elements with one _bulk request. Its items are all create with an id, so that the driver may send it
// again after a failure: the server refuses what it has done already.
func (d *demo) load(ctx context.Context) error {
	d.title(2, "A table, loaded in bulk")
	body, err := bulkBody(d.elements)
	if err != nil {
		return err
	}
	req, err := d.request(ctx, http.MethodPost, "/"+indexName+"/_bulk?refresh=true", body)
	if err != nil {
		return err
	}
	plan, began := d.place.cluster.Explain(req), time.Now()
	answer, err := d.send(req)
	if err != nil {
		return err
	}
	if err := bulkFailure(answer); err != nil {
		return err
	}
	d.Printf("   %d chemical elements are in %s now: one _bulk request\n", len(d.elements), indexName)
	d.Printf("   of %d KiB in class %s, %s. Its items are all create with an id,\n", len(body)>>10, plan.Class, took(began))
	d.Printf("   so the driver may send it again after a failure: %t.\n", plan.Idempotent)
	return nil
}

func bulkBody(elements []element) ([]byte, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	for _, e := range elements {
		id := fmt.Sprint(e["number"])
		action := map[string]any{"create": map[string]any{"_id": id}}
		if err := errors.Join(lines.Encode(action), lines.Encode(e)); err != nil {
			return nil, fmt.Errorf("demo: element %s: %w", id, err)
		}
	}
	return b.Bytes(), nil
}

// bulkFailure returns the first failure of an item. A conflict is none: it is the second answer to a request that was
// sent twice.
func bulkFailure(answer []byte) error {
	var bulk struct {
		Items []struct {
			Create struct {
				ID     string          `json:"_id"`
				Status int             `json:"status"`
				Error  json.RawMessage `json:"error"`
			} `json:"create"`
		} `json:"items"`
	}
	if err := json.Unmarshal(answer, &bulk); err != nil {
		return fmt.Errorf("demo: answer to _bulk: %w", err)
	}
	for _, item := range bulk.Items {
		if c := item.Create; c.Status >= 300 && c.Status != http.StatusConflict {
			return fmt.Errorf("demo: element %s was not taken: status %d: %s", c.ID, c.Status, c.Error)
		}
	}
	return nil
}

// call sends a request through the driver and returns the answer's body. A status of 400 and more is a *statusError.
func (d *demo) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := d.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	return d.send(req)
}

// request makes a request without scheme and host, which are the picked node's.
func (d *demo) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("demo: %s %s: %w", method, path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

func (d *demo) send(req *http.Request) ([]byte, error) {
	resp, err := d.place.cluster.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("demo: %s %s: %w", req.Method, req.URL.Path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("demo: answer to %s %s: %w", req.Method, req.URL.Path, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, &statusError{method: req.Method, path: req.URL.Path, status: resp.StatusCode, body: body}
	}
	return body, nil
}

// statusError is an answer that says no.
type statusError struct {
	method, path string
	status       int
	body         []byte
}

func (e *statusError) Error() string {
	text := e.body[:min(len(e.body), 200)]
	return "demo: " + e.method + " " + e.path + ": status " + strconv.Itoa(e.status) + ": " + string(text)
}

// took says how long something has taken.
func took(began time.Time) string { return milliseconds(time.Since(began)) }

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
}
