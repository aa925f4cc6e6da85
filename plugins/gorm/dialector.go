package esgorm

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"

	_ "github.com/esdriver/esdriver" // the driver that Open opens
)

// Name is what [gorm.Dialector.Name] returns here.
const Name = "esdriver"

var (
	_ gorm.Dialector                     = Dialector{}
	_ gorm.ErrorTranslator               = Dialector{}
	_ gorm.SavePointerDialectorInterface = Dialector{}
)

// Config says what a dialector works on. One of its fields is needed; Conn goes before DSN.
type Config struct {
	// DSN is opened with the driver esdriver when GORM starts. The *sql.DB that comes of it, which (*gorm.DB).DB
	// returns, is the caller's to close.
	DSN string
	// Conn is used as it is, and stays its owner's: a *sql.DB of esdriver.OpenDB, sql.OpenDB or sql.Open. What wraps
	// one must let GORM find it (gorm.GetDBConnector), or migrations fail.
	Conn gorm.ConnPool
}

// Dialector makes GORM speak to Elasticsearch and OpenSearch. It has no state of its own and may be used by many
// goroutines.
type Dialector struct{ Config }

// Open returns a dialector that opens the DSN when GORM starts. A DSN that is wrong is gorm.Open's error; a cluster that
// is down is one unless DisableAutomaticPing is set.
func Open(dsn string) gorm.Dialector { return New(Config{DSN: dsn}) }

// New returns a dialector.
func New(c Config) gorm.Dialector { return Dialector{c} }

// Name returns "esdriver".
func (Dialector) Name() string { return Name }

// Apply has GORM's own clock cut to milliseconds, which is what a date holds, so that what was written and what is read
// are equal. GORM calls it before Initialize.
func (Dialector) Apply(c *gorm.Config) error {
	if c.NowFunc == nil {
		c.NowFunc = func() time.Time { return time.Now().Truncate(time.Millisecond) }
	}
	c.SkipDefaultTransaction = true
	c.DisableForeignKeyConstraintWhenMigrating = true
	return nil
}

// Initialize opens the DSN, if there is no Conn, and registers the callbacks and clauses. GORM calls it.
func (d Dialector) Initialize(db *gorm.DB) (err error) {
	db.ConnPool = d.Conn
	if d.Conn == nil {
		if db.ConnPool, err = sql.Open("esdriver", d.DSN); err != nil {
			db.ConnPool = nil
			return fmt.Errorf("esgorm: %w", err)
		}
	}
	// GORM would leave out ORDER BY and LIMIT, and more rows would go than the program says; the driver refuses them.
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses: []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses: []string{"UPDATE", "SET", "WHERE", "ORDER BY", "LIMIT", "RETURNING"},
		DeleteClauses: []string{"DELETE", "FROM", "WHERE", "ORDER BY", "LIMIT", "RETURNING"},
	})
	registerClauses(db)
	return registerCallbacks(db)
}

// Migrator returns the [Migrator].
func (d Dialector) Migrator(db *gorm.DB) gorm.Migrator {
	return Migrator{migrator.Migrator{Config: migrator.Config{DB: db, Dialector: d}}}
}

// DefaultValueOf returns DEFAULT.
func (Dialector) DefaultValueOf(*schema.Field) clause.Expression { return clause.Expr{SQL: "DEFAULT"} }

// BindVarTo writes a question mark.
func (Dialector) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

// QuoteTo writes a name in double quotes, each part of a dotted one for itself; the driver turns them into those of the
// product. A name that has quotes already keeps its parts.
func (Dialector) QuoteTo(w clause.Writer, name string) {
	for i, part := range strings.Split(name, ".") {
		if i > 0 {
			_ = w.WriteByte('.')
		}
		part = strings.Trim(part, "`\"")
		_, _ = w.WriteString(`"` + strings.ReplaceAll(part, `"`, `""`) + `"`)
	}
}

// Explain returns the statement with its values in place, for logs.
func (Dialector) Explain(text string, vars ...any) string {
	return logger.ExplainSQL(text, nil, `'`, vars...)
}
