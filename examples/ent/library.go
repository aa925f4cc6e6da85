package main

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"io"
	"time"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/esdriver/esdriver/examples/ent/ent"
	"github.com/esdriver/esdriver/examples/ent/ent/author"
	"github.com/esdriver/esdriver/examples/ent/ent/book"
	"github.com/esdriver/esdriver/examples/ent/ent/loan"
	"github.com/esdriver/esdriver/examples/ent/ent/migrate"
)

var errLent = errors.New("it is lent already")

// library is what the program does with the tables, by the client that ent has generated.
type library struct {
	client  *ent.Client
	written map[string]int // how often each kind of row was written, counted by a hook
}

// newLibrary opens the library with empty tables. ent is given the driver in the shape of Postgres, the only one of its
// shapes that the driver takes whole.
func newLibrary(ctx context.Context, conn *stdsql.DB) (*library, error) {
	db := sql.OpenDB(dialect.Postgres, conn)
	for _, t := range migrate.Tables {
		if err := db.Exec(ctx, fmt.Sprintf("DROP TABLE IF EXISTS %q", t.Name), []any{}, nil); err != nil {
			return nil, err
		}
	}
	l := &library{ent.NewClient(ent.Driver(db)), map[string]int{}}
	l.client.Use(l.count)
	return l, createTables(ctx, db, migrate.Tables)
}

// count is a hook of every write.
func (l *library) count(next ent.Mutator) ent.Mutator {
	return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
		l.written[m.Type()]++
		return next.Mutate(ctx, m)
	})
}

// stock buys books. The authors' keys are the program's, those of the books are the driver's.
func (l *library) stock(ctx context.Context) error {
	born := time.Date(1882, time.January, 25, 0, 0, 0, 0, time.UTC)
	woolf, err := l.client.Author.Create().SetID("woolf").SetName("Virginia Woolf").SetBorn(born).Save(ctx)
	if err != nil {
		return err
	}
	joyce, err := l.client.Author.Create().SetID("joyce").SetName("J. Joyce").Save(ctx)
	if err != nil {
		return err
	}
	return l.client.Book.CreateBulk(
		l.client.Book.Create().SetTitle("Orlando").SetPages(333).SetAuthor(woolf).SetSubjects([]string{"time", "sex"}),
		l.client.Book.Create().SetTitle("The Waves").SetPages(324).SetAuthor(woolf),
		l.client.Book.Create().SetTitle("Kew Gardens").SetPages(8).SetForm(book.FormStory).SetAuthor(woolf),
		l.client.Book.Create().SetTitle("Ulysses").SetPages(732).SetAuthor(joyce).SetSubjects([]string{"time"}),
	).Exec(ctx)
}

// correct writes an author's name over what is there.
func (l *library) correct(ctx context.Context, id, name string) error {
	return l.client.Author.Create().SetID(id).SetName(name).
		OnConflictColumns(author.FieldID).UpdateName().Exec(ctx)
}

// list prints authors with their novels, which a second query reads.
func (l *library) list(ctx context.Context, out io.Writer) error {
	authors, err := l.client.Author.Query().Order(author.ByName()).WithBooks(func(q *ent.BookQuery) {
		q.Where(book.FormEQ(book.FormNovel)).Order(book.ByTitle())
	}).All(ctx)
	for _, a := range authors {
		fmt.Fprintln(out, a.Name)
		for _, b := range a.Edges.Books {
			fmt.Fprintf(out, "  %s, %d pages %v\n", b.Title, b.Pages, b.Subjects)
		}
	}
	return err
}

// longest prints the two longest books.
func (l *library) longest(ctx context.Context, out io.Writer) error {
	books, err := l.client.Book.Query().Where(book.PagesGT(100)).Order(book.ByPages(sql.OrderDesc())).Limit(2).All(ctx)
	for _, b := range books {
		fmt.Fprintf(out, "long: %s\n", b.Title)
	}
	return err
}

// lend gives a book to a reader. The update's condition, that the book is there, is what keeps two readers from having
// it: there are no transactions.
func (l *library) lend(ctx context.Context, reader, title string) error {
	b, err := l.client.Book.Query().Where(book.Title(title)).Only(ctx)
	if err != nil {
		return err
	}
	n, err := l.client.Book.Update().Where(book.ID(b.ID), book.Lent(false)).SetLent(true).Save(ctx)
	switch {
	case err != nil:
		return err
	case n == 0:
		return errLent
	}
	return l.client.Loan.Create().SetBook(b).SetReader(reader).SetDue(time.Now().AddDate(0, 0, 28)).Exec(ctx)
}

// takeBack ends a book's loan.
func (l *library) takeBack(ctx context.Context, title string) error {
	id, err := l.client.Book.Query().Where(book.Title(title)).OnlyID(ctx)
	if err != nil {
		return err
	}
	if _, err := l.client.Loan.Delete().Where(loan.BookID(id)).Exec(ctx); err != nil {
		return err
	}
	return l.client.Book.UpdateOneID(id).SetLent(false).Exec(ctx)
}

// loans prints who has what.
func (l *library) loans(ctx context.Context, out io.Writer) error {
	loans, err := l.client.Loan.Query().Where(loan.DueGT(time.Now())).Order(loan.ByReader()).WithBook().All(ctx)
	for _, o := range loans {
		fmt.Fprintf(out, "%s has %s\n", o.Reader, o.Edges.Book.Title)
	}
	return err
}

// figures prints what is in the tables, in numbers.
func (l *library) figures(ctx context.Context, out io.Writer) error {
	var forms []struct {
		Form         book.Form
		Count, Pages int
	}
	err := l.client.Book.Query().Order(book.ByForm()).GroupBy(book.FieldForm).
		Aggregate(ent.Count(), ent.As(ent.Sum(book.FieldPages), "pages")).Scan(ctx, &forms)
	if err != nil {
		return err
	}
	for _, f := range forms {
		fmt.Fprintf(out, "%s: %d, %d pages\n", f.Form, f.Count, f.Pages)
	}
	lent, err := l.client.Book.Query().Where(book.Lent(true)).Count(ctx)
	if err != nil {
		return err
	}
	nameless, err := l.client.Author.Query().Where(author.Name("")).Exist(ctx)
	fmt.Fprintf(out, "lent: %d, nameless authors: %t, writes: %v\n", lent, nameless, l.written)
	return err
}
