package esbun_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
)

// TestLostAnswersWriteNothingTwice loses one answer in four after the server has done what it was asked for, while a node
// goes down and comes back.
func TestLostAnswersWriteNothingTwice(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *bun.DB) {
		fake.Inject(fakecluster.Fault{Action: fakecluster.ResetAfterExecute, Chance: 0.25, Match: func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/_bulk")
		}})
		const writers, rows = 4, 4
		var work sync.WaitGroup
		for w := range writers {
			work.Go(func() {
				for i := range rows {
					book := Book{Title: fmt.Sprintf("%d.%d", w, i), Pages: 1}
					if !assert.NoError(t, second(db.NewInsert().Model(&book).Exec(t.Context()))) {
						return
					}
					raised, err := db.NewUpdate().Model(&book).Set("pages = pages + 1").WherePK().Exec(t.Context())
					if assert.NoError(t, err) {
						n, err := raised.RowsAffected()
						assert.NoError(t, err)
						assert.EqualValues(t, 1, n)
					}
				}
			})
		}
		fake.Node(2).Kill()
		work.Wait()
		fake.ClearFaults()
		require.NoError(t, fake.Node(2).Start())
		var books []Book
		require.NoError(t, db.NewSelect().Model(&books).Scan(t.Context()))
		assert.Len(t, books, writers*rows)
		for _, b := range books {
			assert.EqualValues(t, 2, b.Pages, b.Title)
		}
	})
}
