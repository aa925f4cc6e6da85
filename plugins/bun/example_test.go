package esbun_test

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	esbun "github.com/esdriver/esdriver/plugins/bun"
)

func ExampleNew() {
	type City struct {
		ID     string `bun:",pk"`
		People int64
	}
	cluster, err := fakecluster.Start(fakecluster.Nodes(3), fakecluster.SQL(sqlite.New()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	conn, err := sql.Open("esdriver", cluster.DSN()+"?refresh=true")
	if err != nil {
		fmt.Println(err)
		return
	}
	db := bun.NewDB(conn, esbun.New())
	defer db.Close()

	ctx := context.Background()
	if _, err := db.NewCreateTable().Model((*City)(nil)).Exec(ctx); err != nil {
		fmt.Println(err)
		return
	}
	cities := []City{{ID: "Oslo", People: 709_000}, {ID: "Bergen", People: 291_000}}
	if _, err := db.NewInsert().Model(&cities).Exec(ctx); err != nil {
		fmt.Println(err)
		return
	}
	cluster.Node(0).Kill()
	var large []string
	err = db.NewSelect().Model((*City)(nil)).Column("id").Where("people > ?", 500_000).Scan(ctx, &large)
	fmt.Println(large, err)
	// Output: [Oslo] <nil>
}

func ExampleLoad() {
	cluster, err := fakecluster.Start(fakecluster.Nodes(1), fakecluster.SQL(sqlite.New()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	conn, err := sql.Open("esdriver", cluster.DSN()+"?refresh=true")
	if err != nil {
		fmt.Println(err)
		return
	}
	db := bun.NewDB(conn, esbun.New())
	defer db.Close()

	ctx := context.Background()
	if err := db.ResetModel(ctx, (*Room)(nil), (*Desk)(nil)); err != nil {
		fmt.Println(err)
		return
	}
	room := int64(7)
	desks := []Desk{{ID: 1, RoomID: &room}, {ID: 2}}
	for _, rows := range []any{&Room{ID: 7}, &desks} {
		if _, err := db.NewInsert().Model(rows).Exec(ctx); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Relation("Room") would be a JOIN.
	if err := esbun.Load(ctx, db, &desks, "Room"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(desks[0].Room.ID, desks[1].Room)
	// Output: 7 <nil>
}
