package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/esdriver/esdriver/fakecluster"
)

// Engine is a SQL engine for one or more fake clusters. It may be used from many goroutines; statements run
// one after the other.
type Engine struct {
	mu     sync.Mutex // guards everything below
	conn   conn
	loaded map[string]*loaded // by table name
	tables int                // tables ever loaded; names the next one
}

// conn is what is used of the SQLite driver: a connection without database/sql, which would start goroutines
// that outlive a testing/synctest bubble.
type conn interface {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
}

// loaded is an index's documents in SQLite.
type loaded struct {
	version string
	sqlName string
	fields  []column
}

// column is a column of a loaded table.
type column struct {
	name string
	wire string
	sub  bool
	meta bool // _id and _index, which a star leaves out
}

// lite is the driver as it is registered: only that one has the functions of functions.go.
var lite = registered()

func registered() driver.Driver {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		panic("fakecluster/sqlite: " + err.Error()) // the driver's package is imported
	}
	defer db.Close()
	return db.Driver()
}

// New returns an engine with an empty database in memory. The memory is freed when the engine is garbage; it
// holds no goroutine and no file.
func New() *Engine { return &Engine{loaded: map[string]*loaded{}} }

// Query runs one statement. Errors about the statement are [*fakecluster.SQLError].
func (e *Engine) Query(ctx context.Context, q fakecluster.SQLQuery) (fakecluster.SQLResult, error) {
	tokens, err := lex(q)
	if err != nil {
		return fakecluster.SQLResult{}, err
	}
	if len(tokens) == 0 {
		return fakecluster.SQLResult{}, parseError(q.Flavor, q.Text, 0, "mismatched input '<EOF>'")
	}
	switch tokens[0].word() {
	case "SELECT":
		return e.query(ctx, q, tokens)
	case "SHOW":
		return showStatement(q, tokens)
	case "DESCRIBE", "DESC":
		return describe(q, tokens)
	}
	return fakecluster.SQLResult{}, refused(q, tokens[0])
}

func (e *Engine) query(ctx context.Context, q fakecluster.SQLQuery, tokens []token) (fakecluster.SQLResult, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.open(); err != nil {
		return fakecluster.SQLResult{}, err
	}
	st, err := parse(e, q, tokens)
	if err != nil {
		return fakecluster.SQLResult{}, err
	}
	text, err := st.rewrite()
	if err != nil {
		return fakecluster.SQLResult{}, err
	}
	if err := e.exec("PRAGMA case_sensitive_like = " + map[bool]string{true: "ON", false: "OFF"}[st.elastic()]); err != nil {
		return fakecluster.SQLResult{}, err
	}
	rows, err := e.conn.QueryContext(ctx, text, st.args())
	if err != nil {
		return fakecluster.SQLResult{}, fromSQLite(q, err)
	}
	defer rows.Close()
	result, err := st.read(rows)
	if err != nil {
		return fakecluster.SQLResult{}, fromSQLite(q, err)
	}
	return result, nil
}

func (e *Engine) open() error {
	if e.conn != nil {
		return nil
	}
	c, err := lite.Open(":memory:")
	if err != nil {
		return err
	}
	e.conn = c.(conn)
	runtime.AddCleanup(e, func(c driver.Conn) { _ = c.Close() }, c)
	return nil
}

func (e *Engine) exec(text string) error {
	_, err := e.conn.ExecContext(context.Background(), text, nil)
	return err
}

// load copies a table's documents into SQLite, again only when its version has changed.
func (e *Engine) load(q fakecluster.SQLQuery, t *fakecluster.Table) (*loaded, error) {
	old := e.loaded[t.Name]
	if old != nil && old.version == t.Version+string(q.Flavor) {
		return old, nil
	}
	if old != nil {
		if err := e.exec("DROP TABLE " + old.sqlName); err != nil {
			return nil, err
		}
	}
	e.tables++
	l := &loaded{version: t.Version + string(q.Flavor), sqlName: fmt.Sprintf("t%d", e.tables)}
	use := l.columns(q.Flavor, t)
	if err := e.exec(l.create()); err != nil {
		return nil, err
	}
	e.loaded[t.Name] = l
	return l, e.fill(l, t, use)
}

// columns sets the table's columns and returns which of the document's values fill them.
func (l *loaded) columns(flavor fakecluster.Flavor, t *fakecluster.Table) []int {
	var use []int
	for i, f := range t.Fields {
		wire := wireType(flavor, f)
		if wire == "" || f.Sub && flavor == fakecluster.OpenSearch {
			continue
		}
		l.fields = append(l.fields, column{name: f.Name, wire: wire, sub: f.Sub})
		use = append(use, i)
	}
	if flavor == fakecluster.OpenSearch {
		l.fields = append(l.fields, column{name: "_id", wire: "keyword", meta: true}, column{name: "_index", wire: "keyword", meta: true})
	}
	return use
}

func (l *loaded) create() string {
	var defs []string
	for _, c := range l.fields {
		defs = append(defs, quote(c.name)+" "+affinity(c.wire))
	}
	defs = append(defs, "\"\\\" INTEGER") // a table needs a column; no field has this name
	return "CREATE TABLE " + l.sqlName + " (" + strings.Join(defs, ", ") + ")"
}

func (e *Engine) fill(l *loaded, t *fakecluster.Table, use []int) error {
	if err := e.exec("BEGIN"); err != nil {
		return err
	}
	insert, err := e.conn.Prepare("INSERT INTO " + l.sqlName + " VALUES (" + strings.Repeat("?, ", len(l.fields)) + "NULL)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, d := range t.Docs() {
		row := make([]driver.Value, 0, len(l.fields))
		for _, i := range use {
			row = append(row, stored(d.Values[i]))
		}
		if len(row) < len(l.fields) {
			row = append(row, d.ID, t.Name)
		}
		//lint:ignore SA1019 there is no context to hand on while the table is filled
		if _, err := insert.Exec(row); err != nil {
			return err
		}
	}
	return e.exec("COMMIT")
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
