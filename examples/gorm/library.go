package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"gorm.io/gorm"
)

// Author has a key that the client makes.
type Author struct {
	ID    string
	Name  string
	Books []Book
}

// Book has a key that the driver makes, a number, and is deleted softly.
type Book struct {
	gorm.Model
	Title    string
	Pages    int
	Lent     bool
	AuthorID string
	Author   *Author
}

// Loan is a book in a reader's hands.
type Loan struct {
	ID     uint
	BookID uint
	Book   Book
	Reader string
	Due    time.Time
}

var errLent = errors.New("it is lent already")

// library is what the program does with the tables.
type library struct{ db *gorm.DB }

func (l *library) close() error {
	pool, err := l.db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// stock buys books: each author and its books in one call.
func (l *library) stock() error {
	return l.db.Create([]Author{
		{Name: "Virginia Woolf", Books: []Book{{Title: "Orlando", Pages: 333}, {Title: "The Waves", Pages: 324}}},
		{Name: "James Joyce", Books: []Book{{Title: "Ulysses", Pages: 732}}},
	}).Error
}

// list prints authors with their books. Preload reads the books of all authors by one query with IN.
func (l *library) list(out io.Writer) error {
	var authors []Author
	err := l.db.Preload("Books", func(tx *gorm.DB) *gorm.DB { return tx.Order("title") }).Order("name").Find(&authors).Error
	for _, a := range authors {
		fmt.Fprintln(out, a.Name)
		for _, b := range a.Books {
			fmt.Fprintf(out, "  %s, %d pages\n", b.Title, b.Pages)
		}
	}
	return err
}

// lend gives a book to a reader. The update by key, with the condition that the book is there, is what keeps two readers
// from having it: a row is atomic, and there are no transactions.
func (l *library) lend(reader, title string) error {
	var book Book
	if err := l.db.Where("title = ?", title).First(&book).Error; err != nil {
		return err
	}
	taken := l.db.Model(&book).Where("lent = ?", false).Update("lent", true)
	switch {
	case taken.Error != nil:
		return taken.Error
	case taken.RowsAffected == 0:
		return errLent
	}
	return l.db.Create(&Loan{BookID: book.ID, Reader: reader, Due: time.Now().AddDate(0, 0, 28)}).Error
}

// takeBack ends a book's loan.
func (l *library) takeBack(title string) error {
	var book Book
	if err := l.db.Where("title = ?", title).First(&book).Error; err != nil {
		return err
	}
	if err := l.db.Where("book_id = ?", book.ID).Delete(&Loan{}).Error; err != nil {
		return err
	}
	return l.db.Model(&book).Update("lent", false).Error
}

// loans prints who has what.
func (l *library) loans(out io.Writer) error {
	var loans []Loan
	if err := l.db.Preload("Book").Where("due > ?", time.Now()).Order("reader").Find(&loans).Error; err != nil {
		return err
	}
	for _, loan := range loans {
		fmt.Fprintf(out, "%s has %s\n", loan.Reader, loan.Book.Title)
	}
	return nil
}
