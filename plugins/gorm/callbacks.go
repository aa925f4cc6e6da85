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
