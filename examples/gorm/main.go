// Command gorm keeps a library's authors, books and loans by GORM. Without -dsn it runs on a cluster inside its own
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

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	esgorm "github.com/esdriver/esdriver/plugins/gorm"
)

func main() {
	dsn := flag.String("dsn", "", "a cluster, such as elasticsearch://127.0.0.1:9200; its tables authors, books and loans are dropped")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *dsn); err != nil {
		log.Fatal(err)
	}
}

// run does all that the program does.
func run(ctx context.Context, out io.Writer, dsn string) (err error) {
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
	l, err := open(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	return day(l, out, lose)
}

// open opens the library with empty tables.
func open(ctx context.Context, dsn string) (*library, error) {
	db, err := gorm.Open(esgorm.Open(dsn), &gorm.Config{
		TranslateError: true,
		Logger:         logger.New(log.Default(), logger.Config{LogLevel: logger.Warn, IgnoreRecordNotFoundError: true}),
	})
	if err != nil {
		return nil, err
	}
	db = db.WithContext(ctx)
	models := []any{&Author{}, &Book{}, &Loan{}}
	if err := db.Migrator().DropTable(models...); err != nil {
		return nil, err
	}
	return &library{db}, db.AutoMigrate(models...)
}

// day is a day at the library.
func day(l *library, out io.Writer, lose func()) error {
	if err := l.stock(); err != nil {
		return err
	}
	if err := l.list(out); err != nil {
		return err
	}
	lose()
	for _, wish := range []struct{ reader, title string }{{"Ann", "Orlando"}, {"Bea", "Orlando"}, {"Bea", "Ulysses"}, {"Cid", "Emma"}} {
		if err := l.lend(wish.reader, wish.title); err != nil {
			fmt.Fprintf(out, "%s does not get %s: %v\n", wish.reader, wish.title, err)
			continue
		}
		fmt.Fprintf(out, "%s takes %s home\n", wish.reader, wish.title)
	}
	if err := l.takeBack("Orlando"); err != nil {
		return err
	}
	return l.loans(out)
}
