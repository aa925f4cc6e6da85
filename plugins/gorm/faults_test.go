package esgorm_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/esdriver/esdriver/fakecluster"
)

// TestLostAnswersWriteNothingTwice loses one answer in four after the server has done what it was asked for, while a node
// goes down and comes back.
func TestLostAnswersWriteNothingTwice(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		fake.Inject(fakecluster.Fault{Action: fakecluster.ResetAfterExecute, Chance: 0.25, Match: func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/_bulk")
		}})
		const writers, rows = 4, 8
		var work sync.WaitGroup
		for w := range writers {
			work.Go(func() {
				for i := range rows {
					book := Book{Title: fmt.Sprintf("%d.%d", w, i), Pages: 1}
					if !assert.NoError(t, db.Create(&book).Error) {
						return
					}
					raised := db.Model(&book).Update("pages", gorm.Expr("pages + 1"))
					assert.NoError(t, raised.Error)
					assert.EqualValues(t, 1, raised.RowsAffected)
				}
			})
		}
		fake.Node(2).Kill()
		work.Wait()
		fake.ClearFaults()
		require.NoError(t, fake.Node(2).Start())
		var books []Book
		require.NoError(t, db.Find(&books).Error)
		assert.Len(t, books, writers*rows)
		for _, b := range books {
			assert.EqualValues(t, 2, b.Pages, b.Title)
		}
	})
}
