package sqlapi_test

import (
	"database/sql"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

// TestScanTypesTakeEveryRecordedValue scans what real servers sent into the types that the columns announce.
func TestScanTypesTakeEveryRecordedValue(t *testing.T) {
	values := 0
	for _, server := range recordedServers {
		recordings := readRecordings(t, server.file, server.product)
		pages := pagesByCursor(recordings)
		for _, r := range recordings {
			if status, _ := recordedError(t, r); status != 0 || notAStatement(r) != "" || different[r.name()] != "" || r.legacy() {
				continue
			}
			if r.Version == "" {
				r.Version = server.version
			}
			values += scanAll(t, r, pages)
		}
	}
	assert.Greater(t, values, 10_000)
}

// legacy reports whether OpenSearch's legacy engine has answered.
func (r *recording) legacy() bool {
	total, rows := strings.Index(r.answer, `"total"`), strings.Index(r.answer, `"datarows"`)
	return rows >= 0 && total < rows
}

// scanAll scans the rows of one statement and returns how many values there were.
func scanAll(t *testing.T, r *recording, pages map[string][]*recording) int {
	doer := &replayed{first: r, pages: pages, asked: map[string]int{}}
	db := sql.OpenDB(sessions{newClient(t, sqlapi.Config{Doer: doer, Product: r.product, Options: sqlapi.Options{
		FetchSize: r.sent.FetchSize, TimeZone: r.sent.TimeZone, Catalog: r.sent.Catalog, ReadAhead: -1, Arrays: sqlapi.ArraysFirst,
	}})})
	defer db.Close()
	args := r.args(t)
	list := make([]any, len(args))
	for i := range args {
		list[i] = args[i].Value
	}
	rows, err := db.Query(r.text(), list...)
	if err != nil {
		return 0 // an async search, or an error of a kind that other tests know
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	n := 0
	for ; rows.Next(); n += len(types) {
		dests := make([]any, len(types))
		for i, column := range types {
			dests[i] = reflect.New(column.ScanType()).Interface()
		}
		require.NoError(t, rows.Scan(dests...), "%s %s", r.Version, r.name())
	}
	return n
}
