package pool_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/esdriver/esdriver/pool"
)

// A node's two connections for bulk requests are in use; a third bulk request waits in vain, while a search
// has connections of its own.
func ExampleGroup() {
	group, err := pool.NewGroup(pool.Config[string]{
		Dial:        func(_ context.Context, class pool.Class) (string, error) { return class.String() + " connection", nil },
		Close:       func(string) {},
		Sizes:       pool.Sizes{pool.Bulk: 2, pool.Reg: 1, pool.State: 1, pool.Ping: 1},
		WaitTimeout: time.Millisecond,
		Name:        "10.0.0.1:9200",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer group.Close()

	ctx := context.Background()
	for range 2 {
		bulk, err := group.Acquire(ctx, pool.Bulk)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer bulk.Release()
	}
	_, err = group.Acquire(ctx, pool.Bulk)
	fmt.Println("timeout:", errors.Is(err, pool.ErrTimeout))

	search, err := group.Acquire(ctx, pool.Reg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(search.Value())
	search.Release()
	fmt.Println("idle:", group.Stat(pool.Reg).Idle)
	// Output:
	// timeout: true
	// reg connection
	// idle: 1
}
