// Go makes the ordinary calls of go-elasticsearch 9, against the URLs of the argument.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/elastic/go-elasticsearch/v9"
	"github.com/elastic/go-elasticsearch/v9/esutil"
	"github.com/elastic/go-elasticsearch/v9/typedapi/types"
	"github.com/elastic/go-elasticsearch/v9/typedapi/types/enums/refresh"
)

func main() {
	addresses := strings.Split(os.Args[1], ",")
	client, err := elasticsearch.NewTypedClient(elasticsearch.Config{Addresses: addresses})
	check(err)
	ctx := context.Background()
	info, err := client.Info().Do(ctx)
	check(err)

	properties := map[string]types.Property{"year": types.NewLongNumberProperty(), "tag": types.NewKeywordProperty()}
	_, err = client.Indices.Create("books").Mappings(&types.TypeMapping{Properties: properties}).Do(ctx)
	check(err)
	made, err := client.Index("books").Id("1").Document(map[string]any{"year": 2001, "tag": "a"}).Refresh(refresh.Waitfor).Do(ctx)
	check(err)
	want(made.Result.String(), "created")
	got, err := client.Get("books", "1").Do(ctx)
	check(err)
	want(string(got.Source_), `{"tag":"a","year":2001}`)
	updated, err := client.Update("books", "1").Doc(map[string]any{"year": 2002}).Do(ctx)
	check(err)
	want(updated.Result.String(), "updated")
	_, err = client.Create("books", "1").Document(map[string]any{}).Do(ctx)
	var e *types.ElasticsearchError
	if e, _ = err.(*types.ElasticsearchError); e == nil || e.Status != 409 {
		panic(fmt.Sprint("want a conflict, got ", err))
	}

	plain, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: addresses, DiscoverNodesOnStart: true})
	check(err)
	load(ctx, plain)
	count, err := client.Count().Index("books").Do(ctx)
	check(err)
	want(count.Count, int64(101))
	years := types.NewNumberRangeQuery()
	from := types.Float64(10)
	years.Gte = &from
	byYear := &types.SortOptions{SortOptions: map[string]types.FieldSort{"year": {}}}
	found, err := client.Search().Index("books").Query(&types.Query{Range: map[string]types.RangeQuery{"year": years}}).Sort(byYear).Size(3).Do(ctx)
	check(err)
	want(*found.Hits.Hits[0].Id_, "10")
	pit, err := client.OpenPointInTime("books").KeepAlive("1m").Do(ctx)
	check(err)
	_, err = client.ClosePointInTime().Id(pit.Id).Do(ctx)
	check(err)
	rows, err := client.Sql.Query().Query("SELECT tag, COUNT(*) AS n FROM books GROUP BY tag ORDER BY tag").Do(ctx)
	check(err)
	want(len(rows.Rows), 2)
	deleted, err := client.DeleteByQuery("books").Query(&types.Query{MatchAll: types.NewMatchAllQuery()}).Refresh(true).Do(ctx)
	check(err)
	want(*deleted.Deleted, int64(101))
	_, err = client.Indices.Delete("books").Do(ctx)
	check(err)
	fmt.Println("go-elasticsearch", elasticsearch.Version, "on", info.Version.Int)
}

// load writes a hundred documents with the bulk indexer.
func load(ctx context.Context, client *elasticsearch.Client) {
	indexer, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{Client: client, Index: "books", Refresh: "true"})
	check(err)
	for i := 2; i < 102; i++ {
		check(indexer.Add(ctx, esutil.BulkIndexerItem{Action: "create", DocumentID: fmt.Sprint(i), Body: bytes.NewReader(fmt.Appendf(nil, `{"year":%d,"tag":"b"}`, i))}))
	}
	check(indexer.Close(ctx))
	want(indexer.Stats().NumCreated, uint64(100))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func want[T comparable](got, want T) {
	if got != want {
		panic(fmt.Sprintf("got %v, want %v", got, want))
	}
}
