package sqlite_test

import (
	"database/sql"
	"fmt"
	"log"

	_ "github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
)

// A cluster inside the process keeps documents, and the engine answers SELECT on them.
func ExampleNew() {
	cluster, err := fakecluster.Start(fakecluster.SQL(sqlite.New()))
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	db, err := sql.Open("esdriver", cluster.DSN()+"?refresh=true")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	for _, statement := range []string{
		`CREATE TABLE books (id INT PRIMARY KEY, author VARCHAR, pages INT)`,
		`INSERT INTO books VALUES (1, 'Le Guin', 300), (2, 'Lem', 200), (3, 'Le Guin', 150)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			log.Fatal(err)
		}
	}
	var pages int
	if err := db.QueryRow(`SELECT SUM(pages) FROM books WHERE author = ?`, "Le Guin").Scan(&pages); err != nil {
		log.Fatal(err)
	}
	fmt.Println(pages, "pages")
	// Output: 450 pages
}
