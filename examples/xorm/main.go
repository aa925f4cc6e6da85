// Command xorm keeps a library's authors, books and loans by xorm. Without -dsn it runs on a cluster inside its own
// process, and takes one of the three nodes away in the middle.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	esxorm "github.com/esdriver/esdriver/plugins/xorm"
)

func main() {
	dsn := flag.String("dsn", "", "a cluster, such as elasticsearch://127.0.0.1:9200; its tables authors, books and loans are dropped")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *dsn); err != nil {
		log.Fatal(err)
	}
}

// run does all that the program does.
func run(ctx context.Context, out io.Writer, dsn string) error {
	lose := func() {}
	if dsn == "" {
		fake, err := fakecluster.Start(fakecluster.Nodes(3), fakecluster.SQL(sqlite.New()))
		if err != nil {
			return err
		}
		defer fake.Close()
		dsn = fake.DSN() + "?refresh=true"
		lose = func() {
			fmt.Fprintln(out, "-- a node is lost")
			fake.Node(1).Kill()
		}
	}
	return keep(ctx, out, dsn, lose)
}

// keep opens the cluster, makes its tables anew, and goes through a day, in which lose takes a node away.
func keep(ctx context.Context, out io.Writer, dsn string, lose func()) (err error) {
	engine, err := esxorm.Open(dsn)
	if err != nil {
		return err
	}
	l := &library{engine}
	defer func() { err = errors.Join(err, l.db.Close()) }()
	if err := l.prepare(ctx); err != nil {
		return err
	}
	return day(ctx, l, out, lose)
}

// day is a day at the library.
func day(ctx context.Context, l *library, out io.Writer, lose func()) error {
	if err := l.stock(ctx); err != nil {
		return err
	}
	if err := l.list(ctx, out); err != nil {
		return err
	}
	lose()
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
	return l.loans(ctx, out)
}
