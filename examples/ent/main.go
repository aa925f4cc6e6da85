// Command ent keeps a library's authors, books and loans by a client that ent has generated. Without -dsn it runs on a
// cluster inside its own process, and takes one of the three nodes away in the middle.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	_ "github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
)

func main() {
	dsn := flag.String("dsn", "", "a cluster, such as elasticsearch://127.0.0.1:9200?tx=noop; its tables authors, books and loans are dropped")
	flag.Parse()
	begin := func() error { return embedded(context.Background(), os.Stdout, fakecluster.Elasticsearch) }
	if *dsn != "" {
		begin = func() error { return run(context.Background(), os.Stdout, *dsn, func() {}) }
	}
	if err := begin(); err != nil {
		log.Fatal(err)
	}
}

// embedded runs the program on a cluster inside the process, which loses a node.
func embedded(ctx context.Context, out io.Writer, product fakecluster.Flavor) error {
	fake, err := fakecluster.Start(fakecluster.Nodes(3), fakecluster.Product(product), fakecluster.SQL(sqlite.New()))
	if err != nil {
		return err
	}
	defer fake.Close()
	return run(ctx, out, fake.DSN()+"?refresh=true&tx=noop", func() {
		fmt.Fprintln(out, "-- a node is lost")
		fake.Node(1).Kill()
	})
}

// run does all that the program does; lose is called in the middle of it.
func run(ctx context.Context, out io.Writer, dsn string, lose func()) (err error) {
	conn, err := sql.Open("esdriver", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	l, err := newLibrary(ctx, conn)
	if err != nil {
		return err
	}
	return day(ctx, l, out, lose)
}

// day is a day at the library.
func day(ctx context.Context, l *library, out io.Writer, lose func()) error {
	if err := l.stock(ctx); err != nil {
		return err
	}
	if err := l.correct(ctx, "joyce", "James Joyce"); err != nil {
		return err
	}
	if err := l.list(ctx, out); err != nil {
		return err
	}
	lose()
	if err := l.longest(ctx, out); err != nil {
		return err
	}
	for _, wish := range []struct{ reader, title string }{{"Ann", "Orlando"}, {"Bea", "Orlando"}, {"Bea", "Ulysses"}, {"Cid", "Emma"}} {
		if err := l.lend(ctx, wish.reader, wish.title); err != nil {
			fmt.Fprintf(out, "%s does not get %s: %v\n", wish.reader, wish.title, err)
			continue
		}
		fmt.Fprintf(out, "%s takes %s home\n", wish.reader, wish.title)
	}
	if err := l.takeBack(ctx, "Orlando"); err != nil {
		return err
	}
	if err := l.loans(ctx, out); err != nil {
		return err
	}
	return l.figures(ctx, out)
}
