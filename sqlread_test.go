package esdriver_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/internal/leaktest"
)

// hangPages makes the cluster leave SQL requests unanswered and returns a channel that is closed when the first of them
// has come.
func hangPages(fake *fakecluster.Cluster) (arrived <-chan struct{}) {
	came := make(chan struct{})
	var once sync.Once
	fake.Inject(fakecluster.Fault{Action: fakecluster.Hang, Match: func(r *http.Request) bool {
		hangs := strings.HasSuffix(r.URL.Path, "/_sql")
		if hangs {
			once.Do(func() { close(came) })
		}
		return hangs
	}})
	return came
}

func TestCancelledContextEndsRowsInTheMiddle(t *testing.T) {
	onEachServer(t, 50, "?fetch_size=10", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		ctx, cancel := context.WithCancel(context.Background())
		rows, err := db.QueryContext(ctx, "SELECT id, name FROM rows")
		require.NoError(t, err)
		for range 15 {
			require.True(t, rows.Next())
		}
		cancel()
		for rows.Next() { // what was decoded may still come
		}
		require.ErrorIs(t, rows.Err(), context.Canceled)
		require.NoError(t, rows.Close())
		assert.Zero(t, fake.OpenCursors())
		var id int
		require.NoError(t, db.QueryRow("SELECT id, name FROM rows").Scan(&id, new(string)), "the database works on")
	})
}

func TestCancelledContextEndsANextThatWaitsForItsPage(t *testing.T) {
	onEachServer(t, 50, "?fetch_size=10", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		rows, err := db.QueryContext(ctx, "SELECT id, name FROM rows")
		require.NoError(t, err)
		arrived := hangPages(fake)
		go func() { <-arrived; cancel() }()
		for rows.Next() {
		}
		require.ErrorIs(t, rows.Err(), context.Canceled)
		fake.ClearFaults()
		require.NoError(t, rows.Close())
		assert.Zero(t, fake.OpenCursors())
	})
}

func TestRowsAreClosedFromAnotherGoroutineWhileNextWaits(t *testing.T) {
	onEachServer(t, 50, "?fetch_size=10", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		session, err := db.Conn(context.Background())
		require.NoError(t, err)
		defer session.Close()
		require.NoError(t, session.Raw(func(c any) error {
			rows, err := c.(driver.QueryerContext).QueryContext(context.Background(), "SELECT id, name FROM rows", nil)
			require.NoError(t, err)
			arrived, ended := hangPages(fake), make(chan error)
			go func() {
				var err error
				for err == nil {
					err = rows.Next(make([]driver.Value, 2))
				}
				ended <- err
			}()
			<-arrived
			require.NoError(t, rows.Close())
			require.Error(t, <-ended)
			return nil
		}))
		assert.Zero(t, fake.OpenCursors())
	})
}

func TestTimeoutOfAContextOptionHoldsForAllPages(t *testing.T) {
	onEachServer(t, 50, "?fetch_size=10", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		rows, err := db.QueryContext(esdriver.WithTimeout(context.Background(), 200*time.Millisecond), "SELECT id, name FROM rows")
		require.NoError(t, err)
		defer rows.Close()
		hangPages(fake)
		n := 0
		for rows.Next() {
			n++
		}
		require.ErrorIs(t, rows.Err(), context.DeadlineExceeded)
		assert.Less(t, n, 50)
	})
}

func TestOneSessionServesOneStatementAfterTheOther(t *testing.T) {
	onEachServer(t, 50, "?fetch_size=10", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		db.SetMaxOpenConns(1)
		for i := range 60 {
			var id int
			require.NoError(t, db.QueryRow("SELECT id, name FROM rows").Scan(&id, new(string)), "closed early, %d", i)
			assert.Zero(t, id)
			_, err := db.Query("SELECT a FROM nowhere")
			require.Error(t, err)
		}
		assert.Zero(t, fake.OpenCursors())
		assert.Equal(t, 1, db.Stats().OpenConnections, "an error of a statement costs no session")
	})
}

func TestPingTellsThatNobodyIsThereAndHonoursItsContext(t *testing.T) {
	onEachServer(t, 1, "?attempt_timeout=5s", func(t *testing.T, fake *fakecluster.Cluster, db *sql.DB) {
		require.NoError(t, db.Ping())
		ctx, cancel := context.WithCancel(context.Background())
		arrived := hangPages(fake)
		go func() { <-arrived; cancel() }()
		require.ErrorIs(t, db.PingContext(ctx), context.Canceled)
		fake.ClearFaults()
		for _, node := range fake.Nodes() {
			node.Kill()
		}
		err := db.Ping()
		require.Error(t, err)
		require.NotErrorIs(t, err, driver.ErrBadConn)
	})
}

func TestClosedClusterCostsItsSessions(t *testing.T) {
	leaktest.Check(t)
	fake := fakecluster.Run(t, fakecluster.SQL(&engine{}))
	cluster, err := esdriver.Open(mustParse(t, fake.DSN()))
	require.NoError(t, err)
	db := esdriver.OpenDB(cluster)
	defer db.Close()
	session, err := db.Conn(context.Background())
	require.NoError(t, err)
	require.NoError(t, session.Raw(func(c any) error {
		conn := c.(*esdriver.Conn)
		require.True(t, conn.IsValid())
		require.NoError(t, conn.ResetSession(context.Background()))
		require.NoError(t, cluster.Close(context.Background()))
		require.False(t, conn.IsValid())
		require.Equal(t, driver.ErrBadConn, conn.ResetSession(context.Background()))
		return nil
	}))
	require.NoError(t, session.Close())
	assert.Zero(t, db.Stats().Idle)
}
