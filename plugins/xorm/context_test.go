package esxorm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"xorm.io/xorm"
	"xorm.io/xorm/caches"

	"github.com/esdriver/esdriver/fakecluster"
)

func TestContextThatHasEndedStopsEveryStatement(t *testing.T) {
	onBooks(t, func(t *testing.T, fake *fakecluster.Cluster, engine *xorm.Engine) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		session := func() *xorm.Session { return engine.Context(ctx) }
		_, inserted := session().Insert(&Author{"z", "Zoe"})
		_, updated := session().ID("x").Update(&Author{Name: "z"})
		for name, err := range map[string]error{
			"Find": session().Find(&[]Book{}), "Insert": inserted, "Update": updated, "Sync": session().Sync(&unique{}),
			"Ping": session().Ping(), "Iterate": session().Iterate(&Book{}, func(int, any) error { return nil }),
		} {
			require.ErrorIs(t, err, context.Canceled, name)
		}
		assert.Len(t, fake.Docs("author"), 2)
		has, err := engine.Exist(&Author{ID: "x", Name: "Xenia"})
		require.NoError(t, err)
		assert.True(t, has, "and harms no later one")
	})
}

func TestCacheForgetsWhatIsChangedThroughIt(t *testing.T) {
	onBooks(t, func(t *testing.T, _ *fakecluster.Cluster, engine *xorm.Engine) {
		engine.SetDefaultCacher(caches.NewLRUCacher(caches.NewMemoryStore(), 100))
		name := func() string {
			author := Author{}
			has, err := engine.ID("x").Get(&author)
			require.NoError(t, err)
			require.True(t, has)
			return author.Name
		}
		assert.Equal(t, "Xenia", name())
		_, err := engine.Exec("UPDATE author SET name = 'by another' WHERE id = 'x'")
		require.NoError(t, err)
		assert.Equal(t, "Xenia", name(), "from the cache")
		_, err = engine.ID("x").Update(&Author{Name: "Xaver"})
		require.NoError(t, err)
		assert.Equal(t, "Xaver", name())
	})
}
