package sqlparse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlparse"
)

const ormSelect = `SELECT * FROM "users" WHERE "users"."name" = ? AND "users"."deleted_at" IS NULL ORDER BY "users"."id" LIMIT ? OFFSET 20`

func BenchmarkParse(b *testing.B) {
	for _, flavor := range []sqlparse.Flavor{sqlparse.Elasticsearch, sqlparse.OpenSearch} {
		b.Run("select/"+flavor.String(), func(b *testing.B) { benchmarkParse(b, flavor, ormSelect) })
	}
	for _, rows := range []int{1, 1000} {
		insert := "INSERT INTO t (a, b, c, d, e) VALUES (?,?,?,?,?)" + strings.Repeat(",(?,?,?,?,?)", rows-1)
		b.Run(fmt.Sprintf("insert/%d", rows), func(b *testing.B) { benchmarkParse(b, sqlparse.Elasticsearch, insert) })
	}
}

func benchmarkParse(b *testing.B, flavor sqlparse.Flavor, text string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := sqlparse.Parse(flavor, text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCache(b *testing.B) {
	c := sqlparse.NewCache(16)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Parse(sqlparse.OpenSearch, ormSelect); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	args := positional([]any{`O'Brien \ sons`, int64(10)})
	es := parse(b, sqlparse.Elasticsearch, ormSelect)
	b.Run("select/Elasticsearch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := es.Elastic(args, sqlparse.ElasticOptions{})
			require.NoError(b, err)
		}
	})
	os := parse(b, sqlparse.OpenSearch, ormSelect)
	b.Run("select/OpenSearch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := os.OpenSearch(args, sqlparse.OpenSearchOptions{Version: v3})
			require.NoError(b, err)
		}
	})
}
