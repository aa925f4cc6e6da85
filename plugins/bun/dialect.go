package esbun

import (
	"database/sql"

	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/dialect/feature"
	"github.com/uptrace/bun/schema"

	_ "github.com/esdriver/esdriver" // the driver that the dialect is for
)

// Name is what [schema.Dialect.Name] returns here. bun's own names count from 0 up.
const Name dialect.Name = 9200

// features are those of the statements that the driver takes; see docs/sql.md. What is missing, such as CTE and EXISTS,
// bun leaves out or refuses.
const features = feature.Returning | feature.InsertReturning | feature.DeleteReturning | feature.DefaultPlaceholder |
	feature.InsertTableAlias | feature.UpdateTableAlias | feature.DeleteTableAlias | feature.InsertOnConflict |
	feature.TableTruncate | feature.TableNotExists | feature.AlterColumnExists | feature.CreateIndexIfNotExists |
	feature.AutoIncrement

var _ schema.Dialect = (*Dialect)(nil)

// Dialect makes bun speak to Elasticsearch and OpenSearch. It knows models, and nothing of a connection: one may serve
// several *bun.DB and many goroutines.
type Dialect struct {
	schema.BaseDialect
	tables *schema.Tables
}

// New returns a dialect that knows no models yet.
func New() *Dialect {
	d := &Dialect{}
	d.tables = schema.NewTables(d)
	return d
}

// Init does nothing. bun calls it.
func (*Dialect) Init(*sql.DB) {}

// Name returns [Name].
func (*Dialect) Name() dialect.Name { return Name }

// Features returns what bun may use.
func (*Dialect) Features() feature.Feature { return features }

// Tables returns the models that the dialect knows.
func (d *Dialect) Tables() *schema.Tables { return d.tables }

// OnTable chooses the types of a model's columns. bun calls it once for each model.
func (*Dialect) OnTable(t *schema.Table) {
	for _, f := range t.FieldMap {
		f.DiscoveredSQLType = columnType(f)
	}
}

// IdentQuote returns the double quote, which the driver turns into the product's.
func (*Dialect) IdentQuote() byte { return '"' }

// DefaultVarcharLen returns 0: VARCHAR needs no length.
func (*Dialect) DefaultVarcharLen() int { return 0 }

// DefaultSchema returns "": tables have no schema.
func (*Dialect) DefaultSchema() string { return "" }

// AppendSequence marks a column as one that the driver makes numbers for.
func (*Dialect) AppendSequence(b []byte, _ *schema.Table, _ *schema.Field) []byte {
	return append(b, " AUTO_INCREMENT"...)
}
