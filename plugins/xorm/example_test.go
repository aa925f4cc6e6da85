package esxorm_test

import (
	"fmt"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	esxorm "github.com/esdriver/esdriver/plugins/xorm"
)

func ExampleOpen() {
	cluster, err := fakecluster.Start(fakecluster.Nodes(3), fakecluster.SQL(sqlite.New()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	engine, err := esxorm.Open(cluster.DSN() + "?refresh=true")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()

	if err := engine.Sync(&Author{}); err != nil {
		fmt.Println(err)
		return
	}
	_, err = engine.Insert(&[]Author{{ID: "woolf", Name: "Virginia Woolf"}, {ID: "joyce", Name: "James Joyce"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster.Node(0).Kill()
	var authors []Author
	err = engine.Where("name <> ?", "James Joyce").Find(&authors)
	fmt.Println(authors, err)
	// Output: [{woolf Virginia Woolf}] <nil>
}
