package esgorm_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	esgorm "github.com/esdriver/esdriver/plugins/gorm"
)

// TestBatchThatIsPartlyRefusedCountsItsRows has rows refused by the server among rows that are written.
func TestBatchThatIsPartlyRefusedCountsItsRows(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Create(&Loan{ID: 3, Reader: "there"}).Error)
		created := db.Create([]Loan{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}})
		require.ErrorIs(t, created.Error, gorm.ErrDuplicatedKey)
		partly, ok := errors.AsType[*esdriver.PartialWriteError](created.Error)
		require.True(t, ok)
		assert.EqualValues(t, 3, partly.Inserted)
		assert.EqualValues(t, 1, partly.Failed)
		assert.EqualValues(t, 3, created.RowsAffected)
		assert.Len(t, fake.Docs("loans"), 4)

		batches := db.CreateInBatches([]Loan{{ID: 11}, {ID: 12}, {ID: 3}, {ID: 14}, {ID: 15}}, 2)
		require.ErrorIs(t, batches.Error, gorm.ErrDuplicatedKey)
		assert.Equal(t, 1, strings.Count(batches.Error.Error(), gorm.ErrDuplicatedKey.Error()), "it is said once")
		assert.EqualValues(t, 2, batches.RowsAffected, "GORM counts whole batches, and makes no further one")
		assert.Len(t, fake.Docs("loans"), 7)
	})
}

// bulkAnswer is a server's answer to a bulk request of rows 1, 2 and so on, one status each.
func bulkAnswer(verb string, statuses ...int) string {
	items := make([]string, len(statuses))
	for i, status := range statuses {
		result := `"result":"created","_seq_no":1,"_primary_term":1`
		if status == http.StatusTooManyRequests {
			result = `"error":{"type":"es_rejected_execution_exception","reason":"the queue is full"}`
		}
		items[i] = fmt.Sprintf(`{"%s":{"_index":"loans","_id":"%d","status":%d,%s}}`, verb, i+1, status, result)
	}
	return `{"took":1,"errors":true,"items":[` + strings.Join(items, ",") + `]}`
}

// bulks answers so many bulk requests instead of the server.
func bulks(fake *fakecluster.Cluster, times int, status int, body string) {
	header := http.Header{"Content-Type": {"application/json"}}
	if strings.HasPrefix(fake.DSN(), "elasticsearch") {
		header.Set("X-Elastic-Product", "Elasticsearch")
	}
	fake.Inject(fakecluster.Fault{Action: fakecluster.Status(status, body, header), Times: times, Match: func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/_bulk")
	}})
}

// onSecondBulk matches the second bulk request, and calls leave.
func onSecondBulk(leave func()) func(*http.Request) bool {
	var bulks atomic.Int32
	return func(r *http.Request) bool {
		second := strings.HasSuffix(r.URL.Path, "/_bulk") && bulks.Add(1) == 2
		if second {
			leave()
		}
		return second
	}
}

func TestRowsThatAFullQueueRejectsAreSentAgain(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		bulks(fake, 1, http.StatusOK, bulkAnswer("create", 201, 429, 429))
		created := db.Create([]Loan{{ID: 1}, {ID: 2}, {ID: 3}})
		require.NoError(t, created.Error)
		assert.EqualValues(t, 3, created.RowsAffected)
		assert.Len(t, fake.Docs("loans"), 2, "the first was written by nobody but the answer")
	})
}

func TestCallerThatLeavesAFullQueueLearnsWhatIsWritten(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		bulks(fake, 1, http.StatusOK, bulkAnswer("create", 201, 429, 429))
		fake.Inject(fakecluster.Fault{Action: fakecluster.Hang, Match: onSecondBulk(cancel)})
		created := db.WithContext(ctx).Create([]Loan{{ID: 1}, {ID: 2}, {ID: 3}})
		require.ErrorIs(t, created.Error, context.Canceled)
		partly, ok := errors.AsType[*esdriver.PartialWriteError](created.Error)
		require.True(t, ok)
		assert.EqualValues(t, 1, partly.Inserted)
		assert.EqualValues(t, 2, partly.Unknown+partly.Failed, "%v", partly)
		assert.EqualValues(t, 1, created.RowsAffected)
	})
}

func TestCallerThatLeavesEndsAStatement(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		fake.Inject(fakecluster.Fault{Action: fakecluster.Hang, Match: onSecondBulk(cancel)})
		created := db.WithContext(ctx).CreateInBatches([]Loan{{ID: 1}, {ID: 2}, {ID: 3}}, 1)
		require.ErrorIs(t, created.Error, context.Canceled)
		assert.Len(t, fake.Docs("loans"), 1)
		fake.ClearFaults()
		require.NoError(t, db.Create(&Loan{ID: 2}).Error, "the session goes on")
		require.ErrorIs(t, db.WithContext(ctx).AutoMigrate(&Shelf{}), context.Canceled)
	})
}

func TestClosedPoolAndClosedClusterAreErrors(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, _ *gorm.DB) {
		cluster, err := esdriver.Open(esdriver.Config{Seeds: []string{fake.Node(0).Addr()}})
		require.NoError(t, err)
		conn := esdriver.OpenDB(cluster)
		log := &said{Interface: logger.Discard}
		db, err := gorm.Open(esgorm.New(esgorm.Config{Conn: conn}), &gorm.Config{Logger: log})
		require.NoError(t, err)
		require.NoError(t, cluster.Close(context.Background()))
		require.ErrorIs(t, db.Create(&Tag{Name: "x"}).Error, esdriver.ErrClosed)
		require.NoError(t, conn.Close())
		for _, err := range []error{
			db.Create(&Tag{Name: "x"}).Error, db.Find(&[]Tag{}).Error, db.Delete(&Tag{Name: "x"}).Error, db.AutoMigrate(&Tag{}),
		} {
			require.ErrorContains(t, err, "closed")
		}
		before := log.errors
		assert.False(t, db.Migrator().HasTable(&Tag{}))
		assert.Greater(t, log.errors, before, "what has no room in the answer is logged")
	})
}

func TestClusterThatIsDownIsAnErrorOfOpen(t *testing.T) {
	fake := fakecluster.Run(t, fakecluster.SQL(sqlite.New()))
	dsn := fake.DSN() + "?dial_timeout=100ms&timeout=500ms"
	for i := range fake.Nodes() {
		fake.Node(i).Kill()
	}
	_, err := gorm.Open(esgorm.Open(dsn), &gorm.Config{Logger: logger.Discard})
	require.Error(t, err)
	db, err := gorm.Open(esgorm.Open(dsn), &gorm.Config{Logger: logger.Discard, DisableAutomaticPing: true})
	require.NoError(t, err)
	pool, err := db.DB()
	require.NoError(t, err)
	defer pool.Close()
	require.Error(t, db.Create(&Tag{Name: "x"}).Error)
	assert.False(t, errors.Is(db.Error, sql.ErrConnDone))
}

func TestErrorsKeepTheirCauseWithAndWithoutTranslation(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Create(&Tag{Name: "x"}).Error)
		plain := db.Session(&gorm.Session{})
		plain.Config.TranslateError = false
		err := plain.Create(&Tag{Name: "x"}).Error
		require.ErrorIs(t, err, esdriver.ErrDuplicateKey)
		require.NotErrorIs(t, err, gorm.ErrDuplicatedKey)
		require.ErrorIs(t, db.Where("name = ?", "none").Take(&Tag{}).Error, gorm.ErrRecordNotFound)
		none := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&[]Tag{{Name: "x"}, {Name: "y"}})
		require.NoError(t, none.Error)
		assert.EqualValues(t, 1, none.RowsAffected)
	})
}

// Narrow has a key with too little room for the driver's numbers.
type Narrow struct {
	ID   int32
	Name string
}

func TestKeysWithTooLittleRoomAreRefusedBeforeARowIsWritten(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.ErrorIs(t, db.AutoMigrate(&Narrow{}), esdriver.ErrUnsupported)
		require.NoError(t, db.Exec("CREATE TABLE narrows (id INT PRIMARY KEY, name VARCHAR)").Error)
		err := db.Create(&[]Narrow{{ID: 1}, {}}).Error
		require.ErrorIs(t, err, esdriver.ErrUnsupported)
		assert.Contains(t, err.Error(), "int32")
		assert.Empty(t, fake.Docs("narrows"))
		require.NoError(t, db.Create(&Narrow{ID: 7, Name: "its own"}).Error)
		require.NoError(t, db.First(&Narrow{}, 7).Error)
	})
}
