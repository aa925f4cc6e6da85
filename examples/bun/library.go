package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/uptrace/bun"

	esbun "github.com/esdriver/esdriver/plugins/bun"
)

// Author has a key that the driver makes, a text.
type Author struct {
	ID    string `bun:",pk,nullzero"`
	Name  string
	Books []Book `bun:"rel:has-many,join:id=author_id"`
}

// Book has a key that the driver makes, a number, and is deleted softly.
type Book struct {
	ID        int64 `bun:",pk,autoincrement"`
	Title     string
	Pages     int
	Lent      bool
	AuthorID  string
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

// Loan is a book in a reader's hands.
type Loan struct {
	ID     int64 `bun:",pk,autoincrement"`
	BookID int64
	Book   *Book `bun:"rel:belongs-to,join:book_id=id"`
	Reader string
	Due    time.Time
}

var errLent = errors.New("it is lent already")

// library is what the program does with the tables.
type library struct{ db *bun.DB }

// prepare makes the tables anew.
func (l *library) prepare(ctx context.Context) error {
	for _, model := range []any{(*Author)(nil), (*Book)(nil), (*Loan)(nil)} {
		if _, err := l.db.NewDropTable().Model(model).IfExists().Exec(ctx); err != nil {
			return err
		}
		if _, err := l.db.NewCreateTable().Model(model).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stock buys books. The authors' keys come back from the first INSERT.
func (l *library) stock(ctx context.Context) error {
	authors := []Author{{Name: "Virginia Woolf"}, {Name: "James Joyce"}}
	if _, err := l.db.NewInsert().Model(&authors).Exec(ctx); err != nil {
		return err
	}
	books := []Book{
		{Title: "Orlando", Pages: 333, AuthorID: authors[0].ID}, {Title: "The Waves", Pages: 324, AuthorID: authors[0].ID},
		{Title: "Ulysses", Pages: 732, AuthorID: authors[1].ID},
	}
	_, err := l.db.NewInsert().Model(&books).Exec(ctx)
	return err
}

// list prints authors with their books, which bun reads by one query with IN.
func (l *library) list(ctx context.Context, out io.Writer) error {
	var authors []Author
	err := l.db.NewSelect().Model(&authors).Order("name").
		Relation("Books", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("title") }).Scan(ctx)
	for _, a := range authors {
		fmt.Fprintln(out, a.Name)
		for _, b := range a.Books {
			fmt.Fprintf(out, "  %s, %d pages\n", b.Title, b.Pages)
		}
	}
	return err
}

// find reads a book by its title.
func (l *library) find(ctx context.Context, title string) (*Book, error) {
	book := &Book{}
	return book, l.db.NewSelect().Model(book).Where("title = ?", title).Limit(1).Scan(ctx)
}

// lend gives a book to a reader. The update by key, with the condition that the book is there, is what keeps two readers
// from having it: a row is atomic, and there are no transactions.
func (l *library) lend(ctx context.Context, reader, title string) error {
	book, err := l.find(ctx, title)
	if err != nil {
		return err
	}
	taken, err := l.db.NewUpdate().Model(book).Set("lent = ?", true).WherePK().Where("lent = ?", false).Exec(ctx)
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
	_, err = l.db.NewInsert().Model(&loan).Exec(ctx)
	return err
}

// takeBack ends a book's loan.
func (l *library) takeBack(ctx context.Context, title string) error {
	book, err := l.find(ctx, title)
	if err != nil {
		return err
	}
	if _, err := l.db.NewDelete().Model((*Loan)(nil)).Where("book_id = ?", book.ID).Exec(ctx); err != nil {
		return err
	}
	_, err = l.db.NewUpdate().Model(book).Set("lent = ?", false).WherePK().Exec(ctx)
	return err
}

// loans prints who has what. A relation to one row would be a JOIN in bun; esbun.Load reads it by IN.
func (l *library) loans(ctx context.Context, out io.Writer) error {
	var loans []Loan
	if err := l.db.NewSelect().Model(&loans).Where("due > ?", time.Now()).Order("reader").Scan(ctx); err != nil {
		return err
	}
	if err := esbun.Load(ctx, l.db, &loans, "Book"); err != nil {
		return err
	}
	for _, loan := range loans {
		fmt.Fprintf(out, "%s has %s\n", loan.Reader, loan.Book.Title)
	}
	return nil
}
