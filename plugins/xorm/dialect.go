package esxorm

import (
	"context"
	"fmt"

	"xorm.io/xorm/core"
	"xorm.io/xorm/dialects"
	"xorm.io/xorm/schemas"

	"github.com/esdriver/esdriver"
)

// dialect makes xorm speak to Elasticsearch and OpenSearch.
type dialect struct {
	dialects.Base
	quoter schemas.Quoter
}

var _ dialects.Dialect = (*dialect)(nil)

// Init takes the address. xorm calls it first.
func (d *dialect) Init(uri *dialects.URI) error {
	d.quoter = schemas.CommonQuoter
	return d.Base.Init(d, uri)
}

// Quoter writes backquotes, which the driver turns into the product's quotes.
func (d *dialect) Quoter() schemas.Quoter { return d.quoter }

// SetQuotePolicy says which names are quoted: all by default. No names are reserved, so none are with either other policy.
func (d *dialect) SetQuotePolicy(p dialects.QuotePolicy) {
	d.quoter = schemas.CommonQuoter
	if p != dialects.QuotePolicyAlways {
		d.quoter.IsReserved = d.IsReserved
	}
}

// IsReserved returns false: which words are reserved differs by product and version.
func (*dialect) IsReserved(string) bool { return false }

// AutoIncrStr marks a column that the driver makes numbers for.
func (*dialect) AutoIncrStr() string { return "AUTO_INCREMENT" }

// Features says that a key is made when its column is left out. Columns' types cannot be changed.
func (*dialect) Features() *dialects.DialectFeatures {
	return &dialects.DialectFeatures{AutoincrMode: dialects.IncrAutoincrMode}
}

// Filters returns none.
func (*dialect) Filters() []dialects.Filter { return nil }

// Version asks the cluster.
func (*dialect) Version(ctx context.Context, q core.Queryer) (*schemas.Version, error) {
	var answer struct {
		Version struct {
			Number       string `json:"number"`
			Distribution string `json:"distribution"`
		} `json:"version"`
	}
	if _, err := get(ctx, q, "/", &answer); err != nil {
		return nil, err
	}
	version := &schemas.Version{Number: answer.Version.Number, Edition: answer.Version.Distribution}
	if version.Edition == "" {
		version.Edition = "elasticsearch"
	}
	return version, nil
}

// CreateSequenceSQL fails: there are no sequences.
func (*dialect) CreateSequenceSQL(_ context.Context, _ core.Queryer, name string) (string, error) {
	return "", unsupported("sequence "+name, "keys are made by the driver")
}

// DropSequenceSQL fails: there are no sequences.
func (*dialect) DropSequenceSQL(name string) (string, error) {
	return "", unsupported("sequence "+name, "keys are made by the driver")
}

// IsSequenceExist returns false: there are no sequences.
func (*dialect) IsSequenceExist(context.Context, core.Queryer, string) (bool, error) {
	return false, nil
}

// unsupported is what a search engine cannot do.
func unsupported(construct, why string) error {
	return fmt.Errorf("esxorm: %w", &esdriver.UnsupportedError{Construct: construct, Why: why})
}
