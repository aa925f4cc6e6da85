package shell

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/esdriver/esdriver/cmd/esdriver/internal/result"
	"github.com/esdriver/esdriver/internal/sqlparse"
)

// execute runs one statement and shows what comes of it.
func (s *shell) execute(ctx context.Context, text string) error {
	began := time.Now()
	if !s.givesRows(text) {
		return s.exec(ctx, text, began)
	}
	rows, err := s.DB.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	n, err := s.show(rows)
	if err := errors.Join(err, rows.Close()); err != nil {
		return err
	}
	return s.note("(%s)", counted(n, "row")+s.took(began))
}

// givesRows reports whether a statement has rows to show. One that cannot be read is left to the driver, which says
// what is wrong with it.
func (s *shell) givesRows(text string) bool {
	st, err := sqlparse.Parse(s.flavor, text)
	if err != nil {
		return true
	}
	switch tree := st.Tree().(type) {
	case *sqlparse.InsertStatement:
		return len(tree.Returning) > 0
	case *sqlparse.UpdateStatement:
		return len(tree.Returning) > 0
	case *sqlparse.DeleteStatement:
		return len(tree.Returning) > 0
	}
	return st.Kind().Reads() || st.Kind() == sqlparse.Constant
}

func (s *shell) exec(ctx context.Context, text string, began time.Time) error {
	done, err := s.DB.ExecContext(ctx, text)
	if err != nil {
		return err
	}
	s.words.forget() // it may have made or dropped a table
	if n, err := done.RowsAffected(); err == nil {
		return s.note("%s changed%s", counted(n, "row"), s.took(began))
	}
	return s.note("done%s", s.took(began))
}

// took says how long a statement has taken, if that is wanted.
func (s *shell) took(began time.Time) string {
	if !s.timing {
		return ""
	}
	return fmt.Sprintf(", %.1f ms", float64(time.Since(began))/float64(time.Millisecond))
}

// show writes rows in the format in force as they come, and returns how many there were.
func (s *shell) show(rows *sql.Rows) (n int64, err error) {
	columns, err := rows.Columns()
	if err != nil {
		return 0, fmt.Errorf("shell: columns: %w", err)
	}
	w, err := result.New(s.effective(), s.out)
	if err != nil {
		return 0, err
	}
	if err := w.Head(columns); err != nil {
		return 0, err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(targets...); err != nil {
			return n, fmt.Errorf("shell: row %d: %w", n+1, err)
		}
		if err := w.Row(values); err != nil {
			return n, err
		}
	}
	return n, errors.Join(rows.Err(), w.End())
}

// counted is a number with its noun.
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
