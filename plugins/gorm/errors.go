package esgorm

import (
	"errors"
	"fmt"

	"gorm.io/gorm"

	"github.com/esdriver/esdriver"
)

// Translate makes errors GORM's own where it has one of that meaning, which is for a duplicate key alone. The driver's
// error stays inside. GORM calls it with TranslateError.
func (Dialector) Translate(err error) error {
	if errors.Is(err, esdriver.ErrDuplicateKey) && !errors.Is(err, gorm.ErrDuplicatedKey) { // GORM asks at each level
		return fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, err)
	}
	return err
}

// SavePoint fails: there are no transactions.
func (Dialector) SavePoint(tx *gorm.DB, name string) error {
	return unsupported("savepoint "+name, "there are no transactions; DisableNestedTransaction makes nested ones part of the outer")
}

// RollbackTo fails: there are no transactions.
func (Dialector) RollbackTo(tx *gorm.DB, name string) error {
	return unsupported("ROLLBACK TO "+name, "there are no transactions")
}

// unsupported is what a search engine cannot do.
func unsupported(construct, why string) error {
	return fmt.Errorf("esgorm: %w", &esdriver.UnsupportedError{Construct: construct, Why: why})
}
