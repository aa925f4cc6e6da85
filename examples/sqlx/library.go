package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jmoiron/sqlx"
)

// schema is the tables. A key that an INSERT does not name is made by the driver.
var schema = []string{
	"DROP TABLE IF EXISTS authors", "DROP TABLE IF EXISTS books", "DROP TABLE IF EXISTS loans",
	"CREATE TABLE authors (id VARCHAR PRIMARY KEY, name VARCHAR)",
	`CREATE TABLE books (id BIGINT PRIMARY KEY, title VARCHAR, pages INT, lent BOOLEAN NOT NULL DEFAULT FALSE,
		author_id VARCHAR)`,
	"CREATE TABLE loans (id BIGINT PRIMARY KEY, book_id BIGINT, reader VARCHAR, due TIMESTAMP)",
}

// Author has a key of the caller's.
type Author struct {
	ID, Name string
}

// Book has a key that the driver makes.
type Book struct {
	ID       int64
	Title    string
	Pages    int
	Lent     bool
	AuthorID string `db:"author_id"`
}

// Loan is a book in a reader's hands.
type Loan struct {
	ID     int64
	BookID int64 `db:"book_id"`
	Reader string
	Due    time.Time
}

var errLent = errors.New("it is lent already")

// library is what the program does with the tables.
type library struct{ db *sqlx.DB }

// prepare makes the tables anew.
func (l *library) prepare(ctx context.Context) error {
	for _, statement := range schema {
		if _, err := l.db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// stock buys books, all of them by one INSERT that NamedExec makes of a slice.
func (l *library) stock(ctx context.Context) error {
	authors := []Author{{"woolf", "Virginia Woolf"}, {"joyce", "James Joyce"}}
	if _, err := l.db.NamedExecContext(ctx, "INSERT INTO authors (id, name) VALUES (:id, :name)", authors); err != nil {
		return err
	}
	books := []Book{
		{Title: "Orlando", Pages: 333, AuthorID: "woolf"}, {Title: "The Waves", Pages: 324, AuthorID: "woolf"},
		{Title: "Ulysses", Pages: 732, AuthorID: "joyce"},
	}
	const insert = "INSERT INTO books (title, pages, author_id) VALUES (:title, :pages, :author_id)"
	_, err := l.db.NamedExecContext(ctx, insert, books)
	return err
}

// in reads the rows that a query with IN (?) chooses.
func (l *library) in(ctx context.Context, to any, query string, list any) error {
	query, args, err := sqlx.In(query, list)
	if err != nil {
		return err
	}
	return l.db.SelectContext(ctx, to, l.db.Rebind(query), args...)
}

// list prints authors with their books, which a second query reads by IN, as Elasticsearch has no JOIN.
func (l *library) list(ctx context.Context, out io.Writer) error {
	var authors []Author
	if err := l.db.SelectContext(ctx, &authors, "SELECT id, name FROM authors ORDER BY name"); err != nil {
		return err
	}
	ids := make([]string, len(authors))
	for i, a := range authors {
		ids[i] = a.ID
	}
	var books []Book
	err := l.in(ctx, &books, "SELECT id, title, pages, lent, author_id FROM books WHERE author_id IN (?) ORDER BY title", ids)
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

// find reads a book by its title.
func (l *library) find(ctx context.Context, title string) (book Book, err error) {
	const query = "SELECT id, title, pages, lent, author_id FROM books WHERE title = ? LIMIT 1"
	return book, l.db.GetContext(ctx, &book, query, title)
}

// lend gives a book to a reader. The update by key, with the condition that the book is there, is what keeps two readers
// from having it: a row is atomic, and there are no transactions.
func (l *library) lend(ctx context.Context, reader, title string) error {
	book, err := l.find(ctx, title)
	if err != nil {
		return err
	}
	taken, err := l.db.NamedExecContext(ctx, "UPDATE books SET lent = TRUE WHERE id = :id AND lent = FALSE", book)
	if err != nil {
		return err
	}
	switch n, err := taken.RowsAffected(); {
	case err != nil:
		return err
	case n == 0:
		return errLent
	}
	loan := Loan{BookID: book.ID, Reader: reader, Due: time.Now().AddDate(0, 0, 28)}
	_, err = l.db.NamedExecContext(ctx, "INSERT INTO loans (book_id, reader, due) VALUES (:book_id, :reader, :due)", loan)
	return err
}

// takeBack ends a book's loan.
func (l *library) takeBack(ctx context.Context, title string) error {
	book, err := l.find(ctx, title)
	if err != nil {
		return err
	}
	if _, err := l.db.ExecContext(ctx, "DELETE FROM loans WHERE book_id = ?", book.ID); err != nil {
		return err
	}
	_, err = l.db.ExecContext(ctx, "UPDATE books SET lent = FALSE WHERE id = ?", book.ID)
	return err
}

// loans prints who has what, row by row.
func (l *library) loans(ctx context.Context, out io.Writer) error {
	const query = "SELECT id, book_id, reader, due FROM loans WHERE due > :now ORDER BY reader"
	rows, err := l.db.NamedQueryContext(ctx, query, map[string]any{"now": time.Now()})
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var loan Loan
		if err := rows.StructScan(&loan); err != nil {
			return err
		}
		var title string
		if err := l.db.GetContext(ctx, &title, "SELECT title FROM books WHERE id = ?", loan.BookID); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s has %s\n", loan.Reader, title)
	}
	return rows.Err()
}
