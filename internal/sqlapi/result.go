package sqlapi

// Result is what a write has done. It implements driver.Result.
type Result struct {
	affected int64
	first    int64 // the id of the first row that was inserted
	noID     error // why there is no such id
}

// RowsAffected returns the number of rows that were inserted, deleted, or chosen by UPDATE, whether their values
// changed or not.
func (r *Result) RowsAffected() (int64, error) { return r.affected, nil }

// LastInsertId returns the primary key of the first row that the INSERT wrote, if it is one integer; the keys that
// were made for the rows after it follow it without gap. For everything else it is an error.
func (r *Result) LastInsertId() (int64, error) { return r.first, r.noID }

// noInsertID is why a result has no id.
func noInsertID(why string) error {
	return &UnsupportedError{Construct: "LastInsertId", Why: why}
}
