package sqlapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// table is what is known of the index that a statement names: its mapping, and what DDL of ours has left in the
// mapping's _meta. It is shared and never changed.
type table struct {
	name   string   // as statements name it: an index, or an alias of one
	index  string   // the index itself
	hides  bool     // the name is an alias that shows part of the documents, or sends them to shards of its own
	fields []*field // those with values of their own, in the order of CREATE TABLE, else by name
	strict bool     // a document with a field that is not mapped is refused
	key    *field   // the column of the primary key, nil when there is none
	meta   tableMeta
	rest   map[string]any // what else is in _meta
	zone   *time.Location // of texts that name no zone
	at     time.Time      // when it was read

	byName map[string]*field
}

// field returns the column of that name, nil when there is none. Objects that hold columns are found too: their type
// is object or nested.
func (t *table) field(name string) *field { return t.byName[name] }

const (
	cachedTables = 512
	// tableAge is how long a mapping is believed. Others may add columns meanwhile, so an unknown column is looked
	// for once more; see withTable.
	tableAge = time.Minute
	// tableFresh is the age up to which a mapping is not read again for an unknown column.
	tableFresh = time.Second
)

// tableCache remembers tables by the name in the statement.
type tableCache struct {
	mu     sync.Mutex // guards tables
	tables map[string]*table
}

func (c *tableCache) get(name string) *table {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.tables[name]; t != nil && time.Since(t.at) < tableAge {
		return t
	}
	return nil
}

// keep remembers a table. When there are too many it forgets them all.
func (c *tableCache) keep(t *table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables == nil || len(c.tables) >= cachedTables {
		c.tables = map[string]*table{}
	}
	c.tables[t.name] = t
}

// forget drops a table, under whatever names it is known.
func (c *tableCache) forget(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other, t := range c.tables {
		if other == name || t.index == name {
			delete(c.tables, other)
		}
	}
}

// table returns what is known of a table, and asks for its mapping when that is too little. It fails with ErrNoTable
// when there is no such index, and with an UnsupportedError when the name stands for several.
func (c *Client) table(ctx context.Context, name string) (*table, error) {
	if err := checkTable(name); err != nil {
		return nil, err
	}
	if t := c.tables.get(name); t != nil {
		return t, nil
	}
	return c.readTable(ctx, name)
}

// withTable calls plan with the table, and once more with a fresh one when the first turns out to be of before a
// change of the mapping: plan fails for an unknown column. Plan must send nothing before it returns such an error.
func (c *Client) withTable(ctx context.Context, name string, plan func(*table) error) error {
	t, err := c.table(ctx, name)
	if err != nil {
		return err
	}
	if err = plan(t); !errors.Is(err, ErrNoColumn) || time.Since(t.at) < tableFresh {
		return err
	}
	c.tables.forget(name)
	fresh, freshErr := c.table(ctx, name)
	if freshErr != nil {
		return err
	}
	return plan(fresh)
}

// forgetStale drops a table whose mapping is not what it was thought to be, as an error of a server tells.
func (c *Client) forgetStale(name string, err error) {
	var refused *Error
	if !errors.As(err, &refused) {
		return
	}
	for _, kind := range []string{refused.Type, refused.RootType} {
		switch kind {
		case "strict_dynamic_mapping_exception", "mapper_parsing_exception", "document_parsing_exception",
			"index_not_found_exception", "query_shard_exception", "illegal_argument_exception":
			c.tables.forget(name)
		}
	}
}

func (c *Client) readTable(ctx context.Context, name string) (*table, error) {
	resp, err := c.send(ctx, request{
		method: http.MethodGet, path: "/" + name + "/_mapping", id: CallFrom(ctx).RequestID, repeat: repeatYes,
	})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer map[string]struct {
		Mappings map[string]any `json:"mappings"`
	}
	if err := json.UnmarshalRead(resp.Body, &answer, decodeOptions...); err != nil {
		return nil, &AnswerError{Node: nodeOf(resp), Msg: "a mapping is not as expected", Err: err}
	}
	if len(answer) != 1 {
		return nil, &UnsupportedError{Construct: "a write to " + name, Why: "it must name one index, or an alias of one"}
	}
	for index, found := range answer {
		t := newTable(name, index, found.Mappings, c.zone)
		if name != index {
			if t.hides, err = c.hides(ctx, name); err != nil {
				return nil, err
			}
		}
		c.tables.keep(t)
		return t, nil
	}
	return nil, nil // not reached: there is one
}

// hides asks whether an alias has a filter or a routing: reads and writes by id know nothing of them.
func (c *Client) hides(ctx context.Context, alias string) (bool, error) {
	resp, err := c.send(ctx, request{
		method: http.MethodGet, path: "/" + alias + "/_alias", id: CallFrom(ctx).RequestID, repeat: repeatYes,
	})
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	var answer map[string]struct {
		Aliases map[string]struct {
			Filter  any    `json:"filter"`
			Routing string `json:"search_routing"`
		} `json:"aliases"`
	}
	if err := json.UnmarshalRead(resp.Body, &answer, decodeOptions...); err != nil {
		return false, &AnswerError{Node: nodeOf(resp), Msg: "an alias is not as expected", Err: err}
	}
	for _, index := range answer {
		if a := index.Aliases[alias]; a.Filter != nil || a.Routing != "" {
			return true, nil
		}
	}
	return false, nil
}

// checkTable refuses names that stand for more than one index or for none. The servers refuse them where an index is
// made, and not where one is deleted.
func checkTable(name string) error {
	switch {
	case name == "" || name == "." || name == ".." || name == "_all",
		strings.ContainsAny(name, `*?,/\"<>|# `), strings.ContainsAny(name[:1], "-_+"):
		return &UnsupportedError{Construct: "the name " + strconv.Quote(name) + " in a write", Why: "it must name one index"}
	}
	return nil
}

func newTable(name, index string, mapping map[string]any, zone *time.Location) *table {
	t := &table{name: name, index: index, zone: zone, at: time.Now(), byName: map[string]*field{}}
	t.strict = mapping["dynamic"] == "strict"
	t.meta, t.rest = parseMeta(mapping["_meta"])
	t.add(mapping, "", false)
	t.order()
	for _, m := range t.meta.Columns {
		if f := t.byName[m.Name]; f != nil {
			f.column = m
		}
	}
	t.key = t.byName[t.meta.Key]
	return t
}

// add takes the fields of an object.
func (t *table) add(def map[string]any, prefix string, nested bool) {
	properties, _ := def["properties"].(map[string]any)
	for name, v := range properties {
		def, _ := v.(map[string]any)
		f := newField(prefix+name, def, t.zone)
		f.nested = nested
		t.byName[f.name] = f
		if f.typ == "object" || f.typ == "nested" {
			t.add(def, f.name+".", nested || f.typ == "nested")
			continue
		}
		t.fields = append(t.fields, f)
	}
}

// order sorts the fields: those that DDL of ours has made first, as they were made.
func (t *table) order() {
	place := map[string]int{}
	for i, m := range t.meta.Columns {
		place[m.Name] = i - len(t.meta.Columns)
	}
	slices.SortFunc(t.fields, func(a, b *field) int {
		if d := place[a.name] - place[b.name]; d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
}
