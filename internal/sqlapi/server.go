package sqlapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

// Product is what a cluster runs.
type Product uint8

// The products.
const (
	Auto Product = iota // found out at the first statement
	Elasticsearch
	OpenSearch
)

// flavor is the product's SQL. Auto has none.
func (p Product) flavor() sqlparse.Flavor {
	if p == OpenSearch {
		return sqlparse.OpenSearch
	}
	return sqlparse.Elasticsearch
}

// server is what is known of the servers. A cluster in the middle of an upgrade has two versions: then it is the
// lower one of those that the topology tells, or the one that was heard of last.
type server struct {
	product Product
	version sqlparse.Version // zero when not known
	text    string           // the whole version, "8.19.7"
	asked   bool             // GET / has been tried: what is not known now will not be known by asking again
}

// repeatsPages reports whether a cursor page may be sent for again. Elasticsearch keeps a point in time since
// 8.3 (its pull requests 83381 and 84605) and gives the same page again; before that the second request is
// answered with the page after it. Of OpenSearch's cursors each serves once.
func (s server) repeatsPages() bool { return s.product == Elasticsearch && s.version.AtLeast(8, 3) }

// losesRows reports whether paging needs a sort key that tells every two rows apart: OpenSearch 2.18 pages by
// search-after without one and drops rows. Seen on 2.19.6, seen no more on 3.8.0; the versions between them
// and those that do not tell theirs get the key too.
func (s server) losesRows() bool {
	return s.version.IsZero() || s.version.AtLeast(2, 18) && !s.version.AtLeast(3, 8)
}

// server returns what is known, with the product, which it finds out when it is not.
func (c *Client) server(ctx context.Context) (server, error) {
	known := *c.known.Load()
	if known.product != Auto {
		return known, nil
	}
	return c.ask(ctx)
}

// versioned returns what is known, with the version if it can be had.
func (c *Client) versioned(ctx context.Context) (server, error) {
	known := *c.known.Load()
	if known.product != Auto && (known.asked || !known.version.IsZero()) {
		return known, nil
	}
	if c.readTopology() {
		return c.versioned(ctx)
	}
	return c.ask(ctx)
}

// readTopology takes the lowest version that the topology tells, and reports whether there was any.
func (c *Client) readTopology() bool {
	if c.topology == nil || c.known.Load().product == Auto {
		return false
	}
	var lowest server
	for _, n := range c.topology().Nodes {
		v := parseVersion(n.Version)
		if !v.IsZero() && (lowest.version.IsZero() || !v.AtLeast(lowest.version.Major, lowest.version.Minor)) {
			lowest.version, lowest.text = v, n.Version
		}
	}
	if lowest.version.IsZero() {
		return false
	}
	c.update(func(s *server) { s.version, s.text = lowest.version, lowest.text })
	return true
}

// ask finds out by GET /, one caller at a time.
func (c *Client) ask(ctx context.Context) (server, error) {
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return server{}, context.Cause(ctx)
	}
	if known := *c.known.Load(); known.asked && known.product != Auto {
		return known, nil
	}
	err := c.askRoot(ctx)
	if err == nil && c.known.Load().product == Auto {
		err = c.askSQL(ctx)
	}
	if err != nil {
		return server{}, err
	}
	return *c.known.Load(), nil
}

// askRoot reads product and version from GET /. Users without the right to see them are not an error.
func (c *Client) askRoot(ctx context.Context) error {
	resp, err := c.send(ctx, request{method: http.MethodGet, path: "/"})
	var refused *Error
	switch {
	case errors.As(err, &refused) && refused.Status != http.StatusUnauthorized && refused.Status < 500:
		c.update(func(s *server) { s.asked = true })
		return nil
	case err != nil:
		return err
	}
	defer resp.Body.Close()
	var root struct {
		Version struct {
			Number       string `json:"number"`
			Distribution string `json:"distribution"`
		} `json:"version"`
	}
	if err := json.UnmarshalRead(resp.Body, &root, decodeOptions...); err != nil {
		return &AnswerError{Node: nodeOf(resp), Msg: "GET / is not as expected", Err: err}
	}
	c.update(func(s *server) { s.learnRoot(root.Version.Number, root.Version.Distribution) })
	return nil
}

func (s *server) learnRoot(number, distribution string) {
	s.asked = true
	if v := parseVersion(number); !v.IsZero() {
		s.version, s.text = v, number
	}
	if s.product != Auto || s.version.IsZero() {
		return
	}
	s.product = Elasticsearch
	if distribution == "opensearch" {
		s.product = OpenSearch
	}
}

// askSQL tells the products apart by their SQL: ordinary users may run a statement where they may not GET /.
func (c *Client) askSQL(ctx context.Context) error {
	resp, err := c.send(ctx, request{method: http.MethodPost, path: pathOpenSearch, body: []byte(`{"query":"SELECT 1"}`)})
	product := OpenSearch
	var refused *Error
	switch {
	case errors.As(err, &refused) && strings.Contains(refused.Reason, "no handler found"):
		product = Elasticsearch
	case err != nil:
		return err
	default:
		_ = resp.Body.Close()
	}
	c.update(func(s *server) {
		if s.product == Auto {
			s.product = product
		}
	})
	return nil
}

// learn takes what an answer's header tells: OpenSearch 3 its version, Elasticsearch 7.14 and later its name.
func (c *Client) learn(h http.Header) {
	known := c.known.Load()
	if text := headerVersion(h); text != "" && text != known.text {
		c.update(func(s *server) {
			s.product, s.version, s.text = OpenSearch, parseVersion(text), text
		})
	}
	if known.product == Auto && len(h["X-Elastic-Product"]) > 0 {
		c.update(func(s *server) { s.product = Elasticsearch })
	}
}

// headerVersion reads "OpenSearch/3.8.0 (opensearch)".
func headerVersion(h http.Header) string {
	values := h["X-Opensearch-Version"]
	if len(values) == 0 {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(values[0], "OpenSearch/"), " ")
	return version
}

// askBackslash finds out by a statement how OpenSearch reads a backslash, for users who may not see its version:
// 3.x makes one character of two backslashes, 2.x leaves them.
func (c *Client) askBackslash(ctx context.Context) error {
	resp, err := c.send(ctx, request{
		method: http.MethodPost, path: pathOpenSearch, body: []byte(`{"query":"SELECT LENGTH('\\\\') AS n"}`),
	})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		Rows [][]int `json:"datarows"`
	}
	if err := json.UnmarshalRead(resp.Body, &answer, decodeOptions...); err != nil || len(answer.Rows) != 1 || len(answer.Rows[0]) != 1 {
		return &AnswerError{Node: nodeOf(resp), Msg: "does not tell how a backslash is read", Err: err}
	}
	version := sqlparse.Version{Major: 2, Minor: 19}
	if answer.Rows[0][0] == 1 {
		version = sqlparse.Version{Major: 3}
	}
	c.update(func(s *server) { s.version = version })
	return nil
}

// update changes what is known.
func (c *Client) update(change func(*server)) {
	for {
		old := c.known.Load()
		changed := *old
		change(&changed)
		if c.known.CompareAndSwap(old, &changed) {
			return
		}
	}
}

// parseVersion reads the first two numbers of "8.19.7-SNAPSHOT"; the zero version when there are none.
func parseVersion(text string) sqlparse.Version {
	major, rest, _ := strings.Cut(text, ".")
	minor, _, _ := strings.Cut(rest, ".")
	m, err := strconv.Atoi(major)
	if err != nil {
		return sqlparse.Version{}
	}
	n, err := strconv.Atoi(minor)
	if err != nil {
		n = 0
	}
	return sqlparse.Version{Major: m, Minor: n}
}
