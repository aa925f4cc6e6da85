package esxorm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"xorm.io/xorm"
	"xorm.io/xorm/names"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/internal/leaktest"
	esxorm "github.com/esdriver/esdriver/plugins/xorm"
)

const addrsVariable = "ESDRIVER_TEST_ADDRS"

// engineDSN is the DSN of the real cluster that the variable names, as http(s)://[user:password@]host:port[,…].
func engineDSN(t *testing.T) string {
	t.Helper()
	list := os.Getenv(addrsVariable)
	if list == "" {
		t.Skipf("%s names no cluster: set it to http://host:port[,…] to run this test over a real one.", addrsVariable)
	}
	seeds := strings.Split(list, ",")
	for i, seed := range seeds[1:] {
		_, host, _ := strings.Cut(seed, "://")
		seeds[i+1] = host[strings.LastIndex(host, "@")+1:]
	}
	dsn := strings.Join(seeds, ",") + "?refresh=true"
	if ca := os.Getenv("ESDRIVER_TEST_CA"); ca != "" {
		dsn += "&tls.ca=" + ca
	}
	return dsn
}

// TestRealClusterKeepsRowsWithoutItsSQL does what needs no SQL of the server: definitions, writes, and reading by key.
func TestRealClusterKeepsRowsWithoutItsSQL(t *testing.T) {
	dsn := engineDSN(t)
	leaktest.Check(t)
	engine, err := esxorm.Open(dsn)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Close()) })
	prefix := fmt.Sprintf("esxorm_test_%d_", time.Now().UnixNano())
	engine.SetTableMapper(names.NewPrefixMapper(names.SnakeMapper{}, prefix))
	models := []any{&Author{}, &Book{}, &Loan{}}
	t.Cleanup(func() { drop(t, engine, models...) })
	require.NoError(t, engine.Sync(models...))
	require.NoError(t, engine.Sync(models...), "nothing new")
	tables, err := engine.DBMetas()
	require.NoError(t, err)
	assert.Contains(t, tableNames(tables), prefix+"book")

	t.Run("life of a row", func(t *testing.T) { lifeOfARow(t, engine) })
	t.Run("a slice", func(t *testing.T) { sliceOfRows(t, engine) })
	t.Run("versions and times", func(t *testing.T) { versionsAndTimes(t, engine, func() {}) })
}

// drop drops tables, each by itself, as there are no transactions.
func drop(t *testing.T, engine *xorm.Engine, models ...any) {
	session := engine.NewSession()
	defer session.Close()
	for _, model := range models {
		assert.NoError(t, session.DropTable(model))
	}
}

// lifeOfARow inserts, changes and deletes a book.
func lifeOfARow(t *testing.T, engine *xorm.Engine) {
	printed := time.Date(1928, 10, 11, 23, 30, 0, 7e6, time.UTC)
	book := Book{Title: `it's \ "Orlando"`, Pages: 3, Printed: printed}
	n, err := engine.Insert(&book)
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	require.Positive(t, book.ID)
	read := func() (found Book) {
		has, err := engine.ID(book.ID).Unscoped().Get(&found)
		require.NoError(t, err)
		require.True(t, has)
		return found
	}
	found := read()
	assert.Equal(t, book.Title, found.Title)
	assert.True(t, printed.Equal(found.Printed), found.Printed)

	_, err = engine.ID(book.ID).Incr("pages", 3).UseBool("lent").NoVersionCheck().Update(&Book{Lent: true})
	require.NoError(t, err)
	_, err = engine.Exec("UPDATE "+engine.TableName(&book)+" SET price = price + ? WHERE id = ?", 1.5, book.ID)
	require.NoError(t, err)
	found = read()
	assert.Equal(t, 6, found.Pages)
	assert.True(t, found.Lent)
	assert.Equal(t, 1.5, found.Price)
	n, err = engine.Where("pages > ?", 5).And("title = ?", book.Title).NoVersionCheck().Update(&Book{Author: "woolf"})
	require.NoError(t, err)
	assert.EqualValues(t, 1, n, "conditions on other columns are queries of the server")

	n, err = engine.ID(book.ID).Delete(&Book{})
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	assert.False(t, read().Deleted.IsZero())
	n, err = engine.ID(book.ID).Delete(&Book{})
	require.NoError(t, err)
	assert.Zero(t, n, "it is deleted")
	n, err = engine.Where("author = ?", "woolf").Unscoped().Delete(&Book{})
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	has, err := engine.ID(book.ID).Unscoped().Get(&Book{})
	require.NoError(t, err)
	assert.False(t, has)
}

// sliceOfRows inserts many authors at once and reads them by their keys.
func sliceOfRows(t *testing.T, engine *xorm.Engine) {
	authors := make([]Author, 50)
	for i := range authors {
		authors[i] = Author{ID: fmt.Sprint("a", i), Name: fmt.Sprint("author ", i)}
	}
	n, err := engine.Insert(&authors)
	require.NoError(t, err)
	assert.EqualValues(t, len(authors), n)
	for _, want := range authors {
		got := Author{}
		has, err := engine.ID(want.ID).Get(&got)
		require.NoError(t, err)
		require.True(t, has)
		assert.Equal(t, want, got)
	}
	has, err := engine.ID("a51").Exist(&Author{})
	require.NoError(t, err)
	assert.False(t, has)
	_, err = engine.Insert(&authors[0])
	require.ErrorIs(t, err, esdriver.ErrDuplicateKey)
	n, err = engine.In("id", "a1", "a2", "a99").Delete(&Author{})
	require.NoError(t, err)
	assert.EqualValues(t, 2, n)
}

// versionsAndTimes changes a loan twice from the same reading of it. It calls between before the second time.
func versionsAndTimes(t *testing.T, engine *xorm.Engine, between func()) {
	loan := Loan{Reader: "Ann"}
	_, err := engine.Insert(&loan)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), loan.Created, time.Minute)
	read := func() (found Loan) {
		has, err := engine.ID(loan.ID).Get(&found)
		require.NoError(t, err)
		require.True(t, has)
		return found
	}
	mine, theirs := read(), read()
	assert.WithinDuration(t, loan.Created, mine.Created, time.Second, "whole seconds are kept")
	mine.Reader = "Bea"
	n, err := engine.ID(loan.ID).Update(&mine)
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	between()
	theirs.Reader = "Cid"
	n, err = engine.ID(loan.ID).Update(&theirs)
	require.NoError(t, err)
	assert.Zero(t, n, "the row has changed since it was read")
	last := read()
	assert.Equal(t, "Bea", last.Reader)
	assert.Equal(t, 2, last.Version)
	assert.False(t, last.Updated.Before(last.Created))
	assert.True(t, mine.Created.Equal(last.Created), "an update leaves it")
}
