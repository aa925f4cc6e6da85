package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// tables are made by the driver's DDL: ent's migration reads Postgres's information_schema and pg_catalog, which are not here.
var tables = []string{
	"DROP TABLE IF EXISTS authors", "DROP TABLE IF EXISTS books", "DROP TABLE IF EXISTS loans",
	"CREATE TABLE authors (id VARCHAR PRIMARY KEY, name VARCHAR)",
	`CREATE TABLE books (id BIGINT PRIMARY KEY, title VARCHAR, pages INT, lent BOOLEAN NOT NULL DEFAULT FALSE,
		author_id VARCHAR)`,
	"CREATE TABLE loans (id BIGINT PRIMARY KEY, book_id BIGINT, reader VARCHAR, due TIMESTAMP)",
}

// Author has a key of the caller's.
type Author struct{ ID, Name string }

// Book has a key that the driver makes.
type Book struct {
	ID       int64
	Title    string
	Pages    int
	Lent     bool
	AuthorID string `sql:"author_id"`
}

// Loan is a book in a reader's hands.
type Loan struct {
	ID     int64
	BookID int64 `sql:"book_id"`
	Reader string
	Due    time.Time
}

var errLent = errors.New("it is lent already")

// build makes statements in the shape of Postgres, the only one of ent's that the driver takes whole.
var build = entsql.Dialect(dialect.Postgres)

// statement is what ent's builders make.
type statement interface{ Query() (string, []any) }

// library is what the program does with the tables.
type library struct{ db *entsql.Driver }

// exec runs a statement by a driver or a transaction, and returns how many rows it has written.
func exec(ctx context.Context, on dialect.ExecQuerier, s statement) (int64, error) {
	query, args := s.Query()
	var result sql.Result
	if err := on.Exec(ctx, query, args, &result); err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// query reads rows by a driver or a transaction.
func query(ctx context.Context, on dialect.ExecQuerier, s statement, to any) error {
	text, args := s.Query()
	var rows entsql.Rows
	if err := on.Query(ctx, text, args, &rows); err != nil {
		return err
	}
	defer rows.Close()
	return entsql.ScanSlice(&rows, to)
}

// prepare makes the tables anew.
func (l *library) prepare(ctx context.Context) error {
	for _, statement := range tables {
		if err := l.db.Exec(ctx, statement, []any{}, nil); err != nil {
			return err
		}
	}
	return nil
}

// stock buys books. Their keys come back by RETURNING, as ent's Create has it.
func (l *library) stock(ctx context.Context) error {
	authors := build.Insert("authors").Columns("id", "name").Values("woolf", "Virginia Woolf").Values("joyce", "James Joyce")
	if _, err := exec(ctx, l.db, authors); err != nil {
		return err
	}
	books := build.Insert("books").Columns("title", "pages", "author_id").
		Values("Orlando", 333, "woolf").Values("The Waves", 324, "woolf").Values("Ulysses", 732, "joyce").Returning("id")
	var ids []int64
	return query(ctx, l.db, books, &ids)
}

// list prints authors with their books, which a second query reads by IN, as ent's eager loading does.
func (l *library) list(ctx context.Context, out io.Writer) error {
	var authors []Author
	if err := query(ctx, l.db, build.Select("id", "name").From(build.Table("authors")).OrderBy("name"), &authors); err != nil {
		return err
	}
	ids := make([]any, len(authors))
	for i, a := range authors {
		ids[i] = a.ID
	}
	var books []Book
	err := query(ctx, l.db, selectBooks(entsql.In("author_id", ids...)).OrderBy("title"), &books)
	for _, a := range authors {
		fmt.Fprintln(out, a.Name)
		for _, b := range books {
			if b.AuthorID == a.ID {
				fmt.Fprintf(out, "  %s, %d pages\n", b.Title, b.Pages)
			}
		}
	}
	return err
}

func selectBooks(p *entsql.Predicate) *entsql.Selector {
	return build.Select("id", "title", "pages", "lent", "author_id").From(build.Table("books")).Where(p)
}

// one reads the only book of which the predicate is true.
func one(ctx context.Context, on dialect.ExecQuerier, p *entsql.Predicate) (Book, error) {
	var books []Book
	if err := query(ctx, on, selectBooks(p).Limit(2), &books); err != nil {
		return Book{}, err
	}
	if len(books) != 1 {
		return Book{}, sql.ErrNoRows
	}
	return books[0], nil
}

// lend gives a book to a reader. The update by key, with the condition that the book is there, is what keeps two readers
// from having it: the transaction is what ent puts around its writes, and with tx=noop it protects nothing.
func (l *library) lend(ctx context.Context, reader, title string) error {
	book, err := one(ctx, l.db, entsql.EQ("title", title))
	if err != nil {
		return err
	}
	tx, err := l.db.Tx(ctx)
	if err != nil {
		return err
	}
	n, err := exec(ctx, tx, build.Update("books").Set("lent", true).Where(entsql.And(entsql.EQ("id", book.ID), entsql.EQ("lent", false))))
	switch {
	case err != nil:
		return errors.Join(err, tx.Rollback())
	case n == 0:
		return errors.Join(errLent, tx.Commit()) // a rollback after a write, even of no row, is refused
	}
	due := time.Now().AddDate(0, 0, 28)
	if _, err := exec(ctx, tx, build.Insert("loans").Columns("book_id", "reader", "due").Values(book.ID, reader, due)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// takeBack ends a book's loan.
func (l *library) takeBack(ctx context.Context, title string) error {
	book, err := one(ctx, l.db, entsql.EQ("title", title))
	if err != nil {
		return err
	}
	if _, err := exec(ctx, l.db, build.Delete("loans").Where(entsql.EQ("book_id", book.ID))); err != nil {
		return err
	}
	_, err = exec(ctx, l.db, build.Update("books").Set("lent", false).Where(entsql.EQ("id", book.ID)))
	return err
}

// loans prints who has what.
func (l *library) loans(ctx context.Context, out io.Writer) error {
	var loans []Loan
	due := build.Select("id", "book_id", "reader", "due").From(build.Table("loans")).
		Where(entsql.GT("due", time.Now())).OrderBy("reader")
	if err := query(ctx, l.db, due, &loans); err != nil {
		return err
	}
	for _, loan := range loans {
		book, err := one(ctx, l.db, entsql.EQ("id", loan.BookID))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s has %s\n", loan.Reader, book.Title)
	}
	return nil
}
