package esgorm

import (
	"errors"

	"gorm.io/gorm"

	"github.com/esdriver/esdriver"
)

// registerCallbacks adds what the driver needs to GORM's callbacks.
func registerCallbacks(db *gorm.DB) error {
	all := db.Callback()
	return errors.Join(
		all.Create().After("gorm:before_create").Before("gorm:save_before_associations").Register("esgorm:keys", makeKeys),
		all.Create().After("gorm:create").Register("esgorm:partly", countPartly),
		all.Update().After("gorm:update").Register("esgorm:partly", countPartly),
		all.Delete().After("gorm:delete").Register("esgorm:partly", countPartly),
		all.Update().Before("gorm:update").Register("esgorm:all_rows", allowAll),
		all.Delete().Before("gorm:delete").Register("esgorm:all_rows", allowAll),
	)
}

// allowAll lets a statement without WHERE change every row where the program has said so to GORM. GORM itself refuses it
// otherwise, and so does the driver.
func allowAll(db *gorm.DB) {
	if db.AllowGlobalUpdate {
		db.Statement.Context = esdriver.WithFullTable(db.Statement.Context)
	}
}

// countPartly has RowsAffected tell of the rows that a statement has written although it failed.
func countPartly(db *gorm.DB) {
	partly, ok := errors.AsType[*esdriver.PartialWriteError](db.Error)
	if ok && partly.Table == db.Statement.Table {
		db.RowsAffected = partly.Inserted + partly.Updated + partly.Deleted
	}
}
