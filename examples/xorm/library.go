package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"xorm.io/xorm"
)

// Author has a key of the caller's.
type Author struct {
	ID   string `xorm:"'id' pk"`
	Name string
}

// TableName is the table's name.
func (Author) TableName() string { return "authors" }

// Book has a key that the driver makes, a number, and is deleted softly.
type Book struct {
	ID       int64 `xorm:"'id' pk autoincr"`
	Title    string
	Pages    int
	Lent     bool
	AuthorID string    `xorm:"'author_id'"`
	Deleted  time.Time `xorm:"deleted"`
}

// TableName is the table's name.
func (Book) TableName() string { return "books" }

// Loan is a book in a reader's hands.
type Loan struct {
	ID     int64 `xorm:"'id' pk autoincr"`
	BookID int64 `xorm:"'book_id'"`
	Reader string
	Due    time.Time
}

// TableName is the table's name.
func (Loan) TableName() string { return "loans" }

var (
	errLent   = errors.New("it is lent already")
	errNoBook = errors.New("there is no such book")
)

// library is what the program does with the tables.
type library struct{ db *xorm.Engine }

// prepare makes the tables anew, each by itself, as there are no transactions.
func (l *library) prepare(ctx context.Context) error {
	session := l.db.NewSession().Context(ctx)
	defer session.Close()
	for _, model := range []any{&Author{}, &Book{}, &Loan{}} {
		if err := session.DropTable(model); err != nil {
			return err
		}
		if err := session.CreateTable(model); err != nil {
			return err
		}
	}
	return nil
}

// stock buys books.
func (l *library) stock(ctx context.Context) error {
	authors := []Author{{"woolf", "Virginia Woolf"}, {"joyce", "James Joyce"}}
	books := []Book{
		{Title: "Orlando", Pages: 333, AuthorID: "woolf"}, {Title: "The Waves", Pages: 324, AuthorID: "woolf"},
		{Title: "Ulysses", Pages: 732, AuthorID: "joyce"},
	}
	_, err := l.db.Context(ctx).Insert(&authors, &books)
	return err
}

// list prints authors with their books, which a second query reads by IN, as Elasticsearch has no JOIN.
func (l *library) list(ctx context.Context, out io.Writer) error {
	var authors []Author
	if err := l.db.Context(ctx).Asc("name").Find(&authors); err != nil {
		return err
	}
	ids := make([]string, len(authors))
	for i, a := range authors {
		ids[i] = a.ID
	}
	var books []Book
	err := l.db.Context(ctx).In("author_id", ids).Asc("title").Find(&books)
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
func (l *library) find(ctx context.Context, title string) (*Book, error) {
	book := &Book{}
	has, err := l.db.Context(ctx).Where("title = ?", title).Get(book)
	if err == nil && !has {
		err = errNoBook
	}
	return book, err
}

// lend gives a book to a reader. The update by key, with the condition that the book is there, is what keeps two readers
// from having it: a row is atomic, and there are no transactions.
func (l *library) lend(ctx context.Context, reader, title string) error {
	book, err := l.find(ctx, title)
	if err != nil {
		return err
	}
	n, err := l.db.Context(ctx).ID(book.ID).And("lent = ?", false).Cols("lent").Update(&Book{Lent: true})
	switch {
	case err != nil:
		return err
	case n == 0:
		return errLent
	}
	_, err = l.db.Context(ctx).Insert(&Loan{BookID: book.ID, Reader: reader, Due: time.Now().AddDate(0, 0, 28)})
	return err
}

// takeBack ends a book's loan.
func (l *library) takeBack(ctx context.Context, title string) error {
	book, err := l.find(ctx, title)
	if err != nil {
		return err
	}
	if _, err := l.db.Context(ctx).Where("book_id = ?", book.ID).Delete(&Loan{}); err != nil {
		return err
	}
	_, err = l.db.Context(ctx).ID(book.ID).Cols("lent").Update(&Book{})
	return err
}

// loans prints who has what.
func (l *library) loans(ctx context.Context, out io.Writer) error {
	var loans []Loan
	if err := l.db.Context(ctx).Where("due > ?", time.Now()).Asc("reader").Find(&loans); err != nil {
		return err
	}
	for _, loan := range loans {
		book := Book{}
		if _, err := l.db.Context(ctx).ID(loan.BookID).Get(&book); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s has %s\n", loan.Reader, book.Title)
	}
	return nil
}
