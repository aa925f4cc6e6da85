package pool_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/pool"
)

// freeGroup returns a group whose limits of time are all set, with one idle connection of each class.
func freeGroup(tb testing.TB) *group {
	cfg := new(node).config()
	cfg.Usable = func(*conn, time.Duration) bool { return true }
	cfg.Shared = 32
	cfg.MaxIdle, cfg.MaxLifetime, cfg.WaitTimeout = time.Minute, time.Hour, time.Minute
	g := newGroup(tb, cfg)
	for class := range pool.Class(pool.NumClasses) {
		acquire(tb, g, class).Release()
	}
	return g
}

func TestFreeConnectionIsHadWithoutAllocation(t *testing.T) {
	g := freeGroup(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	allocs := testing.AllocsPerRun(100, func() {
		c, err := g.Acquire(ctx, pool.Reg)
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
	})
	require.Zero(t, allocs)
}

func BenchmarkAcquire(b *testing.B) {
	for class := range pool.Class(pool.NumClasses) {
		b.Run("free/"+class.String(), func(b *testing.B) {
			g := freeGroup(b)
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				c, err := g.Acquire(ctx, class)
				if err != nil {
					b.Fatal(err)
				}
				c.Release()
			}
		})
		b.Run("contended/"+class.String(), func(b *testing.B) {
			g := freeGroup(b)
			ctx := b.Context()
			b.ReportAllocs()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					c, err := g.Acquire(ctx, class)
					if err != nil {
						b.Error(err)
						return
					}
					c.Release()
				}
			})
		})
	}
}
